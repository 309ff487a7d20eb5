"""Numbers of elements and bytes of types."""

from __future__ import annotations

from math import prod

from stablehlo_py.ir.attributes import bounds
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import MemRefType, TensorType, TupleType, Type


def dimensions(type: Type) -> tuple[int, ...]:
    """The sizes of a tensor's dimensions: for an unknown one its bound, 1 if it has none."""
    if not isinstance(type, TensorType | MemRefType):
        return ()
    return tuple([s if s is not None else b or 1 for s, b in zip(type.shape, bounds(type), strict=True)])


def elements(type: Type) -> int:
    """The number of elements of a tensor, of all in a tuple; 0 for what has none, such as a token."""
    if isinstance(type, TupleType):
        return sum(map(elements, type.types))
    return prod(dimensions(type)) if isinstance(type, TensorType | MemRefType) else 0


def byte_size(type: Type) -> int:
    """The bytes that a value takes, with whole bytes for an element: 1 for i1 and i4."""
    if isinstance(type, TupleType):
        return sum(map(byte_size, type.types))
    if not isinstance(type, TensorType | MemRefType):
        return 0
    return elements(type) * ((bit_width(type.element_type) + 7) // 8)


def is_dynamic(type: Type) -> bool:
    """Whether the size of a dimension is unknown."""
    if isinstance(type, TupleType):
        return any(map(is_dynamic, type.types))
    return isinstance(type, TensorType | MemRefType) and None in type.shape
