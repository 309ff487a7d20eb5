"""Products of narrow elements beside the NumPy engine: exact sums, which are rounded or wrap once."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite")

import stablehlo_py as shlo
from tests.engines.native.test_products import assert_product, tensor

DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "ui8": np.uint8,
    "i16": np.int16,
    "ui16": np.uint16,
    "i32": np.int32,
    "ui32": np.uint32,
    "i64": np.int64,
}
ELEMENTS = [  # of lhs, rhs and the result
    ("f16", "f16", "f16"),
    ("bf16", "bf16", "bf16"),
    ("bf16", "bf16", "f32"),
    ("f16", "bf16", "f32"),
    ("f32", "f32", "f64"),
    ("f64", "f64", "f32"),
    ("i8", "i8", "i32"),
    ("i8", "i8", "i8"),
    ("ui8", "i8", "i32"),
    ("ui8", "ui8", "ui32"),
    ("i16", "i16", "i32"),
    ("i16", "ui16", "ui8"),
    ("ui32", "i8", "ui32"),
    ("i32", "i16", "i64"),
    ("i64", "i8", "i16"),
    ("ui16", "i8", "i64"),
]


def numbers(seed: int, shape: Sequence[int], element: str) -> np.ndarray:
    """All integers of narrow types; floats whose products have exact sums in f32."""
    random, dtype = np.random.default_rng(seed), np.dtype(DTYPES[element])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return random.integers(-8, 9, shape).astype(dtype)


@pytest.mark.parametrize("elements", ELEMENTS, ids="-".join)
@pytest.mark.parametrize("sizes", [(70, 130, 48), (33, 1500, 64), (3, 5, 2)], ids=str)
def test_dots(elements: tuple[str, str, str], sizes: tuple[int, int, int]) -> None:
    rows, terms, columns = sizes
    a, b, r = (
        tensor(shape, element)
        for shape, element in zip(((rows, terms), (terms, columns), (rows, columns)), elements, strict=True)
    )
    assert_product(
        f"""
        func.func @main(%a: {a}, %b: {b}) -> ({r}, {r}) {{
          %0 = stablehlo.abs %a : {a}
          %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : ({a}, {b}) -> {r}
          %2 = stablehlo.add %1, %1 : {r}
          return %1, %2 : {r}, {r}
        }}""".replace("abs", "not" if elements[0].startswith("ui") else "abs"),
        numbers(1, (rows, terms), elements[0]),
        numbers(2, (terms, columns), elements[1]),
    )


@pytest.mark.parametrize("elements", [ELEMENTS[k] for k in (0, 1, 6, 10)], ids="-".join)
def test_convolutions(elements: tuple[str, str, str]) -> None:
    shapes = (2, 16, 14, 15), (32, 16, 3, 3), (2, 32, 14, 15)
    a, k, r = (tensor(shape, element) for shape, element in zip(shapes, elements, strict=True))
    assert_product(
        f"""
        func.func @main(%a: {a}, %k: {k}) -> {r} {{
          %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
            window = {{pad = [[1, 1], [1, 1]]}}
            {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({a}, {k}) -> {r}
          return %0 : {r}
        }}""",
        numbers(1, shapes[0], elements[0]),
        numbers(2, shapes[1], elements[1]),
    )


def test_a_product_in_a_loop() -> None:
    square = tensor((8, 8), "bf16")
    text = f"""
        func.func @main(%x: {square}, %y: {square}) -> {square} {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %ten = stablehlo.constant dense<10> : tensor<i32>
          %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, {square}
            cond {{
              %1 = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %1 : tensor<i1>
            }} do {{
              %1 = stablehlo.add %i, %one : tensor<i32>
              %2 = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0]
                : ({square}, {square}) -> {square}
              stablehlo.return %1, %2 : tensor<i32>, {square}
            }}
          return %0#1 : {square}
        }}"""
    turned = np.roll(np.eye(8), 1, 0).astype(ml_dtypes.bfloat16)  # products with it are exact
    assert_product(text, numbers(1, (8, 8), "bf16"), turned)
    # conversions are no steps: an iteration has five, as with f32; @main and the region are two
    counted = shlo.compile(shlo.parse(text), engine="native", max_steps=52)
    counted(numbers(1, (8, 8), "bf16"), turned)
