"""Shapes as the builder takes them, and tuples of arrays as the builder carries them.

XLA passes tuples around; StableHLO's control flow takes and gives several values instead. So a tuple is
only ever a grouping of values here, and `leaves` are the types of those values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stablehlo_py import layout
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.ir.types import TupleType, Type
from stablehlo_py.layout import elements

PrimitiveType = Type | str | np.dtype[Any] | type[Any]
ShapeLike = layout.Shape | Type | str | np.ndarray[Any, Any] | Sequence[Any]


def element_type(given: PrimitiveType) -> Type:
    """The element type that XLA's name (`f32`, `F32`, `pred`), a NumPy type or a type stands for.

    Raises BuildError for anything else.
    """
    try:
        return elements.element_type(given)
    except ValueError as error:
        raise BuildError(str(error)) from None


def shape_of(given: ShapeLike) -> layout.Shape:
    """The XLA shape that is meant by one: a type, text, a pair (element type, sizes), a NumPy array, or a
    list of shapes for a tuple. Raises BuildError for what is none of these."""
    try:
        return _shape_of(given)
    except (ValueError, TypeError) as error:
        raise BuildError(f"{given!r} is no shape, such as 'f32[2,3]' or ('f32', (2, 3)): {error}") from None


def _shape_of(given: ShapeLike) -> layout.Shape:
    match given:
        case layout.Shape():
            return given
        case Type():
            return layout.Shape.of_type(given)
        case str():
            return layout.Shape.parse(given)
        case np.ndarray():
            return layout.Shape.make(given.dtype, given.shape)
        case list():
            return layout.Shape.tuple_of([_shape_of(part) for part in given])
        case (element, sizes):
            return layout.Shape.make(element, tuple(sizes))
    raise TypeError(f"it is a {type(given).__name__}")


def shape_type(given: ShapeLike) -> Type:
    """The type of a shape; see `shape_of`."""
    return given if isinstance(given, Type) else shape_of(given).to_type()


def shape_text(type: Type) -> str:
    """How XLA writes the shape of a type: `f32[2,3]`, `(f32[2], s32[])`, `token[]`."""
    try:
        return layout.Shape.of_type(type).text(layout=False)
    except ValueError:
        return str(type)


def leaves(type: Type) -> list[Type]:
    """The types of the values of which a type consists: itself, or those of a tuple's elements."""
    if isinstance(type, TupleType):
        return [leaf for part in type.types for leaf in leaves(part)]
    return [type]


def custom_call_layouts(operands: Sequence[ShapeLike], results: Sequence[ShapeLike]) -> dict[str, Any]:
    """The layouts of a custom call's operands and results, {} if all are major to minor."""
    each = [[part for given in side for part in _parts(shape_of(given))] for side in (operands, results)]
    if all(map(is_major_to_minor, each)):
        return {}
    return {"operand_layouts": orders(each[0]), "result_layouts": orders(each[1])}


def is_major_to_minor(arrays: Sequence[layout.Shape]) -> bool:
    """Whether arrays have the layouts that arrays usually have, and nobody writes."""
    return all(array.layout == layout.Layout.default(array.rank) for array in arrays)


def orders(arrays: Sequence[layout.Shape]) -> list[list[int]]:
    """The layouts of arrays as StableHLO has them: dimensions from minor to major."""
    return [list(array.layout.minor_to_major) for array in arrays]


def _parts(shape: layout.Shape) -> list[layout.Shape]:
    """The shapes of the values of which a shape consists."""
    if shape.is_tuple:
        return [leaf for part in shape.tuple_shapes for leaf in _parts(part)]
    return [shape]
