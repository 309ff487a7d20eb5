"""Programs of different precision: what their ops have in common apart from float types and conversions.

A model in bf16 has the ops of its original in f32, and conversions between them. Where two programs use
different float types, ops are matched without regard to the width of floats, values are those before
conversions from floats to floats, and constants are equal if they are in the narrowest type of both programs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.element_types import (
    ELEMENT_TYPES,
    element_type_of,
    least_normal,
    numpy_dtype,
    value_range,
)
from stablehlo_py.ir.types import FloatType, TensorType, Type
from stablehlo_py.opset.definition import has_trait


class Precision:
    """The float types of two programs.

    Args:
        programs: The functions that are compared; without any, as if both used the same types.

    Attributes:
        differs: Whether the programs use different float types.
    """

    def __init__(self, *programs: Operation) -> None:
        found = [frozenset(float_types(program)) for program in programs]
        self._programs = programs
        self._types = frozenset[FloatType]().union(*found)
        self.differs = len(set(found)) > 1

    @cached_property
    def _narrowest(self) -> np.dtype[Any]:
        return numpy_dtype(min([type for type in self._types if ELEMENT_TYPES[type].numpy], key=significand))

    @cached_property
    def _largest(self) -> float:
        return value_range(min(self._types, key=significand))[1]

    @cached_property
    def _saturates(self) -> bool:
        """Whether the largest number of the narrowest type stands for those beyond, rather than infinity."""
        constants = [op.properties.get("value") for program in self._programs for op in program.walk()]
        return any(
            isinstance(value, DenseElementsAttr)
            and value.data.dtype == self._narrowest
            and bool(np.any(np.abs(value.data.astype(np.float64)) == self._largest))
            for value in constants
        )

    def is_rounded(self, op: Operation, other: Operation) -> bool:
        """Test whether a constant is the constant of the other program in a narrower type."""
        a, b = _float(op.result.type), _float(other.result.type)
        if a is None or b is None or significand(a) >= significand(b):
            return False
        return self.attribute(op.properties.get("value")) == self.attribute(other.properties.get("value"))

    def in_range(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return constants, with numbers beyond the range of the narrowest type clamped to the range."""
        if not self.differs:
            return values
        with np.errstate(all="ignore"):
            return tuple(
                [
                    np.clip(x.astype(np.float64), -self._largest, self._largest).astype(x.dtype)
                    if is_float(x)
                    else x
                    for x in values
                ]
            )

    def skips(self, op: Operation) -> bool:
        """Test whether an op is a conversion of floats, which is a part of its users."""
        return (
            self.differs
            and has_trait(op.name, "conversion")
            and len(op.operands) == len(op.results) == 1
            and all(_float(value.type) is not None for value in (*op.operands, *op.results))
        )

    def root(self, value: Value) -> Value:
        """Return the value before conversions."""
        *_, last = self._chain(value)
        return last

    def _chain(self, value: Value) -> Iterator[Value]:
        """Yield a value, then the values that it is converted from."""
        yield value
        op = getattr(value, "op", None)
        while isinstance(op, Operation) and self.skips(op):
            value = op.operands[0]
            yield value
            op = getattr(value, "op", None)

    def users(self, value: Value) -> Iterator[Operation]:
        """Yield the ops that use a value or a conversion of it."""
        for use in value.uses:
            if self.skips(use.op):
                yield from self.users(use.op.results[0])
            else:
                yield use.op

    def type(self, type: Type) -> Hashable:
        """Return the key of a type: equal for types of floats of different widths."""
        if not self.differs or _float(type) is None:
            return type
        return ("float", type.shape, type.encoding) if isinstance(type, TensorType) else "float"

    def attribute(self, value: Attribute | None) -> Hashable:
        """Return the key of an attribute: equal for constants that are equal in the narrowest type."""
        if not self.differs or not isinstance(value, DenseElementsAttr) or _float(value.type) is None:
            return value
        with np.errstate(all="ignore"):
            data = value.data.astype(np.float64)
            if self._saturates:
                data = np.where(np.isinf(data), data, np.clip(data, -self._largest, self._largest))
            return self.type(value.type), data.astype(self._narrowest).tobytes()

    def rounding(self, op: Operation, other: Operation) -> FloatType | None:
        """Return the type to which only one of two matched ops rounds; None if there is no such type.

        An op rounds if its results or operands are narrower, or have been. The first op gets the operands of
        the second op, converted to the types of the first program.
        """
        if not self.differs:
            return None
        found: list[FloatType] = []
        for x, y in (
            *zip(op.results, other.results, strict=False),
            *zip(op.operands, other.operands, strict=False),
        ):
            a, b = _float(x.type), _float(y.type)
            found += [min(a, b, key=significand)] if a is not None and b is not None and a != b else []
        for x, y in zip(op.operands, other.operands, strict=False):
            a, b = _float(self.root(x).type), _float(self.root(y).type)
            found += [a] if a and b and significand(a) < significand(b) else []
        for value in (*op.operands, *other.operands):
            first, *later = [_float(each.type) for each in (*self._chain(value),)[::-1]]
            found += [each for each in later if each and first and significand(each) < significand(first)]
        return min(found, key=significand, default=None)


