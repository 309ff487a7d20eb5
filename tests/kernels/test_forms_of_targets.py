"""Custom-call targets: their special forms, and calls that they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.kernels.numeric import householder
from stablehlo_py.kernels.targets import jax, lapack, lapack_targets, solvers, sparse
from stablehlo_py.kernels.targets.calls import _empty, _layout_fault, _untyped
from stablehlo_py.kernels.targets.registry import _check_value, registered
from stablehlo_py.syntax.parser import parse_type

NAN = np.nan
A = np.array([[1.0, 2, 3], [4, 5, 7], [2, 1, 9], [1, 1, 1]])


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_products_with_householder_vectors(dtype: Any, left: bool, transpose: bool) -> None:
    """Q of a QR factorization, or its adjoint, on either side of a matrix that is not square."""
    a = A.astype(dtype) + (1j * A[::-1] if dtype is np.complex128 else 0)
    packed, factors, *_ = lapack.geqrf(a)
    (q,) = lapack.orgqr(np.pad(packed, ((0, 0), (0, 1))), np.append(factors, 0).astype(dtype))
    np.testing.assert_allclose(q.conj().T @ q, np.eye(4), atol=1e-12)
    c = np.arange(8).reshape(4, 2).astype(dtype)
    c = c if left else c.T
    (found,) = lapack.ormqr(packed, factors, c, left=left, transpose=transpose)
    wanted = q.conj().T if transpose else q
    np.testing.assert_allclose(found, wanted @ c if left else c @ wanted, atol=1e-12)


def test_singular_values_by_the_other_algorithm() -> None:
    _, values, left, right, info = lapack.gesvd(A, mode=ord("S"))
    assert (left.shape, right.shape, info) == ((4, 3), (3, 3), 0)
    np.testing.assert_allclose(left * values @ right, A, atol=1e-12)


@pytest.mark.parametrize(
    ("column", "pivot"),
    [([NAN, 2, -5], 3), ([2, NAN, 1], 1), ([NAN, NAN, 0.5], 3), ([NAN, NAN, NAN], 1), ([-3, 3, 1], 1)],
)
def test_pivots_are_numbers(column: list[float], pivot: int) -> None:
    """The largest one, and the first of equal ones; NaN only where there is nothing else."""
    a = np.array([[x, 1.0] for x in column])
    _, pivots, info = householder.lu(a)
    assert (pivots[0], info) == (pivot, 0)


def test_eigenvectors_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of length 1 on both sides: the rows of adjoint(left) are eigenvectors of the other side."""
    monkeypatch.setattr(lapack, "_routine", lambda name, a: None)
    a = np.array([[2.0, 1, 0], [0, 3, 1], [1, 0, 5]])
    real, imag, left, right, info = lapack.geev(a, compute_left=ord("V"), compute_right=ord("V"))
    values = real + 1j * imag
    assert info == 0
    np.testing.assert_allclose(a @ right, right * values, atol=1e-9)
    np.testing.assert_allclose(left.conj().T @ a, values[:, None] * left.conj().T, atol=1e-9)
    for vectors in (left, right):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=0), 1)


SYSTEM = np.array([0.0, 1, 3]), np.array([0.0, 5, 6]), np.array([2.0, 1, 0]), np.array([[2.0], [8], [15]])


@pytest.mark.parametrize("perturbed", [False, True])
def test_tridiagonal_systems(perturbed: bool) -> None:
    """2 y = 2, x + 5 y + z = 8, 3 y + 6 z = 15: rows 0 and 1 are exchanged, as the first pivot is 0."""
    expected = [[1], [1], [2]]
    (found,) = lapack.gtsv_perturbed(*SYSTEM, perturb_singular=perturbed)
    np.testing.assert_allclose(found, expected)
    for solution in (lapack.gtsv(*SYSTEM, perturb_singular=perturbed)[3], *solvers.gtsv2(*SYSTEM)):
        np.testing.assert_allclose(solution, expected)


