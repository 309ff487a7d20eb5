"""Sort: by integer keys where the comparator orders by keys, otherwise by merging.

The order is inferred by probing the comparator with a few pairs of zeros and ones. The data are sorted in
that order, and the comparator is called once more, on all neighbors in the result. If it disagrees anywhere,
a merge sort calls it on whole arrays at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from stablehlo_py.kernels.numeric.matrix_product import cast
from stablehlo_py.kernels.numeric.numerics import dtype_kind, total_order, wide
from stablehlo_py.kernels.registry import Array, DType, Function, kernel

Arrays = tuple[Array, ...]
_LONG = 1 << 10  # elements: for longer rows, NumPy's radix sort of 16-bit keys is the fastest


@kernel("stablehlo.sort")
def sort(inputs: Arrays, *, dimension: int, is_stable: bool, comparator: Function) -> Arrays:
    """Slices along a dimension of all inputs, sorted together; always stable (sort)."""
    size = inputs[0].shape[dimension]
    if size < 2 or not inputs[0].size:
        return tuple(x.copy() for x in inputs)
    moved = [np.moveaxis(x, dimension, -1) for x in inputs]
    rows = tuple(x.reshape(-1, size) for x in moved)
    keys = _probe([x.dtype for x in rows], comparator)
    ordered = _sorted_numbers(rows, keys, comparator)
    if ordered is None:
        order = _order_by_keys(rows, keys, comparator, is_stable)
        ordered = _taken(rows, _merged_order(rows, comparator) if order is None else order)
    shape = moved[0].shape
    return tuple(np.moveaxis(x.reshape(shape), -1, dimension) for x in ordered)


def _taken(rows: Arrays, order: Array) -> Arrays:
    return tuple(np.take_along_axis(x, order, -1) for x in rows)


def _before(comparator: Function, lhs: Arrays, rhs: Arrays) -> Array:
    """True where the comparator orders lhs before rhs."""
    pairs = [x for pair in zip(lhs, rhs, strict=True) for x in pair]
    return np.broadcast_to(comparator(*pairs)[0], np.broadcast_shapes(*(x.shape for x in pairs)))


# Sorting by keys


class _Key(NamedTuple):
    """An input that decides the order where the inputs before it are equal."""

    input: int
    descending: bool
    total: bool  # total order: -0 before +0, NaNs by their bits


def _sorted_numbers(rows: Arrays, keys: list[_Key], comparator: Function) -> Arrays | None:
    """Sort one numeric input by its key, if equal keys are identical, so that no permutation is needed."""
    if len(rows) != 1 or not keys or rows[0].dtype.kind == "c":
        return None
    values = cast(rows[0], wide(rows[0].dtype))
    if dtype_kind(values.dtype) == "f" and (
        np.isnan(values).any() or (np.signbit(values) & (values == 0)).any()
    ):
        return None
    values = np.sort(values, axis=-1)
    if keys[0].descending:
        values = np.ascontiguousarray(values[:, ::-1])
    ordered = cast(values, rows[0].dtype)
    same = values[:, 1:] == values[:, :-1]
    lower, upper = (ordered[:, :-1],), (ordered[:, 1:],)
    return (ordered,) if (same | _before(comparator, lower, upper)).all() else None


def _order_by_keys(rows: Arrays, keys: list[_Key], comparator: Function, is_stable: bool) -> Array | None:
    """Return the permutation that sorts by inferred keys, None if the comparator does not compare them."""
    if not keys:
        return None
    order = _sorted_order([k for key in keys for k in _integer_keys(rows[key.input], key)])
    ordered = _taken(rows, order)
    lower, upper = tuple(x[:, :-1] for x in ordered), tuple(x[:, 1:] for x in ordered)
    if _before(comparator, upper, lower).any():
        return None
    if is_stable and not (_before(comparator, lower, upper) | (order[:, 1:] > order[:, :-1])).all():
        return None
    return order


def _probe(dtypes: list[DType], comparator: Function) -> list[_Key]:
    """Infer the keys, most significant first, from the comparator's results on zeros and ones."""
    count = len(dtypes)
    step = [-1, 1]
    verdicts = {}  # signs of rhs - lhs for each input (0 if equal) -> whether lhs is first
    cases = [{i: s} for i in range(count) for s in step]
    cases += [{i: s, j: t} for i in range(count) for j in range(i) for s in step for t in step]
    lhs, rhs = _case_arrays(cases, dtypes)
    for case, before in zip(cases, _before(comparator, lhs, rhs).tolist(), strict=True):
        verdicts[frozenset(case.items())] = before
    up = {i: verdicts[frozenset({(i, 1)})] for i in range(count)}
    down = {i: verdicts[frozenset({(i, -1)})] for i in range(count)}
    used = [i for i in range(count) if up[i] != down[i]]

    def rank(i: int) -> int:
        """Return the number of keys more significant than this one: those that win where both differ."""
        sign = 1 if up[i] else -1
        others = [(j, -1 if up[j] else 1) for j in used if j != i]
        return sum(not verdicts[frozenset({(i, sign), other})] for other in others)

    signed_zeros = np.any(_before(comparator, *_zero_arrays(dtypes)), axis=0)
    return [_Key(i, down[i], bool(np.take(signed_zeros, i))) for i in sorted(used, key=rank)]


