"""Common subexpression elimination (CSE)."""

from __future__ import annotations

from typing import Any

from stablehlo_py.interpreter.plan import Plan, S, Step
from stablehlo_py.opset.op_inputs import stored_value


def share_common_subexpressions(plan: Plan[S]) -> None:
    """Remove steps that recompute the results of an earlier step, and use those results instead."""
    same: dict[int, int] = {}
    seen: dict[tuple[str, tuple[int, ...]], list[S]] = {}
    kept: list[S] = []
    for step in plan.steps:
        if same:
            step.ins = tuple([same.get(slot, slot) for slot in step.ins])
        if step.effect or step.bodies:
            kept.append(step)
            continue
        alike = seen.setdefault((step.name, step.ins), [])
        first = next((other for other in alike if _states_the_same(plan, other, step)), None)
        if first is None:
            alike.append(step)
            kept.append(step)
        else:
            same.update(zip(step.outs, first.outs, strict=True))
    plan.steps[:] = kept
    plan.outputs = tuple([same.get(slot, slot) for slot in plan.outputs])


def _states_the_same(plan: Plan[Any], first: Step, second: Step) -> bool:
    """Return True if two steps of an op on the same operands have equal attributes and result types."""
    a, b = first.op, second.op
    if first.definition is None or a is None or b is None:
        return False
    types = [[plan.types[slot] for slot in step.outs] for step in (first, second)]
    return types[0] == types[1] and all(
        stored_value(a, attr) == stored_value(b, attr) for attr in first.definition.attrs
    )
