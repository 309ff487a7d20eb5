"""Conversion of arguments other than operands: integers, lists of integers, and enumerators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.errors import BuildError

_LIMIT = 1 << 63


def integer(value: Any, name: str) -> int:
    """Convert an argument to a 64-bit integer; raise BuildError if it is not one."""
    if not is_integer(value):
        raise BuildError(f"{call_site().operation}: {name} must be an integer, not {value!r}")
    return int(value)


def integers(values: Any, name: str) -> list[int]:
    """Convert an argument to a list of 64-bit integers; raise BuildError if it is not one."""
    if not _is_list(values) or not all(map(is_integer, values)):
        raise BuildError(f"{call_site().operation}: {name} must be a list of integers, not {values!r}")
    return [int(value) for value in values]


def lists(values: Any, name: str) -> list[list[int]]:
    """Convert an argument to a list of lists of integers; raise BuildError if it is not one."""
    if not _is_list(values):
        raise BuildError(f"{call_site().operation}: {name} must be a list of lists, not {values!r}")
    return [integers(value, name) for value in values]


def pairs(values: Any, name: str) -> list[tuple[int, int]]:
    """Convert an argument to a list of pairs of integers; raise BuildError if it is not one."""
    found = lists(values, name)
    if any(len(pair) != 2 for pair in found):
        raise BuildError(f"{call_site().operation}: {name} must be a list of pairs, not {values!r}")
    return [(first, second) for first, second in found]


def word(value: Any, name: str) -> str:
    """Convert an argument to an enumerator, in upper case; raise BuildError if it is not a string."""
    if not isinstance(value, str):
        raise BuildError(f"{call_site().operation}: {name} must be a string, not {value!r}")
    return value.upper()


def is_integer(value: Any) -> bool:
    """Test whether a value is a 64-bit integer, of Python or NumPy."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_whole and -_LIMIT <= value < _LIMIT


def _is_list(values: Any) -> bool:
    is_array = isinstance(values, np.ndarray) and values.ndim > 0
    return is_array or (isinstance(values, Sequence) and not isinstance(values, str | bytes))
