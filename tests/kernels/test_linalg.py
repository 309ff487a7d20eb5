"""Linear algebra: the specification's examples, and reconstruction of inputs from results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stablehlo_py.kernels.linalg import cholesky, triangular_solve

A = np.array([[1.0, 2.0, 3.0], [2.0, 20.0, 26.0], [3.0, 26.0, 70.0]], np.float32)
INF = np.inf
FACTOR = [[1.0, 0.0, 0.0], [2.0, 4.0, 0.0], [3.0, 5.0, 6.0]]


def test_cholesky_specification_example() -> None:
    result = cholesky(A, lower=True)
    assert result.tolist() == FACTOR
    assert result.dtype == np.float32
    assert cholesky(A, lower=False).T.tolist() == FACTOR


def test_cholesky_reads_one_triangle() -> None:
    assert cholesky(np.tril(A) + np.triu(np.full((3, 3), 9.0), 1), lower=True).tolist() == FACTOR
    assert cholesky(np.triu(A) + np.tril(np.full((3, 3), 9.0), -1), lower=False).T.tolist() == FACTOR


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_cholesky_of_complex_matrices(dtype: str) -> None:
    factor = np.array([[2, 0], [1 - 3j, 4]], dtype)
    assert np.allclose(cholesky(factor @ factor.conj().T, lower=True), factor)
    assert np.allclose(cholesky(factor @ factor.conj().T, lower=False), factor.conj().T)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("sign", [0.0, -0.0])
def test_the_diagonal_of_a_complex_factor_is_real(sign: float, lower: bool) -> None:
    """Its imaginary parts are 0, and not -0 as those of a conjugate, by LAPACK and without it."""
    factor = cholesky(np.array([[4, complex(0, sign)], [complex(0, sign), 9]], np.complex64), lower=lower)
    assert factor.diagonal().tolist() == [2, 3]
    assert not np.signbit(factor.diagonal().imag).any()


def test_cholesky_is_nan_only_for_matrices_that_are_not_definite() -> None:
    with np.errstate(all="ignore"):
        result = cholesky(np.stack([A, -A, A - 2 * np.eye(3, dtype=np.float32)]), lower=True)
    assert result[0].tolist() == FACTOR
    for failed in result[1:]:
        assert np.isnan(failed[np.tril_indices(3)]).all()
        assert (failed[np.triu_indices(3, 1)] == 0).all()


@pytest.mark.parametrize(
    ("matrix", "expected"),  # the triangles; None where there is no factor
    [
        ([[4], [-0.0, 9], [0, -0.0, 16]], [[2], [-0.0, 3], [0, 0, 4]]),  # -0 - 0 * -0 = 0
        ([[INF], [-0.0, 9], [-0.0, 1, 16]], [[INF], [-0.0, 3], [-0.0, 1 / 3, np.sqrt(16 - 1 / 9)]]),
        ([[4], [0, INF], [0, INF, 1]], None),  # INF / INF
        ([[4], [0, 9], [0, np.nan, 16]], None),
    ],
)
@pytest.mark.parametrize("lower", [True, False])
def test_cholesky_of_special_values(matrix: list[list[float]], expected: Any, lower: bool) -> None:
    def whole(rows: list[list[float]]) -> Any:
        square = np.array([row + [0.0] * (3 - len(row)) for row in rows])
        return square if lower else square.T

    with np.errstate(all="ignore"):
        found = cholesky(whole(matrix), lower=lower)
    if expected is None:
        expected = [[np.nan] * (n + 1) for n in range(3)]
    np.testing.assert_allclose(found, whole(expected), rtol=1e-15)
    finite = ~np.isnan(found)
    assert np.array_equal(np.signbit(found[finite]), np.signbit(whole(expected)[finite]))


def test_cholesky_of_nothing_and_of_narrow_floats() -> None:
    assert cholesky(np.zeros((2, 0, 0)), lower=True).shape == (2, 0, 0)
    assert cholesky(A.astype(np.float16), lower=True).dtype == np.float16


def test_triangular_solve_specification_example() -> None:
    a, b = np.array(FACTOR), np.array([[2.0, 0.0, 0.0], [4.0, 8.0, 0.0], [6.0, 10.0, 12.0]])
    result = triangular_solve(
        a, b, left_side=True, lower=True, unit_diagonal=False, transpose_a="NO_TRANSPOSE"
    )
    assert result.tolist() == [[2, 0, 0], [0, 2, 0], [0, 0, 2]]


@pytest.mark.parametrize("batch", [(), (2,), (3, 2)])
@pytest.mark.parametrize("size", [1, 5, 50])
@pytest.mark.parametrize("unit_diagonal", [False, True])
@pytest.mark.parametrize("transpose_a", ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("left_side", [False, True])
def test_triangular_solve(
    left_side: bool, lower: bool, transpose_a: str, unit_diagonal: bool, size: int, batch: tuple[int, ...]
) -> None:
    """The solution solves the system of the triangle that is read; the other one holds rubbish."""
    rng = np.random.default_rng(size)
    full = rng.normal(size=(*batch, size, size)) + 1j * rng.normal(size=(*batch, size, size))
    full = full / size + 3 * np.eye(size)
    solution = rng.normal(size=(*batch, size, 4) if left_side else (*batch, 4, size)) + 0j
    triangle = np.tril(full) if lower else np.triu(full)
    if unit_diagonal:
        triangle = triangle - triangle * np.eye(size) + np.eye(size)
    op = {
        "NO_TRANSPOSE": triangle,
        "TRANSPOSE": triangle.swapaxes(-1, -2),
        "ADJOINT": triangle.swapaxes(-1, -2).conj(),
    }
    matrix = op[transpose_a]
    b = matrix @ solution if left_side else solution @ matrix
    result = triangular_solve(
        full, b, left_side=left_side, lower=lower, unit_diagonal=unit_diagonal, transpose_a=transpose_a
    )
    assert np.allclose(result, solution)


def test_a_zero_on_the_diagonal_gives_infinity() -> None:
    with np.errstate(all="ignore"):
        result = triangular_solve(
            np.zeros((1, 1)),
            np.ones((1, 1)),
            left_side=True,
            lower=True,
            unit_diagonal=False,
            transpose_a="NO_TRANSPOSE",
        )
    assert result.tolist() == [[np.inf]]
