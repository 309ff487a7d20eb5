"""Cholesky decomposition and triangular systems, for batches of matrices."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from stablehlo_py.kernels.numeric.complex_functions import divide
from stablehlo_py.kernels.numeric.matrix_product import cast, for_blas
from stablehlo_py.kernels.numeric.numerics import wide
from stablehlo_py.kernels.registry import Array, kernel
from stablehlo_py.kernels.slabs import Cut, outer_dimension

_LARGE = 128  # rows: for a larger matrix, the sign of a zero is not worth more time
_SUBSTITUTED = 16  # number of rows up to which a system is solved row by row


def _slabs(*operands: Array) -> Cut | None:
    """Cut batches of matrices."""
    axis = outer_dimension(operands[0], range(operands[0].ndim - 2))
    return None if axis is None else Cut((axis,) * len(operands), axis)


@kernel("stablehlo.cholesky", slabs=_slabs)
def cholesky(a: Array, *, lower: bool) -> Array:
    """Triangular factor of each matrix; all NaN where not positive definite (cholesky).

    LAPACK's answer to infinities, NaN and -0 depends on its library: matrices with such are not left to it.

    Only the triangle that `lower` selects is read; the other triangle of the result is zero.
    """
    matrices = cast(a, wide(a.dtype))
    if not lower:
        matrices = _adjoint(matrices)
    factor = None
    if is_ordinary(matrices):
        with suppress(np.linalg.LinAlgError):
            factor = np.linalg.cholesky(matrices)
    if factor is None:
        factor, failed = cholesky_by_columns(matrices)
        factor[failed != 0] *= np.nan
        factor = np.tril(factor)
    if not lower:
        factor = np.triu(_adjoint(factor))
        if factor.dtype.kind == "c":
            diagonal = np.arange(a.shape[-1])
            factor.imag[..., diagonal, diagonal] += 0.0  # real, and not the conjugate of that
    return cast(factor, a.dtype)


def is_ordinary(matrices: Array) -> bool:
    """Test whether matrices have no infinities and no NaN and, unless they are large, no -0."""
    if not np.isfinite(matrices).all():
        return False
    parts = (matrices.real, matrices.imag) if matrices.dtype.kind == "c" else (matrices,)
    large = matrices.shape[-1] > _LARGE
    return large or not any((np.signbit(part) & (part == 0)).any() for part in parts)


def _adjoint(matrices: Array) -> Array:
    swapped = np.swapaxes(matrices, -1, -2)
    return np.conj(swapped) if matrices.dtype.kind == "c" else swapped


def cholesky_by_columns(matrices: Array) -> tuple[Array, Array]:
    """Return lower factors, one column of all matrices at a time.

    Args:
        matrices: Matrices (..., n, n), of which the lower triangle is read.

    Returns:
        The factors, with what is above the diagonal of no use, and for each matrix the order of the first
        minor that is not positive, counted from 1, 0 if there is none.
    """
    factor = np.array(matrices)
    failed = np.zeros(matrices.shape[:-2], np.int32)
    for k in range(matrices.shape[-1]):
        pivot = factor[..., k, k].real
        failed[(failed == 0) & ~(pivot > 0)] = k + 1
        with np.errstate(all="ignore"):
            root = np.sqrt(pivot)
            factor[..., k, k] = root
            column = factor[..., k + 1 :, k]
            column /= root[..., None]
            factor[..., k + 1 :, k + 1 :] -= column[..., None] * np.conj(column)[..., None, :]
    return factor, failed


@kernel("stablehlo.triangular_solve", slabs=_slabs)
def triangular_solve(
    a: Array, b: Array, *, left_side: bool, lower: bool, unit_diagonal: bool, transpose_a: str
) -> Array:
    """Solution of op(a) x = b or x op(a) = b, with op of `transpose_a` (triangular_solve)."""
    matrices, values = (cast(m, wide(b.dtype)) for m in (a, b))
    if transpose_a != "NO_TRANSPOSE":
        matrices, lower = np.swapaxes(matrices, -1, -2), not lower
    if transpose_a == "ADJOINT":
        matrices = np.conj(matrices)
    if not left_side:  # x op(a) = b is transpose(op(a)) transpose(x) = transpose(b)
        matrices, values, lower = np.swapaxes(matrices, -1, -2), np.swapaxes(values, -1, -2), not lower
    if not lower:  # in reverse order, an upper triangle is a lower one
        matrices, values = matrices[..., ::-1, ::-1], values[..., ::-1, :]
    solution = np.array(values)
    _substitute(matrices, solution, unit_diagonal)
    if not lower:
        solution = solution[..., ::-1, :]
    return cast(solution if left_side else np.swapaxes(solution, -1, -2), b.dtype)


def _substitute(matrices: Array, values: Array, unit_diagonal: bool) -> None:
    """Replace right-hand sides by solutions of lower triangular systems, by recursive halving."""
    size = matrices.shape[-1]
    if size > _SUBSTITUTED:
        half = size // 2
        upper, rest = values[..., :half, :], values[..., half:, :]
        _substitute(matrices[..., :half, :half], upper, unit_diagonal)
        rest -= np.matmul(for_blas(matrices[..., half:, :half]), upper)
        _substitute(matrices[..., half:, half:], rest, unit_diagonal)
        return
    for i in range(size):  # a sum is taken term by term, as it decides the sign of a zero
        if not unit_diagonal:
            quotient = divide if values.dtype.kind == "c" else np.divide
            values[..., i, :] = quotient(values[..., i, :], matrices[..., i, i, None])
        if i + 1 < size:
            values[..., i + 1 :, :] -= matrices[..., i + 1 :, i, None] * values[..., i, None, :]
