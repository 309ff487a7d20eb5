"""Lowering of CHLO: what is computed before and after is the same, to the accuracy of the formulas."""

from __future__ import annotations

import re
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
    "float16": "f16",
    "bfloat16": "bf16",
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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("op", ["acos", "acosh", "asin", "asinh", "atan", "atanh"])
def test_inverse_functions_at_the_ends_of_their_domains(op: str, dtype: Any) -> None:
    """Squares of large numbers overflow, and differences of equal ones cancel."""
    largest, eps = float(np.finfo(dtype).max), float(np.finfo(dtype).eps)
    large = np.array([*(largest**0.5 * np.array([0.5, 1, 2, 1e5])), largest / 2, largest])
    small = np.array([0, 1e-30, 1e-10, eps, 1e-3, 0.5, 1 - eps, 1])
    positive = np.concatenate([1 + small, large]) if op == "acosh" else small
    if op in ("asinh", "atan"):
        positive = np.concatenate([small, large])
    x = positive.astype(dtype) if op == "acosh" else np.concatenate([positive, -positive]).astype(dtype)
    (found,) = lowered(op, [x], f"tensor<{x.size}x{NAMES[x.dtype.name]}>")
    with np.errstate(divide="ignore"):
        expected = UNARY[op][0](x.astype(np.float64)).astype(dtype)
    np.testing.assert_allclose(found, expected, rtol=16 * eps, atol=0)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


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


@pytest.mark.parametrize(
    ("stated", "is_stable"), [("", "true"), (", is_stable = true", "true"), (", is_stable = false", "false")]
)
@pytest.mark.parametrize("size", ["5", "?"])
def test_the_order_of_the_largest_elements(size: str, stated: str, is_stable: str) -> None:
    """It is total: a NaN is larger than all numbers, or smaller if it has a sign."""
    types = "tensor<5xf32>, tensor<5xi32>"
    body = f"%r:2 = chlo.top_k(%x, k = 5{stated}) : tensor<{size}xf32> -> ({types})"
    module = shlo.opt(function(f"%x: tensor<{size}xf32>", body, types), [PASS])
    (sort,) = [op for op in module.walk() if op.name == "stablehlo.sort"]
    assert str(sort.attribute("is_stable")) == is_stable
    values, indices = shlo.run(module, [np.float32([1, -np.nan, np.inf, np.nan, -np.inf])])
    assert [str(value) for value in values] == ["nan", "inf", "1.0", "-inf", "nan"]
    assert indices.tolist() == [3, 2, 0, 4, 1]


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


COMPLEX: dict[str, Any] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "square": np.square,
}
PARTS = np.array([0.0, 1e-20, 1e-6, 0.3, 1.0, 1.7, 40.0, 1e8, 1e18])
OFF_THE_CUTS = np.array([complex(x, y) for x in (*PARTS, *-PARTS[1:]) for y in (*PARTS[1:], *-PARTS[1:])])


@pytest.mark.parametrize("op", COMPLEX)
def test_functions_of_complex_numbers(op: str) -> None:
    """Each part has at most 4 units in the last place of error, in all regions of the plane."""
    z = OFF_THE_CUTS.astype(np.complex64)
    if op.startswith("ata"):
        z = z[(np.abs(z.real) != 1) & (np.abs(z.imag) != 1)]  # near a pole, the formula's squares underflow
    (found,) = lowered(op, [z], f"tensor<{z.size}xcomplex<f32>>")
    wanted = COMPLEX[op](z.astype(np.complex128)).astype(np.complex64)
    np.testing.assert_array_max_ulp(found.real, wanted.real, 4)
    np.testing.assert_array_max_ulp(found.imag, wanted.imag, 4)


def function(arguments: str, body: str, results: str) -> shlo.Module:
    names = ", ".join(f"%r#{i}" for i in range(results.count("tensor")))
    returned = names if ", " in names else "%r"
    return shlo.parse(
        f"func.func @main({arguments}) -> ({results}) {{\n{body}\nreturn {returned} : {results}\n}}"
    )


