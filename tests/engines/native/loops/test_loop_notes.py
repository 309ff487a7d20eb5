"""Notes on loops: the ops that a nest computes, with their lines, where loops are printed."""

from __future__ import annotations

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from tests.helpers.native import counted

TURNED = """func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.sine %x : tensor<8xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}"""
SUMS = """func.func @main(%x: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8x8xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.sine %x : tensor<8x8xf32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1]
    : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.add %0, %3 : tensor<8x8xf32>
  return %2, %4 : tensor<8xf32>, tensor<8x8xf32>
}"""


# Ops that stand for another op have their own names, and its line.
SPREAD = """func.func @main(%x: tensor<8xf32>, %y: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = chlo.broadcast_add %0, %y : (tensor<8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}"""


def notes_of(text: str) -> list[str]:
    """The notes on the loops of a program after the last stage."""
    lines = shlo.compile(shlo.parse(text), engine="native").explain("name").splitlines()
    return [line.strip().removeprefix("// ") for line in lines[1:] if line.strip().startswith("//")]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        # Another nest, which stores a result of the program, computes the operand.
        (TURNED, ["sine (line 2)", "reverse (line 3), negate (line 4)"]),
        (
            SUMS,
            [
                "sine (line 3)",
                "reduce (line 4)",
                "negate (line 6)",
                "broadcast_in_dim (line 7), add (line 8)",
            ],
        ),
        (SPREAD, ["negate (line 2), broadcast_in_dim (line 3), add (line 3)"]),
    ],
)
def test_ops_that_nests_compute(text: str, notes: list[str]) -> None:
    assert notes_of(text) == notes


def test_control_flow_has_the_notes_of_what_is_in_it_inside() -> None:
    """A branch of one nest, and a loop with a call of a step that has no loops."""
    shlo.custom_call("notes_test")(lambda x: (x,))
    body = """%b = stablehlo.sine %a : tensor<8xf32>
        %c = stablehlo.custom_call @notes_test(%b) : (tensor<8xf32>) -> tensor<8xf32>
        %d = stablehlo.add %c, %b : tensor<8xf32>"""
    text = f"""func.func @main(%p: tensor<i1>, %x: tensor<8xf32>, %n: tensor<i32>)
        -> (tensor<8xf32>, tensor<8xf32>) {{
      %q = "stablehlo.if"(%p) ({{
        %s = stablehlo.sine %x : tensor<8xf32>
        stablehlo.return %s : tensor<8xf32>
      }}, {{
        stablehlo.return %x : tensor<8xf32>
      }}) : (tensor<i1>) -> tensor<8xf32>
      {counted("%n", {"a": ("tensor<8xf32>", "%x", "%d")}, body)}
      return %q, %r#1 : tensor<8xf32>, tensor<8xf32>
    }}"""
    found = shlo.compile(shlo.parse(text), engine="native").explain("name")
    lines = list(map(str.strip, found.splitlines()))
    branch = lines.index("if load x0[] {")
    assert not lines[branch - 1].startswith("//") and lines[branch + 1] == "// if (line 3)"
    call = next(number for number, line in enumerate(lines) if line.startswith("call"))
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "@notes_test" in line)
    assert lines[call - 1] == f"// custom_call (line {line})"


@pytest.mark.parametrize(("count", "more"), [(3, ""), (7, ""), (8, ""), (9, ", ..."), (12, ", ...")])
def test_eight_ops_are_named(count: int, more: str) -> None:
    names = ["negate", "abs"] * count
    ops = [f"  %{k + 1} = stablehlo.{name} %{k} : tensor<8xf32>" for k, name in enumerate(names[:count])]
    body = "\n".join([*ops, f"  return %{count} : tensor<8xf32>"])
    text = f"func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {{\n{body}\n}}"
    named = [f"{name} (line {line})" for line, name in enumerate(names[: min(count, 8)], 2)]
    assert notes_of(text) == [", ".join(named) + more]
