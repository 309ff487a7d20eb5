"""Merge sort by a comparator that is called on whole arrays.

Blocks of rows are sorted first, so that temporary arrays are as large as a block; longer runs are merged
block by block, from one copy of the row to another.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stablehlo_py.kernels.registry import Array

Arrays = tuple[Array, ...]
Before = Callable[[Arrays, Arrays], Array]  # True where elements are ordered before others

_BLOCK = 1 << 16  # elements


def merge_sorted(rows: Arrays, before: Before) -> Arrays:
    """Sort rows of several arrays together; stable, and a permutation whatever the comparator returns.

    Args:
        rows: Arrays of shape (rows, columns).
        before: The comparator, on tuples of arrays of one shape.

    Returns:
        New arrays.
    """
    count, size = rows[0].shape
    results = tuple(np.empty(x.shape, x.dtype) for x in rows)
    width = min(size, _BLOCK)
    height = max(1, _BLOCK // width)
    for top in range(0, count, height):
        for left in range(0, size, width):
            block = (slice(top, top + height), slice(left, left + width))
            ordered = _sorted_block(tuple(x[block] for x in rows), before)
            for result, part in zip(results, ordered, strict=True):
                result[block] = part
    if width < size:
        for row in range(count):
            _merge_runs(tuple(x[row] for x in results), width, before)
    return results


def _sorted_block(rows: Arrays, before: Before) -> Arrays:
    width = 1
    while width < rows[0].shape[1]:
        rows = _merged_pairs(rows, width, before)
        width *= 2
    return rows


def _merged_pairs(rows: Arrays, width: int, before: Before) -> Arrays:
    """Merge the pairs of sorted runs of `width` in each row."""
    size = rows[0].shape[1]
    place = np.arange(size)
    start = place // (2 * width) * (2 * width)
    is_left = place < start + width
    column = place[is_left]
    middle = np.minimum(start[is_left] + width, size)
    end = np.minimum(middle + width, size)
    left = tuple(x[:, is_left] for x in rows)
    shape = left[0].shape
    bounds = np.broadcast_to(middle, shape), np.broadcast_to(end, shape)
    found = _search(left, bounds, lambda index: tuple(np.take_along_axis(x, index, 1) for x in rows), before)
    of_left = np.zeros(rows[0].shape, np.bool_)
    np.put_along_axis(of_left, column + found - middle, True, 1)
    return tuple(_interleaved(x, y[:, ~is_left], of_left) for x, y in zip(left, rows, strict=True))


def _search(
    values: Arrays, bounds: tuple[Array, Array], others: Callable[[Array], Arrays], before: Before
) -> Array:
    """Return for each value the index of the first of the others, within bounds, that is not before it.

    Indices never decrease along the last dimension, whatever the comparator returns.
    """
    low, high = bounds
    last = np.maximum(high - 1, 0)
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        probe = np.minimum((low + high) // 2, last)
        passed = before(others(probe), values) & (low < high)
        low, high = np.where(passed, probe + 1, low), np.where(passed, high, np.minimum(probe, high))
    return np.maximum.accumulate(low, axis=-1)


def _interleaved(left: Array, right: Array, of_left: Array) -> Array:
    """Return the elements of two sorted runs, in order, at the places that `of_left` tells."""
    result = np.empty(of_left.shape, left.dtype)
    result[of_left], result[~of_left] = left.reshape(-1), right.reshape(-1)
    return result


def _merge_runs(row: Arrays, width: int, before: Before) -> None:
    """Merge sorted runs of `width` in pairs until one is left, which replaces the row."""
    size = len(row[0])
    source, target = row, tuple(np.empty_like(x) for x in row)
    while width < size:
        for start in range(0, size, 2 * width):
            middle, end = min(start + width, size), min(start + 2 * width, size)
            _merge_pair(source, target, (start, middle, end), before)
        source, target = target, source
        width *= 2
    if source is not row:
        for x, y in zip(row, source, strict=True):
            x[:] = y


def _merge_pair(source: Arrays, target: Arrays, run: tuple[int, int, int], before: Before) -> None:
    """Merge the runs (start, middle) and (middle, end) of the source into the target."""
    start, middle, end = run
    at, taken = start, middle  # the next element of the target, and of the right run
    for first in range(start, middle, _BLOCK):
        last = min(first + _BLOCK, middle)
        left = tuple(x[first:last] for x in source)
        bounds = np.full(last - first, taken), np.full(last - first, end)
        found = _search(left, bounds, lambda index: tuple(x[index] for x in source), before)
        right = int(found[-1])
        of_left = np.zeros(last - first + right - taken, np.bool_)
        of_left[np.arange(last - first) + found - taken] = True
        for x, y in zip(source, target, strict=True):
            y[at : at + len(of_left)] = _interleaved(x[first:last], x[taken:right], of_left)
        at, taken = at + len(of_left), right
    for x, y in zip(source, target, strict=True):
        y[at:end] = x[taken:end]
