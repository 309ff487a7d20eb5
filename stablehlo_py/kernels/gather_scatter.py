"""Gather and scatter: slices of an array at computed positions, read or updated.

Both are indexed by position (one per index vector) and window. Where windows take whole dimensions and single
elements of adjacent ones, a slice is a run of rows of a reshaped array, and one `take` or one update of rows
suffices. Otherwise slices are fancy-indexed from a view of all windows, and updates go element by element.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.numeric.matrix_product import cast
from stablehlo_py.kernels.numeric.ufuncs import Ufunc
from stablehlo_py.kernels.reduction import REORDERABLE, element_dtypes
from stablehlo_py.kernels.registry import Array, Function, Ints, kernel
from stablehlo_py.kernels.slabs import row_slabs

Arrays = tuple[Array, ...]
_INDEX_BYTES = 8
_ELEMENTS = 1 << 18  # indices or updates; more are taken in slabs, so that temporary arrays are small
_WHOLE = (slice(None),)
_ROUNDS = 8  # updates with whole rows; further occurrences of an index go to `ufunc.at`


@kernel("stablehlo.gather")
def gather(
    operand: Array,
    start_indices: Array,
    *,
    offset_dims: Ints,
    collapsed_slice_dims: Ints,
    operand_batching_dims: Ints,
    start_indices_batching_dims: Ints,
    start_index_map: Ints,
    index_vector_dim: int,
    slice_sizes: Ints,
) -> Array:
    """Slices at the start indices, clamped to lie within the operand (gather)."""
    positions = _index_vectors(start_indices, index_vector_dim, len(start_index_map))
    limits = [operand.shape[d] - slice_sizes[d] for d in start_index_map]
    batch = positions.shape[:-1]
    of_batch = _batch_indices(batch, operand_batching_dims, start_indices_batching_dims, index_vector_dim)
    dropped = frozenset(collapsed_slice_dims + operand_batching_dims)
    order = _result_order(len(batch), offset_dims)

    def slices_at(part: slice) -> Array:
        """The slices of a part of the first batch dimension."""
        vectors = positions[part] if batch else positions
        starts = [_clamped(vectors[..., i], limit) for i, limit in enumerate(limits)]
        indices = dict(zip(start_index_map, starts, strict=True))
        indices |= _part_of_batch(of_batch, part, len(batch))
        return _slices(operand, indices, tuple(slice_sizes), dropped, vectors.shape[:-1])

    parts = _slabs_of_batch(batch, positions.size)
    if parts is _WHOLE:
        return slices_at(*_WHOLE).transpose(order)
    operand = np.asarray(operand, order="C")
    kept = tuple(slice_sizes[d] for d in range(operand.ndim) if d not in dropped)
    slices = np.empty((*batch, *kept), operand.dtype)
    for part in parts:
        slices[part] = slices_at(part)
    return slices.transpose(order)


@kernel("stablehlo.dynamic_gather")
def dynamic_gather(
    operand: Array,
    start_indices: Array,
    slice_sizes: Array,
    *,
    offset_dims: Ints,
    collapsed_slice_dims: Ints,
    operand_batching_dims: Ints = (),
    start_indices_batching_dims: Ints = (),
    start_index_map: Ints,
    index_vector_dim: int,
) -> Array:
    """Gather with slice sizes given as an operand (dynamic_gather)."""
    slices: Array = gather(
        operand,
        start_indices,
        offset_dims=offset_dims,
        collapsed_slice_dims=collapsed_slice_dims,
        operand_batching_dims=operand_batching_dims,
        start_indices_batching_dims=start_indices_batching_dims,
        start_index_map=start_index_map,
        index_vector_dim=index_vector_dim,
        slice_sizes=tuple(slice_sizes.tolist()),
    )
    return slices


@kernel("stablehlo.torch_index_select")
def torch_index_select(operand: Array, index: Array, *, dim: int, batch_dims: int) -> Array:
    """Slices along `dim` at the indices, within `batch_dims` major dimensions (torch_index_select)."""
    dim, tail = dim % operand.ndim, index.ndim - batch_dims
    slices = np.moveaxis(operand, dim, batch_dims)
    batch = np.ogrid[tuple(slice(size) for size in index.shape)][:batch_dims]
    found = slices[(*batch, _clamped(index, operand.shape[dim] - 1))]
    return np.moveaxis(found, range(batch_dims, index.ndim), range(dim, dim + tail))


def _index_vectors(indices: Array, index_vector_dim: int, size: int) -> Array:
    """Return the indices as (position..., component)."""
    if index_vector_dim == indices.ndim:
        return indices[..., None]
    last = index_vector_dim == indices.ndim - 1
    return indices if last else np.moveaxis(indices, index_vector_dim, -1)


def _clamped(index: Array, limit: int) -> Array:
    """Return the indices as intp, clamped to 0..limit."""
    if index.dtype.kind == "u":
        return np.minimum(index, np.uint64(limit)).astype(np.intp)
    return np.clip(index.astype(np.intp), 0, limit)


def _batch_indices(
    batch: Ints, dimensions: Ints, index_dimensions: Ints, index_vector_dim: int
) -> dict[int, Array]:
    """Return for each batching dimension the index of each position along it, shaped to broadcast."""
    found = {}
    for dimension, index_dimension in zip(dimensions, index_dimensions, strict=True):
        axis = index_dimension - (index_dimension > index_vector_dim)
        found[dimension] = np.arange(batch[axis]).reshape(-1, *(1,) * (len(batch) - 1 - axis))
    return found


@lru_cache(1024)
def _result_order(batch_rank: int, offset_dims: Ints) -> Ints:
    """Return the permutation from (batch..., offset...) to the result's dimensions."""
    rank = batch_rank + len(offset_dims)
    batch = iter(range(batch_rank))
    offset = dict(zip(offset_dims, range(batch_rank, rank), strict=True))
    return tuple(offset[d] if d in offset else next(batch) for d in range(rank))