def test_tridiagonal_forms() -> None:
    """The diagonal and the off-diagonal keep the trace and the sum of squares."""
    a = np.array([[4.0, 1, 2], [1, 3, 0.5], [2, 0.5, 5]])
    for lower in (True, False):
        _, diagonal, beside, _, info = solvers.sytrd(a, lower=lower)
        assert info == 0
        assert diagonal.sum() == pytest.approx(12)
        assert (diagonal**2).sum() + 2 * (beside**2).sum() == pytest.approx((a**2).sum())


@pytest.mark.parametrize(
    ("given", "sizes"),
    [
        ({"compute_uv": False}, ()),
        ({"compute_uv": True, "full_matrices": True}, ("p = m and q = n",)),
        ({"compute_uv": True, "full_matrices": False}, ("p = k and q = k",)),
    ],
)
def test_signatures_of_singular_values(given: dict[str, bool], sizes: tuple[str, ...]) -> None:
    found = solvers._svd(given)
    assert all(size in found for size in sizes)
    assert (found == solvers._VALUES) == (not sizes)
    if sizes:
        turned = solvers._svd({**given, "transposed": True})
        assert turned != found and turned.endswith(sizes[0])


@pytest.mark.parametrize(
    ("mode", "ending"),
    [("A", "p = m and q = n"), ("S", "p = k and q = k"), ("N", lapack_targets.SOME_VECTORS)],
)
def test_signatures_of_singular_values_of_lapack(mode: str, ending: str) -> None:
    assert lapack_targets._svd({"mode": ord(mode)}).endswith(ending)


def test_an_ordered_schur_decomposition_is_refused() -> None:
    pytest.importorskip("scipy")
    a = np.array([[1.0, 2], [0, 3]])
    form, vectors, *_ = lapack.gees(a, mode=ord("V"), sort=ord("N"))
    np.testing.assert_allclose(vectors @ form @ vectors.T, a, atol=1e-12)
    with pytest.raises(shlo.Unsupported, match="ordered Schur decomposition"):
        lapack.gees(a, mode=ord("V"), sort=ord("S"))


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        (["tensor<2x3xf64>"], None),
        (["tensor<0xi32>", "tensor<2x3xf64>"], None),
        (["tensor<2x0xf64>", "tensor<3xf64>"], "[2, 0]"),
        (["tensor<0x3x3xf64>", "tensor<5x2x0xf64>"], "[5, 2, 0]"),
        (["tensor<0x3x3xf64>"], None),
        ([], None),
    ],
)
def test_matrices_without_elements(shapes: list[str], expected: str | None) -> None:
    found = _empty([parse_type(each) for each in shapes])
    assert found == (expected and f"an empty matrix ({expected}), which LAPACK does not accept")


@pytest.mark.parametrize(
    ("layouts", "columns", "on_device", "expected"),
    [
        ({}, False, False, None),
        ({}, True, False, None),
        ({}, False, True, None),
        (
            {},
            True,
            True,
            "no operand_layouts, where matrices are column-major: XLA would pass them transposed",
        ),
        ({"operand_layouts": [[1, 0], [0]]}, False, False, None),
        ({"operand_layouts": [[0, 1], [0]]}, True, False, None),
        (
            {"operand_layouts": [[0, 1], [0]]},
            False,
            False,
            "operand_layouts[0] = [0, 1], where [1, 0] is expected",
        ),
        (
            {"operand_layouts": [[1, 0], [0]]},
            True,
            False,
            "operand_layouts[0] = [1, 0], where [0, 1] is expected",
        ),
        ({"result_layouts": [[1, 0]]}, True, False, "result_layouts[0] = [1, 0], where [0, 1] is expected"),
    ],
)
def test_layouts(layouts: dict[str, Any], columns: bool, on_device: bool, expected: str | None) -> None:
    types = ([parse_type("tensor<2x3xf64>"), parse_type("tensor<2xf64>")], [parse_type("tensor<2x2xf64>")])
    assert _layout_fault(layouts, types, columns, on_device) == expected


