"""Slabs: large operands are cut along a dimension that an op maps over, so that temporary arrays stay small.

A kernel states with `slabs` (see `registry.kernel`) which dimension of its operands becomes which one of its
results. It is then called for one slab after the other, with temporary arrays as large as a slab.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import ceil
from threading import local
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.kernels.registry import Array, Ints

SLAB = 1 << 21  # bytes of an operand


_RUN = local()  # of each thread: the check of limits, `check`


@contextmanager
def limited(check: Callable[[], None]) -> Iterator[None]:
    """Call a function between the slabs of this thread's kernels; it raises RunError to end a run."""
    before = getattr(_RUN, "check", None)
    _RUN.check = check
    try:
        yield
    finally:
        _RUN.check = before


def check_limits() -> None:
    """Raise RunError if the run is to end."""
    check = getattr(_RUN, "check", None)
    if check is not None:
        check()


class Cut(NamedTuple):
    """Where operands are cut.

    Attributes:
        operands: The dimension of each operand (of all arrays of a variadic one); None if it is taken whole.
        result: The dimension of all results.
        bytes: The size of a slab of the largest operand.
        least: The smallest size of a slab along the dimension.
    """

    operands: tuple[int | None, ...]
    result: int
    bytes: int = SLAB
    least: int = 1


Operands = Sequence[Any]  # arrays, and tuples of arrays for variadic operands


def in_slabs(call: Callable[..., Any], cut_of: Callable[..., Cut | None], *operands: Any) -> Any:
    """Call a kernel for slabs of its operands.

    Args:
        call: The kernel, as a function of its operands.
        cut_of: Returns where the operands are cut, None if they cannot be.
        operands: The operands.

    Returns:
        What the kernel returns: an array, or a tuple of arrays.
    """
    if max([_byte_size(operand) for operand in operands], default=0) <= SLAB:
        return call(*operands)
    cut = cut_of(*operands)
    if cut is None:
        return call(*operands)
    cuts = list(zip(operands, cut.operands, strict=True))
    sliced = [(array, axis) for operand, axis in cuts if axis is not None for array in _arrays(operand)]
    size = min(array.shape[axis] for array, axis in sliced)
    count = min(size // cut.least, ceil(max(array.nbytes for array, _ in sliced) / cut.bytes))
    if count < 2:
        return call(*operands)
    found: list[Array] = []
    for start, stop in pairwise([size * number // count for number in range(count + 1)]):
        check_limits()
        parts = in_slabs(call, cut_of, *[_part(operand, axis, start, stop) for operand, axis in cuts])
        arrays = parts if isinstance(parts, tuple) else (parts,)
        found = found or [_whole(array, cut.result, size) for array in arrays]
        for array, part in zip(found, arrays, strict=True):
            array[_between(cut.result, start, stop)] = part
    return tuple(found) if isinstance(parts, tuple) else found[0]


def outer_dimension(array: Array, dimensions: Sequence[int]) -> int | None:
    """Return the dimension to cut: the outermost in memory that is long enough, else the longest.

    Args:
        array: The array.
        dimensions: The dimensions to choose from.

    Returns:
        The dimension; None if none can be cut.
    """
    enough = min(ceil(array.nbytes / SLAB), max([array.shape[d] for d in dimensions], default=0))
    found = [d for d in dimensions if array.shape[d] >= max(2, enough)]
    return max(found, key=lambda d: abs(array.strides[d]), default=None)


def row_slabs(count: int, row_bytes: int) -> Iterator[slice]:
    """Yield slices that cut rows into slabs.

    Args:
        count: The number of rows.
        row_bytes: The size of the largest temporary array of a row, in bytes.
    """
    height = max(1, SLAB // max(1, row_bytes))
    for start in range(0, count, height):
        check_limits()
        yield slice(start, min(start + height, count))


def _arrays(operand: Any) -> Sequence[Array]:
    return operand if isinstance(operand, tuple) else () if operand is None else (operand,)


def _byte_size(operand: Any) -> int:
    return max([array.nbytes for array in _arrays(operand)], default=0)


def _between(axis: int, start: int, stop: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(start, stop))


def _part(operand: Any, axis: int | None, start: int, stop: int) -> Any:
    if axis is None or operand is None:
        return operand
    index = _between(axis, start, stop)
    return tuple([array[index] for array in operand]) if isinstance(operand, tuple) else operand[index]


def _whole(part: Array, axis: int, size: int) -> Array:
    """Return an empty array for parts of `size` elements along a dimension, in the memory order of a part."""
    shape: Ints = tuple([size if d == axis else n for d, n in enumerate(part.shape)])
    order = sorted(range(part.ndim), key=lambda d: -abs(part.strides[d]))
    return np.empty([shape[d] for d in order], part.dtype).transpose(np.argsort(order))
