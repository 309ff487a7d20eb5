"""Alias analysis: which arrays may share memory, within a plan and through the regions of its steps.

The roots of a slot are the slots whose steps allocated the memory that its array may share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from stablehlo_py.interpreter.plan import Alias, Plan, Step
from stablehlo_py.ir.types import TensorType, Type


class AliasAnalysis:
    """The roots of every slot of a plan, and the slots whose arrays repeat elements.

    Attributes:
        roots: For each slot, the slots whose memory its array may share.
        repeating: The slots whose arrays may have several elements at one address.
        shared: The roots that are constants, or results of functions that may return constants.
    """

    def __init__(self, plan: Plan[Any]) -> None:
        self.plan = plan
        self.roots = {slot: frozenset({slot}) for slot in (*range(plan.arity), *plan.constants)}
        self.repeating = set(plan.constants)
        self.shared = set(plan.constants)
        for step in plan.steps:
            self._visit(step)

    def alias(self, slot: int) -> Alias:
        """Return the memory that the array in a slot may share, in terms of the plan's inputs."""
        roots = self.roots[slot]
        inputs = frozenset(root for root in roots if root < self.plan.arity)
        return Alias(inputs, not roots.isdisjoint(self.shared), slot in self.repeating)

    def _visit(self, step: Step) -> None:
        for index, out in enumerate(step.outs):
            self.roots[out] = frozenset({out})
            if step.aliases is not None:
                self._share(out, step, step.aliases[index])
            elif step.view:
                self.roots[out] = frozenset().union(*[self.roots[slot] for slot in step.ins])
                if self._repeats(step, out):
                    self.repeating.add(out)

    def _share(self, out: int, step: Step, alias: Alias) -> None:
        sources = [step.ins[i] for i in alias.inputs]
        self.roots[out] = frozenset({out}).union(*[self.roots[slot] for slot in sources])
        if alias.constant:
            self.shared.add(out)
        if alias.repeats or not self.repeating.isdisjoint(sources):
            self.repeating.add(out)

    def _repeats(self, step: Step, out: int) -> bool:
        """Return True if a view may repeat elements: it has more of them than its operand."""
        if not step.ins:
            return True  # views without operands, such as an iota, may be broadcast
        sizes = [_elements(self.plan.types[slot]) for slot in (step.ins[0], out)]
        grows = None in sizes or sizes[1] > sizes[0]  # type: ignore[operator]
        return grows or not self.repeating.isdisjoint(step.ins)


def _elements(type: Type) -> int | None:
    return type.size if isinstance(type, TensorType) else None


def output_aliases(plan: Plan[Any]) -> tuple[Alias, ...]:
    """Return the memory that each output of a plan may share."""
    analysis = AliasAnalysis(plan)
    return tuple([analysis.alias(slot) for slot in plan.outputs])


def result_aliases(step: Step, plans: Sequence[Plan[Any]]) -> tuple[Alias, ...]:
    """Return the memory that each result of a step may share.

    Args:
        step: The step.
        plans: The plans of its bodies, after their alias analysis.
    """
    assert step.op is not None
    assert step.definition is not None
    loop = step.definition.loop
    if loop is not None and loop.condition:
        return _loop_aliases(step, *plans)
    if "branches" in step.definition.traits:
        return _branch_aliases(step, plans)
    fresh = all(alias == Alias() for plan in plans for alias in plan.aliases or ())
    anywhere = Alias(frozenset(range(len(step.ins))), constant=True, repeats=True)
    return (Alias() if fresh else anywhere,) * len(step.op.results)


def _branch_aliases(step: Step, plans: Sequence[Plan[Any]]) -> tuple[Alias, ...]:
    """Return the aliases of a conditional: those of any branch, whose inputs are its captures."""
    at = len(step.ins) - sum(plan.captures for plan in plans)
    found: list[list[Alias]] = []
    for plan in plans:
        found.append([_moved(alias, {i: at + i for i in alias.inputs}) for alias in plan.aliases or ()])
        at += plan.captures
    return tuple([_union(aliases) for aliases in zip(*found, strict=True)])


def _loop_aliases(step: Step, cond: Plan[Any], body: Plan[Any]) -> tuple[Alias, ...]:
    """Return the aliases of a loop: the operand, or the body's output, which may alias the body's inputs."""
    count = len(step.ins) - cond.captures - body.captures
    aliases = [
        Alias() if i in body.writes else Alias(a.inputs | {i}, a.constant, a.repeats)
        for i, a in enumerate(body.aliases or ())
    ]
    for _ in range(count):
        wider = [_union([a, *[aliases[i] for i in a.inputs if i < count]]) for a in aliases]
        if wider == aliases:
            break
        aliases = wider
    return tuple([_moved(a, {i: i if i < count else i + cond.captures for i in a.inputs}) for a in aliases])


def _moved(alias: Alias, positions: dict[int, int]) -> Alias:
    return Alias(frozenset(positions.values()), alias.constant, alias.repeats)


def _union(aliases: Iterable[Alias]) -> Alias:
    aliases = list(aliases)
    inputs = frozenset().union(*[a.inputs for a in aliases])
    return Alias(inputs, any(a.constant for a in aliases), any(a.repeats for a in aliases))
