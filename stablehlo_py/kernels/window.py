"""Reductions over windows, and select_and_scatter.

A window is reduced one dimension at a time, the last first, which combines its elements in order. A dimension
is combined tap by tap or, where that is less work, from windows of 1, 2, 4, ... elements. Small windows of
floats are reduced tap by tap, as the specification's own evaluation does, so that results are rounded alike.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.numeric.matrix_product import cast
from stablehlo_py.kernels.numeric.ufuncs import COMPLEX_PRODUCT, Ufunc
from stablehlo_py.kernels.reduction import REORDERABLE, SMALL, element_dtypes, fresh, is_rounded
from stablehlo_py.kernels.registry import Array, DType, Function, Ints, kernel
from stablehlo_py.kernels.slabs import SLAB, Cut, outer_dimension, row_slabs

Arrays = tuple[Array, ...]

_FEW_TAPS = 1 << 6  # elements of a window
_FEW_SPANS = 8  # dimensions of fewer windows side by side are not cut


def _slabs(
    inputs: Arrays,
    init_values: Arrays,
    *,
    window_dimensions: Ints,
    window_strides: Ints,
    base_dilations: Ints,
    padding: Array,
) -> Cut | None:
    """Cut a dimension along which windows are single elements."""
    plain = _single(window_dimensions, window_strides, padding)
    axis = outer_dimension(inputs[0], [d for d in plain if base_dilations[d] == 1])
    return None if axis is None else Cut((axis, None), axis)


def _single(sizes: Ints, strides: Ints, padding: Array) -> list[int]:
    """Return the dimensions along which each window is one element."""
    padded: list[bool] = (np.asarray(padding).reshape(-1, 2) != 0).any(axis=1).tolist()
    rows = enumerate(zip(sizes, strides, padded, strict=True))
    return [d for d, (size, stride, pads) in rows if size == stride == 1 and not pads]


@kernel("stablehlo.reduce_window", slabs=_slabs)
def reduce_window(
    inputs: Arrays,
    init_values: Arrays,
    *,
    window_dimensions: Ints,
    window_strides: Ints,
    base_dilations: Ints,
    window_dilations: Ints,
    padding: Array,
    body: Function,
    results: tuple[Type, ...],
) -> Arrays:
    """Combination of the elements of each window, and initial values (reduce_window)."""
    axes = _axes(window_dimensions, window_strides, window_dilations, padding, base_dilations)
    dtypes = element_dtypes(results)
    return _windows_in_slabs(inputs, axes, lambda x, a: _reduced(x, init_values, a, body, dtypes))


def _axes(sizes: Ints, strides: Ints, dilations: Ints, padding: Array, bases: Ints) -> list[_Axis]:
    rows = zip(sizes, strides, dilations, np.asarray(padding).tolist(), bases, strict=True)
    return [
        _Axis(number, size, stride, dilation, low, high, base)
        for number, (size, stride, dilation, (low, high), base) in enumerate(rows)
    ]


def _windows_in_slabs(
    inputs: Arrays, axes: list[_Axis], reduce: Callable[[Arrays, list[_Axis]], Arrays]
) -> Arrays:
    """Reduce windows slab by slab along the longest dimension; slabs share what windows share."""
    axis = max(axes, key=lambda axis: inputs[0].shape[axis.number], default=None)
    if axis is None or axis.base > 1 or max(x.nbytes for x in inputs) <= SLAB:
        return reduce(inputs, axes)
    length = inputs[0].shape[axis.number]
    span, count = axis.span, axis.count(axis.low + length + axis.high)
    row_bytes = max(x.nbytes for x in inputs) // length * axis.stride
    if span * _FEW_SPANS > length or count * row_bytes <= SLAB:
        return reduce(inputs, axes)
    found: Arrays = ()
    for part in row_slabs(count, row_bytes):
        start = part.start * axis.stride - axis.low
        stop = (part.stop - 1) * axis.stride + span - axis.low
        own = axis._replace(low=max(0, -start), high=max(0, stop - length))
        index = _at(axis, max(0, start), max(0, min(stop, length)))
        changed = [*axes[: axis.number], own, *axes[axis.number + 1 :]]
        totals = reduce(tuple(x[index] for x in inputs), changed)
        found = found or tuple(np.empty(_with_size(x.shape, axis.number, count), x.dtype) for x in totals)
        for whole, total in zip(found, totals, strict=True):
            whole[_at(axis, part.start, part.stop)] = total
    return found


def _with_size(shape: Ints, axis: int, size: int) -> Ints:
    return (*shape[:axis], size, *shape[axis + 1 :])


def _reduced(
    inputs: Arrays, init_values: Arrays, axes: list[_Axis], body: Function, dtypes: list[DType]
) -> Arrays:
    ufunc = body.ufunc if body.ufunc in REORDERABLE else None
    values = tuple(cast(x, dtype) for x, dtype in zip(inputs, dtypes, strict=True))
    inits = tuple(cast(x, dtype) for x, dtype in zip(init_values, dtypes, strict=True))
    combine = _Combine(body, ufunc, dtypes[0])
    is_small = math.prod(axis.size for axis in axes) <= _FEW_TAPS and values[0].size <= SMALL
    if is_small and any(is_rounded(body.ufunc, x.dtype) for x in values):
        totals, shape = _tap_by_tap(values, inits, axes, combine)
    else:
        values = _axis_by_axis(values, inits, axes, combine)
        totals, shape = combine(*inits, *values), values[0].shape
    sources = (*inputs, *init_values)
    return tuple(fresh(t, shape, d, sources) for t, d in zip(totals, dtypes, strict=True))


class _Axis(NamedTuple):
    """The window along one dimension, and the padding and dilation of the input."""

    number: int
    size: int
    stride: int
    dilation: int
    low: int
    high: int
    base: int

    @property
    def span(self) -> int:
        """The number of elements from the first to the last of a window."""
        return (self.size - 1) * self.dilation + 1

    def count(self, length: int) -> int:
        """Return the number of windows along a padded dimension."""
        return (length - self.span) // self.stride + 1 if self.span <= length else 0

    def cumulative(self, length: int) -> bool:
        """Return True if output i covers inputs 0..i, or i to the last."""
        is_cumulative = self.stride == self.dilation == self.base == 1 and self.size >= length > 1
        return is_cumulative and (self.low, self.high) in ((self.size - 1, 0), (0, self.size - 1))


class _Combine:
    """A body on lifted values, called through its ufunc where it has one."""

    def __init__(self, body: Function, ufunc: Ufunc | None, dtype: DType):
        self.body, self.ufunc = body, ufunc
        self.fuses = ufunc is COMPLEX_PRODUCT and dtype == np.complex64

    def __call__(self, *arrays: Array) -> Arrays:
        if self.fuses:
            return (_product(*arrays),)
        if self.ufunc is not None:
            return (self.ufunc(*arrays),)
        shape = np.broadcast_shapes(*[array.shape for array in arrays])
        found = self.body(*arrays)  # of another shape if the body returns a captured value
        return tuple([x if x.shape == shape else np.broadcast_to(x, shape) for x in found])

    def fold(self, parts: Iterator[Arrays]) -> Arrays:
        """Combine parts from the first to the last."""
        total, owned = next(parts), False
        for part in parts:
            if owned and self.ufunc is not None and not self.fuses:
                self.ufunc(total[0], part[0], out=total[0])
            else:
                total, owned = self(*total, *part), True
        return total


def _tap_by_tap(values: Arrays, inits: Arrays, axes: list[_Axis], combine: _Combine) -> tuple[Arrays, Ints]:
    """Combine the initial values with the elements of each window, in order.

    Returns:
        The totals, which broadcast to the shape of the result, and that shape.
    """
    for axis in axes:
        values = _padded(values, inits, axis)
    counts = [axis.count(length) for axis, length in zip(axes, values[0].shape, strict=True)]
    taps = np.ndindex(*(axis.size for axis in axes)) if all(counts) else ()
    parts = (tuple(x[_tap(axes, counts, tap)] for x in values) for tap in taps)
    return combine.fold(itertools.chain((inits,), parts)), tuple(counts)


def _tap(axes: list[_Axis], counts: Sequence[int], offsets: Ints) -> tuple[slice, ...]:
    """Return an index of the elements of all windows at one offset."""
    starts = [axis.dilation * offset for axis, offset in zip(axes, offsets, strict=True)]
    ends = [s + (n - 1) * a.stride + 1 for s, n, a in zip(starts, counts, axes, strict=True)]
    return tuple(slice(s, e, a.stride) for s, e, a in zip(starts, ends, axes, strict=True))


def _axis_by_axis(values: Arrays, inits: Arrays, axes: list[_Axis], combine: _Combine) -> Arrays:
    """Combine the elements of each window along one dimension after the other, the last first."""
    steady = all(map(np.array_equal, combine(*inits, *inits), inits))
    if not steady:  # combining initial values changes them: all padding is applied up front
        for axis in axes:
            values = _padded(values, inits, axis)
    for axis in reversed(axes):
        if steady and combine.ufunc is not None and axis.cumulative(values[0].shape[axis.number]):
            values = (_accumulated(values[0], combine, axis),)
        else:
            values = _along(_padded(values, inits, axis) if steady else values, axis, combine)
    return values


def _padded(values: Arrays, inits: Arrays, axis: _Axis) -> Arrays:
    """Insert `base - 1` initial values between the values, and padding around them."""
    if not (axis.low or axis.high) and axis.base == 1:
        return values
    return tuple(_pad(x, init, axis) for x, init in zip(values, inits, strict=True))


def _pad(array: Array, init: Array, axis: _Axis) -> Array:
    size = array.shape[axis.number]
    dilated = (size - 1) * axis.base + 1 if size else 0
    total = axis.low + dilated + axis.high
    shape = [total if d == axis.number else n for d, n in enumerate(array.shape)]
    if total <= 0:
        return np.empty([max(0, n) for n in shape], array.dtype)
    first = max(0, -(axis.low // axis.base))  # input elements first..last-1 are inside
    last = min(size, (total - 1 - axis.low) // axis.base + 1)
    output = np.full(shape, init, array.dtype)
    if first < last:
        place = axis.low + first * axis.base
        end = axis.low + (last - 1) * axis.base + 1
        output[_at(axis, place, end, axis.base)] = array[_at(axis, first, last)]
    return output


def _at(axis: _Axis, start: int, stop: int, step: int = 1) -> tuple[slice, ...]:
    """Return an index that slices one dimension."""
    return (*(slice(None),) * axis.number, slice(start, stop, step))


def _along(values: Arrays, axis: _Axis, combine: _Combine) -> Arrays:
    """Reduce windows along one dimension."""
    length, span = values[0].shape[axis.number], axis.span
    count = axis.count(length)
    if not count:
        return tuple(x[_at(axis, 0, 0)] for x in values)
    doublings = axis.size.bit_length() + axis.size.bit_count() - 2
    if (axis.size - 1) * count <= doublings * length:
        end = (count - 1) * axis.stride + 1
        taps = (_at(axis, t, t + end, axis.stride) for t in range(0, span, axis.dilation))
        return combine.fold(tuple(x[tap] for x in values) for tap in taps)
    windows = _by_doubling(values, axis, length - span + 1, combine)
    return tuple(x[_at(axis, 0, length, axis.stride)] for x in windows)


def _by_doubling(values: Arrays, axis: _Axis, count: int, combine: _Combine) -> Arrays:
    """Reduce all `count` windows by combining windows whose sizes are powers of two."""
    total: Arrays | None = None
    offset, width = 0, 1
    while True:
        if axis.size & width:
            part = tuple(x[_at(axis, offset, offset + count)] for x in values)
            total = part if total is None else combine(*total, *part)
            offset += width * axis.dilation
        if 2 * width > axis.size:
            assert total is not None
            return total
        shift, length = width * axis.dilation, values[0].shape[axis.number]
        values = combine(
            *(x[_at(axis, 0, length - shift)] for x in values),
            *(x[_at(axis, shift, length)] for x in values),
        )
        width *= 2


def _accumulated(array: Array, combine: _Combine, axis: _Axis) -> Array:
    """Combine all elements up to each or, where the padding is behind, from each to the last."""
    assert combine.ufunc is not None
    accumulate = _running_products if combine.fuses else combine.ufunc.accumulate
    if axis.low:
        return np.asarray(accumulate(array, axis.number, array.dtype))
    reverse = _at(axis, -1, -array.shape[axis.number] - 1, -1)
    return np.asarray(accumulate(array[reverse], axis.number, array.dtype)[reverse])


def _running_products(array: Array, axis: int, dtype: DType) -> Array:
    """Return cumulative products of complex numbers."""
    parts = np.moveaxis(array, axis, 0)
    found = np.empty(parts.shape, dtype)
    found[:1] = parts[:1]
    for index in range(1, len(parts)):
        found[index] = _product(found[index - 1], parts[index])
    return np.moveaxis(found, 0, axis)


def _product(a: Array, b: Array) -> Array:
    """Return the product of complex numbers, rounded as by XLA, since errors accumulate.

    XLA fuses one multiplication of each part with the addition; f64 holds that exactly before rounding.
    """
    found = np.empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    found.real = a.real.astype(np.float64) * b.real - a.imag * b.imag
    found.imag = a.imag.astype(np.float64) * b.real + a.real * b.imag
    return found


def _slabs_of_scatter(
    operand: Array,
    source: Array,
    init_value: Array,
    *,
    window_dimensions: Ints,
    window_strides: Ints,
    padding: Array,
) -> Cut | None:
    axis = outer_dimension(operand, _single(window_dimensions, window_strides, padding))
    return None if axis is None else Cut((axis, axis, None), axis)


@kernel("stablehlo.select_and_scatter", slabs=_slabs_of_scatter)
def select_and_scatter(
    operand: Array,
    source: Array,
    init_value: Array,
    *,
    window_dimensions: Ints,
    window_strides: Ints,
    padding: Array,
    select: Function,
    scatter: Function,
    result: TensorType,
) -> Array:
    """Source values combined into the elements chosen from their windows (select_and_scatter)."""
    dtype = numpy_dtype(result.element_type)
    lows = np.asarray(padding).reshape(-1, 2)[:, 0].tolist()
    taps = list(_taps(operand.shape, source.shape, window_dimensions, window_strides, lows))
    chosen = _chosen_taps(operand, source.shape, taps, select)
    values = cast(source, dtype)
    output = np.full(operand.shape, init_value, dtype)
    for number, (sources, elements) in reversed(list(enumerate(taps, 1))):  # source order
        target = output[elements]
        _replace(target, scatter(target, values[sources])[0], chosen[sources] == number)
    return output


def _replace(target: Array, value: Array, where: Array) -> None:
    """`target[where] = value[where]`, by bitwise operations: masked copies stall on irregular masks."""
    if target.itemsize > 8:
        np.copyto(target, value, where=where)
        return
    word = np.dtype(f"u{target.itemsize}")
    bits = target.view(word)
    mask = np.negative(where.astype(word))
    bits ^= (bits ^ np.broadcast_to(value, target.shape).view(word)) & mask


Tap = tuple[tuple[slice, ...], tuple[slice, ...]]


def _taps(shape: Ints, windows: Ints, sizes: Ints, strides: Ints, lows: Sequence[int]) -> Iterator[Tap]:
    """Yield for each tap, in order, the windows where it is inside the operand, and the elements there."""
    for tap in np.ndindex(*sizes):
        sources, elements = [], []
        for size, count, stride, low, offset in zip(shape, windows, strides, lows, tap, strict=True):
            first = max(0, -((offset - low) // stride))
            last = min(count, (size - 1 + low - offset) // stride + 1)
            start = first * stride + offset - low
            sources.append(slice(first, max(first, last)))
            elements.append(slice(start, start + max(0, last - first - 1) * stride + (last > first), stride))
        yield tuple(sources), tuple(elements)


def _chosen_taps(operand: Array, windows: Ints, taps: list[Tap], select: Function) -> Array:
    """Return for each window the number, from 1, of the tap that `select` prefers; 0 if none is inside."""
    chosen = np.zeros(windows, np.uint8 if len(taps) < 1 << 8 else np.uint64)
    best = np.zeros(windows, operand.dtype)
    complete = False
    for number, (sources, elements) in enumerate(taps, 1):
        value, champion, choice = operand[elements], best[sources], chosen[sources]
        better = np.broadcast_to(~select(champion, value)[0], champion.shape)
        if not complete:
            better = better | (choice == 0)
        _replace(champion, value, better)
        np.maximum(choice, better * chosen.dtype.type(number), out=choice)
        complete = complete or choice.shape == windows
    return chosen
