"""The engine of rewrite rules: what patterns match, and what replacements create."""

from __future__ import annotations

import re

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import DenseArrayAttr
from stablehlo_py.ir.types import I32
from stablehlo_py.notation.terms import NotationError
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.rules.pattern import parse_pattern
from stablehlo_py.transforms.rules.rule import Rule
from stablehlo_py.transforms.rules.rule_set import CompiledRule, RuleSet


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
        ("stablehlo.add %x, %y", "%x\n%y", "", "all lines of a replacement but the last are ops: %x\n%y"),
        ("stablehlo.add %x, %y", "stablehlo.abs %x, dims = [0]", "", "stablehlo.abs has no attribute dims"),
        (
            "stablehlo.add %x, %y",
            "stablehlo.constant %x",
            "",
            "the operand of a constant in a replacement is a number",
        ),
        (
            "stablehlo.add %x, %y",
            "stablehlo.abs 0",
            "",
            "the operands of stablehlo.abs in a replacement are names that are bound",
        ),
        (
            "stablehlo.add %x, %y",
            "stablehlo.abs %z",
            "",
            "the operands of stablehlo.abs in a replacement are names that are bound",
        ),
        ("stablehlo.add %x, %y", "stablehlo.abs %x : rank(x)", "", "rank(x) must be of sort Type, not Int"),
    ],
)
def test_malformed_rules(pattern: str, replacement: str, condition: str, message: str) -> None:
    body = """
      %0 = stablehlo.add %x, %x : tensor<2x3xf32>
      %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    """
    with pytest.raises(NotationError, match=re.escape(message)):
        rewritten([Rule("some-rule", pattern, replacement, condition)], body)


def compiled(pattern: str) -> CompiledRule:
    return CompiledRule(Rule("found", pattern, "stablehlo.constant 0"), parse_pattern(pattern))


@pytest.mark.parametrize(
    ("pattern", "body", "matches"),
    [
        ("stablehlo.add|multiply %a, %a", "stablehlo.add %x, %x", True),
        ("stablehlo.add|multiply %a, %a", "stablehlo.multiply %x, %x", True),
        ("stablehlo.add|multiply %a, %a", "stablehlo.subtract %x, %x", False),
        ("stablehlo.add|multiply %a, %a", "stablehlo.add %x, %y", False),
        ("any", "stablehlo.subtract %x, %y", True),
        ("%u = stablehlo.abs %a\nstablehlo.add %u, %a", "stablehlo.add %u, %x", True),
        ("%u = stablehlo.abs %a\nstablehlo.add %u, %a", "stablehlo.add %u, %y", False),
        ("%u = stablehlo.abs %a\nstablehlo.add %u, %a", "stablehlo.add %x, %u", False),
        ("%u = stablehlo.abs|negate %a\nstablehlo.add %b, %u", "stablehlo.add %x, %u", True),
        ("%u = any\nstablehlo.add %b, %u", "stablehlo.add %x, %u", True),
        ("%u = any\nstablehlo.add %b, %u", "stablehlo.add %u, %x", False),
    ],
)
def test_what_patterns_match(pattern: str, body: str, matches: bool) -> None:
    type = "tensor<2xf32>"
    text = f"%u = stablehlo.abs %x : {type}\n%r = {body} : {type}"
    module = shlo.parse(f"func.func @main(%x: {type}, %y: {type}) {{\n{text}\nreturn\n}}")
    op = module.functions["main"].regions[0].block.ops[1]
    rules = RuleSet([Rule("found", pattern, "stablehlo.constant 0")]).of_op(op.name)
    assert any(rule.matches(op) is not None for rule in rules) is matches


@pytest.mark.parametrize("merge", [True, False])
def test_attributes_that_no_definition_lists_are_taken_as_well(merge: bool) -> None:
    """Those of the op behind `like`; in the end those of the replaced op, if they are merged."""
    pattern, made = "%s = stablehlo.abs %x\nstablehlo.negate %s", "%n = stablehlo.sign %x like %s\n"
    rule = Rule("some-rule", pattern, f"{made}stablehlo.floor %n like %s", merge=merge)
    body = """
      %0 = stablehlo.abs %x {t.a = "s", t.b} : tensor<2x3xf32>
      %1 = stablehlo.negate %0 {t.a = "r"} : tensor<2x3xf32>
    """
    last = "r" if merge else "s"
    assert rewritten([rule], body)[1:] == [
        '%1 = stablehlo.sign %arg0 {t.a = "s", t.b} : tensor<2x3xf32>',
        f'%2 = stablehlo.floor %1 {{t.a = "{last}", t.b}} : tensor<2x3xf32>',
    ]


