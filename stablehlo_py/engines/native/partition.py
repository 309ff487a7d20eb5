"""Partition: the steps of a plan that run as native regions, and the order that keeps regions few."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from stablehlo_py.engines.native.elements import element_of
from stablehlo_py.engines.native.emitters import EXPRESSIONS, is_supported
from stablehlo_py.engines.native.nests import DOT, PARTS
from stablehlo_py.engines.native.region import CONTROL, Region
from stablehlo_py.interpreter.plan import Plan, Step

SMALL_DOT = 1 << 20  # multiplications: larger products go to BLAS
LEAST_STEPS = 3  # a region of fewer steps saves less than its call costs


def is_native(plan: Plan[Any], step: Step) -> bool:
    """Whether a step can be part of a region."""
    if step.effect or step.deferred is not None or step.callee:
        return False
    if any(element_of(plan.types[slot]) is None for slot in (*step.ins, *step.outs)):
        return False
    if any(0 in plan.types[slot].shape for slot in (*step.ins, *step.outs)):  # type: ignore[attr-defined]
        return False
    if step.name in CONTROL or step.name == "stablehlo.reduce":
        return all(is_native(body, inner) for body in step.plans for inner in body.steps)
    if step.name == DOT:
        return is_small_dot(plan, step)
    return step.name in PARTS or (step.name in EXPRESSIONS and is_supported(plan, step))


def is_small_dot(plan: Plan[Any], step: Step) -> bool:
    """Whether a product takes less than a call of BLAS would cost besides."""
    types: list[Any] = [plan.types[slot] for slot in (*step.ins, *step.outs)]
    if len({t.element_type for t in types}) != 1 or element_of(types[0]).compute == "i1":  # type: ignore[union-attr]
        return False
    contracted = prod(types[0].shape[d] for d in step.keywords["lhs_contracting_dimensions"])
    return bool(prod(types[2].shape) * contracted <= SMALL_DOT)


def partition(plan: Plan[Any]) -> list[Step | Region]:
    """The steps of a plan in an order with few, large regions.

    Steps that are ready are taken in turn: all native ones, then one that is not, and so on. Steps with effects keep
    their order.
    """
    waiting = list(plan.steps)
    native = {id(step): is_native(plan, step) for step in waiting}
    known = {*range(plan.arity), *plan.constants}
    order: list[list[Step]] = []
    while waiting:
        group = _ready(waiting, known, lambda step: native[id(step)])
        if group:
            order.append(group)
        others = _ready(waiting, known, lambda step: not native[id(step)])
        order += [[step] for step in others]
        assert group or others
    found: list[Step | Region] = []
    for group in order:
        pays = len(group) >= LEAST_STEPS or any(step.name in CONTROL for step in group)
        found += [_region(plan, group)] if native[id(group[0])] and pays else group
    return found


def _ready(waiting: list[Step], known: set[int], wanted: Any) -> list[Step]:
    """Takes the wanted steps whose operands are known, or become so."""
    taken: list[Step] = []
    rest: list[Step] = []
    blocked = False
    for step in waiting:
        ready = known.issuperset(step.ins) and wanted(step) and not (blocked and step.effect)
        if ready:
            taken.append(step)
            known.update(step.outs)
        else:
            rest.append(step)
            blocked = blocked or step.effect
    waiting[:] = rest
    return taken


def _region(plan: Plan[Any], steps: Sequence[Step]) -> Region:
    made = {slot for step in steps for slot in step.outs}
    inside = {id(step) for step in steps}
    used = {slot for step in plan.steps if id(step) not in inside for slot in step.ins} | set(plan.outputs)
    inputs = dict.fromkeys(s for step in steps for s in step.ins if s not in made and s not in plan.constants)
    return Region(plan, tuple(steps), tuple(inputs), tuple(sorted(made & used)))
