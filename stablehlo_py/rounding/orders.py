"""Sorts of a shadow run: the wide values follow the order of the program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablehlo_py.rounding.measures import Array


def followed(
    narrow: Sequence[Array],
    results: Sequence[Array],
    wide: Sequence[Array],
    exact: Sequence[Array],
    axis: int,
) -> tuple[list[Array], int]:
    """Return the wide operands of a stable sort in the order of the program's results.

    Args:
        narrow: The operands of the program.
        results: Its results.
        wide: The wide operands.
        exact: The wide operands, sorted by themselves.
        axis: The dimension.

    Returns:
        The wide results, and the number of places for which the wide program has another element.
    """
    mine, theirs = _permutation(narrow, results, axis), _permutation(wide, exact, axis)
    others = np.zeros(mine.shape, bool)
    for x, y in zip(narrow, results, strict=True):
        others |= np.take_along_axis(np.asarray(x), theirs, axis) != y
    count = int(np.count_nonzero(others & (mine != theirs)))
    return [np.take_along_axis(np.asarray(x), mine, axis) for x in wide], count


def _permutation(operands: Sequence[Array], results: Sequence[Array], axis: int) -> Array:
    """Return which element of the operands each element of the results is, along a dimension.

    Elements of the same bits in all operands keep their order.
    """
    code: Array = np.zeros((2, *np.shape(operands[0])), np.int64)
    for before, after in zip(operands, results, strict=True):
        both = np.stack([before, after])
        _, each = np.unique(both.view(f"u{both.dtype.itemsize}"), return_inverse=True)
        pairs = code * (int(each.max(initial=0)) + 1) + each.reshape(both.shape)
        code = np.unique(pairs, return_inverse=True)[1].reshape(both.shape)
    sources, places = (np.argsort(each, axis, kind="stable") for each in code)
    found: Array = np.empty(sources.shape, np.intp)
    np.put_along_axis(found, places, sources, axis)
    return found
