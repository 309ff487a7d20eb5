"""What is done to a plan before it runs: dead steps, chains, ownership of memory, ends of lives.

Every slot's array has roots: the slots whose steps made the memory that it may share. A step may
write into an operand if it is the last to see any of the operand's roots, and all of them were made
in this plan (or are inputs that the caller gives away).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from stablehlo_py.interpreter.chain import Chain
from stablehlo_py.interpreter.fusion import fuse
from stablehlo_py.interpreter.plan import Flow, Plan, Step, byte_size
from stablehlo_py.ir.types import TensorType, Type

SMALL = 1 << 15  # bytes: below it, neither freeing nor writing in place pays
FOREVER = 1 << 60


def optimize(
    plan: Plan,
    fresh: bool = False,
    owned: frozenset[int] = frozenset(),
    lifted: bool = False,
    plain: bool = False,
) -> frozenset[int]:
    """Prepares a plan. `fresh`: its results may not share memory with its inputs, or each other.

    `owned` are the inputs that the caller may give away. `plain`: every step stays as it is, and writes
    into no operand. Returns the inputs that the caller must give away: those in whose memory the plan writes.
    """
    if plain:
        if fresh:
            _copy_outputs(plan)
        _free(plan)
        return frozenset()
    _drop_dead_steps(plan)
    if not lifted:
        _share_equal_steps(plan)
        fuse(plan)
    if fresh:
        _copy_outputs(plan)
    writes = _write_in_place(plan, owned)
    _free(plan)
    return writes


def summarize(plan: Plan) -> tuple[Flow, ...]:
    """Where each output's memory may come from."""
    memory = _Memory(plan)
    return tuple([memory.flow(slot) for slot in plan.outputs])


def _drop_dead_steps(plan: Plan) -> None:
    used = set(plan.outputs)
    kept: list[Step] = []
    for step in reversed(plan.steps):
        if step.effect or not used.isdisjoint(step.outs):
            kept.append(step)
            used.update(step.ins)
    plan.steps[:] = reversed(kept)


def _share_equal_steps(plan: Plan) -> None:
    """Computes once what several steps compute: elementwise steps, broadcasts, reductions of rows."""
    same: dict[int, int] = {}
    seen: dict[tuple[Any, ...], int] = {}
    kept: list[Step] = []
    for step in plan.steps:
        step.ins = tuple([same.get(slot, slot) for slot in step.ins])
        what = _computation(step)
        if what is None:
            kept.append(step)
            continue
        (out,) = step.outs
        first = seen.setdefault((what, step.ins, plan.types[out]), out)
        if first == out:
            kept.append(step)
        else:
            same[out] = first
    plan.steps[:] = kept
    plan.outputs = tuple([same.get(slot, slot) for slot in plan.outputs])


def _computation(step: Step) -> object:
    """What a step does, as a key that equal steps share; None where that is not known."""
    if step.effect or len(step.outs) != 1:
        return None
    if step.name == "stablehlo.broadcast_in_dim":
        return step.op.attribute("broadcast_dimensions")
    return step.call if step.elementwise else step.rows


def _copy_outputs(plan: Plan) -> None:
    """Copies results that share memory with inputs, constants or each other, or that repeat elements."""
    memory = _Memory(plan)
    seen: set[int] = set()
    outputs: list[int] = []
    for slot in plan.outputs:
        flow, roots = memory.flow(slot), memory.roots[slot]
        if isinstance(plan.types[slot], TensorType) and (flow != Flow() or roots & seen):
            slot = _copy(plan, slot, len(plan.steps))
        seen |= roots
        outputs.append(slot)
    plan.outputs = tuple(outputs)


def _copy(plan: Plan, slot: int, at: int) -> int:
    """Puts a step that copies `slot` before step `at`; gives the slot of the copy."""
    plan.types.append(plan.types[slot])
    made = len(plan.types) - 1
    op = plan.steps[at].op if at < len(plan.steps) else plan.steps[-1].op if plan.steps else None
    plan.steps.insert(at, Step("copy", np.array, (slot,), (made,), op))  # type: ignore[arg-type]
    return made


@dataclass(init=False, slots=True)
class _Memory:
    """The roots of every slot, and which slots hold arrays that repeat elements."""

    plan: Plan
    roots: dict[int, frozenset[int]]
    spread: set[int]
    shared: set[int]  # roots that are constants or come from functions that may give such

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.roots = {slot: frozenset({slot}) for slot in (*range(plan.arity), *plan.constants)}
        self.spread = set(plan.constants)
        self.shared = set(plan.constants)
        for step in plan.steps:
            self._follow(step)

    def _follow(self, step: Step) -> None:
        for index, out in enumerate(step.outs):
            self.roots[out] = frozenset({out})
            if step.flows is not None:
                self._flow_into(out, step, step.flows[index])
            elif step.view:
                self.roots[out] = frozenset().union(*[self.roots[slot] for slot in step.ins])
                if self._repeats(step, out):
                    self.spread.add(out)

    def _flow_into(self, out: int, step: Step, flow: Flow) -> None:
        sources = [step.ins[i] for i in flow.inputs]
        self.roots[out] = frozenset({out}).union(*[self.roots[slot] for slot in sources])
        if flow.constant:
            self.shared.add(out)
        if flow.spread or not self.spread.isdisjoint(sources):
            self.spread.add(out)

    def _repeats(self, step: Step, out: int) -> bool:
        """Whether a view may hold one element in several places: it has more of them than its operand."""
        if not step.ins:
            return True  # what is made of nothing, as by an iota, may be one row for all
        sizes = [_elements(self.plan.types[slot]) for slot in (step.ins[0], out)]
        grows = None in sizes or sizes[1] > sizes[0]  # type: ignore[operator]
        return grows or not self.spread.isdisjoint(step.ins)

    def flow(self, slot: int) -> Flow:
        """Where the array in a slot may come from, in terms of the plan's inputs."""
        roots = self.roots[slot]
        inputs = frozenset(root for root in roots if root < self.plan.arity)
        return Flow(inputs, not roots.isdisjoint(self.shared), slot in self.spread)


