"""XLA's names of element types."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import ELEMENT_TYPES, element_type_of, numpy_dtype, value_range
from stablehlo_py.ir.types import I64, ComplexType, IndexType, Type

_BY_NAME: dict[str, Type] = {row.xla: row.type for row in ELEMENT_TYPES.values() if row.xla}


def element_name(type: Type) -> str:
    """`f32`, `s8`, `pred`, ...; an index is an `s64`. Raises ValueError for what XLA has no name for."""
    row = ELEMENT_TYPES.get(I64 if isinstance(type, IndexType) else type)
    if row is None or not row.xla:
        raise ValueError(f"XLA has no element type {type}")
    return row.xla


def element_type(given: Type | str | np.dtype[Any] | type[Any]) -> Type:
    """The element type that XLA's name (`f32`, in any case), a NumPy type or a type stands for.

    Raises ValueError for what is none.
    """
    if isinstance(given, Type):
        return _BY_NAME[element_name(given)]
    if isinstance(given, str):
        found = _BY_NAME.get(given.lower())
        if found is None:
            raise ValueError(f"{given} is not an element type: {', '.join(_BY_NAME)}")
        return found
    try:
        row = element_type_of(np.dtype(given))
    except TypeError:
        row = None
    if row is None:
        raise ValueError(f"no element type holds {given}")
    return row.type


def extreme(type: Type, *, highest: bool) -> Any:
    """The least or the greatest finite value of an element type; a complex type has none."""
    if isinstance(type, ComplexType):
        raise ValueError(f"elements of type {element_name(type)} have no order")
    return np.asarray(value_range(type)[highest], numpy_dtype(type))
