"""Expressions that several families make: integers, conditions, wider elements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from stablehlo_py.engines.native.loop_ir.expressions import (
    MULTIPLY_ADD,
    Constant,
    Expression,
    apply,
    constant,
)
from stablehlo_py.engines.native.loop_ir.index import Index, divide
from stablehlo_py.ir.element_types import ELEMENT_TYPES, bit_width, numpy_dtype
from stablehlo_py.ir.types import I1, ComplexType, FloatType, IntegerType, QuantizedType, Type

I32, I64 = IntegerType(32), IntegerType(64)
F32 = FloatType("f32")


def stored(type: Type) -> Type:
    """The type of elements in memory: the storage type of a quantized type."""
    return type.storage_type if isinstance(type, QuantizedType) else type


def number(value: Any, type: Type) -> Constant:
    """A number of an element type."""
    return constant(np.asarray(value).astype(numpy_dtype(type))[()], type)


def convert(value: Expression, type: Type) -> Expression:
    """A value as an element of a type."""
    return value if value.type == type else apply("stablehlo.convert", type, (value,))


def op(name: str, *operands: Expression) -> Expression:
    """An op of StableHLO whose operands and result have one type."""
    return apply(f"stablehlo.{name}", operands[0].type, operands)


def add(x: Expression, y: Expression) -> Expression:
    """The sum of two values of one type."""
    return op("add", x, y)


def multiply(x: Expression, y: Expression) -> Expression:
    """The product of two values of one type."""
    return op("multiply", x, y)


def multiply_add(x: Expression, y: Expression, z: Expression) -> Expression:
    """`x * y + z`, rounded once or twice."""
    return apply(MULTIPLY_ADD, x.type, (x, y, z))


def compare(x: Expression, direction: str, y: Expression) -> Expression:
    """Whether two values are in an order: EQ, NE, LT, LE, GT or GE."""
    attributes = (("compare_type", compare_kind(x.type)), ("comparison_direction", direction))
    return apply("stablehlo.compare", I1, (x, y), attributes)


def compare_kind(type: Type) -> str:
    """How elements of a type are compared."""
    if isinstance(type, FloatType | ComplexType):
        return "FLOAT"
    is_signed = isinstance(type, IntegerType) and type != I1 and type.signedness != "u"
    return "SIGNED" if is_signed else "UNSIGNED"


def all_of(conditions: Sequence[Expression]) -> Expression:
    """Whether all conditions hold."""
    return reduce(lambda x, y: op("and", x, y), conditions)


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


# Bits


def word(width: int) -> IntegerType:
    """The unsigned integers of a width, which are bits; a single bit is a boolean."""
    return IntegerType(width, "u") if width > 1 else I1


def shifted(bits: Expression, by: int) -> Expression:
    """Bits that are moved to the left, or to the right by a negative number."""
    if not by:
        return bits
    return op("shift_left" if by > 0 else "shift_right_logical", bits, number(abs(by), bits.type))


def joined(words: Sequence[Expression]) -> Expression:
    """The bits of several words of one width, the lowest first."""
    width = bit_width(words[0].type)
    wide = [convert(each, word(width * len(words))) for each in words]
    return reduce(lambda x, y: op("or", x, y), [shifted(each, k * width) for k, each in enumerate(wide)])


def parts(x: Expression) -> list[Expression]:
    """The real and the imaginary part of a complex number; another number itself."""
    if not isinstance(x.type, ComplexType):
        return [x]
    return [apply(f"stablehlo.{name}", x.type.element_type, (x,)) for name in ("real", "imag")]


def to_bits(x: Expression) -> Expression:
    """The bits of an element as an unsigned integer; the lower half is the real part of a complex number."""
    words = [apply("stablehlo.bitcast_convert", word(bit_width(p.type)), (p,)) for p in parts(x)]
    return joined(words) if len(words) > 1 else words[0]


def of_bits(bits: Expression, type: Type) -> Expression:
    """The element whose bits are the lowest bits of an unsigned integer."""
    width = bit_width(type)
    if isinstance(type, ComplexType):
        halves = [of_bits(shifted(bits, -k * width // 2), type.element_type) for k in range(2)]
        return apply("stablehlo.complex", type, tuple(halves))
    if type == I1:
        return convert(op("and", bits, number(1, bits.type)), I1) if bits.type != I1 else bits
    return apply("stablehlo.bitcast_convert", type, (convert(bits, word(width)),))


def ordered(x: Expression, total: bool = True) -> Expression:
    """An unsigned integer of at least 32 bits in the order of elements.

    Args:
        x: An element that is not complex.
        total: Whether floats are in total order; otherwise zeros are equal, and NaNs the largest.
    """
    if not isinstance(x.type, FloatType):
        width = max(32, bit_width(x.type))
        if compare_kind(x.type) == "UNSIGNED":
            return convert(x, word(width))
        bits = to_bits(convert(x, IntegerType(width)))
        return op("xor", bits, number(1 << width - 1, bits.type))
    width = bit_width(x.type)
    if width == 16 and total:  # conversions of the CPU make signaling NaNs quiet ones
        bits = shifted(convert(to_bits(x), word(32)), 16)
    else:
        x = convert(x, F32) if width < 32 else x
        if not total:
            is_nan = compare(x, "NE", x)
            x = select(is_nan, number(np.nan, x.type), add(x, number(0, x.type)))
        bits = to_bits(x)
    sign = number(1 << bit_width(bits.type) - 1, bits.type)
    is_negative = compare(bits, "GE", sign)
    return op("xor", bits, select(is_negative, op("not", number(0, bits.type)), sign))