@pytest.mark.parametrize("sizes", ["3x4", "?x?"])
@pytest.mark.parametrize(("axis", "is_reverse"), [(0, "false"), (1, "true")])
def test_scans(sizes: str, axis: int, is_reverse: str) -> None:
    """A scan of sums is a cumulative sum, along either dimension, from either end."""
    carry = sizes.split("x")[1 - axis]
    module = function(
        f"%x: tensor<{sizes}xi32>, %init: tensor<{carry}xi32>",
        f"""%r:2 = "chlo.scan"(%x, %init) <{{dimension = {axis} : i64, is_reverse = {is_reverse},
          operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}}> ({{
        ^bb0(%element: tensor<{carry}xi32>, %carry: tensor<{carry}xi32>):
          %sum = stablehlo.add %element, %carry : tensor<{carry}xi32>
          stablehlo.return %sum, %sum : tensor<{carry}xi32>, tensor<{carry}xi32>
        }}) : (tensor<{sizes}xi32>, tensor<{carry}xi32>) -> (tensor<{sizes}xi32>, tensor<{carry}xi32>)""",
        f"tensor<{sizes}xi32>, tensor<{carry}xi32>",
    )
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    step = -1 if is_reverse == "true" else 1
    expected = np.flip(np.cumsum(np.flip(x, axis) if step < 0 else x, axis), axis if step < 0 else ())
    outputs, last = shlo.run(shlo.opt(module, [PASS]), [x, np.zeros(x.shape[1 - axis], np.int32)])
    assert np.array_equal(outputs, expected)
    assert np.array_equal(last, x.sum(axis))


def test_a_scan_of_dynamic_inputs_of_different_ranks() -> None:
    """Sums over the first dimension, of a matrix and of a vector, and the carries in an output more."""
    types = "tensor<?x?xi32>, tensor<?xi32>"
    carries = "tensor<?xi32>, tensor<i32>"
    module = function(
        "%x: tensor<?x?xi32>, %y: tensor<?xi32>, %a: tensor<?xi32>, %b: tensor<i32>",
        f"""%r:5 = "chlo.scan"(%x, %y, %a, %b) <{{dimension = 0 : i64, is_reverse = false,
          operandSegmentSizes = array<i32: 2, 2>, resultSegmentSizes = array<i32: 3, 2>}}> ({{
        ^bb0(%p: tensor<?xi32>, %q: tensor<i32>, %c: tensor<?xi32>, %d: tensor<i32>):
          %0 = stablehlo.add %p, %c : tensor<?xi32>
          %1 = stablehlo.add %q, %d : tensor<i32>
          stablehlo.return %0, %1, %c, %0, %1 :
            tensor<?xi32>, tensor<i32>, tensor<?xi32>, tensor<?xi32>, tensor<i32>
        }}) : ({types}, {carries}) -> ({types}, tensor<?x?xi32>, {carries})""",
        f"{types}, tensor<?x?xi32>, {carries}",
    )
    x, y = np.arange(6, dtype=np.int32).reshape(3, 2), np.array([1, 10, 100], np.int32)
    found = shlo.run(shlo.opt(module, [PASS]), [x, y, np.zeros(2, np.int32), np.int32(0)])
    expected = [[[0, 1], [2, 4], [6, 9]], [1, 11, 111], [[0, 0], [0, 1], [2, 4]], [6, 9], 111]
    assert [each.tolist() for each in found] == expected


