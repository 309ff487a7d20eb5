"""Reductions, map, and batch normalization."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

import numpy as np

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.argmax import select_along
from stablehlo_py.kernels.numeric.matrix_product import cast
from stablehlo_py.kernels.numeric.numerics import F32, F64, dtype_kind, wide
from stablehlo_py.kernels.numeric.ufuncs import COMPLEX_PRODUCT, MAXIMUM, MINIMUM, Ufunc
from stablehlo_py.kernels.registry import Array, DType, Function, Ints, kernel, row_reduction
from stablehlo_py.kernels.slabs import SLAB, Cut, outer_dimension, row_slabs

Arrays = tuple[Array, ...]

REORDERABLE: frozenset[Ufunc] = frozenset(
    {
        np.add,
        np.multiply,
        np.maximum,
        np.minimum,
        MAXIMUM,
        MINIMUM,
        COMPLEX_PRODUCT,
        np.bitwise_and,
        np.bitwise_or,
        np.bitwise_xor,
        np.logical_and,
        np.logical_or,
        np.logical_xor,
    }
)
"""Associative and commutative ufuncs, which NumPy's reductions may evaluate in any order."""

_EXACT: frozenset[Ufunc] = frozenset({np.maximum, np.minimum, MAXIMUM, MINIMUM})
SMALL = 1 << 10  # elements: smaller arrays of floats are reduced in order, so that results are rounded alike
_FEW = 1 << 5  # applications of a lifted function

_ONE_THREAD = 1 << 13  # elements of a matrix that OpenBLAS multiplies by a vector on one thread
_LONG = 1 << 10  # elements: NumPy reduces longer rows at full speed
_SHORT = 16  # elements: shorter rows are reduced column by column


def _slabs(inputs: Arrays, init_values: Arrays, *, dimensions: Ints, body: Function) -> Cut | None:
    """Cut a dimension that is kept, unless NumPy reduces the array as it is."""
    if body.ufunc in REORDERABLE and wide(inputs[0].dtype) == inputs[0].dtype:
        return None
    kept = [d for d in range(inputs[0].ndim) if d not in dimensions]
    axis = outer_dimension(inputs[0], kept)
    return None if axis is None else Cut((axis, None), kept.index(axis))


@kernel("stablehlo.reduce", slabs=_slabs)
def reduce(
    inputs: Arrays, init_values: Arrays, *, dimensions: Ints, body: Function, results: tuple[Type, ...]
) -> Arrays:
    """Combination of the elements along dimensions, and initial values (reduce)."""
    dtypes = element_dtypes(results)
    values = [cast(x, dtype) for x, dtype in zip(inputs, dtypes, strict=True)]
    inits = [cast(x, dtype) for x, dtype in zip(init_values, dtypes, strict=True)]
    if body.ufunc in REORDERABLE:
        return (_reduce_with(body.ufunc, values[0], inits[0], dimensions),)
    chosen = select_along(tuple(values), dimensions, body)
    if chosen is not None:
        shape, totals = chosen[0].shape, body(*inits, *chosen)
    else:
        columns = [_reduced_first(x, dimensions) for x in values]
        shape = columns[0].shape[1:]
        is_small = values[0].size <= SMALL and len(columns[0]) <= _FEW
        in_order = is_small and any(is_rounded(body.ufunc, dtype) for dtype in dtypes)
        totals = (
            _in_order(inits, columns, body)
            if in_order or not len(columns[0])
            else body(*inits, *_tree_of_slabs(columns, body))
        )
    return tuple(fresh(t, shape, dtype, values) for t, dtype in zip(totals, dtypes, strict=True))


def element_dtypes(types: Sequence[Type]) -> list[DType]:
    """Return the NumPy types of the elements of tensor types."""
    return [numpy_dtype(t.element_type) for t in types if isinstance(t, TensorType)]


