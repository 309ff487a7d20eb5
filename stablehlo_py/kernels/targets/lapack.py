"""LAPACK, as called by programs that JAX exports for CPUs: by SciPy if it is installed, else by NumPy.

A target `lapack_<type><routine>_ffi` takes batches of matrices and returns what LAPACK leaves in its
arguments, and `info`, which is 0 on success. Options are the codes of LAPACK's letters.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.ir.types import TupleType, Type
from stablehlo_py.kernels.linalg import cholesky_by_columns, is_ordinary, triangular_solve
from stablehlo_py.kernels.numeric import householder
from stablehlo_py.kernels.registry import Array
from stablehlo_py.kernels.shape import element_dtype, static_shape
from stablehlo_py.kernels.targets.registry import Values, accepted

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}  # NumPy's type characters to LAPACK's
TRANSPOSES = {"N": "NO_TRANSPOSE", "T": "TRANSPOSE", "C": "ADJOINT"}
OK = 0


@cache
def _lapack() -> Any:
    """Return SciPy's module of LAPACK routines, None without SciPy.

    The extension module is loaded alone where it is found, since importing `scipy.linalg` takes 0.2 seconds.
    """
    package = find_spec("scipy")
    if package is None:
        return None
    folders = [str(Path(folder) / "linalg") for folder in package.submodule_search_locations or ()]
    extension = PathFinder.find_spec("_flapack", folders)
    if extension is not None and extension.loader is not None:
        with suppress(ImportError):
            module = module_from_spec(extension)
            extension.loader.exec_module(module)
            return module
    return import_module("scipy.linalg.lapack")


def _routine(name: str, a: Array) -> Callable[..., Any] | None:
    """Return a routine for the matrix's type, None without SciPy and for empty matrices."""
    library = _lapack() if a.size else None
    routine: Callable[..., Any] | None = library and getattr(library, LETTERS[a.dtype.char] + name)
    return routine


def _is(code: int, letter: str) -> bool:
    return chr(code).upper() == letter


def each_matrix(function: Callable[..., Values], *, vector: bool = False) -> Callable[..., Values]:
    """Wrap a function on single matrices to run on batches of them.

    Args:
        function: A function of matrices (m, n), which returns None for a result that it does not compute.
        vector: Whether the first arguments are vectors.
    """

    def call(first: Array, *others: Array, result_types: tuple[Type, ...], **options: Any) -> Values:
        types = result_types[0].types if isinstance(result_types[0], TupleType) else result_types
        outputs = [np.zeros(static_shape(type), element_dtype(type)) for type in types]
        options = {name: options[name] for name in accepted(function).names if name in options}
        for index in np.ndindex(first.shape[: first.ndim - (1 if vector else 2)]):
            found = function(*[x[index] for x in (first, *others)], **options)
            for output, value in zip(outputs, found, strict=True):
                if value is not None:
                    output[index] = value
        return tuple(outputs)

    return call


# Factorizations


def potrf(a: Array, *, uplo: int) -> Values:
    """Return the Cholesky factor in one triangle, with the other triangle of the input, and info.

    The factor of a matrix that is not positive definite is NaN.
    """
    lower = _is(uplo, "L")
    routine = _routine("potrf", a) if is_ordinary(a) else None
    if routine is not None:
        factor, info = routine(a, lower=lower, clean=False)
    else:
        factor, failed = cholesky_by_columns(a if lower else a.conj().T)
        factor, info = factor if lower else factor.conj().T, int(failed)
    inside = np.tri(len(a), dtype=np.bool_) if lower else np.tri(len(a), dtype=np.bool_).T
    return np.where(inside, np.nan if info else factor, a), info


def getrf(a: Array) -> Values:
    """Return L and U in one matrix, the pivots counted from 1, and info."""
    routine = _routine("getrf", a) if is_ordinary(a) else None
    if routine is not None:
        lu, pivots, info = routine(a)
        return lu, pivots + 1, info
    return householder.lu(a)


def geqrf(a: Array) -> Values:
    """Return R with Householder vectors below it, and their factors."""
    routine = _routine("geqrf", a)
    if routine is not None:
        packed, factors, _, _ = routine(a)
        return packed, factors
    return householder.qr(a)


def geqp3(a: Array, pivots: Array) -> Values:
    """Return the QR factorization with column pivoting: packed matrix, pivots counted from 1, factors."""
    routine = _routine("geqp3", a)
    if routine is not None and not pivots.any():
        packed, order, factors, _, _ = routine(a)
        return packed, order, factors
    return householder.pivoted_qr(a, pivots)