def test_a_scan_without_inputs() -> None:
    """The outputs are the carries before they are tripled: 2, 6, 18, 54."""
    body = """%r:2 = "chlo.scan"(%init) <{dimension = 0 : i64, is_reverse = REVERSE,
      operandSegmentSizes = array<i32: 0, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%carry: tensor<i32>):
      %three = stablehlo.constant dense<3> : tensor<i32>
      %next = stablehlo.multiply %carry, %three : tensor<i32>
      stablehlo.return %carry, %next : tensor<i32>, tensor<i32>
    }) : (tensor<i32>) -> (tensor<SIZExi32>, tensor<i32>)"""
    results = "tensor<SIZExi32>, tensor<i32>"
    for is_reverse, outputs in (("false", [2, 6, 18, 54]), ("true", [54, 18, 6, 2])):
        text = body.replace("REVERSE", is_reverse).replace("SIZE", "4")
        module = function("%init: tensor<i32>", text, results.replace("SIZE", "4"))
        found, last = shlo.run(shlo.opt(module, [PASS]), [np.int32(2)])
        assert (found.tolist(), last.tolist()) == (outputs, 162)
        text = body.replace("REVERSE", is_reverse).replace("SIZE", "?")
        module = function("%init: tensor<i32>", text, results.replace("SIZE", "?"))
        with pytest.raises(shlo.TransformError, match=r"failed to legalize operation 'chlo\.scan'"):
            shlo.opt(module, [PASS])


def test_a_constant() -> None:
    body = "%r = chlo.constant dense<[1.0, -2.0]> : tensor<2xf32>"
    module = shlo.opt(function("", body, "tensor<2xf32>"), [PASS])
    assert [op.name for op in module.functions["main"].blocks[0].ops] == ["stablehlo.constant", "func.return"]
    assert shlo.run(module)[0].tolist() == [1, -2]


RAGGED = {  # lhs, rhs, group sizes, result; dimension numbers: batching, contracting, ragged, group
    "rows": ((2, 6, 5), (3, 2, 5, 4), [2, 0, 3], (2, 6, 4), "[0] [1] [2] [2] [1] [0]"),
    "rows of each batch": (
        (2, 6, 5),
        (3, 2, 5, 4),
        [[2, 0, 3], [1, 1, 1]],
        (2, 6, 4),
        "[0] [1] [2] [2] [1] [0]",
    ),
    "contracting": ((2, 6, 5), (2, 5, 4), [[2, 1, 1], [0, 5, 0]], (3, 2, 6, 4), "[0] [0] [2] [1] [2] []"),
    "batch": ((2, 6, 5), (2, 5, 4), [1, 1], (2, 6, 4), "[0] [0] [2] [1] [0] []"),
}
RAGGED_ROWS = """<{ragged_dot_dimension_numbers = #chlo.ragged_dot<
  lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
  rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> """


@pytest.mark.parametrize("name", RAGGED)
@pytest.mark.parametrize("dynamic", ["", "lhs", "groups of rhs", "both"])
def test_ragged_dot_products(name: str, dynamic: str) -> None:
    """A group of rows is multiplied by its part of rhs, and rows of no group by nothing."""
    lhs, rhs, groups, result, numbers = RAGGED[name]
    sizes = np.array(groups, np.int32)
    shapes = [lhs, rhs, sizes.shape, result]
    known = ["x".join(map(str, shape)) for shape in shapes]
    if dynamic == "groups of rhs":
        known[1] = "x".join(["?", *map(str, rhs[1:])])
    if dynamic == "both":
        known[1] = "x".join("?" * len(rhs))
    if dynamic in ("lhs", "both"):
        known[0] = "?x?x?"
        known[3] = "x".join([*map(str, result[:-3]), "?x?x?"])
    lhs_type, rhs_type, sizes_type, out = (
        f"tensor<{text}x{'i32' if i == 2 else 'f32'}>" for i, text in enumerate(known)
    )
    fields = [f"{side}_{kind}_dimensions" for kind in ("batching", "contracting") for side in ("lhs", "rhs")]
    fields += ["lhs_ragged_dimensions", "rhs_group_dimensions"]
    stated = ", ".join(f"{f} = {v}" for f, v in zip(fields, numbers.split(), strict=True))
    module = function(
        f"%lhs: {lhs_type}, %rhs: {rhs_type}, %sizes: {sizes_type}",
        f'%r = "chlo.ragged_dot"(%lhs, %rhs, %sizes) '
        f"<{{ragged_dot_dimension_numbers = #chlo.ragged_dot<{stated}>}}>"
        f" : ({lhs_type}, {rhs_type}, {sizes_type}) -> {out}",
        out,
    )
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-4, 5, shape).astype(np.float32) for shape in (lhs, rhs))
    (found,) = shlo.run(shlo.opt(module, [PASS]), [x, y, sizes])
    each = np.broadcast_to(sizes, (2, sizes.shape[-1]))
    ends = np.cumsum(each, -1)
    expected = np.zeros(result, np.float32)
    for batch in range(2):
        for group, end in enumerate(ends[batch]):
            rows = slice(end - each[batch, group], end)
            if name.startswith("rows"):
                expected[batch, rows] = x[batch, rows] @ y[group, batch]
            elif name == "contracting":
                expected[group, batch] = x[batch, :, rows] @ y[batch, rows]
            else:
                expected[batch] = x[batch] @ y[batch]
    assert np.array_equal(found, expected)


