"""Convolutions by im2col: products of a window matrix with a matrix of the kernel.

Operands are viewed as lhs (batch, feature, spatial...) and rhs (input feature, output feature, spatial...),
whatever their order in memory. Zeros inserted by lhs dilation are never multiplied: the outputs that share a
phase with respect to the dilation form a convolution without it; where the kernel has infinities or NaNs,
outputs that such a product makes NaN are found afterwards. The window matrix is copied block by block
from a strided view of lhs, in the memory order of lhs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels.numeric.matrix_product import ONE_THREAD, cast, matrix_product
from stablehlo_py.kernels.numeric.numerics import wide
from stablehlo_py.kernels.registry import Array, Ints, kernel
from stablehlo_py.kernels.slabs import Cut, check_limits, outer_dimension

_BLOCK = 1 << 22  # bytes of a block of the window matrix, which stays in cache until it is multiplied
_SLAB = 1 << 23  # bytes of images: smaller slabs are slow to multiply
_FEW_FEATURES = 16  # output features up to which copying windows dominates: one thread of BLAS is fastest
_FEW_OUTPUTS = 256  # outputs up to which a loop over outputs is faster than one over groups


def _slabs(
    lhs: Array,
    rhs: Array,
    *,
    input_batch_dimension: int,
    output_batch_dimension: int,
    batch_group_count: int,
) -> Cut | None:
    """Cut a batch of images that are not grouped."""
    if batch_group_count != 1 or outer_dimension(lhs, (input_batch_dimension,)) is None:
        return None
    return Cut((input_batch_dimension, None), output_batch_dimension, _SLAB)


@kernel("stablehlo.convolution", slabs=_slabs)
def convolution(
    lhs: Array,
    rhs: Array,
    *,
    window_strides: Ints,
    padding: Array,
    lhs_dilation: Ints,
    rhs_dilation: Ints,
    window_reversal: tuple[bool, ...],
    input_batch_dimension: int,
    input_feature_dimension: int,
    input_spatial_dimensions: Ints,
    kernel_input_feature_dimension: int,
    kernel_output_feature_dimension: int,
    kernel_spatial_dimensions: Ints,
    output_batch_dimension: int,
    output_feature_dimension: int,
    output_spatial_dimensions: Ints,
    feature_group_count: int,
    batch_group_count: int,
    result: TensorType,
) -> Array:
    """Dot products of windows of lhs with the kernel rhs (convolution)."""
    dtype = numpy_dtype(result.element_type)
    image = lhs.transpose(input_batch_dimension, input_feature_dimension, *input_spatial_dimensions)
    weights = rhs.transpose(
        kernel_input_feature_dimension, kernel_output_feature_dimension, *kernel_spatial_dimensions
    )
    reversal = tuple(slice(None, None, -1 if reverse else None) for reverse in window_reversal)
    dimensions = tuple(
        dimension_of(*numbers)
        for numbers in zip(
            image.shape[2:],
            weights.shape[2:],
            window_strides,
            np.asarray(padding)[:, 0].tolist(),
            np.asarray(padding)[:, 1].tolist(),
            lhs_dilation,
            rhs_dilation,
            strict=True,
        )
    )
    image = cast(image, wide(dtype))
    weights = cast(weights, wide(dtype))[(slice(None), slice(None), *reversal)]
    groups = _Groups(feature_group_count, batch_group_count)
    features_last = output_feature_dimension == result.rank - 1
    output = _over_phases(image, weights, dimensions, groups, features_last=features_last)
    if any(distance > 1 for distance in lhs_dilation) and not np.isfinite(weights).all():
        output[_reads_zeros(image, weights, dimensions, groups)] = np.nan
    order = (output_batch_dimension, output_feature_dimension, *output_spatial_dimensions)
    return cast(output, dtype).transpose(np.argsort(order))


class Phase(NamedTuple):
    """Outputs along a dimension whose windows start at regular distances in lhs, without lhs dilation.

    Output i of `outputs` reads tap t of `taps` at `start + i * stride + t * dilation`.
    """

    outputs: slice
    taps: slice
    start: int
    stride: int
    dilation: int
    output_count: int
    width: int  # number of taps


class Dimension(NamedTuple):
    """A spatial dimension of the result: its size and its phases."""

    size: int
    phases: tuple[Phase, ...]


class _Groups(NamedTuple):
    features: int
    batches: int


Window = tuple[Phase, ...]
Slices = tuple[slice, ...]


@lru_cache(4096)
def dimension_of(
    size: int, taps: int, stride: int, low: int, high: int, base: int, dilation: int
) -> Dimension:
    """Return the phases of a dimension of `size` elements, `base` apart, for `taps` taps at a dilation."""
    padded = low + high + ((size - 1) * base + 1 if size else 0)
    window = (taps - 1) * dilation + 1 if taps else 0
    total = 0 if padded == 0 or window > padded else (padded - window) // stride + 1
    period, step = base // math.gcd(base, stride), base // math.gcd(base, dilation)
    phases = []
    for tap in range(min(step, taps)):
        first = _first_output(low - tap * dilation, stride, base)
        if first is None or first >= total:
            continue
        phases.append(
            Phase(
                slice(first, total, period),
                slice(tap, taps, step),
                (first * stride - low + tap * dilation) // base,
                period * stride // base,
                step * dilation // base,
                (total - 1 - first) // period + 1,
                (taps - 1 - tap) // step + 1,
            )
        )
    return Dimension(total, tuple(sorted(phases, key=lambda phase: phase.outputs.start)))


def _first_output(distance: int, stride: int, base: int) -> int | None:
    """Return the first output whose window reads elements, not the zeros between them; None if there is none.

    It is the smallest i with i * stride = distance modulo base.
    """
    common = math.gcd(stride, base)
    if distance % common:
        return None
    period = base // common
    return distance // common * pow(stride // common, -1, period) % period


def _over_phases(
    image: Array, weights: Array, dimensions: tuple[Dimension, ...], groups: _Groups, *, features_last: bool
) -> Array:
    """Return the convolution, as (batch, feature, spatial...), assembled from its phases."""
    sizes = tuple(d.size for d in dimensions)
    parts = []
    for window in product(*(d.phases for d in dimensions)) if image.size and weights.size else ():
        taps = weights[(slice(None), slice(None), *(phase.taps for phase in window))]
        parts.append((window, _grouped(image, taps, window, groups, features_last)))
    if len(parts) == 1 and parts[0][1].shape[2:] == sizes:
        return parts[0][1]
    output = np.zeros((image.shape[0] // groups.batches, *sizes, weights.shape[1]), image.dtype)
    output = np.moveaxis(output, -1, 1)
    for window, part in parts:
        output[(slice(None), slice(None), *(phase.outputs for phase in window))] = part
    return output


def _reads_zeros(image: Array, weights: Array, dimensions: tuple[Dimension, ...], groups: _Groups) -> Array:
    """Test which outputs multiply an infinite or NaN weight by a zero of the dilation or of the padding."""
    infinite = (~np.isfinite(weights)).astype(np.float64)
    count = _over_phases(np.ones(image.shape), infinite, dimensions, groups, features_last=False)
    all_of_them = infinite.sum((0, *range(2, infinite.ndim)))
    reads: Array = count < all_of_them.reshape(-1, *(1,) * len(dimensions))
    return reads


def _grouped(image: Array, weights: Array, window: Window, groups: _Groups, features_last: bool) -> Array:
    """Compute one phase, group by group; groups of one input feature or of one image in one step."""
    if groups == (1, 1):
        return _by_products(image, weights, window, features_last)
    count = max(groups)
    axis = 1 if groups.features > 1 else 0
    if image.shape[axis] == count and axis == 1:
        return _by_taps(image, weights, window)
    if image.shape[axis] == count and math.prod(phase.output_count for phase in window) <= _FEW_OUTPUTS:
        return _by_outputs(image, weights, window)
    pairs = zip(np.split(image, count, axis), np.split(weights, count, 1), strict=True)
    return np.concatenate([_by_products(i, w, window, features_last) for i, w in pairs], 1)


def _windows(image: Array, window: Window) -> Array:
    """Return a view (batch, feature, outputs..., taps...) of the image, zero-padded where needed."""
    padding, inside = [(0, 0), (0, 0)], [slice(None), slice(None)]
    for size, phase in zip(image.shape[2:], window, strict=True):
        end = phase.start + (phase.output_count - 1) * phase.stride + (phase.width - 1) * phase.dilation + 1
        low, high = max(0, -phase.start), max(0, end - size)
        padding.append((low, high))
        inside.append(slice(max(0, phase.start), max(0, end)))
    cut = image[tuple(inside)]
    padded = _padded(cut, padding) if any(map(any, padding)) else cut
    batch, feature, *spatial = padded.strides
    strides = [s * phase.stride for s, phase in zip(spatial, window, strict=True)]
    strides += [s * phase.dilation for s, phase in zip(spatial, window, strict=True)]
    shape = (*(phase.output_count for phase in window), *(phase.width for phase in window))
    return as_strided(padded, (*image.shape[:2], *shape), (batch, feature, *strides), writeable=False)


def _padded(image: Array, padding: list[tuple[int, int]]) -> Array:
    """Return the image with zero padding, in the same memory order."""
    order = sorted(range(image.ndim), key=lambda d: -abs(image.strides[d]))
    shape = [low + size + high for size, (low, high) in zip(image.shape, padding, strict=True)]
    output = np.zeros([shape[d] for d in order], image.dtype).transpose(np.argsort(order))
    output[tuple(slice(low, low + size) for size, (low, _) in zip(image.shape, padding, strict=True))] = image
    return output


def _by_products(image: Array, weights: Array, window: Window, features_last: bool) -> Array:
    """Multiply blocks of the window matrix by the kernel; the axis order follows memory."""
    view = _windows(image, window)
    rows, terms, rows_inner = _order(view.shape, view.strides)
    row_sizes, term_sizes = (tuple(view.shape[axis] for axis in axes) for axes in (rows, terms))
    features = weights.shape[1]
    matrix = weights.transpose(*(0 if axis == 1 else axis - len(window) for axis in terms), 1)
    if features == 1:  # a product with a vector takes several threads in BLAS, which costs more than a column
        matrix = np.repeat(matrix, 2, -1)
    output = np.zeros((*row_sizes, features) if features_last else (features, *row_sizes), image.dtype)
    view = view.transpose(terms + rows if rows_inner else rows + terms)
    limit = _BLOCK // image.itemsize
    if features <= _FEW_FEATURES:
        limit = min(limit, ONE_THREAD // max(1, matrix.shape[-1]))
    for row_block, term_block in _blocks(row_sizes, term_sizes, max(limit, weights.size)):
        check_limits()
        factor = matrix[term_block].reshape(-1, matrix.shape[-1])
        block = np.ascontiguousarray(view[term_block + row_block if rows_inner else row_block + term_block])
        windows = block.reshape(len(factor), -1).T if rows_inner else block.reshape(-1, len(factor))
        if features_last:
            target = output[row_block]
            target += matrix_product(windows, factor, image.dtype)[:, :features].reshape(target.shape)
        else:
            target = output[(slice(None), *row_block)]
            target += matrix_product(factor.T, windows.T, image.dtype)[:features].reshape(target.shape)
    places = [rows.index(axis) + (not features_last) for axis in (0, *range(2, 2 + len(window)))]
    return output.transpose(places[0], -1 if features_last else 0, *places[1:])


@lru_cache(4096)
def _order(shape: Ints, strides: Ints) -> tuple[Ints, Ints, bool]:
    """Split the axes of windows (batch, feature, outputs..., taps...) into rows and terms of a matrix.

    Returns:
        The row axes and the term axes, each in memory order, and whether rows are the inner axes in memory.
    """
    rank = (len(shape) - 2) // 2

    def order(axes: Ints) -> Ints:
        return tuple(sorted(axes, key=lambda axis: -abs(strides[axis])))

    rows, terms = order((0, *range(2, 2 + rank))), order((1, *range(2 + rank, 2 + 2 * rank)))
    steps = [abs(stride) for stride, size in zip(strides, shape, strict=True) if size > 1]
    near = [axis for axis in range(len(shape)) if abs(strides[axis]) <= 4 * min(steps, default=0)]
    longest = max(near, key=lambda axis: shape[axis], default=1)
    return rows, terms, longest in rows


def _blocks(rows: Ints, terms: Ints, limit: int) -> Iterator[tuple[Slices, Slices]]:
    """Cut a window matrix into blocks of about `limit` elements.

    The cut is across the longer side, so that blocks share the smaller of result and kernel.
    """
    if math.prod(rows) >= math.prod(terms):
        for cut in _cuts(rows + terms, limit):
            yield cut[: len(rows)], cut[len(rows) :]
    else:
        for cut in _cuts(terms + rows, limit):
            yield cut[len(terms) :], cut[: len(terms)]


def _cuts(sizes: Ints, limit: int) -> Iterator[Slices]:
    """Yield slices that cut an array of these sizes into blocks of about `limit` elements."""
    inner = math.prod(sizes[1:])
    if len(sizes) > 1 and inner > limit:
        for i in range(sizes[0]):
            for rest in _cuts(sizes[1:], limit):
                yield (slice(i, i + 1), *rest)
        return
    step = max(1, limit // max(1, inner))
    for i in range(0, sizes[0], step):
        yield (slice(i, i + step), *(slice(None) for _ in sizes[1:]))


def _by_taps(image: Array, weights: Array, window: Window) -> Array:
    """Compute groups of one input feature: multiply and add tap by tap, for all features at once.

    The innermost loops are along features, or along the last spatial dimension where features are few.
    """
    rank, (batch, groups) = len(window), image.shape[:2]
    few = weights.shape[1] < _FEW_FEATURES
    view = _windows(np.ascontiguousarray(image) if few else image, window)
    outputs = tuple(phase.output_count for phase in window)
    per_group = weights.shape[1] // groups
    factors = weights.reshape(groups, per_group, *weights.shape[2:])  # drops the single input feature
    order = (batch, groups, per_group, *outputs) if few else (batch, *outputs, groups, per_group)
    output, product = np.zeros(order, image.dtype), np.empty(order, image.dtype)
    if not few:
        output, product = (np.moveaxis(array, (-2, -1), (1, 2)) for array in (output, product))
    for tap in np.ndindex(*weights.shape[2:]):
        factor = factors[(slice(None), slice(None), *tap)].reshape(groups, per_group, *(1,) * rank)
        output += np.multiply(view[(..., *tap)][:, :, None], factor, out=product)
    return output.reshape(batch, groups * per_group, *outputs)


def _by_outputs(image: Array, weights: Array, window: Window) -> Array:
    """Compute groups of one image: sums of products output by output, for all images at once."""
    view, rank = _windows(image, window), len(window)
    groups, features = image.shape[:2]
    outputs = tuple(phase.output_count for phase in window)
    factors = weights.reshape(features, groups, -1, *weights.shape[2:])
    taps = list(range(3, 3 + rank))
    output = np.empty((*outputs, groups, factors.shape[2]), image.dtype)
    for index in np.ndindex(*outputs):
        values = view[(slice(None), slice(None), *index)]
        output[index] = np.einsum(values, [0, 1, *taps], factors, [1, 0, 2, *taps], [0, 2])
    return np.moveaxis(output.reshape(*outputs, -1), -1, 0)[None]
