"""Linear algebra targets of programs for GPUs and TPUs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.syntax.parser import parse_type

A = np.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.5], [2.0, 0.5, 5.0]])
M = "tensor<3x3xf64>"
V = "tensor<3xf64>"
P = "tensor<3xi32>"
INFO = "tensor<i32>"


def call(target: str, inputs: list[Any], types: list[str], results: str, config: str = "") -> list[Any]:
    """The results of a custom call; `results` is what stands behind its arrow."""
    arguments = ", ".join(f"%{i}: {type}" for i, type in enumerate(types))
    names = ", ".join(f"%{i}" for i in range(len(types)))
    count = results.count("tensor") if results[0] == "(" else 1
    values = ", ".join(f"%r#{i}" for i in range(count)) if count > 1 else "%r"
    text = f"""
    func.func @main({arguments}) -> {results} {{
      %r{f":{count}" if count > 1 else ""} = stablehlo.custom_call @{target}({names})
        {{mhlo.backend_config = {{{config}}}}} : ({", ".join(types)}) -> {results}
      return {values} : {results.removeprefix("(").removesuffix(")")}
    }}"""
    return shlo.run(shlo.parse(text), inputs)


@pytest.mark.parametrize("library", ["cusolver", "hipsolver"])
def test_factorizations(library: str) -> None:
    factor, info = call(f"{library}_potrf_ffi", [A], [M], f"({M}, {INFO})", "lower = true")
    assert info == 0
    np.testing.assert_allclose(np.tril(factor) @ np.tril(factor).T, A)
    values = f"({M}, {V}, {INFO})"
    vectors, found, info = call(f"{library}_syevd_ffi", [A], [M], values, "lower = true, algorithm = 0 : ui8")
    np.testing.assert_allclose(vectors * found @ vectors.T, A)
    packed, factors = call(f"{library}_geqrf_ffi", [A], [M], f"({M}, {V})")
    (q,) = call(f"{library}_orgqr_ffi", [packed, factors], [M, V], M)
    np.testing.assert_allclose(q @ np.triu(packed), A)


@pytest.mark.parametrize("full", ["true", "false"])
@pytest.mark.parametrize("routine", ["gesvd", "gesvdj"])
def test_vectors_on_the_right_are_rows_or_columns(routine: str, full: str) -> None:
    results = f"({M}, {V}, {M}, {M}, {INFO})"
    config = f"compute_uv = true, full_matrices = {full}"
    b = np.arange(9.0).reshape(3, 3) ** 2
    _, values, left, right, info = call(f"cusolver_{routine}_ffi", [b], [M], results, config)
    assert info == 0
    np.testing.assert_allclose(left * values @ (right if routine == "gesvd" else right.T), b, atol=1e-12)


@pytest.mark.parametrize("routine", ["gesvd", "gesvdj"])
def test_complex_vectors_on_the_right(routine: str) -> None:
    """Columns of gesvdj are the vectors, and rows of gesvd are their conjugates."""
    matrix = "tensor<3x3xcomplex<f64>>"
    b = np.array([[1, 2j, 3], [1 - 1j, 0, 2], [1j, 1, 5 + 2j]])
    results = f"({matrix}, {V}, {matrix}, {matrix}, {INFO})"
    config = "compute_uv = true, full_matrices = true"
    _, values, left, right, info = call(f"cusolver_{routine}_ffi", [b], [matrix], results, config)
    assert info == 0 and np.abs(right.imag).max() > 0.1
    found = left * values @ (right if routine == "gesvd" else right.conj().T)
    np.testing.assert_allclose(found, b, atol=1e-12)


def test_tridiagonal_system() -> None:
    below, diagonal, above, b = (
        np.array([0.0, 1, 2]),
        np.array([4.0, 5, 6]),
        np.array([1.0, 1, 0]),
        np.ones((3, 1)),
    )
    (x,) = call(
        "cusparse_gtsv2_ffi", [below, diagonal, above, b], [V, V, V, "tensor<3x1xf64>"], "tensor<3x1xf64>"
    )
    matrix = np.diag(diagonal) + np.diag(below[1:], -1) + np.diag(above[:-1], 1)
    np.testing.assert_allclose(matrix @ x, b)


def test_exchanges_of_rows_that_there_are_lead_to_an_order() -> None:
    pivots = np.array([[2, 2, 2], [1, 9, -1]], np.int32)
    (order,) = call("hip_lu_pivots_to_permutation", [pivots], ["tensor<2x3xi32>"], "tensor<2x4xi32>")
    assert order.tolist() == [[2, 0, 1, 3], [1, 0, 2, 3]]


def test_a_tuple_of_results() -> None:
    b = np.array([[0.0, 2, 1], [4.0, 1, 1], [2.0, 3, 7]])
    ((packed, pivots, order),) = call("LuDecomposition", [b], [M], f"tuple<{M}, {P}, {P}>")
    assert (pivots.tolist(), order.tolist()) == ([1, 2, 2], [1, 2, 0])
    np.testing.assert_allclose((np.tril(packed, -1) + np.eye(3)) @ np.triu(packed), b[order])
    ((packed, factors),) = call("Qr", [b], [M], f"tuple<{M}, {V}>")
    (q,) = call("ProductOfElementaryHouseholderReflectors", [packed, factors], [M, V], M)
    np.testing.assert_allclose(q @ np.triu(packed), b, atol=1e-12)


@pytest.mark.parametrize(("config", "lower"), [("", True), ("1,1,100,1e-6", True), ("0,1,100,1e-6", False)])
def test_eigenvectors_of_the_triangle_that_a_text_selects(config: str, lower: bool) -> None:
    a = np.array([[2.0, 8.0], [1.0, 2.0]])
    text = f"""func.func @main(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>) {{
      %0:2 = stablehlo.custom_call @Eigh(%a) {{backend_config = "{config}"}}
        : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>)
      return %0#0, %0#1 : tensor<2x2xf64>, tensor<2xf64>
    }}"""
    _, values = shlo.run(shlo.parse(text), [a])
    np.testing.assert_allclose(values, [1, 3] if lower else [-6, 10])


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("element", ["f32", "f64", "i32", "complex<f64>"])
def test_product_of_compressed_rows(engine: str, element: str) -> None:
    """Of the matrix [[0, 5, 2], [0, 0, 0], [3, 0, 0], [0, 4, 4]], whose last element is the sum of two."""
    if engine == "native":
        pytest.importorskip("llvmlite", reason="needs the extra native")
    scale = 1 + 2j if "complex" in element else 1
    data = np.array([5, 2, 3, 4, 1, 3]) * scale
    offsets, columns = np.array([0, 2, 2, 3, 6], np.int32), np.array([1, 2, 0, 1, 2, 2], np.int32)
    dense = np.array([[1, 10], [2, 20], [3, 30]])
    expected = np.array([[16, 160], [0, 0], [3, 30], [20, 200]]) * scale
    for right, product in ((dense, expected), (dense[:, 0], expected[:, 0])):
        shape, out = ("x".join(map(str, value.shape)) for value in (right, product))
        types = f"tensor<6x{element}>, tensor<5xi32>, tensor<6xi32>, tensor<{shape}x{element}>"
        names = ", ".join(f"%a{i}: {type}" for i, type in enumerate(types.split(", ")))
        text = f"""func.func @main({names}) -> tensor<{out}x{element}> {{
          %0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%a0, %a1, %a2, %a3) {{api_version = 4 : i32,
            backend_config = {{}}}} : ({types}) -> tensor<{out}x{element}>
          %1 = stablehlo.add %0, %0 : tensor<{out}x{element}>
          return %1 : tensor<{out}x{element}>
        }}"""
        kind = numpy_dtype(parse_type(f"tensor<1x{element}>").element_type)
        program = shlo.compile(shlo.parse(text), engine=engine)
        (found,) = program(data.astype(kind), offsets, columns, right.astype(kind))
        assert found.dtype == kind and np.array_equal(found, 2 * product)
