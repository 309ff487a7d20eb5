"""Comparison of programs: differences, and equivalent spellings."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare_programs import ProgramDifference, compare_programs

PROGRAM = """\
module @net {
  func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %sum = stablehlo.add %x, %y : tensor<2xf32>
    %twice = stablehlo.add %sum, %sum : tensor<2xf32>
    %root = call @root(%twice) : (tensor<2xf32>) -> tensor<2xf32>
    return %root : tensor<2xf32>
  }
  func.func private @root(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.sqrt %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


def compare(second: str, first: str = PROGRAM) -> list[ProgramDifference]:
    return compare_programs(shlo.parse(first), shlo.parse(second))


@pytest.mark.parametrize(
    "old, new",
    [
        ("%sum", "%0"),
        ("// nothing", "// something"),
        (
            "stablehlo.sqrt %x :",
            "stablehlo.sqrt %x {result_accuracy = #stablehlo.result_accuracy<"
            "mode = #stablehlo.result_accuracy_mode<DEFAULT>>} :",
        ),
        ("return %0 : tensor<2xf32>", 'return %0 : tensor<2xf32> loc("here")'),
    ],
)
def test_what_makes_no_difference(old: str, new: str) -> None:
    assert compare(PROGRAM.replace(old, new)) == []


def test_generic_form_makes_no_difference() -> None:
    assert compare(shlo.format(shlo.parse(PROGRAM), generic=True)) == []


def test_another_op_in_the_same_place() -> None:
    (found,) = compare(PROGRAM.replace("stablehlo.sqrt", "stablehlo.cbrt"))
    assert found == ProgramDifference(
        "changed",
        "root",
        "%0 = stablehlo.sqrt %x : tensor<2xf32>",
        "%0 = stablehlo.cbrt %x : tensor<2xf32>",
        9,
        9,
        ("op: from stablehlo.sqrt to stablehlo.cbrt",),
    )


def test_an_op_removed_shows_where_its_value_was_used() -> None:
    second = PROGRAM.replace("    %twice = stablehlo.add %sum, %sum : tensor<2xf32>\n", "")
    removed, changed = compare(second.replace("@root(%twice)", "@root(%sum)"))
    assert (removed.kind, removed.line_before, removed.line_after) == ("removed", 4, 0)
    assert removed.before == "%twice = stablehlo.add %sum, %sum : tensor<2xf32>"
    assert (changed.kind, changed.line_before, changed.line_after) == ("changed", 5, 4)
    assert changed.details == ("operand 0: from %twice to %sum (a different value)",)


def test_operands_that_change_places() -> None:
    (found,) = compare(PROGRAM.replace("add %x, %y", "add %y, %x"))
    assert found.details == (
        "operand 0: from %x to %y (a different value)",
        "operand 1: from %y to %x (a different value)",
    )


def test_functions_and_attributes() -> None:
    found = compare(
        PROGRAM.replace("@root", "@other").replace(
            "@net {", "@net attributes {mhlo.num_replicas = 2 : i32} {"
        )
    )
    assert [(d.kind, d.function) for d in found] == [
        ("changed", ""),
        ("changed", "main"),
        ("removed", "root"),
        ("added", "other"),
    ]
    assert found[0].details == ("mhlo.num_replicas: from absent to 2 : i32",)
    assert found[1].details == ("callee: from @root to @other",)


def test_types_are_told() -> None:
    (function, negate, end) = compare(
        "func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %0 = stablehlo.negate %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n",
        "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.negate %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n",
    )
    assert function.details == (
        "function_type: from (tensor<2xf32>) -> tensor<2xf32> to (tensor<3xf32>) -> tensor<3xf32>",
    )
    assert negate.details == (
        "type of operand 0: from tensor<2xf32> to tensor<3xf32>",
        "type of result 0: from tensor<2xf32> to tensor<3xf32>",
    )
    assert end.details == ("type of operand 0: from tensor<2xf32> to tensor<3xf32>",)


def test_regions_are_compared_with_what_they_capture() -> None:
    program = """\
func.func @f(%p: tensor<i1>, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %y : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
    assert compare(program, program) == []
    (found,) = compare(program.replace("return %y", "return %x"), program)
    assert (found.line_before, found.details) == (5, ("operand 0: from %y to %x (a different value)",))


def test_resources_are_compared_by_their_bytes() -> None:
    program = """\
func.func @f() {
  %0 = stablehlo.constant dense_resource<w> : tensor<2xi8>
  return
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x010000000102"
    }
  }
#-}
"""
    assert compare(program, program) == []
    (found,) = compare(program.replace("0102", "0103"), program)
    assert found.details == (
        "value: from dense_resource<w> : tensor<2xi8> to dense_resource<w> : tensor<2xi8>",
    )