def ragged(lhs: str, rhs: str, groups: str, result: str, numbers: str) -> shlo.Module:
    fields = ["lhs_batching", "rhs_batching", "lhs_contracting", "rhs_contracting", "lhs_ragged", "rhs_group"]
    stated = ", ".join(f"{f}_dimensions = {v}" for f, v in zip(fields, numbers.split(" "), strict=True))
    types = [f"tensor<{lhs}xf32>", f"tensor<{rhs}xf32>", f"tensor<{groups}xi64>"]
    return function(
        ", ".join(f"%{name}: {type}" for name, type in zip(("lhs", "rhs", "sizes"), types, strict=True)),
        '%r = "chlo.ragged_dot"(%lhs, %rhs, %sizes) '
        f"<{{ragged_dot_dimension_numbers = #chlo.ragged_dot<{stated}>}}> : ({', '.join(types)}) "
        f"-> tensor<{result}xf32>",
        f"tensor<{result}xf32>",
    )


def test_groups_of_rows_of_each_batch_and_block() -> None:
    """There are sizes for each position in the dimensions before the ragged one."""
    draw = np.random.default_rng(0)
    lhs = draw.integers(-4, 5, (2, 3, 6, 5)).astype(np.float32)
    rhs = draw.integers(-4, 5, (2, 2, 5, 4)).astype(np.float32)
    sizes = np.array([[[2, 4], [0, 6], [6, 0]], [[1, 1], [3, 3], [5, 1]]])
    module = ragged("2x3x6x5", "2x2x5x4", "2x3x2", "2x3x6x4", "[0] [1] [3] [2] [2] [0]")
    (found,) = shlo.run(shlo.opt(module, [PASS]), [lhs, rhs, sizes])
    expected = np.zeros((2, 3, 6, 4), np.float32)
    for batch, block in np.ndindex(2, 3):
        first, second = sizes[batch, block]
        for row in range(first + second):
            expected[batch, block, row] = lhs[batch, block, row] @ rhs[int(row >= first), batch]
    assert np.array_equal(found, expected)


def test_groups_of_rows_behind_contracted_columns() -> None:
    """There are no sizes for each position in a contracting dimension, as the result has none."""
    draw = np.random.default_rng(0)
    lhs = draw.integers(-4, 5, (5, 3, 6)).astype(np.float32)
    rhs = draw.integers(-4, 5, (2, 5, 4)).astype(np.float32)
    sizes = np.array([[2, 4], [0, 6], [3, 1]])
    module = ragged("5x3x6", "2x5x4", "3x2", "3x6x4", "[] [] [0] [1] [2] [0]")
    (found,) = shlo.run(shlo.opt(module, [PASS]), [lhs, rhs, sizes])
    expected = np.zeros((3, 6, 4), np.float32)
    for block, (first, second) in enumerate(sizes):
        for row in range(first + second):
            expected[block, row] = lhs[:, block, row] @ rhs[int(row >= first)]
    assert np.array_equal(found, expected)


