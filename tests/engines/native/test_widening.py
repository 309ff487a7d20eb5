"""Products of narrow elements beside the NumPy engine: exact sums, which are rounded or wrap once."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from tests.engines.native.test_products import assert_product, compiled_dot, tensor
from tests.helpers.crossed import crossed

DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i4": ml_dtypes.int4,
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


@pytest.mark.parametrize(("elements", "sizes"), crossed(ELEMENTS, [(70, 130, 48), (33, 1500, 64), (3, 5, 2)]))
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


# Pairs of terms: sums of i32, which wrap


def wrapped(x: int) -> int:
    """The i32 that a sum wraps to."""
    return (x + (1 << 31)) % (1 << 32) - (1 << 31)


@pytest.mark.parametrize("engine", ["native", "numpy"])
@pytest.mark.parametrize("terms", [64, 129, 1001])
@pytest.mark.parametrize(
    ("element", "x", "other", "y"),
    [
        ("i8", -128, "i8", -128),
        ("i8", -128, "i8", 127),
        ("ui8", 255, "i8", -128),
        ("ui8", 255, "ui8", 255),
        ("i16", -(1 << 15), "i16", -(1 << 15)),  # the sum of two products is 2**31
        ("i16", -(1 << 15), "i8", 127),
        ("i4", -8, "i4", -8),
    ],
)
def test_extreme_products_wrap(element: str, x: int, other: str, y: int, terms: int, engine: str) -> None:
    a, b, r = tensor((40, terms), element), tensor((terms, 96), other), tensor((40, 96), "i32")
    program = compiled_dot(a, b, r, engine=engine)
    left, right = np.full((40, terms), x, DTYPES[element]), np.full((terms, 96), y, DTYPES[other])
    np.testing.assert_array_equal(program(left, right)[0], np.full((40, 96), wrapped(x * y * terms)))


@pytest.mark.parametrize(
    ("lhs", "rhs", "dims", "einsum"),
    [
        ((70, 77), (77, 48), "contracting_dims = [1] x [0]", "ab,bc->ac"),
        ((77, 70), (77, 48), "contracting_dims = [0] x [0]", "ba,bc->ac"),
        ((70, 76), (48, 76), "contracting_dims = [1] x [1]", "ab,cb->ac"),
        ((30, 7, 20), (20, 7, 48), "contracting_dims = [1, 2] x [1, 0]", "abc,cbd->ad"),
        ((5, 40, 33), (5, 33, 64), "batching_dims = [0] x [0], contracting_dims = [2] x [1]", "abc,acd->abd"),
    ],
)
def test_pairs_of_terms_are_along_any_dimension(
    lhs: tuple[int, ...],
    rhs: tuple[int, ...],
    dims: str,
    einsum: str,
) -> None:
    x, y = numbers(1, lhs, "i8"), numbers(2, rhs, "i8")
    expected = np.einsum(einsum, x.astype(object), y.astype(object)).astype(np.int32)
    a, b, r = tensor(lhs, "i8"), tensor(rhs, "i8"), tensor(expected.shape, "i32")
    program = compiled_dot(a, b, r, dims)
    assert [step.name for step in program.plan.steps] == ["native"]
    np.testing.assert_array_equal(program(x, y)[0], expected, strict=True)


@pytest.mark.parametrize(
    ("features", "groups", "window"),
    [
        (3, 1, "pad = [[1, 1], [1, 1]]"),
        (16, 1, "stride = [2, 2], pad = [[1, 1], [1, 1]]"),
        (16, 1, "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]"),
        (48, 2, "pad = [[1, 1], [1, 1]]"),
        (42, 2, "pad = [[1, 1], [1, 1]]"),  # 21 in a group
    ],
)
def test_convolutions_of_pairs(features: int, groups: int, window: str) -> None:
    size = {"stride": 8, "pad": 16}[window.partition(" ")[0]] if "lhs" not in window else 31
    a, k = tensor((2, 16, 16, features), "i8"), tensor((3, 3, features // groups, 64), "i8")
    r = tensor((2, size, size, 64), "i32")
    assert_product(
        f"""
        func.func @main(%a: {a}, %k: {k}) -> {r} {{
          %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
            window = {{{window}}}
            {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({a}, {k}) -> {r}
          return %0 : {r}
        }}""",
        numbers(1, (2, 16, 16, features), "i8"),
        numbers(2, (3, 3, features // groups, 64), "i8"),
    )