def _case_arrays(cases: list[dict[int, int]], dtypes: list[DType]) -> tuple[Arrays, Arrays]:
    """Return zeros and ones for each input and case: lhs is 1 where the sign is -1, rhs where it is 1."""
    signs = [[case.get(i, 0) for case in cases] for i in range(len(dtypes))]
    lhs = tuple((np.array(s) < 0).astype(d) for s, d in zip(signs, dtypes, strict=True))
    rhs = tuple((np.array(s) > 0).astype(d) for s, d in zip(signs, dtypes, strict=True))
    return lhs, rhs


def _zero_arrays(dtypes: list[DType]) -> tuple[Arrays, Arrays]:
    """Return -0 and +0 (and the reverse) in one input at a time, as (2, inputs)."""
    diagonal = np.eye(len(dtypes), dtype=np.bool_)
    signs = np.stack([np.where(diagonal, -0.0, 0.0), np.zeros(diagonal.shape)])
    lhs = tuple(signs[:, :, i].astype(d) for i, d in enumerate(dtypes))
    rhs = tuple(signs[::-1, :, i].astype(d) for i, d in enumerate(dtypes))
    return lhs, rhs


def _integer_keys(values: Array, key: _Key) -> Iterator[Array]:
    """Yield unsigned integers in the order of the values, most significant first."""
    parts = [values.real, values.imag] if values.dtype.kind == "c" else [values]
    for part in parts:
        numbers = cast(part, wide(part.dtype))
        if dtype_kind(numbers.dtype) == "f":
            if not key.total:
                numbers = np.where(np.isnan(numbers), numbers.dtype.type(np.nan), numbers + 0)
            numbers = total_order(np.ascontiguousarray(numbers))
        unsigned = np.dtype(f"u{numbers.itemsize}")
        bits = np.ascontiguousarray(numbers).view(unsigned)
        if numbers.dtype.kind == "i":
            bits = bits ^ unsigned.type(1 << 8 * unsigned.itemsize - 1)
        yield ~bits if key.descending else bits


def _sorted_order(keys: list[Array]) -> Array:
    """Return the stable permutation that sorts rows by keys, most significant first."""
    order: Array | None = None
    for limb in (limb for key in reversed(keys) for limb in _limbs(key)):
        if order is None:
            order = _stable_order(limb)
        elif (limb != limb[:, :1]).any():
            order = np.take_along_axis(order, _stable_order(np.take_along_axis(limb, order, -1)), -1)
    assert order is not None
    return order


def _limbs(key: Array) -> list[Array]:
    """Split a key into limbs for a stable sort, least significant first: 16-bit limbs for long rows."""
    width = 16 if key.shape[-1] >= _LONG else 32
    if 8 * key.itemsize <= width:
        return [key]
    limb, word = np.dtype(f"u{width // 8}"), key.dtype.type
    return [(key >> word(shift)).astype(limb) for shift in range(0, 8 * key.itemsize, width)]


def _stable_order(key: Array) -> Array:
    """Stable argsort: with the index below the key in one word, NumPy's fastest sort is stable."""
    if key.itemsize <= 2:
        return np.argsort(key, axis=-1, kind="stable")  # a radix sort
    words = (key.astype(np.uint64) << np.uint64(32)) | np.arange(key.shape[-1], dtype=np.uint64)
    words.sort(axis=-1)
    return (words & np.uint64(0xFFFFFFFF)).astype(np.intp)


# Sorting by merging


def _merged_order(rows: Arrays, comparator: Function) -> Array:
    """Return the stable permutation of rows: sorted runs are merged in pairs until one is left."""
    size = rows[0].shape[-1]
    order: Array = np.broadcast_to(np.arange(size), rows[0].shape)
    width = 1
    while width < size:
        order = _merge(rows, order, width, comparator)
        width *= 2
    return order


def _merge(rows: Arrays, order: Array, width: int, comparator: Function) -> Array:
    """Merge pairs of sorted runs of `width`: a binary search of every element in the other run."""
    size = order.shape[-1]
    ordered, place = _taken(rows, order), np.arange(size)
    start = place // (2 * width) * (2 * width)
    middle, end = np.minimum(start + width, size), np.minimum(start + 2 * width, size)
    left = place < middle
    low = np.broadcast_to(np.where(left, middle, start), order.shape)
    high = np.broadcast_to(np.where(left, end, middle), order.shape)
    for _ in range(width.bit_length()):
        probe = np.minimum((low + high) // 2, size - 1)
        other = _taken(ordered, probe)
        lhs = tuple(np.where(left, y, x) for x, y in zip(ordered, other, strict=True))
        rhs = tuple(np.where(left, x, y) for x, y in zip(ordered, other, strict=True))
        passed = (_before(comparator, lhs, rhs) == left) & (low < high)
        low, high = np.where(passed, probe + 1, low), np.where(passed, high, np.minimum(probe, high))
    target = np.where(left, place + low - middle, place - middle + low)
    merged = np.empty_like(order)
    np.put_along_axis(merged, target, order, -1)
    return merged
