"""Spellings of the specification's EBNF that upstream's parser rejects."""

from __future__ import annotations

import subprocess
import sys

import pytest

import stablehlo_py as shlo
from stablehlo_py.syntax.parser import parse_type

ADD = """func.func @f(%a: tensor<2x{0}>) -> tensor<2x{0}> {{
  %0 = stablehlo.add %a, %a : tensor<2x{0}>
  return %0 : tensor<2x{0}>
}}"""
CONSTANT = "func.func @f() {{\n  %0 = stablehlo.constant {0}\n  return\n}}"
ATTRIBUTE = "func.func private @f() attributes {{a = {0}}}"
# A program, a spelling of the EBNF, the same as upstream spells it, and the number of places that it is in.
SPELLINGS = [
    (ADD, "si4", "i4", 4),
    (ADD, "si32", "i32", 4),
    (ADD, "si64", "i64", 4),
    (ADD.replace("{0}", "!quant.uniform<{0}:f32, 1.0>"), "si8", "i8", 4),
    ("func.func @f(%a: {0}) -> {0} {{ return %a : {0} }}", "token", "!stablehlo.token", 3),
    ("func.func private @f(!quant.uniform<i8:f32, {0}>)", "2", "2.0", 1),
    (CONSTANT, "dense<1> : tensor<f32>", "dense<1.0> : tensor<f32>", 1),
    (CONSTANT, "dense<[1, -2, 3.0]> : tensor<3xf32>", "dense<[1.0, -2.0, 3.0]> : tensor<3xf32>", 2),
    (CONSTANT, "dense<1e2> : tensor<f64>", "dense<1.0e2> : tensor<f64>", 1),
    (CONSTANT, "dense<(1, +0.5)> : tensor<complex<f32>>", "dense<(1.0, 0.5)> : tensor<complex<f32>>", 2),
    (CONSTANT, "dense<[+1, 2]> : tensor<2xi32>", "dense<[1, 2]> : tensor<2xi32>", 1),
    (ATTRIBUTE, "+1", "1", 1),
    (ATTRIBUTE, "+1 : i8", "1 : i8", 1),
    (ATTRIBUTE, "+1.5", "1.5", 1),
    (ATTRIBUTE, "1 : f32", "1.0 : f32", 1),
    (ATTRIBUTE, "-2e+3 : f32", "-2.0e+3 : f32", 1),
    (ATTRIBUTE, "[+1, +0x2]", "[1, 2]", 1),
    (ATTRIBUTE, "array<i32: +1, 2>", "array<i32: 1, 2>", 1),
    (ATTRIBUTE, "array<f32: 1>", "array<f32: 1.0>", 1),
    (ATTRIBUTE, "(1.0, 0.0) : complex<f32>", "dense<(1.0, 0.0)> : tensor<complex<f32>>", 1),
]
ORACLE = """
import sys
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir
with make_ir_context():
    for text in sys.stdin.read().split("// ---"):
        try:
            ir.Module.parse(text)
            print("accepts")
        except Exception:
            print("refuses")
"""


def codes_of_errors(module: shlo.Module) -> list[str]:
    return [d.code for d in shlo.verify(module) if d.severity == "error"]


@pytest.mark.parametrize(("program", "spelling", "upstream", "count"), SPELLINGS)
def test_spelling_is_an_error_and_printed_as_upstream_does(
    program: str, spelling: str, upstream: str, count: int
) -> None:
    module = shlo.parse(program.format(spelling))
    assert codes_of_errors(module) == ["spelling"] * count
    theirs = shlo.parse(program.format(upstream))
    assert codes_of_errors(theirs) == []
    assert shlo.format(module) == shlo.format(theirs)
    assert (
        len(codes_of_errors(shlo.parse(program.format(spelling)))) == count
    )  # nothing is remembered as valid


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        (CONSTANT.format("dense<[1.0, +2]> : tensor<2xf32>"), (2, 39), "upstream spells +2 as 2.0"),
        (ADD.format("si8"), (1, 27), "upstream spells si8 as i8"),
        (
            ATTRIBUTE.format("( 1, 2.0) : complex<f32>"),
            (1, 40),
            "upstream spells (1, 2.0) : complex<f32> as dense<(1, 2.0)> : tensor<complex<f32>>",
        ),
    ],
)
def test_error_says_where_and_how_upstream_spells_it(
    text: str, position: tuple[int, int], message: str
) -> None:
    first = shlo.verify(shlo.parse(text))[0]
    assert ((first.line, first.column), first.message) == (position, message)


@pytest.mark.parametrize(
    "text",
    [
        "func.func private @f(tensor<2xsi32>)",  # signed integers are valid outside the ops of StableHLO
        ATTRIBUTE.format("[1 : si8, tensor<si4>]"),
        "func.func private @f(tensor<!quant.uniform<si8:f32, 1.0>>)",
        "func.func private @f(tensor<!quant.uniform<si8<-3:5>:f32:0, {1.0, 2.0}>>)",
    ],
)
def test_signed_integers_of_other_dialects_stay(text: str) -> None:
    module = shlo.parse(text)
    assert codes_of_errors(module) == []
    assert "si" in shlo.format(module)


@pytest.mark.parametrize(
    ("line", "is_ours"),
    [
        ('"stablehlo.custom_call"(%a) {call_target_name = "f"} : (tensor<SI>) -> ()', True),
        ('%0 = "stablehlo.custom_call"() {call_target_name = "f"} : () -> tensor<SI>', True),
        ('%0:2 = "chlo.top_k"(%a) {k = 1 : i64} : (tensor<SI>) -> (tensor<SI>, tensor<SI>)', True),
        ('%0 = "x.y"(%a) : (tensor<SI>) -> tensor<SI>', False),
    ],
)
@pytest.mark.parametrize("element", ["si32", "!quant.uniform<si8:f32, 1.0>"])
def test_an_op_of_stablehlo_with_signed_integers_makes_all_signless(
    line: str, is_ours: bool, element: str
) -> None:
    text = f"func.func @f(%a: tensor<SI>) {{\n  {line}\n  return\n}}".replace("SI", element)
    assert ("<si" in shlo.format(shlo.parse(text, allow_unregistered=True))) is not is_ours


def test_program_decides_what_si32_is() -> None:
    shlo.parse(ADD.format("si32"))
    assert str(parse_type("tensor<2xsi32>")) == "tensor<2xsi32>"


def test_spelling_is_reported_beside_errors_of_the_parser() -> None:
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse("func.func @f() {\n  %0 = stablehlo.constant dense<1> : tensor<f32>\n  return %1 : i1\n}")
    assert [(d.line, d.code) for d in caught.value.diagnostics] == [(2, "spelling"), (3, "ssa")]


def test_misspellings_are_bounded() -> None:
    text = CONSTANT.format(f"dense<[{', '.join(['1'] * 5000)}]> : tensor<5000xf32>")
    assert len(shlo.verify(shlo.parse(text))) == len(shlo.verify(shlo.parse(text))) == 100


@pytest.mark.oracle
def test_upstream_refuses_the_one_and_accepts_the_other() -> None:
    pytest.importorskip("jaxlib", reason="the extra `oracle` is not installed")
    known = [row for row in SPELLINGS if "!quant" not in row[0]]  # jaxlib does not have the dialect
    programs = [program.format(text) for program, *texts, _ in known for text in texts]
    done = subprocess.run(
        [sys.executable, "-c", ORACLE],
        input="// ---".join(programs),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert done.stdout.split() == ["refuses", "accepts"] * len(known)