def test_groups_of_the_second_of_two_contracting_dimensions() -> None:
    """There are sizes for each position in the contracting dimensions stated before the ragged one."""
    draw = np.random.default_rng(0)
    lhs = draw.integers(-4, 5, (2, 5, 3, 2)).astype(np.float32)
    rhs = draw.integers(-4, 5, (2, 2, 5, 4)).astype(np.float32)
    sizes = np.array([[[2, 3], [0, 5]], [[1, 1], [4, 0]]])
    module = ragged("2x5x3x2", "2x2x5x4", "2x2x2", "2x2x3x4", "[0] [0] [3,1] [1,2] [1] []")
    (found,) = shlo.run(shlo.opt(module, [PASS]), [lhs, rhs, sizes])
    expected = np.zeros((2, 2, 3, 4), np.float32)
    for batch, outer in np.ndindex(2, 2):
        first, second = sizes[batch, outer]
        for inner in range(first + second):
            product = np.outer(lhs[batch, inner, :, outer], rhs[batch, outer, inner])
            expected[int(inner >= first), batch] += product
    assert np.array_equal(found, expected)


def test_the_largest_elements_of_a_dynamic_operand() -> None:
    types = "tensor<?x2xf32>, tensor<?x2xi32>"
    body = f"%r:2 = chlo.top_k(%x, k = 2) : tensor<?x?xf32> -> ({types})"
    module = shlo.opt(function("%x: tensor<?x?xf32>", body, types), [PASS])
    values, indices = shlo.run(module, [np.float32([[1, 5, 5, 2], [-1, -2, -3, 0]])])
    assert (values.tolist(), indices.tolist()) == ([[5, 5], [0, -1]], [[1, 2], [3, 0]])


def test_broadcasting_of_bounded_dimensions() -> None:
    """A value is broadcast to the bound, and then has the size of the other one."""
    bounded = "tensor<?x3xf32, #stablehlo.bounds<4, ?>>"
    body = f"%r = chlo.broadcast_add %x, %y : ({bounded}, tensor<3xf32>) -> {bounded}"
    module = shlo.opt(function(f"%x: {bounded}, %y: tensor<3xf32>", body, bounded), [PASS])
    names = [op.name.partition(".")[2] for op in module.functions["main"].blocks[0].ops]
    assert names == ["broadcast_in_dim", "get_dimension_size", "set_dimension_size", "add", "return"]
    assert "(tensor<3xf32>) -> tensor<4x3xf32>" in str(module)


@pytest.mark.parametrize(
    ("shapes", "choice"),
    [
        (((), (3,), (2, 1)), True),
        (((), (3,), (2, 1)), False),
        (((), (), (2,)), True),
        (((2, 1), (3,), ()), [[True], [False]]),
        (((3,), (2, 3), (1, 3)), [True, False, True]),
    ],
)
def test_a_choice_of_dynamic_values(shapes: tuple[tuple[int, ...], ...], choice: object) -> None:
    """One boolean chooses a whole value; both are broadcast to the result."""
    types = [
        f"tensor<{'?x' * len(s)}{element}>" for s, element in zip(shapes, ("i1", "f32", "f32"), strict=True)
    ]
    expected = np.broadcast_shapes(*shapes)
    result = f"tensor<{'?x' * len(expected)}f32>"
    body = f"%r = chlo.broadcast_select %p, %x, %y : ({', '.join(types)}) -> {result}"
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip("pxy", types, strict=True))
    module = shlo.opt(function(arguments, body, result), [PASS])
    x = np.arange(np.prod(shapes[1]), dtype=np.float32).reshape(shapes[1])
    y = -1 - np.arange(np.prod(shapes[2]), dtype=np.float32).reshape(shapes[2])
    (found,) = shlo.run(module, [np.array(choice), x, y])
    np.testing.assert_array_equal(found, np.broadcast_to(np.where(np.array(choice), x, y), expected))


ONE, FOUR = "tensor<?xf32, #stablehlo.bounds<1>>", "tensor<?xf32, #stablehlo.bounds<4>>"
WIDE = "tensor<3x?xf32, #stablehlo.bounds<?, 4>>"


