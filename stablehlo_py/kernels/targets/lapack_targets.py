"""The targets of LAPACK: for each routine the types and attributes of its calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stablehlo_py.ir.records import dataclass
from stablehlo_py.kernels.targets import lapack
from stablehlo_py.kernels.targets.lapack import each_matrix
from stablehlo_py.kernels.targets.registry import LINALG, Kind, custom_call


def _letters(letters: str) -> tuple[int, ...]:
    """Return the codes of letters, in both cases."""
    return tuple(map(ord, letters + letters.lower()))


_UPLO, _MODE = {"uplo": _letters("LU")}, {"mode": _letters("NV")}
_VECTORS = {"mode": _letters("ANS")}
TRIDIAGONAL: Mapping[str, Kind] = {"perturb_singular": bool}
ORMQR: Mapping[str, Kind] = {"left": bool, "transpose": bool}
_TRSM = {"diag": _letters("NU"), "side": _letters("LR"), "trans_x": _letters("NTC"), **_UPLO}


def _svd(given: Mapping[str, Any]) -> str:
    """Return the signature of a singular value decomposition: `p` left and `q` right vectors."""
    return SVD + {"A": "p = m and q = n", "S": "p = k and q = k"}.get(_letter(given, "mode"), SOME_VECTORS)


def _trsm(given: Mapping[str, Any]) -> str:
    size = "m" if _letter(given, "side") == "L" else "n"
    return f"T[..., {size}, {size}], T[..., m, n] -> T[..., m, n] @1"


def multiply_signature(given: Mapping[str, Any]) -> str:
    """Return the signature of `ormqr`."""
    rows = "m" if given.get("left") else "n"
    return f"T[..., {rows}, c], T[..., k], T[..., m, n] -> T[..., m, n] @2 where k <= c and k <= {rows}"


def _letter(given: Mapping[str, Any], name: str) -> str:
    code = given.get(name)
    return chr(code).upper() if isinstance(code, int) else ""


SQUARE = "T[..., n, n] -> T[..., n, n] @0, "
_SVD = "T[..., m, n] -> T[..., m, n] @0, R[..., k], T[..., m, p], T[..., q, n], i32[...]"
SVD = f"{_SVD} where k = min(m, n) and "
SOME_VECTORS = "k <= p <= m and k <= q <= n"
CHOLESKY = SQUARE + "i32[...]"
LU = "T[..., m, n] -> T[..., m, n] @0, i32[..., k], i32[...] where k = min(m, n)"
QR = "T[..., m, n] -> T[..., m, n] @0, T[..., k] where k = min(m, n)"
Q = "T[..., m, n], T[..., k] -> T[..., m, n] @0 where k <= n <= m"
EIGENVALUES = SQUARE + "R[..., n], i32[...]"
TRIDIAGONAL_FORM = SQUARE + "R[..., n], R[..., k], T[..., k], i32[...] where k = n - 1"
_PIVOTED = "T[..., m, n], i32[..., n] -> T[..., m, n] @0, i32[..., n] @1, T[..., k] where k = min(m, n)"
_HESSENBERG = SQUARE + "T[..., k], i32[...] where k = n - 1 and 1 <= low <= high <= n"
_EIGENVECTORS = "T[..., n], C[..., n, n], C[..., n, n], i32[...]"
_SCHUR = SQUARE + "T[..., n, n], T[..., n], i32[...], i32[...] where 1 <= n"
_BANDS = "T[..., n], T[..., n], T[..., n], T[..., n, k] -> "
SYSTEM = _BANDS + "T[..., n, k] where 1 <= n"
_BANDS_KEPT = _BANDS + "T[..., n] @0, T[..., n] @1, T[..., n] @2, T[..., n, k] @3, i32[...] where 1 <= n"


@dataclass(frozen=True, slots=True)
class _Routine:
    """A routine.

    Attributes:
        function: What runs it.
        signature: Its operands and results, also as a function of the attributes.
        attributes: Its attributes.
        complex: Its name for complex types, where it has another.
        real: Its signature for real types, where it has another.
        vector: Whether its first operands are vectors.
    """

    function: Any
    signature: str | Callable[[Mapping[str, Any]], str]
    attributes: Mapping[str, Kind]
    complex: str = ""
    real: str = ""
    vector: bool = False


_SIDES = {"compute_left": _letters("NV"), "compute_right": _letters("NV")}
_ROUTINES = (
    _Routine(lapack.potrf, CHOLESKY, _UPLO),
    _Routine(lapack.getrf, LU, {}),
    _Routine(lapack.geqrf, QR, {}),
    _Routine(lapack.geqp3, _PIVOTED, {}),
    _Routine(lapack.orgqr, Q, {}, complex="ungqr"),
    _Routine(lapack.ormqr, multiply_signature, ORMQR, complex="unmqr"),
    _Routine(lapack.gehrd, _HESSENBERG, {"low": int, "high": int}),
    _Routine(lapack.sytrd, TRIDIAGONAL_FORM, _UPLO, complex="hetrd"),
    _Routine(lapack.syevd, EIGENVALUES, _MODE | _UPLO, complex="heevd"),
    _Routine(lapack.gesdd, _svd, _VECTORS),
    _Routine(lapack.gesvd, _svd, _VECTORS),
    _Routine(
        lapack.geev,
        f"T[..., n, n] -> {_EIGENVECTORS}",
        _SIDES,
        real=f"T[..., n, n] -> T[..., n], {_EIGENVECTORS}",
    ),
    _Routine(
        lapack.gees,
        _SCHUR,
        _MODE | {"sort": _letters("NS")},
        real=_SCHUR.replace("T[..., n], ", "T[..., n], T[..., n], "),
    ),
    _Routine(lapack.trsm, _trsm, _TRSM),
    _Routine(lapack.gtsv, _BANDS_KEPT, TRIDIAGONAL, vector=True),
)

for _routine_row in _ROUTINES:
    _function = _routine_row.function
    for _letter_of, _type in zip("sdcz", LINALG, strict=True):
        _is_real = _letter_of in "sd"
        _name = _function.__name__ if _is_real else _routine_row.complex or _function.__name__
        custom_call(
            f"lapack_{_letter_of}{_name}_ffi",
            attributes=_routine_row.attributes,
            signature=(_is_real and _routine_row.real) or _routine_row.signature,
            elements=(_type,),
            layout="columns",
            typed=True,
        )(each_matrix(_function, vector=_routine_row.vector))
custom_call(
    "tridiagonal_solve_perturbed_ffi",
    "tridiagonal_solve_perturbed",
    attributes=TRIDIAGONAL,
    signature=SYSTEM,
    elements=LINALG,
    layout="columns",
    typed=True,
)(each_matrix(lapack.gtsv_perturbed, vector=True))
