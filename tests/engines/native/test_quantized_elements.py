"""Quantized elements: the specification's formulas on the storage, in one region, bit for bit."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from tests.helpers.native import assert_same, counted, tensor

Array = np.ndarray[Any, Any]
F32 = np.float32


def q8(scale: str, zero_point: int = 0) -> str:
    return f"!quant.uniform<i8:f32, {scale}:{zero_point}>"


def quantized(numbers: Array, scale: Array | float, zero_point: int = 0) -> Array:
    """i8 storage of f32 numbers, by the specification's formula."""
    moved = numbers.astype(F32) / np.asarray(scale, F32) + F32(zero_point)
    return np.rint(np.clip(moved, -128, 127)).astype(np.int8)


@pytest.mark.parametrize(
    ("parameters", "dtype", "numbers", "expected"),
    [
        # 0.25 / 0.5 + 1 = 1.5, 0.75 / 0.5 + 1 = 2.5; NaN is stored as 0, before the zero point is there
        ("i8:f32, 0.5:1", np.int8, [0.25, 0.75, 1e9, -np.inf, np.nan], [2, 2, 127, -128, 0]),
        ("i8<-10:11>:f32, 0.5", np.int8, [4.0, 100.0, -100.0, 0.3, np.nan], [8, 11, -10, 1, 0]),
        ("u8<3:9>:f32, 0.5:3", np.uint8, [2.0, 100.0, -100.0, 1.25, np.nan], [7, 9, 3, 6, 0]),
        ("u4:f32, 0.5:3", ml_dtypes.uint4, [-1000.0, -1.0, 0.0, 1.5, 1000.0], [0, 1, 3, 6, 15]),
        ("u16:f64, 0.5:7", np.uint16, [-1000.0, -1.0, 0.0, 1.5, 1e6], [0, 5, 7, 10, 65535]),
        ("i32:f32, 1.0", np.int32, [1e30, -1e30, 0.5, 1.5, -2.0], [2**31 - 1, -(2**31), 0, 2, -2]),
        ("i8:f32:0, {0.5, 2.0:1, 4.0:-1, 1.0, 8.0}", np.int8, [1, 7, 6, -3, 8], [2, 4, 0, -3, 1]),
    ],
)
def test_quantize(parameters: str, dtype: Any, numbers: list[float], expected: list[int]) -> None:
    float_type = "f64" if "f64" in parameters else "f32"
    given = np.array(numbers, {"f32": np.float32, "f64": np.float64}[float_type])
    f, q = tensor((5,), float_type), tensor((5,), f"!quant.uniform<{parameters}>")
    (found,) = assert_same(
        f"""func.func @main(%x: {f}) -> {q} {{
          %0 = stablehlo.uniform_quantize %x : ({f}) -> {q}
          return %0 : {q}
        }}""",
        given,
    )
    assert found.dtype == dtype
    assert found.tolist() == expected


def test_scales_of_blocks() -> None:
    """Blocks of one row and two columns, through a transposition of the storage."""
    f, q = tensor((2, 4), "f32"), "!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5:0, 1.0:1}, {2.0:0, 4.0:-1}}>"
    text = f"""func.func @main(%x: {f}) -> ({f}, {tensor((2, 4), q)}) {{
          %0 = stablehlo.uniform_quantize %x : ({f}) -> {tensor((2, 4), q)}
          %1 = stablehlo.uniform_dequantize %0 : ({tensor((2, 4), q)}) -> {f}
          return %1, %0 : {f}, {tensor((2, 4), q)}
    }}"""
    numbers, storage = assert_same(shlo.parse(text), np.array([[1, 2, 3, 4], [4, 6, 8, 10]], F32))
    assert storage.tolist() == [[2, 4, 4, 5], [2, 3, 1, 2]]  # 10 / 4 - 1 = 1.5
    assert numbers.tolist() == [[1, 2, 3, 4], [4, 6, 8, 12]]


