"""Quantized values compared with hand calculations: a number is `(storage - zero_point) * scale`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.types import F32, IntegerType, QuantizedType
from stablehlo_py.kernels import quantized as quantization
from stablehlo_py.syntax.parser import parse_type


def run(op: str, inputs: list[Any], operands: list[str], result: str, engine: str = "auto") -> Any:
    """The result of one op of the given types; inputs and result as they are stored."""
    arguments = ", ".join(f"%{i}: {type}" for i, type in enumerate(operands))
    names = ", ".join(f"%{i}" for i in range(len(operands)))
    text = f"""func.func @main({arguments}) -> {result} {{
      %r = {op.format(names)} : ({", ".join(operands)}) -> {result}
      return %r : {result}
    }}"""
    (found,) = shlo.run(shlo.parse(text), inputs, engine=engine)
    return found.tolist()


def quantized(shape: str, parameters: str) -> str:
    return f"tensor<{shape}x!quant.uniform<{parameters}>>"


QUANTIZE = '"stablehlo.uniform_quantize"({})'
DEQUANTIZE = '"stablehlo.uniform_dequantize"({})'


def quantize(numbers: list[Any], shape: str, parameters: str) -> Any:
    value = np.array(numbers, np.float32)
    return run(QUANTIZE, [value], [f"tensor<{shape}xf32>"], quantized(shape, parameters))


def dequantize(storage: list[Any], shape: str, parameters: str, dtype: type = np.int8) -> Any:
    value = np.array(storage, dtype)
    return run(DEQUANTIZE, [value], [quantized(shape, parameters)], f"tensor<{shape}xf32>")


# Numbers to storage


def test_halves_go_to_the_even_neighbour_after_the_zero_point_is_added() -> None:
    # 0.25 / 0.5 + 1 = 1.5, 0.75 / 0.5 + 1 = 2.5, -0.25 / 0.5 + 1 = 0.5, -0.75 / 0.5 + 1 = -0.5
    assert quantize([0.25, 0.75, -0.25, -0.75], "4", "i8:f32, 0.5:1") == [2, 2, 0, 0]


def test_numbers_beyond_the_storage_are_clamped() -> None:
    assert quantize([63.0, 63.5, 1e9, -64.5, -1e9], "5", "i8:f32, 0.5:1") == [127, 127, 127, -128, -128]
    assert quantize([np.inf, -np.inf], "2", "i8:f32, 0.5:1") == [127, -128]


def test_a_storage_range_is_narrower_than_its_type() -> None:
    assert quantize([4.0, 5.6, 100.0, -4.9, -100.0], "5", "i8<-10:11>:f32, 0.5") == [8, 11, 11, -10, -10]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("u8:f32, 0.5:128", [0, 126, 128, 131, 255]),
        ("i4:f32, 0.5:-2", [-8, -4, -2, 1, 7]),
        ("u4:f32, 0.5:3", [0, 1, 3, 6, 15]),
        ("i16:f32, 0.5:-2", [-2002, -4, -2, 1, 1998]),
        ("i32:f32, 0.5:7", [-1993, 5, 7, 10, 2007]),
    ],
)
def test_types_of_storage(parameters: str, expected: list[int]) -> None:
    assert quantize([-1000.0, -1.0, 0.0, 1.5, 1000.0], "5", parameters) == expected


def test_the_range_of_i32_is_no_f32() -> None:
    assert quantize([1e30, -1e30], "2", "i32:f32, 1.0") == [2**31 - 1, -(2**31)]


def test_scales_along_an_axis() -> None:
    # columns: x / 0.5, x / 2 + 1, x / 4 - 1
    found = quantize([[1, 2, 8], [-3, 7, 6]], "2x3", "i8:f32:1, {0.5, 2.0:1, 4.0:-1}")
    assert found == [[2, 2, 1], [-6, 4, 0]]  # 7 / 2 + 1 = 4.5, 6 / 4 - 1 = 0.5


def test_scales_of_blocks() -> None:
    # blocks of one row and two columns
    parameters = "i8:f32:{0:1, 1:2}, {{0.5:0, 1.0:1}, {2.0:0, 4.0:-1}}"
    found = quantize([[1, 2, 3, 4], [4, 6, 8, 10]], "2x4", parameters)
    assert found == [[2, 4, 4, 5], [2, 3, 1, 2]]  # 10 / 4 - 1 = 1.5


# Storage to numbers


def test_numbers_of_one_scale() -> None:
    assert dequantize([-128, 0, 1, 127], "4", "i8:f32, 0.5:1") == [-64.5, -0.5, 0, 63]
    assert dequantize([0, 128, 255], "3", "u8:f32, 0.25:128", np.uint8) == [-32, 0, 31.75]


def test_differences_from_the_zero_point_do_not_wrap() -> None:
    assert dequantize([127], "1", "i8:f32, 1.0:-128") == [255]
    assert dequantize([2**31 - 1], "1", "i32:f32, 1.0:-2147483648", np.int32) == [2.0**32]


def test_numbers_along_an_axis_and_of_blocks() -> None:
    assert dequantize([[2, 3], [4, 5]], "2x2", "i8:f32:0, {0.5:1, 2.0:-1}") == [[0.5, 1], [10, 12]]
    blocks = "i8:f32:{0:1, 1:2}, {{0.5:0, 1.0:1}, {2.0:0, 4.0:-1}}"
    assert dequantize([[2, 4, 4, 5], [2, 3, 1, 2]], "2x4", blocks) == [[1, 2, 3, 4], [4, 6, 8, 12]]


def test_blocks_of_one_dimension_are_scales_in_a_row() -> None:
    type = QuantizedType(IntegerType(8), F32, (0.5, 2.0), (0, 1), -128, 127, block_sizes=((0, 2),))
    numbers = np.array([1, -2, 6, 10], np.float32)
    storage = np.array([2, -4, 4, 6], np.int8)
    assert quantization.quantize(numbers, type).tolist() == storage.tolist()
    assert quantization.dequantize(storage, type).tolist() == numbers.tolist()


# Ops on numbers


def test_an_op_computes_on_the_numbers_and_rounds_once() -> None:
    # 0.5 * 3 + 0.25 * (5 - 1) = 2.5, and 2.5 / 2 + 1 = 2.25
    operands = [quantized("1", "i8:f32, 0.5"), quantized("1", "i8:f32, 0.25:1")]
    inputs = [np.array([3], np.int8), np.array([5], np.int8)]
    assert run('"stablehlo.add"({})', inputs, operands, quantized("1", "i8:f32, 2.0:1")) == [2]


def test_results_of_ops_are_clamped() -> None:
    type = quantized("2", "i8:f32, 0.5")
    inputs = [np.array([100, -100], np.int8), np.array([100, -100], np.int8)]
    assert run('"stablehlo.add"({})', inputs, [type, type], type) == [127, -128]


def test_from_one_scale_to_another() -> None:
    # (10 + 30) * 0.1 = 4 and (10 + 20) * 0.5 = 15: the example of the specification
    before, after = "i8:f32:0, {0.1:-30, 0.5:-20}", "i8:f32:0, {0.1:-20, 0.2:-30}"
    found = run(QUANTIZE, [np.array([10, 10], np.int8)], [quantized("2", before)], quantized("2", after))
    assert found == [20, 45]


DOT = (
    '"stablehlo.dot_general"({}) <{{dot_dimension_numbers = #stablehlo.dot<'
    "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}}>"
)


def test_a_product_of_quantized_matrices() -> None:
    # [1, 2] . [0.5, 1] = 2.5, in i32 with the product of the scales
    operands = [quantized("1x2", "i8:f32, 0.5"), quantized("2x1", "i8:f32, 0.25")]
    inputs = [np.array([[2, 4]], np.int8), np.array([[2], [4]], np.int8)]
    assert run(DOT, inputs, operands, quantized("1x1", "i32:f32, 0.125")) == [[20]]


@pytest.mark.parametrize(
    ("lhs", "rhs", "dimension", "storage", "element"),
    [
        # [3 - 1, 5 - 1] . [[4 + 2, -2], [1 + 2, 0]] = [[24, -4]]: times 0.5 and 0.25, or 0.5 and 2
        ("i8:f32, 0.5:1", "i8:f32, 0.25:-2", "", [[3, 5]], [[4, -4], [1, -2]]),
        ("i8:f32, 0.5:1", "i8:f32:1, {0.25:-2, 2.0}", "1", [[3, 5]], [[4, -2], [1, 0]]),
    ],
)
@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_products_of_differences_from_zero_points(
    lhs: str, rhs: str, dimension: str, storage: Any, element: Any, engine: str
) -> None:
    """As dot_general, and as a convolution of windows of one element."""
    inputs = [np.array(storage, np.int8), np.array(element, np.int8)]
    expected = [[24 * 0.125, -4 * (1.0 if dimension else 0.125)]]
    types = quantized("1x2", lhs), quantized("2x2", rhs)
    result = quantized("1x2", "i32:f32, 0.125:3")
    wide = [[round(x / 0.125) + 3 for x in row] for row in expected]
    assert run(DOT, inputs, list(types), result, engine) == wide
    convolution = (
        '"stablehlo.convolution"({}) <{{batch_group_count = 1 : i64, feature_group_count = 1 : i64, '
        "dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>}}>"
    )
    assert run(convolution, inputs, list(types), result, engine) == wide


@pytest.mark.parametrize(
    ("name", "lhs", "rhs", "keywords"),
    [
        ("stablehlo.add", "2x2x!quant.uniform<i8:f32, 0.5>", "2x2x!quant.uniform<i8:f32, 0.5>", {}),
        ("stablehlo.dot_general", "2x?x!quant.uniform<i8:f32, 0.5>", "2x2x!quant.uniform<i8:f32, 0.5>", {}),
        ("stablehlo.dot_general", "2x2xf32", "2x2x!quant.uniform<i8:f32, 0.5>", {}),
        ("stablehlo.dot_general", "2x2x!quant.uniform<i8:f32, 0.5>", "2x2xf32", {}),
        ("stablehlo.dot_general", "2x2xf32", "2x2xf32", {}),
        ("stablehlo.dot_general", "2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>",
         "2x2x!quant.uniform<i8:f32, 0.5>", {}),
        ("stablehlo.dot_general", "2x2x!quant.uniform<i8:f32, 0.5>",
         "2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {1.0}}>", {}),
        ("stablehlo.dot_general", "2x2x!quant.uniform<i32:f32, 0.5>", "2x2x!quant.uniform<i32:f32, 0.5>", {}),
        ("stablehlo.dot_general", "2x2x!quant.uniform<i8:f32, 0.5>", "2x2x!quant.uniform<i8:f32, 0.5>",
         {"accumulation_type": F32}),
    ],
)  # fmt: skip
def test_products_that_are_no_sums_of_integers(
    name: str, lhs: str, rhs: str, keywords: dict[str, Any]
) -> None:
    dimensions = {"lhs_contracting_dimensions": (1,), "rhs_contracting_dimensions": (0,),
                  "lhs_batching_dimensions": (), "rhs_batching_dimensions": ()}  # fmt: skip
    types = [parse_type(f"tensor<{each}>") for each in (lhs, rhs)]
    assert quantization.sums_of(name, dimensions | keywords, *types) is None


@pytest.mark.parametrize(
    ("axis", "found"),
    [(0, 1), (1, 0), (3, 3)],  # batching dimensions come first, then those of lhs and rhs that are left
)
def test_the_dimension_of_a_product_that_has_the_scales(axis: int, found: int) -> None:
    dimensions = {"lhs_contracting_dimensions": (3,), "rhs_contracting_dimensions": (2,),
                  "lhs_batching_dimensions": (0, 1), "rhs_batching_dimensions": (1, 0)}  # fmt: skip
    lhs = parse_type("tensor<2x2x5x4x!quant.uniform<i8:f32, 0.5>>")
    rhs = parse_type(f"tensor<2x2x4x2x!quant.uniform<i8:f32:{axis}, {{0.5, 1.0}}>>")
    sums = quantization.sums_of("stablehlo.dot_general", dimensions, lhs, rhs)
    assert sums is not None and (sums.dimension, sums.scales) == (found, (0.25, 0.5))


def test_a_product_of_numbers_with_quantized_weights() -> None:
    # weights: columns of (q - 1) * 0.5 and q * 2: [[1, 2], [3, -4]]
    operands = ["tensor<1x2xf32>", quantized("2x2", "i8:f32:1, {0.5:1, 2.0}")]
    inputs = [np.array([[10, 1]], np.float32), np.array([[3, 1], [7, -2]], np.int8)]
    assert run(DOT, inputs, operands, "tensor<1x2xf32>") == [[13, 16]]


# Ops on storage


def test_moving_elements_leaves_their_storage() -> None:
    type = quantized("3", "i8:f32, 0.3:7")
    op = '"stablehlo.reverse"({}) <{{dimensions = array<i64: 0>}}>'
    assert run(op, [np.array([1, -128, 127], np.int8)], [type], type) == [127, -128, 1]


@pytest.mark.parametrize(
    ("storage", "zero_point", "largest"),
    [
        ("i8", 0, 128),
        ("i8", 100, 228),
        ("i8", -100, 227),
        ("u8", 0, 255),
        ("u8", 100, 155),
        ("u8", 200, 200),
        ("i4", 7, 15),
    ],
)
def test_the_largest_difference_from_a_zero_point(storage: str, zero_point: int, largest: int) -> None:
    element = f"!quant.uniform<{storage}:f32, 0.5:{zero_point}>"
    types = [parse_type(f"tensor<{shape}x{element}>") for shape in ("2x3", "3x2")]
    dimensions = {"lhs_contracting_dimensions": (1,), "rhs_contracting_dimensions": (0,),
                  "lhs_batching_dimensions": (), "rhs_batching_dimensions": ()}  # fmt: skip
    sums = quantization.sums_of("stablehlo.dot_general", dimensions, *types)
    assert sums is not None and sums.largest == (largest, largest, 3 * largest**2)


@pytest.mark.parametrize(("terms", "element"), [(1024, "f32"), (1025, "f64")])
def test_sums_of_up_to_24_bits_are_exact_in_f32(terms: int, element: str) -> None:
    types = [parse_type(f"tensor<{terms}x!quant.uniform<i8:f32, 0.5>>")] * 2
    dimensions = {"lhs_contracting_dimensions": (0,), "rhs_contracting_dimensions": (0,),
                  "lhs_batching_dimensions": (), "rhs_batching_dimensions": ()}  # fmt: skip
    sums = quantization.sums_of("stablehlo.dot_general", dimensions, *types)
    assert sums is not None and str(sums.element) == element
    assert sums.largest == (128, 128, terms << 14)


@pytest.mark.parametrize(
    ("largest", "fits"),
    [
        ((127, 127, 32767), True),
        ((128, 127, 32767), False),
        ((127, 128, 32767), False),
        ((127, 127, 32768), False),
    ],
)
def test_integers_of_few_bits_hold_differences_and_sums(largest: tuple[int, int, int], fits: bool) -> None:
    assert quantization.Sums(F32, (1.0,), None, largest).fits(8, 16) is fits
