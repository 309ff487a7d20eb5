"""Sort: by integer keys where the comparator orders by keys, otherwise by merging.

The order is inferred by probing the comparator with a few pairs of zeros and ones. The data are sorted in
that order, and the comparator is called once more, on all neighbors in the result. If it disagrees anywhere,
a merge sort calls it on whole arrays at a time. NaN that a comparator orders nowhere is above all numbers.

Long rows are sorted with temporary arrays of at most eight bytes for each element.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.kernels.merge_sort import merge_sorted
from stablehlo_py.kernels.numeric.matrix_product import cast
from stablehlo_py.kernels.numeric.numerics import dtype_kind, has_nan_payloads, total_order, wide
from stablehlo_py.kernels.registry import Array, DType, Function, kernel
from stablehlo_py.kernels.slabs import Cut, outer_dimension, row_slabs

Arrays = tuple[Array, ...]
_HALF = np.uint64(32)
_LONGEST = 1 << 19  # elements: longer rows are sorted with few temporary arrays
_LONG = 1 << 10  # elements: for longer rows, NumPy's radix sort of 16-bit keys is the fastest


def _slabs(inputs: Arrays, *, dimension: int) -> Cut | None:
    """Cut another dimension."""
    rank = inputs[0].ndim
    axis = outer_dimension(inputs[0], [d for d in range(rank) if d != dimension % rank])
    return None if axis is None else Cut((axis,), axis)


@kernel("stablehlo.sort", slabs=_slabs)
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
        by_keys = _sorted_by_keys if size < _LONGEST else _long_rows_sorted_by_keys
        ordered = by_keys(rows, keys, comparator)
    if ordered is None:
        ordered = merge_sorted(rows, partial(_before, comparator))
    shape = moved[0].shape
    return tuple(np.moveaxis(x.reshape(shape), -1, dimension) for x in ordered)


def _taken(rows: Arrays, order: Array) -> Arrays:
    return tuple(np.take_along_axis(x, order, -1) for x in rows)


def _before(comparator: Function, lhs: Arrays, rhs: Arrays) -> Array:
    """True where the comparator orders lhs before rhs."""
    pairs = [x for pair in zip(lhs, rhs, strict=True) for x in pair]
    return np.broadcast_to(comparator(*pairs)[0], np.broadcast_shapes(*(x.shape for x in pairs)))


def _in_order(rows: Arrays, comparator: Function, order: Array, keys: list[_Key]) -> bool:
    """Return True if the comparator orders no element before its left neighbor, and equal ones are in place.

    Args:
        rows: The sorted rows.
        comparator: The comparator.
        order: The permutation that sorted them.
        keys: The keys that they are sorted by.
    """
    height = rows[0].shape[0]
    for part in row_slabs(rows[0].shape[1] - 1, 8 * height):
        after = slice(part.start + 1, part.stop + 1)
        lower, upper = tuple(x[:, part] for x in rows), tuple(x[:, after] for x in rows)
        if _before(comparator, upper, lower).any():
            return False
        kept = _before(comparator, lower, upper) | (order[:, after] > order[:, part])
        if not kept.all() and not (kept | _have_nan((lower, upper), keys)).all():
            return False
    return True


# Sorting by keys


class _Key(NamedTuple):
    """An input that decides the order where the inputs before it are equal."""

    input: int
    descending: bool
    total: bool  # total order: -0 before +0, NaNs by their bits
    parts: int  # of a complex number that are compared: the real one, or both


def _sorted_numbers(rows: Arrays, keys: list[_Key], comparator: Function) -> Arrays | None:
    """Sort one numeric input by its key, if equal keys are identical, so that no permutation is needed."""
    if len(rows) != 1 or not keys or rows[0].dtype.kind == "c":
        return None
    dtype = rows[0].dtype
    if dtype_kind(dtype) == "f" and _has_nan_or_negative_zero(rows[0]):
        return None
    is_half = dtype_kind(dtype) == "f" and dtype.itemsize == 2
    values = total_order(np.ascontiguousarray(rows[0])) if is_half else cast(rows[0], wide(dtype))
    values = np.sort(values, axis=-1)
    if keys[0].descending:
        values = np.ascontiguousarray(values[:, ::-1])
    ordered = total_order(values).view(dtype) if is_half else cast(values, dtype)
    for part in row_slabs(ordered.shape[1] - 1, 8 * len(ordered)):
        lower, upper = ordered[:, part], ordered[:, part.start + 1 : part.stop + 1]
        if not ((lower == upper) | _before(comparator, (lower,), (upper,))).all():
            return None
    return (ordered,)


def _have_nan(pairs: Sequence[Arrays], keys: list[_Key]) -> Array:
    """True where one of several elements has NaN in a key, which comparators then order nowhere."""
    found = np.zeros((), np.bool_)
    for key in keys:
        if not key.total and dtype_kind(pairs[0][key.input].dtype) in "fc":
            for part in [part for arrays in pairs for part in _parts(arrays[key.input], key)]:
                found = found | np.isnan(cast(part, wide(part.dtype)))
    return found


def _parts(values: Array, key: _Key) -> list[Array]:
    """Return the parts of numbers that are compared, the first one first."""
    return [values.real, values.imag][: key.parts] if values.dtype.kind == "c" else [values]


def _has_nan_or_negative_zero(rows: Array) -> bool:
    for part in row_slabs(rows.shape[1], 8 * len(rows)):
        values = cast(rows[:, part], wide(rows.dtype))
        if np.isnan(values).any() or (np.signbit(values) & (values == 0)).any():
            return True
    return False


def _sorted_by_keys(rows: Arrays, keys: list[_Key], comparator: Function) -> Arrays | None:
    """Sort by inferred keys; None if the comparator does not compare them."""
    if not keys:
        return None
    order = _sorted_order([k for key in keys for k in _integer_keys(rows[key.input], key)])
    ordered = _taken(rows, order)
    return ordered if _in_order(ordered, comparator, order, keys) else None


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

    def told_apart(low: complex, high: complex) -> Array:
        """Test for each input whether the comparator orders two numbers of it."""
        ordered: Array = np.any(_before(comparator, *_pair_arrays(dtypes, low, high)), axis=0)
        return ordered

    signed_zeros = told_apart(-0.0, 0.0)
    has_complex = any(dtype.kind == "c" for dtype in dtypes)
    imaginary = told_apart(0, 1j) if has_complex else np.zeros(count, np.bool_)
    return [
        _Key(i, down[i], bool(np.take(signed_zeros, i)), 1 + bool(np.take(imaginary, i)))
        for i in sorted(used, key=rank)
    ]


def _case_arrays(cases: list[dict[int, int]], dtypes: list[DType]) -> tuple[Arrays, Arrays]:
    """Return zeros and ones for each input and case: lhs is 1 where the sign is -1, rhs where it is 1."""
    signs = [[case.get(i, 0) for case in cases] for i in range(len(dtypes))]
    lhs = tuple(_low_or_high(np.array(s) < 0, d) for s, d in zip(signs, dtypes, strict=True))
    rhs = tuple(_low_or_high(np.array(s) > 0, d) for s, d in zip(signs, dtypes, strict=True))
    return lhs, rhs


def _low_or_high(is_high: Array, dtype: DType) -> Array:
    """Return zeros and ones, ones and twos of a type without 0."""
    row = element_type_of(dtype)
    has_zero = row is None or row.format is None or row.format.signed
    return is_high.astype(dtype) if has_zero else (1 + is_high).astype(dtype)


def _pair_arrays(dtypes: list[DType], low: complex, high: complex) -> tuple[Arrays, Arrays]:
    """Return two numbers (and the reverse) in one input at a time, as (2, inputs); zeros in others."""
    diagonal = np.eye(len(dtypes), dtype=np.bool_)
    pairs = np.stack([np.where(diagonal, number, 0.0) for number in (low, high)])
    numbers = [pairs if d.kind == "c" else pairs.real for d in dtypes]
    lhs = tuple(x[:, :, i].astype(d) for i, (x, d) in enumerate(zip(numbers, dtypes, strict=True)))
    return lhs, tuple(x[::-1] for x in lhs)


def _integer_keys(values: Array, key: _Key) -> Iterator[Array]:
    """Yield unsigned integers in the order of the values, most significant first."""
    for part in _parts(values, key):
        by_bits = key.total and dtype_kind(part.dtype) == "f" and has_nan_payloads(part.dtype)
        numbers = part if by_bits else cast(part, wide(part.dtype))
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
    width = 16 if keys[0].shape[-1] >= _LONG else 32
    for limb in (limb for key in reversed(keys) for limb in _limbs(key, width)):
        if order is None:
            order = _stable_order(limb)
        elif (limb != limb[:, :1]).any():
            order = np.take_along_axis(order, _stable_order(np.take_along_axis(limb, order, -1)), -1)
    assert order is not None
    return order


def _limbs(key: Array, width: int) -> list[Array]:
    """Split a key into limbs of at most `width` bits, least significant first."""
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


# Long rows


def _long_rows_sorted_by_keys(rows: Arrays, keys: list[_Key], comparator: Function) -> Arrays | None:
    """Sort by inferred keys, row by row; None if the comparator does not compare them."""
    if not keys:
        return None
    ordered = tuple(np.empty(x.shape, x.dtype) for x in rows)
    for number in range(len(rows[0])):
        row, result = (tuple(x[number, None] for x in arrays) for arrays in (rows, ordered))
        order = _long_order(row, keys)
        for part in row_slabs(len(order), 8):
            for x, y in zip(row, result, strict=True):
                y[0, part] = x[0, order[part]]
        if not _in_order(result, comparator, order[None], keys):
            return None
    return ordered


def _long_order(row: Arrays, keys: list[_Key]) -> Array:
    """Return the stable permutation that sorts one row by keys: 32-bit limbs, the least significant first."""

    def limbs(elements: Array | slice) -> list[Array]:
        """The limbs of the keys of some elements, most significant first."""
        found = [k for key in keys for k in _integer_keys(row[key.input][0, elements], key)]
        return [limb for key in found for limb in reversed(_limbs(key, 32))]

    size = row[0].shape[1]
    order: Array | None = None
    words = np.empty(size, np.uint64)
    for number in reversed(range(len(limbs(slice(0, 1))))):
        for part in row_slabs(size, 8):
            limb = limbs(part if order is None else order[part])[number]
            words[part] = (limb.astype(np.uint64) << _HALF) | np.arange(
                part.start, part.stop, dtype=np.uint64
            )
        words.sort()
        places = words.view(np.uint32)[sys.byteorder == "big" :: 2]
        if order is None:
            order = places if number == 0 else places.copy()
            continue
        for part in row_slabs(size, 8):
            places[part] = order[places[part]]
        order = places if number == 0 else places.copy()
    assert order is not None
    return order
