"""Passes on hand-written plans: alias analysis, buffer reuse, liveness."""

from __future__ import annotations

import stablehlo_py as shlo
from stablehlo_py.interpreter.passes.alias_analysis import output_aliases
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
