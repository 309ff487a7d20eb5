"""Control flow: loops whose values are in buffers of their own, and branches."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from stablehlo_py.engines.native.estimate import trips_of
from stablehlo_py.engines.native.loop_ir.expressions import Buffer, Expression
from stablehlo_py.engines.native.loop_ir.statements import ExternalCall, If, Statement, While
from stablehlo_py.engines.native.lower.records import (
    always,
    by_loops,
    has_native_arrays,
    is_callable,
    is_lowered,
)
from stablehlo_py.engines.native.lower.sort import SORT
from stablehlo_py.engines.native.lower.values import compare, number
from stablehlo_py.engines.native.region import CASE, CONTROL, IF, LONG
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import I1

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

_LONGEST_SORT = LONG >> 7  # elements: a sort takes some 100 instructions for each


class _Forms(NamedTuple):
    """The number of steps with loops, and the number of called steps."""

    loops: int
    calls: int


def _has_loops(plan: Plan[Step], step: Step) -> bool:
    """Test whether steps of the bodies have loops, and at least as many as are called."""
    forms = _forms_inside(step)
    return forms is not None and forms.calls <= forms.loops


def _forms_inside(step: Step) -> _Forms | None:
    """The forms of the steps of control flow; None where a step has none."""
    forms = [_forms(body, inner) for body in step.plans for inner in body.steps]
    found = [each for each in forms if each is not None]
    if len(found) < len(forms):
        return None
    return _Forms(sum([each.loops for each in found]), sum([each.calls for each in found]))


def _forms(plan: Plan[Step], step: Step) -> _Forms | None:
    if step.name in CONTROL and step.deferred is None and has_native_arrays(plan, step):
        inside = _forms_inside(step)
        if inside is not None:
            return inside
    elif is_lowered(plan, step) and not _is_long_sort(plan, step):
        return _Forms(1, 0)
    return _Forms(0, 1) if is_callable(plan, step) else None


def is_called(plan: Plan[Step], step: Step) -> bool:
    """Test whether a step of control flow is a call of the NumPy engine: it has no loops."""
    if step.name in CONTROL:
        return _forms_inside(step) is None
    return not is_lowered(plan, step) or _is_long_sort(plan, step)


def called(lowering: Lowering, step: Step) -> list[Statement]:
    """The call of a step without loops, which reads and writes whole buffers."""
    taken = [_captured(lowering, slot) for slot in step.ins]
    before = [each for _, statements in taken for each in statements]
    number, buffers = len(lowering.memory.called), lowering.buffers
    lowering.memory.called.append((lowering.plan, step))
    reads = tuple([buffer for buffer, _ in taken])
    return [*before, ExternalCall(number, reads, tuple([buffers[slot] for slot in step.outs]))]


def _is_long_sort(plan: Plan[Step], step: Step) -> bool:
    """Test whether a step is a sort that would delay the end of a loop, by its number of elements."""
    return step.name == SORT and prod(plan.shape_of(step.ins[0])) > _LONGEST_SORT


@by_loops("stablehlo.while", supports=_has_loops, pays=always)
def _while(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Write a loop with carried values in buffers; the next values are in other buffers, then copied."""
    cond, body = step.plans
    count, memory = len(step.outs), lowering.memory
    carried = [memory.new(body.types[k], "scratch", f"carried{slot}") for k, slot in enumerate(step.outs)]
    enter = [
        each for slot, target in zip(step.ins, carried, strict=False) for each in lowering.copy(slot, target)
    ]
    inside = step.ins[count:]
    captured = [_captured(lowering, slot) for slot in inside]
    enter += [each for _, statements in captured for each in statements]
    buffers = [buffer for buffer, _ in captured]
    test = lowering.within(cond, [*carried, *buffers[: cond.captures]])
    head = test.steps(cond.steps)
    again = lowering.within(body, [*carried, *buffers[cond.captures :]])
    iteration = again.steps(body.steps)
    fresh = [memory.new(body.types[k], "scratch", f"next{slot}") for k, slot in enumerate(step.outs)]
    for slot, buffer in zip(body.outputs, fresh, strict=True):
        iteration += again.copy(slot, buffer)
    following = lowering.within(body, fresh)
    for k, buffer in enumerate(carried):
        iteration += following.copy(k, buffer)
    leave = lowering.within(body, carried)
    results = [each for k, slot in enumerate(step.outs) for each in leave.copy(k, lowering.buffers[slot])]
    steps = steps_of(cond) + steps_of(body)
    loop = While(tuple(head), test.at(cond.outputs[0], ()), tuple(iteration), trips_of(step), steps)
    return [*enter, loop, *results]


def steps_of(plan: Plan[Step]) -> int:
    """The number of ops of a call of a plan, as limits count them; loops in it count their own."""
    inside = sum(steps_of(body) for step in plan.steps if step.name in (IF, CASE) for body in step.plans)
    own = [step for step in plan.steps if step.definition is not None]
    rewritten = {id(step.op) for step in plan.steps} - {id(step.op) for step in own}
    return 1 + sum([len(step.members) or 1 for step in own]) + len(rewritten) + inside


def _captured(lowering: Lowering, slot: int) -> tuple[Buffer, list[Statement]]:
    """The buffer of a slot that a body captures; a number gets a new buffer."""
    if slot in lowering.buffers:
        return lowering.buffers[slot], []
    buffer = lowering.memory.new(lowering.plan.types[slot], "scratch", f"v{slot}")
    return buffer, lowering.copy(slot, buffer)


@by_loops("stablehlo.if", supports=_has_loops, pays=always)
def _if(lowering: Lowering, step: Step) -> Sequence[Statement]:
    before, (first, second) = _branches(lowering, step)
    return [*before, If(lowering.at(step.ins[0], ()), first, second)]


@by_loops("stablehlo.case", supports=_has_loops, pays=always)
def _case(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Write the branches; an index out of range takes the last branch."""
    before, (*branches, last) = _branches(lowering, step)
    index = lowering.at(step.ins[0], ())
    chosen = list(last)
    for k in reversed(range(len(branches))):
        chosen = [If(_equals(index, k), branches[k], tuple(chosen))]
    return [*before, *chosen]


def _equals(index: Expression, k: int) -> Expression:
    assert index.type != I1
    return compare(index, "EQ", number(k, index.type))


def _branches(lowering: Lowering, step: Step) -> tuple[list[Statement], list[tuple[Statement, ...]]]:
    """Return the statements in front of the branches, and the statements of each branch."""
    before: list[Statement] = []
    found, at = [], 1
    for branch in step.plans:
        captured = [_captured(lowering, slot) for slot in step.ins[at : at + branch.captures]]
        at += branch.captures
        before += [each for _, statements in captured for each in statements]
        inner = lowering.within(branch, [buffer for buffer, _ in captured])
        body = inner.steps(branch.steps)
        for slot, result in zip(branch.outputs, step.outs, strict=True):
            body += inner.copy(slot, lowering.buffers[result])
        found.append(tuple(body))
    return before, found