def test_the_order_in_which_rules_are_tried() -> None:
    """By the ops of the pattern and the benefit that it states, then in the order of the list."""
    one, two = "stablehlo.abs %x", "%y = stablehlo.sign %x\nstablehlo.abs %y"
    rows = [("a", one, 0), ("b", one, 2), ("c", two, 0), ("d", two, -1), ("e", one, 1), ("f", two, -2)]
    rules = RuleSet([Rule(name, pattern, "%x", benefit=benefit) for name, pattern, benefit in rows])
    assert [rule.name for rule in rules.of_op("stablehlo.abs")] == ["b", "c", "e", "a", "d", "f"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "a pattern consists of ops: "),
        ("%x", "a pattern consists of ops: %x"),
        (
            "%u = stablehlo.abs %q\nstablehlo.add %x, %y",
            "rule found: %u of the pattern is not an operand of its last op",
        ),
        (
            "%r... = stablehlo.reduce %xs...",
            "rule found: stablehlo.reduce has 2 operands: inputs, init_values",
        ),
        (
            "%r... = stablehlo.reduce %x, %inits...",
            "rule found: operand inputs of stablehlo.reduce: write %x...",
        ),
    ],
)
def test_malformed_patterns(pattern: str, message: str) -> None:
    with pytest.raises(NotationError, match=f"^{re.escape(message)}$"):
        compiled(pattern)


def test_equal_attributes_and_lists_of_operands() -> None:
    """A name that is bound stands for the same value of an attribute, and the same operands."""
    twice = "%y = stablehlo.transpose %x, permutation = p\nstablehlo.transpose %y, permutation = p"
    same = "%r... = stablehlo.reduce %xs..., %xs..."
    text = """func.func @main(%x: tensor<2x3x4xf32>, %a: tensor<f32>, %b: tensor<f32>) {
  %y = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %0 = stablehlo.transpose %y, dims = [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  %1 = stablehlo.transpose %y, dims = [2, 1, 0] : (tensor<3x4x2xf32>) -> tensor<2x4x3xf32>
  %2 = stablehlo.reduce(%a init: %a) applies stablehlo.add across dimensions = []
    : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = []
    : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}"""
    ops = shlo.parse(text).functions["main"].regions[0].block.ops
    for pattern, pair in ((twice, ops[1:3]), (same, ops[3:5])):
        rule = compiled(pattern)
        assert [rule.matches(op) is not None for op in pair] == [True, False]


def test_rules_that_undo_each_other_are_reported() -> None:
    rules = [
        Rule("there", "stablehlo.add %x, %y", "stablehlo.multiply %x, %y"),
        Rule("back", "stablehlo.multiply %x, %y", "stablehlo.add %x, %y"),
    ]
    with pytest.raises(shlo.InternalError, match="do not reach a fixed point"):
        rewritten(rules, "%0 = stablehlo.add %x, %x : tensor<2x3xf32>")


JOINED = "stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<?xf32>) -> tensor<?xf32>"


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("stablehlo.concatenate %a, %b", True),
        ("stablehlo.concatenate %a", False),
        ("stablehlo.concatenate %a, %b, %c", False),
        ("stablehlo.concatenate %a, %b, dimension = rank(a) - 1", True),
        ("stablehlo.concatenate %a, %b, dimension = rank(a)", False),
        ("stablehlo.concatenate %a, %b, dimension = dim(a, 7)", False),  # which has no value
        ("stablehlo.concatenate %a, %b, dimension = dim(b, 0)", False),  # which is not known
    ],
)
def test_numbers_of_operands_and_formulas_of_attributes(pattern: str, matches: bool) -> None:
    inputs = "%x: tensor<2xf32>, %y: tensor<?xf32>"
    module = shlo.parse(f"func.func @main({inputs}) {{\n%r = {JOINED}\nreturn\n}}")
    op = module.functions["main"].regions[0].block.ops[0]
    assert (compiled(pattern).matches(op) is not None) is matches


def test_invalid_ops_do_not_match() -> None:
    """Passes run on invalid programs, too."""
    text = """func.func @main(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  "stablehlo.reduce_window"() <{window_dimensions = array<i64>}> ({}) : () -> ()
  return
}"""
    reduce, window, _ = shlo.parse(text).functions["main"].regions[0].block.ops
    groups = compiled("%r... = stablehlo.reduce %xs..., %inits...")
    for sizes, matches in (((1, 1), True), ((2,), False), ((1, 1, 0), False)):
        reduce.properties["operandSegmentSizes"] = DenseArrayAttr(I32, sizes)
        assert (groups.matches(reduce) is not None) is matches
    assert compiled("%r... = stablehlo.reduce_window %xs..., %inits...").matches(window) is not None
    strides = "%r... = stablehlo.reduce_window %xs..., %inits..., window_strides = s"
    assert compiled(strides).matches(window) is None  # there are as many as the first operand has dimensions


