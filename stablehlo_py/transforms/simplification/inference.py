"""Simplification for inference: where weights and statistics are constants, so is what is computed of them.

A product and what is added to it are affine in the product's weights. What multiplies each feature of the
result or of the operand by a constant becomes part of the weights, and what is added becomes one constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import QuantizedType, TensorType
from stablehlo_py.notation.environment import Environment
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.transforms.folding import evaluate
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.rule import Rewrite, Rule
from stablehlo_py.transforms.simplification.folding import LIMIT, folds_floats
from stablehlo_py.transforms.simplification.repeated import Array, repeat, repeated
from stablehlo_py.transforms.simplification.weights import (
    ADD,
    DIVIDE,
    MULTIPLY,
    SUBTRACT,
    combined,
    element_of,
    is_padded,
    rounded,
    scaled_by_operand,
    scaled_by_result,
    with_weights,
    without_term,
)

_PRODUCTS = "stablehlo.convolution|dot_general|dot"
_ROUNDED = (
    "constants are computed in f64 and rounded once; products and sums are rounded in other places, and "
    "overflow in others"
)


def _scale_weights(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Multiply the constant weights instead of the result, if the factor is one for each of its features."""
    factor = repeated(rewriter, names["f"])
    made = None if factor is None else scaled_by_result(rewriter, names["y"].op, op.name, factor)
    return None if made is None else [made]