@pytest.mark.parametrize(
    ("layouts", "columns", "expected"),
    [
        ([[2, 1, 0], [1, 0]], False, None),
        ([[1, 2, 0], [1, 0]], True, None),
        ([[2, 1, 0], [1, 0]], True, "operand_layouts[0] = [2, 1, 0], where [1, 2, 0] is expected"),
        ([[0, 1, 2], [1, 0]], True, "operand_layouts[0] = [0, 1, 2], where [1, 2, 0] is expected"),
        ([[1, 2, 0], [0, 1]], True, "operand_layouts[1] = [0, 1], where [1, 0] is expected"),
    ],
)
def test_layouts_of_batches(layouts: list[list[int]], columns: bool, expected: str | None) -> None:
    """A batch is outside of matrices and of vectors, which have no columns."""
    types = [parse_type("tensor<4x2x3xf64>"), parse_type("tensor<4x2xf64>")]
    assert _layout_fault({"operand_layouts": layouts}, (types, []), columns, False) == expected


@pytest.mark.parametrize(
    ("version", "is_typed", "on_device", "is_refused"),
    [
        (None, True, True, False),
        (None, False, True, True),
        (None, False, False, False),
        (1, True, True, False),
        (1, False, True, True),
        (2, True, False, True),
        (3, True, True, True),
        (4, False, True, False),
    ],
)
def test_versions_of_typed_calls(
    version: int | None, is_typed: bool, on_device: bool, is_refused: bool
) -> None:
    """Where no version says so, the dictionary that JAX adds does, without which XLA has no attributes."""
    target = registered("lapack_spotrf_ffi")
    assert target is not None and target.typed
    attributes: dict[str, Any] = {} if version is None else {"api_version": version}
    attributes |= {"mhlo.backend_config": {}} if is_typed else {}
    fault = f"api_version {version or 1}, where 4 (a typed call) is expected"
    assert _untyped(target, attributes, on_device) == (fault if is_refused else None)
    other = registered("Sharding")
    assert other is not None and _untyped(other, attributes, on_device) is None


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        (3, int, ""),
        (True, bool, ""),
        ("a", str, ""),
        (76, (76, 85), ""),
        (True, int, "here is True, expected int"),
        (1, bool, "here is 1, expected bool"),
        (1.5, int, "here is 1.5, expected int"),
        (3, (76, 85), "here is 3, expected 76 or 85"),
    ],
)
def test_kinds_of_attributes(value: Any, kind: Any, said: str) -> None:
    if not said:
        _check_value("here", value, kind)
        return
    with pytest.raises(shlo.Unsupported) as error:
        _check_value("here", value, kind)
    assert str(error.value) == said


def test_an_assertion_about_shapes() -> None:
    assert jax.shape_assertion(np.array(True), np.array(1)) == ()
    with pytest.raises(shlo.RunError, match=r"^shape assertion failed$"):
        jax.shape_assertion(np.array(False))
    with pytest.raises(shlo.RunError, match=r"^5 is not 4, but \{2\}$"):
        jax.shape_assertion(
            np.array(False), np.array(5), np.array(4), error_message="{0} is not {1}, but {2}"
        )


@pytest.mark.parametrize(
    ("offsets", "columns"),
    [
        ([0, 2, 4], [0, 1, 0]),
        ([-1, 2, 3], [0, 1, 0]),
        ([0, 2, 1], [0, 1, 0]),
        ([0, 2, 3], [0, 2, 0]),
        ([0, 2, 3], [0, -1, 0]),
    ],
)
def test_sparse_matrices_that_are_malformed(offsets: list[int], columns: list[int]) -> None:
    data, dense = np.array([1.0, 2, 3]), np.array([10.0, 100])
    right = sparse.csr_product(data, np.array([0, 2, 3]), np.array([0, 1, 0]), dense)
    assert right.tolist() == [210, 30]
    with pytest.raises(shlo.RunError, match="outside of the sparse matrix"):
        sparse.csr_product(data, np.array(offsets), np.array(columns), dense)
