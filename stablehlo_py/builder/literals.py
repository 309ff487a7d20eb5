"""Constants from NumPy arrays and Python numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.ir.element_types import ELEMENT_TYPES, numpy_dtype
from stablehlo_py.ir.types import F32, I1, I32, ComplexType, IntegerType, TensorType, Type

Array = np.ndarray[Any, np.dtype[Any]]

# Default types of Python numbers, and the numbers that each kind of element type accepts.
_DEFAULTS: dict[str, Type] = {"b": I1, "i": I32, "f": F32, "c": ComplexType(F32)}
_LITERALS = ("boolean", "integer", "float", "complex")  # each is a subset of the next


def literal_array(literal: Any, like: Type | None = None) -> Array:
    """Convert a literal to an array: NumPy's unchanged, Python numbers to type `like`.

    Args:
        literal: A NumPy array, a number, or nested lists of numbers.
        like: The element type of Python numbers; by default pred, s32, f32 or c64.

    Returns:
        The array.

    Raises:
        BuildError: If it is not a number, or the type cannot represent it.
    """
    if isinstance(literal, np.ndarray | np.generic):
        return np.asarray(literal)
    try:
        array = np.asarray(literal)
    except ValueError as error:
        raise BuildError(f"{call_site().operation}: {literal!r} is not an array: {error}") from None
    if array.dtype.kind not in _DEFAULTS:
        raise BuildError(
            f"{call_site().operation}: expected an XlaOp or a literal of numbers, got {literal!r}"
        )
    type = like if like is not None else _DEFAULTS[array.dtype.kind]
    too_general = _generality(_DEFAULTS[array.dtype.kind]) > _generality(type)
    found = array if too_general else array.astype(numpy_dtype(type))
    is_rounded = isinstance(type, IntegerType) and (found.astype(array.dtype) != array).any()
    if too_general or is_rounded:
        raise BuildError(f"{call_site().operation}: {literal!r} is not a {shape_text(TensorType((), type))}")
    return found


def converted(literal: Any, type: Type) -> Array:
    """Convert a literal to an element type: NumPy arrays are cast, Python numbers must be of the type.

    Args:
        literal: A NumPy array, a number, or nested lists of numbers.
        type: The element type.

    Returns:
        The array.

    Raises:
        BuildError: If `literal_array` does, or for a conversion of complex to real numbers.
    """
    array = literal_array(literal, type)
    dtype = numpy_dtype(type)
    if array.dtype.kind not in "biufcV" or (array.dtype.kind == "c" and dtype.kind != "c"):
        raise BuildError(
            f"{call_site().operation}: cannot convert {array.dtype} to {shape_text(TensorType((), type))}"
        )
    return array.astype(dtype)


def _generality(type: Type) -> int:
    return _LITERALS.index(ELEMENT_TYPES[type].literal)
