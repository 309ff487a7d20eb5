"""The map of errors: rows and columns of an array, the largest error in each cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stablehlo_py.debug.error_map import error_map

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("shape", "rows", "columns"),
    [
        ((), 1, 1),
        ((5,), 1, 5),
        ((1, 5), 1, 5),
        ((5, 1), 1, 5),  # a vector, whatever its dimensions of size 1
        ((1, 5, 1), 1, 5),
        ((3, 4), 3, 4),
        ((40, 2), 40, 2),
        ((2, 3, 4), 6, 4),  # as square as may be: 6 by 4 rather than 2 by 12
        ((4, 3, 2), 4, 6),
        ((2, 2, 2, 2), 4, 4),
        ((2, 40, 2), 2, 80),  # of two that are as far from a square, the first
        ((7, 1, 3), 7, 3),
    ],
)
def test_rows_and_columns(shape: tuple[int, ...], rows: int, columns: int) -> None:
    expected = np.zeros(shape)
    actual = np.arange(expected.size, dtype=float).reshape(shape)
    found = error_map(actual, expected)
    assert found is not None and found.shape == (rows, columns)
    if rows <= 48 and columns <= 48:
        assert np.array_equal(found.cells, actual.reshape(rows, columns))


@pytest.mark.parametrize(
    ("actual", "expected", "cells"),
    [
        (np.float32([1, 2]), np.float32([1, 4]), (0, 2)),
        (np.float32([4, -2]), np.float32([1, 2]), (3, 4)),
        (np.float32([NAN, NAN, 1]), np.float32([NAN, 1, NAN]), (0, None, None)),
        (np.float32([INF, INF, -INF, 2]), np.float32([INF, -INF, 1, INF]), (0, None, None, None)),
        (np.int32([7, -8]), np.int32([5, 8]), (2, 16)),
        (np.array([True, False]), np.array([False, False]), (1, 0)),
        (np.complex64([1 + 2j, 1]), np.complex64([4 + 6j, 1]), (5, 0)),
        (np.float32([1]), np.complex64([1 + 2j]), (2,)),
        (np.float64([1.23456, 0.000123456, 98765.0]), np.zeros(3), (1.23, 0.000123, 98800.0)),
    ],
)
def test_errors_of_elements(actual: Any, expected: Any, cells: tuple[float | None, ...]) -> None:
    found = error_map(actual, expected)
    assert found is not None and found.cells == (cells,)
    assert found.to_dict() == {"shape": (1, len(cells)), "cells": (cells,)}


@pytest.mark.parametrize(
    ("size", "at", "cell"),
    [(48, 0, 0), (48, 47, 47), (49, 0, 0), (49, 1, 1), (49, 46, 46), (49, 47, 47), (49, 48, 47), (480, 19, 1),
     (480, 20, 2), (480, 479, 47)],
)  # fmt: skip
def test_cells_of_large_arrays(size: int, at: int, cell: int) -> None:
    """48 cells, whose sizes differ by one at most; of a cell, the largest error."""
    expected = np.zeros((2, size))
    actual = np.where(np.arange(2 * size).reshape(2, size) % size == at, [[2.0], [1.0]], 0.0)
    found = error_map(actual, expected)
    assert found is not None and found.shape == (2, size)
    assert [len(row) for row in found.cells] == [min(size, 48)] * 2
    assert [{i: x for i, x in enumerate(row) if x} for row in found.cells] == [{cell: 2.0}, {cell: 1.0}]
    turned = error_map(actual.T, expected.T)
    assert turned is not None and turned.cells == tuple(zip(*found.cells, strict=True))


def test_arrays_without_a_map() -> None:
    assert error_map(np.zeros(2), np.zeros(3)) is None
    assert error_map(np.zeros((0, 3)), np.zeros((0, 3))) is None
    raw, floats = np.zeros(2, "V4"), np.zeros(2, np.float32)
    assert error_map(raw, floats) is None and error_map(floats, raw) is None


@pytest.mark.parametrize(
    ("size", "places"),
    [
        (48, {0: 0, 24: 24, 47: 47}),
        (49, {0: 0, 24: 24, 48: 47}),
        (95, {47: 24, 48: 24, 94: 47}),
        (96, {95: 47}),
    ],
)
def test_cells_have_nearly_equal_sizes(size: int, places: dict[int, int]) -> None:
    """Of 48 cells, the n-th begins at n * size / 48, rounded down."""
    for place, cell in places.items():
        actual = np.zeros(size)
        actual[place] = 1
        found = error_map(actual, np.zeros(size))
        assert found is not None and len(found.cells[0]) == 48
        assert [at for at, error in enumerate(found.cells[0]) if error] == [cell]