def _elements(type: Type) -> int | None:
    return type.size if isinstance(type, TensorType) else None


def _write_in_place(plan: Plan, owned: frozenset[int]) -> frozenset[int]:
    """Lets steps overwrite what dies with them, copies what loops must own; gives the inputs written to."""
    memory = _Memory(plan)
    given = _exclusive(plan, memory, owned)
    last = _last_sights(plan, memory)
    writes: set[int] = set()

    def owns(index: int, step: Step, position: int) -> bool:
        slot = step.ins[position]
        roots = memory.roots[slot]
        mine = all((r >= plan.arity or r in given) and r not in memory.shared for r in roots)
        alone = all(last[r] == index for r in roots) and slot not in memory.spread
        others = [memory.roots[s] for p, s in enumerate(step.ins) if p != position]
        return mine and alone and all(roots.isdisjoint(o) for o in others)

    copies: list[tuple[Step, int]] = []
    for index, step in enumerate(plan.steps):
        step.overwrites = taken = _overwritten(plan, step, partial(owns, index, step))
        if step.owns is not None:
            taken = tuple(p for p in sorted(step.owns.inputs) if owns(index, step, p))
            copies += [(step, p) for p in step.owns.inputs if p not in taken]
        for position in taken:
            writes.update(r for r in memory.roots[step.ins[position]] if r < plan.arity)
    if writes:
        writes.update(_passed_on(plan, memory, given))
    for step, position in copies:
        slot = _copy(plan, step.ins[position], _place(plan, step))
        step.ins = (*step.ins[:position], slot, *step.ins[position + 1 :])
    return frozenset(writes)


def _place(plan: Plan, step: Step) -> int:
    return next(i for i, other in enumerate(plan.steps) if other is step)


def _passed_on(plan: Plan, memory: _Memory, given: frozenset[int]) -> set[int]:
    """The inputs that are given away and come out at another place, where they may be written to."""
    return {
        root
        for place, slot in enumerate(plan.outputs)
        for root in memory.roots[slot]
        if root in given and root != place
    }


def _exclusive(plan: Plan, memory: _Memory, owned: frozenset[int]) -> frozenset[int]:
    """The inputs of a loop's body that it can own: what it gives in their place is nobody else's."""
    given = owned
    while True:
        bad = set()
        for place in given:
            flow, roots = memory.flow(plan.outputs[place]), memory.roots[plan.outputs[place]]
            others = [memory.roots[s] for p, s in enumerate(plan.outputs) if p != place]
            shared = any(not roots.isdisjoint(o) for o in others)
            if flow.constant or flow.spread or shared or not flow.inputs <= given:
                bad.add(place)
        if not bad:
            return given
        given -= bad


def _last_sights(plan: Plan, memory: _Memory) -> dict[int, int]:
    """For each root, the last step that sees an array that may share its memory."""
    last: dict[int, int] = {}
    for index, step in enumerate(plan.steps):
        for slot in (*step.ins, *step.outs):
            for root in memory.roots[slot]:
                last[root] = index
    for slot in plan.outputs:
        for root in memory.roots[slot]:
            last[root] = FOREVER
    return last


def _overwritten(plan: Plan, step: Step, owns: Callable[[int], bool]) -> tuple[int, ...]:
    """The positions of the operands that a step writes into."""
    if step.overwritable and step.in_place is not None:
        return step.overwritable if all(owns(p) for p in step.overwritable) else ()
    candidates = _replaceable(plan, step)
    position = next(
        (p for p in candidates if plan.types[step.ins[p]] is plan.types[step.outs[0]] and owns(p)), None
    )
    if position is None:
        return ()
    step.in_place = _into(step.call, position)
    return (position,)


def _replaceable(plan: Plan, step: Step) -> Sequence[int]:
    """The positions of the operands that a ufunc or a chain may write its large result over."""
    if len(step.outs) != 1 or (byte_size(plan.types[step.outs[0]]) or 0) < SMALL:
        return ()
    if isinstance(step.call, Chain):
        return step.call.replaceable
    direct = step.elementwise and isinstance(step.call, np.ufunc) and step.call.nout == 1
    return range(len(step.ins)) if direct and _keeps_type(plan, step) else ()


def _keeps_type(plan: Plan, step: Step) -> bool:
    """Whether every operand has the result's type, so that the ufunc may write into one."""
    return all(plan.types[slot] is plan.types[step.outs[0]] for slot in step.ins)


def _into(call: Any, position: int) -> Callable[..., Any]:
    """A ufunc or a chain that writes into the operand at `position`."""
    if isinstance(call, Chain):
        return lambda *arrays: call(*arrays, into=arrays[position])

    def replace(*arrays: Any) -> Any:
        target = arrays[position]
        return call(*arrays, out=target if target.flags.writeable else None)

    return replace


def _free(plan: Plan) -> None:
    """Lets go of large arrays after their last use."""
    last: dict[int, int] = {}
    for index, step in enumerate(plan.steps):
        for slot in (*step.ins, *step.outs):
            last[slot] = index
    kept = {*plan.outputs, *plan.constants}
    freed: dict[int, list[int]] = {}
    for slot, index in last.items():
        if slot not in kept and (byte_size(plan.types[slot]) or FOREVER) >= SMALL:
            freed.setdefault(index, []).append(slot)
    for index, slots in freed.items():
        plan.steps[index].frees = tuple(slots)
