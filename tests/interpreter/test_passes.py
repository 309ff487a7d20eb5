"""Passes on hand-written plans: alias analysis, buffer reuse, liveness."""

from __future__ import annotations

import stablehlo_py as shlo
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.interpreter.passes.alias_analysis import output_aliases, result_aliases
from stablehlo_py.interpreter.passes.buffer_reuse import BufferReuse, copy_shared_outputs
from stablehlo_py.interpreter.passes.dead_code import eliminate_dead_code
from stablehlo_py.interpreter.passes.liveness import drop_dead_arrays
from stablehlo_py.interpreter.plan import Alias, Plan, Step
from stablehlo_py.ir.types import Type
from stablehlo_py.syntax.parser import parse_type

LARGE = parse_type("tensor<65536xf32>")
SMALL = parse_type("tensor<4xf32>")


def step(name: str, ins: tuple[int, ...], out: int, view: bool = False) -> Step:
    return Step(name, None, ins, (out,), view=view)


def plan(
    arity: int, slots: int, steps: list[Step], outputs: tuple[int, ...], type: Type = LARGE
) -> Plan[Step]:
    module = shlo.parse("func.func @main() {\n  return\n}")
    return Plan("@main", module, {}, arity, [type] * slots, {}, steps, outputs)


def test_a_view_shares_memory_with_its_operand_alone() -> None:
    made = plan(
        2, 5, [step("v", (0,), 2, view=True), step("f", (1,), 3), step("v", (3,), 4, view=True)], (2, 4)
    )
    assert output_aliases(made) == (Alias(frozenset({0})), Alias())


def test_a_view_of_a_constant_and_a_larger_one() -> None:
    made = plan(1, 3, [step("v", (1,), 2, view=True)], (2,))
    made.constants[1] = None
    assert output_aliases(made) == (Alias(constant=True, repeats=True),)
    grown = plan(1, 2, [step("broadcast", (0,), 1, view=True)], (1,))
    grown.types[0] = SMALL
    assert output_aliases(grown) == (Alias(frozenset({0}), repeats=True),)


def test_outputs_that_share_memory_are_copied() -> None:
    made = plan(1, 2, [step("f", (0,), 1)], (0, 1, 1))
    copy_shared_outputs(made, lambda copy: copy)
    assert made.outputs == (2, 1, 3)
    assert [(s.name, s.ins, s.outs) for s in made.steps[1:]] == [("copy", (0,), (2,)), ("copy", (1,), (3,))]


def reuse(made: Plan[Step], given: frozenset[int] = frozenset()) -> frozenset[int]:
    return BufferReuse(made, lambda step: range(len(step.ins)), lambda copy: copy).run(given)


def test_a_step_overwrites_the_operand_that_dies_with_it() -> None:
    made = plan(1, 4, [step("f", (0,), 1), step("g", (1, 0), 2), step("h", (2, 1), 3)], (3,))
    assert reuse(made) == frozenset()
    assert [s.overwrites for s in made.steps] == [(), (), (0,)]  # 0 is the caller's; 1 is used by h


def test_nothing_is_overwritten_that_a_view_still_shows() -> None:
    steps = [step("f", (0,), 1), step("v", (1,), 2, view=True), step("g", (1,), 3), step("h", (2, 3), 4)]
    made = plan(1, 5, steps, (4,))
    reuse(made)
    assert made.steps[2].overwrites == ()
    assert made.steps[3].overwrites == (0,)


def test_an_input_that_is_given_away_is_overwritten() -> None:
    made = plan(1, 2, [step("f", (0,), 1)], (1,))
    assert reuse(made, frozenset({0})) == {0}
    assert made.steps[0].overwrites == (0,)


def test_a_loop_gets_a_copy_of_what_it_must_own() -> None:
    loop = step("loop", (0,), 1)
    loop.owns = frozenset({0})
    made = plan(1, 2, [loop], (1,))
    BufferReuse(made, lambda step: (), lambda copy: copy).run(frozenset())
    assert [(s.name, s.ins, s.outs) for s in made.steps] == [("copy", (0,), (2,)), ("loop", (2,), (1,))]


def test_large_arrays_are_dropped_after_their_last_use() -> None:
    steps = [step("f", (0,), 1), step("g", (1,), 2), step("h", (1, 2), 3)]
    made = plan(1, 4, steps, (3,))
    drop_dead_arrays(made)
    assert [s.frees for s in made.steps] == [(0,), (), (1, 2)]
    small = plan(1, 4, [step("f", (0,), 1), step("g", (1,), 2)], (2,), SMALL)
    drop_dead_arrays(small)
    assert [s.frees for s in small.steps] == [(), ()]