def orgqr(a: Array, factors: Array) -> Values:
    """Return the orthogonal matrix of Householder vectors."""
    routine = _routine("ungqr" if a.dtype.kind == "c" else "orgqr", a)
    return (householder.product(a, factors) if routine is None else routine(a, factors)[0],)


def ormqr(a: Array, factors: Array, c: Array, *, left: bool, transpose: bool) -> Values:
    """Return the product of a matrix and the unitary matrix Q of Householder vectors, or its adjoint.

    Args:
        a: The Householder vectors, below the diagonal.
        factors: Their factors.
        c: The matrix.
        left: Whether Q is on the left.
        transpose: Whether the adjoint of Q takes its place.
    """
    found = c if left else c.conj().T  # c Q is the adjoint of adjoint(Q) adjoint(c)
    order = range(len(factors)) if transpose == left else reversed(range(len(factors)))
    found = found.copy()
    for j in order:
        v = np.concatenate([np.ones(1, a.dtype), a[j + 1 :, j]])
        factor = factors[j].conj() if transpose == left else factors[j]
        found[j:] -= factor * np.outer(v, v.conj() @ found[j:])
    return (found if left else found.conj().T,)


def gehrd(a: Array, *, low: int, high: int) -> Values:
    """Return the Hessenberg form with Householder vectors below it, their factors, and info."""
    routine = _routine("gehrd", a)
    if routine is not None:
        return tuple(routine(a, lo=low - 1, hi=high - 1))
    return (*householder.hessenberg(a, low - 1, high), OK)


def sytrd(a: Array, *, uplo: int) -> Values:
    """Return the tridiagonal form: packed matrix, diagonal, off-diagonal, factors, info."""
    routine = _routine("hetrd" if a.dtype.kind == "c" else "sytrd", a)
    lower = _is(uplo, "L")
    if routine is not None:
        return tuple(routine(a, lower=lower))
    if lower:
        return (*householder.tridiagonal(a), OK)
    packed, diagonal, beside, factors = householder.tridiagonal(a[::-1, ::-1])
    return packed[::-1, ::-1], diagonal[::-1], beside[::-1], factors[::-1], OK


# Eigenvalues and singular values


def syevd(a: Array, *, mode: int, uplo: int) -> Values:
    """Return eigenvectors (the matrix, unless `mode` requests them), ascending eigenvalues, and info."""
    vectors = _is(mode, "V")
    routine = _routine("heevd" if a.dtype.kind == "c" else "syevd", a)
    if routine is not None:
        values, found, info = routine(a, compute_v=vectors, lower=_is(uplo, "L"))
        return (found if vectors else a), values, info
    values, found = np.linalg.eigh(a, "L" if _is(uplo, "L") else "U")
    return (found if vectors else a), values, OK


def gesdd(a: Array, *, mode: int) -> Values:
    """Return the matrix, singular values, the vectors that `mode` requests (all, reduced, none), and info."""
    vectors, full = not _is(mode, "N"), _is(mode, "A")
    routine = _routine("gesdd", a)
    if routine is not None:
        left, values, right, info = routine(a, compute_uv=vectors, full_matrices=full)
    elif vectors:
        (left, values, right), info = np.linalg.svd(a, full_matrices=full), OK
    else:
        values, info = np.linalg.svd(a, compute_uv=False), OK
    return (a, values, left, right, info) if vectors else (a, values, None, None, info)


def gesvd(a: Array, *, mode: int) -> Values:
    """Return what `gesdd` does, by the QR algorithm."""
    return gesdd(a, mode=mode)


def geev(a: Array, *, compute_left: int, compute_right: int) -> Values:
    """Return eigenvalues (real matrices: real and imaginary parts), left and right eigenvectors, and info."""
    routine = _routine("geev", a)
    has_left, has_right = _is(compute_left, "V"), _is(compute_right, "V")
    if routine is None:
        values, right = np.linalg.eig(a)
        left = np.linalg.pinv(right).conj().T
        parts = (values,) if a.dtype.kind == "c" else (values.real, values.imag)
        left /= np.linalg.norm(left, axis=0)
        return (*parts, left if has_left else 0, right if has_right else 0, OK)
    *parts, left, right, info = routine(a, compute_vl=has_left, compute_vr=has_right)
    if a.dtype.kind != "c":
        left, right = [v if v.shape != a.shape else _pairs(v, parts[1]) for v in (left, right)]
    return (*parts, *[v if v.shape == a.shape else 0 for v in (left, right)], info)


