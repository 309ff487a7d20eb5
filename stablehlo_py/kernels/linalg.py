"""Cholesky decomposition and triangular systems, for batches of matrices."""

from __future__ import annotations

import numpy as np

from stablehlo_py.kernels.numeric.matrix_product import cast, for_blas
from stablehlo_py.kernels.numeric.numerics import wide
from stablehlo_py.kernels.registry import Array, kernel
from stablehlo_py.kernels.slabs import Cut, outer_dimension

_SUBSTITUTED = 16  # number of rows up to which a system is solved row by row


def _slabs(*operands: Array) -> Cut | None:
    """Cut batches of matrices."""
    axis = outer_dimension(operands[0], range(operands[0].ndim - 2))
    return None if axis is None else Cut((axis,) * len(operands), axis)


@kernel("stablehlo.cholesky", slabs=_slabs)
def cholesky(a: Array, *, lower: bool) -> Array:
    """Triangular factor of each matrix; all NaN where not positive definite (cholesky).

    Only the triangle that `lower` selects is read; the other triangle of the result is zero.
    """
    matrices = cast(a, wide(a.dtype))
    if not lower:
        matrices = _adjoint(matrices)
    try:
        factor = np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        factor = _cholesky_by_columns(matrices)
    return cast(factor if lower else _adjoint(factor), a.dtype)


def _adjoint(matrices: Array) -> Array:
    swapped = np.swapaxes(matrices, -1, -2)
    return np.conj(swapped) if matrices.dtype.kind == "c" else swapped


def _cholesky_by_columns(matrices: Array) -> Array:
    """Return lower factors, one column of all matrices at a time, for batches with matrices not definite."""
    factor = np.tril(matrices)
    for k in range(matrices.shape[-1]):
        row = factor[..., k, :k]
        below = factor[..., k:, k] - np.matmul(factor[..., k:, :k], np.conj(row)[..., None])[..., 0]
        factor[..., k:, k] = below / np.sqrt(below[..., :1].real)
    failed = ~np.isfinite(np.einsum("...ii->...i", factor)).all(-1)
    nothing = factor.dtype.type(complex(np.nan, np.nan) if factor.dtype.kind == "c" else np.nan)
    factor[failed] = np.tril(np.full(factor.shape[-2:], nothing))
    return factor


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
    for i in range(size):
        if i:
            values[..., i, :] -= np.matmul(matrices[..., i, None, :i], values[..., :i, :])[..., 0, :]
        if not unit_diagonal:
            values[..., i, :] /= matrices[..., i, i, None]
