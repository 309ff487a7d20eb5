"""What rules report, as a whole: the place, the severity and the words, of one finding and of several."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.linter.catalogue import RULES
from stablehlo_py.linter.rule import Rule
from stablehlo_py.linter.settings import Settings
from stablehlo_py.linter.suppressions import with_ignore

# Of the bad example of each rule; read beside it.
FINDINGS = json.loads(Path(__file__).with_name("findings.json").read_text())


def lines(text: str, **options: object) -> list[str]:
    found = shlo.lint(shlo.parse(text, allow_unregistered=True), **options)  # type: ignore[arg-type]
    return [
        f"{d.code.removeprefix('lint.')} {d.line}:{d.column} {d.severity}: "
        + "\n".join([d.message, *d.notes])
        for d in found
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_findings(rule: Rule) -> None:
    # A suppression is unused only where the rule that it names is looked for.
    select = ["all"] if rule.code[0] == "S" else [rule.name]
    found = lines(rule.bad, select=select, settings=dict(rule.example_settings))
    assert [each for each in found if each.startswith(f"{rule.name} ")] == [
        f"{rule.name} {FINDINGS[rule.name]}"
    ]


def test_the_place_in_python_follows_the_notes_of_a_rule() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
      %1 = stablehlo.convert %0 : (tensor<4xbf16>) -> tensor<4xf32> loc("m.py":3:4)
      return %1 : tensor<4xf32>
    }"""
    (found,) = shlo.lint(shlo.parse(text), select=["lossy-convert"])
    assert found.notes == (
        "use stablehlo.reduce_precision if the rounding is intended",
        "from m.py:3:4",
    )


SEVERAL = """func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "t.op"(%e) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.tanh %0 : tensor<4xf32>
  %2 = "t.op"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.tanh %0 : tensor<4xf32>
  %4 = stablehlo.tanh %0 : tensor<4xf32>
  %5 = chlo.square %3 : tensor<4xf32> -> tensor<4xf32>
  %6 = chlo.square %5 : tensor<4xf32> -> tensor<4xf32>
  %7 = stablehlo.custom_call @a(%6) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = stablehlo.custom_call @a(%7) : (tensor<4xf32>) -> tensor<4xf32>
  %9 = stablehlo.divide %8, %2 : tensor<4xf32>
  %10 = stablehlo.log %9 : tensor<4xf32>
  %11 = stablehlo.rsqrt %10 : tensor<4xf32>
  return %11 : tensor<4xf32>
}
"""


def test_several_findings() -> None:
    """Each op is reported once, in the order of the program; ops of one name at the first of them."""
    assert lines(SEVERAL, select=["all"]) == [
        "dynamic-dimension 1:17 warning: %x : tensor<?xf32> has a dynamic dimension",
        "unbounded-dimension 1:17 warning: %x : tensor<?xf32> has an unbounded dimension",
        "unused-argument 1:17 warning: argument %x of @main is unused",
        "dynamic-dimension 1:36 warning: %y : tensor<?xf32> has a dynamic dimension",
        "unbounded-dimension 1:36 warning: %y : tensor<?xf32> has an unbounded dimension",
        "unused-argument 1:36 warning: argument %y of @main is unused",
        "foreign-dialect 2:8 warning: t.op is an op of dialect t (2 in total)",
        "missing-location 2:8 warning: 13 of 13 ops have no location",
        "dead-op 3:8 warning: %1 of stablehlo.tanh is unused",
        "duplicate-expression 5:8 warning: %3 duplicates %1 of line 3",
        "dead-op 6:8 warning: %4 of stablehlo.tanh is unused",
        "duplicate-expression 6:8 warning: %4 duplicates %1 of line 3",
        "chlo-op 7:8 warning: chlo.square is not a StableHLO op (2 in total)",
        "custom-call-target 9:8 warning: custom_call target @a is not portable",
        "custom-call-target 10:8 warning: custom_call target @a is not portable",
        "unguarded-division 11:8 warning: the divisor %2 may be zero",
        "unguarded-log 12:9 warning: the operand %9 of log may be zero or negative",
        "unguarded-rsqrt 13:9 warning: the operand %10 of rsqrt may be zero or negative",
    ]


