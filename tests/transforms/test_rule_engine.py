"""The engine of rewrite rules: what patterns match, and what replacements create."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.notation.terms import NotationError
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.rules.rule import Rule


def rewritten(rules: list[Rule], body: str, inputs: str = "%x: tensor<2x3xf32>") -> list[str]:
    """The lines of a function's body after applying rules, with types and names of the printer."""
    ops = body.strip()
    text = f"func.func @main({inputs}) {{\n{ops}\n  return\n}}"
    module = shlo.parse(text)
    apply_rules(module, module.op, rules, erase_dead=False, share=False)
    assert not shlo.verify(module)
    return [line.strip() for line in str(module).split("\n")[2:-4]]


TRANSPOSED = """
  %y = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %z = stablehlo.transpose %y, dims = [2, 1, 0] : (tensor<3x4x2xf32>) -> tensor<2x4x3xf32>
"""
TRANSPOSE = Rule(
    "transpose-transpose",
    """
    %y = stablehlo.transpose %x, permutation = p
    stablehlo.transpose %y, permutation = q
    """,
    "stablehlo.transpose %x, permutation = [p[i] for i in q]",
    condition="rank(x) > 1",
)


def test_ops_attributes_and_formulas() -> None:
    found = rewritten([TRANSPOSE], TRANSPOSED, "%x: tensor<2x3x4xf32>")
    assert (
        found[1]
        == "%1 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>"
    )


def test_a_condition_that_is_false_or_unknown_keeps_the_op() -> None:
    for condition in ("rank(x) > 3", "dim(x, 7) = 1"):
        rule = Rule("never", TRANSPOSE.pattern, TRANSPOSE.replacement, condition)
        assert "%0" in rewritten([rule], TRANSPOSED, "%x: tensor<2x3x4xf32>")[1]


def test_a_name_stands_for_the_same_value() -> None:
    rule = Rule("same", "stablehlo.subtract %a, %a", "stablehlo.constant 0")
    body = """
      %0 = stablehlo.subtract %x, %x : tensor<2x3xf32>
      %1 = stablehlo.subtract %0, %x : tensor<2x3xf32>
    """
    found = rewritten([rule], body)
    assert found[0] == "%cst = stablehlo.constant dense<0.000000e+00> : tensor<2x3xf32>"
    assert found[1] == "%0 = stablehlo.subtract %cst, %arg0 : tensor<2x3xf32>"


@pytest.mark.parametrize(
    ("number", "constant", "matches"),
    [
        ("0", "dense<0.0> : tensor<2xf32>", True),
        ("0", "dense<-0.0> : tensor<2xf32>", True),
        ("0", "dense<[0.0, 1.0]> : tensor<2xf32>", False),
        ("1", "dense<[1, 1]> : tensor<2xi8>", True),
        ("1", "dense<(1.0, 0.0)> : tensor<2xcomplex<f32>>", False),
        ("-1", "dense<255> : tensor<2xui8>", True),
        ("-1", "dense<-1> : tensor<2xi8>", True),
        ("-1", "dense<true> : tensor<2xi1>", True),
        ("0", "dense<false> : tensor<2xi1>", True),
        ("1", "dense<false> : tensor<2xi1>", False),
        ("0", "dense<> : tensor<0xf32>", False),
    ],
)
def test_numbers_match_constants(number: str, constant: str, matches: bool) -> None:
    type = constant.partition(" : ")[2]
    rule = Rule("found", f"stablehlo.maximum %a, {number}", "%a")
    body = f"%c = stablehlo.constant {constant}\n%r = stablehlo.maximum %x, %c : {type}"
    found = rewritten([rule], body, f"%x: {type}")
    assert ("stablehlo.maximum" not in " ".join(found)) is matches


def test_several_results_and_variadic_operands() -> None:
    body = """
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %0:2 = stablehlo.reduce(%x init: %c), (%x init: %c) across dimensions = [] :
        (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
        reducer(%a: tensor<f32>, %b: tensor<f32>) (%d: tensor<f32>, %e: tensor<f32>) {
        stablehlo.return %a, %d : tensor<f32>, tensor<f32>
      }
      %1 = stablehlo.add %0#0, %0#1 : tensor<2x3xf32>
    """
    rule = Rule("no-dims", "%r... = stablehlo.reduce %xs..., %inits..., dimensions = []", "%xs...")
    assert rewritten([rule], body)[-1] == "%0 = stablehlo.add %arg0, %arg0 : tensor<2x3xf32>"


def test_like_takes_the_other_attributes_and_types_are_stated_or_inferred() -> None:
    rule = Rule(
        "swap",
        "stablehlo.compare %a, %b, comparison_direction = LT",
        """
        %c = stablehlo.convert %a : tensor(shape(a), f64)
        %d = stablehlo.convert %b : c
        stablehlo.compare %d, %c, comparison_direction = GT like %r
        """,
        condition="element_type(a) = f32",
    )
    body = """%0 = stablehlo.compare LT, %x, %x, FLOAT {mhlo.note = "n"} :
      (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>"""
    assert rewritten([rule], body)[-1] == (
        '%2 = stablehlo.compare GT, %1, %0, FLOAT {mhlo.note = "n"} : '
        "(tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xi1>"
    )


@pytest.mark.parametrize(
    ("pattern", "replacement", "condition", "message"),
    [
        ("stablehlo.ad %x, %y", "%x", "", "unknown op stablehlo.ad"),
        ("stablehlo.add %x, %y", "%z", "", "undefined name z"),
        ("stablehlo.add %x, %y", "%x", "rank(x)", "must be of sort Bool"),
        ("stablehlo.transpose %x, dims = p", "%x", "", "has no attribute dims"),
        ("stablehlo.add %x, %y, ??", "%x", "", "neither an operand nor an attribute"),
    ],
)
def test_malformed_rules(pattern: str, replacement: str, condition: str, message: str) -> None:
    body = """
      %0 = stablehlo.add %x, %x : tensor<2x3xf32>
      %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    """
    with pytest.raises(NotationError, match=message):
        rewritten([Rule("some-rule", pattern, replacement, condition)], body)


def test_rules_that_undo_each_other_are_reported() -> None:
    rules = [
        Rule("there", "stablehlo.add %x, %y", "stablehlo.multiply %x, %y"),
        Rule("back", "stablehlo.multiply %x, %y", "stablehlo.add %x, %y"),
    ]
    with pytest.raises(shlo.InternalError, match="do not reach a fixed point"):
        rewritten(rules, "%0 = stablehlo.add %x, %x : tensor<2x3xf32>")
