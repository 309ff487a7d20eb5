"""Attributes: constant data on operations. Values are plain Python and NumPy.

Attributes are immutable and hashable; equality is structural.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stablehlo_py.ir.locations import Location
from stablehlo_py.ir.printing import text_of
from stablehlo_py.ir.types import IntegerType, MemRefType, TensorType, Type


class Attribute:
    """Base of all attributes."""

    __slots__ = ()

    def __str__(self) -> str:
        return text_of(self)


@dataclass(frozen=True, slots=True)
class UnitAttr(Attribute):
    """`unit`: presence is the value."""


@dataclass(frozen=True, slots=True)
class BoolAttr(Attribute):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class IntegerAttr(Attribute):
    """`1 : i64`."""

    value: int
    type: Type


@dataclass(frozen=True, slots=True)
class FloatAttr(Attribute):
    """`1.0 : f32`. `bits` holds the pattern of a NaN, which a Python float may not keep."""

    value: float
    type: Type
    bits: int | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FloatAttr):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (self.value.hex(), self.type, self.bits)


@dataclass(frozen=True, slots=True)
class StringAttr(Attribute):
    """`"text"`. Bytes that are not UTF-8 are kept as surrogate escapes."""

    value: str
    type: Type | None = None


@dataclass(frozen=True, slots=True)
class SymbolRefAttr(Attribute):
    """`@root::@nested`."""

    root: str
    nested: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeAttr(Attribute):
    """A type as an attribute."""

    value: Type


@dataclass(frozen=True, slots=True)
class ArrayAttr(Attribute):
    """`[a, b]`."""

    value: tuple[Attribute, ...]


@dataclass(frozen=True, slots=True)
class DictAttr(Attribute):
    """`{a = 1 : i64, b}`, sorted by name."""

    items: tuple[tuple[str, Attribute], ...]

    @staticmethod
    def of(mapping: Mapping[str, Attribute]) -> DictAttr:
        return DictAttr(tuple(sorted(mapping.items())))

    def get(self, name: str) -> Attribute | None:
        return next((value for key, value in self.items if key == name), None)

    def __iter__(self) -> Iterator[tuple[str, Attribute]]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class DenseArrayAttr(Attribute):
    """`array<i64: 1, 2>`."""

    element_type: Type
    value: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class DenseElementsAttr(Attribute):
    """`dense<...> : tensor<...>`.

    `data` is one-dimensional and read-only: every element in row-major order, or a single element
    for a splat, whatever the size of the tensor. Elements have the NumPy type of
    `ir.element_types.numpy_dtype(type.element_type)`.
    """

    type: TensorType
    data: np.ndarray[Any, np.dtype[Any]]

    @property
    def is_splat(self) -> bool:
        """Whether one stored element stands for all of them."""
        return bool(self.data.size == 1)

    @property
    def value(self) -> np.ndarray[Any, np.dtype[Any]]:
        """The array, read-only, of the type's shape; a splat is a broadcast view."""
        shape: Any = self.type.shape
        if self.is_splat:
            return np.broadcast_to(self.data.reshape(()), shape)
        return self.data.reshape(shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DenseElementsAttr):
            return NotImplemented
        return self.type is other.type and self.data.tobytes() == other.data.tobytes()

    def __hash__(self) -> int:
        return hash((self.type, self.data.size, self.data[:16].tobytes()))


ELIDED = "__elided__"


@dataclass(frozen=True, slots=True)
class DenseResourceAttr(Attribute):
    """`dense_resource<key> : tensor<...>`; the bytes are in `Module.resources[key]`."""

    key: str
    type: Type

    @property
    def is_elided(self) -> bool:
        """Whether the elements were left out when the program was printed: MLIR has a key for that."""
        return self.key == ELIDED


@dataclass(frozen=True, slots=True)
class EnumAttr(Attribute):
    """An enumeration of a dialect: `#stablehlo<comparison_direction GE>`."""

    name: str  # dialect and mnemonic: "stablehlo.comparison_direction"
    value: str


@dataclass(frozen=True, slots=True)
class StructAttr(Attribute):
    """A structured attribute of a dialect: `#stablehlo.dot<lhs_contracting_dimensions = [1], ...>`.

    `fields` holds every field that `opset.kinds` defines for `name`, in that order, as Python
    values (int, bool, str, tuple, a Type or another attribute).
    """

    name: str  # "stablehlo.dot"
    fields: tuple[tuple[str, Any], ...]

    def __getitem__(self, field: str) -> Any:
        for key, value in self.fields:
            if key == field:
                return value
        raise KeyError(field)


BOUNDS = "stablehlo.bounds"


def bounds(type: TensorType | MemRefType) -> tuple[int | None, ...]:
    """The greatest size of each dimension whose size is unknown, None where `#stablehlo.bounds` has none."""
    encoding = type.encoding if isinstance(type, TensorType) else None
    if isinstance(encoding, StructAttr) and encoding.name == BOUNDS:
        stated: tuple[int | None, ...] = encoding["bounds"]
        return stated
    return (None,) * len(type.shape)


@dataclass(frozen=True, slots=True)
class LocationAttr(Attribute):
    """A location used as an attribute."""

    value: Location


@dataclass(frozen=True, slots=True)
class OpaqueAttr(Attribute):
    """An attribute of another dialect or of a builtin kind we do not interpret, kept to the byte."""

    text: str
    type: Type | None = None


def integer(value: int, width: int = 64) -> IntegerAttr:
    """`value : i<width>`."""
    return IntegerAttr(value, IntegerType(width))