# As docs and `shlo lint --help` state them.
DEFAULTS = {
    "select": ("default",),
    "ignore": (),
    "severity": (),
    "per_file_ignores": (),
    "target": None,
    "strict": False,
    "allow_newer": False,
    "max_constant_bytes": 1048576,
    "max_replicated_bytes": 67108864,
    "min_duplicate_bytes": 1024,
    "min_reduction_elements": 64,
    "allowed_custom_calls": (),
    "allowed_dialects": (
        "check", "interpreter", "sdy", "arith", "cf", "math", "ml_program", "shape", "tensor",
    ),
}  # fmt: skip


def test_defaults() -> None:
    assert {name: getattr(Settings(), name) for name in DEFAULTS} == DEFAULTS
    assert {name for name, _, _ in Settings.rows()} == {name.replace("_", "-") for name in DEFAULTS}


# What is right in most programs, or a matter of taste.
OFF = (
    "unused-argument", "duplicate-expression", "nondeterministic-op", "unguarded-division", "unguarded-log",
    "unguarded-rsqrt", "chlo-op", "composite-op", "dynamic-dimension", "unbounded-dimension",
    "missing-location", "simplify", "wide-integer",
)  # fmt: skip


def test_rules_that_are_off_by_default() -> None:
    assert {rule.name for rule in RULES if not rule.default} == set(OFF)


@pytest.mark.parametrize(
    ("type", "is_found"),
    [
        ("tensor<4x?xf32>", True),
        ("tensor<4x?xf32, #stablehlo.bounds<?, 8>>", False),
        ("tensor<?x?xf32, #stablehlo.bounds<?, 8>>", True),
        ("tensor<4x2xf32>", False),
        ("tensor<*xf32>", True),
    ],
)
def test_dimensions_without_a_bound(type: str, is_found: bool) -> None:
    text = f"func.func @main(%x: {type}) -> {type} {{\n  return %x : {type}\n}}"
    assert bool(lines(text, select=["unbounded-dimension"])) == is_found


@pytest.mark.parametrize(("size", "is_found"), [(1023, False), (1024, True)])
def test_the_default_of_duplicate_constants(size: int, is_found: bool) -> None:
    constant = f'stablehlo.constant dense<"0x{"01" * (size - 1)}02"> : tensor<{size}xi8>'
    type = f"tensor<{size}xi8>"
    text = f"func.func @main() -> ({type}, {type}) {{\n%a = {constant}\n%b = {constant}\n"
    text += f"return %a, %b : {type}, {type}\n}}"
    assert bool(lines(text, select=["duplicate-constant"])) == is_found


@pytest.mark.parametrize(
    ("line", "rules", "expected"),
    [
        ("  %0 = a.b : i1", ["x"], "  %0 = a.b : i1  // shlo: ignore[x]"),
        ("  %0 = a.b : i1  ", ["y", "x"], "  %0 = a.b : i1  // shlo: ignore[x, y]"),
        ("  %0 = a.b\r", ["x"], "  %0 = a.b  // shlo: ignore[x]\r"),
        ("  f() -> i1", ["x"], "  f() -> i1  // shlo: ignore[x]"),
        ("  %0 = a.b // why", ["x"], "  // shlo: ignore[x]\n  %0 = a.b // why"),
        ("  %0 = a.b(", ["x"], "  // shlo: ignore[x]\n  %0 = a.b("),
        ("  )", ["x"], "  // shlo: ignore[x]\n  )"),
        ("a  // shlo: ignore[b]", ["c", "a"], "a  // shlo: ignore[b, a, c]"),
        ("a  // shlo: ignore[b, a]", ["a"], "a  // shlo: ignore[b, a]"),
    ],
)
def test_comments_that_suppress(line: str, rules: list[str], expected: str) -> None:
    assert with_ignore(line, rules) == expected
