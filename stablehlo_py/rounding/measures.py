"""Measures of rounding: the errors of an array in a narrow type beside the same array in a wide one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.ir.element_types import FLOATS

Array = np.ndarray[Any, np.dtype[Any]]
Block = tuple[Array, Array, Array]  # y', y and f(x') (see `measure`)
Sums = tuple[list[float], float, tuple[int, ...]]  # of squares, the largest error, and counts
BLOCK = 1 << 13  # elements whose differences are in cache; BLAS multiplies so many on one thread


class Measures(NamedTuple):
    """The errors of a result y' of an op on narrow operands x', beside y of the wide operands x.

    Norms are root mean squares: of y over its finite elements, of errors over those that are finite in both.

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


def measure(blocks: Iterable[Block], size: int, format: str, worst: float = -1.0) -> Measures:
    """Measure the errors of a result.

    Args:
        blocks: Blocks of elements in the wide type: y' of the program, y of the wide program, and f(x') of
            the op in the wide type on the narrow operands. One that is equal to another is the same array.
        size: The number of elements.
        format: The name of the narrow type.
        worst: An error; of a short result of which the error is not larger, `largest` is left out. Infinite
            for data that is moved, of which the norm and the error are measured alone.
    """
    least = _least(format)
    after = worst if size <= BLOCK or worst == math.inf else -1.0
    rows = [_of_block(y1, y, f, least, after) for y1, y, f in blocks]
    (norm, error, introduced, carried), most, counts = rows[0] if len(rows) == 1 else _together(rows)
    return Measures(
        math.sqrt(norm / max(1, size)),
        _root(error, norm),
        _root(introduced, norm),
        _root(carried, norm),
        most,
        *counts,
    )


@cache
def _least(format: str) -> float:
    return FLOATS[format].least_normal


def _root(error: float, norm: float) -> float:
    """Return a relative error from sums of squares."""
    return 0.0 if error == 0 else math.sqrt(error / norm) if norm else math.inf


def _of_block(y1: Array, y: Array, f: Array, least: float, worst: float) -> Sums:
    """Return the sums of a block (see `_sums`), and the numbers of elements out of range."""
    sums, largest = _sums(y1, y, f, worst)
    lost = 0
    if not math.isfinite(sum(sums) + largest):
        sums, largest, lost = _finite_sums(y1, y, f)
    return sums, largest, (lost, 0, 0) if worst == math.inf else (lost, *_small(y1, f, least))


def _together(blocks: Sequence[Sums]) -> Sums:
    sums, largest, counts = zip(*blocks, strict=True) if blocks else (([0.0] * 4,), (0.0,), ((0, 0, 0),))
    return [*map(sum, zip(*sums, strict=True))], max(largest), tuple(map(sum, zip(*counts, strict=True)))


def relative(error: float, norm: float) -> float:
    """Return an error relative to a norm; 0 without an error, infinite for an error of zeros."""
    return 0.0 if error == 0 else float(error / norm) if norm else math.inf


def rms(array: Array) -> float:
    """Return the root mean square of the elements."""
    return math.sqrt(square_sum(array.reshape(-1)) / max(1, array.size))


def square_sum(array: Array) -> float:
    """Return the sum of the squares of a vector, on one thread."""
    return float(array.dot(array) if array.size <= BLOCK else np.einsum("i,i->", array, array))


def difference(a: Array, b: Array) -> float:
    """Return the root mean square of the differences of two arrays."""
    if a.size <= BLOCK:
        return rms(a - b)
    total = sum(square_sum(x - y) for x, y, _ in blocks_of(a, b, None))
    return math.sqrt(total / a.size)


def blocks_of(narrow: Array, wide: Array, rounded: Array | None) -> Iterator[Block]:
    """Yield blocks of the elements of arrays in the wide type, for `measure`; `rounded` is None for y'."""
    for at in parts_of(wide.shape):
        y1, y = narrow[at].astype(wide.dtype).reshape(-1), wide[at].reshape(-1)
        yield y1, y, y1 if rounded is None else y if rounded is wide else rounded[at].reshape(-1)


def parts_of(shape: Sequence[int]) -> Iterable[tuple[Any, ...]]:
    """Return indices of the parts of an array, of at most BLOCK elements each."""
    size = math.prod(shape)
    if size <= BLOCK:
        return ((...,),) if size else ()
    inner, axis = 1, len(shape)
    while inner * shape[axis - 1] <= BLOCK:
        axis -= 1
        inner *= shape[axis]
    extent = shape[axis - 1]
    step = math.ceil(extent / math.ceil(extent / (BLOCK // inner)))  # of about the same size
    cuts = [slice(at, at + step) for at in range(0, extent, step)]
    return ((*outer, cut) for outer in np.ndindex(*shape[: axis - 1]) for cut in cuts)


def _sums(y1: Array, y: Array, f: Array, worst: float = -1.0) -> tuple[list[float], float]:
    """Return the sums of squares of y, y' - y, y' - f(x') and f(x') - y, and the largest relative error.

    The last is 0 if the error is not larger than the worst.
    """
    error = y1 - y
    norm, total = float(y.dot(y)), float(error.dot(error))
    introduced = carried = 0.0
    if f is y:
        introduced = total
    elif f is y1:
        carried = total
    else:
        own, others = y1 - f, f - y
        introduced, carried = float(own.dot(own)), float(others.dot(others))
    is_asked = total and not _root(total, norm) <= worst
    return [norm, total, introduced, carried], _largest(np.divide(error, y), error) if is_asked else 0.0


def _largest(quotients: Array, error: Array) -> float:
    """Return the largest magnitude of quotients, apart from those of zeros by zeros."""
    magnitudes = np.abs(quotients, out=quotients)
    largest = float(np.maximum.reduce(magnitudes))
    return largest if largest == largest else float(magnitudes.max(where=error != 0, initial=0.0))


def _finite_sums(y1: Array, y: Array, f: Array) -> tuple[list[float], float, int]:
    """Return the sums over the elements that are finite in all, and the number of those lost in y'.

    An element that is finite in y alone makes the errors infinite, as does one that is zero in y alone the
    largest one. The sum of the squares of y is over all its finite elements.
    """
    finite = np.isfinite(y1) & np.isfinite(y) & np.isfinite(f)
    parts = y1[finite], y[finite]
    sums, largest = _sums(*parts, parts[1] if f is y else parts[0] if f is y1 else f[finite])
    lost = [np.isfinite(b) & ~np.isfinite(a) for a, b in ((y1, y), (y1, f), (f, y))]
    sums = [a + (math.inf if b else 0.0) for a, b in zip(sums, [False, *map(np.any, lost)], strict=True)]
    sums[0] = square_sum(y[np.isfinite(y)])
    return sums, math.inf if lost[0].any() or math.isnan(largest) else largest, int(np.count_nonzero(lost[1]))


def _small(y1: Array, f: Array, least: float) -> tuple[int, int]:
    """Return the number of elements of f below a number but for zeros, and of those that are zero in y'."""
    magnitudes = np.abs(f)
    if np.minimum.reduce(magnitudes) >= least:
        return 0, 0
    small = (magnitudes < least) & (f != 0)
    return int(np.count_nonzero(small)), int(np.count_nonzero(small & (y1 == 0)))
