"""Expressions that several families make: integers, conditions, wider elements."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from stablehlo_py.engines.native.loop_ir.expressions import Expression, apply, constant
from stablehlo_py.engines.native.loop_ir.index import Index, divide
from stablehlo_py.ir.element_types import ELEMENT_TYPES, numpy_dtype
from stablehlo_py.ir.types import I1, FloatType, IntegerType, Type

I64 = IntegerType(64)
F32 = FloatType("f32")
_SIGNED = (("compare_type", "SIGNED"),)


def number(value: Any, type: Type) -> Expression:
    """A number of an element type."""
    return constant(np.asarray(value).astype(numpy_dtype(type))[()], type)


def convert(value: Expression, type: Type) -> Expression:
    """A value as an element of a type."""
    return value if value.type == type else apply("stablehlo.convert", type, (value,))


def add(x: Expression, y: Expression) -> Expression:
    """The sum of two values of one type."""
    return apply("stablehlo.add", x.type, (x, y))


def multiply(x: Expression, y: Expression) -> Expression:
    """The product of two values of one type."""
    return apply("stablehlo.multiply", x.type, (x, y))


def compare(x: Expression, direction: str, y: Expression) -> Expression:
    """Whether two integers are in an order: EQ, NE, LT, LE, GT or GE."""
    return apply("stablehlo.compare", I1, (x, y), (*_SIGNED, ("comparison_direction", direction)))


def all_of(conditions: list[Expression]) -> Expression:
    """Whether all conditions hold."""
    return reduce(lambda x, y: apply("stablehlo.and", I1, (x, y)), conditions)


def select(condition: Expression, on_true: Expression, on_false: Expression) -> Expression:
    """One of two values."""
    return apply("stablehlo.select", on_true.type, (condition, on_true, on_false))


def sum_type(type: Type) -> Type:
    """The type in which many elements are added up: f32 for narrower floats."""
    row = ELEMENT_TYPES.get(type)
    is_narrow = isinstance(type, FloatType) and row is not None and row.width < 32
    return F32 if is_narrow else type


def place_inside(index: Index, size: int, dilation: int) -> tuple[Index, list[tuple[Index, int]]]:
    """The place in an array of an index in the array with holes and padding, and the conditions to be there.

    Args:
        index: The index, which may be negative.
        size: The extent of the array.
        dilation: How far apart its elements are.
    """
    conditions: list[tuple[Index, int]] = []
    if dilation > 1:
        holes = max(0, -(index.bounds[0] // dilation))  # in front: quotients are of non-negative numbers
        place, rest = divide(index + holes * dilation, dilation)
        index, conditions = place + -holes, [(rest * -1, 0)]
    return index, [(index, 0), (index * -1, 1 - size), *conditions]
