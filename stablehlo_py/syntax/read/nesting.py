"""Nesting depth and size of types and attributes, with aliases expanded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from stablehlo_py.ir import attributes as A
from stablehlo_py.ir import types as T


class Nesting(NamedTuple):
    """The depth of a type or attribute, and the number of types and attributes in it."""

    depth: int
    size: int


def nesting_of(value: Any, known: dict[int, Nesting]) -> Nesting:
    """Return the nesting of a type or attribute, with aliases expanded.

    Args:
        value: The type or attribute.
        known: The nesting of expanded aliases, by identity.
    """
    found = known.get(id(value))
    if found is not None:
        return found
    inner = [nesting_of(child, known) for child in _children(value)]
    return Nesting(1 + max([e.depth for e in inner], default=0), 1 + sum([e.size for e in inner]))


def _children(value: Any) -> Iterable[Any]:
    match value:
        case T.TupleType(types=types) | T.FutureType(types=types):
            return types
        case T.FunctionType(inputs=inputs, results=results):
            return (*inputs, *results)
        case T.TensorType(encoding=A.Attribute() as encoding):
            return (encoding,)
        case T.MemRefType(rest=rest):
            return rest
        case A.ArrayAttr(value=items):
            return items
        case A.TypeAttr(value=type):
            return (type,)
        case A.DictAttr(items=entries) | A.StructAttr(fields=entries):
            return [item for _, item in entries]
        case tuple():  # a field with several structures
            return value
    return ()