def _scale_terms(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Multiply the constant weights, and the constant that is added, instead of the result."""
    bias, factor = repeated(rewriter, names["b"]), repeated(rewriter, names["f"])
    type = names["b"].type
    scaled = None if bias is None or factor is None else combined(op.name, bias, factor, type)
    if scaled is None or factor is None:
        return None
    product = scaled_by_result(rewriter, names["y"].op, op.name, factor)
    if product is None:
        return None
    return [rewriter.value(names["z"].op.name, [product, repeat(rewriter, scaled, type)])]


def _add_terms(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Add the constants, or subtract them."""
    first, second = repeated(rewriter, names["b"]), repeated(rewriter, names["c"])
    if first is None or second is None:
        return None
    inner = names["z"].op.name
    type = names["b"].type
    joined = combined(ADD if inner == op.name else SUBTRACT, first, second, type)
    if joined is None:
        return None
    return [rewriter.value(inner, [names["y"], repeat(rewriter, joined, type)])]


def _scale_operand(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Multiply the constant weights instead of the operand, if the factor is one for each of its features."""
    factor = repeated(rewriter, names["f"])
    if factor is None:
        return None
    weights = scaled_by_operand(op, names["s"], names["s"].op.name, factor)
    return None if weights is None else [with_weights(rewriter, op, weights, {names["s"]: names["x"]})]


def _shift_result(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Add a constant to the result instead of the operand, if zeros do not pad the operand."""
    term = None if is_padded(op) else repeated(rewriter, names["f"])
    if term is None:
        return None
    made = without_term(rewriter, op, names["s"], names["x"], names["s"].op.name, term)
    return None if made is None else [made]


def _shift_first(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Add the constant before the operand is multiplied, and multiply the constant weights instead."""
    factor, term, type = repeated(rewriter, names["f"]), repeated(rewriter, names["b"]), names["b"].type
    if factor is None or term is None:
        return None
    multiplied, added = names["m"].op.name, names["s"].op.name
    shift = combined(DIVIDE if multiplied == MULTIPLY else MULTIPLY, term, factor, type)
    weights = None if shift is None else scaled_by_operand(op, names["s"], multiplied, factor)
    if shift is None or weights is None:
        return None
    operand = rewriter.value(added, [names["x"], repeat(rewriter, shift, type)])
    return [with_weights(rewriter, op, weights, {names["s"]: operand})]


def _constant_second(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Make a broadcast constant the second operand, if the other one is none."""
    if repeated(rewriter, names["x"]) is not None:
        return None
    return [rewriter.value(op.name, [names["x"], names["f"]])]


def _normalize(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Multiply by the scale over the standard deviation, and add what is left of offset and mean."""
    type, axis = op.result.type, names["i"]
    assert isinstance(type, TensorType)
    given = [constant_attribute(names[name]) for name in ("scale", "offset", "mean", "variance")]
    scale, offset, mean, variance = [each.value.astype(np.float64) for each in given if each is not None]
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + names["e"])
        both = [rounded(each, type) for each in (factor, offset - mean * factor)]
    shape = [-1 if each == axis else 1 for each in range(type.rank)]
    constants = [repeat(rewriter, each.reshape(shape), type) for each in both if each is not None]
    if len(constants) < len(both):
        return None
    return [rewriter.value(ADD, [rewriter.value(MULTIPLY, [names["x"], constants[0]]), constants[1]])]


def _fold_elementwise(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Evaluate an op on constants, iotas and broadcasts of them, if there are not too many elements."""
    if not has_trait(op.name, "elementwise") or not op.operands or len(op.results) != 1 or op.regions:
        return None
    type, limit = op.result.type, rewriter.options.get(LIMIT) or 0
    if not isinstance(type, TensorType) or not type.is_static or not folds_floats(rewriter, op):
        return None
    found: list[Array] = []
    for value in op.operands:
        array = None if _is_quantized(value) else repeated(rewriter, value, limit)
        if array is None:
            return None
        found.append(array)
    shape = np.broadcast_shapes(*[each.shape for each in found])
    if _is_quantized(op.result) or np.prod(shape) > limit:
        return None
    full = [np.broadcast_to(each, shape) if each.ndim else each for each in found]
    made = evaluate(op, full, rewriter.module)
    return None if made is None else [repeat(rewriter, made[0], type)]


def _is_quantized(value: Value) -> bool:
    return isinstance(element_of(value), QuantizedType)


_PRODUCT = f"""
        %y = {_PRODUCTS} %x, %w"""
_WIDE = "is_float(r) and 16 <= num_bits(r)"  # narrower types have too few digits to round once more
_WEIGHTS = """
            %w = stablehlo.constant dense<[[[[0.5, -0.25]]]]> : tensor<1x1x1x2xf32>"""
_CONVOLVED = """
            %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
              window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
              : (tensor<1x2x3x1xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x3x2xf32>"""


def _broadcast(name: str, values: str) -> str:
    """A constant for each feature, in an example."""
    return f"""
            %{name}s = stablehlo.constant dense<{values}> : tensor<2xf32>
            %{name} = stablehlo.broadcast_in_dim %{name}s, dims = [3]
              : (tensor<2xf32>) -> tensor<1x2x3x2xf32>"""


def _of_operands(name: str, op: str, rewrite: Rewrite, line: str) -> list[Rule]:
    """Rules for an op whose result is the operand of a product, on each side of the weights."""
    return [
        Rule(
            f"{name}-of-{side}",
            f"""
        %s = {op}
        {products} {operands}
        """,
            rewrite,
            condition=f"has_one_use(s) and {_WIDE}",
            example=f"""
            %fs = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf32>
            %f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
            %s = {line} : tensor<2x3xf32>
            %w = stablehlo.constant dense<{weights}
            %r = stablehlo.dot_general {operands}, contracting_dims = {dimensions} -> tensor<2x2xf32>
        """,
            inexact=_ROUNDED,
        )
        for side, products, operands, weights, dimensions in (
            (
                "lhs",
                _PRODUCTS,
                "%s, %w",
                "[[0.5, -1.0], [2.0, 0.25], [1.0, 1.5]]> : tensor<3x2xf32>",
                "[1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>)",
            ),
            (
                "rhs",
                "stablehlo.dot_general|dot",
                "%w, %s",
                "[[0.5, -1.0, 2.0], [0.25, 1.0, 1.5]]> : tensor<2x3xf32>",
                "[1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>)",
            ),
        )
    ]


RULES = (
    Rule(
        "batch-norm-constant",
        """
        stablehlo.batch_norm_inference %x, %scale, %offset, %mean, %variance, epsilon = e, feature_index = i
        """,
        _normalize,
        condition=f"is_static(r) and {_WIDE} and is_constant(scale) and is_constant(offset) "
        "and is_constant(mean) and is_constant(variance)",
        example="""
            %scale = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf32>
            %offset = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
            %mean = stablehlo.constant dense<[0.0, 3.0]> : tensor<2xf32>
            %variance = stablehlo.constant dense<[1.5, 4.0]> : tensor<2xf32>
            %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
              <{epsilon = 0.25 : f32, feature_index = 1 : i64}>
              : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
              -> tensor<3x2xf32>
        """,
        inexact=_ROUNDED,
    ),
    Rule(
        "product-times-constant",
        f"""{_PRODUCT}
        stablehlo.multiply|divide %y, %f
        """,
        _scale_weights,
        condition=f"has_one_use(y) and {_WIDE}",
        example=f"""{_WEIGHTS}{_CONVOLVED}{_broadcast("f", "[0.5, -1.0]")}
            %r = stablehlo.multiply %y, %f : tensor<1x2x3x2xf32>
        """,
        inexact=_ROUNDED,
    ),
    Rule(
        "product-plus-constant-times-constant",
        f"""{_PRODUCT}
        %z = stablehlo.add|subtract %y, %b
        stablehlo.multiply|divide %z, %f
        """,
        _scale_terms,
        condition=f"has_one_use(y) and has_one_use(z) and {_WIDE}",
        example=f"""{_WEIGHTS}{_CONVOLVED}{_broadcast("b", "[2.0, 3.0]")}
            %z = stablehlo.subtract %y, %b : tensor<1x2x3x2xf32>{_broadcast("f", "[0.5, -1.0]")}
            %r = stablehlo.multiply %z, %f : tensor<1x2x3x2xf32>
        """,
        inexact=_ROUNDED,
    ),
    Rule(
        "product-plus-constants",
        f"""{_PRODUCT}
        %z = stablehlo.add|subtract %y, %b
        stablehlo.add|subtract %z, %c
        """,
        _add_terms,
        condition=f"has_one_use(z) and {_WIDE}",
        example=f"""{_CONVOLVED}{_broadcast("b", "[2.0, 3.0]")}
            %z = stablehlo.subtract %y, %b : tensor<1x2x3x2xf32>{_broadcast("c", "[0.5, -1.0]")}
            %r = stablehlo.add %z, %c : tensor<1x2x3x2xf32>
        """,
        inexact=_ROUNDED,
    ),
    *_of_operands("factor", "stablehlo.multiply|divide %x, %f", _scale_operand, "stablehlo.divide %x, %f"),
    *_of_operands("term", "stablehlo.add|subtract %x, %f", _shift_result, "stablehlo.subtract %x, %f"),
    Rule(
        "convolution-of-factor-and-term",
        """
        %m = stablehlo.multiply|divide %x, %f
        %s = stablehlo.add|subtract %m, %b
        stablehlo.convolution %s, %w
        """,
        _shift_first,
        condition=f"has_one_use(m) and has_one_use(s) and {_WIDE}",
        example="""
            %f = stablehlo.constant dense<0.5> : tensor<1x3x1xf32>
            %b = stablehlo.constant dense<2.0> : tensor<1x3x1xf32>
            %w = stablehlo.constant dense<[[[0.5, -0.25]], [[1.0, 2.0]]]> : tensor<2x1x2xf32>
            %m = stablehlo.multiply %x, %f : tensor<1x3x1xf32>
            %s = stablehlo.subtract %m, %b : tensor<1x3x1xf32>
            %r = stablehlo.convolution(%s, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
              window = {pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
              : (tensor<1x3x1xf32>, tensor<2x1x2xf32>) -> tensor<1x3x2xf32>
        """,
        inexact=_ROUNDED,
    ),
    Rule(
        "broadcast-constant-left",
        """
        %c = stablehlo.constant
        %f = stablehlo.broadcast_in_dim %c
        stablehlo.add|multiply %f, %x
        """,
        _constant_second,
        example=f"""{_broadcast("f", "[2.0, 3.0]")}
            %r = stablehlo.multiply %f, %x : tensor<1x2x3x2xf32>
        """,
    ),
    Rule(
        "fold-elementwise",
        "any",
        _fold_elementwise,
        example="""
            %i = stablehlo.iota dim = 0 : tensor<4xi32>
            %a = stablehlo.broadcast_in_dim %i, dims = [0] : (tensor<4xi32>) -> tensor<4x4xi32>
            %b = stablehlo.broadcast_in_dim %i, dims = [1] : (tensor<4xi32>) -> tensor<4x4xi32>
            %r = stablehlo.compare GE, %a, %b : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
        """,
        merge=False,
    ),
)
