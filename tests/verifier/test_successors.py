"""Successors of terminators, the blocks that they name, and regions that end with one op only."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

BRANCHES = [
    ("cf.br ^bb1(%a : f32)\n^bb1(%x: f64):", "expected type f64 for argument of ^bb1 0, got f32"),
    ("cf.br ^bb1\n^bb1(%x: f32):", "expected 1 argument of ^bb1, got 0"),
    ("cf.cond_br %c, ^bb1(%a : f32), ^bb1\n^bb1(%x: f32):", "expected 1 argument of ^bb1, got 0"),
    ('"cf.br"()[^bb1, ^bb1] : () -> ()\n^bb1:', "cf.br: expected 1 successor (dest), got 2"),
    ('"cf.br"() : () -> ()\n^bb1:', "cf.br: expected 1 successor (dest), got 0"),
    ('"func.return"()[^bb1] : () -> ()\n^bb1:', "func.return: expected 0 successors, got 1"),
    ('%0 = "arith.negf"(%a)[^bb1] : (f32) -> f32\n^bb1:', "arith.negf: expected 0 successors, got 1"),
    ("cf.br ^bb1\n^bb1:\ncf.br ^bb1\n", "terminator cf.br is not the last operation of its block"),
    (
        '"cf.switch"(%j)[^bb1, ^bb1] <{case_operand_segments = array<i32>, '
        "operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()\n^bb1:",
        "cf.switch: expected operands of 2 successors, got those of 1",
    ),
    (
        "cf.cond_br %c, ^bb1, ^bb2\n^bb1:\n%0 = arith.negf %a : f32\ncf.br ^bb2\n^bb2:\n"
        "%1 = arith.negf %0 : f32",
        "arith.negf uses %0, which is not defined at this point",
    ),
]
REGIONS = [
    ("scf.yield", "scf.yield must be in a region of scf.execute_region or scf.for or scf.if"),
    ("scf.if %c {\nscf.condition(%c)\n}", "scf.condition must be in a region of scf.while, not of scf.if"),
    ("scf.if %c {\nstablehlo.return\n}", "region thenRegion must end with scf.yield, not stablehlo.return"),
    (
        "scf.while : () -> () {\nscf.yield\n} do {\nscf.yield\n}",
        "region before must end with scf.condition, not scf.yield",
    ),
    ('"scf.if"(%c) ({\n}, {\n}) : (i1) -> ()', "expected one block in region thenRegion, got 0"),
    ('"scf.if"(%c) ({\nscf.yield\n}) : (i1) -> ()', "scf.if: expected 2 regions, got 1"),
    (
        '"scf.if"(%c) ({\nscf.yield\n}, {\ncf.br ^bb1\n^bb1:\nscf.yield\n}) : (i1) -> ()',
        "expected one block in region elseRegion, got 2",
    ),
]


def errors(body: str) -> list[str]:
    text = f"func.func @f(%a: f32, %c: i1, %j: i32) {{\n{body}\nreturn\n}}"
    return [each.message for each in shlo.verify(shlo.parse(text)) if each.severity == "error"]


@pytest.mark.parametrize(("body", "message"), [*BRANCHES, *REGIONS])
def test_one_fault(body: str, message: str) -> None:
    found = errors(body)
    assert any(message in each for each in found), found


@pytest.mark.parametrize(
    "body",
    [
        "cf.cond_br %c, ^bb1(%a : f32), ^bb2\n^bb1(%x: f32):\nreturn\n^bb2:",
        "cf.br ^bb2\n^bb1:\n%1 = arith.negf %0 : f32\nreturn\n^bb2:\n%0 = arith.negf %a : f32\ncf.br ^bb1\n"
        "^bb3:",
        "cf.switch %j : i32, [default: ^bb1(%a : f32), 1: ^bb2, 2: ^bb1(%a : f32)]\n^bb1(%x: f32):\nreturn\n"
        "^bb2:",
        'scf.if %c {\n}\n"scf.if"(%c) ({\nscf.yield\n}, {\n}) : (i1) -> ()',
    ],
)
def test_valid(body: str) -> None:
    assert errors(body) == []


@pytest.mark.parametrize(
    ("blocks", "line"), [("^bb0:\ncf.br ^bb0", 3), ("^bb0:\nreturn\n^bb1:\ncf.br ^bb0", 5)]
)
def test_no_op_continues_with_the_entry_block(blocks: str, line: int) -> None:
    found = shlo.verify(shlo.parse(f"func.func @f() {{\n{blocks}\n}}"))
    assert [(each.line, each.message) for each in found if each.severity == "error"] == [
        (line, "cf.br: its successor is the entry block of the region, which has no predecessors")
    ]


RETURN_BEFORE = """func.func @g(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  stablehlo.return %0 : tensor<f32>
}"""
YIELD_BEFORE = """func.func @g(%p: tensor<i1>, %x: tensor<f32>) {
  %c = tensor.extract %p[] : tensor<i1>
  %0 = scf.if %c -> tensor<f32> {
    scf.yield %x : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  %1 = "stablehlo.if"(%p) ({
    scf.yield %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RETURN_BEFORE, [(7, "warning", "stablehlo.return ends a function; use func.return (spec-only)")]),
        (
            YIELD_BEFORE,
            [
                (
                    9,
                    "error",
                    "scf.yield must be in a region of scf.execute_region or scf.for or scf.if or "
                    "scf.index_switch or scf.while, not of stablehlo.if",
                )
            ],
        ),
    ],
    ids=["return", "yield"],
)
def test_a_terminator_that_is_valid_elsewhere(text: str, expected: list[tuple[int, str, str]]) -> None:
    """What ends a block is checked in each op that it stands in, also if it looks like one before."""
    assert [(d.line, d.severity, d.message) for d in shlo.verify(shlo.parse(text))] == expected


LOOP = """func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %r = "scf.while"(%a) ({
  ^bb0(%x: tensor<f32>):
    %p = arith.constant true
    "BEFORE"(%p, %x) : (i1, tensor<f32>) -> ()
  }, {
  ^bb0(%y: tensor<f32>):
    %q = arith.constant true
    "AFTER"(%q, %y) : (i1, tensor<f32>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("scf.yield", "scf.yield", "region before must end with scf.condition, not scf.yield"),
        ("scf.condition", "scf.condition", "region after must end with scf.yield, not scf.condition"),
    ],
)
def test_each_region_of_a_loop_has_its_own_end(before: str, after: str, expected: str) -> None:
    module = shlo.parse(LOOP.replace("BEFORE", before).replace("AFTER", after))
    assert f"scf.while: {expected}" in [d.message for d in shlo.verify(module)]


MANUAL = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%a)
      in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
    END %b : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
NAMED = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.named_computation<"n">(%a) (%b: tensor<4xf32>) {
    END %b : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""


@pytest.mark.parametrize(("text", "name"), [(MANUAL, "manual"), (NAMED, "named")])
def test_what_ends_the_body_of_a_computation(text: str, name: str) -> None:
    """C++: `expects regions to end with 'sdy.return', found 'stablehlo.return'`."""
    assert shlo.verify(shlo.parse(text.replace("END", "sdy.return"))) == []
    found = shlo.verify(shlo.parse(text.replace("END", "stablehlo.return")))
    why = "region body must end with sdy.return, not stablehlo.return"
    assert [each.message for each in found] == [f"sdy.{name}_computation: {why}"]
