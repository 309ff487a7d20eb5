"""Fixes: preserved text, remaining findings, and unchanged results of fixed programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.linter.fixes import fix
from stablehlo_py.linter.settings import Settings

ALL = Settings.of({"select": ["all"], "min-duplicate-bytes": 0})

PROGRAM = """// What this is.
func.func @main(%input: tensor<2xf32>) -> tensor<2xf32> {
  // The first sum.
  %left = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>  // weights
  %sum = stablehlo.add %input, %left : tensor<2xf32>
  %unused = stablehlo.tanh %sum : tensor<2xf32>  // nobody wants this
  // The second.
  %right = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>  // again
  %total = stablehlo.add %sum, %right : tensor<2xf32>
  return %total : tensor<2xf32>
}
"""
FIXED = """// What this is.
func.func @main(%input: tensor<2xf32>) -> tensor<2xf32> {
  // The first sum.
  %left = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> // weights
  %sum = stablehlo.add %input, %left : tensor<2xf32>
  // The second.
  %total = stablehlo.add %sum, %left : tensor<2xf32>
  return %total : tensor<2xf32>
}
"""


def canonical(text: str) -> str:
    return shlo.format(shlo.parse(text))


def test_names_and_comments_are_kept() -> None:
    done = fix(PROGRAM, ALL)
    assert done.counts == {"dead-op": 1, "duplicate-constant": 1}
    assert canonical(done.text) == canonical(FIXED)
    kept = [line.split("//")[1].strip() for line in done.text.splitlines() if "//" in line]
    assert kept == ["What this is.", "The first sum.", "weights", "The second."]
    assert "%total = stablehlo.add %sum, %left" in done.text


def test_what_is_silenced_or_not_selected_stays() -> None:
    text = PROGRAM.replace("// nobody wants this", "// shlo: ignore[dead-op]")
    assert "%unused" in fix(text, ALL).text
    assert fix(PROGRAM, Settings.of({"select": ["K"]})) == fix(PROGRAM, Settings.of({"select": ["N"]}))
    assert fix(PROGRAM, Settings.of({"select": ["N"]})).text == PROGRAM


def test_small_constants_stay_by_default() -> None:
    assert fix(PROGRAM, Settings()).counts == {"dead-op": 1}


def test_what_becomes_dead_goes_as_well() -> None:
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f(%x) : (tensor<f32>) -> tensor<f32>
  return %x : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @g(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
"""
    done = fix(text, Settings())
    assert done.counts == {"dead-op": 1, "dead-function": 2}
    assert list(shlo.parse(done.text).functions) == ["main"]


def test_comments_go_with_every_op_that_goes() -> None:
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {  // the function
  %0 = stablehlo.tanh %x : tensor<f32>  // for the sake of the next one
  // The last.
  %1 = "stablehlo.map"(%0) ({
  ^bb0(%a: tensor<f32>):
    // within
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>  // behind
  return %x : tensor<f32>  // the end
}
"""
    comments = [comment for _, comment in shlo.parse(fix(text, Settings()).text).comments]
    assert comments == ["// the function", "// The last.", "// the end"]


def test_an_op_that_a_silenced_one_uses_stays() -> None:
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.tanh %x : tensor<f32>
  %1 = stablehlo.negate %0 : tensor<f32>
  %2 = stablehlo.abs %0 : tensor<f32>  // shlo: ignore[dead-op]
  return %x : tensor<f32>
}
"""
    names = [op.name for op in shlo.parse(fix(text, Settings()).text).functions["main"].walk()]
    assert names == ["func.func", "stablehlo.tanh", "stablehlo.abs", "func.return"]


def test_old_spellings_are_counted_once() -> None:
    old = "tensor<?xf32, #stablehlo.type_extensions<bounds = [8]>>"
    text = f"""func.func @main(%x: {old}) -> {old} {{
  %0 = "stablehlo.reverse"(%x) {{dimensions = dense<0> : tensor<1xi64>}} : ({old}) -> {old}
  return %0 : {old}
}}
"""
    done = fix(text, Settings())
    assert done.counts == {"old-spelling": 6}
    assert "#stablehlo.bounds<8>" in done.text
    assert "type_extensions" not in done.text
    assert fix(done.text, Settings()).counts == {}


def test_a_region_that_goes_takes_its_uses_along() -> None:
    text = """func.func @main(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %k = stablehlo.tanh %x : tensor<f32>
  %r = "stablehlo.if"(%c) ({
    %0 = stablehlo.negate %k : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }, {
    stablehlo.return %k : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %x : tensor<f32>
}
"""
    done = fix(text, Settings())
    assert [op.name for op in shlo.parse(done.text).walk()] == ["builtin.module", "func.func", "func.return"]


@pytest.mark.parametrize("name", ["attention", "convolution", "indexing", "lstm"])
def test_a_fixed_program_computes_the_same(name: str, programs: Path) -> None:
    text = (programs / f"{name}.mlir").read_text()
    arrays = np.load(programs / f"{name}.npz")
    inputs = [arrays[f"in{n}"] for n in range(sum(key.startswith("in") for key in arrays))]
    done = fix(text, ALL, name)
    assert done.counts
    assert fix(done.text, ALL, name).counts == {}
    before, after = (shlo.run(shlo.parse(t), inputs) for t in (text, done.text))
    assert [array.tobytes() for array in before] == [array.tobytes() for array in after]


def test_a_program_that_is_not_valid_is_fixed_as_far_as_that_goes() -> None:
    """A slice beyond the end is an error before and after."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  %unused = stablehlo.tanh %x : tensor<2xf32>
  %r = stablehlo.slice %x [0:3] : (tensor<2xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""
    assert [d.severity for d in shlo.verify(shlo.parse(text))] == ["error"]
    done = fix(text, ALL)
    assert done.counts == {"dead-op": 1} and "tanh" not in done.text and "slice" in done.text


def test_what_a_dead_region_alone_uses_goes_with_it() -> None:
    """In one round: as many problems are fixed as were found."""
    text = """func.func @main(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %k = stablehlo.tanh %x : tensor<f32>
  %r = "stablehlo.if"(%c) ({
    %s = stablehlo.add %k, %k : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %x : tensor<f32>
}
"""
    settings = Settings.of({"select": ["dead-op"]})
    found = shlo.lint(shlo.parse(text), select=["dead-op"])
    done = fix(text, settings)
    assert done.counts == {"dead-op": len(found)}
    ops = [op.name for op in shlo.parse(done.text).functions["main"].entry_block.ops]
    assert ops == ["func.return"]


def test_ops_that_are_newer_than_the_package_are_kept_if_they_are_allowed() -> None:
    newer = '%n = "stablehlo.frobnicate"(%input) : (tensor<2xf32>) -> tensor<2xf32>'
    text = PROGRAM.replace("  return %total", f"  {newer}\n  return %n")
    with pytest.raises(shlo.ParseError, match="frobnicate"):
        fix(text, ALL)
    done = fix(text, Settings.of({"select": ["all"], "allow-newer": True}))
    assert "frobnicate" in done.text and "nobody wants this" not in done.text
