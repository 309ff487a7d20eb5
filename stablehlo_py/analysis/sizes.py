"""The number of elements and bytes of types."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from stablehlo_py.ir.attributes import bounds
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import MemRefType, OpaqueType, TensorType, TupleType, Type


def dimensions(type: Type) -> tuple[int, ...]:
    """Return the dimension sizes of a tensor type; a dynamic one counts as its bound, or as 1."""
    if not isinstance(type, TensorType | MemRefType):
        return ()
    return tuple([s if s is not None else b or 1 for s, b in zip(type.shape, bounds(type), strict=True)])


def size_of(shape: Sequence[int], dimension: int) -> int:
    """Return the size of a dimension; 1 where there is none, as in a tensor without a rank."""
    return shape[dimension] if -len(shape) <= dimension < len(shape) else 1


def elements(type: Type) -> int:
    """Return the number of elements of a tensor or tuple type; 0 for types without elements."""
    if isinstance(type, TupleType):
        return sum(map(elements, type.types))
    return prod(dimensions(type)) if isinstance(type, TensorType | MemRefType) else 0


def byte_size(type: Type) -> int:
    """Return the size of a value in bytes, with whole bytes per element: 1 for i1 and i4."""
    if isinstance(type, TupleType):
        return sum(map(byte_size, type.types))
    if not isinstance(type, TensorType | MemRefType):
        return 0
    return elements(type) * element_bytes(type.element_type)


def element_bytes(element_type: Type) -> int:
    """Return the size of an element in whole bytes; 0 for a type of another dialect."""
    return 0 if isinstance(element_type, OpaqueType) else (bit_width(element_type) + 7) // 8


def is_dynamic(type: Type) -> bool:
    """Test whether a type has a dynamic dimension."""
    if isinstance(type, TupleType):
        return any(map(is_dynamic, type.types))
    return isinstance(type, TensorType | MemRefType) and None in type.shape
