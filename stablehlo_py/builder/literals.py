"""Literals: NumPy arrays and Python's numbers as constants."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.ir.element_types import ELEMENT_TYPES, numpy_dtype
from stablehlo_py.ir.types import F32, I1, I32, ComplexType, IntegerType, TensorType, Type

Array = np.ndarray[Any, np.dtype[Any]]

# What Python's numbers are by default, and which numbers each kind of element type takes.
_DEFAULTS: dict[str, Type] = {"b": I1, "i": I32, "f": F32, "c": ComplexType(F32)}
_LITERALS = ("boolean", "integer", "float", "complex")  # each of them is one of the next


def literal_array(literal: Any, like: Type | None = None) -> Array:
    """The elements of a literal: NumPy's as they are, Python's numbers of type `like`.

    By default these are pred, s32, f32 or c64. Raises BuildError for what is no number, and for a number
    that the type does not hold.
    """
    if isinstance(literal, np.ndarray | np.generic):
        return np.asarray(literal)
    try:
        array = np.asarray(literal)
    except ValueError as error:
        raise BuildError(f"{call_site().operation}: {literal!r} is no array: {error}") from None
    if array.dtype.kind not in _DEFAULTS:
        raise BuildError(f"{call_site().operation}: {literal!r} is neither an XlaOp nor a literal of numbers")
    type = like if like is not None else _DEFAULTS[array.dtype.kind]
    too_general = _generality(_DEFAULTS[array.dtype.kind]) > _generality(type)
    found = array if too_general else array.astype(numpy_dtype(type))
    is_rounded = isinstance(type, IntegerType) and (found.astype(array.dtype) != array).any()
    if too_general or is_rounded:
        raise BuildError(f"{call_site().operation}: {literal!r} is no {shape_text(TensorType((), type))}")
    return found


def converted(literal: Any, type: Type) -> Array:
    """The elements of a literal as of a type: NumPy's are cast, Python's numbers must be of it.

    Raises BuildError where `literal_array` does, and for complex numbers that become real.
    """
    array = literal_array(literal, type)
    dtype = numpy_dtype(type)
    if array.dtype.kind not in "biufcV" or (array.dtype.kind == "c" and dtype.kind != "c"):
        raise BuildError(
            f"{call_site().operation}: {array.dtype} does not become {shape_text(TensorType((), type))}"
        )
    return array.astype(dtype)


def _generality(type: Type) -> int:
    return _LITERALS.index(ELEMENT_TYPES[type].literal)
