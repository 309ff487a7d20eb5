"""Folds of columns: reductions of leading dimensions, windows, depthwise convolutions, normalized columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import check_text, region_of

import stablehlo_py as shlo
from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.statements import Fold, Loop, walk
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.schedule.columns import columns
from stablehlo_py.engines.native.schedule.pipeline import scheduled
from stablehlo_py.ir.element_types import numpy_dtype
from tests.helpers.convolutions import convolution
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse
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


def test_windows_of_some_dimensions_are_apart_along_the_others() -> None:
    body = lower(region_of(POOL_GRADIENT)).program.body
    (nest,) = [each for each in body if any(isinstance(inner, Fold) for inner in walk([each]))]
    loops = [(each.kind, each.variable.extent) for each in walk([nest]) if isinstance(each, Loop)]
    assert loops == [("parallel", 2), ("parallel", 36), ("for", 4), ("for", 5)]


def test_rows_are_added_up_along_themselves() -> None:
    text = program("x: 64x90xf32", "%a = reduce %x, add, [1]\n return %a")
    stages = dict(scheduled(lower(region_of(text)).program))
    assert stages["columns"] == stages["tile"]


SUM = """
input x: 20x40xf32
input p: 40xi32
output y: 40xf32
scratch t: 20x40xf32
parallel j in 0..40 {
  s = reduce(add, f32(0.0)) k in 0..20 { load x[k, j] }
  store y[j] = s
}
"""
ROWS = SUM.replace("output y: 40", "output y: 6x40").replace(
    "parallel j in 0..40 {", "parallel i in 0..6 { parallel j in 0..40 {"
)
ROWS = f"{ROWS}}}".replace("y[j]", "y[i, j]")
INTEGERS = SUM.replace("f32(0.0)", "f32(0)")
ELEMENT, STORE = "load x[k, j]", "store y[j] = s"
MORE = "store y[j] = (load y[j] + s)"
POSITIVE = "compare(s, f32(0.0), compare_type=FLOAT, comparison_direction=GT: i1)"
SINES = SUM.replace(ELEMENT, "sine(load x[k, j])")
INSIDE = f"where j >= 5 {{ {STORE} }} else {{ store y[j] = f32(1.0) }}"
COPIED = """for k3 in 0..20 { store t[k3, j] = load x[k3, j] }
  s = reduce(add, f32(0.0)) k in 0..20 { load t"""
TWO = "s, n = fold(f32(0.0), f32(1.0)) k in 0..20 { (s + load x[k, j]); (n + s) }"
SECOND = "u = reduce(add, {1}({0})) k2 in 0..20 {{ {2} }}\n  store y[j] = {3}"


def test_where_columns_run_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each condition alone: totals in registers, arrays of a strip in the frame, or the nest as it is."""
    monkeypatch.setattr(cost, "FOLDED", 64)
    monkeypatch.setattr(cost, "NEIGHBOURS", 16)
    halves = SECOND.format("0.0", "f32", "load x[k2, j]", "(s + u)")
    rows = [
        (SUM, "", "", "registers"),
        (SUM, "f32", "f64", "registers"),
        (INTEGERS, "f32", "i32", "registers"),
        (INTEGERS, "f32", "i8", "frame"),  # LLVM's vectors are of four kinds of elements
        (SUM, "f32", "bf16", "stays"),  # a total that is stored would be rounded
        (SUM, "40", "4", "registers"),
        (SUM, "40", "3", "stays"),
        (SUM, ELEMENT, "load x[k, 0]", "stays"),
        (SUM, ELEMENT, "(load x[k, 0] * load x[k, j])", "registers"),
        (SUM, ELEMENT, "load x[k, -j + 39]", "stays"),
        (SUM, "40xf32\ninput p", "160xf32\ninput p", "registers"),
        (SUM, ELEMENT, "load x[k, (2 * j) / 3]", "stays"),
        (SUM.replace("20x40", "20x160"), ELEMENT, "load x[k, 4 * j]", "registers"),
        (SUM.replace("20x40", "20x200"), ELEMENT, "load x[k, 5 * j]", "stays"),
        (SUM.replace("20x40", "70"), ELEMENT, "load x[k + j]", "stays"),  # neighbours along the sum, too
        (SUM.replace("20x40", "70").replace("20", "15"), ELEMENT, "load x[k + j]", "registers"),
        (SINES, "", "", "frame"),
        (SUM, ELEMENT, "(load x[k, j] if k >= 5 else f32(0.0))", "registers"),
        (SUM, ELEMENT, "(load x[k, j] if j + k >= 5 else f32(0.0))", "frame"),
        (SUM, ELEMENT, "(load x[k, j] + load x[clamp(load p[j], 19), 0])", "frame"),
        (SUM, ELEMENT, "(load x[k, j] + load x[clamp(load p[k], 19), 0])", "registers"),
        (SUM, STORE, halves, "registers"),
        (SUM, STORE, halves.replace("load x[k2, j]", "(s + load x[k2, j])"), "frame"),
        (
            SUM,
            STORE,
            SECOND.format("0.0", "f64", "convert(load x[k2, j]: f64)", "(s + convert(u: f32))"),
            "frame",
        ),
        (SUM, "s = reduce", "store t[0, j] = load x[1, j]\n  s = reduce", "registers"),
        (SUM, "s = reduce(add, f32(0.0)) k in 0..20 { load x", COPIED, "frame"),
        (SUM, "s = reduce(add, f32(0.0)) k in 0..20 { load x[k, j] }", TWO, "frame"),
        (SUM, STORE, f"for k2 in 0..5 {{ {STORE} }}", "registers"),
        (SINES, STORE, f"for k2 in 0..5 {{ {STORE} }}", "frame"),
        (SINES, STORE, f"{STORE}\n  for k2 in 2..5 of 9 {{ {MORE} }}", "frame"),
        (SINES, STORE, f"unrolled k2 in 0..5 {{ {STORE} }}", "stays"),
        (SINES, STORE, "let u = sine(s)\n  store y[j] = (u + s)", "frame"),
        (SUM, STORE, INSIDE, "stays"),
        (SUM, STORE, INSIDE.replace("where j >= 5", f"if {POSITIVE}"), "frame"),
        (
            SUM,
            STORE,
            INSIDE.replace("where j >= 5", f"if {POSITIVE}").replace(STORE, f"for k2 in 0..5 {{ {STORE} }}"),
            "stays",
        ),
        (ROWS, "", "", "registers"),
        (ROWS, ELEMENT, "(load x[k, j] * load x[i, j])", "registers"),
        (ROWS, ELEMENT, "(load x[k, j] if i >= 5 else f32(0.0))", "registers"),
        (ROWS, ELEMENT, "exponential(load x[k, j])", "frame"),
        (ROWS, "parallel j", "for j", "stays"),
    ]
    for text, old, new, wanted in rows:
        before = parse(text.replace(old, new) if old else text)
        if old:
            assert old in text, old
        assert not verify(before), new
        after = columns(before)
        assert not verify(after), new
        there = text_of(after)
        how = "stays" if after.body == before.body else "registers" if "vectorized" in there else "frame"
        assert how == wanted, (new, there)
        assert how == "stays" or not any(isinstance(each, Fold) for each in walk(after.body)), new
        rng = np.random.default_rng(8)
        given = [
            rng.integers(-3, 4, b.shape).astype(numpy_dtype(b.element)) for b in before.in_space("input")
        ]
        expected, found = (Interpreter().run(each, given) for each in (before, after))
        np.testing.assert_allclose(found[0].astype(float), expected[0].astype(float), rtol=1e-5, err_msg=new)
