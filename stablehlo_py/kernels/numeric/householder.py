"""Factorizations by eliminations and reflections, packed as LAPACK packs them, for single matrices.

They are what programs get without SciPy. A reflection is `H = 1 - tau * v * adjoint(v)` with a vector `v`
that begins with 1; the rest of `v` is kept where the elements are that it makes zero.
"""

from __future__ import annotations

import numpy as np

from stablehlo_py.kernels.registry import Array

Arrays = tuple[Array, ...]


def lu(a: Array) -> tuple[Array, Array, int]:
    """L and U in one matrix, pivots counted from 1, and the first column, from 1, without a pivot (or 0)."""
    a = a.copy()
    pivots = np.zeros(min(a.shape), np.int32)
    info = 0
    for j in range(len(pivots)):
        pivot = j + int(np.argmax(np.abs(a[j:, j].real) + np.abs(a[j:, j].imag)))
        pivots[j] = pivot + 1
        if a[pivot, j] == 0:
            info = info or j + 1
            continue
        a[[j, pivot]] = a[[pivot, j]]
        a[j + 1 :, j] /= a[j, j]
        a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return a, pivots, info


def reflection(x: Array) -> tuple[Array, Array, Array]:
    """The vector `v`, `tau` and the real number that `adjoint(H) x` has as its first element, then zeros."""
    v, alpha = x.copy(), x[0]
    v[0] = 1
    size = np.linalg.norm(x)
    if np.linalg.norm(x[1:]) == 0 and alpha.imag == 0:
        return v, np.zeros_like(alpha), alpha
    beta = -np.copysign(size, alpha.real).astype(x.dtype)
    v[1:] /= alpha - beta
    return v, (beta - alpha) / beta, beta


def qr(a: Array) -> Arrays:
    """R and the vectors below it, and the factors `tau`."""
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
    """As `qr`, each time of the longest remaining column; columns that `pivots` marks come first."""
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
    """The first columns of the product of the reflections whose vectors are below the diagonal of `a`."""
    result: Array = np.eye(*a.shape, dtype=a.dtype)
    for j in reversed(range(len(factors))):
        v = np.concatenate([np.ones(1, a.dtype), a[j + 1 :, j]])
        result[j:] -= factors[j] * np.outer(v, v.conj() @ result[j:])
    return result


def hessenberg(a: Array, low: int, high: int) -> Arrays:
    """The Hessenberg form between two rows and the vectors below it, and the factors."""
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
    """The form of a symmetric matrix, of which the lower triangle counts: packed, two diagonals, factors."""
    lower = np.tril(a)
    full = lower + np.tril(a, -1).conj().T
    packed, factors = hessenberg(full, 0, len(a))
    found = np.triu(a, 1) + np.tril(packed)
    return found, np.diag(found).real, np.diag(found, -1).real, factors
