"""Chains: elementwise steps of one shape that run together, block by block.

A block of every intermediate fits in the cache, so that a chain reads its inputs and writes its
outputs once, whatever its length.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod

import numpy as np

from stablehlo_py.interpreter.chain import Chain, Link
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.dtypes import numpy_dtype
from stablehlo_py.ir.types import TensorType, Type

SMALLEST = 1 << 14  # elements: smaller arrays are in the cache anyway


@dataclass(slots=True, eq=False)
class _Group:
    """Steps that may run together: `bits` stand for the group, `needs` for the groups it depends on."""

    shape: tuple[int, ...]
    bits: int
    needs: int = 0
    members: list[int] = field(default_factory=list)


def fuse(plan: Plan) -> None:
    """Replaces chains of elementwise steps by one step each."""
    groups = [g for g in _Grouping(plan).groups if len(g.members) > 1]
    if not groups:
        return
    users = _users(plan)
    scalars = _scalars(plan)
    items: list[tuple[int, Step]] = []
    taken = {index for group in groups for index in group.members}
    for group in groups:
        items.append((max(group.members), _chain_step(plan, group, users, scalars)))
    items += [(index, step) for index, step in enumerate(plan.steps) if index not in taken]
    plan.steps[:] = _scheduled(items)


def _users(plan: Plan) -> dict[int, list[int]]:
    """The steps that use each slot; -1 stands for the plan's results."""
    users: dict[int, list[int]] = {}
    for index, step in enumerate(plan.steps):
        for slot in step.ins:
            users.setdefault(slot, []).append(index)
    for slot in plan.outputs:
        users.setdefault(slot, []).append(-1)
    return users


def _scalars(plan: Plan) -> dict[int, int]:
    """For slots that hold one element everywhere, a slot with that element alone."""
    found: dict[int, int] = {}
    for slot, value in list(plan.constants.items()):
        if isinstance(value, np.ndarray) and value.ndim and value.size and not any(value.strides):
            plan.types.append(TensorType((), plan.types[slot].element_type))  # type: ignore[attr-defined]
            plan.constants[len(plan.types) - 1] = value[(0,) * value.ndim]
            found[slot] = len(plan.types) - 1
    for step in plan.steps:
        if step.name == "stablehlo.broadcast_in_dim" and _shape(plan.types[step.ins[0]]) == ():
            found[step.outs[0]] = step.ins[0]
    return found


def _shape(type: Type) -> tuple[int, ...] | None:
    """The shape of a tensor type whose sizes are all known."""
    return type.shape if isinstance(type, TensorType) and type.is_static else None  # type: ignore[return-value]


