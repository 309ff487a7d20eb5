"""Gather and scatter: the specification's examples, and its formulas index by index."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifted import ADD, ADD_LIFTED, Lifted, type_of

from stablehlo_py.kernels.gather_scatter import dynamic_gather, gather, scatter, torch_index_select
from stablehlo_py.kernels.registry import Array

OPERAND = np.arange(1, 49).reshape(2, 3, 4, 2)
INDICES = np.array(
    [
        [[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]],
        [[[0, 0], [2, 1], [2, 2]], [[1, 2], [0, 1], [1, 0]]],
    ]
)
GATHERED = [
    [
        [[[1, 2], [3, 4]], [[3, 4], [5, 6]], [[13, 14], [15, 16]]],
        [[[33, 34], [35, 36]], [[35, 36], [37, 38]], [[41, 42], [43, 44]]],
    ],
    [
        [[[1, 2], [3, 4]], [[13, 14], [15, 16]], [[21, 22], [23, 24]]],
        [[[43, 44], [45, 46]], [[33, 34], [35, 36]], [[27, 28], [29, 30]]],
    ],
]
GATHER: dict[str, Any] = {
    "offset_dims": (3, 4),
    "collapsed_slice_dims": (1,),
    "operand_batching_dims": (0,),
    "start_indices_batching_dims": (1,),
    "start_index_map": (2, 1),
    "index_vector_dim": 3,
}
SCATTERED = [
    [
        [[3, 4], [6, 7], [6, 7], [7, 8]],
        [[9, 10], [11, 12], [15, 16], [17, 18]],
        [[17, 18], [19, 20], [22, 23], [24, 25]],
    ],
    [
        [[25, 26], [28, 29], [30, 31], [31, 32]],
        [[35, 36], [38, 39], [38, 39], [39, 40]],
        [[41, 42], [44, 45], [46, 47], [47, 48]],
    ],
]
SCATTER: dict[str, Any] = {
    "update_window_dims": (3, 4),
    "inserted_window_dims": (1,),
    "input_batching_dims": (0,),
    "scatter_indices_batching_dims": (1,),
    "scatter_dims_to_operand_dims": (2, 1),
    "index_vector_dim": 3,
    "unique_indices": False,
}


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint8"])
def test_gather_specification_example(dtype: str) -> None:
    result = gather(OPERAND, INDICES.astype(dtype), **GATHER, slice_sizes=(1, 1, 2, 2))
    assert result.tolist() == GATHERED


def test_dynamic_gather() -> None:
    result = dynamic_gather(OPERAND, INDICES, np.array([1, 1, 2, 2], np.int32), **GATHER)
    assert result.tolist() == GATHERED


@pytest.mark.parametrize("body", [ADD, ADD_LIFTED])
def test_scatter_specification_example(body: Lifted) -> None:
    updates = np.ones((2, 2, 3, 2, 2), np.int64)
    before = OPERAND.copy()
    (result,) = scatter(
        (OPERAND,), INDICES, (updates,), **SCATTER, update_computation=body, results=(type_of(OPERAND),)
    )
    assert result.tolist() == SCATTERED
    assert np.array_equal(OPERAND, before)


class Case:
    """Dimension numbers that gather and scatter share, and arrays for them."""

    def __init__(self, draw: st.DrawFn) -> None:
        rank = draw(st.integers(0, 4))
        rng = np.random.default_rng(draw(st.integers(0, 2**32)))
        dims = draw(st.permutations(range(rank)))
        batching = draw(st.integers(0, min(2, rank)))
        self.batching = tuple(sorted(dims[:batching]))
        rest = dims[batching:]
        self.mapped = tuple(rest[: draw(st.integers(0, len(rest)))])
        self.shape = tuple(draw(st.integers(1, 4)) for _ in range(rank))
        whole = draw(st.booleans())  # the shapes with shortcuts: single elements and whole dimensions

        def size(d: int) -> int:
            if d in self.batching or (whole and d in self.mapped):
                return 1
            return self.shape[d] if whole else draw(st.integers(1, self.shape[d]))

        self.sizes = tuple(size(d) for d in range(rank))
        self.collapsed = tuple(d for d in sorted(rest) if self.sizes[d] == 1 and draw(st.booleans()))
        self.positions = [draw(st.integers(0, 3)) for _ in range(draw(st.integers(0, 2)))]
        places = draw(st.permutations(range(len(self.positions) + batching)))[:batching]
        self.indices_batching = []
        for dimension, place in sorted(zip(self.batching, places, strict=True), key=lambda pair: pair[1]):
            self.positions.insert(min(place, len(self.positions)), self.shape[dimension])
        free = list(range(len(self.positions)))
        for dimension in self.batching:
            place = next(p for p in free if self.positions[p] == self.shape[dimension])
            free.remove(place)
            self.indices_batching.append(place)
        self.vector = draw(st.integers(0, len(self.positions)))
        indices = rng.integers(-2, 6, (*self.positions, len(self.mapped)))
        self.vectors = indices
        self.indices = np.moveaxis(indices, -1, self.vector)
        self.indices_batching = [p + (p >= self.vector) for p in self.indices_batching]
        kept = [d for d in range(rank) if d not in self.collapsed + self.batching]
        self.result_rank = len(self.positions) + len(kept)
        self.offset = tuple(sorted(draw(st.permutations(range(self.result_rank)))[: len(kept)]))
        self.operand = rng.integers(0, 99, self.shape)
        self.rng = rng

    def result_shape(self) -> tuple[int, ...]:
        batch = iter(self.positions)
        sizes = iter(s for d, s in enumerate(self.sizes) if d not in self.collapsed + self.batching)
        return tuple(next(sizes) if d in self.offset else next(batch) for d in range(self.result_rank))

    def place(self, index: tuple[int, ...], clamp: bool) -> tuple[int, ...]:
        """The index in the operand that an index in the result (or in the updates) stands for."""
        batch = [index[d] for d in range(self.result_rank) if d not in self.offset]
        window = iter(index[d] for d in self.offset)
        start = self.vectors[tuple(batch)].tolist()
        full = []
        for d, size in enumerate(self.shape):
            at = start[self.mapped.index(d)] if d in self.mapped else 0
            at = min(max(at, 0), size - self.sizes[d]) if clamp else at
            if d in self.batching:
                axis = self.indices_batching[self.batching.index(d)]
                at = batch[axis - (axis > self.vector)]
            elif d not in self.collapsed:
                at += next(window)
            full.append(at)
        return tuple(full)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    return Case(draw)


@settings(max_examples=150, deadline=None)
@given(cases())
def test_gather_agrees_with_its_formula(case: Case) -> None:
    result = gather(
        case.operand,
        case.indices,
        offset_dims=case.offset,
        collapsed_slice_dims=case.collapsed,
        operand_batching_dims=case.batching,
        start_indices_batching_dims=tuple(case.indices_batching),
        start_index_map=case.mapped,
        index_vector_dim=case.vector,
        slice_sizes=case.sizes,
    )
    assert result.shape == case.result_shape()
    for index in np.ndindex(*result.shape):
        assert result[index] == case.operand[case.place(index, clamp=True)]
    assert result.size == 0 or not np.may_share_memory(result, case.operand)


def replace(old: Array, new: Array) -> Array:
    return new


def digits(old: Array, new: Array) -> Array:
    return (old * 3 + new) % 1009


BODIES = [ADD, ADD_LIFTED, Lifted(replace), Lifted(digits), Lifted(np.maximum, np.maximum)]


@settings(max_examples=150, deadline=None)
@given(cases(), st.sampled_from(BODIES))
def test_scatter_agrees_with_its_formula(case: Case, body: Lifted) -> None:
    updates = case.rng.integers(0, 99, case.result_shape())
    (result,) = scatter(
        (case.operand,),
        case.indices,
        (updates,),
        update_window_dims=case.offset,
        inserted_window_dims=case.collapsed,
        input_batching_dims=case.batching,
        scatter_indices_batching_dims=tuple(case.indices_batching),
        scatter_dims_to_operand_dims=case.mapped,
        index_vector_dim=case.vector,
        unique_indices=False,
        update_computation=body,
        results=(type_of(case.operand),),
    )
    expected = case.operand.copy()
    scattered = [d for d in range(updates.ndim) if d not in case.offset]
    order = sorted(np.ndindex(*updates.shape), key=lambda i: [i[d] for d in (*scattered, *case.offset)])
    for index in order:
        place = case.place(index, clamp=False)
        if all(0 <= p < size for p, size in zip(place, case.shape, strict=True)):
            expected[place] = body.function(expected[place], updates[index])
    assert np.array_equal(result, expected)


ROWS: dict[str, Any] = {
    "update_window_dims": (1,),
    "inserted_window_dims": (0,),
    "input_batching_dims": (),
    "scatter_indices_batching_dims": (),
    "scatter_dims_to_operand_dims": (0,),
    "index_vector_dim": 1,
}


def test_scatter_into_several_arrays() -> None:
    def swap_add(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
        return a + d, b + c

    inputs = (np.zeros((3, 1), np.int64), np.ones((3, 1), np.int64))
    updates = (np.array([[1], [2]]), np.array([[10], [20]]))
    types = (type_of(inputs[0]), type_of(inputs[1]))
    results = scatter(
        inputs,
        np.array([2, 2]),
        updates,
        **ROWS,
        unique_indices=False,
        update_computation=Lifted(swap_add),
        results=types,
    )
    assert [r.ravel().tolist() for r in results] == [[0, 0, 30], [1, 1, 4]]


def test_scatter_overwrites_memory_that_it_is_given() -> None:
    target = np.zeros((3, 2))
    given: dict[str, Any] = {
        **ROWS,
        "unique_indices": True,
        "update_computation": ADD,
        "results": (type_of(target),),
    }
    (result,) = scatter((target,), np.array([1]), (np.ones((1, 2)),), **given, overwrite=True)
    assert result is target
    assert target.tolist() == [[0, 0], [1, 1], [0, 0]]


def test_scatter_into_a_view_that_cannot_be_written_to() -> None:
    target = np.broadcast_to(np.zeros((3, 1)), (3, 1))
    given: dict[str, Any] = {"unique_indices": True, "update_computation": ADD, "results": (type_of(target),)}
    (result,) = scatter((target,), np.array([1]), (np.ones((1, 1)),), **ROWS, **given, overwrite=True)
    assert result.tolist() == [[0], [1], [0]]
    assert not target.any()


def test_scatter_to_indices_beyond_signed_integers() -> None:
    target = np.zeros(3)
    given: dict[str, Any] = {
        **ROWS, "update_window_dims": (0,), "inserted_window_dims": (), "index_vector_dim": 0,
        "unique_indices": False, "update_computation": ADD, "results": (type_of(target),),
    }  # fmt: skip
    (result,) = scatter((target,), np.array([2**64 - 1], np.uint64), (np.ones(2),), **given)
    assert not result.any()


@pytest.mark.parametrize(
    ("operand_shape", "index_shape", "dim", "batch_dims"),
    [
        ((2, 5, 3), (4,), 1, 0),
        ((2, 5, 3), (), 0, 0),
        ((2, 4, 5, 3), (2, 3, 2), 2, 1),
        ((2, 3, 5), (2, 3, 4), 2, 2),
    ],
)
def test_torch_index_select_takes_slices_by_the_definition(
    operand_shape: tuple[int, ...], index_shape: tuple[int, ...], dim: int, batch_dims: int
) -> None:
    operand = np.arange(np.prod(operand_shape)).reshape(operand_shape)
    index = np.arange(np.prod(index_shape, dtype=int)).reshape(index_shape) % operand_shape[dim]
    tail = len(index_shape) - batch_dims
    found = torch_index_select(operand, index, dim=dim, batch_dims=batch_dims)
    assert found.shape == (*operand_shape[:dim], *index_shape[batch_dims:], *operand_shape[dim + 1 :])
    for position in np.ndindex(found.shape):
        selected = index[position[:batch_dims] + position[dim : dim + tail]]
        assert found[position] == operand[(*position[:dim], selected, *position[dim + tail :])]


ROWS: dict[str, Any] = {  # a window is a row, an index the number of one
    "update_window_dims": (1,),
    "inserted_window_dims": (0,),
    "input_batching_dims": (),
    "scatter_indices_batching_dims": (),
    "scatter_dims_to_operand_dims": (0,),
    "index_vector_dim": 1,
}


@pytest.mark.parametrize("dtype", [np.int32, np.float32, ml_dtypes.bfloat16])
def test_rows_whose_indices_occur_often_are_all_added(dtype: type[Any]) -> None:
    """More often than there are rounds of distinct indices; numbers are small enough to be exact."""
    indices = np.array([0] * 12 + [2, 0, 2, 5, -1])  # 5 and -1 are out of bounds
    updates = np.stack([np.arange(17) % 3, np.ones(17)], 1).astype(np.dtype(dtype))
    (found,) = scatter(
        (np.zeros((4, 2), np.dtype(dtype)),),
        indices,
        (updates,),
        **ROWS,
        unique_indices=False,
        update_computation=ADD,
        results=(type_of(updates[:4]),),
    )
    # of 0 1 2 0 1 2 ...: places 0 to 11 and 13 go to row 0, places 12 and 14 to row 2
    assert found.astype(np.float32).tolist() == [[13, 13], [0, 0], [2, 2], [0, 0]]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_gathers_at_extreme_indices(dtype: type[Any]) -> None:
    """The nearest slice within the operand is taken, of unsigned indices the last one."""
    limits = np.iinfo(dtype)
    places = [0, 1, 6, 7, limits.min, limits.max, limits.max - 1, limits.max // 2 + 1]
    found = gather(
        np.arange(8) * 10,
        np.array(places, dtype),
        offset_dims=(1,),
        collapsed_slice_dims=(),
        operand_batching_dims=(),
        start_indices_batching_dims=(),
        start_index_map=(0,),
        index_vector_dim=1,
        slice_sizes=(2,),
    )
    first = [min(max(place, 0), 6) for place in places]
    assert found.tolist() == [[10 * at, 10 * at + 10] for at in first]


@pytest.mark.parametrize("dim", [-1, -2, -3])
def test_torch_index_select_along_dimensions_from_the_end(dim: int) -> None:
    operand, index = np.arange(24).reshape(2, 3, 4), np.array([[1, 0, 1], [0, 0, 1]])
    found = torch_index_select(operand, index, dim=dim, batch_dims=0)
    np.testing.assert_array_equal(found, np.take(operand, index, dim))


@pytest.mark.parametrize("width", [1, 3])
def test_updates_of_an_element_are_combined_in_order(width: int) -> None:
    """By a function whose result depends on it, which modular numbers keep."""
    random = np.random.default_rng(7)
    indices = random.integers(-1, 6, 300)
    target, updates = random.integers(0, 99, (5, width)), random.integers(0, 99, (300, width))
    expected = target.copy()
    for index, update in zip(indices, updates, strict=True):
        if index in range(5):
            expected[index] = expected[index] * 3 + update
    (found,) = scatter(
        (target,),
        indices,
        (updates,),
        **ROWS,
        unique_indices=False,
        update_computation=Lifted(lambda old, new: old * 3 + new),
        results=(type_of(target),),
    )
    assert found.tolist() == expected.tolist()
