"""The rule `simplify`: findings and fixes by the rewrite rules of passes."""

from __future__ import annotations

import stablehlo_py as shlo
from stablehlo_py.linter import simplify
from stablehlo_py.linter.fixes import fix
from stablehlo_py.linter.settings import Settings
from stablehlo_py.transforms.simplification import SIMPLIFICATIONS

PROGRAM = """\
func.func @main(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %zero = stablehlo.constant dense<0> : tensor<2x3xi32> // nothing
  %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %z = stablehlo.transpose %y, dims = [1, 0] : (tensor<3x2xi32>) -> tensor<2x3xi32> // back
  %w = stablehlo.add %z, %zero : tensor<2x3xi32>
  %v = stablehlo.multiply %w, %w : tensor<2x3xi32> // square
  return %v : tensor<2x3xi32>
}
"""
FIXED = """\
func.func @main(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %v = stablehlo.multiply %x, %x : tensor<2x3xi32> // square
  return %v : tensor<2x3xi32>
}
"""
SIMPLIFY = Settings(select=("simplify",))


def test_findings_name_the_rule() -> None:
    found = shlo.lint(shlo.parse(PROGRAM), select=["simplify"])
    assert [(d.line, d.column, d.message) for d in found] == [
        (4, 8, "%z of stablehlo.transpose is simpler: transpose-transpose"),
        (5, 8, "%w of stablehlo.add is simpler: add-zero"),
    ]
    assert found[1].notes[0] == "  stablehlo.add %x, 0  ->  %x"


def test_rules_make_fewer_ops() -> None:
    """Those that are exact, and leave no op where there was one, or one of two."""
    chosen = {row.name for row, _ in simplify._rules.__wrapped__()._rules}
    assert {"transpose-transpose", "add-zero"} <= chosen
    assert not chosen & {"broadcast-to-reshape", "pad-empty", "iota-to-broadcast"}
    assert not chosen & {rule.name for rule in SIMPLIFICATIONS if rule.inexact}


def test_fixes_keep_names_and_comments_of_the_rest() -> None:
    fixed = fix(PROGRAM, SIMPLIFY)
    assert (fixed.text, fixed.counts) == (FIXED, {"simplify": 3})
    assert fix(FIXED, SIMPLIFY).text == FIXED


def test_rules_that_are_not_exact_are_no_findings() -> None:
    floats = PROGRAM.replace("i32", "f32").replace("dense<0>", "dense<0.0>")
    assert [d.line for d in shlo.lint(shlo.parse(floats), select=["simplify"])] == [4]


def test_an_op_whose_operands_have_effects_keeps_them() -> None:
    text = """\
func.func @main() -> tensor<2xi32> {
  %c = stablehlo.custom_call @foo() {has_side_effect = true} : () -> tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %r = stablehlo.and %c, %zero : tensor<2xi32>
  return %r : tensor<2xi32>
}
"""
    assert "stablehlo.custom_call @foo" in fix(text, SIMPLIFY).text
    assert "stablehlo.and" not in fix(text, SIMPLIFY).text


def test_one_finding_for_each_op_with_the_first_rule_that_matches() -> None:
    """Zero and one are both neutral here: `0 + x`, where x is a product with one."""
    text = """\
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<2xi32>
  %p = stablehlo.multiply %x, %one : tensor<2xi32>
  %r = stablehlo.add %p, %zero : tensor<2xi32>
  return %r : tensor<2xi32>
}
"""
    found = shlo.lint(shlo.parse(text), select=["simplify"])
    assert [(d.line, d.message) for d in found] == [
        (4, "%p of stablehlo.multiply is simpler: multiply-one"),
        (5, "%r of stablehlo.add is simpler: add-zero"),
    ]
    fixed = fix(text, SIMPLIFY)
    assert [op.name for op in shlo.parse(fixed.text).functions["main"].walk()] == ["func.func", "func.return"]
    assert fixed.counts == {"simplify": 2}


def test_a_new_op_has_the_name_of_the_one_that_it_replaces() -> None:
    """Two transpositions of three dimensions, each by one place, are one by two places."""
    text = """\
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %y = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %z = stablehlo.transpose %y, dims = [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  return %z : tensor<4x2x3xf32>
}
"""
    assert (
        fix(text, SIMPLIFY).text
        == """\
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %z = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %z : tensor<4x2x3xf32>
}
"""
    )


def test_a_finding_has_the_rule_and_the_line_of_the_source() -> None:
    text = PROGRAM.replace("tensor<2x3xi32> // back", 'tensor<2x3xi32> loc("model.py":7:5)')
    (found, _) = shlo.lint(shlo.parse(text), select=["simplify"])
    assert len(found.notes) == 2
    assert "->" in found.notes[0]
    assert "model.py" in found.notes[1]