@pytest.mark.parametrize(
    ("x", "y", "type", "sizes"),
    [
        (FOUR, "tensor<3x1xf32>", WIDE, [(0, 1)]),
        ("tensor<3x1xf32>", FOUR, WIDE, [(0, 1)]),
        ("tensor<1x1xf32>", WIDE, WIDE, [(1, 1)]),
        (FOUR, "tensor<1xf32>", FOUR, [(0, 0)]),
        (FOUR, FOUR, FOUR, []),
        (FOUR, ONE, FOUR, []),
        (ONE, "tensor<3xf32>", "tensor<3xf32>", []),  # what has at most one element is broadcast
        ("tensor<3xf32>", ONE, "tensor<3xf32>", []),
        ("tensor<0xf32>", "tensor<1xf32>", "tensor<0xf32>", []),
    ],
)
def test_sizes_of_bounded_dimensions(x: str, y: str, type: str, sizes: list[tuple[int, int]]) -> None:
    """Each size of a static value that is broadcast is that of a dimension of the other value."""
    body = f"%r = chlo.broadcast_subtract %x, %y : ({x}, {y}) -> {type}"
    module = shlo.opt(function(f"%x: {x}, %y: {y}", body, type), [PASS])  # which verifies
    *ops, last, _ = module.functions["main"].blocks[0].ops
    assert last.name == "stablehlo.subtract"
    set_sizes = [op for op in ops if op.name == "stablehlo.set_dimension_size"]
    assert [
        (op.operands[1].op.python_value("dimension"), op.python_value("dimension")) for op in set_sizes
    ] == sizes


@pytest.mark.parametrize(
    ("x", "y", "type"),
    [
        ("tensor<f32>", "tensor<3xf32>", "tensor<3xf32>"),
        ("tensor<?xf32>", "tensor<3xf32>", "tensor<3xf32>"),
        ("tensor<?xf32>", "tensor<?xf32>", "tensor<?xf32>"),
        (FOUR, "tensor<1xf32>", FOUR),
    ],
)
def test_an_op_keeps_its_attributes_without_its_broadcast(x: str, y: str, type: str) -> None:
    """Also those that no dialect defines."""
    body = f'%r = chlo.broadcast_add %x, %y {{m.n = "a"}} : ({x}, {y}) -> {type}'
    module = shlo.opt(function(f"%x: {x}, %y: {y}", body, type), [PASS])
    (add,) = [op for op in module.walk() if op.name == "stablehlo.add"]
    assert {name: str(value) for name, value in add.attributes.items()} == {"m.n": '"a"'}


NO_LOWERING = {
    "an alignment that is not NumPy's": (
        "broadcast_add",
        "%x: tensor<2xf32>, %y: tensor<2x3xf32>",
        "tensor<2x3xf32>",
        "<{broadcast_dimensions = array<i64: 0>}> ",
    ),
    "an alignment that exchanges dimensions": (
        "broadcast_add",
        "%x: tensor<2x2xf32>, %y: tensor<2x2xf32>",
        "tensor<2x2xf32>",
        "<{broadcast_dimensions = array<i64: 1, 0>}> ",
    ),
    "no elements and a bound": (
        "broadcast_add",
        "%x: tensor<?xf32, #stablehlo.bounds<4>>, %y: tensor<?xf32, #stablehlo.bounds<0>>",
        "tensor<?xf32, #stablehlo.bounds<4>>",
        "",
    ),
    "a static size and a bounded one": (
        "broadcast_add",
        "%x: tensor<?xf32, #stablehlo.bounds<4>>, %y: tensor<4xf32>",
        "tensor<4xf32>",
        "",
    ),
    "a formula of real numbers": ("bessel_i1e", "%x: tensor<2xcomplex<f32>>", "tensor<2xcomplex<f32>>", ""),
    "an unknown number of groups": (
        "ragged_dot",
        "%x: tensor<4x2xf32>, %y: tensor<3x2x5xf32>, %s: tensor<?xi32>",
        "tensor<4x5xf32>",
        RAGGED_ROWS,
    ),
    "two ragged dimensions": (
        "ragged_dot",
        "%x: tensor<4x2xf32>, %y: tensor<3x2x5xf32>, %s: tensor<3xi32>",
        "tensor<4x5xf32>",
        RAGGED_ROWS.replace("lhs_ragged_dimensions = [0]", "lhs_ragged_dimensions = [0, 1]"),
    ),
    "no rank": ("top_k", "%x: tensor<*xf32>", "tensor<*xf32>, tensor<*xi32>", "<{k = 1 : i64}> "),
}


