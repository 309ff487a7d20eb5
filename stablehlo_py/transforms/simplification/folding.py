"""Constant folding of ops whose operands are constants: evaluated by the kernels themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.element_types import value_range
from stablehlo_py.ir.types import FloatType, IntegerType, TensorType
from stablehlo_py.notation.environment import Environment
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.rule import Rule

LIMIT, FLOATS = "fold-op-element-limit", "optimize-float"  # options of the passes
_NUMBERS = "is_integer(r) or is_boolean(r) or is_float(r)"
_INTEGERS = "is_integer(r) or is_boolean(r)"


def is_within_limit(rewriter: Rewriter, op: Operation) -> bool:
    """Test whether a result has no more elements than folded constants may have."""
    type = op.results[0].type
    limit = rewriter.options.get(LIMIT)
    return limit is None or (isinstance(type, TensorType) and (type.size or 0) <= limit)


def folds_floats(rewriter: Rewriter, op: Operation) -> bool:
    """Test whether a result is not of floating-point numbers, or these may be folded."""
    element = getattr(op.results[0].type, "element_type", None)
    return bool(rewriter.options.get(FLOATS, True)) or not isinstance(element, FloatType)


def _fold(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Evaluate the op."""
    return rewriter.fold(op)


def _fold_number(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Evaluate the op, unless floats are not to be folded."""
    return rewriter.fold(op) if folds_floats(rewriter, op) else None


def _fold_limited(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Evaluate the op, if its result is not too large."""
    return _fold_number(rewriter, op, names) if is_within_limit(rewriter, op) else None


def _fold_quotient(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Evaluate the op, unless an integer is divided by zero."""
    divisor = constant_attribute(op.operands[1])
    if divisor is None or (divisor.data.dtype.kind in "iu" and not divisor.data.all()):
        return None
    return _fold_number(rewriter, op, names)


def _fold_above(least: float, strict: bool) -> Any:
    """Return the code of a rule that evaluates an op, if no element of its operand is less than a number."""

    def fold(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
        found = constant_attribute(op.operands[0])
        assert found is not None
        data = found.data.astype(np.float64)
        below = data <= least if strict else data < least
        return None if below.any() else rewriter.fold(op)

    fold.__doc__ = f"Evaluate the op, if no element is less than {'or equal to ' * strict}{least:g}."
    return fold


def _fold_sign(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Evaluate the op, if no element is NaN."""
    found = constant_attribute(op.operands[0])
    if found is None or np.isnan(found.data.astype(np.float64)).any():
        return None
    return rewriter.fold(op)


def _fold_conversion(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Evaluate the op, if no floating-point number is converted to an integer that does not hold it."""
    given, made = op.operands[0].type, op.result.type
    assert isinstance(given, TensorType) and isinstance(made, TensorType)
    is_float = isinstance(given.element_type, FloatType)
    if is_float and not rewriter.options.get(FLOATS, True):
        return None
    if is_float and isinstance(made.element_type, IntegerType) and made.element_type.width > 1:
        found = constant_attribute(op.operands[0])
        assert found is not None
        data = found.data.astype(np.float64)
        least, most = value_range(made.element_type)
        holds = np.isfinite(data) & (np.trunc(data) >= least) & (np.trunc(data) <= most)
        if not (holds & ~((data == 0) & np.signbit(data))).all():
            return None
    return _fold_limited(rewriter, op, names)


def _fold_select(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Choose the elements, if there are not too many of them."""
    predicate = constant_attribute(op.operands[0])
    if predicate is not None and predicate.is_splat:
        return [op.operands[1] if predicate.data[0] else op.operands[2]]
    return None if isinstance(names["r"].type.element_type, FloatType) else _fold_limited(rewriter, op, names)


def _resized(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Make a splat of the result's size."""
    found, type = constant_attribute(names["x"]), op.result.type
    if found is None or not found.is_splat or not isinstance(type, TensorType) or not type.is_static:
        return None
    if not folds_floats(rewriter, op):
        return None
    data = found.data if type.size else found.data[:0]
    return [rewriter.constant(DenseElementsAttr(type, data), type)]


def _join_splats(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Join neighbours that are equal splats."""
    axis, found = names["d"], []
    runs: list[list[Value]] = []
    for value in op.operands:
        splat = constant_attribute(value)
        last = constant_attribute(runs[-1][0]) if runs else None
        if splat is not None and splat.is_splat and splat == last:
            runs[-1].append(value)
        else:
            runs.append([value])
    if len(runs) == len(op.operands):
        return None
    for run in runs:
        splat = constant_attribute(run[0])
        if len(run) == 1 or splat is None:
            found.append(run[0])
            continue
        shape = list(splat.type.shape)
        shape[axis] = (shape[axis] or 0) * len(run)
        type = TensorType(tuple(shape), splat.type.element_type)
        found.append(rewriter.constant(DenseElementsAttr(type, splat.data), type))
    return rewriter.create(op.name, found, {"dimension": axis}, [op.result.type]).results


def _binary(name: str, condition: str, code: Any = _fold_number, element: str = "i32") -> Rule:
    """Return the rule that folds an op of two operands."""
    return Rule(
        f"fold-{name}",
        f"stablehlo.{name} %a, %b",
        code,
        condition=f"is_constant(a) and is_constant(b) and ({condition})",
        example=f"""
            %a = stablehlo.constant dense<[5, 7]> : tensor<2x{element}>
            %b = stablehlo.constant dense<[3, 2]> : tensor<2x{element}>
            %r = stablehlo.{name} %a, %b : tensor<2x{element}>
        """,
        merge=False,
    )


def _unary(name: str, code: Any = _fold, condition: str = "is_float(r)", values: str = "[0.5, 2.0]") -> Rule:
    """Return the rule that folds an op of one operand."""
    full = name if "." in name else f"stablehlo.{name}"
    type = "tensor<2xf32>" if "." in values else "tensor<2xi32>"
    suffix = f"{type} -> {type}" if full.startswith("chlo.") else type
    return Rule(
        f"fold-{full.rpartition('.')[2]}",
        f"{full} %a",
        code,
        condition=f"is_constant(a) and ({condition})",
        example=f"""
            %a = stablehlo.constant dense<{values}> : {type}
            %r = {full} %a : {suffix}
        """,
        merge=False,
    )


_POSITIVE, _NON_NEGATIVE = _fold_above(0.0, strict=True), _fold_above(0.0, strict=False)

SHAPE_FOLDS = (
    _binary("add", _NUMBERS),
    _binary("and", _INTEGERS),
    Rule(
        "fold-broadcast",
        "stablehlo.broadcast_in_dim %x",
        _resized,
        condition="is_splat(x)",
        example="""
            %x = stablehlo.constant dense<1.0> : tensor<f32>
            %r = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
        """,
        merge=False,
    ),
    Rule(
        "fold-clamp",
        "stablehlo.clamp %low, %x, %high",
        _fold_number,
        condition=f"is_constant(low) and is_constant(x) and is_constant(high) and ({_NUMBERS})",
        example="""
            %low = stablehlo.constant dense<1> : tensor<i32>
            %x = stablehlo.constant dense<[0, 2, 5]> : tensor<3xi32>
            %high = stablehlo.constant dense<3> : tensor<i32>
            %r = stablehlo.clamp %low, %x, %high : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
        """,
        merge=False,
    ),
    Rule(
        "fold-compare",
        "stablehlo.compare %a, %b",
        _fold,
        condition="is_constant(a) and is_constant(b) and not is_complex(a)",
        example="""
            %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
            %b = stablehlo.constant dense<2> : tensor<2xi32>
            %r = stablehlo.compare LT, %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
        """,
        merge=False,
    ),
    Rule(
        "fold-concatenate",
        "stablehlo.concatenate %xs...",
        _fold_limited,
        condition=f"is_static(r) and (for x in xs : is_constant(x)) and ({_NUMBERS})",
        example="""
            %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
            %y = stablehlo.constant dense<3> : tensor<1xi32>
            %r = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>
        """,
        merge=False,
    ),
    Rule(
        "concatenate-splats",
        "stablehlo.concatenate %xs..., dimension = d",
        _join_splats,
        example="""
            %c = stablehlo.constant dense<1.0> : tensor<2xf32>
            %r = stablehlo.concatenate %c, %c, %x, dim = 0
              : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<7xf32>
        """,
        merge=False,
    ),
    _unary("convert", _fold_conversion, f"is_static(r) and ({_NUMBERS})", "[0.5, 2.0]"),
    _binary("divide", _NUMBERS, _fold_quotient),
    Rule(
        "fold-dynamic-slice",
        "stablehlo.dynamic_slice %x, %starts...",
        _resized,
        condition="is_splat(x)",
        example="""
            %x = stablehlo.constant dense<1> : tensor<6x1xi32>
            %r = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 1]
              : (tensor<6x1xi32>, tensor<i32>, tensor<i32>) -> tensor<2x1xi32>
        """,
        merge=False,
    ),
    _binary("maximum", _NUMBERS),
    _binary("minimum", _NUMBERS),
    _binary("multiply", _NUMBERS),
    _binary("or", _INTEGERS),
    _binary("remainder", _NUMBERS, _fold_quotient),
    Rule(
        "fold-reshape",
        "stablehlo.reshape %x",
        _fold_number,
        condition=f"is_static(r) and is_constant(x) and ({_NUMBERS} or is_complex(r))",
        example="""
            %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
            %r = stablehlo.reshape %x : (tensor<4xi32>) -> tensor<2x2xi32>
        """,
        merge=False,
    ),
    Rule(
        "fold-select",
        "stablehlo.select %p, %a, %b",
        _fold_select,
        condition=f"is_static(r) and is_constant(p) and is_constant(a) and is_constant(b) and ({_NUMBERS})",
        example="""
            %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
            %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
            %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
            %r = stablehlo.select %p, %a, %b : tensor<2xi1>, tensor<2xi32>
        """,
        merge=False,
    ),
    Rule(
        "set-dimension-size-same",
        "stablehlo.set_dimension_size %x, %n, dimension = d",
        "%x",
        condition="identical(r, x) and constant_value(n) = dim(r, d)",
        example="""
            %n = stablehlo.constant dense<10> : tensor<i32>
            %r = stablehlo.set_dimension_size %x, %n, dim = 0
              : (tensor<10xf32>, tensor<i32>) -> tensor<10xf32>
        """,
        merge=False,
    ),
    _unary("sign", _fold_sign, "is_integer(r) or is_float(r)", "[-3, 2]"),
    Rule(
        "fold-slice",
        "stablehlo.slice %x",
        _fold_number,
        condition=f"is_static(r) and is_static(x) and is_constant(x) and ({_NUMBERS})",
        example="""
            %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
            %r = stablehlo.slice %x [1:4:2] : (tensor<4xi32>) -> tensor<2xi32>
        """,
        merge=False,
    ),
    _binary("subtract", _NUMBERS),
)

FOLDS = (
    _unary("abs", _fold, "is_integer(r) or is_float(r)", "[-3, 2]"),
    _unary("cosine"),
    _unary("chlo.erf"),
    _unary("exponential"),
    Rule(
        "fold-iota",
        "stablehlo.iota",
        _fold_limited,
        condition=f"is_static(r) and size(r) <= 1 and ({_INTEGERS})",
        example="%r = stablehlo.iota dim = 0 : tensor<1xi32>",
        doc="A larger iota is smaller than the constant.",
        merge=False,
    ),
    _unary("log", _POSITIVE),
    _unary("logistic"),
    _unary("negate", _fold, "is_integer(r) or is_float(r)", "[-3, 2]"),
    _unary("not", _fold, _INTEGERS, "[-3, 2]"),
    Rule(
        "fold-reverse",
        "stablehlo.reverse %x, dimensions = d",
        _fold_limited,
        condition="is_constant(x) and not is_splat(x) and size(x) > 1 and is_static(r) "
        f"and ({_NUMBERS}) and not is_empty([i for i in d if dim(x, i) != 1])",
        example="""
            %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
            %r = stablehlo.reverse %x, dims = [0] : tensor<3xi32>
        """,
        merge=False,
    ),
    _unary("round_nearest_afz"),
    _unary("round_nearest_even"),
    _unary("rsqrt", _POSITIVE),
    _unary("sine"),
    _unary("sqrt", _NON_NEGATIVE),
    _unary("tan"),
    _unary("tanh"),
    Rule(
        "fold-transpose",
        "stablehlo.transpose %x",
        _fold,
        condition=f"is_static(r) and is_constant(x) and ({_NUMBERS} or is_splat(x))",
        example="""
            %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
            %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32>
        """,
        merge=False,
    ),
    _binary("xor", _INTEGERS),
)
