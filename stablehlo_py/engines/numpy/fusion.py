"""Fusion: elementwise steps of one shape form chains, which run block by block.

A block of every intermediate fits in the cache, so that a chain reads its inputs and writes its outputs once,
whatever its length. Blocks may be whole rows: then reductions of rows, and elementwise steps on their
results, can be part of the chain.
"""

from __future__ import annotations

import heapq
from dataclasses import field
from itertools import pairwise
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.numpy.broadcasting import Extent, Source, find_sources, static_shape
from stablehlo_py.engines.numpy.chain import Chain, Link
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.plan import Plan
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels.numeric.ufuncs import is_ufunc

SMALLEST = 1 << 14  # elements: smaller arrays fit in the cache
LONGEST = 1 << 17  # elements: longer rows do not fit in the cache as blocks
LONG = 1 << 24  # elements: on so many, even a single ufunc takes too long not to be interrupted


@dataclass(slots=True, eq=False)
class _Group:
    """Steps that may run together: `bits` identify the group, `needs` the groups that it depends on."""

    shape: tuple[int, ...]
    bits: int
    needs: int = 0
    members: list[int] = field(default_factory=list)


class _Member(NamedTuple):
    """A step in a group of a shape: the extent of its result, and its sources."""

    shape: tuple[int, ...]
    extent: Extent
    sources: tuple[Source, ...]


def fuse(plan: Plan[BoundStep]) -> None:
    """Replace each chain of elementwise steps by one step.

    Args:
        plan: The plan, which is changed.
    """
    grouping = _Grouping(plan)
    groups = [g for g in grouping.groups if len(g.members) > 1 or grouping.takes_passes(g)]
    if not groups:
        return
    taken = {index for group in groups for index in group.members}
    for index in taken:
        plan.steps[index].ins = tuple([source.slot for source in grouping.members[index].sources])
    users = _users(plan)
    items = [(max(group.members), _chain_step(plan, group, users, grouping.members)) for group in groups]
    items += [(index, step) for index, step in enumerate(plan.steps) if index not in taken]
    plan.steps[:] = _scheduled([item for item in items if item[1].effect or item[1].outs])


def _users(plan: Plan[BoundStep]) -> dict[int, list[int]]:
    """Return the steps that use each slot, with -1 for the plan's outputs; unused steps are ignored."""
    users: dict[int, list[int]] = {slot: [-1] for slot in plan.outputs}
    for index, step in reversed(list(enumerate(plan.steps))):
        if not step.effect and users.keys().isdisjoint(step.outs):
            step.outs = ()
            continue
        for slot in step.ins:
            users.setdefault(slot, []).append(index)
    return users


