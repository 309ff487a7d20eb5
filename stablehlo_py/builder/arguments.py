"""Arguments that are no operands: integers, lists of them, and words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.errors import BuildError

_LIMIT = 1 << 63


def integer(value: Any, name: str) -> int:
    """An argument that is an integer of 64 bits. Raises BuildError for another."""
    if not _is_integer(value):
        raise BuildError(f"{call_site().operation}: {name} must be an integer, but it is {value!r}")
    return int(value)


def integers(values: Any, name: str) -> list[int]:
    """An argument that is a list of integers of 64 bits. Raises BuildError for another."""
    if not _is_list(values) or not all(map(_is_integer, values)):
        raise BuildError(f"{call_site().operation}: {name} must be a list of integers, but it is {values!r}")
    return [int(value) for value in values]


def lists(values: Any, name: str) -> list[list[int]]:
    """An argument that is a list of lists of integers. Raises BuildError for another."""
    if not _is_list(values):
        raise BuildError(f"{call_site().operation}: {name} must be a list of lists, but it is {values!r}")
    return [integers(value, name) for value in values]


def pairs(values: Any, name: str) -> list[tuple[int, int]]:
    """An argument that is a list of pairs of integers. Raises BuildError for another."""
    found = lists(values, name)
    if any(len(pair) != 2 for pair in found):
        raise BuildError(f"{call_site().operation}: {name} must be a list of pairs, but it is {values!r}")
    return [(first, second) for first, second in found]


def word(value: Any, name: str) -> str:
    """An argument that names one of several choices, in capitals. Raises BuildError for another."""
    if not isinstance(value, str):
        raise BuildError(f"{call_site().operation}: {name} must be a name, but it is {value!r}")
    return value.upper()


def _is_integer(value: Any) -> bool:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_whole and -_LIMIT <= value < _LIMIT


def _is_list(values: Any) -> bool:
    is_array = isinstance(values, np.ndarray) and values.ndim > 0
    return is_array or (isinstance(values, Sequence) and not isinstance(values, str | bytes))
