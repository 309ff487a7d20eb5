"""Padded copies: convolutions with padding, strides and dilations, and the gradients of their kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import check_text, region_of, stages_of

import stablehlo_py as shlo
from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.statements import Fold, Loop, walk
from stablehlo_py.engines.native.loop_ir.text import text_of

FORWARD = "b 0 1 f", "0 1 i o", "b 0 1 f"
FIRST = "b f 0 1", "o i 0 1", "b f 0 1"  # columns are those of the image
LAST = "b 0 1 f", "o i 0 1", "b f 0 1"
GRADIENT = "f 0 1 b", "i 0 1 o", "0 1 b f"


class Case(NamedTuple):
    """A convolution: its dimensions, and the values of its attributes along the two of space."""

    dimensions: tuple[str, str, str]
    batch: int
    depth: int
    features: int
    image: tuple[int, int]
    window: tuple[int, int]
    pads: tuple[tuple[int, int], tuple[int, int]] = ((1, 1), (1, 1))
    strides: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    spread: tuple[int, int] = (1, 1)  # the dilation of the window

    def text(self) -> str:
        """The program."""
        result = [
            ((n - 1) * d + sum(p) - (k - 1) * r) // s + 1
            for n, k, p, s, d, r in zip(
                self.image, self.window, self.pads, self.strides, self.dilation, self.spread, strict=True
            )
        ]
        free = {"b": self.batch, "i": self.depth, "o": self.features}
        sizes = {**free, "f": self.depth}, free, {**free, "f": self.features}
        types = []
        for names, extents, known in zip(
            self.dimensions, (self.image, self.window, result), sizes, strict=True
        ):
            every = {**known, "0": extents[0], "1": extents[1]}
            types.append(f"tensor<{'x'.join(str(every[name]) for name in names.split())}xf32>")
        left, right, out = (f"[{names.replace(' ', ', ')}]" for names in self.dimensions)
        return f"""
func.func @main(%x: {types[0]}, %w: {types[1]}) -> {types[2]} {{
  %0 = stablehlo.convolution(%x, %w) dim_numbers = {left}x{right}->{out},
    window = {{stride = {[*self.strides]}, pad = {[[*p] for p in self.pads]},
      lhs_dilate = {[*self.dilation]}, rhs_dilate = {[*self.spread]}}}
    {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({types[0]}, {types[1]}) -> {types[2]}
  return %0 : {types[2]}
}}"""


CASES = [
    Case(FORWARD, 2, 3, 5, (4, 5), (3, 3)),
    Case(FORWARD, 1, 2, 4, (8, 9), (5, 4), ((2, 3), (0, 3)), strides=(2, 2)),
    Case(FORWARD, 1, 2, 7, (4, 3), (3, 3), ((1, 2), (2, 1)), dilation=(2, 3)),
    Case(FORWARD, 1, 2, 3, (6, 12), (3, 4), ((2, 2), (-1, 8)), strides=(1, 2), spread=(2, 3)),
    Case(FORWARD, 1, 2, 4, (4, 5), (3, 3), ((2, 3), (1, 4)), (2, 1), (3, 2), (2, 1)),
    Case(FIRST, 2, 3, 4, (4, 6), (3, 3)),
    Case(FIRST, 1, 2, 4, (9, 39), (3, 5), strides=(2, 2)),  # columns at a distance, in 16 and 4 that overlap
    Case(FIRST, 1, 2, 4, (5, 40), (3, 4), strides=(1, 3)),
    Case(LAST, 1, 3, 4, (5, 20), (3, 3), strides=(1, 2)),
    Case(GRADIENT, 3, 2, 4, (4, 5), (4, 5)),
    Case(GRADIENT, 3, 2, 4, (8, 9), (4, 5), spread=(2, 2)),
]


def inputs_of(text: str) -> list[np.ndarray]:
    """Integers as floats, whose sums are exact."""
    rng, region = np.random.default_rng(4), region_of(text)
    shapes = [region.plan.shape_of(slot) for slot in region.inputs]
    return [rng.integers(-4, 5, shape).astype(np.float32) for shape in shapes]


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_convolutions_read_padded_copies(case: Case, blocks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if blocks:
        monkeypatch.setattr(cost, "PANELS", 64)
        monkeypatch.setattr(cost, "MANY_TERMS", 8)
        monkeypatch.setattr(cost, "BLOCK", 6)
    module = shlo.parse(case.text())
    inputs = inputs_of(case.text())
    stage = check_text(case.text(), inputs, shlo.run(module, inputs, engine="numpy"))["name"]
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