def _pairs(vectors: Array, imaginary: Array) -> Array:
    """Return complex eigenvectors from LAPACK's real ones: a pair is stored as real part, imaginary part."""
    found = vectors.astype(np.result_type(vectors, np.complex64))
    (first,) = np.nonzero(imaginary > 0)
    found[:, first] = vectors[:, first] + 1j * vectors[:, first + 1]
    found[:, first + 1] = found[:, first].conj()
    return found


def gees(a: Array, *, mode: int, sort: int) -> Values:
    """Return the Schur form, Schur vectors, eigenvalues (real matrices: two parts), a count of 0, info."""
    routine = _routine("gees", a)
    if routine is None:
        raise Unsupported("the Schur decomposition requires SciPy: pip install 'stablehlo-py[scipy]'")
    if not _is(sort, "N"):
        raise Unsupported("an ordered Schur decomposition without a selection is not supported")
    form, count, *values, vectors, _, info = routine(lambda *_: False, a, compute_v=_is(mode, "V"))
    return form, (vectors if _is(mode, "V") else np.zeros_like(a)), *values, count, info


# Systems of equations


def trsm(a: Array, b: Array, *, diag: int, side: int, trans_x: int, uplo: int) -> Values:
    """Return the solution of a triangular system with the matrix on the left or right."""
    transpose = TRANSPOSES[chr(trans_x).upper()]
    solution = triangular_solve(
        a,
        b,
        left_side=_is(side, "L"),
        lower=_is(uplo, "L"),
        unit_diagonal=_is(diag, "U"),
        transpose_a=transpose,
    )
    return (solution,)


def gtsv(below: Array, diagonal: Array, above: Array, b: Array, *, perturb_singular: bool = False) -> Values:
    """Return the solution of a tridiagonal system, after the three diagonals that LAPACK overwrites."""
    if perturb_singular:
        return below, diagonal, above, *gtsv_perturbed(below, diagonal, above, b), OK
    routine = _routine("gtsv", b) if len(diagonal) > 1 else None  # SciPy refuses bands without elements
    if routine is not None:
        second, middle, first, solution, info = routine(below[1:], diagonal, above[:-1], b)
        return _padded(second, front=True), middle, _padded(first, front=False), solution, info
    matrix = np.diag(diagonal) + np.diag(below[1:], -1) + np.diag(above[:-1], 1)
    try:
        return below, diagonal, above, np.linalg.solve(matrix, b), OK
    except np.linalg.LinAlgError:
        return below, diagonal, above, b, len(diagonal)


def gtsv_perturbed(
    below: Array, diagonal: Array, above: Array, b: Array, *, perturb_singular: bool = True
) -> Values:
    """Return the finite solution of a tridiagonal system whose pivots near zero are perturbed.

    Elimination with partial pivoting.
    """
    if not perturb_singular:
        return (gtsv(below, diagonal, above, b)[3],)
    size, solution = len(diagonal), b.copy()
    upper = np.zeros((3, size), b.dtype)  # rows of U: pivots, and the elements one and two places behind
    upper[0], upper[1, :-1] = diagonal, above[:-1]
    for i in range(size - 1):
        following = np.array([below[i + 1], upper[0, i + 1], upper[1, i + 1]])
        if abs(following[0]) > abs(upper[0, i]):
            upper[:, i], following = following, upper[:, i].copy()
            solution[[i, i + 1]] = solution[[i + 1, i]]
        factor = following[0] / upper[0, i] if upper[0, i] else b.dtype.type(0)
        upper[0, i + 1] = following[1] - factor * upper[1, i]
        upper[1, i + 1] = following[2] - factor * upper[2, i]
        solution[i + 1] -= factor * solution[i]
    limits = np.finfo(b.dtype)
    least = max(limits.eps * np.abs(upper).max(initial=0), limits.tiny)
    for i in reversed(range(size)):
        for distance in (1, 2):
            if i + distance < size:
                solution[i] -= upper[distance, i] * solution[i + distance]
        solution[i] /= _perturbed(upper[0, i], np.abs(solution[i]).max(initial=0), least)
    return (solution,)


def _perturbed(pivot: Any, largest: Any, least: Any) -> Any:
    """Return a pivot that is moved away from zero until no quotient overflows, as LAPACK's lagts does.

    Args:
        pivot: The pivot.
        largest: The absolute value of the largest numerator.
        least: The first step; each later one is twice as long.
    """
    step = least if pivot.real >= 0 else -least
    while np.abs(pivot) < 1 and (pivot == 0 or largest * np.finfo(pivot.dtype).tiny > np.abs(pivot)):
        pivot, step = pivot + step, step * 2
    return pivot


def _padded(band: Array, front: bool) -> Array:
    zero = np.zeros(1, band.dtype)
    return np.concatenate([zero, band] if front else [band, zero])
