"""XLA's element types: those of StableHLO, by their XLA names, and those that XLA alone has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import (
    ELEMENT_TYPES,
    ElementType,
    element_type_of,
    numpy_dtype,
    value_range,
)
from stablehlo_py.ir.types import I64, ComplexType, IndexType, IntegerType, Type

_XLA_ALONE = (
    ElementType("si1", IntegerType(1, "s"), 1, "integer", "int8", "s1", supported=False),
    ElementType("ui1", IntegerType(1, "u"), 1, "integer", "uint8", "u1", supported=False),
)
XLA_TYPES: Mapping[Type, ElementType] = {
    row.type: row for row in (*ELEMENT_TYPES.values(), *_XLA_ALONE) if row.xla
}
_BY_NAME: dict[str, Type] = {row.xla: row.type for row in XLA_TYPES.values()}


def element_name(type: Type) -> str:
    """Return the XLA name of an element type: `f32`, `s8`, `pred`; `s64` for index.

    Raises:
        ValueError: If XLA has no such element type.
    """
    row = XLA_TYPES.get(I64 if isinstance(type, IndexType) else type)
    if row is None:
        raise ValueError(f"XLA has no element type {type}")
    return row.xla


def element_type(given: Type | str | np.dtype[Any] | type[Any]) -> Type:
    """Convert to an element type.

    Args:
        given: An XLA name (`f32`, ignoring case), a NumPy type, or a type.

    Returns:
        The element type.

    Raises:
        ValueError: If it is not an element type.
    """
    if isinstance(given, Type):
        return _BY_NAME[element_name(given)]
    if isinstance(given, str):
        found = _BY_NAME.get(given.lower())
        if found is None:
            raise ValueError(f"unknown element type {given}; known types: {', '.join(_BY_NAME)}")
        return found
    try:
        row = element_type_of(np.dtype(given))
    except TypeError:
        row = None
    if row is None:
        raise ValueError(f"no element type for {given}")
    return row.type


def element_dtype(type: Type) -> np.dtype[Any]:
    """Return the NumPy type of elements; raise TypeError for a type that has none."""
    row = XLA_TYPES.get(type)
    return numpy_dtype(type) if row is None or row.supported else np.dtype(row.numpy)


def extreme(type: Type, *, highest: bool) -> Any:
    """Return the lowest or highest finite value of an element type; raise ValueError for a complex type."""
    if isinstance(type, ComplexType):
        raise ValueError(f"element type {element_name(type)} is not ordered")
    return np.asarray(value_range(type)[highest], element_dtype(type))
