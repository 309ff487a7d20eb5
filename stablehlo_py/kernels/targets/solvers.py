"""Linear algebra targets for GPUs and TPUs: LAPACK's routines under other names and options.

Targets are those that JAX exports for CUDA (`cusolver_getrf_ffi`) and ROCm (`hipsolver_getrf_ffi`), and XLA's
own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stablehlo_py.ir.types import TupleType
from stablehlo_py.kernels.registry import Array
from stablehlo_py.kernels.targets import lapack
from stablehlo_py.kernels.targets.lapack import each_matrix
from stablehlo_py.kernels.targets.registry import Kind, Values, custom_call

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
    return (*found, np.conj(np.transpose(right)), info)


def _vectors(wanted: bool, full: bool) -> int:
    return ord("N" if not wanted else "A" if full else "S")


def gtsv2(below: Array, diagonal: Array, above: Array, b: Array, *, perturb_singular: bool = False) -> Values:
    """Return the solution of a tridiagonal system."""
    return (lapack.gtsv(below, diagonal, above, b, perturb_singular=perturb_singular)[3],)


_VECTORS = {"compute_uv": bool, "full_matrices": bool}
_ROUTINES: tuple[tuple[Any, Mapping[str, Kind]], ...] = (
    (lapack.getrf, {}),
    (lapack.geqrf, {}),
    (lapack.orgqr, {}),
    (lapack.ormqr, lapack.ORMQR),
    (potrf, {"lower": bool}),
    (syevd, {"lower": bool, "algorithm": (0, 1, 2)}),  # default, divide and conquer, Jacobi
    (sytrd, {"lower": bool}),
    (gesvd, _VECTORS | {"transposed": bool}),
    (gesvdj, _VECTORS),
)

for _function, _attributes in _ROUTINES:
    custom_call(
        *[f"{library}_{_function.__name__}_ffi" for library in ("cusolver", "hipsolver")],
        attributes=_attributes,
    )(each_matrix(_function))
custom_call("hipsolver_gesdd_ffi", attributes=_VECTORS | {"transposed": bool})(each_matrix(gesvd))
custom_call(
    "cu_tridiagonal_solve_perturbed", "hip_tridiagonal_solve_perturbed", attributes=lapack.TRIDIAGONAL
)(each_matrix(lapack.gtsv_perturbed, vector=True))
custom_call("cusparse_gtsv2_ffi", "hipsparse_gtsv2_ffi", attributes=lapack.TRIDIAGONAL)(
    each_matrix(gtsv2, vector=True)
)


@custom_call("cu_lu_pivots_to_permutation", "hip_lu_pivots_to_permutation", attributes={})
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


@custom_call("LuDecomposition", attributes={})
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


custom_call("Qr", attributes={})(each_matrix(lapack.geqrf))
custom_call("ProductOfElementaryHouseholderReflectors", attributes={})(each_matrix(lapack.orgqr))


_EIGH: dict[str, Kind] = {"lower": (0, 1), "sort": (0, 1), "sweeps": int, "tolerance": float}


@custom_call("Eigh", attributes=_EIGH, text=tuple(_EIGH))
def eigh(a: Array, *, lower: int = 1, sort: int = 1, sweeps: int = 0, tolerance: float = 0) -> Values:
    """Return eigenvectors and eigenvalues of symmetric matrices.

    Values are in ascending order, which is one of those that `sort = 0` allows, and as precise as the type,
    whatever the numbers of sweeps and the tolerance of Jacobi's method.
    """
    values, vectors = np.linalg.eigh(a, "L" if lower else "U")
    return vectors, values