@pytest.mark.parametrize("name", NO_LOWERING)
def test_what_has_no_lowering_is_an_error(name: str) -> None:
    op, arguments, result, properties = NO_LOWERING[name]
    given = re.findall(r"(%\w+): (.+?)(?=, %|$)", arguments)
    names, types = (", ".join(each) for each in zip(*given, strict=True))
    count = f":{result.count('tensor')}" if "), " in result or ">, tensor" in result else ""
    body = f'%r{count} = "chlo.{op}"({names}) {properties}: ({types}) -> ({result})'
    module = function(arguments, body, result)
    message = f"failed to legalize operation 'chlo.{op}' that was explicitly marked illegal"
    with pytest.raises(shlo.TransformError, match=re.escape(message)) as caught:
        shlo.opt(module, [PASS])
    assert [(d.line, d.notes) for d in caught.value.diagnostics] == [(2, ())]


@pytest.mark.parametrize("element", ["i8", "i1", "f32", "complex<f32>", "!quant.uniform<i8:f32, 2.0>"])
@pytest.mark.parametrize("shape", ["3", "?"])
def test_a_broadcasting_op_of_a_type_that_the_op_does_not_have(element: str, shape: str) -> None:
    """Broadcasting ops accept more element types than the op that is applied: what has none is refused."""
    type = f"tensor<{shape}x{element}>"
    refused = []
    for name in ("add", "atan2", "next_after", "polygamma", "remainder", "shift_left", "subtract", "zeta"):
        text = f"""func.func @main(%x: {type}, %y: {type}) -> {type} {{
          %0 = chlo.broadcast_{name} %x, %y : ({type}, {type}) -> {type}
          return %0 : {type}
        }}"""
        try:
            shlo.opt(shlo.parse(text), [PASS])  # which verifies
        except shlo.TransformError as error:
            (found,) = error.diagnostics
            assert found.line == 2 and f"'chlo.broadcast_{name}'" in found.message
            assert found.notes[0].startswith("it would become ")
            refused.append(name)
    expected = {
        "i8": ["atan2", "next_after", "polygamma", "zeta"],
        "i1": ["atan2", "next_after", "polygamma", "remainder", "shift_left", "subtract", "zeta"],
        "f32": ["shift_left"],
        "complex<f32>": ["next_after", "polygamma", "shift_left", "zeta"],
    }
    assert refused == expected.get(element, ["next_after", "polygamma", "shift_left", "zeta"])


@pytest.mark.parametrize("op", [*UNARY, "conj", "is_inf", "next_after", "zeta"])
def test_operands_without_a_rank_are_refused(op: str) -> None:
    """The constants of a formula have the shape of an operand, which has no type here."""
    names = ["%x", "%x"] if op in ("next_after", "zeta") else ["%x"]
    element = "complex<f32>" if op == "conj" else "f32"
    types = [f"tensor<*x{element}>"] * len(names)
    result = "tensor<*xi1>" if op == "is_inf" else types[0]
    module = shlo.parse(
        f'func.func @main(%x: {types[0]}) -> {result} {{\n  %0 = "chlo.{op}"({", ".join(names)}) : '
        f"({', '.join(types)}) -> {result}\n  return %0 : {result}\n}}"
    )
    with pytest.raises(shlo.TransformError, match=f"failed to legalize operation 'chlo.{op}'") as error:
        shlo.opt(module, [PASS])
    assert error.value.diagnostics[0].line == 2
