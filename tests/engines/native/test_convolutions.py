"""Convolutions of all shapes and orders of dimensions beside the NumPy engine and beside sums of slices.

Sums of small integers of f32 are exact in any order, and sums of integers wrap, so results are equal bit for
bit.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from tests.helpers.convolutions import Convolution, convolution
from tests.helpers.crossed import crossed
from tests.helpers.native import assert_same, compiled, counted, numbers, tensor

# By name, a convolution as `tests/helpers/convolutions.py` reads it
TILES = {
    "3x3": "2x14x15x32 3x3x32x64 b01f 01io b01f p=1",
    "stride": "2x14x15x32 3x3x32x48 b01f 01io b01f p=0:1,0:1 s=2",
    "1x1": "2x9x9x40 1x1x40x64 b01f 01io b01f",
    "few features": "2x20x20x3 7x7x3x32 b01f 01io b01f p=3:3,2:4 s=2",
    "one feature": "4x20x20x1 5x5x1x6 b01f 01io b01f p=2",
    "few features to few, reversed": "4x20x20x6 5x5x6x10 b01f 01io b01f p=4:1,-1:1 s=1,2 x=0",
    "few features, dilated and cut": "2x20x23x3 3x3x3x24 b01f 01io b01f p=0:0,2:-4 r=2",
    "gradient of a kernel of few features": "9x14x15x3 9x14x15x6 f01b i01o 01bf p=2:2,1:2",
    "gradient of a kernel at strides": "9x14x15x3 9x7x8x24 f01b i01o 01bf p=0:1,1:1 r=2",
    "cut": "2x14x15x32 3x3x32x64 b01f 01io b01f p=-1:0,2:-3",
    "reversed": "2x14x15x32 3x3x64x32 b01f 01oi b01f p=1 x=0,1",
    "dilated": "1x14x15x32 3x3x32x64 b01f 01io b01f p=1:1,0:0 r=2,3",
    "gradient of a kernel": "4x14x15x16 4x14x15x64 f01b i01o 01bf p=1",
    "gradient of an image": "2x7x8x64 3x3x32x64 b01f 01oi b01f p=1:2,2:0 l=2 x=0,1",
    "zeros between": "2x7x8x64 1x1x32x64 b01f 01oi b01f p=0:1,0:0 l=2",
    "dilated by three, at steps of two": "2x9x9x64 4x3x64x32 b01f 01io b01f p=2:2,1:0 s=2 l=3 r=1,2",
    "groups": "2x14x15x32 3x3x16x64 b01f 01io b01f p=1 g=2",
    "one dimension": "2x200x32 5x32x48 b0f 0io b0f p=2",
}
TO_FEW_FEATURES = {
    "3x3": "2x14x15x32 3x3x32x3 b01f 01io b01f p=1",
    "one": "2x14x17x48 3x3x48x1 b01f 01io b01f",
    "one dimension": "2x300x20 5x20x7 b0f 0io b0f p=2",
    "three dimensions": "1x6x7x8x16 2x3x3x16x2 b012f 012io b012f p=0:0,1:1,1:1",
    "strides, cut and dilated": "2x20x23x24 3x3x24x5 b01f 01io b01f p=-1:0,1:-1 s=1,2 r=1,3",
    "gradient of an image": "2x9x9x16 3x3x4x16 b01f 01oi b01f p=1:2,2:1 l=2 x=0,1",
    "features first": "2x32x14x15 3x32x3x3 bf01 oi01 bf01 p=1",
}
FEATURES_FIRST = {
    "3x3": "2x16x14x15 32x16x3x3 bf01 oi01 bf01 p=1",
    "stride": "2x16x14x15 48x16x3x3 bf01 oi01 bf01 p=1 s=2",
    "1x1": "2x40x9x9 64x40x1x1 bf01 oi01 bf01",
    "few features": "2x3x20x20 32x3x7x7 bf01 oi01 bf01",
    "dilated": "1x16x14x15 32x16x3x3 bf01 oi01 bf01 r=2",
    "transposed": "2x32x7x8 32x16x3x3 bf01 io01 bf01 p=1:2,2:0 l=2 x=0,1",
    "gradient of a kernel": "4x16x14x15 4x32x14x15 fb01 io01 fb01 p=1",
    "features between positions": "14x16x15x2 3x32x16x3 0f1b 0oi1 f0b1 p=1",
    "features of the result first": "2x14x15x32 3x3x32x64 b01f 01io bf01 p=1",
    "features of the image first": "2x32x14x15 3x3x32x64 bf01 01io b01f p=1",
    "one dimension": "2x32x200 48x32x5 bf0 oi0 bf0 p=2",
    "three dimensions": "1x8x6x7x8 16x8x3x3x3 bf012 oi012 bf012 p=1",
    "two groups": "2x32x14x15 64x16x3x3 bf01 oi01 bf01 p=1 g=2",
}
GROUPS = {
    "3x3": "2x14x15x37 3x3x1x37 b01f 01io b01f p=1 g=37",
    "stride": "2x14x15x32 3x3x1x32 b01f 01io b01f p=1 s=2 g=32",
    "cut": "2x14x15x8 3x3x1x8 b01f 01io b01f p=-1:0,2:-3 g=8",
    "dilated and reversed": "2x14x15x24 3x3x1x24 b01f 01io b01f p=1:1,0:0 r=2,3 x=0 g=24",
    "transposed": "2x7x8x24 3x3x1x24 b01f 01io b01f p=1:2,1:1 l=2 x=0,1 g=24",
    "features first": "2x24x14x15 24x1x5x5 bf01 oi01 bf01 g=24",
    "one dimension": "2x200x24 4x1x24 b0f 0io b0f p=3:0 g=24",
    "three dimensions": "2x5x6x7x24 2x3x1x1x24 b012f 012io b012f p=1:0,1:1,0:0 g=24",
    "gradient of a kernel": "3x14x15x37 3x14x15x37 f01b i01o 01bf p=1 b=37",
    "gradient of a kernel at strides": "3x14x15x16 3x7x8x16 f01b i01o 01bf p=1:0,1:1 r=2 b=16",
    "gradient of a kernel, features first": "3x16x14x15 3x16x14x15 fb01 io01 fb01 p=1 b=16",
    "groups of four": "2x9x7x32 3x3x4x32 b01f 01io b01f p=1 g=8",
    "two features of each": "2x9x11x16 3x2x1x32 b01f 01io b01f p=1:1,1:0 s=2,1 r=1,2 g=16",
    "groups of three to two": "2x24x9x10 16x3x2x3 bf01 oi01 bf01 g=8",
    "groups, transposed": "2x5x6x32 3x3x2x64 b01f 01io b01f p=1:2,1:1 l=2 x=0,1 g=16",
    "gradient of a kernel of groups": "3x9x11x32 3x9x11x64 f01b i01o 01bf p=1 b=4",
    "gradient of a kernel of groups, features first": "3x32x9x11 3x32x9x11 fb01 io01 fb01 p=1 b=2",
}
IN_ROWS = {  # of few features, in vectors along rows
    "one feature": "2x1x30x41 1x1x3x3 bf01 oi01 bf01 p=1",
    "features last": "2x17x35x3 5x5x1x3 b01f 01io b01f p=2 g=3",
    "many taps": "1x40x40x3 9x19x1x6 b01f 01io b01f p=4:4,9:9 g=3",
    "to three": "1x9x20x32 3x3x32x3 b01f 01io b01f p=1",
    "to five": "2x8x9x50 5x8x3x3 bf01 oi01 bf01 p=1",
    "to seven of short rows": "3x8x9x5 7x8x3x3 bf01 oi01 bf01 p=1",
    "to twelve": "1x8x9x140 12x8x2x3 bf01 oi01 bf01",
    "from many": "1x130x8x40 3x130x3x3 bf01 oi01 bf01 p=1",
    "reversed and cut": "1x2x33x40 4x2x4x3 bf01 oi01 bf01 p=-1:2,2:-9 r=2,5 x=0,1",
    "stride": "2x2x30x61 3x2x3x5 bf01 oi01 bf01 p=1:1,3:2 s=2,3",
    "transposed": "2x4x16x17 2x4x3x3 bf01 oi01 bf01 p=1:2,2:1 l=2 x=0,1",
    "one dimension": "3x1x500 2x1x31 bf0 oi0 bf0",
    "three dimensions": "1x1x9x10x33 2x1x3x3x3 bf012 oi012 bf012 p=1",
    "groups": "2x6x20x21 9x2x3x3 bf01 oi01 bf01 g=3",
    "gradient of a kernel": "4x2x30x41 4x3x30x41 fb01 io01 bf01 p=1:1,2:2",
    "gradient of a kernel, features last": "2x17x35x3 2x17x35x3 f01b i01o 01bf p=4 b=3",
    "gradient of a kernel at strides": "4x2x40x41 4x5x20x14 fb01 io01 bf01 p=1:0,1:1 r=2,3",
}
SMALL = {
    "two dilations and groups": "2x9x10x4 3x3x2x8 b01f 01io b01f p=1:2,0:1 s=2,1 l=1,2 r=2,1 g=2",
    "reversed": "2x3x5x6 4x3x2x3 bf01 oi01 bf01 p=0:1,1:0 x=0",
    "no dimensions of space": "3x7 7x5 bf io bf",
    "one dimension of groups": "6x2x4 3x1x4 0bf 0io 0bf g=4",
}
FAMILIES = {"tiles": TILES, "groups": GROUPS, "rows": IN_ROWS, "small": SMALL}
ROWS = [f"{family}: {name}" for family, rows in FAMILIES.items() for name in rows]
SAME = "2x16x14x15 32x16x3x3 bf01 oi01 bf01 p=1"
MIXED = [  # convolutions, and the element types of their operands and results
    (SAME, "f16 f16 f16"),
    (SAME, "bf16 bf16 bf16"),
    (SAME, "i8 i8 i32"),
    (SAME, "i16 i16 i32"),
    ("2x16x16x3 3x3x3x64 b01f 01io b01f p=1", "i8 i8 i32"),
    ("2x16x16x16 3x3x16x64 b01f 01io b01f p=1 s=2", "i8 i8 i32"),
    ("2x16x16x16 3x3x16x64 b01f 01io b01f p=1 l=2", "i8 i8 i32"),
    ("2x16x16x48 3x3x24x64 b01f 01io b01f p=1 g=2", "i8 i8 i32"),
    ("2x16x16x42 3x3x21x64 b01f 01io b01f p=1 g=2", "i8 i8 i32"),
]


def inputs(found: Convolution, *elements: str) -> list[np.ndarray]:
    return [numbers(k, shape, e) for k, (shape, e) in enumerate(zip(found[:2], elements, strict=True))]


@pytest.mark.parametrize(
    ("name", "element"), crossed(ROWS, ["f32", "f64", "bf16", "i32", "i64", "i8"], every=5)
)
def test_between_maps(name: str, element: str) -> None:
    family, _, row = name.partition(": ")
    found = convolution(FAMILIES[family][row])
    assert_same(found.text(element, before="abs", after="negate"), *inputs(found, element, element))


@pytest.mark.parametrize(("row", "elements"), MIXED)
def test_elements_of_operands_and_results(row: str, elements: str) -> None:
    found, (first, second, result) = convolution(row), elements.split()
    assert_same(found.text(first, second, result), *inputs(found, first, second))


@pytest.mark.parametrize("name", TO_FEW_FEATURES)
def test_alone(name: str) -> None:
    found = convolution(TO_FEW_FEATURES[name])
    element = {"three dimensions": "i64", "gradient of an image": "f64"}.get(name, "f32")
    assert_same(found.text(element), *inputs(found, element, element))


@pytest.mark.parametrize("name", FEATURES_FIRST)
def test_maps_of_the_result_and_of_another_array(name: str) -> None:
    found = convolution(FEATURES_FIRST[name])
    assert_same(found.text("f32"), *inputs(found, "f32", "f32"))
    a, k, r = (tensor(shape, "f32") for shape in (found.image, found.kernel, found.result))
    text = f"""
        func.func @main(%x: {a}, %k: {k}, %y: {r}) -> ({r}, {r}) {{
          %a = stablehlo.abs %x : {a}
          %0 = {found.op(["f32"] * 3)}
          %1 = stablehlo.add %0, %y : {r}
          %2 = stablehlo.multiply %1, %0 : {r}
          return %2, %1 : {r}, {r}
        }}"""
    assert_same(text, *inputs(found, "f32", "f32"), numbers(2, found.result, "f32"))


def test_a_chain_of_convolutions() -> None:
    """Ops between two convolutions with features first, which are computed with features last."""
    first, second = (
        convolution(f"2x24x{n}x{n} 24x24x3x3 bf01 oi01 bf01 p=1").op(["f32"] * 3, f"%{image}")
        for n, image in ((18, "x"), (9, "7"))
    )
    image, half, kernel = (tensor(s, "f32") for s in ((2, 24, 18, 18), (2, 24, 9, 9), (24, 24, 3, 3)))
    text = f"""
        func.func @main(%x: {image}, %k: {kernel}, %row: tensor<24xf32>) -> {half} {{
          %zero = stablehlo.constant dense<0.0> : {image}
          %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %none = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = {first}
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
          %8 = {second}
          return %8 : {half}
        }}"""
    shapes = [(2, 24, 18, 18), (24, 24, 3, 3), (24,)]
    assert_same(text, *(numbers(seed, shape, "f32") for seed, shape in enumerate(shapes)))


def test_constant_kernels_are_transposed_once() -> None:
    found = convolution(FEATURES_FIRST["3x3"])
    image, weights = inputs(found, "f32", "f32")
    kernel, result = tensor(found.kernel, "f32"), tensor(found.result, "f32")
    text = f"""
        func.func @main(%a: {tensor(found.image, "f32")}) -> {result} {{
          %k = stablehlo.constant dense<"0x{weights.tobytes().hex().upper()}"> : {kernel}
          %0 = {found.op(["f32"] * 3)}
          return %0 : {result}
        }}"""
    assert_same(text, image)
    (step,) = compiled(text).plan.steps
    assert "2 transpose" in step.note


def test_sums_of_slices() -> None:
    """A smoothing filter of one feature, from its definition, and in a loop."""
    found = convolution("1x1x70x93 1x1x3x4 bf01 oi01 bf01 p=1:1,2:1")
    image, kernel = inputs(found, "f32", "f32")
    i, k = (tensor(x.shape, "f32") for x in (image, kernel))
    loop = counted("2", {"a": (i, "%0", "%y")}, f"%y = {found.op(['f32'] * 3)}")
    text = f"func.func @main(%0: {i}, %k: {k}) -> {i} {{{loop}\n return %r#1 : {i} }}"

    def filtered(x: np.ndarray) -> np.ndarray:
        padded, taps = np.pad(x[0, 0], ((1, 1), (2, 1))), np.ndindex(3, 4)
        return sum(kernel[0, 0, r, c] * padded[r : r + 70, c : c + 93] for r, c in taps)[None, None]

    np.testing.assert_array_equal(compiled(text)(image, kernel)[0], filtered(filtered(image)))


@pytest.mark.parametrize("column", [-1, -11])  # the latter is left out of a row's last vector
@pytest.mark.parametrize("name", ["one feature", "to five", "gradient of a kernel"])
def test_infinite_elements_are_kept_apart(name: str, column: int) -> None:
    """An infinite element reaches the windows that it is in, and no others, at the end of a row too."""
    found = convolution(IN_ROWS[name])
    image, kernel = inputs(found, "f32", "f32")
    image[0, 0, 4, column] = np.inf
    assert_same(found.text("f32", before="abs", after="negate"), image, np.abs(kernel) + 1)


def test_padding_of_a_type_without_zero_adds_nothing() -> None:
    """The least number of the type, 2**-127, would: times 2**127 it is 1."""
    x, k = (np.full((1, 1, 3), 2.0**power).astype(ml_dtypes.float8_e8m0fnu) for power in (-127, 127))
    text = """func.func @main(%x: TYPE, %k: TYPE) -> tensor<1x1x3xf32> {
      %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
        window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (TYPE, TYPE) -> tensor<1x1x3xf32>
      return %0 : tensor<1x1x3xf32>
    }"""
    (found,) = compiled(text.replace("TYPE", "tensor<1x1x3xf8E8M0FNU>"))(x, k)
    assert found.tolist() == [[[2, 3, 2]]]
