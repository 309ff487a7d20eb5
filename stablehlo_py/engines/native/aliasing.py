"""Aliasing: results that take the memory of an operand, and the order of steps that permits it.

An update of a part of an array (`dynamic_update_slice`, `scatter`), a loop or a branch can write its result
over an operand that is dead behind it. Everything else that reads the operand comes first: steps are ordered
so, and cut into segments. What one segment reads for the next is stored in between, so that no expression
reads an array behind its update.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.native.region import CASE, CONTROL, IF, WHILE
from stablehlo_py.engines.native.scope import Buffer
from stablehlo_py.interpreter.plan import Plan, Step

_UPDATE = "stablehlo.dynamic_update_slice"
_SCATTER = "stablehlo.scatter"
_UPDATES = (_UPDATE, _SCATTER)  # write parts of their first operands
SMALL = 64  # elements: arrays whose copies cost less than storing what is read of them


class Sharing(NamedTuple):
    """How the values of a block share memory.

    Attributes:
        steps: The steps in the order of execution.
        operands: For each result that takes the memory of an operand, the operand.
    """

    steps: Sequence[Step]
    operands: Mapping[int, int]

    def root(self, slot: int) -> int:
        """The first of the values that are in one memory."""
        while slot in self.operands:
            slot = self.operands[slot]
        return slot

    def segments(self) -> list[list[Step]]:
        """Control flow by itself, and what is between; none writes over what another step of it reads."""
        found: list[list[Step]] = []
        read: set[int] = set()
        for step in self.steps:
            written = {self.operands[slot] for slot in step.outs if slot in self.operands}
            is_alone = step.name in CONTROL or not found or found[-1][0].name in CONTROL
            if is_alone or not written.isdisjoint(read):
                found.append([])
                read = set()
            found[-1].append(step)
            read.update(step.ins)
        return found


def share_memory(
    plan: Plan[Step], steps: Sequence[Step], owned: Collection[int], kept: Collection[int]
) -> Sharing:
    """Decide which results take the memory of an operand.

    Args:
        plan: The plan.
        steps: Some of its steps, in order.
        owned: The inputs that may be overwritten.
        kept: The values that are read behind the steps.
    """
    if not any(step.name in _UPDATES or step.name in CONTROL for step in steps):
        return Sharing(steps, {})
    steps = _readers_first(plan, steps, owned)
    readers = _readers(steps)
    made = set(owned)
    operands: dict[int, int] = {}
    for n, step in enumerate(steps):
        free = {slot for slot in step.ins if slot in made and slot not in kept and readers[slot][-1] == n}
        for slot, operand in _pairs(plan, step, free):
            if step.name in CONTROL or len(readers[operand]) == 1 or _pays(plan, step):
                operands[slot] = operand
        made.update(step.outs)
    return Sharing(steps, operands)


def loop_sources(body: Plan[Step]) -> list[int | None]:
    """For each value of a loop, the one in whose memory its next value is, if there is one: often itself."""
    count = len(body.outputs)
    sharing = share_memory(body, body.steps, range(count), body.outputs)
    roots = [sharing.root(slot) for slot in body.outputs]
    found: list[int | None] = [k if root == k else None for k, root in enumerate(roots)]
    for k, root in enumerate(roots):
        if found[k] is None and root < count and root not in found and prod(body.shape_of(k)) > SMALL:
            found[k] = root
    return found


def is_in_place(step: Step, buffers: Mapping[int, Buffer]) -> bool:
    """Test whether a step updates its first operand where it is."""
    operand, result = buffers.get(step.ins[0]), buffers.get(step.outs[0])
    return (
        step.name in _UPDATES and operand is not None and result is not None and operand.name == result.name
    )


def update_size(plan: Plan[Step], step: Step) -> int:
    """The number of elements that an update writes."""
    return prod(plan.shape_of(step.ins[1 if step.name == _UPDATE else len(step.outs) + 1]))


def _readers(steps: Sequence[Step]) -> dict[int, list[int]]:
    """The numbers of the steps that read each slot."""
    found: dict[int, list[int]] = {}
    for n, step in enumerate(steps):
        for slot in dict.fromkeys(step.ins):
            found.setdefault(slot, []).append(n)
    return found


def _readers_first(plan: Plan[Step], steps: Sequence[Step], owned: Collection[int]) -> Sequence[Step]:
    """Move what reads a large array before its update, where it does not depend on the update."""
    readers = _readers(steps)
    order = list(steps)
    own = {*owned, *(slot for step in steps for slot in step.outs)}
    for n, step in enumerate(steps):
        updated = own.intersection(_replaced(plan, step))
        late = {slot for slot in updated if readers[slot][-1] > n and prod(plan.shape_of(slot)) > SMALL}
        if late:
            order = _moved_before(order, step, late)
    return order


def _replaced(plan: Plan[Step], step: Step) -> Sequence[int]:
    """The operands that results of a step replace, or may replace."""
    if step.name in (IF, CASE):
        types = {plan.types[slot] for slot in step.outs}
        return [slot for slot in step.ins[1:] if plan.types[slot] in types]
    return step.ins[: len(step.outs)] if step.name == WHILE or step.name in _UPDATES else ()


def _moved_before(order: list[Step], step: Step, slots: Set[int]) -> list[Step]:
    """Move all readers of some slots, and what they depend on, before a step, if they do not depend on it."""
    (at,) = [n for n, other in enumerate(order) if other is step]
    needed: set[int] = set()
    taken: list[Step] = []
    rest: list[Step] = []
    for other in reversed(order[at + 1 :]):
        if slots.isdisjoint(other.ins) and needed.isdisjoint(other.outs):
            rest.append(other)
        else:
            needed.update(other.ins)
            taken.append(other)
    if not needed.isdisjoint(step.outs):
        return order
    return [*order[:at], *reversed(taken), step, *reversed(rest)]


def _pairs(plan: Plan[Step], step: Step, free: Set[int]) -> Iterator[tuple[int, int]]:
    """The results of a step that can be in the memory of a free operand, each with the operand."""
    if step.name in (IF, CASE):
        yield from _of_branches(step, free)
        return
    for slot, operand in zip(step.outs, _replaced(plan, step), strict=False):
        if operand in free and step.ins.count(operand) == 1:
            yield slot, operand


def captured_by(step: Step) -> list[tuple[int, ...]]:
    """The operands that each branch captures."""
    found, at = [], 1
    for branch in step.plans:
        found.append(step.ins[at : at + branch.captures])
        at += branch.captures
    return found


def _of_branches(step: Step, free: Set[int]) -> Iterator[tuple[int, int]]:
    """The results that every branch has in the memory of one operand."""
    found = []
    for branch, captured in zip(step.plans, captured_by(step), strict=True):
        owned = {k for k, slot in enumerate(captured) if slot in free and captured.count(slot) == 1}
        sharing = share_memory(branch, branch.steps, owned, branch.outputs)
        roots = [sharing.root(slot) for slot in branch.outputs]
        found.append([captured[root] if root in owned else None for root in roots])
    used: set[int] = set()
    for slot, operands in zip(step.outs, zip(*found, strict=True), strict=True):
        operand = operands[0]
        if operand is not None and set(operands) == {operand} and operand not in used:
            used.add(operand)
            yield slot, operand


def _pays(plan: Plan[Step], step: Step) -> bool:
    """Test whether storing an update first costs less than a copy of the array."""
    size = prod(plan.shape_of(step.ins[0]))
    return size > SMALL and 2 * update_size(plan, step) <= size
