"""Buffer reuse (in-place execution): steps write into operands that die with them; loops own what they carry.

A step may write into an operand if it is the last to use any of the operand's roots, and all of them were
made in this plan, or are inputs that the caller gives away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic

from stablehlo_py.interpreter.passes.alias_analysis import AliasAnalysis
from stablehlo_py.interpreter.passes.liveness import FOREVER
from stablehlo_py.interpreter.plan import COPY, Alias, Plan, S, Step
from stablehlo_py.ir.types import TensorType

Copy = Callable[[Step], S]  # an engine's step for one that is named `copy`


def copy_shared_outputs(plan: Plan[S], copy: Copy[S]) -> None:
    """Copies results that share memory with inputs, constants or each other, or that repeat elements."""
    analysis = AliasAnalysis(plan)
    seen: set[int] = set()
    outputs: list[int] = []
    for slot in plan.outputs:
        alias, roots = analysis.alias(slot), analysis.roots[slot]
        if isinstance(plan.types[slot], TensorType) and (alias != Alias() or roots & seen):
            slot = _insert_copy(plan, slot, len(plan.steps), copy)
        seen |= roots
        outputs.append(slot)
    plan.outputs = tuple(outputs)


def _insert_copy(plan: Plan[S], slot: int, at: int, copy: Copy[S]) -> int:
    """Puts a step that copies `slot` before step `at`; gives the slot of the copy."""
    plan.types.append(plan.types[slot])
    made = len(plan.types) - 1
    op = plan.steps[at].op if at < len(plan.steps) else plan.steps[-1].op if plan.steps else None
    plan.steps.insert(at, copy(Step(COPY, op, (slot,), (made,))))
    return made


class BufferReuse(Generic[S]):
    """Lets steps overwrite operands, and copies what loops must own.

    Args:
        plan: the plan, whose loops have `owns`.
        candidates: the positions of a step's operands of which it can overwrite any one with its result.
        copy: makes the engine's step of a copy.
    """

    def __init__(self, plan: Plan[S], candidates: Callable[[S], Sequence[int]], copy: Copy[S]) -> None:
        self._plan = plan
        self._candidates = candidates
        self._copy = copy
        self._analysis = AliasAnalysis(plan)
        self._last = self._last_uses()
        self._given: frozenset[int] = frozenset()

    def run(self, given: frozenset[int]) -> frozenset[int]:
        """Sets `overwrites` of the steps.

        Args:
            given: the inputs that the caller can give away.

        Returns:
            The inputs that the caller must give away: those in whose memory the plan writes.
        """
        plan, analysis = self._plan, self._analysis
        self._given = self._exclusive(given)
        writes: set[int] = set()
        copies: list[tuple[S, int]] = []
        for index, step in enumerate(plan.steps):
            owned = partial(self._owned, index, step)
            step.overwrites = taken = self._overwritten(step, owned)
            if step.owns:
                taken = tuple(p for p in sorted(step.owns) if owned(p))
                copies += [(step, p) for p in step.owns if p not in taken]
            for position in taken:
                writes.update(r for r in analysis.roots[step.ins[position]] if r < plan.arity)
        if writes:
            writes.update(self._passed_on())
        for step, position in copies:
            at = next(i for i, other in enumerate(plan.steps) if other is step)
            slot = _insert_copy(plan, step.ins[position], at, self._copy)
            step.ins = (*step.ins[:position], slot, *step.ins[position + 1 :])
        return frozenset(writes)

    def _owned(self, index: int, step: S, position: int) -> bool:
        """Whether nothing else can see the array at a position of a step's operands."""
        roots, slot = self._analysis.roots, step.ins[position]
        mine = all(
            (r >= self._plan.arity or r in self._given) and r not in self._analysis.shared
            for r in roots[slot]
        )
        alone = all(self._last[r] == index for r in roots[slot]) and slot not in self._analysis.repeating
        others = [roots[s] for p, s in enumerate(step.ins) if p != position]
        return mine and alone and all(roots[slot].isdisjoint(o) for o in others)

    def _overwritten(self, step: S, owned: Callable[[int], bool]) -> tuple[int, ...]:
        """The positions of the operands that a step writes into."""
        if step.overwritable:
            return step.overwritable if all(owned(p) for p in step.overwritable) else ()
        types = self._plan.types
        for p in self._candidates(step):
            if types[step.ins[p]] is types[step.outs[0]] and owned(p):
                return (p,)
        return ()

    def _passed_on(self) -> set[int]:
        """The inputs that are given away and come out at another place, where they may be written to."""
        return {
            root
            for position, slot in enumerate(self._plan.outputs)
            for root in self._analysis.roots[slot]
            if root in self._given and root != position
        }

    def _exclusive(self, given: frozenset[int]) -> frozenset[int]:
        """The inputs of a loop's body that it can own: what it gives in their place is nobody else's."""
        outputs, analysis = self._plan.outputs, self._analysis
        while True:
            bad = set()
            for position in given:
                alias, roots = analysis.alias(outputs[position]), analysis.roots[outputs[position]]
                others = [analysis.roots[s] for p, s in enumerate(outputs) if p != position]
                shared = any(not roots.isdisjoint(o) for o in others)
                if alias.constant or alias.repeats or shared or not alias.inputs <= given:
                    bad.add(position)
            if not bad:
                return given
            given -= bad

    def _last_uses(self) -> dict[int, int]:
        """For each root, the last step that uses an array that may share its memory."""
        roots = self._analysis.roots
        last: dict[int, int] = {}
        for index, step in enumerate(self._plan.steps):
            for slot in (*step.ins, *step.outs):
                for root in roots[slot]:
                    last[root] = index
        for slot in self._plan.outputs:
            for root in roots[slot]:
                last[root] = FOREVER
        return last