@pytest.mark.parametrize(
    ("replacement", "line"),
    [
        # A formula without a value: there is no dimension 7.
        ("stablehlo.iota iota_dimension = dim(x, 7)", None),
        # Values that cannot replace the result: of another rank, element type or size.
        ("stablehlo.reshape %x : tensor([6], f32)", None),
        ("stablehlo.convert %x : tensor([2, 3], f64)", None),
        ("stablehlo.reshape %x : tensor([3, 2], f32)", None),
        ("stablehlo.create_token : token", None),
        ("%x", "%arg0"),
    ],
)
def test_replacements_that_do_not_fit(replacement: str, line: str | None) -> None:
    rule = Rule("some-rule", "%r = stablehlo.abs %x", replacement)
    body = """
      %0 = stablehlo.abs %x : tensor<2x3xf32>
      %1 = stablehlo.sign %0 : tensor<2x3xf32>
    """
    found = rewritten([rule], body)
    assert found[-1] == f"%{len(found) - 1} = stablehlo.sign {line or '%0'} : tensor<2x3xf32>"
    assert ("%0 = stablehlo.abs %arg0 : tensor<2x3xf32>" in found) is (line is None)
    assert len(found) == (2 if line is None else 1)


@pytest.mark.parametrize(
    ("given", "result", "converted"),
    [
        ("tensor<2x3xf32>", "tensor<?x3xf32>", False),
        ("tensor<2x?xf32>", "tensor<?x3xf32>", True),  # not more specific
        ("tensor<2x3xf32>", "tensor<?x3xf32, #stablehlo.bounds<4, ?>>", True),  # the bounds would be lost
    ],
)
def test_values_that_are_converted_to_the_types_of_results(given: str, result: str, converted: bool) -> None:
    rule = Rule("some-rule", "stablehlo.abs %x", "%x")
    body = f"""
      %0 = stablehlo.abs %x : ({given}) -> {result}
      %1 = stablehlo.sign %0 : {result}
    """
    found = rewritten([rule], body, f"%x: {given}")
    if converted:
        assert found == [
            f"%0 = stablehlo.convert %arg0 : ({given}) -> {result}",
            f"%1 = stablehlo.sign %0 : {result}",
        ]
    else:
        assert found == [f"%0 = stablehlo.sign %arg0 : ({given}) -> {result}"]


def test_several_operands_in_a_replacement() -> None:
    replacement = "stablehlo.concatenate %xs..., dimension = 1"
    rule = Rule("turned", "stablehlo.concatenate %xs..., dimension = 0", replacement)
    text = """func.func @main(%x: tensor<0x2xf32>, %y: tensor<0x2xf32>) {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<0x2xf32>, tensor<0x2xf32>) -> tensor<0x2xf32>
  return
}"""
    module = shlo.parse(text)
    apply_rules(module, module.op, [rule], erase_dead=False, share=False)
    block = module.functions["main"].regions[0].block
    assert block.ops[0].operands == block.arguments
    assert block.ops[0].python_value("dimension") == 1


@pytest.mark.parametrize(
    "replacement",
    [
        "%y = stablehlo.sign %x\nstablehlo.iota iota_dimension = dim(x, 7)",
        "%y = stablehlo.sign %x\nstablehlo.constant 1",
        "%y = stablehlo.sign %x\n%z = stablehlo.reshape %y\nstablehlo.abs %z",
        "%y = stablehlo.sign %x\n%z = stablehlo.transpose %y, permutation = [1]\nstablehlo.abs %z",
        "%y = stablehlo.sign %x\nstablehlo.convert %y : tensor([?], f64)",
    ],
)
def test_nothing_is_left_of_a_replacement_without_a_value(replacement: str) -> None:
    """A formula, a splat of unknown size, and result types that an op does not determine."""
    type = "tensor<?xf32>"
    rule = Rule("some-rule", "stablehlo.abs %x", replacement.replace("[?]", "[2, 2]"))
    found = rewritten([rule], f"%0 = stablehlo.abs %x : {type}", f"%x: {type}")
    assert found == [f"%0 = stablehlo.abs %arg0 : {type}"]
