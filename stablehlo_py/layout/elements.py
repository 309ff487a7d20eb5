"""XLA's names of element types."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from stablehlo_py.ir.dtypes import numpy_dtype
from stablehlo_py.ir.types import F32, F64, I1, I64, ComplexType, FloatType, IndexType, IntegerType, Type

_FLOATS = (
    "f4E2M1FN f6E2M3FN f6E3M2FN f8E3M4 f8E4M3 f8E4M3FN f8E4M3FNUZ f8E4M3B11FNUZ f8E5M2 f8E5M2FNUZ "
    "f8E8M0FNU bf16 f16 f32 f64"
)
_WIDTHS = (2, 4, 8, 16, 32, 64)

ELEMENT_TYPES: dict[str, Type] = {
    "pred": I1,
    **{f"s{width}": IntegerType(width) for width in _WIDTHS},
    **{f"u{width}": IntegerType(width, "u") for width in _WIDTHS},
    **{name.lower(): FloatType(name) for name in _FLOATS.split()},
    "c64": ComplexType(F32),
    "c128": ComplexType(F64),
}
_NAMES = {type: name for name, type in ELEMENT_TYPES.items()}
_BY_DTYPE = {numpy_dtype(type): type for type in ELEMENT_TYPES.values()}


def element_name(type: Type) -> str:
    """`f32`, `s8`, `pred`, ...; an index is an `s64`. Raises ValueError for what XLA has no name for."""
    name = _NAMES.get(I64 if isinstance(type, IndexType) else type)
    if name is None:
        raise ValueError(f"XLA has no element type {type}")
    return name


def element_type(given: Type | str | np.dtype[Any] | type[Any]) -> Type:
    """The element type that XLA's name (`f32`, in any case), a NumPy type or a type stands for.

    Raises ValueError for what is none.
    """
    if isinstance(given, Type):
        return ELEMENT_TYPES[element_name(given)]
    if isinstance(given, str):
        found = ELEMENT_TYPES.get(given.lower())
        if found is None:
            raise ValueError(f"{given} is not an element type: {', '.join(ELEMENT_TYPES)}")
        return found
    try:
        return _BY_DTYPE[np.dtype(given)]
    except (KeyError, TypeError):
        raise ValueError(f"no element type holds {given}") from None


def extreme(type: Type, *, highest: bool) -> Any:
    """The least or the greatest finite value of an element type; a complex type has none."""
    dtype = numpy_dtype(type)
    if dtype.kind == "b":
        return np.array(highest)
    if dtype.kind == "c":
        raise ValueError(f"elements of type {element_name(type)} have no order")
    limits: Any = ml_dtypes.iinfo if isinstance(type, IntegerType) else ml_dtypes.finfo
    return np.asarray(limits(dtype).max if highest else limits(dtype).min, dtype)
