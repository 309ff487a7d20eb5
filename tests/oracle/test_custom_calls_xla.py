"""Programs with custom calls, as JAX exports them for CPUs, against XLA."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jaxlib")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
from jax import lax

import stablehlo_py as shlo

jax.config.update("jax_enable_x64", True)

LINALG: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "cholesky": (lambda a: jnp.linalg.cholesky(a @ a.conj().mT + jnp.eye(4)), ((3, 4, 4),)),
    "qr": (jnp.linalg.qr, ((2, 5, 3),)),
    "svd": (lambda a: jnp.linalg.svd(a, full_matrices=False), ((2, 5, 3),)),
    "svd_full": (jnp.linalg.svd, ((5, 3),)),
    "svd_values": (lambda a: jnp.linalg.svd(a, compute_uv=False), ((5, 3),)),
    "eigh": (jnp.linalg.eigh, ((2, 4, 4),)),
    "eig": (jnp.linalg.eig, ((4, 4),)),
    "solve": (jnp.linalg.solve, ((4, 4), (4, 2))),
    "lu": (jsl.lu, ((5, 4),)),
    "det": (jnp.linalg.det, ((2, 4, 4),)),
    "inv": (jnp.linalg.inv, ((4, 4),)),
    "pinv": (jnp.linalg.pinv, ((4, 3),)),
    "schur": (jsl.schur, ((4, 4),)),
    "hessenberg": (jsl.hessenberg, ((4, 4),)),
    "expm": (jsl.expm, ((4, 4),)),
    "tridiagonal": (lax.linalg.tridiagonal, ((4, 4),)),
    "tridiagonal_solve": (lax.linalg.tridiagonal_solve, ((4,), (4,), (4,), (4, 2))),
    "svd_by_qr": (lambda a: lax.linalg.svd(a, algorithm=lax.linalg.SvdAlgorithm.QR), ((2, 5, 3),)),
    "values_by_qr": (
        lambda a: lax.linalg.svd(a, algorithm=lax.linalg.SvdAlgorithm.QR, compute_uv=False),
        ((3, 5),),
    ),
    "multiply_q": (lambda a, t, c: lax.linalg.ormqr(a, t, c), ((2, 5, 3), (2, 3), (2, 5, 4))),
    "multiply_q_adjoint": (
        lambda a, t, c: lax.linalg.ormqr(a, t, c, transpose=True),
        ((5, 3), (3,), (5, 4)),
    ),
    "multiply_q_right": (
        lambda a, t, c: lax.linalg.ormqr(a, t, c, left=False),
        ((5, 3), (3,), (4, 5)),
    ),
    "multiply_q_adjoint_right": (
        lambda a, t, c: lax.linalg.ormqr(a, t, c, left=False, transpose=True),
        ((5, 3), (3,), (4, 5)),
    ),
    "tridiagonal_solve_perturbed": (
        lambda dl, d, du, b: lax.linalg.tridiagonal_solve(dl, d, du, b, perturb_singular=True),
        ((4,), (4,), (4,), (4, 2)),
    ),
    "eig_left": (lambda a: lax.linalg.eig(a, compute_right_eigenvectors=False), ((4, 4),)),
    "eig_both": (lax.linalg.eig, ((2, 4, 4),)),
    "eig_values": (jnp.linalg.eigvals, ((4, 4),)),
    "eigh_upper": (lambda a: lax.linalg.eigh(a, lower=False, symmetrize_input=False), ((4, 4),)),
    "eigh_values": (jnp.linalg.eigvalsh, ((4, 4),)),
    "schur_form": (lambda a: lax.linalg.schur(a, compute_schur_vectors=False), ((4, 4),)),
    "tridiagonal_upper": (lambda a: lax.linalg.tridiagonal(a, lower=False), ((2, 4, 4),)),
    **{
        f"triangular_{left}_{lower}_{unit}_{transpose}_{conjugate}": (
            partial(
                lax.linalg.triangular_solve,
                left_side=left,
                lower=lower,
                unit_diagonal=unit,
                transpose_a=transpose,
                conjugate_a=conjugate,
            ),
            ((2, 4, 4), (2, 4, 4)),
        )
        for left, lower, unit, (transpose, conjugate) in product(
            (False, True), (False, True), (False, True), ((False, False), (True, False), (True, True))
        )
    },
    "pivoted_qr": (lambda a: jsl.qr(a, pivoting=True), ((4, 3),)),
}
TOLERANCE = {"float32": 1e-5, "float64": 1e-12, "complex64": 1e-5, "complex128": 1e-12}


def compare(function: Callable[..., Any], inputs: list[Any], tolerance: float) -> None:
    """Our results of the exported function are XLA's."""
    jitted = jax.jit(function)
    found = shlo.run(shlo.parse(jitted.lower(*inputs).as_text()), inputs)
    expected = jax.tree.leaves(jitted(*inputs))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, np.asarray(theirs), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", LINALG)
def test_linear_algebra(name: str, dtype: str) -> None:
    pytest.importorskip("scipy")
    function, shapes = LINALG[name]
    random = np.random.default_rng(0)
    parts = [[random.normal(size=shape) for shape in shapes] for _ in range(2)]
    values = [a + 1j * b if "complex" in dtype else a for a, b in zip(*parts, strict=True)]
    compare(function, [x.astype(dtype) for x in values], TOLERANCE[dtype])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: lax.top_k(x, 3),
        lambda x: lax.approx_max_k(x, 3),
        lambda x: lax.approx_min_k(x, 3, aggregate_to_topk=False),
        lambda x: lax.approx_max_k(x, 2, reduction_dimension=0),
    ],
)
def test_top_k(function: Callable[..., Any]) -> None:
    compare(function, [np.random.default_rng(0).normal(size=(6, 900)).astype(np.float32)], 0)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("last", [0.0, 1e-30, -1e-30, 3.0])
@pytest.mark.parametrize("others", [0.0, 2.0])
def test_diagonal_systems_are_perturbed_alike(dtype: str, size: int, last: float, others: float) -> None:
    zeros, diagonal = np.zeros(size, dtype), np.full(size, others, dtype)
    diagonal[-1] = last
    right = np.ones((size, 2), dtype) * [1, 1e20]
    solve = partial(lax.linalg.tridiagonal_solve, perturb_singular=True)
    compare(solve, [zeros, diagonal, zeros, right.astype(dtype)], 1e-5)


def test_a_singular_tridiagonal_system_has_a_finite_solution() -> None:
    """Both perturb the pivot by a multiple of the machine's precision: the solutions have one direction."""
    ones = np.ones(3)

    def solve(d: Any, b: Any) -> Any:
        return lax.linalg.tridiagonal_solve(
            np.array([0.0, 1, 1]), d, np.array([1.0, 1, 0]), b, perturb_singular=True
        )

    diagonal, right = np.array([1.0, 2.0, 1.0]), ones[:, None] * [[1.0, 2.0]]
    jitted = jax.jit(solve)
    (ours,) = shlo.run(shlo.parse(jitted.lower(diagonal, right).as_text()), [diagonal, right])
    theirs = np.asarray(jitted(diagonal, right))
    assert np.isfinite(ours).all() and np.abs(ours).max() > 1e12
    for mine, other in zip(ours.T, theirs.T, strict=True):
        cosine = mine @ other / np.linalg.norm(mine) / np.linalg.norm(other)
        assert abs(cosine) == pytest.approx(1, abs=1e-9)
