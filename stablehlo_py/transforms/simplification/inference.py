"""Simplification for inference: where weights and statistics are constants, so is what is computed of them.

A product and what is added to it are affine in the product's weights. What multiplies each feature of the
result by a constant becomes part of the weights, and what is added to each becomes one constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import QuantizedType, TensorType, Type
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.scope import environment
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.transforms.folding import evaluate
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.match import definition_of
from stablehlo_py.transforms.rules.rule import Rule
from stablehlo_py.transforms.simplification.folding import LIMIT, folds_floats
from stablehlo_py.transforms.simplification.repeated import Array, repeat, repeated

ADD, SUBTRACT, MULTIPLY, DIVIDE = [f"stablehlo.{name}" for name in ("add", "subtract", "multiply", "divide")]
_CONVOLUTION, _DOT_GENERAL, _DOT = [f"stablehlo.{name}" for name in ("convolution", "dot_general", "dot")]
_PRODUCTS = "stablehlo.convolution|dot_general|dot"
_UFUNCS: dict[str, np.ufunc] = {ADD: np.add, SUBTRACT: np.subtract, MULTIPLY: np.multiply, DIVIDE: np.divide}
_ROUNDED = (
    "constants are computed in f64 and rounded once; products and sums are rounded in other places, and "
    "overflow in others"
)


def _combined(name: str, a: Array, b: Array, type: TensorType) -> Array | None:
    """Compute an op on constants in f64 and round it; None if a number is not finite or the result larger."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    if np.prod(shape) > max(a.size, b.size):
        return None
    made = np.empty(shape, numpy_dtype(type.element_type))
    with np.errstate(all="ignore"):
        _UFUNCS[name](a, b.astype(np.float64), out=made, casting="unsafe")
    return made if np.isfinite(made).all() else None


def _result_axes(op: Operation, index: int) -> list[int | None]:
    """The dimension of a product's result for each dimension of an operand; None for those summed over."""
    attributes = environment(op, definition_of(op.name))
    ranks = [len(each.type.shape) for each in op.operands]
    axes: list[int | None] = [None] * ranks[index]
    if op.name == _CONVOLUTION:
        axes[attributes["kernel_output_feature_dimension"]] = attributes["output_feature_dimension"]
        return axes
    batch: Sequence[Sequence[int]] = ((), ())
    summed: Sequence[Sequence[int]] = ((ranks[0] - 1,), (0,))
    if op.name == _DOT_GENERAL:
        batch = [attributes[f"{side}_batching_dimensions"] for side in ("lhs", "rhs")]
        summed = [attributes[f"{side}_contracting_dimensions"] for side in ("lhs", "rhs")]
    first = len(batch[0]) if index == 0 else ranks[0] - len(summed[0])
    free = [axis for axis in range(ranks[index]) if axis not in (*batch[index], *summed[index])]
    for result, axis in [*enumerate(batch[index]), *enumerate(free, first)]:
        axes[axis] = result
    return axes


def _scaled(rewriter: Rewriter, op: Operation, name: str, factor: Array) -> Value | None:
    """Multiply the constant weights of a product by a factor of its result, or divide them.

    Args:
        rewriter: The rewriter.
        op: The product.
        name: The op that the factor is the second operand of.
        factor: The factor, with the rank of the result.

    Returns:
        The product with the new weights; None if its weights are no constant, or have no dimension for one
        along which the factor changes.
    """
    element = _element(op.result)
    for index in (1,) if op.name == _CONVOLUTION else (1, 0):
        weights = op.operands[index]
        constant = constant_attribute(weights)
        if constant is None or constant.data.size != constant.type.size or _element(weights) != element:
            continue
        axes = _result_axes(op, index)
        kept = [axis for axis in axes if axis is not None]
        others = [axis for axis in range(factor.ndim) if axis not in kept]
        if any(factor.shape[axis] != 1 for axis in others):
            continue
        shape = [1 if axis is None else factor.shape[axis] for axis in axes]
        turned = factor.transpose([*others, *kept]).reshape(shape)
        made = _combined(name, constant.value, turned, constant.type)
        if made is not None:
            return rewriter.clone(op, {weights: rewriter.constant(made, weights.type)}).result
    return None


def _scale_weights(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Multiply the constant weights instead of the result, if the factor is one for each of its features."""
    factor = repeated(rewriter, names["f"])
    made = None if factor is None else _scaled(rewriter, names["y"].op, op.name, factor)
    return None if made is None else [made]


def _scale_terms(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Multiply the constant weights, and the constant that is added, instead of the result."""
    bias, factor = repeated(rewriter, names["b"]), repeated(rewriter, names["f"])
    type = names["b"].type
    scaled = None if bias is None or factor is None else _combined(op.name, bias, factor, type)
    if scaled is None or factor is None:
        return None
    product = _scaled(rewriter, names["y"].op, op.name, factor)
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
    joined = _combined(ADD if inner == op.name else SUBTRACT, first, second, type)
    if joined is None:
        return None
    return [rewriter.value(inner, [names["y"], repeat(rewriter, joined, type)])]


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
        both = [each.astype(numpy_dtype(type.element_type)) for each in (factor, offset - mean * factor)]
    if not all(np.isfinite(each).all() for each in both):
        return None
    shape = [-1 if each == axis else 1 for each in range(type.rank)]
    constants = [repeat(rewriter, each.reshape(shape), type) for each in both]
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
    return isinstance(_element(value), QuantizedType)


def _element(value: Value) -> Type | None:
    return value.type.element_type if isinstance(value.type, TensorType) else None


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
