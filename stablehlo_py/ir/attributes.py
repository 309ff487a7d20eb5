"""Attributes: constant data on operations, immutable and hashable, with structural equality."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from stablehlo_py.ir.locations import Location
from stablehlo_py.ir.printing import text_of
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import IntegerType, MemRefType, TensorType, Type


class Attribute:
    """The base class of attributes."""

    __slots__ = ()

    def __str__(self) -> str:
        return text_of(self)


@dataclass(frozen=True, slots=True)
class UnitAttr(Attribute):
    """`unit`: a flag, true if present."""


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
    """`1.0 : f32`. `bits` holds a bit pattern that a Python float may not preserve: of a NaN, or in f80."""

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
    """`"text"`. Bytes that are not valid UTF-8 are stored as surrogate escapes."""

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
        """Create a dictionary attribute from a mapping."""
        return DictAttr(tuple(sorted(mapping.items())))

    def get(self, name: str) -> Attribute | None:
        """Return the entry with a name, or None."""
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

    Attributes:
        type: The type of the tensor.
        data: A read-only, 1-dimensional array of all elements in row-major order, or of a single element for
            a splat, with dtype `ir.element_types.storage_dtype(type.element_type)`.
    """

    type: TensorType
    data: np.ndarray[Any, np.dtype[Any]]

    @property
    def is_splat(self) -> bool:
        """Test whether a single stored element represents all elements."""
        return bool(self.data.size == 1)

    @property
    def value(self) -> np.ndarray[Any, np.dtype[Any]]:
        """The elements as a read-only array of the type's shape; a broadcast view for a splat."""
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
        """Test whether the elements were elided when the program was printed (MLIR's key `__elided__`)."""
        return self.key == ELIDED


@dataclass(frozen=True, slots=True)
class EnumAttr(Attribute):
    """An enumerator of a dialect: `#stablehlo<comparison_direction GE>`."""

    name: str  # dialect and mnemonic: "stablehlo.comparison_direction"
    value: str


@dataclass(frozen=True, slots=True)
class StructAttr(Attribute):
    """A structured attribute of a dialect: `#stablehlo.dot<lhs_contracting_dimensions = [1], ...>`.

    Attributes:
        name: Dialect and mnemonic, such as `stablehlo.dot`.
        fields: The values of all fields that `opset.kinds` defines for `name`, in that order, as Python
            values (int, bool, str, tuple, type or attribute).
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
    """Return the upper bound of each dynamic dimension; None where `#stablehlo.bounds` has none."""
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
    """An attribute of another dialect, or an uninterpreted builtin one; its text is preserved exactly."""

    text: str
    type: Type | None = None


def integer(value: int, width: int = 64) -> IntegerAttr:
    """Create `value : i<width>`."""
    return IntegerAttr(value, IntegerType(width))