def significand(type: FloatType) -> int:
    """Return the precision of a float type in bits."""
    format = ELEMENT_TYPES[type].format
    assert format is not None
    return format.significand


def epsilon(type: FloatType) -> float:
    """Return the distance from 1 to the next number of a type."""
    return 2.0 ** (1 - significand(type))


def is_float(value: Any) -> bool:
    """Test whether a value is an array of floats, not of complex numbers."""
    row = element_type_of(value.dtype) if hasattr(value, "dtype") else None
    return row is not None and row.literal == "float"


def alike(mine: Any, theirs: Any) -> tuple[Any, Any]:
    """Return two arrays of floats of different types in a type that holds both; other values as they are."""
    if not (is_float(mine) and is_float(theirs)) or mine.dtype == theirs.dtype or mine.shape != theirs.shape:
        return mine, theirs
    wide = np.float64 if np.dtype(np.float64) in (mine.dtype, theirs.dtype) else np.float32
    return mine.astype(wide), theirs.astype(wide)


def is_rounding(mine: Any, theirs: Any, type: FloatType, is_computed: bool = True) -> bool:
    """Test whether two arrays differ by no more than two roundings to a type, in the root mean square.

    Args:
        mine: The result of an op.
        theirs: That of its counterpart on the same operands.
        type: The type.
        is_computed: Whether the type's range explains that numbers vanish, as it does not for a constant.
    """
    if not is_float(mine) or mine.shape != theirs.shape:
        return True
    a, b = mine.astype(np.float64), theirs.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    a, b = a[finite], b[finite]
    if not is_computed and a.any() != b.any():
        return False
    sizes = np.maximum(np.maximum(np.abs(a), np.abs(b)), least_normal(type))
    return bool(np.sum((a - b) ** 2) <= epsilon(type) ** 2 * np.sum(sizes**2))


def narrower(mine: Any, theirs: Any) -> FloatType | None:
    """Return the narrower type of two arrays of floats of different types; None for others."""
    if not (is_float(mine) and is_float(theirs)) or mine.dtype == theirs.dtype:
        return None
    return min(type_of(mine), type_of(theirs), key=significand)


def type_of(array: Any) -> FloatType:
    """Return the element type of an array of floats."""
    row = element_type_of(array.dtype)
    assert row is not None and isinstance(row.type, FloatType)
    return row.type


def as_type(value: Any, type: Type) -> Any:
    """Return an array of floats in the element type of a type; other values as they are."""
    if is_float(value) and isinstance(type, TensorType) and isinstance(type.element_type, FloatType):
        return value.astype(numpy_dtype(type.element_type), copy=False)
    return value


def _float(type: object) -> FloatType | None:
    element = type.element_type if isinstance(type, TensorType) else type
    return element if isinstance(element, FloatType) else None


def float_types(program: Operation) -> Iterator[FloatType]:
    """Yield the element types of the floats in a program."""
    for op in program.walk():
        yield from computed_types(op)


def computed_types(op: Operation) -> Iterator[FloatType]:
    """Yield the element types of the floats that an op defines."""
    return types_among([*op.results, *[each for block in op.blocks for each in block.arguments]])


def types_among(values: Iterable[Value]) -> Iterator[FloatType]:
    """Yield the element types of the floats among values."""
    return (type for value in values if (type := _float(value.type)) is not None)
