"""Refinement of types: what two types of the same value say together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stablehlo_py.ir.attributes import BOUNDS, StructAttr, bounds
from stablehlo_py.ir.types import FutureType, TensorType, TupleType, Type, UnrankedTensorType

Size = int | None


class Conflict(Exception):
    """Two types cannot be types of the same value."""


def most_specific(a: Type, b: Type) -> Type:
    """Return the type with all facts of two types of the same value.

    A size is known if either type has it. A dimension of unknown size has the smaller of the two bounds.

    Args:
        a: The first type, which has the element type and the encoding of the result.
        b: The second type.

    Raises:
        Conflict: If the types contradict each other.
    """
    if a is b:
        return a
    if isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.types) == len(b.types):
        return TupleType(tuple(map(most_specific, a.types, b.types)))
    if isinstance(a, FutureType) and isinstance(b, FutureType) and len(a.types) == len(b.types):
        return FutureType(tuple(map(most_specific, a.types, b.types)))
    if isinstance(b, UnrankedTensorType) and isinstance(a, TensorType | UnrankedTensorType):
        return a
    if isinstance(a, UnrankedTensorType) and isinstance(b, TensorType):
        return TensorType(b.shape, a.element_type, b.encoding)
    if not isinstance(a, TensorType) or not isinstance(b, TensorType) or a.rank != b.rank:
        raise Conflict(f"{a} and {b}")
    limits = zip(a.shape, b.shape, bounds(a), bounds(b), strict=True)
    sizes, new_bounds = zip(*[_dimension(*each) for each in limits], strict=True) if a.shape else ((), ())
    return TensorType(sizes, a.element_type, _encoding(a, b, new_bounds))


def _dimension(a: Size, b: Size, bound_a: Size, bound_b: Size) -> tuple[Size, Size]:
    """Return the size and the bound of a dimension."""
    known = [bound for bound in (bound_a, bound_b) if bound is not None]
    if a is None and b is None:
        return None, min(known, default=None)
    size = b if a is None else a
    assert size is not None
    if (b is not None and b != size) or any(size > bound for bound in known):
        raise Conflict(f"{a} and {b}")
    return size, None


def _encoding(a: TensorType, b: TensorType, new_bounds: Sequence[Size]) -> StructAttr | None:
    """Return the encoding of two types together: their bounds, or the encoding of the first one."""
    if not any(isinstance(t.encoding, StructAttr) and t.encoding.name == BOUNDS for t in (a, b)):
        return a.encoding  # type: ignore[return-value]
    if all(bound is None for bound in new_bounds):
        return None
    return StructAttr(BOUNDS, (("bounds", tuple(new_bounds)),))


def flattened(types: Iterable[Type]) -> list[Type]:
    """Return types, with the elements of a tuple in its place."""
    found: list[Type] = []
    for type in types:
        found += flattened(type.types) if isinstance(type, TupleType) else [type]
    return found


def unflattened(like: Iterable[Type], types: Iterator[Type]) -> list[Type]:
    """Return types with the tuples of `like`, whose elements are taken from `types`: see `flattened`."""
    return [
        TupleType(tuple(unflattened(type.types, types))) if isinstance(type, TupleType) else next(types)
        for type in like
    ]
