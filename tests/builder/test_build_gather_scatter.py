"""Gather and Scatter."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from building import checked, f32, result, results, s32

import stablehlo_py as shlo
from stablehlo_py.analysis.inputs import attribute
from stablehlo_py.builder import BuildError, XlaBuilder

ROWS, COLUMNS = 16, 11
MATRIX = np.arange(ROWS * COLUMNS, dtype=f32).reshape(ROWS, COLUMNS)
STARTS = np.array([[0, 0], [8, 5], [3, 1], [7, 4], [2, 5]], np.int64)


# Gather


def slices(starts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The slices of size 8 by 6 that begin at index vectors."""
    return np.array([MATRIX[x : x + 8, y : y + 6] for x, y in starts.reshape(-1, 2)])


@pytest.mark.parametrize(
    "arguments",
    [
        {"index_vector_dim": 1, "offset_dims": [1, 2], "slice_sizes": [8, 6], "start_index_map": [0, 1]},
        {"offset_dims": [1, 2], "slice_sizes": [8, 6], "start_index_map": [0, 1]},
        {"output_window_dims": [1, 2], "window_bounds": [8, 6], "gather_dims_to_operand_dims": [0, 1]},
    ],
    ids=["001", "without index_vector_dim", "003"],
)
def test_five_slices(arguments: dict[str, Any]) -> None:
    """The documents' example: five slices of size 8 by 6 from an array of 16 by 11."""
    b = XlaBuilder()
    b.Gather(b.Parameter(0, "f32[16,11]"), b.Parameter(1, "s64[5,2]"), **arguments)
    found = result(b, MATRIX, STARTS)
    assert found.shape == (5, 8, 6)
    np.testing.assert_array_equal(found, slices(STARTS))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([1, 2], [], [8, 6], [0, 1]), {}),
        (([1, 2], [], [8, 6]), {"start_index_map": [0, 1]}),
        (([1, 2], []), {"slice_sizes": [8, 6], "start_index_map": [0, 1]}),
        (([1, 2],), {"window_bounds": [8, 6], "gather_dims_to_operand_dims": [0, 1]}),
    ],
)
def test_the_order_of_the_signature(arguments: Any, named: dict[str, Any]) -> None:
    """001's signature: offset_dims, collapsed_slice_dims, slice_sizes, start_index_map."""
    b = XlaBuilder()
    b.Gather(b.Parameter(0, "f32[16,11]"), b.Parameter(1, "s64[5,2]"), *arguments, **named)
    np.testing.assert_array_equal(result(b, MATRIX, STARTS), slices(STARTS))


def test_indices_of_two_dimensions() -> None:
    """The documents' example with indices of shape [4,5,2], turned so that slices come first."""
    starts = (np.arange(40) % 6).reshape(4, 5, 2)
    for offsets, axes in (([2, 3], (0, 1, 2, 3)), ([0, 2], (2, 0, 3, 1))):
        b = XlaBuilder()
        x, indices = b.Parameter(0, "f32[16,11]"), b.Parameter(1, "s64[4,5,2]")
        b.Gather(x, indices, 2, offsets, [8, 6], [], [0, 1])
        expected = slices(starts).reshape(4, 5, 8, 6).transpose(axes)
        np.testing.assert_array_equal(result(b, MATRIX, starts), expected)


def test_gather_nd_picks_rows() -> None:
    """The documents' last example: out[g0, g1, o0] is operand[indices[g0, g1, 0], o0]."""
    rows = np.array([[0, 15, 3, 3, 9], [8, 1, 2, 4, 5]], np.int64)
    b = XlaBuilder()
    x, indices = b.Parameter(0, "f32[16,11]"), b.Parameter(1, "s64[2,5,1]")
    b.Gather(x, indices, 2, [2], [1, 11], [0], [0])
    np.testing.assert_array_equal(result(b, MATRIX, rows[..., None]), MATRIX[rows])


def test_the_rank_as_the_dimension_of_index_vectors() -> None:
    b = XlaBuilder()
    x, indices = b.Parameter(0, "f32[16,11]"), b.Parameter(1, "s32[3]")
    b.Gather(x, indices, 1, [1], [1, 11], [0], [0], indices_are_sorted=True, unique_indices=True)
    assert "indices_are_sorted = true" in shlo.format(checked(b))
    np.testing.assert_array_equal(result(b, MATRIX, np.array([1, 5, 9], s32)), MATRIX[[1, 5, 9]])


def test_index_vectors_along_the_first_dimension_in_another_order() -> None:
    b = XlaBuilder()
    x, indices = b.Parameter(0, "f32[16,11]"), b.Parameter(1, "s32[2,3]")
    b.Gather(x, indices, 0, [], [1, 1], [0, 1], [1, 0])
    columns, rows = [3, 0, 10], [15, 2, 7]
    np.testing.assert_array_equal(result(b, MATRIX, np.array([columns, rows], s32)), MATRIX[rows, columns])


def test_starts_out_of_bounds_are_clamped() -> None:
    b = XlaBuilder()
    b.Gather(b.Parameter(0, "f32[16,11]"), b.Parameter(1, "s64[2,2]"), 1, [1, 2], [8, 6], [], [0, 1])
    found = result(b, MATRIX, np.array([[100, 100], [-1, -1]], np.int64))
    np.testing.assert_array_equal(found, slices(np.array([[8, 5], [0, 0]])))


