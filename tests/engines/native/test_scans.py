"""Cumulative reductions, scans and largest elements as loops, beside results of NumPy and Python's sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.native.loop_ir.statements import Fold, walk
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.registry import find_engine
from tests.engines.native.loops.loop_regions import region_of
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.native import check_loops, compiled, counted, dtype_of, tensor

pytest.importorskip("llvmlite", reason="needs the extra native")

CUMULATIVE = """
func.func @main(%x: tensor<{shape}x{type}>) -> tensor<{shape}x{type}> {{
  %init = stablehlo.constant dense<{init}> : tensor<{type}>
  %0 = "stablehlo.reduce_window"(%x, %init) <{{
    window_dimensions = array<i64: {sizes}>, padding = dense<{padding}> : tensor<3x2xi64>}}> ({{
    ^bb0(%a: tensor<{type}>, %b: tensor<{type}>):
      %c = stablehlo.{op} %a, %b : tensor<{type}>
      stablehlo.return %c : tensor<{type}>
  }}) : (tensor<{shape}x{type}>, tensor<{type}>) -> tensor<{shape}x{type}>
  return %0 : tensor<{shape}x{type}>
}}"""
SHAPE = (3, 5, 4)
Array = np.ndarray[Any, Any]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(
    ("op", "type", "init", "accumulate"),
    [
        ("add", "f32", "0.0", np.add.accumulate),
        ("add", "complex<f32>", "(0.0, 0.0)", np.add.accumulate),
        ("add", "complex<f64>", "(0.0, 0.0)", np.add.accumulate),
        ("multiply", "f64", "1.0", np.multiply.accumulate),
        ("maximum", "i32", "-2147483648", np.maximum.accumulate),
        ("minimum", "ui8", "255", np.minimum.accumulate),
        ("or", "i1", "false", np.logical_or.accumulate),
    ],
)
def test_cumulative_reductions(
    op: str, type: str, init: str, accumulate: np.ufunc, axis: int, reverse: bool
) -> None:
    sizes, padding = [1, 1, 1], [[0, 0], [0, 0], [0, 0]]
    sizes[axis] = SHAPE[axis]
    padding[axis][reverse] = SHAPE[axis] - 1
    listed = ", ".join(map(str, sizes))
    text = CUMULATIVE.format(shape="3x5x4", type=type, init=init, sizes=listed, padding=padding, op=op)
    x = (np.random.default_rng(axis).standard_normal(SHAPE) * 40).astype(dtype_of(type))
    if x.dtype.kind == "c":
        x.imag = np.random.default_rng(9).standard_normal(SHAPE)
    program = shlo.compile(shlo.parse(text), engine="native")
    assert "native" in str(program.plan)
    order = [slice(None, None, -1 if reverse and d == axis else 1) for d in range(3)]
    if axis != 1 and type in ("f32", "i32", "i1"):
        assert not any(isinstance(each, Fold) for each in walk(lower(region_of(text)).program.body))
        check_loops(text, x)
    np.testing.assert_array_equal(program(x)[0], accumulate(x[tuple(order)], axis)[tuple(order)])


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize(("low", "high"), [(1, 0), (0, 1)])
def test_cumulative_sums_of_one_and_two(size: int, low: int, high: int) -> None:
    """A window of two elements, of which one is padding, is cumulative."""
    text = CUMULATIVE.format(
        shape=f"1x1x{size}", type="i32", init="0", sizes="1, 1, 2",
        padding=[[0, 0], [0, 0], [low, high]], op="add",
    )  # fmt: skip
    x = np.array([3, 5], np.int32)[:size]
    (found,) = shlo.compile(shlo.parse(text), engine="native")(x.reshape(1, 1, size))
    expected = np.cumsum(x) if low else np.cumsum(x[::-1])[::-1]
    assert found.ravel().tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("numbers", "padding", "expected"),
    [
        # (1 + 0i) (inf + 1i) is inf + nan i; what is multiplied with it is NaN
        ([complex(np.inf, 1), 2], [1, 0], [complex(np.inf, np.nan), complex(np.nan, np.nan)]),
        ([2, complex(np.inf, 1)], [0, 1], [complex(np.inf, np.nan), complex(np.nan, np.nan)]),
    ],
)
def test_a_product_of_complex_infinities_is_no_scan(
    numbers: list[complex], padding: list[int], expected: list[complex]
) -> None:
    """1 times an infinity has a part that is NaN, so that padding behind it counts."""
    text = CUMULATIVE.format(
        shape="1x1x2", type="complex<f32>", init="(1.0, 0.0)", sizes="1, 1, 2",
        padding=[[0, 0], [0, 0], padding], op="multiply",
    )  # fmt: skip
    x = np.array(numbers, np.complex64).reshape(1, 1, 2)
    for engine in ("numpy", "native"):
        (found,) = shlo.run(shlo.parse(text), [x], engine=engine)
        parts = [[z.real, z.imag] for z in (found.ravel(), np.array(expected))]
        np.testing.assert_array_equal(*parts)


@pytest.mark.parametrize("size", [3, 5])
def test_sums_of_an_array_with_holes(size: int) -> None:
    """Of 1, 0, 2, 0, 3 the last five up to each, or the last three."""
    text = f"""func.func @main(%x: tensor<3xi32>) -> tensor<5xi32> {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = "stablehlo.reduce_window"(%x, %zero) <{{window_dimensions = array<i64: {size}>,
        base_dilations = array<i64: 2>, padding = dense<[[{size - 1}, 0]]> : tensor<1x2xi64>}}> ({{
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %c : tensor<i32>
      }}) : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
      return %0 : tensor<5xi32>
    }}"""
    (found,) = shlo.run(shlo.parse(text), [np.int32([1, 2, 3])], engine="native")
    assert found.tolist() == {3: [1, 1, 3, 2, 5], 5: [1, 1, 3, 3, 6]}[size]


def interpreted(text: str, x: Array) -> list[float]:
    """The elements of the result of the loops."""
    (found,) = Interpreter().run(lower(region_of(text)).program, [x, *lower(region_of(text)).constants])
    return np.asarray(found).astype(np.float64).ravel().tolist()


@pytest.mark.parametrize(("size", "expected"), [(3, [1, 3, 6, 9, 12, 15]), (5, [1, 3, 6, 10, 15, 20])])
def test_a_window_that_is_not_cumulative_is_no_scan(size: int, expected: list[int]) -> None:
    text = CUMULATIVE.format(
        shape="1x1x6", type="i32", init="0", sizes=f"1, 1, {size}", op="add",
        padding=[[0, 0], [0, 0], [size - 1, 0]],
    )  # fmt: skip
    x = np.arange(1, 7, dtype=np.int32).reshape(1, 1, 6)
    assert interpreted(text, x) == expected
    assert shlo.run(shlo.parse(text), [x], engine="native")[0].ravel().tolist() == expected


def beam(n: int, k: int, type: str) -> str:
    """The largest elements, in a loop of two iterations."""
    x, v, p = tensor((3, n), type), tensor((3, k), type), tensor((3, k), "i32")
    carried = {"values": (v, "%v", "%a"), "places": (p, "%p", "%b")}
    return f"""func.func @main(%x: {x}) -> ({v}, {p}) {{
  %v = stablehlo.slice %x [0:3, 0:{k}] : ({x}) -> {v}
  %p = stablehlo.constant dense<7> : {p}
  {counted("2", carried, f"%a, %b = chlo.top_k(%x, k = {k}) : {x} -> ({v}, {p})")}
  return %r#1, %r#2 : {v}, {p}
}}"""


@pytest.mark.parametrize(("n", "k"), [(40, 5), (6, 6), (9, 1)])
@pytest.mark.parametrize("type", ["f32", "f64", "i8", "ui32"])
def test_largest_elements_in_a_loop(type: str, n: int, k: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.integers(0, 12, (3, n)).astype(dtype_of(type))  # with equal ones: the first place comes first
    x[1] = np.arange(n)
    if x.dtype.kind == "f":
        x[0, :6] = [np.nan, -0.0, 0.0, -np.inf, np.inf, -np.nan]

    def rank(value: np.generic) -> tuple[float, ...]:
        """A number by -NaN < -Inf < -0 < 0 < Inf < NaN."""
        sign = -1 if np.signbit(value) else 1
        return (sign, float(value)) if value == value else (2 * sign, 0)

    order = [sorted(range(n), key=lambda i: rank(row[i]), reverse=True)[:k] for row in x]
    values, places = compiled(beam(n, k, type))(x)
    assert places.tolist() == order
    np.testing.assert_array_equal(values, np.take_along_axis(x, np.array(order), 1))


SCAN = """
func.func @main(%x: tensor<3x5xf32>, %y: tensor<3x5x2xi32>, %total: tensor<3xf32>, %count: tensor<i32>)
    -> (tensor<3x5xf32>, tensor<3x5x2xi32>, tensor<3xf32>, tensor<i32>) {{
  %0:4 = "chlo.scan"(%x, %y, %total, %count) <{{
      dimension = 1 : i64, is_reverse = {reverse},
      operandSegmentSizes = array<i32: 2, 2>, resultSegmentSizes = array<i32: 2, 2>}}> ({{
  ^bb0(%a: tensor<3xf32>, %b: tensor<3x2xi32>, %t: tensor<3xf32>, %n: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %n, %one : tensor<i32>
    %sum = stablehlo.add %t, %a : tensor<3xf32>
    %spread = stablehlo.broadcast_in_dim %next, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %times = stablehlo.multiply %b, %spread : tensor<3x2xi32>
    stablehlo.return %sum, %times, %sum, %next
      : tensor<3xf32>, tensor<3x2xi32>, tensor<3xf32>, tensor<i32>
  }}) : (tensor<3x5xf32>, tensor<3x5x2xi32>, tensor<3xf32>, tensor<i32>)
      -> (tensor<3x5xf32>, tensor<3x5x2xi32>, tensor<3xf32>, tensor<i32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<3x5xf32>, tensor<3x5x2xi32>, tensor<3xf32>, tensor<i32>
}}"""


def results_of(text: str, *inputs: np.ndarray) -> list[np.ndarray]:
    """The results of a program that is one native region, whose loops are verified after each stage."""
    return list(compiled(text, engine=find_engine("native", verify_loops=True))(*inputs))


@pytest.mark.parametrize("reverse", [False, True])
def test_scans_slice_inputs_and_write_outputs(reverse: bool) -> None:
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    y = np.arange(30, dtype=np.int32).reshape(3, 5, 2)
    total, count = np.float32([100, 200, 300]), np.int32(4)
    order = slice(None, None, -1 if reverse else 1)
    sums = np.cumsum(x[:, order], 1)[:, order] + total[:, None]
    times = y * np.arange(5, 10, dtype=np.int32)[order][:, None]
    found = results_of(SCAN.format(reverse=str(reverse).lower()), x, y, total, count)
    assert [each.tolist() for each in found] == [
        sums.tolist(),
        times.tolist(),
        (x.sum(1) + total).tolist(),
        9,
    ]


def test_scans_without_inputs_have_a_size() -> None:
    text = """func.func @main(%x: tensor<2xi32>) -> (tensor<4x2xi32>, tensor<2xi32>) {
      %0:2 = "chlo.scan"(%x) <{dimension = 0 : i64, scan_dim_size = 4 : i64,
          operandSegmentSizes = array<i32: 0, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%b: tensor<2xi32>):
        %1 = stablehlo.add %b, %b : tensor<2xi32>
        stablehlo.return %b, %1 : tensor<2xi32>, tensor<2xi32>
      }) : (tensor<2xi32>) -> (tensor<4x2xi32>, tensor<2xi32>)
      return %0#0, %0#1 : tensor<4x2xi32>, tensor<2xi32>
    }"""
    made, last = results_of(text, np.int32([1, 3]))
    assert made.tolist() == [[1, 3], [2, 6], [4, 12], [8, 24]]
    assert last.tolist() == [16, 48]


@pytest.mark.parametrize(("size", "is_native"), [(2**31 - 1, True), (2**31, False)])
def test_the_counter_of_a_scan_is_of_32_bits(size: int, is_native: bool) -> None:
    text = f"""func.func @main(%x: tensor<i8>) -> (tensor<{size}xi8>, tensor<i8>) {{
      %0:2 = "chlo.scan"(%x) <{{dimension = 0 : i64, scan_dim_size = {size} : i64,
          operandSegmentSizes = array<i32: 0, 1>, resultSegmentSizes = array<i32: 1, 1>}}> ({{
      ^bb0(%b: tensor<i8>):
        %1 = stablehlo.add %b, %b : tensor<i8>
        stablehlo.return %b, %1 : tensor<i8>, tensor<i8>
      }}) : (tensor<i8>) -> (tensor<{size}xi8>, tensor<i8>)
      return %0#0, %0#1 : tensor<{size}xi8>, tensor<i8>
    }}"""
    assert ("native" in str(shlo.compile(shlo.parse(text), engine="native").plan)) is is_native
