"""Values of a shadow run: an array of the program, with what the wide program has in its place."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import FLOATS, element_type_of
from stablehlo_py.rounding.measures import BLOCK, Array, parts_of, square_sum

LIMIT = 1e15  # errors are infinite beyond, and their squares finite in f32 below


class Shadowed:
    """A value, which control flow reads as the program's own.

    Attributes:
        narrow: The array of the program.
        wide: The array of the wide program; None if it is equal to `narrow`.
        error: The root mean square of the error, relative to that of the wide value.
        parts: The parts of the error that the ops so far have introduced (see `parts`): a row for each op and
            a column for some elements; or a vector of their mean squares, relative to that of the wide value.
            None without an error.
        total: The sum of the mean squares.
    """

    __slots__ = ("_norm", "_widened", "error", "narrow", "parts", "total", "wide")

    def __init__(
        self,
        narrow: Any,
        wide: Array | None = None,
        parts: Array | None = None,
        error: float = 0.0,
        norm: float | None = None,
        total: float = 0.0,
    ) -> None:
        self.narrow = narrow
        self.wide = wide
        self.parts = parts
        self.error = error
        self.total = total
        self._norm = norm
        self._widened: Any = None

    def __bool__(self) -> bool:
        return bool(self.narrow)

    def __int__(self) -> int:
        return int(self.narrow)

    def shares(self) -> Array:
        """Return the mean squares of the parts, relative to that of the wide value."""
        assert self.parts is not None
        if self.parts.ndim == 1:
            return self.parts
        squares = np.einsum("ij,ij->i", self.parts, self.parts) / max(1, self.parts.shape[1])
        norm = self.norm(self.parts.dtype)
        found: Array = squares / norm**2 if norm else np.where(squares, LIMIT, 0.0)
        return found

    def norm(self, dtype: np.dtype[Any]) -> float:
        """Return the root mean square of the finite elements of the wide value, of a type."""
        if self._norm is None:
            array = np.asarray(self.narrow if self.wide is None else self.wide)
            parts = (widened(array[at], dtype).reshape(-1) for at in parts_of(array.shape))
            self._norm = math.sqrt(sum(map(_finite_square_sum, parts)) / max(1, array.size))
        return self._norm

    def exact(self, dtype: np.dtype[Any], *, keeps: bool = False) -> Any:
        """Return the array of the wide program, in its type; a long exact value can keep it."""
        if self.wide is not None:
            return self.wide
        if self._widened is not None:
            return self._widened
        found = widened(self.narrow, dtype)
        if keeps and np.size(found) > BLOCK:
            self._widened = found
        return found


def _finite_square_sum(array: Array) -> float:
    found = square_sum(array)
    return found if math.isfinite(found) else square_sum(array[np.isfinite(array)])


def shadowed(value: Any) -> Any:
    """Return a value as one of a shadow run: an input or constant is exact."""
    if isinstance(value, tuple):
        return tuple(map(shadowed, value))
    return value if isinstance(value, Shadowed) else Shadowed(value)


def narrow(value: Any) -> Any:
    """Return the program's own value."""
    if isinstance(value, tuple):
        return tuple(map(narrow, value))
    return value.narrow if isinstance(value, Shadowed) else value


def format_of(value: Any) -> str:
    """Return the name of the float type of an array; "" for other values."""
    return _format(value.dtype) if hasattr(value, "dtype") else ""


@cache
def _format(dtype: np.dtype[Any]) -> str:
    row = element_type_of(dtype)
    return row.name if row is not None and row.literal == "float" else ""


@cache
def _widens(dtype: np.dtype[Any], wide: np.dtype[Any]) -> bool:
    name = _format(dtype)
    return bool(name) and FLOATS[name].significand < FLOATS[_format(wide)].significand


def widened(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return an array of floats that are narrower than a type in that type; other values as they are."""
    return value.astype(dtype) if hasattr(value, "dtype") and _widens(value.dtype, dtype) else value
