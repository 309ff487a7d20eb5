"""Products of stacks of matrices of any element type, by BLAS wherever that is exact."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import numpy as np

from stablehlo_py.kernels.numeric.numerics import F32, F64, dtype_kind, rounded, wide
from stablehlo_py.kernels.registry import Array, DType
from stablehlo_py.kernels.slabs import check_limits

_I32, _I64 = np.dtype(np.int32), np.dtype(np.int64)
_LIMB = 16  # bits; a product of two limbs has 32, and float64 adds 2**21 of those exactly
_MOST_TERMS = 1 << 20
_EXACT = 1 << 24  # integers up to here are exact in float32
_MANY = 1 << 8  # terms that are worth a product by themselves
LONG = 1 << 31  # multiplications, some hundredths of a second: larger products can be ended between pieces
_ROWS = 128  # of a piece, at least
ONE_THREAD = (1 << 19) - 1  # multiplications that OpenBLAS computes on one thread
_SHORT = 1 << 23  # multiplications, less than 0.1 ms: two threads save little
_FEW_ROWS = 16  # of a matrix by which multiplying takes as long as reading the other one
_READ = 1 << 24  # multiplications of so few rows, about a millisecond
_COLUMNS = 16  # of a block, at least: a cache line
_LEAST = 4  # rows of a block that BLAS takes as little time for as for those of a larger one
_FEW = 1 << 13  # multiplications below which NumPy's own integer product is the fastest


def cast(array: Array, dtype: DType) -> Array:
    """Convert the elements to `dtype`; an array of that type is returned itself.

    Integers wrap; of complex numbers, real types take the real part.
    """
    if array.dtype == dtype:
        return array
    return rounded(array.real if array.dtype.kind == "c" and dtype.kind != "c" else array, dtype)


def matrix_product(lhs: Array, rhs: Array, dtype: DType) -> Array:
    """Return `lhs @ rhs`; integers wrap, booleans are or-ed, narrow floats are accumulated in float32.

    Args:
        lhs: Stack of matrices (..., M, K).
        rhs: Stack of matrices (..., K, N).
        dtype: The element type of the result, to which the operands are converted.
    """
    if dtype_kind(dtype) in "biu":
        return _integer_product(lhs, rhs, dtype)
    if dtype.kind == "c" and lhs.size * rhs.shape[-1] < _FEW:
        product: Array = np.einsum("...ij,...jk->...ik", cast(lhs, dtype), cast(rhs, dtype))
        return product  # BLAS would fuse multiplication and addition, which is visible where parts cancel
    return cast(_blas_product(lhs, rhs, wide(dtype)), dtype)


def for_blas(matrices: Array) -> Array:
    """Return matrices with strides that NumPy passes to BLAS: the same array, or a copy."""
    rows, columns = matrices.shape[-2:]
    down, across = matrices.strides[-2:]
    item = matrices.itemsize
    if (across == item and down >= columns * item) or (down == item and across >= rows * item):
        return matrices
    return np.ascontiguousarray(matrices)


def _integer_product(lhs: Array, rhs: Array, dtype: DType) -> Array:
    rows, terms, columns = lhs.shape[-2], lhs.shape[-1], rhs.shape[-1]
    if dtype.kind == "b":
        return np.not_equal(_blas_product(lhs, rhs, F32), 0)
    if rows * terms * columns < _FEW:
        return cast(np.matmul(cast(lhs, _I64), cast(rhs, _I64)), dtype)
    largest = _magnitude(lhs) * _magnitude(rhs)
    exact = _EXACT // max(1, largest)  # terms whose sum is exact in float32
    if exact >= min(terms, _MANY):
        parts = [slice(first, first + exact) for first in range(0, max(1, terms), exact)]
        products = (_blas_product(lhs[..., part], rhs[..., part, :], F32) for part in parts)
        long: DType = _I32 if largest * terms < 1 << 31 else _I64
        return cast(reduce(np.add, (cast(product, long) for product in products)), dtype)
    if largest * terms < 1 << 53:
        return cast(_blas_product(lhs, rhs, F64).astype(np.int64), dtype)
    return cast(_limb_product(lhs, rhs, wide(dtype).itemsize * 8), dtype)


def _blas_product(lhs: Array, rhs: Array, dtype: DType) -> Array:
    left, right = for_blas(cast(lhs, dtype)), for_blas(cast(rhs, dtype))
    if left.ndim > 2:
        return _stack_product(left, right)
    rows, columns = left.shape[-2], right.shape[-1]
    products = rows * left.shape[-1] * columns * (4 if dtype.kind == "c" else 1)
    if 1 < rows <= _FEW_ROWS and ONE_THREAD < products <= _READ:
        return _product_of_few_rows(left, right)
    count = min(products // LONG, rows // _ROWS)
    if count < 2:
        whole: Array = np.matmul(left, right)
        return whole
    product = np.empty((rows, columns), dtype)
    for start, stop in pairwise([rows * number // count for number in range(count + 1)]):
        check_limits()
        np.matmul(left[start:stop], right, out=product[start:stop])
    return product


def _product_of_few_rows(left: Array, right: Array) -> Array:
    """Multiply in blocks of columns that BLAS computes on one thread each; see `_stack_product`."""
    (rows, terms), columns = left.shape, right.shape[-1]
    width = max(_COLUMNS, ONE_THREAD // (rows * terms) // _COLUMNS * _COLUMNS)
    product = np.empty((rows, columns), left.dtype)
    for start in range(0, columns, width):
        block = slice(start, start + width)
        np.matmul(left, right[:, block], out=product[:, block])
    return product


def _stack_product(left: Array, right: Array) -> Array:
    """Multiply stacks of matrices, small ones in blocks of rows that BLAS computes on one thread each.

    The threads of BLAS wait for each other at the end of each product, and where another process keeps one
    from its processor, a stack of a hundred takes a hundred times as long.
    """
    rows, terms, columns = left.shape[-2], left.shape[-1], right.shape[-1]
    height = ONE_THREAD // max(1, terms * columns)
    if rows * terms * columns > _SHORT or not _LEAST <= height < rows:
        whole: Array = np.matmul(left, right)
        return whole
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    product = np.empty((*stack, rows, columns), left.dtype)
    end = rows - rows % height
    np.matmul(_blocks(left, end, height), right[..., None, :, :], out=_blocks(product, end, height))
    np.matmul(left[..., end:, :], right, out=product[..., end:, :])
    return product


def _blocks(matrices: Array, end: int, height: int) -> Array:
    """Return a view of the rows before `end` in blocks."""
    *stack, _, columns = matrices.shape
    return matrices[..., :end, :].reshape(*stack, end // height, height, columns)


def _magnitude(array: Array) -> int:
    """Return a bound on the absolute values of the elements."""
    if array.itemsize == 1 or array.size == 0:
        return 128 if array.dtype == np.int8 else 255
    return max(int(array.max()), -int(array.min()))


def _limb_product(lhs: Array, rhs: Array, bits: int) -> Array:
    """Return the product modulo 2**bits, from exact products of 16-bit limbs."""
    terms = lhs.shape[-1]
    if terms > _MOST_TERMS:
        half = terms // 2
        low = _limb_product(lhs[..., :half], rhs[..., :half, :], bits)
        return low + _limb_product(lhs[..., half:], rhs[..., half:, :], bits)
    count = -(-bits // _LIMB)
    lhs_limbs, rhs_limbs = _limbs(lhs, count), _limbs(rhs, count)
    total: Array = np.zeros((), np.uint64)
    for i in range(count):
        for j in range(count - i):
            product = np.matmul(lhs_limbs[i], rhs_limbs[j]).astype(np.uint64)
            total = total + (product << np.uint64(_LIMB * (i + j)))
    return total


def _limbs(array: Array, count: int) -> list[Array]:
    """Return arrays of float64 limbs: the array modulo 2**(16 * count), 16 bits each, lowest first."""
    bits = np.ascontiguousarray(array).astype(np.int64).view(np.uint64)
    mask = np.uint64((1 << _LIMB) - 1)
    return [((bits >> np.uint64(_LIMB * i)) & mask).astype(np.float64) for i in range(count)]
