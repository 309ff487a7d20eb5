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
from tests.helpers.convolutions import convolution
from tests.helpers.programs import program

LEADING = program("x: 40x150xf32", "%a = reduce %x, add, [0]\n%b = reduce %x, maximum, [0]\nreturn %a, %b")
MIDDLE = program("x: 6x9x5x20xf32", "%a = reduce %x, add, [1]\n return %a")
NORMALIZED = program(
    "x: 20x300xf32",
    """
    %m = reduce %x, maximum, [0]
    %mb = broadcast %m, [1] -> 20x300
    %d = subtract %x, %mb
    %e = exponential %d
    %s = reduce %e, add, [0]
    %sb = broadcast %s, [1] -> 20x300
    %y = divide %e, %sb
    return %y""",
)
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
DEPTHWISE = convolution("1x6x9x40 3x3x1x40 b01f 01io b01f p=1 g=40").text("f32")
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
ONE_LEFT_TO_ADD = program("x: 1x40x150xf32", "%a = reduce %x, add, [1]\n%b = reduce %a, add, [0]\nreturn %b")
VECTORS = program(
    "x: 70xf32, v: 70x100xf32, h: 90xf32, w: 90x100xf32",
    """
    %0 = dot %x, %v, a,an
    %1 = dot %h, %w, a,an
    %2 = add %0, %1
    return %2""",
)
CHOSEN = """
func.func @main(%x: tensor<8x50xf32>, %k: tensor<6x40x1xi32>) -> tensor<6x50xf32> {
  %g = "stablehlo.gather"(%x, %k) <{slice_sizes = array<i64: 1, 50>,
    dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 2>}>
    : (tensor<8x50xf32>, tensor<6x40x1xi32>) -> tensor<6x40x50xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<6x40x50xf32>, tensor<f32>) -> tensor<6x50xf32>
  return %a : tensor<6x50xf32>
}"""
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
    text = program("x: 64x90xf32", "%a = reduce %x, add, [1]\n return %a")
    stages = dict(scheduled(lower(region_of(text)).program))
    assert stages["columns"] == stages["tile"]
