"""Values of HLO as values of StableHLO: a value for an array or token, a tuple of these for a tuple."""

from __future__ import annotations

from collections.abc import Iterator

from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import Type
from stablehlo_py.layout.elements import XLA_TYPES
from stablehlo_py.layout.shape import Shape

Tree = Value | tuple["Tree", ...]


def leaves(tree: Tree) -> list[Value]:
    """Return the values of a tree, in order."""
    if isinstance(tree, Value):
        return [tree]
    return [value for part in tree for value in leaves(part)]


def tree_of(shape: Shape, values: Iterator[Value]) -> Tree:
    """Return the tree of a shape, made of the next values."""
    if shape.is_tuple:
        return tuple([tree_of(part, values) for part in shape.tuple_shapes])
    return next(values)


def types_of(shape: Shape) -> list[Type]:
    """Return the types of the values of a shape."""
    if shape.is_tuple:
        return [type for part in shape.tuple_shapes for type in types_of(part)]
    return [shape.to_type()]


def foreign_element(shape: Shape) -> str:
    """Return the XLA name of the first element type that StableHLO does not have; "" if there is none."""
    if shape.tuple_shapes:
        return next(filter(None, map(foreign_element, shape.tuple_shapes)), "")
    row = XLA_TYPES.get(shape.element_type)
    return row.xla if row is not None and not row.supported else ""
