"""Folds of columns: reductions of leading dimensions, windows, depthwise convolutions, normalized columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import check_text, region_of

import stablehlo_py as shlo
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.schedule.pipeline import scheduled
from stablehlo_py.ir.element_types import numpy_dtype

REDUCE = """
  %{name}_start = stablehlo.constant dense<{start}> : tensor<f32>
  %{name} = stablehlo.reduce(%{operand} init: %{name}_start) applies stablehlo.{op}
    across dimensions = {dims} : (tensor<{source}xf32>, tensor<f32>) -> tensor<{target}xf32>"""


def reduce(name: str, operand: str, op: str, dims: list[int], source: str, target: str) -> str:
    """A reduction as text."""
    start = "0xFF800000" if op == "maximum" else "0.0"
    return REDUCE.format(
        name=name, operand=operand, op=op, dims=dims, source=source, target=target, start=start
    )


LEADING = f"""
func.func @main(%x: tensor<40x150xf32>) -> (tensor<150xf32>, tensor<150xf32>) {{
{reduce("a", "x", "add", [0], "40x150", "150")}
{reduce("b", "x", "maximum", [0], "40x150", "150")}
  return %a, %b : tensor<150xf32>, tensor<150xf32>
}}"""
MIDDLE = f"""
func.func @main(%x: tensor<6x9x5x20xf32>) -> tensor<6x5x20xf32> {{
{reduce("a", "x", "add", [1], "6x9x5x20", "6x5x20")}
  return %a : tensor<6x5x20xf32>
}}"""
NORMALIZED = f"""
func.func @main(%x: tensor<20x300xf32>) -> tensor<20x300xf32> {{
{reduce("m", "x", "maximum", [0], "20x300", "300")}
  %mb = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<300xf32>) -> tensor<20x300xf32>
  %d = stablehlo.subtract %x, %mb : tensor<20x300xf32>
  %e = stablehlo.exponential %d : tensor<20x300xf32>
{reduce("s", "e", "add", [0], "20x300", "300")}
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<300xf32>) -> tensor<20x300xf32>
  %y = stablehlo.divide %e, %sb : tensor<20x300xf32>
  return %y : tensor<20x300xf32>
}}"""
POOL = """
func.func @main(%x: tensor<2x7x10x36xf32>) -> tensor<2x4x5x36xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{
    window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>,
    padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x7x10x36xf32>, tensor<f32>) -> tensor<2x4x5x36xf32>
  return %0 : tensor<2x4x5x36xf32>
}"""
DEPTHWISE = """
func.func @main(%x: tensor<1x6x9x40xf32>, %w: tensor<3x3x1x40xf32>) -> tensor<1x6x9x40xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 40 : i64}
    : (tensor<1x6x9x40xf32>, tensor<3x3x1x40xf32>) -> tensor<1x6x9x40xf32>
  return %0 : tensor<1x6x9x40xf32>
}"""
LARGEST = """
func.func @main(%x: tensor<25x340xf32>) -> (tensor<340xf32>, tensor<340xi32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 : tensor<25x340xi32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %none) across dimensions = [0]
    : (tensor<25x340xf32>, tensor<25x340xi32>, tensor<f32>, tensor<i32>) -> (tensor<340xf32>, tensor<340xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %m = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
      %n = stablehlo.select %p, %j, %k : tensor<i1>, tensor<i32>
      stablehlo.return %m, %n : tensor<f32>, tensor<i32>
    }
  return %0#0, %0#1 : tensor<340xf32>, tensor<340xi32>
}"""
RECTIFIED = POOL.replace(
    '  %0 = "stablehlo.reduce_window"(%x,',
    """  %zero = stablehlo.constant dense<0.0> : tensor<2x7x10x36xf32>
  %y = stablehlo.maximum %x, %zero : tensor<2x7x10x36xf32>
  %0 = "stablehlo.reduce_window"(%y,""",
)
RECTIFIED = RECTIFIED.replace("return %0 : ", "return %y, %0 : tensor<2x7x10x36xf32>, ").replace(
    "-> tensor<2x4x5x36xf32> {", "-> (tensor<2x7x10x36xf32>, tensor<2x4x5x36xf32>) {"
)
POOL_GRADIENT = """
func.func @main(%x: tensor<2x7x10x36xf32>, %g: tensor<2x4x5x36xf32>) -> tensor<2x7x10x36xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<2x7x10x36xf32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %zero) <{
    window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>,
    padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x7x10x36xf32>, tensor<2x4x5x36xf32>, tensor<f32>) -> tensor<2x7x10x36xf32>
  %y = stablehlo.maximum %0, %zeros : tensor<2x7x10x36xf32>
  return %y : tensor<2x7x10x36xf32>
}"""
ONE_LEFT_TO_ADD = f"""
func.func @main(%x: tensor<1x40x150xf32>) -> tensor<150xf32> {{
{reduce("a", "x", "add", [1], "1x40x150", "1x150")}
{reduce("b", "a", "add", [0], "1x150", "150")}
  return %b : tensor<150xf32>
}}"""
VECTORS = """
func.func @main(%x: tensor<70xf32>, %v: tensor<70x100xf32>, %h: tensor<90xf32>, %w: tensor<90x100xf32>)
    -> tensor<100xf32> {
  %0 = stablehlo.dot_general %x, %v, contracting_dims = [0] x [0]
    : (tensor<70xf32>, tensor<70x100xf32>) -> tensor<100xf32>
  %1 = stablehlo.dot_general %h, %w, contracting_dims = [0] x [0]
    : (tensor<90xf32>, tensor<90x100xf32>) -> tensor<100xf32>
  %2 = stablehlo.add %0, %1 : tensor<100xf32>
  return %2 : tensor<100xf32>
}"""
CHOSEN = f"""
func.func @main(%x: tensor<8x50xf32>, %k: tensor<6x40x1xi32>) -> tensor<6x50xf32> {{
  %g = "stablehlo.gather"(%x, %k) <{{slice_sizes = array<i64: 1, 50>,
    dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 2>}}>
    : (tensor<8x50xf32>, tensor<6x40x1xi32>) -> tensor<6x40x50xf32>
{reduce("a", "g", "add", [1], "6x40x50", "6x50")}
  return %a : tensor<6x50xf32>
}}"""
IN_REGISTERS = {
    "leading": LEADING,
    "one left": LEADING.replace("150", "129"),
    "middle": MIDDLE,
    "normalized": NORMALIZED,
    "pool": POOL,
    "pool of what is stored for it": RECTIFIED,
    "one left to add": ONE_LEFT_TO_ADD,
    "depthwise": DEPTHWISE,
    "vectors times matrices": VECTORS,
    "chosen rows": CHOSEN,
}
IN_FRAMES = {"largest": LARGEST, "gradient of a pool": POOL_GRADIENT}


def inputs_of(text: str) -> list[Any]:
    """Small integers, so that sums are exact in any order."""
    rng = np.random.default_rng(6)
    region = region_of(text)
    types = [region.plan.tensor(slot) for slot in region.inputs]
    return [rng.integers(-9, 10, type.shape).astype(numpy_dtype(type.element_type)) for type in types]


@pytest.mark.parametrize("name", [*IN_REGISTERS, *IN_FRAMES])
def test_columns_are_computed_together(name: str) -> None:
    text = {**IN_REGISTERS, **IN_FRAMES}[name]
    inputs = inputs_of(text)
    wanted = shlo.run(shlo.parse(text), inputs, engine="numpy")
    after = text_of(check_text(text, inputs, wanted, rtol=1e-6)["columns"])
    assert "reduce(" not in after and "fold(" not in after
    assert ("vectorized" in after) == (name in IN_REGISTERS)


def test_rows_are_added_up_along_themselves() -> None:
    text = f"""
func.func @main(%x: tensor<64x90xf32>) -> tensor<64xf32> {{
{reduce("a", "x", "add", [1], "64x90", "64")}
  return %a : tensor<64xf32>
}}"""
    stages = dict(scheduled(lower(region_of(text)).program))
    assert stages["columns"] == stages["tile"]
