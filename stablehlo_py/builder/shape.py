"""Shapes as arguments of the builder, and tuples of arrays.

XLA has tuple values; StableHLO's control flow has multiple operands and results instead. A tuple is therefore
only a group of values in the builder, and `leaves` are the types of those values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import stablehlo_py.layout as layout
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.ir.types import TupleType, Type
from stablehlo_py.layout import elements

PrimitiveType = Type | str | np.dtype[Any] | type[Any]
ShapeLike = layout.Shape | Type | str | np.ndarray[Any, Any] | Sequence[Any]


def element_type(given: PrimitiveType) -> Type:
    """Convert XLA's name (`f32`, `F32`, `pred`), a NumPy type or a type to an element type.

    Args:
        given: The argument.

    Returns:
        The element type.

    Raises:
        BuildError: For any other argument.
    """
    try:
        return elements.element_type(given)
    except ValueError as error:
        raise BuildError(str(error)) from None


def shape_of(given: ShapeLike) -> layout.Shape:
    """Convert an argument to an XLA shape.

    Args:
        given: A type, text, a pair (element type, sizes), a NumPy array, or a list of shapes for a tuple.

    Returns:
        The shape.

    Raises:
        BuildError: For any other argument.
    """
    try:
        return _shape_of(given)
    except (ValueError, TypeError) as error:
        raise BuildError(
            f"invalid shape {given!r}, expected 'f32[2,3]' or ('f32', (2, 3)): {error}"
        ) from None


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
    raise TypeError(f"unsupported type {type(given).__name__}")


def shape_type(given: ShapeLike) -> Type:
    """Return the type of a shape; see `shape_of`."""
    return given if isinstance(given, Type) else shape_of(given).to_type()


def shape_text(type: Type) -> str:
    """Format the shape of a type as XLA does: `f32[2,3]`, `(f32[2], s32[])`, `token[]`."""
    try:
        return layout.Shape.of_type(type).text(layout=False)
    except ValueError:
        return str(type)


def leaves(type: Type) -> list[Type]:
    """Return the types of a type's values: itself, or those of a tuple's elements, recursively."""
    if isinstance(type, TupleType):
        return [leaf for part in type.types for leaf in leaves(part)]
    return [type]


def custom_call_layouts(operands: Sequence[ShapeLike], results: Sequence[ShapeLike]) -> dict[str, Any]:
    """Return the layout attributes of a custom call's operands and results; {} if all are major to minor."""
    each = [[part for given in side for part in _parts(shape_of(given))] for side in (operands, results)]
    if all(map(is_major_to_minor, each)):
        return {}
    return {"operand_layouts": orders(each[0]), "result_layouts": orders(each[1])}


def is_major_to_minor(arrays: Sequence[layout.Shape]) -> bool:
    """Test whether all arrays have the default layout, major to minor."""
    return all(array.layout == layout.Layout.default(array.rank) for array in arrays)


def orders(arrays: Sequence[layout.Shape]) -> list[list[int]]:
    """Return the layouts of arrays in StableHLO's form: dimensions from minor to major."""
    return [list(array.layout.minor_to_major) for array in arrays]


def _parts(shape: layout.Shape) -> list[layout.Shape]:
    """Return the shapes of a shape's values."""
    if shape.is_tuple:
        return [leaf for part in shape.tuple_shapes for leaf in _parts(part)]
    return [shape]