class _Grouping:
    """The grouping of steps: a step joins its operands' group, unless a path between them leads outside."""

    def __init__(self, plan: Plan[BoundStep]) -> None:
        self.plan = plan
        self.groups: list[_Group] = []
        self.members: dict[int, _Member] = {}  # by index of step
        self._broadcast = find_sources(plan)
        self._of: dict[int, _Group] = {}  # by slot
        self._made: dict[int, Extent] = {}  # by slot
        self._needs: dict[int, int] = {}  # groups that a slot depends on
        self._effects = 0  # groups that the effects so far depend on, which keep their order
        self._thin: set[int] = set()  # slots whose operands are all broadcasts to their shape
        for index, step in enumerate(plan.steps):
            self._visit(index, step)

    def _visit(self, index: int, step: BoundStep) -> None:
        member = self._member(step)
        if member is None:
            needs = self._effects if step.effect else 0
            for slot in step.ins:
                needs |= self._needs.get(slot, 0)
            needs = self._closure(needs)
            if step.effect:
                self._effects = needs
            self._needs.update(dict.fromkeys(step.outs, needs))
            return
        group = self._home(member)
        group.members.append(index)
        self.members[index] = member
        self._depend(group, self._closure(self._outside(member, group)))
        (out,) = step.outs
        self._of[out] = group
        self._made[out] = member.extent
        self._needs[out] = group.bits
        if not any(s.extent is Extent.FULL and s.slot not in self._thin for s in member.sources):
            self._thin.add(out)

    def _outside(self, member: _Member, group: _Group) -> int:
        """Return the groups that a member's sources depend on, except where the group computes by blocks."""
        needs = 0
        for slot, extent in member.sources:
            if self._of.get(slot) is not group or self._made[slot] is not extent:
                needs |= self._needs.get(slot, 0)
        return needs

    def takes_passes(self, group: _Group) -> bool:
        """Return True if a group is a single step that makes several passes over arrays, or a long one."""
        if len(group.members) != 1:
            return False
        (index,) = group.members
        step, full = self.plan.steps[index], any(s.extent is Extent.FULL for s in self.members[index].sources)
        is_long = prod(self.plan.shape_of(step.outs[0])) >= LONG
        return step.elementwise and full and (is_long or not is_ufunc(step.call))

    # Candidates

    def _member(self, step: BoundStep) -> _Member | None:
        """Return a step as a member, if fusing it is worthwhile."""
        if step.effect or len(step.outs) != 1:
            return None
        if step.elementwise:
            return self._elementwise(step)
        return self._reduction(step) if step.rows is not None else None

    def _elementwise(self, step: BoundStep) -> _Member | None:
        shape = static_shape(self.plan.types[step.outs[0]])
        if shape is None:
            return None
        on_rows = self._on_rows(step, shape)
        if on_rows is not None or prod(shape) < SMALLEST:
            return on_rows
        sources = [self._source(slot, shape) for slot in step.ins]
        if None in sources:
            return None
        return _Member(shape, Extent.FULL, tuple(sources))  # type: ignore[arg-type]

    def _source(self, slot: int, shape: tuple[int, ...]) -> Source | None:
        have = static_shape(self.plan.types[slot])
        if have == ():
            return Source(slot, Extent.SCALAR)
        if have != shape:
            return None
        found = self._broadcast.get(slot)
        short = shape[-1] <= LONGEST
        return found if found and (short or found.extent is Extent.SCALAR) else Source(slot, Extent.FULL)

    def _on_rows(self, step: BoundStep, shape: tuple[int, ...]) -> _Member | None:
        """Return an elementwise step on one element per row of a group."""
        sources = [self._row_source(slot, shape) for slot in step.ins]
        for source in sources:
            group = self._of.get(source.slot) if source else None
            if group and group.shape != shape and shape in (group.shape[:-1], (*group.shape[:-1], 1)):
                return _Member(group.shape, Extent.PER_ROW, tuple(sources)) if None not in sources else None  # type: ignore[arg-type]
        return None

    def _row_source(self, slot: int, shape: tuple[int, ...]) -> Source | None:
        have = static_shape(self.plan.types[slot])
        if have == ():
            return Source(slot, Extent.SCALAR)
        if have != shape:
            return None
        found = self._broadcast.get(slot)
        same = found and (
            found.extent is Extent.SCALAR or (found.extent is Extent.PER_ROW and shape[-1] == 1)
        )
        return found if same else Source(slot, Extent.PER_ROW)

    def _reduction(self, step: BoundStep) -> _Member | None:
        operand, init = step.ins
        shape = static_shape(self.plan.types[operand])
        if shape is None or prod(shape) < SMALLEST or not 1 < shape[-1] <= LONGEST or operand in self._thin:
            return None
        if self._broadcast.get(operand):
            return None
        return _Member(shape, Extent.PER_ROW, (Source(operand, Extent.FULL), Source(init, Extent.SCALAR)))

    def _closure(self, needs: int) -> int:
        """Return `needs` with all groups that they depend on, transitively."""
        for group in self.groups:
            if group.bits & needs:
                needs |= group.needs | group.bits
        return needs

    def _home(self, member: _Member) -> _Group:
        """Return the group that a step joins: the group of its operands, merged into one where possible."""
        home: _Group | None = None
        for slot, _ in member.sources:
            group = self._of.get(slot)
            if group is None or group is home or group.shape != member.shape:
                continue
            if self._closure(self._outside(member, group)) & group.bits:
                continue  # an operand outside of the group, so also one of another group, depends on it
            if home is None:
                home = group
            else:
                self._merge(home, group)
        if home is None:
            home = _Group(member.shape, 1 << len(self.groups))
            self.groups.append(home)
        return home

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
        """Make a group, and all that depend on it, depend on `needs`."""
        group.needs |= needs
        for other in self.groups:
            if other.needs & group.bits:
                other.needs |= group.needs | group.bits


def _chain_step(
    plan: Plan[BoundStep], group: _Group, users: dict[int, list[int]], members: dict[int, _Member]
) -> BoundStep:
    """Return the step that replaces the members of a group."""
    inside = sorted(group.members)
    steps = [plan.steps[index] for index in inside]
    made = [slot for step in steps for slot in step.outs]
    outs = tuple([slot for slot in made if not set(inside).issuperset(users.get(slot, ()))])
    links = [_link(plan, step, members[index]) for index, step in zip(inside, steps, strict=True)]
    taken = dict.fromkeys(source for link in links for source in link.ins if source.slot not in made)
    ins = tuple([source.slot for source in taken])
    chain = Chain(group.shape, tuple(taken), links, outs)
    note = ", ".join(step.name.partition(".")[2] for step in steps)
    ops = tuple([step.op for step in steps if step.op is not None])
    return BoundStep(
        "chain",
        steps[-1].op,
        ins,
        outs,
        call=chain,
        returns_tuple=len(outs) > 1,
        note=note,
        members=ops,
    )


def _link(plan: Plan[BoundStep], step: BoundStep, member: _Member) -> Link:
    (out,) = step.outs
    type = plan.types[out]
    assert isinstance(type, TensorType)
    shape: tuple[int, ...] = type.shape  # type: ignore[assignment]
    call = step.rows or step.call
    return Link(call, member.sources, Source(out, member.extent), numpy_dtype(type.element_type), shape)


def _scheduled(items: list[tuple[int, BoundStep]]) -> list[BoundStep]:
    """Return steps in topological order, near the original one; steps with effects keep their order."""
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
    order: list[BoundStep] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(steps[index])
        for follower in followers[index]:
            waits[follower] -= 1
            if waits[follower] == 0:
                heapq.heappush(ready, follower)
    return order
