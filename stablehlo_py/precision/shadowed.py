"""Values of a shadow run: an array of the program, with what the wide program has in its place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import FLOATS, element_type_of
from stablehlo_py.precision.measures import Array, difference, relative, rms

LIMIT = 1e30  # errors are infinite beyond, and their squares finite below


class Shadowed:
    """A value, which control flow reads as the program's own.

    Attributes:
        narrow: The array of the program.
        wide: The array of the wide program; None if it is equal to `narrow`.
        shares: The squares of the parts of the error that the ops so far have introduced, by op; relative to
            the norm of `wide`. None without an error.
    """

    __slots__ = ("_error", "_norm", "narrow", "shares", "wide")

    def __init__(
        self,
        narrow: Any,
        wide: Array | None = None,
        shares: Array | None = None,
        error: float | None = None,
        norm: float | None = None,
    ) -> None:
        self._norm = norm
        self.narrow = narrow
        self.wide = wide
        self.shares = shares
        self._error = 0.0 if wide is None else error

    def __bool__(self) -> bool:
        return bool(self.narrow)

    def __int__(self) -> int:
        return int(self.narrow)

    @property
    def is_exact(self) -> bool:
        """Whether the wide program has the same value."""
        return self.wide is None

    @property
    def error(self) -> float:
        """The root mean square of the error, relative to that of the wide value."""
        if self._error is None:
            assert self.wide is not None
            self._error = relative(difference(self.narrow, self.wide), rms(self.wide))
        return self._error

    def norm(self, dtype: np.dtype[Any]) -> float:
        """Return the root mean square of the wide value, of a type."""
        if self._norm is None:
            self._norm = rms(widened(np.asarray(self.narrow), dtype) if self.wide is None else self.wide)
        return self._norm


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


def carried_shares(operands: Sequence[Shadowed], gains: Sequence[float], carried: float) -> Array | None:
    """Return the parts of the error that an op carries on from its operands.

    Args:
        operands: The operands that have errors.
        gains: How much larger the relative error of the result is, for each alone.
        carried: The error of the result due to all, to which the parts are scaled: errors of operands that
            stem from the same ops add up or cancel.
    """
    found = None
    for operand, gain in zip(operands, gains, strict=True):
        if operand.shares is not None:
            part = operand.shares * min(gain, LIMIT) ** 2
            found = part if found is None else found + part
    total = 0.0 if found is None else float(found.sum())
    if found is None or not total or not np.isfinite(total):
        return found
    found *= min(carried, LIMIT) ** 2 / total
    return found