class _Grouping:
    """Finds groups: a step joins those of its operands, unless a path between them leads outside."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.groups: list[_Group] = []
        self._of: dict[int, _Group] = {}  # by slot
        self._needs: dict[int, int] = {}  # groups that a slot depends on
        for index, step in enumerate(plan.steps):
            self._visit(index, step)

    def _visit(self, index: int, step: Step) -> None:
        needs = 0
        for slot in step.ins:
            needs |= self._needs.get(slot, 0)
        shape = self._joinable(step)
        if shape is None:
            self._needs.update(dict.fromkeys(step.outs, self._closure(needs)))
            return
        group = self._home(step, shape)
        group.members.append(index)
        outside = 0
        for slot in step.ins:
            if self._of.get(slot) is not group:
                outside |= self._needs.get(slot, 0)
        self._depend(group, self._closure(outside))
        for out in step.outs:
            self._of[out] = group
            self._needs[out] = group.bits

    def _joinable(self, step: Step) -> tuple[int, ...] | None:
        """The shape of an elementwise step that is worth joining."""
        if not step.elementwise or step.effect or len(step.outs) != 1:
            return None
        shape = _shape(self.plan.types[step.outs[0]])
        if shape is None or prod(shape) < SMALLEST:
            return None
        fits = all(_shape(self.plan.types[slot]) in (shape, ()) for slot in step.ins)
        return shape if fits else None

    def _closure(self, needs: int) -> int:
        """All groups that something depends on which depends on `needs`."""
        for group in self.groups:
            if group.bits & needs:
                needs |= group.needs | group.bits
        return needs

    def _home(self, step: Step, shape: tuple[int, ...]) -> _Group:
        """The group that a step joins: that of its operands, merged into one where they may be."""
        home: _Group | None = None
        for slot in step.ins:
            group = self._of.get(slot)
            if group is None or group is home or group.shape != shape or not self._may_join(step, group):
                continue
            if home is None:
                home = group
            elif not (home.needs & group.bits or group.needs & home.bits):
                self._merge(home, group)
        if home is None:
            home = _Group(shape, 1 << len(self.groups))
            self.groups.append(home)
        return home

    def _may_join(self, step: Step, group: _Group) -> bool:
        """Whether no operand from outside of the group depends on it."""
        outside = 0
        for slot in step.ins:
            if self._of.get(slot) is not group:
                outside |= self._needs.get(slot, 0)
        return not self._closure(outside) & group.bits

    def _merge(self, home: _Group, group: _Group) -> None:
        home.members += group.members
        home.needs |= group.needs
        home.bits |= group.bits
        group.members = []
        for slot, owner in self._of.items():
            if owner is group:
                self._of[slot] = home
        self._depend(home, home.needs)
        group.bits = 0

    def _depend(self, group: _Group, needs: int) -> None:
        """Makes a group, and all that depend on it, depend on `needs`."""
        group.needs |= needs
        for other in self.groups:
            if other.needs & group.bits:
                other.needs |= group.needs | group.bits


def _chain_step(plan: Plan, group: _Group, users: dict[int, list[int]], scalars: dict[int, int]) -> Step:
    """The one step that stands for the members of a group."""
    members = sorted(group.members)
    steps = [plan.steps[index] for index in members]
    inside = set(members)
    made = [step.outs[0] for step in steps]
    outs = tuple(slot for slot in made if any(u not in inside for u in users.get(slot, ())))
    known = set(made)
    ins: dict[int, None] = {}
    links: list[Link] = []
    for step in steps:
        sources = tuple(slot if slot in known else scalars.get(slot, slot) for slot in step.ins)
        ins.update(dict.fromkeys(slot for slot in sources if slot not in known))
        dtype = numpy_dtype(plan.types[step.outs[0]].element_type)  # type: ignore[attr-defined]
        links.append(Link(step.call, sources, step.outs[0], dtype))
    full = frozenset(slot for slot in ins if _shape(plan.types[slot]) == group.shape)
    chain = Chain(group.shape, tuple(ins), full, tuple(links), outs)
    note = ", ".join(step.name.partition(".")[2] for step in steps)
    return Step("chain", chain, tuple(ins), outs, steps[-1].op, packed=len(outs) > 1, note=note)


def _scheduled(items: list[tuple[int, Step]]) -> list[Step]:
    """Steps in an order where each follows what it uses, near to the original one; effects keep theirs."""
    items.sort(key=lambda item: item[0])
    steps = [step for _, step in items]
    maker = {slot: index for index, step in enumerate(steps) for slot in step.outs}
    waits = [len({maker[s] for s in step.ins if s in maker}) for step in steps]
    followers: list[list[int]] = [[] for _ in steps]
    for index, step in enumerate(steps):
        for source in {maker[s] for s in step.ins if s in maker}:
            followers[source].append(index)
    for before, after in pairwise([i for i, step in enumerate(steps) if step.effect]):
        followers[before].append(after)
        waits[after] += 1
    ready = [index for index, count in enumerate(waits) if count == 0]
    order: list[Step] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(steps[index])
        for follower in followers[index]:
            waits[follower] -= 1
            if waits[follower] == 0:
                heapq.heappush(ready, follower)
    return order
