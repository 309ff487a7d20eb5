"""Scalar ops as LLVM values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from stablehlo_py.engines.native.arithmetic.elements import Element, element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.arithmetic.scalar_ops import ScalarOp, written
from stablehlo_py.engines.native.loop_ir.expressions import INDEX, MULTIPLY_ADD, Apply
from stablehlo_py.engines.native.loop_ir.ranges import ANY, range_of
from stablehlo_py.ir.types import IntegerType, TensorType, Type

_SIGNED = IntegerType(64)


@lru_cache(maxsize=256)
def element_type(type: Type) -> Element:
    """How elements of a type are stored and computed; an index is an integer."""
    found = element_of(TensorType((), _stored(type)))
    assert found is not None
    return found


def _stored(type: Type) -> Type:
    return _SIGNED if type == INDEX else type


def apply_op(expression: Apply, operands: Sequence[Value]) -> Value:
    """Write an op."""
    if expression.op == MULTIPLY_ADD:
        x, y, z = operands
        return x.call("fmuladd", y, z) if x.is_float else x * y + z
    types = [_stored(each.type) for each in expression.arguments]
    range = range_of(expression.arguments[0]) if expression.op == "stablehlo.convert" else ANY
    op = ScalarOp(expression.op, types, _stored(expression.type), dict(expression.attributes), range)
    return written(op, operands)


def clamped(value: Value, signed: bool, last: int) -> Value:
    """Clamp a number to `0 .. last`."""
    if signed:
        value = (value < 0).select(0, value)
    return value.compare("ugt", last).select(last, value)
