"""Padded copies: convolutions with padding, strides and dilations, and the gradients of their kernels."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import check_text, region_of, stages_of
from test_loop_stages import blocks_of_terms

import stablehlo_py as shlo
from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.statements import Fold, Loop, walk
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.schedule.padding import copied
from tests.helpers.convolutions import convolution
from tests.helpers.loop_parser import parse

CASES = [
    "2x4x5x3 3x3x3x5 b01f 01io b01f p=1",
    "1x8x9x2 5x4x2x4 b01f 01io b01f p=2:3,0:3 s=2",
    "1x4x3x2 3x3x2x7 b01f 01io b01f p=1:2,2:1 l=2,3",
    "1x6x12x2 3x4x2x3 b01f 01io b01f p=2:2,-1:8 s=1,2 r=2,3",
    "1x4x5x2 3x3x2x4 b01f 01io b01f p=2:3,1:4 s=2,1 l=3,2 r=2,1",
    "2x3x4x6 4x3x3x3 bf01 oi01 bf01 p=1",
    "1x2x9x39 4x2x3x5 bf01 oi01 bf01 p=1 s=2",  # columns at a distance, in 16 and 4 that overlap
    "1x2x5x40 4x2x3x4 bf01 oi01 bf01 p=1 s=1,3",
    "1x5x20x3 4x3x3x3 b01f oi01 bf01 p=1 s=1,2",
    "2x4x5x3 2x4x5x4 f01b i01o 01bf p=1",
    "2x8x9x3 2x4x5x4 f01b i01o 01bf p=1 r=2",
]


def inputs_of(text: str) -> list[np.ndarray]:
    """Integers as floats, whose sums are exact."""
    rng, region = np.random.default_rng(4), region_of(text)
    shapes = [region.plan.shape_of(slot) for slot in region.inputs]
    return [rng.integers(-4, 5, shape).astype(np.float32) for shape in shapes]


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("row", CASES)
def test_convolutions_read_padded_copies(row: str, blocks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if blocks:
        blocks_of_terms(monkeypatch)
    text = convolution(row).text("f32")
    inputs = inputs_of(text)
    stage = check_text(text, inputs, shlo.run(shlo.parse(text), inputs, engine="numpy"))["name"]
    spaces = {buffer.name.strip("0123456789") for buffer in stage.buffers}
    assert "padded" in spaces
    assert ("totals" in spaces) == blocks
    assert "vectorized" in text_of(stage)


UNIFORM = """
func.func @main(%k: tensor<f32>, %x: tensor<2x6x10x4xf32>) -> tensor<2x12x20x6xf32> {
  %w = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<3x3x4x6xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x6x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x12x20x6xf32>
  return %0 : tensor<2x12x20x6xf32>
}"""
POOL = """
func.func @main(%x: tensor<2x3x17x41xf32>) -> tensor<2x3x9x21xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{
    window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>,
    padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x3x17x41xf32>, tensor<f32>) -> tensor<2x3x9x21xf32>
  return %0 : tensor<2x3x9x21xf32>
}"""


@pytest.mark.parametrize("text", [UNIFORM, POOL], ids=["kernel of one number", "windows at a distance"])
def test_windows_are_read_from_copies_in_vectors(text: str) -> None:
    inputs = inputs_of(text)
    stage = check_text(text, inputs, shlo.run(shlo.parse(text), inputs, engine="numpy"))["name"]
    assert "padded" in {buffer.name.strip("0123456789") for buffer in stage.buffers}
    assert "vectorized" in text_of(stage)


NORMALIZED_POOL = """
func.func @main(%a: tensor<3xf32>, %x: tensor<3x16x16xf32>) -> (tensor<3x16x16xf32>, tensor<3x8x8xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<3x16x16xf32>
  %y = stablehlo.multiply %x, %b : tensor<3x16x16xf32>
  %0 = "stablehlo.reduce_window"(%y, %low) <{
    window_dimensions = array<i64: 1, 3, 3>, window_strides = array<i64: 1, 2, 2>,
    padding = dense<[[0, 0], [0, 1], [0, 1]]> : tensor<3x2xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %m = stablehlo.maximum %l, %r : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<3x16x16xf32>, tensor<f32>) -> tensor<3x8x8xf32>
  return %y, %0 : tensor<3x16x16xf32>, tensor<3x8x8xf32>
}"""


def test_windows_of_rows_are_read_from_copies_in_the_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "FOLDED", 1 << 10)
    inputs = inputs_of(NORMALIZED_POOL)
    wanted = shlo.run(shlo.parse(NORMALIZED_POOL), inputs, engine="numpy")
    stage = check_text(NORMALIZED_POOL, inputs, wanted)["name"]
    copies = [each for each in stage.buffers if each.name.startswith("padded")]
    assert [(each.shape, each.space) for each in copies] == [((17, 17), "frame")]
    assert "vectorized" in text_of(stage)


def test_a_sum_that_is_the_same_for_all_features_is_computed_once() -> None:
    stages = dict(stages_of(region_of(UNIFORM)))
    (nest,) = stages["inline"].body
    (fold,) = [each for each in walk([nest]) if isinstance(each, Fold)]
    around = [
        each.variable.extent for each in walk([nest]) if isinstance(each, Loop) and fold in walk([each])
    ]
    assert around == [2, 12, 20]


@pytest.mark.parametrize(
    ("source", "space", "count"),
    [("x", "scratch", 1), ("t", "scratch", 1), ("t", "frame", 0), ("z", "scratch", 0)],
)
def test_no_copy_is_made_in_front_of_what_it_copies(source: str, space: str, count: int) -> None:
    """What a nest itself stores, or an array of an iteration, is not there before the nest."""
    text = f"""
input x: 64xf32
{space} t: 64xf32
output y: 64xf32
output z: 64xf32
parallel c in 0..64 {{
  store z[c] = f32(0.0)
  s = reduce(maximum, f32(0.0)) k in 0..3 {{
    (load {source}[c + k - 1] if c + k >= 1 and -c - k >= -64 else f32(0.0))
  }}
  store y[c] = s
}}"""
    (nest,) = parse(text).body
    assert isinstance(nest, Loop)
    found = copied(nest, 0, (), None)
    assert [buffer.shape for buffer in found.buffers] == [(66,)] * count
    assert (found.nest == nest) == (count == 0)