def fresh(value: Array, shape: Ints, dtype: DType, sources: Sequence[Array]) -> Array:
    """Return a lifted function's result as an array of full shape that shares no memory with its arguments.

    Args:
        value: The result, of a shape that broadcasts to `shape`.
        shape: The shape of the array.
        dtype: The element type of the array.
        sources: The arguments of the function.
    """
    shared = value.shape != shape or any(np.may_share_memory(value, s) for s in sources)
    return np.array(np.broadcast_to(value, shape), dtype) if shared else cast(value, dtype)


def _reduced_first(array: Array, dimensions: Ints) -> Array:
    """Flatten the reduced dimensions, in order, into a leading one."""
    order = sorted(dimensions)
    rest = [d for d in range(array.ndim) if d not in dimensions]
    count = math.prod(array.shape[d] for d in order)
    return array.transpose(*order, *rest).reshape(count, *(array.shape[d] for d in rest))


def is_rounded(ufunc: Ufunc | None, dtype: DType) -> bool:
    """Return True if the order in which elements are combined can change the result.

    Args:
        ufunc: The ufunc of the body, if it has one.
        dtype: The element type.
    """
    return dtype_kind(dtype) in "fc" and ufunc not in _EXACT


def _in_order(inits: Sequence[Array], columns: Sequence[Array], body: Function) -> Arrays:
    """Combine the initial values with the elements along the first dimension, one after the other."""
    totals: Arrays = tuple(inits)
    for row in zip(*columns, strict=True):
        totals = body(*totals, *row)
    return totals