class _Run(NamedTuple):
    """Adjacent dimensions first..last-1 that are indexed by single elements; the others are taken whole."""

    first: int
    last: int


@lru_cache(1024)
def _single_run(shape: Ints, sizes: Ints, indexed: frozenset[int]) -> _Run | None:
    """Return the run of indexed dimensions if there is exactly one, else None."""
    whole = all(sizes[d] == shape[d] for d in range(len(shape)) if d not in indexed)
    first, last = min(indexed, default=0), max(indexed, default=-1) + 1
    single = all(sizes[d] == 1 for d in indexed) and len(indexed) == last - first
    return _Run(first, last) if whole and single else None


def _linear(indices: dict[int, Array], shape: Ints, run: _Run, batch: Ints) -> Array:
    """Return the indices along a run of dimensions as one linear index."""
    if run.first == run.last:
        return np.zeros(batch, np.intp)
    linear = indices[run.first]
    for d in range(run.first + 1, run.last):
        linear = linear * shape[d] + indices[d]
    return linear if linear.shape == batch else np.broadcast_to(linear, batch)


def _slices(
    operand: Array, indices: dict[int, Array], sizes: Ints, dropped: frozenset[int], batch: Ints
) -> Array:
    """Return the slices that start at `indices`, as (batch..., dimensions that are not dropped...)."""
    kept = tuple(sizes[d] for d in range(operand.ndim) if d not in dropped)
    run = _single_run(operand.shape, sizes, frozenset(indices))
    if run is not None and operand.size:
        before, after = operand.shape[: run.first], operand.shape[run.last :]
        rows = operand.reshape(*before, math.prod(operand.shape[run.first : run.last]), *after)
        taken = np.take(rows, _linear(indices, operand.shape, run, batch), axis=run.first, mode="clip")
        if run.first:
            places = tuple(range(run.first, run.first + len(batch)))
            taken = np.moveaxis(taken, places, tuple(range(len(batch))))
        return taken.reshape((*batch, *kept))
    positions = batch or (1,)  # indexing by an array of at least one dimension copies
    index = tuple(np.broadcast_to(indices.get(d, 0), positions) for d in range(operand.ndim))
    raw = operand.view(f"V{operand.itemsize}")  # raw bytes: NumPy has no window views of 8-bit floats
    slices: Array = sliding_window_view(raw, sizes)[index]
    return slices.view(operand.dtype).reshape((*batch, *kept))


