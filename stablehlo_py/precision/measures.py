"""Measures of rounding: the errors of an array in a narrow type beside the same array in a wide one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import FLOATS
from stablehlo_py.ir.records import dataclass

Array = np.ndarray[Any, np.dtype[Any]]
BLOCK = 1 << 15  # elements whose differences are in cache


@dataclass(frozen=True, slots=True)
class Measures:
    """The errors of a result y' of an op on narrow operands x', beside y of the wide operands x.

    Norms are root mean squares over the elements that are finite in both.

    Attributes:
        norm: |y|.
        error: |y' - y| / |y|.
        introduced: |y' - f(x')| / |y|, where f computes in the wide type.
        carried: |f(x') - y| / |y|.
        largest: The largest |y' - y| / |y| of an element.
        overflow: The number of elements of y' that are infinite or NaN where f(x') is finite.
        underflow: The number of elements of f(x') below the smallest normal number of the narrow type.
        flushed: The number of these that are zero in y'.
    """

    norm: float
    error: float
    introduced: float
    carried: float
    largest: float
    overflow: int = 0
    underflow: int = 0
    flushed: int = 0


def measure(narrow: Array, wide: Array, rounded: Array | None, format: str) -> Measures:
    """Measure the errors of a result.

    Args:
        narrow: y', the result of the program.
        wide: y, the result of the wide program.
        rounded: f(x'), the result of the op in the wide type on the narrow operands; None if it is y'.
        format: The name of the narrow type.
    """
    sums, largest, counts = np.zeros(4), 0.0, [0, 0, 0]
    for y1, y, f in _blocks(narrow, wide, rounded):
        found, most = _sums(y1, y, f)
        if not math.isfinite(found.sum() + most):
            found, most, lost = _finite_sums(y1, y, f)
            counts[0] += lost
        sums += found
        largest = max(largest, most)
        if f is not y1:
            for index, count in enumerate(_small(y1, f, FLOATS[format].least_normal), 1):
                counts[index] += count
    norm, error, introduced, carried = np.sqrt(sums / max(1, wide.size))
    errors = relative(error, norm), relative(introduced, norm), relative(carried, norm)
    return Measures(float(norm), *errors, largest, *counts)


def relative(error: float, norm: float) -> float:
    """Return an error relative to a norm; 0 without an error, infinite for an error of zeros."""
    return 0.0 if error == 0 else float(error / norm) if norm else math.inf


def rms(array: Array) -> float:
    """Return the root mean square of the elements."""
    flat = array.reshape(-1)
    return math.sqrt(float(np.dot(flat, flat)) / max(1, flat.size))


def difference(a: Array, b: Array) -> float:
    """Return the root mean square of the differences of two arrays."""
    total = 0.0
    for x, y, _ in _blocks(a, b, None):
        d = x - y
        total += float(np.dot(d, d))
    return math.sqrt(total / max(1, a.size))


def _blocks(narrow: Array, wide: Array, rounded: Array | None) -> Iterator[tuple[Array, Array, Array]]:
    """Yield blocks of the elements of three arrays, in the wide type."""
    flat = [np.reshape(each, -1) for each in (narrow, wide, wide if rounded is None else rounded)]
    for at in range(0, wide.size, BLOCK):
        y1, y, f = [each[at : at + BLOCK] for each in flat]
        y1 = y1.astype(wide.dtype)
        yield y1, y, (y1 if rounded is None else f)


def _sums(y1: Array, y: Array, f: Array) -> tuple[Array, float]:
    """Return the sums of squares of y, y' - y, y' - f(x') and f(x') - y, and the largest relative error."""
    error = y1 - y
    introduced = error if f is y else y1 - f
    carried = error if f is y1 else f - y
    squares = [float(np.dot(each, each)) for each in (y, error, introduced, carried)]
    if f is y:
        squares[3] = 0.0
    np.divide(error, y, out=error, where=error != 0)
    largest = max(float(error.max()), -float(error.min())) if error.size else 0.0
    return np.array(squares), largest


def _finite_sums(y1: Array, y: Array, f: Array) -> tuple[Array, float, int]:
    """Return the sums over the elements that are finite in all, and the number of those lost in y'.

    An element that is finite in y alone makes the errors infinite, as does one that is zero in y alone the
    largest one.
    """
    finite = np.isfinite(y1) & np.isfinite(y) & np.isfinite(f)
    sums, largest = _sums(y1[finite], y[finite], f[finite])
    lost = [np.isfinite(b) & ~np.isfinite(a) for a, b in ((y1, y), (y1, f), (f, y))]
    sums[1:] += [math.inf if each.any() else 0.0 for each in lost]
    return sums, math.inf if lost[0].any() or math.isnan(largest) else largest, int(np.count_nonzero(lost[1]))


def _small(y1: Array, f: Array, least: float) -> tuple[int, int]:
    """Return the number of elements of f below a number but for zeros, and of those that are zero in y'."""
    small = np.abs(f) < least
    if not small.any():
        return 0, 0
    small &= f != 0
    return int(np.count_nonzero(small)), int(np.count_nonzero(small & (y1 == 0)))
