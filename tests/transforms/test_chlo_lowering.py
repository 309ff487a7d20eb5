"""Lowering of CHLO: what is computed before and after is the same, to the accuracy of the formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

import stablehlo_py as shlo

PASS = "chlo-legalize-to-stablehlo"
REAL = np.array([-90.0, -3.5, -1.0, -0.75, -0.0, 1e-3, 0.25, 0.5, 0.999, 1.0, 1.5, 4.0, 9.5, 88.0])
SPECIAL = np.array([np.inf, -np.inf, np.nan])
UNARY: dict[str, tuple[Any, Any]] = {
    "acos": (np.arccos, REAL[2:10]),
    "acosh": (np.arccosh, REAL[9:]),
    "asin": (np.arcsin, REAL[2:10]),
    "asinh": (np.arcsinh, REAL),
    "atan": (np.arctan, REAL),
    "atanh": (np.arctanh, REAL[3:9]),
    "bessel_i1e": (special.i1e, REAL),
    "cosh": (np.cosh, REAL[1:-1]),
    "digamma": (special.digamma, REAL[5:]),
    "erf": (special.erf, REAL),
    "erf_inv": (special.erfinv, REAL[2:10]),
    "erfc": (special.erfc, REAL),
    "lgamma": (special.gammaln, REAL[5:]),
    "sinh": (np.sinh, REAL[1:-1]),
    "square": (np.square, REAL),
    "tan": (np.tan, REAL),
}


def lowered(op: str, operands: list[Any], result: str) -> list[Any]:
    """The results of an op after the pass."""
    types = [f"tensor<{'x'.join(map(str, (*x.shape, '')))}{NAMES[x.dtype.name]}>" for x in operands]
    arguments = ", ".join(f"%a{i}: {type}" for i, type in enumerate(types))
    names = ", ".join(f"%a{i}" for i in range(len(types)))
    text = (
        f"func.func @main({arguments}) -> {result} {{\n"
        f'%r = "chlo.{op}"({names}) : ({", ".join(types)}) -> {result}\nreturn %r : {result}\n}}'
    )
    module = shlo.opt(shlo.parse(text), [PASS])
    assert "chlo." not in shlo.format(module)
    return shlo.run(module, operands, engine="numpy")


NAMES = {
    "float32": "f32",
    "float64": "f64",
    "int16": "i16",
    "int64": "i64",
    "uint64": "ui64",
    "complex64": "complex<f32>",
}


@pytest.mark.parametrize("op", UNARY)
@pytest.mark.parametrize(
    ("dtype", "name", "tolerance"), [(np.float32, "f32", 1e-5), (np.float64, "f64", 1e-12)]
)
def test_functions_of_real_numbers(op: str, dtype: Any, name: str, tolerance: float) -> None:
    function, values = UNARY[op]
    x = values.astype(dtype)
    (found,) = lowered(op, [x], f"tensor<{len(x)}x{name}>")
    np.testing.assert_allclose(
        found, function(x.astype(np.float64)).astype(dtype), rtol=tolerance, atol=tolerance / 10
    )


def test_special_values() -> None:
    """The limits at infinity, and NaN for NaN."""
    for op, expected in {
        "erf": [1, -1, np.nan],
        "erfc": [0, 2, np.nan],
        "lgamma": [np.inf, np.inf, np.nan],
        "cosh": [np.inf, np.inf, np.nan],
        "sinh": [np.inf, -np.inf, np.nan],
        "asinh": [np.inf, -np.inf, np.nan],
        "erf_inv": [np.nan, np.nan, np.nan],
    }.items():
        (found,) = lowered(op, [SPECIAL.astype(np.float32)], "tensor<3xf32>")
        np.testing.assert_array_equal(found, np.float32(expected), err_msg=op)
    (found,) = lowered("digamma", [np.float32([0, -1, -2])], "tensor<3xf32>")
    assert np.isnan(found).all()


def test_functions_of_two_numbers() -> None:
    x, q = np.array([1.5, 2.0, 4.0, 10.0]), np.array([0.25, 1.0, 3.5, 7.0])
    (found,) = lowered("zeta", [x, q], "tensor<4xf64>")
    np.testing.assert_allclose(found, special.zeta(x, q), rtol=1e-12)
    n = np.array([0.0, 1.0, 2.0, 3.0])
    (found,) = lowered("polygamma", [n, q], "tensor<4xf64>")
    np.testing.assert_allclose(
        found, [special.polygamma(int(i), v) for i, v in zip(n, q, strict=True)], rtol=1e-11
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours(dtype: Any) -> None:
    values = np.array([0.0, -0.0, 1.0, -1.0, np.finfo(dtype).max, np.inf, np.nan, 1e-30], dtype)
    x, y = map(np.ravel, np.meshgrid(values, values))
    type = f"tensor<{x.size}x{NAMES[np.dtype(dtype).name]}>"
    (found,) = lowered("next_after", [x, y], type)
    with np.errstate(over="ignore", under="ignore"):
        expected = np.nextafter(x, y)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", [np.int16, np.int64, np.uint64])
def test_upper_half_of_products(dtype: Any) -> None:
    bounds = np.iinfo(dtype)
    values = np.array([bounds.min, bounds.max, 0, 1, 3, bounds.max // 3, bounds.max // 2 + 7], dtype)
    x, y = map(np.ravel, np.meshgrid(values, values))
    (found,) = lowered("mulhi", [x, y], f"tensor<{x.size}x{NAMES[np.dtype(dtype).name]}>")
    expected = [int(a) * int(b) >> bounds.bits for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(found, np.array(expected, dtype))


def test_tests_for_infinities_and_conjugates() -> None:
    x = np.float32([np.inf, -np.inf, np.nan, 1])
    for op, expected in {
        "is_inf": [1, 1, 0, 0],
        "is_pos_inf": [1, 0, 0, 0],
        "is_neg_inf": [0, 1, 0, 0],
    }.items():
        assert lowered(op, [x], "tensor<4xi1>")[0].tolist() == [bool(e) for e in expected]
    z = np.complex64([1 + 2j, -3j])
    assert lowered("conj", [z], "tensor<2xcomplex<f32>>")[0].tolist() == [1 - 2j, 3j]
    assert lowered("square", [z], "tensor<2xcomplex<f32>>")[0].tolist() == [-3 + 4j, -9 + 0j]


def test_the_largest_elements() -> None:
    text = """func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
      %v, %i = chlo.top_k(%x, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
      return %v, %i : tensor<2x2xf32>, tensor<2x2xi32>
    }"""
    module = shlo.opt(shlo.parse(text), [PASS])
    values, indices = shlo.run(module, [np.float32([[1, 5, 5, 2], [-1, -2, -3, 0]])])
    assert values.tolist() == [[5, 5], [0, -1]]
    assert indices.tolist() == [[1, 2], [3, 0]]


@pytest.mark.parametrize("shape", ["4x3", "?x?"])
def test_broadcasting(shape: str) -> None:
    """Static and dynamic operands give what NumPy gives; dynamic ones that do not fit are an error."""
    left, right, wide = ("4x1", "3", "4x3") if shape == "4x3" else ("?x1", "?", "?x?")
    text = f"""func.func @main(%x: tensor<{left}xf32>, %y: tensor<{right}xf32>) -> tensor<{wide}xi1> {{
      %r = chlo.broadcast_compare %x, %y {{comparison_direction = #chlo<comparison_direction LT>}}
        : (tensor<{left}xf32>, tensor<{right}xf32>) -> tensor<{wide}xi1>
      return %r : tensor<{wide}xi1>
    }}"""
    module = shlo.opt(shlo.parse(text), [PASS])
    x, y = np.arange(4, dtype=np.float32)[:, None], np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(shlo.run(module, [x, y])[0], x < y)


def test_what_has_no_lowering_is_an_error() -> None:
    type = "tensor<2xcomplex<f32>>"
    body = f"%r = chlo.asin %x : {type} -> {type}\nreturn %r : {type}"
    text = f"func.func @main(%x: {type}) -> {type} {{\n{body}\n}}"
    with pytest.raises(shlo.TransformError, match=r"failed to legalize operation 'chlo\.asin'") as caught:
        shlo.opt(shlo.parse(text), [PASS])
    assert [d.line for d in caught.value.diagnostics] == [2]
