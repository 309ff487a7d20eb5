"""Convolutions in any order of dimensions, and depthwise ones, beside the NumPy engine.

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
SAME = "pad = [[1, 1], [1, 1]]"
CONVOLUTIONS = {  # lhs, kernel, result, their dimensions, window
    "3x3": ((2, 16, 14, 15), (32, 16, 3, 3), (2, 32, 14, 15), NCHW, SAME),
    "stride": ((2, 16, 14, 15), (48, 16, 3, 3), (2, 48, 7, 8), NCHW, f"stride = [2, 2], {SAME}"),
    "1x1": ((2, 40, 9, 9), (64, 40, 1, 1), (2, 64, 9, 9), NCHW, ""),
    "few features": ((2, 3, 20, 20), (32, 3, 7, 7), (2, 32, 14, 14), NCHW, ""),
    "dilated": ((1, 16, 14, 15), (32, 16, 3, 3), (1, 32, 10, 11), NCHW, "rhs_dilate = [2, 2]"),
    "transposed": (
        (2, 32, 7, 8),
        (32, 16, 3, 3),
        (2, 16, 14, 15),
        "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
        "pad = [[1, 2], [2, 0]], lhs_dilate = [2, 2], reverse = [true, true]",
    ),
    "gradient of a kernel": (
        (4, 16, 14, 15),
        (4, 32, 14, 15),
        (32, 16, 3, 3),
        "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]",
        SAME,
    ),
    "features between positions": (
        (14, 16, 15, 2),
        (3, 32, 16, 3),
        (32, 14, 2, 15),
        "[0, f, 1, b]x[0, o, i, 1]->[f, 0, b, 1]",
        SAME,
    ),
    "features of the result first": (
        (2, 14, 15, 32),
        (3, 3, 32, 64),
        (2, 64, 14, 15),
        "[b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1]",
        SAME,
    ),
    "features of the image first": (
        (2, 32, 14, 15),
        (3, 3, 32, 64),
        (2, 14, 15, 64),
        "[b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]",
        SAME,
    ),
    "one dimension": (
        (2, 32, 200),
        (48, 32, 5),
        (2, 48, 200),
        "[b, f, 0]x[o, i, 0]->[b, f, 0]",
        "pad = [[2, 2]]",
    ),
    "three dimensions": (
        (1, 8, 6, 7, 8),
        (16, 8, 3, 3, 3),
        (1, 16, 6, 7, 8),
        "[b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2]",
        "pad = [[1, 1], [1, 1], [1, 1]]",
    ),
    "two groups": ((2, 32, 14, 15), (64, 16, 3, 3), (2, 64, 14, 15), NCHW, SAME),
}


def convolution(name: str) -> str:
    """The type of the result, and the op of operands `%a` and `%k`."""
    lhs, kernel, shape, numbers, window = CONVOLUTIONS[name]
    groups = 2 if name == "two groups" else 1
    a, k, r = (tensor(sizes, "f32") for sizes in (lhs, kernel, shape))
    return f"""stablehlo.convolution(%a, %k) dim_numbers = {numbers}, window = {{{window}}}
        {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({a}, {k}) -> {r}"""


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name: str) -> None:
    """A convolution by itself, and one between maps, one of which reads another array."""
    lhs, kernel, shape, *_ = CONVOLUTIONS[name]
    a, k, r = (tensor(sizes, "f32") for sizes in (lhs, kernel, shape))
    inputs = [integers(seed, sizes, "f32") for seed, sizes in enumerate((lhs, kernel, shape))]
    assert_product(
        f"func.func @main(%a: {a}, %k: {k}) -> {r} {{\n %0 = {convolution(name)}\n return %0 : {r}\n}}",
        *inputs[:2],
    )
    assert_product(
        f"""
        func.func @main(%x: {a}, %k: {k}, %y: {r}) -> ({r}, {r}) {{
          %a = stablehlo.abs %x : {a}
          %0 = {convolution(name)}
          %1 = stablehlo.add %0, %y : {r}
          %2 = stablehlo.multiply %1, %0 : {r}
          return %2, %1 : {r}, {r}
        }}""",
        *inputs,
    )


def test_a_chain_of_convolutions() -> None:
    """Ops between two convolutions with features first, which are computed with features last."""
    image, kernel = tensor((2, 24, 18, 18), "f32"), tensor((24, 24, 3, 3), "f32")
    half = tensor((2, 24, 9, 9), "f32")
    counts = "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
    conv = f"dim_numbers = {NCHW}, window = {{{SAME}}} {counts}"
    text = f"""
        func.func @main(%x: {image}, %k: {kernel}, %row: tensor<24xf32>, %scale: {kernel}) -> {half} {{
          %zero = stablehlo.constant dense<0.0> : {image}
          %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %none = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.convolution(%x, %k) {conv} : ({image}, {kernel}) -> {image}
          %1 = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<24xf32>) -> {image}
          %2 = stablehlo.add %0, %1 : {image}
          %3 = stablehlo.maximum %2, %zero : {image}
          %4 = "stablehlo.reduce_window"(%3, %low) <{{window_dimensions = array<i64: 1, 1, 3, 3>,
              window_strides = array<i64: 1, 1, 2, 2>,
              padding = dense<[[0, 0], [0, 0], [1, 0], [0, 1]]> : tensor<4x2xi64>}}> ({{
            ^bb0(%p: tensor<f32>, %q: tensor<f32>):
              %m = stablehlo.maximum %p, %q : tensor<f32>
              stablehlo.return %m : tensor<f32>
          }}) : ({image}, tensor<f32>) -> {half}
          %5 = stablehlo.slice %4 [0:2, 0:24, 1:8, 2:9] : ({half}) -> tensor<2x24x7x7xf32>
          %6 = stablehlo.pad %5, %none, low = [0, 0, 2, 0], high = [0, 0, 0, 2], interior = [0, 0, 0, 0]
            : (tensor<2x24x7x7xf32>, tensor<f32>) -> {half}
          %7 = stablehlo.reverse %6, dims = [1, 3] : {half}
          %8 = stablehlo.convolution(%7, %scale) {conv} : ({half}, {kernel}) -> {half}
          return %8 : {half}
        }}"""
    shapes = [(2, 24, 18, 18), (24, 24, 3, 3), (24,), (24, 24, 3, 3)]
    assert_product(text, *(integers(seed, shape, "f32") for seed, shape in enumerate(shapes)))


def test_constant_kernels_are_transposed_once() -> None:
    lhs, kernel, shape, *_ = CONVOLUTIONS["3x3"]
    a, k, r = (tensor(sizes, "f32") for sizes in (lhs, kernel, shape))
    weights = integers(1, kernel, "f32")
    text = f"""
        func.func @main(%a: {a}) -> {r} {{
          %k = stablehlo.constant dense<"0x{weights.tobytes().hex().upper()}"> : {k}
          %0 = {convolution("3x3")}
          return %0 : {r}
        }}"""
    assert_product(text, integers(2, lhs, "f32"))
    (step,) = shlo.compile(shlo.parse(text), engine="native").plan.steps
    assert "2 transpose" in step.note


GROUPED = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
GROUPS = {  # lhs, kernel, result, their dimensions, window, groups of features, groups of the batch
    "3x3": ((2, 14, 15, 37), (3, 3, 1, 37), (2, 14, 15, 37), GROUPED, SAME, 37, 1),
    "stride": ((2, 14, 15, 32), (3, 3, 1, 32), (2, 7, 8, 32), GROUPED, f"stride = [2, 2], {SAME}", 32, 1),
    "cut": ((2, 14, 15, 8), (3, 3, 1, 8), (2, 11, 12, 8), GROUPED, "pad = [[-1, 0], [2, -3]]", 8, 1),
    "dilated and reversed": (
        (2, 14, 15, 24),
        (3, 3, 1, 24),
        (2, 12, 9, 24),
        GROUPED,
        "pad = [[1, 1], [0, 0]], rhs_dilate = [2, 3], reverse = [true, false]",
        24,
        1,
    ),
    "transposed": (
        (2, 7, 8, 24),
        (3, 3, 1, 24),
        (2, 14, 15, 24),
        GROUPED,
        "pad = [[1, 2], [1, 1]], lhs_dilate = [2, 2], reverse = [true, true]",
        24,
        1,
    ),
    "features first": ((2, 24, 14, 15), (24, 1, 5, 5), (2, 24, 10, 11), NCHW, "", 24, 1),
    "one dimension": (
        (2, 200, 24),
        (4, 1, 24),
        (2, 200, 24),
        "[b, 0, f]x[0, i, o]->[b, 0, f]",
        "pad = [[3, 0]]",
        24,
        1,
    ),
    "three dimensions": (
        (2, 5, 6, 7, 24),
        (2, 3, 1, 1, 24),
        (2, 5, 6, 7, 24),
        "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
        "pad = [[1, 0], [1, 1], [0, 0]]",
        24,
        1,
    ),
    "gradient of a kernel": (
        (3, 14, 15, 37),
        (3, 14, 15, 37),
        (3, 3, 1, 37),
        "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
        SAME,
        1,
        37,
    ),
    "gradient of a kernel at strides": (
        (3, 14, 15, 16),
        (3, 7, 8, 16),
        (3, 3, 1, 16),
        "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
        "pad = [[1, 0], [1, 1]], rhs_dilate = [2, 2]",
        1,
        16,
    ),
    "gradient of a kernel, features first": (
        (3, 16, 14, 15),
        (3, 16, 14, 15),
        (16, 1, 3, 3),
        "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]",
        SAME,
        1,
        16,
    ),
    "groups of four": ((2, 9, 7, 32), (3, 3, 4, 32), (2, 9, 7, 32), GROUPED, SAME, 8, 1),
    "two features of each": (
        (2, 9, 11, 16),
        (3, 2, 1, 32),
        (2, 5, 10, 32),
        GROUPED,
        "stride = [2, 1], pad = [[1, 1], [1, 0]], rhs_dilate = [1, 2]",
        16,
        1,
    ),
    "groups of three to two": ((2, 24, 9, 10), (16, 3, 2, 3), (2, 16, 8, 8), NCHW, "", 8, 1),
    "groups, transposed": (
        (2, 5, 6, 32),
        (3, 3, 2, 64),
        (2, 10, 11, 64),
        GROUPED,
        "pad = [[1, 2], [1, 1]], lhs_dilate = [2, 2], reverse = [true, true]",
        16,
        1,
    ),
    "gradient of a kernel of groups": (
        (3, 9, 11, 32),
        (3, 9, 11, 64),
        (3, 3, 8, 64),
        "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
        SAME,
        1,
        4,
    ),
    "gradient of a kernel of groups, features first": (
        (3, 32, 9, 11),
        (3, 32, 9, 11),
        (32, 16, 3, 3),
        "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]",
        SAME,
        1,
        2,
    ),
}


@pytest.mark.parametrize(("name", "element"), crossed(GROUPS, ["f32", "f64", "bf16"]))
def test_grouped_convolutions(name: str, element: str) -> None:
    lhs, kernel, shape, numbers, window, features, batches = GROUPS[name]
    a, k, r = (tensor(sizes, element) for sizes in (lhs, kernel, shape))
    dtype = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16}[element]
    assert_product(
        f"""
        func.func @main(%a: {a}, %k: {k}) -> {r} {{
          %0 = stablehlo.abs %a : {a}
          %1 = stablehlo.convolution(%0, %k) dim_numbers = {numbers}, window = {{{window}}}
            {{batch_group_count = {batches} : i64, feature_group_count = {features} : i64}}
            : ({a}, {k}) -> {r}
          %2 = stablehlo.negate %1 : {r}
          return %2 : {r}
        }}""",
        *(integers(seed, sizes, "f32").astype(dtype) for seed, sizes in enumerate((lhs, kernel))),
    )
