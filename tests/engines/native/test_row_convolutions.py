"""Convolutions of few features in vectors along rows, beside the NumPy engine and beside sums of slices.

Sums of small integers are exact in f32 in any order, so results are equal bit for bit.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from tests.engines.native.test_products import assert_product, integers, tensor
from tests.helpers.crossed import crossed

NCHW = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
NHWC = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
SAME = "pad = [[1, 1], [1, 1]]"
CONVOLUTIONS = {  # lhs, kernel, result, their dimensions, window, groups of features, groups of the batch
    "one feature": ((2, 1, 30, 41), (1, 1, 3, 3), (2, 1, 30, 41), NCHW, SAME, 1, 1),
    "features last": ((2, 17, 35, 3), (5, 5, 1, 3), (2, 17, 35, 3), NHWC, "pad = [[2, 2], [2, 2]]", 3, 1),
    "many taps": (
        (1, 40, 40, 3),
        (9, 19, 1, 6),
        (1, 40, 40, 6),
        NHWC,
        "pad = [[4, 4], [9, 9]]",
        3,
        1,
    ),
    "to three": ((1, 9, 20, 32), (3, 3, 32, 3), (1, 9, 20, 3), NHWC, SAME, 1, 1),
    "to five": ((2, 8, 9, 50), (5, 8, 3, 3), (2, 5, 9, 50), NCHW, SAME, 1, 1),
    "to seven of short rows": ((3, 8, 9, 5), (7, 8, 3, 3), (3, 7, 9, 5), NCHW, SAME, 1, 1),
    "to twelve": ((1, 8, 9, 140), (12, 8, 2, 3), (1, 12, 8, 138), NCHW, "", 1, 1),
    "from many": ((1, 130, 8, 40), (3, 130, 3, 3), (1, 3, 8, 40), NCHW, SAME, 1, 1),
    "reversed and cut": (
        (1, 2, 33, 40),
        (4, 2, 4, 3),
        (1, 4, 28, 23),
        NCHW,
        "pad = [[-1, 2], [2, -9]], rhs_dilate = [2, 5], reverse = [true, true]",
        1,
        1,
    ),
    "stride": (
        (2, 2, 30, 61),
        (3, 2, 3, 5),
        (2, 3, 15, 21),
        NCHW,
        "stride = [2, 3], pad = [[1, 1], [3, 2]]",
        1,
        1,
    ),
    "transposed": (
        (2, 4, 16, 17),
        (2, 4, 3, 3),
        (2, 2, 32, 34),
        NCHW,
        "pad = [[1, 2], [2, 1]], lhs_dilate = [2, 2], reverse = [true, true]",
        1,
        1,
    ),
    "one dimension": ((3, 1, 500), (2, 1, 31), (3, 2, 470), "[b, f, 0]x[o, i, 0]->[b, f, 0]", "", 1, 1),
    "three dimensions": (
        (1, 1, 9, 10, 33),
        (2, 1, 3, 3, 3),
        (1, 2, 9, 10, 33),
        "[b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2]",
        "pad = [[1, 1], [1, 1], [1, 1]]",
        1,
        1,
    ),
    "groups": ((2, 6, 20, 21), (9, 2, 3, 3), (2, 9, 18, 19), NCHW, "", 3, 1),
    "gradient of a kernel": (
        (4, 2, 30, 41),
        (4, 3, 30, 41),
        (2, 3, 3, 5),
        "[f, b, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
        "pad = [[1, 1], [2, 2]]",
        1,
        1,
    ),
    "gradient of a kernel, features last": (
        (2, 17, 35, 3),
        (2, 17, 35, 3),
        (9, 9, 1, 3),
        "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
        "pad = [[4, 4], [4, 4]]",
        1,
        3,
    ),
    "gradient of a kernel at strides": (
        (4, 2, 40, 41),
        (4, 5, 20, 14),
        (2, 5, 3, 4),
        "[f, b, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
        "pad = [[1, 0], [1, 1]], rhs_dilate = [2, 3]",
        1,
        1,
    ),
}


def program(name: str, element: str) -> str:
    """A convolution between two maps."""
    lhs, kernel, shape, numbers, window, features, batches = CONVOLUTIONS[name]
    a, k, r = (tensor(sizes, element) for sizes in (lhs, kernel, shape))
    return f"""
        func.func @main(%a: {a}, %k: {k}) -> {r} {{
          %0 = stablehlo.abs %a : {a}
          %1 = stablehlo.convolution(%0, %k) dim_numbers = {numbers}, window = {{{window}}}
            {{batch_group_count = {batches} : i64, feature_group_count = {features} : i64}}
            : ({a}, {k}) -> {r}
          %2 = stablehlo.negate %1 : {r}
          return %2 : {r}
        }}"""


@pytest.mark.parametrize(
    ("name", "element"), crossed(CONVOLUTIONS, ["f32", "f64", "bf16", "i32", "i64", "i8"])
)
def test_row_convolutions(name: str, element: str) -> None:
    narrow = {"bf16": ("f32", ml_dtypes.bfloat16), "i8": ("f32", np.int8)}
    drawn, dtype = narrow.get(element, (element, None))
    inputs = [integers(seed, sizes, drawn) for seed, sizes in enumerate(CONVOLUTIONS[name][:2])]
    assert_product(program(name, element), *(x if dtype is None else x.astype(dtype) for x in inputs))


def test_sums_of_slices() -> None:
    """A smoothing filter of one feature, from its definition, and in a loop."""
    image, kernel = integers(1, (1, 1, 70, 93), "f32"), integers(2, (1, 1, 3, 4), "f32")
    i, k = (tensor(x.shape, "f32") for x in (image, kernel))
    conv = f"""stablehlo.convolution(%x, %k) dim_numbers = {NCHW}, window = {{pad = [[1, 1], [2, 1]]}}
        {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({i}, {k}) -> {i}"""
    text = f"""
        func.func @main(%0: {i}, %k: {k}) -> {i} {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %two = stablehlo.constant dense<2> : tensor<i32>
          %r:2 = stablehlo.while(%n = %zero, %x = %0) : tensor<i32>, {i}
            cond {{
              %c = stablehlo.compare LT, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %c : tensor<i1>
            }} do {{
              %m = stablehlo.add %n, %one : tensor<i32>
              %y = {conv}
              stablehlo.return %m, %y : tensor<i32>, {i}
            }}
          return %r#1 : {i}
        }}"""

    def filtered(x: np.ndarray) -> np.ndarray:
        padded = np.pad(x[0, 0], ((1, 1), (2, 1)))
        return sum(kernel[0, 0, r, c] * padded[r : r + 70, c : c + 93] for r in range(3) for c in range(4))[
            None, None
        ]

    compiled = shlo.compile(shlo.parse(text), engine="native")
    assert [step.name for step in compiled.plan.steps] == ["native"]
    np.testing.assert_array_equal(compiled(image, kernel)[0], filtered(filtered(image)))


@pytest.mark.parametrize("column", [-1, -11])  # the latter is left out of a row's last vector
@pytest.mark.parametrize("name", ["one feature", "to five", "gradient of a kernel"])
def test_infinite_elements_are_kept_apart(name: str, column: int) -> None:
    """An infinite element reaches the windows that it is in, and no others, at the end of a row too."""
    lhs, kernel, *_ = CONVOLUTIONS[name]
    image = integers(3, lhs, "f32")
    image[0, 0, 4, column] = np.inf
    assert_product(program(name, "f32"), image, np.abs(integers(4, kernel, "f32")) + 1)