def test_gathers_that_do_not_fit() -> None:
    b = XlaBuilder()
    x, indices = b.Parameter(0, "f32[16,11]"), b.Parameter(1, "s64[5,2]")
    with pytest.raises(BuildError, match="start_indices"):
        b.Gather(x)
    with pytest.raises(BuildError, match=r"Gather\(f32\[16,11\], s64\[5,2\]\)"):
        b.Gather(x, indices, 1, [1, 2], [17, 6], [], [0, 1])  # a slice larger than the operand
    with pytest.raises(BuildError, match="Gather"):
        b.Gather(x, indices, 1, [1], [8, 6], [], [0, 1])  # a dimension of slices is neither here nor there


# Scatter


@pytest.mark.parametrize("computation", ["Add", lambda old, new: old + new])
def test_what_five_slices_would_be_gathered_from(computation: Any) -> None:
    """The inverse of the first gather: each of the five slices is added where it would be from."""
    updates = np.ones((5, 8, 6), f32) * np.arange(1, 6, dtype=f32)[:, None, None]
    b = XlaBuilder()
    x, indices, u = b.Parameter(0, MATRIX), b.Parameter(1, STARTS), b.Parameter(2, updates)
    b.Scatter(x, indices, u, computation, 1, [1, 2], [], [0, 1])
    expected = MATRIX.copy()
    for (row, column), update in zip(STARTS, updates, strict=True):
        expected[row : row + 8, column : column + 6] += update
    np.testing.assert_array_equal(result(b, MATRIX, STARTS, updates), expected)


def test_rows() -> None:
    """A window dimension that updates do not have: whole rows at the indices."""
    rows, updates = np.array([4, 0], s32), np.full((2, 11), -1, f32)
    b = XlaBuilder()
    x, indices, u = b.Parameter(0, MATRIX), b.Parameter(1, rows), b.Parameter(2, updates)
    b.Scatter(x, indices, u, lambda _, new: new, 1, [1], [0], [0], unique_indices=True)
    expected = MATRIX.copy()
    expected[[4, 0]] = -1
    np.testing.assert_array_equal(result(b, MATRIX, rows, updates), expected)


def test_the_value_so_far_comes_first() -> None:
    b = XlaBuilder()
    b.Scatter(b.Parameter(0, "s32[3]"), np.array([[1]], s32), np.array([3], s32), "Sub", 1, [], [0], [0])
    assert result(b, np.array([10, 10, 10], s32)).tolist() == [10, 7, 10]


def test_updates_out_of_bounds_are_left_out() -> None:
    """An index that is not valid for the output is left out; one at the edge is not moved."""
    b = XlaBuilder()
    x, indices = b.Parameter(0, "s32[4]"), np.array([[3], [4], [-1], [0]], s32)
    b.Scatter(x, indices, np.array([[1], [2], [3], [4]], s32), "Add", 1, [1], [], [0])
    assert result(b, np.zeros(4, s32)).tolist() == [4, 0, 0, 1]


def test_several_operands() -> None:
    """The largest update and where it comes from."""

    def larger(value: Any, place: Any, other: Any, at: Any) -> tuple[Any, Any]:
        p = value >= other
        return b.Select(p, value, other), b.Select(p, place, at)

    b = XlaBuilder()
    values, places = b.Parameter(0, "f32[3]"), b.Parameter(1, "s32[3]")
    updates = [np.array([5, 7, 1], f32), np.array([0, 1, 2], s32)]
    b.Scatter([values, places], np.array([[2], [2], [0]], s32), updates, larger, 1, [], [0], [0])
    found, at = results(b, np.array([3, 3, 3], f32), np.full(3, -1, s32))
    assert (found.tolist(), at.tolist()) == ([3, 3, 7], [-1, -1, 1])


def test_scatters_that_do_not_fit() -> None:
    b = XlaBuilder()
    x, indices, updates = b.Parameter(0, MATRIX), b.Parameter(1, STARTS), b.Parameter(2, "f32[4,8,6]")
    with pytest.raises(BuildError, match="Scatter"):
        b.Scatter(x, indices, updates, "Add", 1, [1, 2], [], [0, 1])  # four updates for five indices
    with pytest.raises(BuildError, match="Scatter"):
        b.Scatter(x, indices, b.Parameter(3, "s32[5,8,6]"), "Add", 1, [1, 2], [], [0, 1])


def test_indices_are_neither_sorted_nor_unique_by_default() -> None:
    """As in the specification; an input with its default is not written."""
    for given, expected in (({}, (False, False)), ({"unique_indices": True}, (False, True))):
        b = XlaBuilder()
        x, indices, news = b.Parameter(0, "f32[4]"), b.Parameter(1, "s32[2,1]"), b.Parameter(2, "f32[2]")
        b.Scatter([x], indices, [news], b.Add, 1, [], [0], [0], **given)
        (op,) = [op for op in b.build().walk() if op.name == "stablehlo.scatter"]
        assert (attribute(op, "indices_are_sorted"), attribute(op, "unique_indices")) == expected
    assert inspect.signature(XlaBuilder.Gather).parameters["unique_indices"].default is False