def test_ops_compute_on_numbers_and_move_storage() -> None:
    shape = 33, 5
    a, b = tensor(shape, q8("0.5", 3)), tensor(shape, q8("0.25", -7))
    moved = tensor(shape[::-1], q8("0.25", -7))
    random = np.random.default_rng(3)
    x, y = (random.integers(-128, 128, shape, np.int8) for _ in range(2))
    product, larger, less, turned = assert_same(
        f"""func.func @main(%x: {a}, %y: {b}) -> ({b}, {a}, {tensor(shape, "i1")}, {moved}) {{
          %0 = "stablehlo.multiply"(%x, %y) : ({a}, {b}) -> {b}
          %1 = stablehlo.reverse %x, dims = [0] : {a}
          %2 = stablehlo.maximum %x, %1 : {a}
          %3 = stablehlo.compare LT, %x, %1 : ({a}, {a}) -> {tensor(shape, "i1")}
          %4 = stablehlo.transpose %0, dims = [1, 0] : ({b}) -> {moved}
          return %0, %2, %3, %4 : {b}, {a}, {tensor(shape, "i1")}, {moved}
        }}""",
        x,
        y,
    )
    expected = quantized((x.astype(F32) - 3) * F32(0.5) * ((y.astype(F32) + 7) * F32(0.25)), 0.25, -7)
    np.testing.assert_array_equal(product, expected)
    np.testing.assert_array_equal(turned, expected.T)
    np.testing.assert_array_equal(larger, np.maximum(x, x[::-1]))
    np.testing.assert_array_equal(less, x < x[::-1])


def test_wide_elements_are_compared_as_numbers() -> None:
    """The number of 2**24 + 1 has no f32."""
    q, b = tensor((3,), "!quant.uniform<i32:f32, 1.0>"), tensor((3,), "i1")
    (found,) = assert_same(
        f"""func.func @main(%x: {q}, %y: {q}) -> {b} {{
          %0 = stablehlo.compare LT, %x, %y : ({q}, {q}) -> {b}
          return %0 : {b}
        }}""",
        np.array([2**24, 2**24, -5], np.int32),
        np.array([2**24 + 1, 2**24 + 2, -5], np.int32),
    )
    assert found.tolist() == [False, True, False]


SCALES = [f"{0.001 + 0.0007 * column:.4f}" for column in range(48)]
WEIGHTS = f"!quant.uniform<i8:f32:1, {{{', '.join(SCALES)}}}>"


HALVES, QUARTERS = q8("0.5"), q8("0.25", 1)


@pytest.mark.parametrize(
    ("operands", "result", "x", "y", "largest", "smallest"),
    [
        (HALVES, QUARTERS, [2, -4], [3, 1], [7, 3], [5, -7]),  # 1.0 and 1.5, -2.0 and 0.5
        (QUARTERS, HALVES, [5, -7], [7, 3], [3, 1], [2, -4]),
    ],
)
def test_extremes_with_a_scale_of_their_own(
    operands: str, result: str, x: list[int], y: list[int], largest: list[int], smallest: list[int]
) -> None:
    q, r = tensor((2,), operands), tensor((2,), result)
    for op, expected in (("maximum", largest), ("minimum", smallest)):
        text = f"""func.func @main(%x: {q}, %y: {q}) -> {r} {{
          %0 = stablehlo.{op} %x, %y : ({q}, {q}) -> {r}
          return %0 : {r}
        }}"""
        (found,) = assert_same(text, np.int8(x), np.int8(y))
        assert found.tolist() == expected


