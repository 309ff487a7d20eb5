"""Constraints of ops in programs: reported violations, messages, and valid programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Block, Module, Operation
from stablehlo_py.ir.types import F32, TensorType
from stablehlo_py.notation import terms
from stablehlo_py.opset.classes import TENSOR
from stablehlo_py.opset.definition import Attr, Constraint, OpDef, Operand, Result, lookup
from stablehlo_py.verifier import constraints
from stablehlo_py.verifier.constraints import ConstraintChecker


def check(text: str) -> list[Diagnostic]:
    """What the constraints say about every op of a program."""
    module = shlo.parse(text)
    checker = ConstraintChecker(module)
    return [d for op in module.walk() for d in checker.check(op)]


def codes(text: str) -> list[str]:
    return [d.code for d in check(text)]


DOT = """
func.func @main(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) -> tensor<2x5xf32> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<
    lhs_contracting_dimensions = [LHS], rhs_contracting_dimensions = [RHS]>}>
    : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}"""


def dot(lhs: str, rhs: str) -> str:
    return DOT.replace("LHS", lhs).replace("RHS", rhs)


def test_the_message_is_the_rule_and_its_values() -> None:
    (found,) = check(dot("1", "0"))
    assert found.severity == "error"
    assert found.code == "dot_general.C10"
    assert (found.line, found.column) == (3, 8)
    rule = "dim(lhs, lhs_contracting_dimensions...) = dim(rhs, rhs_contracting_dimensions...)"
    assert found.message == f"stablehlo.dot_general (C10): {rule}"
    assert [note.split() for note in found.notes] == [
        ["dim(lhs,", "[1])", "is", "[3]", "%a", ":", "tensor<2x3xf32>", "(line", "2)"],
        ["dim(rhs,", "[0])", "is", "[4]", "%b", ":", "tensor<4x5xf32>", "(line", "2)"],
    ]


def test_all_violations_at_once() -> None:
    text = """
func.func @main(%a: tensor<2x3xf32>) -> tensor<9x9x9xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<9x9x9xf32>
  return %0 : tensor<9x9x9xf32>
}"""
    assert codes(text) == ["broadcast_in_dim.C4", "broadcast_in_dim.C5"]


def test_an_undefined_term_is_silent_where_another_constraint_fails() -> None:
    assert codes(dot("1", "7")) == ["dot_general.C8", "dot_general.C12"]  # C10 indexes with 7


def test_the_class_of_a_type() -> None:
    text = """
func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.tanh"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}"""
    found = check(text)
    assert [d.code for d in found] == ["tanh.I1", "tanh.O1"]
    assert found[0].message.startswith("stablehlo.tanh (I1): operand must be")
    assert found[0].message.endswith("but got tensor<2xi32>")


def test_of_several_values_those_of_another_class() -> None:
    text = """
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) -> tensor<4xf32> {
  %0 = "stablehlo.concatenate"(%a, %t, %a) <{dimension = 0 : i64}>
    : (tensor<2xf32>, !stablehlo.token, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
    found = [each.message for each in check(text) if each.code == "concatenate.I1"]
    (message,) = found
    assert message.startswith("stablehlo.concatenate (I1): inputs[1] must be ")
    assert message.endswith("but got !stablehlo.token")


def test_attributes_that_are_missing_or_of_another_kind() -> None:
    text = """
func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.transpose"(%a) ATTRIBUTE : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}"""
    (missing,) = check(text.replace("ATTRIBUTE", ""))
    assert missing.code == "transpose.I2"
    assert missing.message == "stablehlo.transpose (I2): missing attribute permutation"
    (other,) = check(text.replace("ATTRIBUTE", "<{permutation = 1 : i64}>"))
    assert other.code == "transpose.I2"
    assert "permutation must be" in other.message
    assert not check(text.replace("ATTRIBUTE", "<{permutation = array<i64: 1, 0>}>"))


def test_an_attribute_of_another_kind_has_no_value_in_constraints() -> None:
    """C4 of concatenate is about the value of a dimension, which is out of range as well."""
    text = """
func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.concatenate"(%a, %a) <{dimension = 5 : KIND}>
    : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
    assert codes(text.replace("KIND", "i32")) == ["concatenate.I2"]
    assert codes(text.replace("KIND", "i64")) == ["concatenate.C4"]


@pytest.mark.parametrize("formula", ["rank(lhs) = 9", "dim(lhs, 9) = 1"])
def test_rules_about_a_property_are_violated_where_it_stands(
    formula: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those with a term that has no value."""
    definition = lookup("stablehlo.convolution")
    assert definition is not None
    rule = Constraint("C1", formula, at="feature_group_count")
    monkeypatch.setattr(constraints, "lookup", lambda name: replace(definition, constraints=(rule,)))
    text = """%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[i, o]->[b, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>"""
    module = shlo.parse(f"func.func @f(%a: tensor<1x1xf32>) {{\n{text}\nreturn }}")
    op = module.functions["f"].entry_block.ops[0]
    (found,) = ConstraintChecker(module).check(op)
    assert (found.code, found.line, found.column) == ("convolution.C1", 3, 7)


