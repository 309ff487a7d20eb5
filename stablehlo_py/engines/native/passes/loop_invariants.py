"""Loop-invariant values: a value that a loop carries unchanged is captured instead, or dropped if unused.

Programs carry parameters so that the body can read them, and empty arrays. Empty arrays have no native form,
and neither has a loop that carries one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from stablehlo_py.engines.native.lower.registry import is_lowered
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter
from stablehlo_py.engines.native.region import WHILE
from stablehlo_py.interpreter.plan import Plan, Step


def hoist_invariants(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose native loops carry only what their bodies change."""
    writer = PlanWriter(plan)
    same: dict[int, int] = {}  # results of loops that are operands of these
    for step in plan.steps:
        ins = _renamed(step.ins, same)
        if ins != step.ins:
            writer.changed = True
            step = replace(step, ins=ins)
        if step.name != WHILE:
            writer.add_with_bodies(step, hoist_invariants)
            continue
        invariant = _invariants(step)
        inner = {name: hoist_invariants(body) for name, body in zip(step.bodies, step.plans, strict=True)}
        loop = _without(replace(step, bodies=inner), invariant)
        if invariant and loop.outs and is_lowered(plan, loop):
            same |= {step.outs[k]: step.ins[k] for k in invariant}
            writer.changed = True
            writer.add(loop)
        else:
            writer.add_with_bodies(step, hoist_invariants)
    writer.plan.outputs = _renamed(plan.outputs, same)
    return writer.plan if writer.changed else plan


def _renamed(slots: Sequence[int], names: Mapping[int, int]) -> tuple[int, ...]:
    return tuple([names.get(slot, slot) for slot in slots])


def _invariants(loop: Step) -> list[int]:
    """The positions of the values that the body of a loop returns as it takes them."""
    _, body = loop.plans
    return [k for k, slot in enumerate(body.outputs) if slot == k]


def _without(loop: Step, invariant: Sequence[int]) -> Step:
    """Return the loop without the given carried values; it captures the values that its bodies read."""
    count = len(loop.outs)
    kept = [k for k in range(count) if k not in set(invariant)]
    condition, body = loop.plans
    results = replace(body, outputs=tuple([body.outputs[k] for k in kept]))
    ins = [loop.ins[k] for k in kept]
    at = count
    plans = []
    for plan in (condition, results):
        changed, captured = _capturing(plan, kept, invariant)
        plans.append(changed)
        ins += [*loop.ins[at : at + plan.captures], *[loop.ins[k] for k in captured]]
        at += plan.captures
    outs = tuple([loop.outs[k] for k in kept])
    return replace(loop, ins=tuple(ins), outs=outs, bodies=dict(zip(loop.bodies, plans, strict=True)))


def _capturing(
    plan: Plan[Step], kept: Sequence[int], invariant: Sequence[int]
) -> tuple[Plan[Step], list[int]]:
    """Return a condition or body whose inputs are the kept values, its captures, and new captures.

    Returns:
        The plan, and the positions of the invariant values that it captures.
    """
    read = {slot for step in plan.steps for slot in step.ins} | {*plan.outputs}
    captured = [k for k in invariant if k in read]
    inputs = [*kept, *range(plan.arity - plan.captures, plan.arity), *captured]
    return with_inputs(plan, inputs, plan.captures + len(captured)), captured


def with_inputs(plan: Plan[Step], inputs: Sequence[int], captures: int) -> Plan[Step]:
    """Return a plan with other inputs.

    Args:
        plan: The plan.
        inputs: The slots that become inputs; inputs that are not among them are not used.
        captures: The number of captured values, which are the last ones.
    """
    order = [*inputs, *range(plan.arity, len(plan.types))]
    numbers = {slot: number for number, slot in enumerate(order)}
    return replace(
        plan,
        arity=len(inputs),
        captures=captures,
        types=[plan.types[slot] for slot in order],
        constants={numbers[slot]: array for slot, array in plan.constants.items()},
        steps=[replace(s, ins=_renamed(s.ins, numbers), outs=_renamed(s.outs, numbers)) for s in plan.steps],
        outputs=_renamed(plan.outputs, numbers),
    )
