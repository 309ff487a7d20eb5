"""Factorizations by elimination and Householder reflections, packed as in LAPACK, for single matrices.

They are the fallback without SciPy. A reflection is `H = 1 - tau * v * adjoint(v)` with a vector `v` whose
first element is 1; the rest of `v` is stored in place of the elements that it zeroes.
"""

from __future__ import annotations

import numpy as np

from stablehlo_py.kernels.registry import Array

Arrays = tuple[Array, ...]


def lu(a: Array) -> tuple[Array, Array, int]:
    """Factorize a matrix with partial pivoting.

    Args:
        a: Matrix (m, n).

    Returns:
        L and U in one matrix, pivots counted from 1, and the first column, from 1, without a pivot (or 0).
    """
    a = a.copy()
    pivots = np.zeros(min(a.shape), np.int32)
    info = 0
    for j in range(len(pivots)):
        size = np.abs(a[j:, j].real) + np.abs(a[j:, j].imag)
        pivot = j + int(np.argmax(np.where(np.isnan(size), -1, size)))  # of NaN only if there is nothing else
        pivots[j] = pivot + 1
        a[[j, pivot]] = a[[pivot, j]]
        if a[j, j] == 0:
            info = info or j + 1
        else:
            a[j + 1 :, j] /= a[j, j]
        a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return a, pivots, info


def reflection(x: Array) -> tuple[Array, Array, Array]:
    """Return the reflection that maps a vector to a multiple of the first unit vector.

    Args:
        x: Vector (n,).

    Returns:
        The vector `v`, `tau`, and the real number that is the first element of `adjoint(H) x`.
    """
    v, alpha = x.copy(), x[0]
    v[0] = 1
    size = np.linalg.norm(x)
    if np.linalg.norm(x[1:]) == 0 and alpha.imag == 0:
        return v, np.zeros_like(alpha), alpha
    beta = -np.copysign(size, alpha.real).astype(x.dtype)
    v[1:] /= alpha - beta
    return v, (beta - alpha) / beta, beta


def qr(a: Array) -> Arrays:
    """Return R with the vectors `v` below it, and the factors `tau`, of a matrix (m, n)."""
    a = a.copy()
    factors = np.zeros(min(a.shape), a.dtype)
    for j in range(len(factors)):
        _reflect_column(a, j, factors)
    return a, factors


def _reflect_column(a: Array, j: int, factors: Array) -> None:
    v, factors[j], beta = reflection(a[j:, j])
    rest = a[j:, j + 1 :]
    rest -= factors[j].conj() * np.outer(v, v.conj() @ rest)
    a[j, j], a[j + 1 :, j] = beta, v[1:]


def pivoted_qr(a: Array, pivots: Array) -> Arrays:
    """Factorize with column pivoting: `qr` that eliminates the longest remaining column first.

    Args:
        a: Matrix (m, n).
        pivots: Vector (n,) of int32; columns with a pivot other than 0 come first.

    Returns:
        R with the vectors `v` below it, the pivots counted from 1, and the factors `tau`.
    """
    order = np.argsort(pivots == 0, kind="stable")
    fixed = int(np.count_nonzero(pivots))
    a = a[:, order]
    factors = np.zeros(min(a.shape), a.dtype)
    for j in range(len(factors)):
        longest = j if j < fixed else j + int(np.argmax(np.linalg.norm(a[j:, j:], axis=0)))
        a[:, [j, longest]] = a[:, [longest, j]]
        order[[j, longest]] = order[[longest, j]]
        _reflect_column(a, j, factors)
    return a, (order + 1).astype(np.int32), factors


def product(a: Array, factors: Array) -> Array:
    """Return the first columns of the product of reflections.

    Args:
        a: Matrix (m, n) with the vectors `v` below its diagonal.
        factors: The factors `tau`.
    """
    result: Array = np.eye(*a.shape, dtype=a.dtype)
    for j in reversed(range(len(factors))):
        v = np.concatenate([np.ones(1, a.dtype), a[j + 1 :, j]])
        result[j:] -= factors[j] * np.outer(v, v.conj() @ result[j:])
    return result


def hessenberg(a: Array, low: int, high: int) -> Arrays:
    """Reduce a matrix to Hessenberg form.

    Args:
        a: Matrix (n, n).
        low: The first row of the part to reduce.
        high: The end of the part to reduce, exclusive.

    Returns:
        The Hessenberg form with the vectors `v` below it, and the factors `tau`.
    """
    a = a.copy()
    factors = np.zeros(max(len(a) - 1, 0), a.dtype)
    for j in range(low, high - 1):
        below = slice(j + 1, high)
        v, factors[j], beta = reflection(a[below, j])
        a[:, below] -= factors[j] * np.outer(a[:, below] @ v, v.conj())
        rest = a[below, j + 1 :]
        rest -= factors[j].conj() * np.outer(v, v.conj() @ rest)
        a[j + 1, j], a[j + 2 : high, j] = beta, v[1:]
    return a, factors


def tridiagonal(a: Array) -> Arrays:
    """Reduce a symmetric matrix, given by its lower triangle, to tridiagonal form.

    Returns:
        The packed matrix, the diagonal, the subdiagonal, and the factors `tau`.
    """
    lower = np.tril(a)
    full = lower + np.tril(a, -1).conj().T
    packed, factors = hessenberg(full, 0, len(a))
    found = np.triu(a, 1) + np.tril(packed)
    return found, np.diag(found).real, np.diag(found, -1).real, factors