@kernel("stablehlo.scatter", overwrites="inputs")
def scatter(
    inputs: Arrays,
    scatter_indices: Array,
    updates: Arrays,
    *,
    update_window_dims: Ints,
    inserted_window_dims: Ints,
    input_batching_dims: Ints,
    scatter_indices_batching_dims: Ints,
    scatter_dims_to_operand_dims: Ints,
    index_vector_dim: int,
    unique_indices: bool,
    update_computation: Function,
    results: tuple[Type, ...],
    semantics: str = "specification",
    overwrite: bool = False,
) -> Arrays:
    """Inputs with slices combined with updates; updates out of bounds are skipped (scatter).

    Of a window that is partly out of bounds, the specification skips elements, and XLA all of it.
    """
    dtypes = element_dtypes(results)
    targets = tuple(
        np.require(x, dtype, ["C", "W"]) if overwrite else np.array(x, dtype, order="C")
        for x, dtype in zip(inputs, dtypes, strict=True)
    )
    shape, rank = targets[0].shape, updates[0].ndim
    positions = _index_vectors(scatter_indices, index_vector_dim, len(scatter_dims_to_operand_dims))
    batch = positions.shape[:-1]
    if positions.dtype == np.uint64:  # the largest values would wrap around to negative indices
        positions = np.minimum(positions, np.uint64(np.iinfo(np.intp).max))
    of_batch = _batch_indices(batch, input_batching_dims, scatter_indices_batching_dims, index_vector_dim)
    order = [d for d in range(rank) if d not in update_window_dims] + list(update_window_dims)
    values = [update.transpose(order) for update in updates]
    dropped = frozenset(inserted_window_dims + input_batching_dims)
    window = iter(values[0].shape[len(batch) :])
    sizes = tuple(1 if d in dropped else next(window) for d in range(len(shape)))
    indexed = frozenset({*scatter_dims_to_operand_dims, *of_batch})
    place = _rows_of_run if _prefix_run(shape, sizes, indexed) else _rows_of_elements
    for part in _slabs_of_batch(batch, max(positions.size, values[0].size)):  # in order: windows may overlap
        vectors = positions[part] if batch else positions
        starts = {d: vectors[..., i].astype(np.intp) for i, d in enumerate(scatter_dims_to_operand_dims)}
        starts |= _part_of_batch(of_batch, part, len(batch))
        index, valid, width = place(shape, starts, sizes, vectors.shape[:-1])
        if semantics == "xla":
            valid = _of_whole_windows(valid, math.prod(vectors.shape[:-1]))
        rows = tuple(t.reshape(-1, width) for t in targets)
        slabs = zip([v[part] if batch else v for v in values], dtypes, strict=True)
        columns = [cast(slab, dtype).reshape(-1, width) for slab, dtype in slabs]
        if not valid.all():
            index, columns = index[valid], [c[valid] for c in columns]
        _update_rows(rows, index, columns, update_computation, unique=unique_indices)
    return targets


