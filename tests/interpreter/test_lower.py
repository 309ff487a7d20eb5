"""Lowering: plans are plain data: ops, slots, attribute values and plans of regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.numpy.folding import constant_folder
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.interpreter.plan import Plan, Step


def unfolded(step: Step, operands: Sequence[Any], functions: ModuleLowering) -> Sequence[Any] | None:
    """Leaves everything to the run, but for constants."""
    return [step.keywords["value"]] if step.name == "stablehlo.constant" else None


def lower(text: str, name: str = "main", every_op: bool = False) -> Plan[Step]:
    return ModuleLowering(shlo.parse(text), unfolded, every_op)[name]


LOOP = """func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %z = stablehlo.add %y, %x : tensor<4xf32>
    stablehlo.return %next, %z : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}"""


def test_captured_values_are_operands_behind_the_others() -> None:
    plan = lower(LOOP)
    (loop,) = plan.steps
    cond, body = loop.plans
    assert plan.arity == 2
    assert loop.ins[1:] == (0, 1, 0)  # %zero is a constant's slot; %x; then %n of cond, and %x of body
    assert (cond.arity, cond.captures) == (3, 1)
    assert (body.arity, body.captures) == (3, 1)
    assert (cond.iterates, body.iterates) == (False, True)
    assert [str(t) for t in body.input_types] == ["tensor<i32>", "tensor<4xf32>"]
    assert not body.on_elements


def test_keywords_are_attribute_values_and_result_types() -> None:
    plan = lower("""func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
      return %0 : tensor<3x2xf32>
    }""")
    (step,) = plan.steps
    assert step.keywords["permutation"] == (1, 0)
    assert str(step.keywords["result"]) == "tensor<3x2xf32>"
    assert set(step.keywords) == {"permutation", "result"}
    assert (step.elementwise, step.effect, step.returns_tuple) == (False, False, False)


def test_a_region_on_elements_is_marked() -> None:
    plan = lower("""func.func @main(%x: tensor<2x3xf32>, %s: tensor<f32>) -> tensor<2xf32> {
      %0 = stablehlo.reduce(%x init: %s) across dimensions = [1]
       : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
       reducer(%a: tensor<f32>, %b: tensor<f32>) {
        %c = stablehlo.add %a, %b : tensor<f32>
        %d = stablehlo.add %s, %s : tensor<f32>
        %e = stablehlo.multiply %c, %d : tensor<f32>
        stablehlo.return %e : tensor<f32>
      }
      return %0 : tensor<2xf32>
    }""")
    (step,) = plan.steps
    (body,) = step.plans
    assert body.on_elements
    assert [inner.varying for inner in body.steps] == [True, False, True]


def test_captured_values_vary_where_they_are_elements() -> None:
    """Of the steps in a branch, those do whose operands depend on an element around the branch."""
    plan = lower("""func.func @main(%x: tensor<3xf32>, %s: tensor<f32>, %p: tensor<i1>) -> tensor<3xf32> {
      %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
        ^bb0(%a: tensor<f32>):
          %b = "stablehlo.if"(%p) ({
            %c = stablehlo.negate %s : tensor<f32>
            %d = stablehlo.abs %a : tensor<f32>
            %e = stablehlo.add %c, %d : tensor<f32>
            stablehlo.return %e : tensor<f32>
          }, {
            stablehlo.return %s : tensor<f32>
          }) : (tensor<i1>) -> tensor<f32>
          stablehlo.return %b : tensor<f32>
      }) : (tensor<3xf32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    }""")
    ((branch,),) = [body.steps for body in plan.steps[0].plans]
    assert branch.varying
    assert [inner.varying for inner in branch.plans[0].steps] == [False, True, True]


FOLDED = [
    """%0 = "stablehlo.map"(%c) <{dimensions = array<i64: 0>}> ({
      ^bb0(%a: tensor<ui32>):
        %r = stablehlo.replica_id : tensor<ui32>
        %b = stablehlo.add %a, %r : tensor<ui32>
        stablehlo.return %b : tensor<ui32>
    }) : (tensor<2xui32>) -> tensor<2xui32>""",
    """%i = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.case"(%i) ({
      %r = stablehlo.replica_id : tensor<ui32>
      %s = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<ui32>) -> tensor<2xui32>
      %b = stablehlo.add %c, %s : tensor<2xui32>
      stablehlo.return %b : tensor<2xui32>
    }, {
      stablehlo.return %c : tensor<2xui32>
    }) : (tensor<i32>) -> tensor<2xui32>""",
]


@pytest.mark.parametrize("op", FOLDED)
def test_bodies_that_read_the_process_id_are_not_folded(op: str) -> None:
    text = f"""func.func @main() -> tensor<2xui32> {{
      %c = stablehlo.constant dense<[5, 7]> : tensor<2xui32>
      {op}
      return %0 : tensor<2xui32>
    }}"""
    found = shlo.compile(shlo.parse(text), replicas=2, engine="numpy").call_grid()
    assert [found[replica, 0][0].tolist() for replica in range(2)] == [[5, 7], [6, 8]]


@pytest.mark.parametrize(("size", "fails"), [("4", True), ("3", False), ("?", False)])
def test_an_op_whose_check_fails_for_any_operands_keeps_its_place(size: str, fails: bool) -> None:
    """So that no engine runs it in front of the check: the sizes are 1 + 2 and that of the operand."""
    text = f"""func.func @main(%x: tensor<{size}xf32>) -> tensor<?xf32> {{
      %a = stablehlo.constant dense<1> : tensor<1xi64>
      %b = stablehlo.constant dense<2> : tensor<1xi64>
      %c = stablehlo.add %a, %b : tensor<1xi64>
      %0 = stablehlo.dynamic_reshape %x, %c : (tensor<{size}xf32>, tensor<1xi64>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }}"""
    plan = ModuleLowering(shlo.parse(text), constant_folder(Options()))["main"]
    (step,) = [each for each in plan.steps if each.name == "stablehlo.dynamic_reshape"]
    assert step.effect is fails


def test_sums_of_replicas_are_not_folded() -> None:
    text = """func.func @main() -> tensor<2xf32> {
      %c = stablehlo.constant dense<[5.0, 7.0]> : tensor<2xf32>
      %0 = "stablehlo.cross-replica-sum"(%c) {replica_groups = dense<> : tensor<0x0xi64>}
        : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    (found,) = shlo.run(shlo.parse(text), replicas=3, engine="numpy")
    assert found.tolist() == [15, 21]


def test_effects_keep_steps_and_reach_out_of_regions() -> None:
    text = """func.func @main(%p: tensor<i1>, %x: tensor<i32>) {
      "stablehlo.if"(%p) ({
        check.expect_eq %x, %x : tensor<i32>
        stablehlo.return
      }, {
        stablehlo.return
      }) : (tensor<i1>) -> ()
      return
    }"""
    (step,) = lower(text).steps
    assert step.effect


SHARED = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = stablehlo.abs %x : tensor<4xf32>
  %1 = stablehlo.abs %x : tensor<4xf32>
  %2 = stablehlo.compare LT, %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = stablehlo.compare LT, %1, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = stablehlo.compare LE, %1, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %5 = stablehlo.negate %x : tensor<4xf32>
  return %2, %3, %4 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}"""


def test_common_subexpressions_are_shared_and_dead_code_is_dropped() -> None:
    plan = lower(SHARED)
    assert [step.name for step in plan.steps] == [
        "stablehlo.abs",
        "stablehlo.compare",
        "stablehlo.compare",
    ]
    assert plan.outputs[0] == plan.outputs[1] != plan.outputs[2]


def test_every_op_is_a_step_where_that_is_asked_for() -> None:
    assert len(lower(SHARED, every_op=True).steps) == 6


def test_steps_with_different_bodies_are_not_shared() -> None:
    """A body is no attribute: 1 + 5 + 2 and the largest of these are both of the same operands."""
    sum_, most, again = (
        f"stablehlo.reduce(%x init: %zero) applies stablehlo.{op} across dimensions = [0] "
        ": (tensor<3xi32>, tensor<i32>) -> tensor<i32>"
        for op in ("add", "maximum", "add")
    )
    text = f"""func.func @main(%x: tensor<3xi32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = {sum_}
      %1 = {most}
      %2 = {again}
      return %0, %1, %2 : tensor<i32>, tensor<i32>, tensor<i32>
    }}"""
    found = shlo.run(shlo.parse(text), [np.array([1, 5, 2], np.int32)], engine="numpy")
    assert [int(each) for each in found] == [8, 5, 8]


def test_random_numbers_are_not_shared() -> None:
    plan = lower("""func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %shape = stablehlo.constant dense<2> : tensor<1xi64>
      %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
        : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
      %1 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
        : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
      return %0, %1 : tensor<2xf32>, tensor<2xf32>
    }""")
    assert [step.name for step in plan.steps].count("stablehlo.rng") == 2


def test_a_call_names_its_function() -> None:
    text = """func.func @main(%n: tensor<i64>) -> tensor<i64> {
      %0 = func.call @main(%n) : (tensor<i64>) -> tensor<i64>
      return %0 : tensor<i64>
    }"""
    plan = lower(text)
    (step,) = plan.steps
    assert (step.name, step.callee, step.definition) == ("call @main", "main", None)
    assert plan.functions["main"] is plan


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (
            """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
              "x.return"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> ()
            }""",
            "returns (tensor<2xf32>, tensor<2xf32>), and its type has the results (tensor<2xf32>)",
            2,
        ),
        (
            """func.func @main(%x: tensor<2xf32>) {
              cf.br ^next
            ^next:
              return
            }""",
            "continues with another block, and functions of several blocks cannot be run",
            2,
        ),
        (
            """func.func @main(%p: tensor<i1>) -> tensor<f32> {
              %0 = "stablehlo.if"(%p) ({}, {}) : (tensor<i1>) -> tensor<f32>
              return %0 : tensor<f32>
            }""",
            "region true_branch is empty",
            2,
        ),
    ],
)
def test_what_cannot_be_lowered_is_an_error_at_its_op(text: str, message: str, line: int) -> None:
    with pytest.raises(shlo.RunError) as caught:
        ModuleLowering(shlo.parse(text, allow_unregistered=True), unfolded)["main"]
    found = caught.value.diagnostic
    assert message in caught.value.args[0]
    assert found is not None
    assert found.line == line


def test_the_text_of_a_plan() -> None:
    """Constants that steps use, steps with their types, results; then the plans of regions."""
    assert str(lower(LOOP)).splitlines() == [
        "plan @main(%0: tensor<4xf32>, %1: tensor<i32>)",
        "  %2 = constant : tensor<i32>",
        "  %4, %5 = stablehlo.while %2, %0, %1, %0 : tensor<i32>, tensor<4xf32>",
        "  return %5",
        "  stablehlo.while: plan stablehlo.while body(%0: tensor<i32>, %1: tensor<4xf32>, %2: tensor<i32>)",
        "  stablehlo.while:   %3 = stablehlo.compare %0, %2 : tensor<i1>",
        "  stablehlo.while:   return %3",
        "  stablehlo.while: plan stablehlo.while body(%0: tensor<i32>, %1: tensor<4xf32>, %2: tensor<4xf32>)",
        "  stablehlo.while:   %3 = constant : tensor<i32>",
        "  stablehlo.while:   %4 = stablehlo.add %0, %3 : tensor<i32>",
        "  stablehlo.while:   %5 = stablehlo.add %1, %2 : tensor<4xf32>",
        "  stablehlo.while:   return %4, %5",
    ]


RESOURCE = """func.func @main() -> tensor<2xi8> {{
  %0 = stablehlo.constant dense_resource<{}> : tensor<2xi8>
  return %0 : tensor<2xi8>
}}
{{-# dialect_resources: {{ builtin: {{ blob: "0x01000000030507" }} }} #-}}"""
CALL = """func.func private @g(tensor<f32>) -> tensor<f32>
func.func @main(%x: tensor<f32>) -> tensor<f32> {{
  %0 = {}(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}}"""


def test_elements_of_a_resource() -> None:
    """Four bytes of alignment, then the elements; more bytes than the type has are left.

    A nested module has the resources of the file.
    """
    text = RESOURCE.format("blob")
    for each in (text, f"module {{ module @inner {{\n{text.replace('{-#', '} } {-#')}"):
        (found,) = shlo.run(shlo.parse(each), engine="numpy")
        assert found.tolist() == [3, 5]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (RESOURCE.format("other"), 2, "stablehlo.constant: the module has no resource other"),
        (RESOURCE.format("__elided__"), 2, "stablehlo.constant: the elements of this constant were elided"),
        (CALL.format("call @g"), 3, "func.call: there is no function @g with a body"),
        (CALL.format("call @main"), 3, "func.call: calls are nested more than 100 deep"),
        (CALL.format('"a.b"'), 3, "a.b: the op has no definition in this release, and cannot be run"),
        (
            CALL.format('"stablehlo.remainder"').replace("(%x)", "(%x, %x)")
            .replace(" (tensor<f32>)", " (tensor<f32>, tensor<f32>)").replace("f32", "complex<f32>"),
            3,
            "stablehlo.remainder: operation not defined for elements of type complex<f32>",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_lowered(text: str, line: int, words: str) -> None:
    module = shlo.parse(text, "p.mlir", allow_unregistered=True)
    with pytest.raises(shlo.RunError) as caught:
        shlo.run(module, [1.0] * ("%x" in text), engine="numpy")
    assert str(caught.value).startswith(f"p.mlir:{line}:8: {words}")
