"""Conversion of input values to arrays of the types of arguments."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.attributes import bounds
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType, TokenType, TupleType, Type
from stablehlo_py.kernels.numeric.numerics import dtype_kind

Array = np.ndarray[Any, np.dtype[Any]]
MOST_DIMENSIONS = 64  # of an array
_CLASSES = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # of numbers, by kind of NumPy type


def convert_input(value: Any, type: Type, where: str) -> Any:
    """Convert a value to an array (a tuple for tuple types, None for tokens).

    Python numbers and lists of them are converted if that is lossless, except for rounding of floats; arrays
    must have the element type of the argument.

    Args:
        value: The value: an array, a number, nested lists, or a tuple.
        type: The type of the argument.
        where: The name of the argument, for messages.

    Raises:
        RunError: The value does not fit the type.
    """
    if isinstance(type, TupleType):
        if not isinstance(value, tuple | list) or len(value) != len(type.types):
            raise RunError(f"{where} is {_described(value)}, expected a tuple of {len(type.types)}")
        parts = zip(value, type.types, strict=True)
        return tuple([convert_input(v, t, f"{where}, element {i}") for i, (v, t) in enumerate(parts)])
    if isinstance(type, TokenType):
        return None
    if not isinstance(type, TensorType):
        raise RunError(f"{where} has type {type}, which cannot be an input")
    array = _elements(value, array_dtype(type, where), type, where)
    _check_shape(array, type, where)
    return array


def cast_input(value: Any, type: Type, where: str) -> Any:
    """Convert an array of another element type to that of an argument; return other values as they are.

    Args:
        value: The value.
        type: The type of the argument.
        where: The name of the argument, for messages.

    Raises:
        RunError: The elements are not converted to the type, such as floats to integers, or do not fit.
    """
    if isinstance(type, TupleType) and isinstance(value, tuple | list) and len(value) == len(type.types):
        return tuple([cast_input(part, t, where) for part, t in zip(value, type.types, strict=True)])
    if not isinstance(type, TensorType) or not isinstance(value, np.ndarray) or _is_raw(value):
        return value
    dtype = array_dtype(type, where)
    return value if value.dtype == dtype else _converted(value, dtype, type, where)


def _is_raw(array: Array) -> bool:
    """Test whether elements are raw bytes: `.npy` files store narrow types so."""
    return array.dtype.type is np.void


def exact_form(type: Type) -> tuple[np.dtype[Any], tuple[int, ...]] | None:
    """Return the element type and shape of the arrays that `convert_input` returns as they are, if any."""
    if not isinstance(type, TensorType) or not type.is_static:
        return None
    try:
        return array_dtype(type, ""), tuple([size for size in type.shape if size is not None])
    except RunError:
        return None


def array_dtype(type: TensorType, where: str) -> np.dtype[Any]:
    """Return the NumPy type of a tensor's elements.

    Args:
        type: The type of the tensor.
        where: What has the type, for errors.

    Raises:
        RunError: No array represents the tensor: its rank, element type or size is not supported.
    """
    if type.rank > MOST_DIMENSIONS:
        raise RunError(f"{where} has rank {type.rank}; the highest supported rank is {MOST_DIMENSIONS}")
    try:
        dtype = numpy_dtype(type.element_type)
    except TypeError:
        raise RunError(f"{where} has type {type}; element type {type.element_type} cannot be run") from None
    size = (type.size or 0) * dtype.itemsize
    if size > machine_memory():
        raise RunError(f"{where} of type {type} takes {size / 2**30:,.1f} GiB, more than there is memory")
    return dtype


@cache
def machine_memory() -> int:
    """Return the machine's memory in bytes, or a bound of the address space where it is unknown."""
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return 1 << 62
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _elements(value: Any, dtype: np.dtype[Any], type: TensorType, where: str) -> Array:
    """Return an array of the type's elements."""
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype == dtype:
            return array
        if _is_raw(array) and array.dtype.itemsize == dtype.itemsize:
            return array.view(dtype)
        advice = (
            f"; convert it with --cast, or with astype({dtype.name!r})" if _is_wider(dtype, array) else ""
        )
        raise RunError(f"{where} is {_described(array)}, expected {type} (elements of {dtype.name}){advice}")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise RunError(f"{where} is not an array: {error}") from error
    if array.dtype == dtype:
        return array
    return _converted(array, dtype, type, where)


def _is_wider(dtype: np.dtype[Any], array: Array) -> bool:
    """Test whether a type has an array's class of numbers, or a wider one: integer, float, complex."""
    source, target = dtype_kind(array.dtype), dtype_kind(dtype)
    is_number = array.dtype.kind in "biufcV" and not _is_raw(array)
    return is_number and (source == "b") == (target == "b") and _CLASSES[source] <= _CLASSES[target]


def _converted(array: Array, dtype: np.dtype[Any], type: TensorType, where: str) -> Array:
    """Convert numbers to the element type: integers exactly, floats rounded."""
    if array.size == 0:
        return array.astype(dtype)
    if not _is_wider(dtype, array):
        raise RunError(f"{where} is {_described(array)}, expected {type} (elements of {dtype.name})")
    with np.errstate(all="ignore"):
        found = array.astype(dtype)
        exact = dtype_kind(dtype) in "fc" or np.array_equal(found.astype(array.dtype), array)
    if not exact:
        raise RunError(f"{where} is {_described(array)} with values that {dtype.name} cannot represent")
    return found


def _check_shape(array: Array, type: TensorType, where: str) -> None:
    if not has_shape(type, array.shape):
        have = f"has shape {'x'.join(map(str, array.shape))}" if array.ndim else "is a scalar"
        raise RunError(f"{where} {have}, expected {type}")


def has_shape(type: TensorType, shape: tuple[int, ...]) -> bool:
    """Return True if an array of a shape fits a type: its static sizes, and its bounds.

    Args:
        type: The type; sizes of None are dynamic.
        shape: The shape of the array.
    """
    if shape == type.shape:
        return True
    return len(shape) == type.rank and all(
        size == have if size is not None else limit is None or have <= limit
        for size, have, limit in zip(type.shape, shape, bounds(type), strict=True)
    )


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype.name}" if value.ndim else f"a scalar of {value.dtype.name}"
    return f"a {type(value).__name__}"
