"""Empty arrays are constants: steps that are left, by hand, and results by the interpreter of loops."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.passes.empty_arrays import without_empty_arrays
from stablehlo_py.engines.native.region import CONTROL, make_region
from stablehlo_py.engines.program import constant_folder
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.interpreter.plan import Plan, Step
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.native import counted

X, E, N = "tensor<3xf32>", "tensor<0xf32>", "tensor<i32>"
REDUCED = f"""%z = stablehlo.constant dense<2.0> : tensor<f32>
  %s = stablehlo.reduce({{0}} init: %z) applies stablehlo.add across dimensions = [0]
    : ({E}, tensor<f32>) -> tensor<f32>
  %r = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> {X}"""
SCATTERED = f"""%i = stablehlo.constant dense<> : tensor<0x1xi32>
  %r = "stablehlo.scatter"(%x, %i, %e) <{{scatter_dimension_numbers = #stablehlo.scatter<
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %b, %a : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }}) : ({X}, tensor<0x1xi32>, {E}) -> {X}"""
SLICED = f"%f = stablehlo.slice %x [1:1] : ({X}) -> {E}\n"
NONE = "%k = stablehlo.custom_call @f(%e) {has_side_effect = true} : (tensor<0xf32>) -> tensor<0xf32>\n"
BRANCHES = f"""%p = stablehlo.compare GT, %n, %n : ({N}, {N}) -> tensor<i1>
  %q:2 = "stablehlo.if"(%p) ({{
    stablehlo.return %e, %x : {E}, {X}
  }}, {{
    {SLICED}
    %y = stablehlo.negate %x : {X}
    stablehlo.return %f, %y : {E}, {X}
  }}) : (tensor<i1>) -> ({E}, {X})"""
# Inside of the loop, the carried empty array is added to a sum of nothing
LOOP = counted(
    "%n",
    {"a": (E, "%e", "%f"), "b": (X, "%x", "%r"), "c": (E, "%g", "%c")},
    f"%f = stablehlo.add %a, %e : {E}\n" + REDUCED.format("%f"),
    "l",
)
ONLY = counted("%n", {"a": (E, "%e", "%f")}, f"%f = stablehlo.add %a, %e : {E}", "l")
ROWS = {  # the body, its results, and the steps that are left, with those of bodies in parentheses
    "nothing is empty": (f"%r = stablehlo.add %x, %x : {X}", "%r", "add"),
    "of empty arrays": (
        f"%r = stablehlo.add %e, %e : {E} %s = stablehlo.negate %x : {X}", "%r, %s", "negate"
    ),
    "an argument": ("", "%e, %x", ""),
    "a slice": (SLICED, "%f", ""),
    "an operand": (
        f"%r = stablehlo.concatenate %x, %e, %x, dim = 0 : ({X}, {E}, {X}) -> tensor<6xf32>",
        "%r",
        "concatenate",
    ),
    "a sum": (REDUCED.format("%e"), "%r", "broadcast_in_dim"),
    "a sum of a slice": (SLICED + REDUCED.format("%f"), "%r", ""),
    "a sum from a number": (
        REDUCED.format("%e").replace("init: %z", "init: %m"), "%r", "reduce broadcast_in_dim"
    ),
    "an update": (
        f"""%r = stablehlo.dynamic_update_slice %x, %e, %n : ({X}, {E}, {N}) -> {X}
        %s = stablehlo.add %r, %x : {X}""",
        "%r, %s",
        "add",
    ),
    "a scatter": (SCATTERED, "%r", ""),
    "an effect": (NONE, "%k", "custom_call"),
    "an effect of nothing": (NONE.replace("-> tensor<0xf32>", f"-> {X}"), "%x", "custom_call"),
    "branches": (BRANCHES, "%q#0, %q#1", "compare if(,negate)"),
    "a loop": (f"{SLICED.replace('%f', '%g')}{LOOP}", "%l#1, %l#2, %l#3", "while(compare,add)"),
    "a loop of nothing else": (ONLY, "%l#1", "while(compare,add)"),
}  # fmt: skip
TYPES = {"%s": X, "%q#1": X, "%l#2": X, "%x": X, "%e": E, "%f": E, "%k": E, "%q#0": E, "%l#1": E, "%l#3": E}


def names(plan: Plan[Step]) -> str:
    """The names of steps, with those of their bodies."""
    return " ".join([
        step.name.removeprefix("stablehlo.")
        + (f"({','.join(map(names, step.plans))})" if step.name in CONTROL else "")
        for step in plan.steps
    ])  # fmt: skip


def loops(plan: Plan[Step]) -> list[tuple[Step, Plan[Step]]]:
    return [(step, body) for step in plan.steps for body in step.plans if not body.on_elements]


@pytest.mark.parametrize("name", ROWS)
def test_steps_and_results(name: str) -> None:
    body, results, steps = ROWS[name]
    empty = "" if name == "nothing is empty" else f", %e: {E}"
    taken = f"%x: {X}, %n: {N}, %m: tensor<f32>{empty}"
    given = [
        E if "%r = stablehlo.add %e" in body and each == "%r"
        else "tensor<6xf32>" if "concatenate" in body
        else TYPES.get(each, X)
        for each in results.split(", ")
    ]  # fmt: skip
    module = shlo.parse(
        f"func.func @main({taken}) -> ({', '.join(given)}) {{ {body} return {results} : {', '.join(given)} }}"
    )
    assert not [each.message for each in shlo.verify(module) if each.severity == "error"]
    fold = constant_folder(Options())
    lowering = ModuleLowering(module, fold)
    before = lowering["main"]
    plan = without_empty_arrays(before, lambda step, operands: fold(step, operands, lowering))
    assert (plan is before) == (name == "nothing is empty")
    assert names(plan) == steps
    if name in ("an effect", "an effect of nothing", "a loop of nothing else"):  # have empty arrays
        return
    for step, inner in loops(plan):
        assert all(0 not in inner.shape_of(slot) for slot in (*range(inner.arity), *inner.outputs))
        assert all(0 not in plan.shape_of(slot) for slot in (*step.ins, *step.outs))
    arrays = [np.float32([1, 2, 4]), np.int32(2), np.float32(7), np.empty(0, np.float32)][: plan.arity]
    region = make_region(plan, plan.steps)
    lowered = lower(region)
    made = Interpreter().run(lowered.program, [*(arrays[slot] for slot in region.inputs), *lowered.constants])
    known = dict(enumerate(arrays)) | plan.constants | dict(zip(region.outputs, made, strict=True))
    for slot, expected in zip(plan.outputs, shlo.run(module, arrays, engine="numpy"), strict=True):
        np.testing.assert_array_equal(known[slot], expected, strict=True)