def _tree_of_slabs(columns: Sequence[Array], body: Function) -> Arrays:
    """Combine elements along the first dimension in order: trees of slabs, and a tree of their totals."""
    count = len(columns[0])
    row_bytes = max(x.nbytes for x in columns) // count
    height = 1 << max(1, (SLAB // max(1, row_bytes)).bit_length() - 1)
    if count <= height:
        return _tree(columns, body)
    totals = [_tree([x[at : at + height] for x in columns], body) for at in range(0, count, height)]
    return _tree_of_slabs([np.stack(np.broadcast_arrays(*x)) for x in zip(*totals, strict=True)], body)


def _tree(columns: Sequence[Array], body: Function) -> Arrays:
    """Combine elements along the first dimension in order, as a tree: neighbors, then pairs of those, ..."""
    values, tail = tuple(columns), None
    while (count := len(values[0])) > 1:
        if count % 2:
            last = tuple(v[-1] for v in values)
            tail = last if tail is None else body(*last, *tail)
        even = count - count % 2
        pairs = body(*(v[0:even:2] for v in values), *(v[1:even:2] for v in values))
        values = tuple(
            np.broadcast_to(p, (even // 2, *v.shape[1:])) for p, v in zip(pairs, values, strict=True)
        )
    first = tuple(v[0] for v in values)
    return first if tail is None else body(*first, *tail)


def _reduce_with(ufunc: Ufunc, array: Array, init: Array, dimensions: Ints) -> Array:
    """Reduce by a ufunc without promotion; narrow floats are combined in float32."""
    dtype = array.dtype
    if array.size == 0:
        shape = tuple(size for d, size in enumerate(array.shape) if d not in dimensions)
        return np.full(shape, init, dtype)
    if array.size <= SMALL and is_rounded(ufunc, dtype):
        rows = _reduced_first(cast(array, wide(dtype)), dimensions)
        return cast(_accumulate(ufunc, rows, cast(init, rows.dtype)), dtype)
    if ufunc is COMPLEX_PRODUCT:  # where a part is infinite, the order decides which parts are NaN
        return np.asarray(np.multiply.reduce(array, axis=dimensions, dtype=dtype, initial=init[()]))
    if ufunc is np.add and _is_negative_zero(init):
        start = cast(init, wide(dtype))[()]  # NumPy's own sums, and those of BLAS, start at +0
        total = np.add.reduce(cast(array, wide(dtype)), axis=dimensions, initial=start)
        return cast(np.asarray(total), dtype)
    axis = outer_dimension(array, dimensions)
    if wide(dtype) == dtype or array.nbytes <= SLAB or axis is None:
        total = _total(ufunc, cast(array, wide(dtype)), dimensions)
    else:
        rows = np.moveaxis(array, axis, 0)  # converted to the wide type slab by slab
        order = tuple(sorted(d + (d < axis) if d != axis else 0 for d in dimensions))
        parts = (rows[part] for part in row_slabs(len(rows), array.nbytes // len(rows)))
        total = functools.reduce(ufunc, [_total(ufunc, cast(p, wide(dtype)), order) for p in parts])
    return cast(np.asarray(ufunc(cast(init, wide(dtype)), total)), dtype)


def _is_negative_zero(init: Array) -> bool:
    """Test whether a number or a part of it is -0, to which only -0 adds up to -0."""
    parts = (init.real, init.imag) if init.dtype.kind == "c" else (cast(init, wide(init.dtype)),)
    return any(bool((part == 0) & np.signbit(part)) for part in parts)


def _total(ufunc: Ufunc, array: Array, dimensions: Ints) -> Array:
    """Combine the elements along dimensions."""
    if ufunc is np.add and array.dtype.kind in "fc":
        return add_reduce(array, dimensions)
    return _reduce_axes(ufunc, array, dimensions)


def _accumulate(ufunc: Ufunc, rows: Array, init: Array) -> Array:
    """Combine an initial value with rows, one after the other."""
    rows = np.concatenate((np.full((1, *rows.shape[1:]), init, rows.dtype), rows))
    return np.asarray(ufunc.accumulate(rows, axis=0, dtype=rows.dtype)[-1])


@row_reduction("stablehlo.reduce")
@cache
def reduction_of_rows(ufunc: Ufunc | None, dtype: DType) -> Callable[[Array, Array], Array] | None:
    """Return a reduction of the rows of a matrix by a ufunc.

    Args:
        ufunc: The ufunc of the body, if it has one.
        dtype: The element type.

    Returns:
        A function of a matrix (rows, columns) and an initial value that returns a column (rows, 1), or None.
    """
    if ufunc not in REORDERABLE:
        return None
    if wide(dtype) != dtype:
        return lambda rows, init: _reduce_with(ufunc, rows, init, (1,)).reshape(-1, 1)
    if ufunc is COMPLEX_PRODUCT:
        return lambda rows, init: _reduce_with(ufunc, rows, init, (1,)).reshape(-1, 1)
    if ufunc is np.add and dtype in (F32, F64):
        return lambda rows, init: np.add(_row_sums(rows, init)[:, None], init)
    return lambda rows, init: ufunc(_reduce_axes(ufunc, rows, (1,))[:, None], init)


def _row_sums(rows: Array, init: Array) -> Array:
    """Return row sums: products with ones where BLAS computes them on one thread, which is faster."""
    columns = rows.shape[1]
    if _is_negative_zero(init):
        return np.asarray(np.add.reduce(rows, axis=1, initial=init[()]))
    if columns > _ONE_THREAD:
        return np.asarray(np.add.reduce(rows, axis=1))
    return np.asarray(np.vecdot(rows, _ones(columns, rows.dtype)))


@lru_cache(64)
def _ones(count: int, dtype: DType) -> Array:
    return np.ones(count, dtype)


def _reduce_axes(ufunc: Ufunc, array: Array, dimensions: Ints) -> Array:
    if dimensions == (array.ndim - 1,) and 0 < array.shape[-1] <= _SHORT < array.size:
        total = array[..., 0].copy()
        for i in range(1, array.shape[-1]):
            ufunc(total, array[..., i], out=total)
        return total
    run = len(dimensions)
    if sorted(dimensions) == list(range(run)) and 0 < run < array.ndim and array.flags.c_contiguous:
        rest = array.shape[run:]
        return _columns_reduced(ufunc, array.reshape(-1, math.prod(rest))).reshape(rest)
    return np.asarray(ufunc.reduce(array, axis=dimensions, dtype=array.dtype))


def _columns_reduced(ufunc: Ufunc, rows: Array) -> Array:
    """Reduce rows to one row; short rows several at a time, since NumPy is faster on long ones."""
    several = _LONG // rows.shape[1]
    if several > 1 and len(rows) > 2 * several:
        even = len(rows) - len(rows) % several
        long = rows[:even].reshape(-1, several * rows.shape[1])
        rows = np.concatenate(
            (ufunc.reduce(long, axis=0, dtype=rows.dtype).reshape(several, -1), rows[even:])
        )
    return np.asarray(ufunc.reduce(rows, axis=0, dtype=rows.dtype))


def add_reduce(array: Array, dimensions: Ints) -> Array:
    """Return the sum of floats along `dimensions`, in any order of addition.

    Leading or trailing dimensions of a contiguous array are summed by BLAS as products with ones, which is
    several times faster than `np.add.reduce`.

    Args:
        array: Floats of any shape.
        dimensions: The dimensions to sum over.
    """
    if array.dtype.kind == "c":
        found = _add_reduce(array, dimensions)
        is_exact = np.isfinite(found).all()  # in products with ones, an infinite part makes both parts NaN
        return found if is_exact else np.asarray(np.add.reduce(array, axis=dimensions))
    return _add_reduce(array, dimensions)


def _add_reduce(array: Array, dimensions: Ints) -> Array:
    axes = tuple(sorted(dimensions))
    run = len(axes)
    if 0 < run < array.ndim and array.flags.c_contiguous:
        rest = tuple(size for d, size in enumerate(array.shape) if d not in axes)
        if axes == tuple(range(run)):
            return _sum_of_rows(array.reshape(-1, math.prod(rest))).reshape(rest)
        if axes == tuple(range(array.ndim - run, array.ndim)):
            return _sums_along_rows(array.reshape(math.prod(rest), -1)).reshape(rest)
    found = np.add.reduce(array, axis=axes, dtype=array.dtype)
    return np.asarray(found) if isinstance(found, np.generic) else found


def _sum_of_rows(rows: Array) -> Array:
    blocks, rest = _blocks(rows)
    if not len(blocks):
        return np.asarray(np.add.reduce(rows, axis=0))
    sums = np.matmul(np.ones((1, blocks.shape[1]), rows.dtype), blocks)
    return np.asarray(np.add.reduce(sums[:, 0], axis=0) + np.add.reduce(rest, axis=0))


def _sums_along_rows(rows: Array) -> Array:
    blocks, rest = _blocks(rows)
    if not len(blocks):
        return np.asarray(np.add.reduce(rows, axis=1))
    sums = np.matmul(blocks, np.ones((rows.shape[1], 1), rows.dtype))
    return np.concatenate((sums.reshape(-1), np.add.reduce(rest, axis=1)))


def _blocks(rows: Array) -> tuple[Array, Array]:
    """Split rows into blocks that BLAS computes on one thread, and the remaining rows.

    More threads cost more than the sums themselves.
    """
    height = _ONE_THREAD // max(1, rows.shape[1])
    if height < _SHORT:
        return rows[:0, None], rows
    count = len(rows) // height
    return rows[: count * height].reshape(count, height, rows.shape[1]), rows[count * height :]


def _slabs_of_map(inputs: Arrays) -> Cut | None:
    axis = outer_dimension(inputs[0], range(inputs[0].ndim))
    return None if axis is None else Cut((axis,), axis)


@kernel("stablehlo.map", view=True, slabs=_slabs_of_map)
def map(inputs: Arrays, *, computation: Function) -> Array:
    """Computation applied to the elements at each index (map)."""
    return np.broadcast_to(computation(*inputs)[0], inputs[0].shape)


@kernel("stablehlo.batch_norm_inference")
def batch_norm_inference(
    operand: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float,
    feature_index: int,
) -> Array:
    """Normalization with a given mean and variance of each feature (batch_norm_inference)."""
    dtype = operand.dtype
    arrays = [cast(a, wide(dtype)) for a in (operand, scale, offset, mean, variance)]
    x, scales, offsets, means, variances = arrays
    centered = x - _along(means, feature_index, x.ndim)
    return cast(_normalised(centered, scales, offsets, variances, epsilon, feature_index), dtype)


@kernel("stablehlo.batch_norm_training")
def batch_norm_training(
    operand: Array, scale: Array, offset: Array, *, epsilon: float, feature_index: int
) -> Arrays:
    """Normalization with the operand's mean and variance, which are results too (batch_norm_training)."""
    dtype = operand.dtype
    x, scales, offsets = (cast(a, wide(dtype)) for a in (operand, scale, offset))
    mean = _feature_mean(x, feature_index)
    centered = x - _along(mean, feature_index, x.ndim)
    variance = _feature_mean(centered * centered, feature_index)
    output = _normalised(centered, scales, offsets, variance, epsilon, feature_index)
    return tuple(cast(a, dtype) for a in (output, mean, variance))


@kernel("stablehlo.batch_norm_grad")
def batch_norm_grad(
    operand: Array,
    scale: Array,
    mean: Array,
    variance: Array,
    grad_output: Array,
    *,
    epsilon: float,
    feature_index: int,
) -> Arrays:
    """Gradients of batch_norm_training for operand, scale and offset (batch_norm_grad)."""
    dtype = operand.dtype
    x, scales, means, variances, grad = (
        cast(a, wide(dtype)) for a in (operand, scale, mean, variance, grad_output)
    )
    count = _per_feature(x, feature_index)
    spread = variances + x.dtype.type(epsilon)
    centered = x - _along(means, feature_index, x.ndim)
    grad_offset = _feature_sum(grad, feature_index)
    moment = _feature_sum(grad * centered, feature_index)
    grad_scale = moment / np.sqrt(spread)
    slope = scales / np.sqrt(spread) / count
    inner = (
        grad * count
        - _along(grad_offset, feature_index, x.ndim)
        - centered * _along(moment / spread, feature_index, x.ndim)
    )
    grad_operand = _along(slope, feature_index, x.ndim) * inner
    return tuple(cast(a, dtype) for a in (grad_operand, grad_scale, grad_offset))


def _normalised(
    centered: Array, scale: Array, offset: Array, variance: Array, epsilon: float, feature_index: int
) -> Array:
    """Return `scale * centered / sqrt(variance + epsilon) + offset`, in the memory of `centered`."""
    stddev = np.sqrt(variance + centered.dtype.type(epsilon))
    scale, offset, stddev = (_along(a, feature_index, centered.ndim) for a in (scale, offset, stddev))
    centered /= stddev
    centered *= scale
    centered += offset
    return centered


def _along(per_feature: Array, feature_index: int, rank: int) -> Array:
    """Reshape a vector of features to broadcast along dimension `feature_index`."""
    return per_feature.reshape(-1, *(1,) * (rank - 1 - feature_index))


def _per_feature(x: Array, feature_index: int) -> Array:
    """Return the number of elements of each feature."""
    others = (size for d, size in enumerate(x.shape) if d != feature_index)
    return np.asarray(math.prod(others), x.dtype)


def _feature_sum(x: Array, feature_index: int) -> Array:
    return add_reduce(x, tuple(d for d in range(x.ndim) if d != feature_index))


def _feature_mean(x: Array, feature_index: int) -> Array:
    return _feature_sum(x, feature_index) / _per_feature(x, feature_index)