def test_small_arrays_are_dropped_where_there_are_many() -> None:
    """Of 10,000 results of 16 KB, what is kept to the end is at most 1 MiB."""
    page = parse_type("tensor<64x64xf32>")
    steps = [step("f", (i,), i + 1) for i in range(10_000)]
    made = plan(1, 10_001, steps, (10_000,), page)
    drop_dead_arrays(made)
    freed = sum(len(s.frees) for s in steps)
    assert 10_000 - freed <= (1 << 20) // (64 * 64 * 4)


def test_constants_are_folded_up_to_a_number_of_bytes() -> None:
    """1,000 sums of 128 KiB each would be 125 MiB, all alive until the program is compiled."""
    ops = [f"%{i + 1} = stablehlo.add %{i}, %0 : tensor<32768xf32>" for i in range(1_000)]
    module = shlo.parse(
        "func.func @main() -> tensor<32768xf32> {\n%0 = stablehlo.constant dense<1.0> : tensor<32768xf32>\n"
        + "\n".join(ops)
        + "\nreturn %1000 : tensor<32768xf32>\n}"
    )
    program = shlo.compile(module)
    assert sum(array.nbytes for array in program.plan.constants.values()) < 1 << 26
    assert program()[0][0] == 1_001


def test_dead_code_is_dropped_and_effects_stay() -> None:
    kept, dead, effect = step("f", (0,), 1), step("g", (0,), 2), step("h", (0,), 3)
    effect.effect = True
    feeds = step("k", (1,), 4)
    made = plan(1, 5, [kept, dead, effect, feeds], (4,))
    eliminate_dead_code(made)
    assert made.steps == [kept, effect, feeds]


CHOICE = """func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = "stablehlo.if"(%p) ({
    stablehlo.return %x, %y : tensor<4xf32>, tensor<4xf32>
  }, {
    %s = stablehlo.add %x, %y : tensor<4xf32>
    stablehlo.return %y, %s : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}"""
ROTATION = """func.func @main(%x: tensor<i64>, %y: tensor<i64>, %z: tensor<i64>, %c: tensor<i64>)
    -> tensor<i64> {
  %0:4 = stablehlo.while(%a = %x, %b = %y, %d = %z, %e = %z) :
      tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
  cond {
    %more = stablehlo.compare LT, %a, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %s = stablehlo.add %d, %c : tensor<i64>
    stablehlo.return %b, %x, %s, %e : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
  }
  return %0#0 : tensor<i64>
}"""


def region_aliases(text: str) -> tuple[tuple[int, ...], list[set[int]]]:
    """The operands of a program's only step, and the inputs that each result may be."""
    module = ModuleLowering(shlo.parse(text), lambda *_: None)
    (only,) = module["main"].steps
    for body in only.plans:
        body.aliases = output_aliases(body)
    found = result_aliases(only, only.plans)
    assert not any(alias.constant or alias.repeats for alias in found)
    return only.ins, [{only.ins[i] for i in alias.inputs} for alias in found]


def test_a_result_of_a_choice_may_be_what_any_branch_returns() -> None:
    ins, aliases = region_aliases(CHOICE)
    assert ins == (0, 1, 2, 1, 2)  # then those that the branches capture
    assert aliases == [{1, 2}, {2}]  # %x or %y; %y or a sum


def test_a_result_of_a_loop_may_be_what_any_iteration_leaves() -> None:
    _, aliases = region_aliases(ROTATION)
    # After one iteration the first is %y, after two %x; the second is %y or %x; the third is %z or a sum.
    assert aliases == [{0, 1}, {0, 1}, {2}, {2}]


def test_a_loop_that_writes_its_input_returns_memory_of_its_own() -> None:
    module = ModuleLowering(shlo.parse(ROTATION), lambda *_: None)
    (loop,) = module["main"].steps
    for body in loop.plans:
        body.aliases = output_aliases(body)
    loop.plans[1].writes = frozenset({2})
    found = result_aliases(loop, loop.plans)
    assert [{loop.ins[i] for i in alias.inputs} for alias in found] == [{0, 1}, {0, 1}, set(), {2}]


def test_inputs_that_come_out_elsewhere_are_given_up_where_one_is_overwritten() -> None:
    given = frozenset({0, 1, 2})
    overwrites = plan(3, 5, [step("f", (2,), 3)], (1, 0, 3))
    assert reuse(overwrites, given) == given  # 0 and 1 change places, 2 is overwritten
    kept = plan(3, 5, [step("f", (2,), 3)], (0, 1, 3))
    assert reuse(kept, given) == {2}
    unwritten = plan(3, 3, [], (1, 0, 2))
    assert reuse(unwritten, given) == frozenset()