def _slabs_of_batch(batch: Ints, elements: int) -> Iterable[slice]:
    """Return slices of the first batch dimension that have few elements each."""
    if not batch or elements <= _ELEMENTS:
        return _WHOLE
    return row_slabs(batch[0], _INDEX_BYTES * elements // batch[0])


def _part_of_batch(of_batch: dict[int, Array], part: slice, rank: int) -> dict[int, Array]:
    """Return the indices along batching dimensions for a part of the first of `rank` batch dimensions."""
    return {d: index[part] if index.ndim == rank else index for d, index in of_batch.items()}


def _prefix_run(shape: Ints, sizes: Ints, indexed: frozenset[int]) -> bool:
    """Return True if every slice is one row of the array reshaped to rows."""
    run = _single_run(shape, sizes, indexed)
    return run is not None and run.first == 0


Rows = tuple[Array, Array, int]


def _rows_of_run(shape: Ints, starts: dict[int, Array], sizes: Ints, batch: Ints) -> Rows:
    """Return the row of each slice, whether it is in bounds, and the length of a row."""
    run = _Run(0, len(starts))
    valid: Array = np.ones((), np.bool_)
    for d, start in starts.items():
        valid = valid & (start >= 0) & (start < shape[d])
    index = _linear(starts, shape, run, batch)
    return index.reshape(-1), np.broadcast_to(valid, batch).reshape(-1), math.prod(shape[run.last :])


def _rows_of_elements(shape: Ints, starts: dict[int, Array], sizes: Ints, batch: Ints) -> Rows:
    """Return the linear index of each element of each slice, whether it is in bounds, and 1."""
    index: Array = np.zeros((), np.intp)
    valid: Array = np.ones((), np.bool_)
    window_rank = len(shape)
    for d in range(window_rank):
        offset = np.arange(sizes[d]).reshape(-1, *(1,) * (window_rank - 1 - d))
        start = starts.get(d, np.zeros((), np.intp))
        place = start.reshape(*start.shape, *(1,) * window_rank) + offset
        index = index * shape[d] + place
        valid = valid & (place >= 0) & (place < shape[d])
    full = (*batch, *sizes)
    return np.broadcast_to(index, full).reshape(-1), np.broadcast_to(valid, full).reshape(-1), 1


def _of_whole_windows(valid: Array, windows: int) -> Array:
    """Return for each row of updates whether all rows of its window are in bounds."""
    if not windows or not valid.size:
        return valid
    rows = valid.reshape(windows, -1)
    return np.repeat(rows.all(1), rows.shape[1])


def _update_rows(rows: Arrays, index: Array, updates: list[Array], body: Function, *, unique: bool) -> None:
    """Replace rows[index] by body(rows[index], updates), in order where an index repeats."""
    if not index.size or not rows[0].size:
        return
    if _takes_update(body, rows, updates):
        for target, update in zip(rows, updates, strict=True):
            target[index] = update  # NumPy keeps the last of those with equal indices
    elif body.ufunc in REORDERABLE and not unique:
        _accumulate(body.ufunc, rows[0], index, updates[0])
    elif unique:
        _update_distinct(rows, index, updates, body)
    else:
        for chosen in _rounds(index):
            _update_distinct(rows, index[chosen], [u[chosen] for u in updates], body)


def _takes_update(body: Function, rows: Arrays, updates: list[Array]) -> bool:
    """Return True if the body returns the second half of its arguments unchanged."""
    if body.ufunc is not None:
        return False
    last = [u[:1, :1].reshape(()) for u in updates]
    results = body(*(r[:1, :1].reshape(()) for r in rows), *last)
    return all(result is update for result, update in zip(results, last, strict=True))


def _update_distinct(rows: Arrays, index: Array, updates: list[Array], body: Function) -> None:
    for target, value in zip(rows, body(*(r[index] for r in rows), *updates), strict=True):
        target[index] = value


def _accumulate(ufunc: Ufunc, target: Array, index: Array, updates: Array) -> None:
    """Apply `ufunc.at` to rows: rounds of whole rows with distinct indices, then the remaining ones."""
    width = target.shape[1]
    if width > 1:
        row = f"V{width * target.itemsize}"  # NumPy copies raw bytes faster than rows of numbers
        left, seen = np.arange(len(index)), np.empty(len(target), np.intp)
        for _ in range(_ROUNDS):
            first, left = _first_occurrences(index, left, seen)
            rows = index[first]
            combined = ufunc(target.take(rows, 0), updates.take(first, 0))
            target.view(row)[rows, 0] = combined.view(row)[:, 0]
            if not len(left):
                return
        index, updates = index[left], updates[left]
    flat = index if width == 1 else (index[:, None] * width + np.arange(width)).reshape(-1)
    ufunc.at(target.reshape(-1), flat, updates.reshape(-1))


def _first_occurrences(index: Array, places: Array, seen: Array) -> tuple[Array, Array]:
    """Split positions in `index`, in order, into the first occurrence of each value and the others."""
    values = index[places]
    seen[values[::-1]] = places[::-1]  # NumPy keeps the last of those with equal indices
    first = seen[values] == places
    return places[first], places[~first]


def _rounds(index: Array) -> list[Array]:
    """Return positions of the first, second, ... occurrence of each index: rounds of distinct indices."""
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    lengths = np.diff(starts, append=len(index))
    rank = np.arange(len(index)) - np.repeat(starts, lengths)
    by_rank = np.argsort(rank, kind="stable")
    return np.split(order[by_rank], np.cumsum(np.bincount(rank))[:-1])
