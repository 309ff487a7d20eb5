"""Argmax and argmin: reductions of (value, position) pairs to the extreme value and its position.

A reduction body that only compares and selects its inputs is recognized by evaluating it on pairs in every
order.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np

from stablehlo_py.kernels.numeric.numerics import dtype_kind, wide
from stablehlo_py.kernels.registry import Array, DType, Function, Ints

Arrays = tuple[Array, ...]

_LARGE = 1 << 12  # elements: on smaller inputs, probing the body costs more than running it
_FLOATS = (-np.inf, -3.0, -1.0, -0.0, 0.0, 1.0, 3.0, np.inf, np.nan)
_INTEGERS = (3, 6)
_POSITIONS = (1, 2, 3, 4, 5, 6, 7, 8)  # the integers, two less, two between and two greater: all orders


def select_along(inputs: Arrays, dimensions: Ints, body: Function) -> Arrays | None:
    """Reduce (value, position) pairs with NumPy's argmax or argmin, where the body is equivalent to it.

    Args:
        inputs: The values, and their positions, of the same shape.
        dimensions: The reduced dimensions.
        body: The reduction body.

    Returns:
        The selected values and positions. None if the body does not select the extreme value (the first among
        equal ones), more than one dimension is reduced, or positions do not count from 0.
    """
    if len(inputs) != 2 or len(dimensions) != 1 or inputs[0].size < _LARGE or not body.compares:
        return None
    values, positions = inputs
    (axis,) = dimensions
    if not _counts(positions, axis):
        return None
    find = _finder(body, values.dtype, positions.dtype)
    if find is None:
        return None
    found = np.expand_dims(find(values.astype(wide(values.dtype), copy=False), axis), axis)
    chosen = np.take_along_axis(values, found, axis)
    return chosen.squeeze(axis), found.squeeze(axis).astype(positions.dtype)


def _counts(positions: Array, axis: int) -> bool:
    """Return True if positions count from 0 along `axis` and repeat along the other dimensions."""
    others = [stride for d, stride in enumerate(positions.strides) if d != axis and positions.shape[d] > 1]
    row = positions[(0,) * axis + (slice(None),) + (0,) * (positions.ndim - axis - 1)]
    return not any(others) and np.array_equal(row, np.arange(len(row)))


def _finder(body: Function, value: DType, position: DType) -> Callable[..., Any] | None:
    """Return the NumPy function that selects as `body` does, or None."""
    if dtype_kind(value) not in "fiu" or position.kind not in "iu":
        return None
    numbers = _FLOATS if dtype_kind(value) == "f" else _INTEGERS
    rows = [(a, b, *pair) for a, b in product(numbers, repeat=2) for pair in combinations(_POSITIONS, 2)]
    a, b, first, second = (np.array(column) for column in zip(*rows, strict=True))
    a, b = a.astype(value), b.astype(value)
    chosen, place = body(a, first.astype(position), b, second.astype(position))
    pairs = np.stack([a, b]).astype(wide(value))
    for find in (np.argmax, np.argmin):
        right = find(pairs, axis=0)
        values = np.take_along_axis(pairs, right[None], 0)[0]
        same = np.array_equal(chosen.astype(wide(value)), values, equal_nan=dtype_kind(value) == "f")
        if same and np.array_equal(place, np.where(right == 0, first, second)):
            return find
    return None
