"""Dead code: liveness through regions, calls and side effects."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo


def found(body: str, more: str = "", rule: str = "dead-op") -> list[str]:
    text = f"func.func @main(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {{\n{body}\n}}\n{more}"
    return [d.message for d in shlo.lint(shlo.parse(text, allow_unregistered=True), select=[rule])]


RETURN = "return %x : tensor<f32>"
ADDED = "%s = stablehlo.add %x, %x : tensor<f32>"


@pytest.mark.parametrize(
    "op",
    [
        "%0 = stablehlo.custom_call @f(%x) : (tensor<f32>) -> tensor<f32>",
        "%0 = stablehlo.custom_call @f(%x) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>",
        '%0 = "other.op"(%x) : (tensor<f32>) -> tensor<f32>',
        "stablehlo.custom_call @f(%x) : (tensor<f32>) -> ()",
        "check.expect_eq %x, %x : tensor<f32>",
    ],
)
def test_what_may_have_effects_is_alive(op: str) -> None:
    assert found(f"{op}\n{RETURN}") == []


def test_what_an_op_with_effects_in_it_needs_is_alive() -> None:
    """The predicate of a branch that checks something, and what the check reads; nothing else."""
    branch = """%k = stablehlo.add %x, %x : tensor<f32>
  %q = stablehlo.not %c : tensor<i1>
  %d = stablehlo.negate %x : tensor<f32>
  %0 = "stablehlo.if"(%q) ({
    CHECK
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
"""
    check = "check.expect_eq %k, %x : tensor<f32>"
    (dead,) = found(branch.replace("CHECK", check) + RETURN)
    assert "negate" in dead
    assert len(found(branch.replace("CHECK", "") + RETURN)) == 3  # %q is told of with the branch


@pytest.mark.parametrize(
    "op",
    [
        ADDED,
        "%0 = stablehlo.custom_call @f(%x) {has_side_effect = false} : (tensor<f32>) -> tensor<f32>",
    ],
)
def test_what_has_none_is_dead(op: str) -> None:
    assert len(found(f"{op}\n{RETURN}")) == 1


IF = """%r = "stablehlo.if"(%c) ({{
  {body}
  stablehlo.return %s : tensor<f32>
}}, {{
  stablehlo.return %x : tensor<f32>
}}) : (tensor<i1>) -> tensor<f32>"""


def test_an_op_with_regions_is_as_dead_as_what_they_hold() -> None:
    assert len(found(f"{IF.format(body=ADDED)}\n{RETURN}")) == 1
    printing = f"{ADDED}\nstablehlo.custom_call @print(%s) : (tensor<f32>) -> ()"
    assert found(f"{IF.format(body=printing)}\n{RETURN}") == []


def test_what_has_no_results_keeps_what_is_around_it() -> None:
    """Also an op without effects, whose results nothing could use."""
    empty = f'{ADDED}\n"stablehlo.optimization_barrier"() : () -> ()'
    assert found(f"{IF.format(body=empty)}\n{RETURN}") == []
    assert found(f'"stablehlo.optimization_barrier"() : () -> ()\n{RETURN}') == []


def test_a_call_without_effects_needs_results_to_be_dead() -> None:
    call = "stablehlo.custom_call @f(%x) {has_side_effect = false} : (tensor<f32>) -> "
    assert found(f"{call}()\n{RETURN}") == []
    assert len(found(f"%0 = {call}tensor<f32>\n{RETURN}")) == 1
    nothing = '"stablehlo.if"(%c) ({\nstablehlo.return\n}, {\nstablehlo.return\n}) : (tensor<i1>) -> ()'
    assert found(f"{nothing}\n{RETURN}") == []


def test_what_a_region_needs_is_alive() -> None:
    body = f"%k = stablehlo.tanh %x : tensor<f32>\n{IF.format(body='%s = stablehlo.negate %k : tensor<f32>')}"
    assert found(f"{body}\nreturn %r : tensor<f32>") == []


def test_a_dead_op_inside_of_a_region() -> None:
    body = IF.format(body=f"{ADDED}\n%d = stablehlo.tanh %x : tensor<f32>")
    (message,) = found(f"{body}\nreturn %r : tensor<f32>")
    assert "%d" in message


def test_a_chain_is_one_finding() -> None:
    chain = "%a = stablehlo.tanh %x : tensor<f32>\n%b = stablehlo.tanh %a : tensor<f32>"
    (message,) = found(f"{chain}\n%d = stablehlo.tanh %b : tensor<f32>\n{RETURN}")
    assert message == "%d of stablehlo.tanh is unused, as is the computation of its operands (2 ops)"


def test_an_op_that_two_dead_ops_need_goes_with_one_of_them() -> None:
    ops = "%a = stablehlo.tanh %x : tensor<f32>\n%b = stablehlo.tanh %a : tensor<f32>"
    messages = found(f"{ops}\n%d = stablehlo.sine %a : tensor<f32>\n{RETURN}")
    assert len(messages) == 2


def function(name: str, body: str, visibility: str = "private") -> str:
    return f"func.func {visibility} @{name}(%x: tensor<f32>) -> tensor<f32> {{\n{body}\n}}\n"


CALL = "%0 = call @{} (%x) : (tensor<f32>) -> tensor<f32>\n"


def test_a_call_is_as_dead_as_the_function() -> None:
    body = CALL.format("f") + RETURN
    assert len(found(body, function("f", RETURN))) == 1
    printing = "stablehlo.custom_call @print(%x) : (tensor<f32>) -> ()\n" + RETURN
    assert found(body, function("f", printing)) == []
    assert found(body, function("f", CALL.format("g") + RETURN) + function("g", printing)) == []
    assert found(body, "func.func private @f(tensor<f32>) -> tensor<f32>") == []


def test_functions() -> None:
    helpers = function("a", CALL.format("b") + RETURN) + function("b", RETURN)
    assert found(CALL.format("a") + RETURN, helpers, "dead-function") == []
    assert len(found(RETURN, helpers, "dead-function")) == 2
    assert found(RETURN, function("a", RETURN, "public"), "dead-function") == []
    loop = function("a", CALL.format("a") + RETURN)
    assert len(found(RETURN, loop, "dead-function")) == 1


def test_a_function_that_an_attribute_names_is_alive() -> None:
    body = "%0 = stablehlo.custom_call @f(%x) {called_computations = [@a]} : (tensor<f32>) -> tensor<f32>\n"
    assert found(body + RETURN, function("a", RETURN), "dead-function") == []
    nested = body.replace("called_computations = [@a]", "keep = {inner = [@a]}")
    assert found(nested + RETURN, function("a", RETURN), "dead-function") == []
    around = f"module attributes {{x.y = [@a]}} {{\n{function('a', RETURN)}\n"
    module = shlo.parse(f"{around}{function('main', RETURN, 'public')}\n}}")
    assert shlo.lint(module, select=["dead-function"]) == []


def test_without_an_entry_all_functions_are_alive() -> None:
    module = shlo.parse(function("a", RETURN))
    assert shlo.lint(module, select=["dead-function"]) == []


def test_arguments_of_each_function_that_nothing_uses() -> None:
    helper = function("f", "%k = stablehlo.constant dense<1.0> : tensor<f32>\nreturn %k : tensor<f32>")
    assert found(CALL.format("f") + "return %0 : tensor<f32>", helper, "unused-argument") == [
        "argument %c of @main is unused",
        "argument %x of @f is unused",
    ]
