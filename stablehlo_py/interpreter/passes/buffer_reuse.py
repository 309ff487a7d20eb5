"""Buffer reuse (in-place execution): steps write into dead operands; loops own the values they carry.

A step may write into an operand if it is the last use of all of the operand's roots, and all roots were
allocated in this plan, or are inputs that the caller gives up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic

from stablehlo_py.interpreter.passes.alias_analysis import AliasAnalysis
from stablehlo_py.interpreter.passes.liveness import FOREVER
from stablehlo_py.interpreter.plan import COPY, Alias, Plan, S, Step
from stablehlo_py.ir.types import TensorType

Copy = Callable[[Step], S]  # from a step named `copy` to the engine's step


def copy_shared_outputs(plan: Plan[S], copy: Copy[S]) -> None:
    """Copy outputs that share memory with inputs, constants or each other, or that repeat elements.

    Args:
        plan: The plan, after alias analysis.
        copy: Creates the engine's step of a copy.
    """
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
    """Insert a step before step `at` that copies `slot`; return the slot of the copy."""
    plan.types.append(plan.types[slot])
    made = len(plan.types) - 1
    op = plan.steps[at].op if at < len(plan.steps) else plan.steps[-1].op if plan.steps else None
    plan.steps.insert(at, copy(Step(COPY, op, (slot,), (made,))))
    return made


class BufferReuse(Generic[S]):
    """In-place execution of steps, with copies of values that loops must own.

    Args:
        plan: The plan, whose loops have `owns`.
        candidates: Returns the positions of a step's operands any one of which it can overwrite.
        copy: Creates the engine's step of a copy.
    """

    def __init__(self, plan: Plan[S], candidates: Callable[[S], Sequence[int]], copy: Copy[S]) -> None:
        self._plan = plan
        self._candidates = candidates
        self._copy = copy
        self._analysis = AliasAnalysis(plan)
        self._last = self._last_uses()
        self._given: frozenset[int] = frozenset()

    def run(self, given: frozenset[int]) -> frozenset[int]:
        """Set `overwrites` of the steps.

        Args:
            given: The inputs that the caller can give up.

        Returns:
            The inputs that the caller must give up: those that the plan overwrites.
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
        """Return True if the array at an operand position is not visible elsewhere."""
        roots, slot = self._analysis.roots, step.ins[position]
        mine = all(
            (r >= self._plan.arity or r in self._given) and r not in self._analysis.shared
            for r in roots[slot]
        )
        alone = all(self._last[r] == index for r in roots[slot]) and slot not in self._analysis.repeating
        others = [roots[s] for p, s in enumerate(step.ins) if p != position]
        return mine and alone and all(roots[slot].isdisjoint(o) for o in others)

    def _overwritten(self, step: S, owned: Callable[[int], bool]) -> tuple[int, ...]:
        """Return the positions of the operands that a step overwrites."""
        if step.overwritable:
            return step.overwritable if all(owned(p) for p in step.overwritable) else ()
        types = self._plan.types
        for p in self._candidates(step):
            if types[step.ins[p]] is types[step.outs[0]] and owned(p):
                return (p,)
        return ()

    def _passed_on(self) -> set[int]:
        """Return the given inputs that are outputs at another position, where they may be overwritten."""
        return {
            root
            for position, slot in enumerate(self._plan.outputs)
            for root in self._analysis.roots[slot]
            if root in self._given and root != position
        }

    def _exclusive(self, given: frozenset[int]) -> frozenset[int]:
        """Return the inputs that a loop body can own: the outputs in their place are not shared."""
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
        """Return for each root the last step that uses an array which may share its memory."""
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
