"""Where an array is wrong: the largest error in each cell of a grid over its elements."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

_MOST = 48  # rows and columns of cells


@dataclass(frozen=True, slots=True)
class ErrorMap:
    """The absolute errors of an array as a matrix: leading dimensions are rows, the others columns.

    Attributes:
        shape: The number of rows and columns of the array.
        cells: The largest error in each cell, row by row; None if elements are finite in only one array.
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
    shape = _matrix_shape(actual.shape)
    with np.errstate(all="ignore"):
        a, b = (each.astype(wide).reshape(shape) for each in (actual, expected))
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        errors = np.where(same, 0.0, np.where(np.isfinite(a) & np.isfinite(b), np.abs(a - b), np.inf))
    for axis, size in enumerate(errors.shape):
        errors = np.maximum.reduceat(errors, _starts(size), axis=axis)
    return ErrorMap(shape, tuple([tuple(map(_shortened, row)) for row in errors.tolist()]))


def _matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the numbers of rows and columns, as near to each other as dimensions allow."""
    size = math.prod(shape)
    if sum(dimension > 1 for dimension in shape) < 2:
        return 1, size
    rows = [math.prod(shape[:at]) for at in range(1, len(shape))]
    best = min(rows, key=lambda count: abs(math.log(count * count / size)))
    return best, size // best


def _starts(size: int) -> list[int]:
    cells = min(size, _MOST)
    return [index * size // cells for index in range(cells)]


def _shortened(error: float) -> float | None:
    return float(f"{error:.3g}") if np.isfinite(error) else None
