"""Linear algebra targets for GPUs and TPUs: LAPACK's routines under other names and options.

Targets are those that JAX exports for CUDA (`cusolver_getrf_ffi`) and ROCm (`hipsolver_getrf_ffi`), and XLA's
own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from stablehlo_py.ir.types import TupleType
from stablehlo_py.kernels.registry import Array
from stablehlo_py.kernels.targets import lapack, lapack_targets
from stablehlo_py.kernels.targets.lapack import each_matrix
from stablehlo_py.kernels.targets.registry import LINALG, Kind, Values, custom_call

# GPUs


def _triangle(lower: bool) -> int:
    return ord("L" if lower else "U")


def potrf(a: Array, *, lower: bool) -> Values:
    """Return the Cholesky factor in one triangle."""
    return lapack.potrf(a, uplo=_triangle(lower))


def syevd(a: Array, *, lower: bool, algorithm: int = 0) -> Values:
    """Return eigenvectors and ascending eigenvalues, for any algorithm."""
    return lapack.syevd(a, mode=ord("V"), uplo=_triangle(lower))


def sytrd(a: Array, *, lower: bool) -> Values:
    """Return the tridiagonal form."""
    return lapack.sytrd(a, uplo=_triangle(lower))


def gesvd(a: Array, *, compute_uv: bool, full_matrices: bool, transposed: bool = False) -> Values:
    """Return the matrix, singular values and vectors; right vectors first if the call is transposed."""
    matrix, values, left, right, info = lapack.gesdd(a, mode=_vectors(compute_uv, full_matrices))
    return (matrix, values, right, left, info) if transposed else (matrix, values, left, right, info)


def gesvdj(a: Array, *, compute_uv: bool, full_matrices: bool) -> Values:
    """Return the results of gesvd, with the right vectors in columns."""
    *found, right, info = lapack.gesdd(a, mode=_vectors(compute_uv, full_matrices))
    return (*found, None if right is None else np.conj(np.transpose(right)), info)


def _vectors(wanted: bool, full: bool) -> int:
    return ord("N" if not wanted else "A" if full else "S")


def gtsv2(below: Array, diagonal: Array, above: Array, b: Array, *, perturb_singular: bool = False) -> Values:
    """Return the solution of a tridiagonal system."""
    return (lapack.gtsv(below, diagonal, above, b, perturb_singular=perturb_singular)[3],)


def _svd(given: Mapping[str, Any]) -> str:
    """Return the signature of `gesvd`: right vectors come first if the call is transposed."""
    if not given.get("compute_uv"):
        return _VALUES
    sizes = "p = m and q = n" if given.get("full_matrices") else "p = k and q = k"
    found = lapack_targets.SVD + sizes
    return found.replace(_LEFT_FIRST, _RIGHT_FIRST) if given.get("transposed") else found


def _jacobi_svd(given: Mapping[str, Any]) -> str:
    """Return the signature of `gesvdj`: vectors on both sides are columns, also where there are none."""
    sizes = "p = m and q = n" if given.get("full_matrices") else "p = k and q = k"
    return lapack_targets.SVD.replace("T[..., q, n]", "T[..., n, q]") + sizes


_LEFT_FIRST, _RIGHT_FIRST = "T[..., m, p], T[..., q, n]", "T[..., q, n], T[..., m, p]"
_VALUES = f"{lapack_targets.SVD}k = k".replace(_LEFT_FIRST, "T[*], T[*]")
_VECTORS = {"compute_uv": bool, "full_matrices": bool}
_ROUTINES: tuple[tuple[Any, str | Callable[[Mapping[str, Any]], str], Mapping[str, Kind]], ...] = (
    (lapack.getrf, lapack_targets.LU, {}),
    (lapack.geqrf, lapack_targets.QR, {}),
    (lapack.orgqr, lapack_targets.Q, {}),
    (lapack.ormqr, lapack_targets.multiply_signature, lapack_targets.ORMQR),
    (potrf, lapack_targets.CHOLESKY, {"lower": bool}),
    (syevd, lapack_targets.EIGENVALUES, {"lower": bool, "algorithm": (0, 1, 2)}),  # default, QR, Jacobi
    (sytrd, lapack_targets.TRIDIAGONAL_FORM, {"lower": bool}),
    (gesvd, _svd, _VECTORS | {"transposed": bool}),
    (gesvdj, _jacobi_svd, _VECTORS),
)
_solver = partial(custom_call, elements=LINALG, layout="columns", typed=True)

for _function, _signature, _attributes in _ROUTINES:
    _names = [f"{library}_{_function.__name__}_ffi" for library in ("cusolver", "hipsolver")]
    _solver(*_names, attributes=_attributes, signature=_signature)(each_matrix(_function))
_solver("hipsolver_gesdd_ffi", attributes=_VECTORS | {"transposed": bool}, signature=_svd)(each_matrix(gesvd))
_solver(
    "cu_tridiagonal_solve_perturbed",
    "hip_tridiagonal_solve_perturbed",
    attributes=lapack_targets.TRIDIAGONAL,
    signature=lapack_targets.SYSTEM,
)(each_matrix(lapack.gtsv_perturbed, vector=True))
_solver(
    "cusparse_gtsv2_ffi",
    "hipsparse_gtsv2_ffi",
    attributes=lapack_targets.TRIDIAGONAL,
    signature=lapack_targets.SYSTEM.replace(" where", " @3 where"),
)(each_matrix(gtsv2, vector=True))


@custom_call(
    "cu_lu_pivots_to_permutation",
    "hip_lu_pivots_to_permutation",
    attributes={},
    signature="i32[..., k] -> i32[..., n] where k <= n",
    layout="rows",
    typed=True,
)
def permutation(pivots: Array, *, result_types: Any) -> Array:
    """Return the row permutation of successive exchanges of row i with row `pivots[i]`."""
    size = result_types[0].shape[-1]
    order = np.broadcast_to(np.arange(size, dtype=pivots.dtype), (*pivots.shape[:-1], size)).copy()
    for i in range(pivots.shape[-1]):
        other = pivots[..., i, None]
        other = np.where((other >= 0) & (other < size), other, i)
        moved = np.take_along_axis(order, other, -1)
        np.put_along_axis(order, other, order[..., i, None], -1)
        order[..., i, None] = moved
    return order


# XLA


_xla = partial(custom_call, elements=LINALG, layout="rows")


@_xla(
    "LuDecomposition",
    attributes={},
    signature="T[..., m, n] -> T[..., m, n], i32[..., k], i32[..., m] where k = min(m, n)",
)
def lu(a: Array, *, result_types: Any) -> Values:
    """Return L and U in one matrix, the row exchanges counted from 0, and the row permutation."""
    results = result_types[0].types if isinstance(result_types[0], TupleType) else result_types
    factors, pivots, order = (
        np.zeros(t.shape, a.dtype if i == 0 else np.int32) for i, t in enumerate(results)
    )
    for index in np.ndindex(a.shape[:-2]):
        factors[index], found, _ = lapack.getrf(a[index])
        pivots[index] = found - 1
    order[...] = permutation(pivots, result_types=results[2:])
    return factors, pivots, order


_xla("Qr", attributes={}, signature=lapack_targets.QR)(each_matrix(lapack.geqrf))
_xla("ProductOfElementaryHouseholderReflectors", attributes={}, signature=lapack_targets.Q)(
    each_matrix(lapack.orgqr)
)


_EIGH: dict[str, Kind] = {"lower": (0, 1), "sort": (0, 1), "sweeps": int, "tolerance": float}


@_xla(
    "Eigh",
    attributes=_EIGH,
    text=tuple(_EIGH),
    signature="T[..., n, n] -> T[..., n, n], R[..., n]",
)
def eigh(a: Array, *, lower: int = 1, sort: int = 1, sweeps: int = 0, tolerance: float = 0) -> Values:
    """Return eigenvectors and eigenvalues of symmetric matrices.

    Values are in ascending order, which is one of those that `sort = 0` allows, and as precise as the type,
    whatever the numbers of sweeps and the tolerance of Jacobi's method.
    """
    values, vectors = np.linalg.eigh(a, "L" if lower else "U")
    return vectors, values