def test_unknown_sizes_are_not_errors() -> None:
    text = """
func.func @main(%a: tensor<?x3xf32>, %b: tensor<2x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.add %a, %b : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}"""
    assert not check(text)
    assert codes(text.replace("tensor<?x?xf32>", "tensor<?x4xf32>")) == ["add.C1"]


@pytest.mark.parametrize(("size", "found"), [(2, []), (3, ["abs.U1"])])
def test_a_size_within_the_bound_of_the_other_type(size: int, found: list[str]) -> None:
    static, bounded = f"tensor<{size}xf32>", "tensor<?xf32, #stablehlo.bounds<2>>"
    for operand, result in ((static, bounded), (bounded, static)):
        text = (
            f'func.func @f(%a: {operand}) {{\n%0 = "stablehlo.abs"(%a) : ({operand}) -> {result}\nreturn\n}}'
        )
        assert codes(text) == found


def test_a_body() -> None:
    text = """
func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<TYPE>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}"""
    assert not check(text.replace("TYPE", "f32"))
    assert set(codes(text.replace("TYPE", "i32"))) == {"reduce.C6"}


def test_equal_ops_are_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "\n".join(f"  %{i} = stablehlo.add %a, %a : tensor<2xf32>" for i in range(5))
    module = shlo.parse(f"func.func @main(%a: tensor<2xf32>) {{\n{lines}\n  return\n}}")
    checker = ConstraintChecker(module)
    evaluated: list[Operation] = []
    real = checker._constraints

    def counting(op: Operation, *rest: object) -> object:
        evaluated.append(op)
        return real(op, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(checker, "_constraints", counting)
    for op in module.walk():
        checker.check(op)
    assert [op.name for op in evaluated].count("stablehlo.add") == 1


def test_equal_violations_are_all_reported() -> None:
    lines = "\n".join(f"  %{i} = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>" for i in range(3))
    found = check(f"func.func @main(%a: tensor<2xf32>) {{\n{lines}\n  return\n}}")
    assert [(d.line, d.code) for d in found] == [(2, "reshape.C2"), (3, "reshape.C2"), (4, "reshape.C2")]


# Definitions made for a test -------------------------------------------------------------------------


def made(
    monkeypatch: pytest.MonkeyPatch, *rules: Constraint, where: tuple[tuple[str, str], ...] = ()
) -> list[Diagnostic]:
    """What a definition with these rules says about an op on a tensor<2x3xf32> without attributes."""
    definition = OpDef(
        name="test.op",
        inputs=(
            Operand("x", TENSOR),
            Operand("y", TENSOR, optional=True),
            Attr("n", "i64", optional=True),
            Attr("m", "i64", optional=True, default="rank(x) + 1"),
            Attr("flag", "unit", optional=True),
        ),
        outputs=(Result("result", TENSOR),),
        constraints=rules,
        where=where,
    )
    monkeypatch.setattr(constraints, "lookup", lambda name: definition)
    module = Module()
    block = Block([TensorType((2, 3), F32)])
    op = module.body.append(Operation("test.op", block.arguments, [TensorType((2, 3), F32)]))
    return ConstraintChecker(module).check(op)


def test_a_rule_whose_terms_have_no_value_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = made(monkeypatch, Constraint("C1", "dim(x, 5) = 1"))
    assert (found.code, found.severity) == ("test.op.C1", "error")
    assert found.message == "test.op (C1): dim(x, 5) = 1"
    assert found.notes == ("  a term of this formula has no value: axis out of range",)


def test_undefined_terms_are_silent_beside_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = made(monkeypatch, Constraint("C1", "dim(x, 5) = 1"), Constraint("C2", "rank(x) = 3"))
    assert found.code == "test.op.C2"


def test_optional_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ["not given(n)", "not given(y)", "given(m)", "m = 3", "if given(n) then n = 1", "not flag"]
    assert not made(monkeypatch, *(Constraint(f"C{i}", rule) for i, rule in enumerate(rules)))


def test_spec_only_rules_are_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = made(monkeypatch, Constraint("C1", "rank(x) = 3", verdict="spec-only"))
    assert (found.severity, found.code) == ("warning", "test.op.C1")
    assert found.message == "test.op (C1): rank(x) = 3 [spec-only]"
    (found,) = made(monkeypatch, Constraint("U1", "rank(x) = 3", verdict="upstream"))
    assert (found.severity, found.code) == ("error", "test.op.U1")


def test_the_specifications_words_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = made(
        monkeypatch, Constraint("C1", "rank(x) = 3", spec="`x` has three dimensions.", why="prose")
    )
    assert found.message == "test.op (C1): x has three dimensions"
    assert [note.split() for note in found.notes] == [
        ["rank(x)", "=", "3"],
        ["rank(x)", "is", "2", "x", ":", "tensor<2x3xf32>"],
    ]


def test_words_of_several_lines_are_left_to_the_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    long = f"`x` has {'very ' * 20}many dimensions."
    for spec in ("`x` has\n  three dimensions.", long):
        (found,) = made(monkeypatch, Constraint("C1", "rank(x) = 3", spec=spec, why="prose"))
        assert found.message == "test.op (C1): rank(x) = 3"


def test_lets(monkeypatch: pytest.MonkeyPatch) -> None:
    where = (("N", "rank(x)"), ("twice", "[N, N]"))
    assert not made(monkeypatch, Constraint("C1", "twice = [2, 2]"), where=where)
    (found,) = made(monkeypatch, Constraint("C1", "N = 3"), where=where)
    assert [note.split() for note in found.notes] == [["N", "is", "2"]]


@pytest.mark.parametrize("formula", ["rank(x)", "nothing = 1", "rank(x) = x", "rank(x) ="])
def test_a_formula_that_is_not_well_made_fails_when_loaded(
    monkeypatch: pytest.MonkeyPatch, formula: str
) -> None:
    with pytest.raises(terms.NotationError):
        made(monkeypatch, Constraint("C1", formula))


@pytest.mark.parametrize(
    ("pairs", "codes"),
    [
        ("dense<> : tensor<0xi64>", []),
        ("dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>", ["C2", "C2"]),
        ("dense<[0, 1]> : tensor<2xi64>", ["C1", "C1"]),
    ],
)
def test_pairs_of_a_transfer_may_be_none_and_need_not_be_pairs_for_upstream(
    pairs: str, codes: list[str]
) -> None:
    handle = "channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>"
    text = f"""
    func.func @main(%t: !stablehlo.token) -> !stablehlo.token {{
      %0:2 = "stablehlo.recv"(%t) {{source_target_pairs = {pairs}, {handle}}}
        : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
      %1 = "stablehlo.send"(%0#0, %0#1) {{source_target_pairs = {pairs}, {handle}}}
        : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
      return %1 : !stablehlo.token
    }}"""
    found = shlo.verify(shlo.parse(text))
    assert [d.code.partition(".")[2] for d in found] == codes
    assert all(d.severity == "warning" for d in found)


def test_the_attribute_that_was_meant() -> None:
    (found,) = check('%0 = "stablehlo.iota"() {iota_dimenson = 0 : i64} : () -> tensor<4xf32>')
    assert found.message == "stablehlo.iota (I1): missing attribute iota_dimension"
    assert found.notes == ("found iota_dimenson; did you mean iota_dimension?",)
    (found,) = check('%0 = "stablehlo.iota"() {other = 0 : i64} : () -> tensor<4xf32>')
    assert found.notes == ()


def test_what_tells_ops_apart() -> None:
    """Ops that differ in anything that a rule may read are not checked as one."""
    texts = [
        '"t.op"(%a) : (f32) -> f32',
        '"t.other"(%a) : (f32) -> f32',
        '"t.op"(%b) : (f64) -> f32',
        '"t.op"(%a, %a) : (f32, f32) -> f32',
        '"t.op"(%a) : (f32) -> f64',
        '"t.op"(%a) <{p = 1 : i64}> : (f32) -> f32',
        '"t.op"(%a) <{p = 2 : i64}> : (f32) -> f32',
        '"t.op"(%a) {p = 1 : i64} : (f32) -> f32',
        '"t.op"(%a) {p = 2 : i64} : (f32) -> f32',
        '"t.op"(%a) ({}) : (f32) -> f32',
        '"t.op"(%a) ({ "t.end"() : () -> () }) : (f32) -> f32',
        '"t.op"(%a) ({ "t.end"(%a) : (f32) -> () }) : (f32) -> f32',
        '"t.op"(%a) ({ ^bb0(%x: f32): "t.end"() : () -> () }) : (f32) -> f32',
        '"t.op"(%a) ({ ^bb0(%x: f64): "t.end"() : () -> () }) : (f32) -> f32',
        '"t.op"(%a) ({ ^bb0(%x: f32, %y: f32): "t.end"() : () -> () }) : (f32) -> f32',
        '"t.op"(%a) ({ "t.end"() : () -> () }, { "t.end"() : () -> () }) : (f32) -> f32',
    ]
    lines = [f"%{i} = {text}" for i, text in enumerate([*texts, *texts])]
    program = "\n".join(["func.func @f(%a: f32, %b: f64) {", *lines, "return }"])
    ops = [op for op in shlo.parse(program, allow_unregistered=True).walk() if op.results]
    looks = [constraints.appearance(op) for op in ops]
    assert len(looks) == 2 * len(texts) == 2 * len(set(looks))
    assert looks[: len(texts)] == looks[len(texts) :]


def test_ops_without_a_definition_have_no_constraints() -> None:
    module = shlo.parse('"x.y"() : () -> ()', allow_unregistered=True)
    (op,) = [op for op in module.walk() if op.name == "x.y"]
    assert ConstraintChecker(module).check(op) == []