@pytest.mark.parametrize("terms", [100, 3000])  # sums that f32 holds, and that f64 holds
def test_a_product_is_of_exact_integers(terms: int) -> None:
    a, b, r = (
        tensor((70, terms), q8("0.05", -9)),
        tensor((terms, 48), WEIGHTS),
        tensor((70, 48), q8("0.9", 4)),
    )
    random = np.random.default_rng(4)
    x = random.integers(-128, 128, (70, terms), np.int8)
    y = random.integers(-128, 128, (terms, 48), np.int8)
    (found,) = assert_same(
        f"""func.func @main(%x: {a}, %y: {b}) -> {r} {{
          %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ({a}, {b}) -> {r}
          return %0 : {r}
        }}""",
        x,
        y,
    )
    sums = (x.astype(np.int64) + 9) @ y.astype(np.int64)
    scales = (0.05 * np.array(SCALES, np.float64)).astype(F32)
    np.testing.assert_array_equal(found, quantized(sums.astype(F32) * scales, 0.9, 4))


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_weights_of_a_product_of_floats(element: str) -> None:
    """They are dequantized; the sums are exact, and small enough for bf16."""
    a, r = tensor((6, 40), element), tensor((6, 8), element)
    b = tensor((40, 8), f"!quant.uniform<i8:{element}, 0.5>")
    random = np.random.default_rng(6)
    x, y = random.integers(-1, 2, (6, 40)), random.integers(-2, 3, (40, 8))
    dtype = np.float32 if element == "f32" else ml_dtypes.bfloat16
    (found,) = assert_same(
        f"""func.func @main(%x: {a}, %y: {b}) -> {r} {{
          %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ({a}, {b}) -> {r}
          return %0 : {r}
        }}""",
        x.astype(dtype),
        y.astype(np.int8),
    )
    np.testing.assert_array_equal(found.astype(np.float64), (x @ y) / 2)


def test_a_convolution_pads_with_the_number_zero() -> None:
    """An image of ones: a window beside the border has four of its nine taps, at the border six."""
    x, k, r = tensor((1, 3, 3, 1), q8("1.0", 5)), tensor((3, 3, 1, 2), q8("1.0")), "1x3x3x2"
    text = f"""func.func @main(%x: {x}, %k: {k}) -> tensor<{r}x{q8("2.0", 1)}> {{
      %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
        : ({x}, {k}) -> tensor<{r}x{q8("2.0", 1)}>
      return %0 : tensor<{r}x{q8("2.0", 1)}>
    }}"""
    kernel = np.stack([np.full((3, 3, 1), 1), np.full((3, 3, 1), -2)], -1).astype(np.int8)
    (found,) = assert_same(text, np.full((1, 3, 3, 1), 6, np.int8), kernel)
    taps = [[4, 6, 4], [6, 9, 6], [4, 6, 4]]  # 9 / 2 + 1 = 5.5 is 6; the other is 1 - taps
    assert found[0, :, :, 0].tolist() == [[3, 4, 3], [4, 6, 4], [3, 4, 3]]
    assert found[0, :, :, 1].tolist() == [[1 - n for n in row] for row in taps]


@pytest.mark.parametrize(("op", "steps"), [("maximum", ["native"]), ("add", ["stablehlo.reduce"])])
def test_reductions(op: str, steps: list[str]) -> None:
    """A maximum is that of the storage; sums are rounded and clamped in an order, that of NumPy's engine."""
    q = q8("0.5", 3)
    row, one = tensor((300, 4), q), tensor((), q)
    values = np.random.default_rng(5).integers(-128, 128, (300, 4), np.int8)
    (found,) = assert_same(
        f"""func.func @main(%x: {row}, %init: {one}) -> {tensor((4,), q)} {{
          %0 = stablehlo.reduce(%x init: %init) applies stablehlo.{op} across dimensions = [0]
            : ({row}, {one}) -> {tensor((4,), q)}
          return %0 : {tensor((4,), q)}
        }}""",
        values,
        np.array(-128, np.int8),
        steps=steps,
    )
    if op == "maximum":
        assert found.tolist() == values.max(0).tolist()


def test_a_loop_of_quantized_values() -> None:
    """7 in steps of 0.5, three at a time, from -4 to beyond the storage: it stays at 127."""
    q = tensor((2,), q8("0.5", 1))
    loop = counted("7", {"a": (q, "%x", "%2")}, f"%2 = stablehlo.add %a, %step : {q}")
    text = f"func.func @main(%x: {q}, %step: {q}) -> {q} {{{loop} return %r#1 : {q} }}"
    (found,) = assert_same(text, np.array([-7, 120], np.int8), np.array([4, 4], np.int8))
    assert found.tolist() == [-7 + 7 * 3, 127]
