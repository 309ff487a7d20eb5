"""Where an array is wrong: the largest error in each cell of a grid over its elements."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

_MOST = 48  # rows and columns of cells


@dataclass(frozen=True, slots=True)
class ErrorMap:
    """The absolute errors of an array, whose leading dimensions are taken as one.

    Attributes:
        shape: The number of rows and columns of the array.
        cells: The largest error in each cell, row by row; None where elements are finite in one array only.
    """

    shape: tuple[int, int]
    cells: tuple[tuple[float | None, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return asdict(self)


def error_map(actual: Any, expected: Any) -> ErrorMap | None:
    """Return the errors of an array; None for arrays without elements or of different shapes.

    Args:
        actual: The array.
        expected: The expected array.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape or not actual.size or "V" in (actual.dtype.kind, expected.dtype.kind):
        return None
    wide = np.complex128 if "c" in (actual.dtype.kind, expected.dtype.kind) else np.float64
    columns = actual.shape[-1] if actual.ndim else 1
    a, b = (each.astype(wide).reshape(-1, columns) for each in (actual, expected))
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        errors = np.where(same, 0.0, np.where(np.isfinite(a) & np.isfinite(b), np.abs(a - b), np.inf))
    for axis, size in enumerate(errors.shape):
        errors = np.maximum.reduceat(errors, _starts(size), axis=axis)
    return ErrorMap((a.shape[0], columns), tuple([tuple(map(_shortened, row)) for row in errors.tolist()]))


def _starts(size: int) -> list[int]:
    cells = min(size, _MOST)
    return [index * size // cells for index in range(cells)]


def _shortened(error: float) -> float | None:
    return float(f"{error:.3g}") if np.isfinite(error) else None
