"""Estimates of the time of plans, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native import estimate
from tests.engines.native.loops.loop_regions import plan_of
from tests.helpers.native import counted
from tests.helpers.products import dot
from tests.helpers.programs import program

LOOP = """func.func @main(%n: tensor<i32>, %a: tensor<3xf32>) -> tensor<3xf32> {{
  {0}
  return %r#1 : tensor<3xf32>
}}"""
CARRIED = {"x": ("tensor<3xf32>", "%a", "%y")}
NONE, FIVE, UNKNOWN = (
    LOOP.format(counted(count, CARRIED, "%y = stablehlo.negate %x : tensor<3xf32>"))
    for count in ("0", "5", "%n")
)
BRANCHES = """func.func @main(%p: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.negate %x : tensor<3xf32>
    stablehlo.return %a : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
CONVOLUTION = """func.func @main(%x: tensor<1x4x4x1xf32>, %k: tensor<3x3x1x1xf32>) -> tensor<1x2x2x1xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x2x2x1xf32>
  return %0 : tensor<1x2x2x1xf32>
}"""
REDUCTION = """func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1]
    : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
ENDLESS = """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @main(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.negate %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}"""
ROWS = {  # a program, and the numbers of steps, elements, elements of functions, and flops
    "add": (program("x: 2x3xf32, y: 2x3xf32", "%s = add %x, %y\nreturn %s"), (1, 18, 0, 0)),
    "constants": (
        program("x: 2xf32", "%c = constant 1.0 -> 2xf32\n%s = add %x, %c\nreturn %s"),
        (1, 4, 0, 0),
    ),
    "function": (program("x: 2x3xf32", "%s = tanh %x\nreturn %s"), (1, 0, 12, 0)),
    "product": (dot("2x4 4x3 ma,an").text("f32"), (1, 26, 0, 48)),
    "convolution": (CONVOLUTION, (1, 16 + 9 + 4, 0, 2 * 9 * 4)),
    "function on elements": (REDUCTION, (1, 6 + 2, 0, 0)),
    # both steps, and those of the call, in which a further call counts as none
    "a function that calls itself": (ENDLESS, (2 * 2, 2 * (6 + 6), 0, 0)),
    # the condition, what the branches capture and the result; then the negation
    "branches": (BRANCHES, (1 + 1, 10 + 6, 0, 0)),
    # what it carries; then a comparison of 2 or 3 numbers, a sum of 2 and a negation for each trip
    "loop": (FIVE, (1 + 5 * 3, 7 + 5 * (2 + 2 + 6), 0, 0)),
    "loop without trips": (NONE, (1, 7, 0, 0)),
    "loop of unknown trips": (UNKNOWN, (1 + 16 * 3, 8 + 16 * (3 + 2 + 6), 0, 0)),
}


@pytest.mark.parametrize("name", ROWS)
def test_estimates(name: str) -> None:
    text, counts = ROWS[name]
    each = estimate._CALL, estimate._ELEMENT, estimate._TRANSCENDENTAL, estimate._FLOP
    assert estimate.seconds(plan_of(shlo.parse(text))) == pytest.approx(np.dot(counts, each), rel=1e-9)
