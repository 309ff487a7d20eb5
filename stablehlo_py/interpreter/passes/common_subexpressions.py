"""Common subexpression elimination (CSE): what several steps compute is computed once."""

from __future__ import annotations

from typing import Any

from stablehlo_py.interpreter.plan import Plan, S, Step
from stablehlo_py.opset.op_inputs import stored_value


def share_common_subexpressions(plan: Plan[S]) -> None:
    """Drops the steps that compute what an earlier one does, and reads its results in their place."""
    same: dict[int, int] = {}
    seen: dict[Any, tuple[int, ...]] = {}
    kept: list[S] = []
    for step in plan.steps:
        if same:
            step.ins = tuple([same.get(slot, slot) for slot in step.ins])
        key = _key(plan, step)
        first = step.outs if key is None else seen.setdefault(key, step.outs)
        if first is step.outs:
            kept.append(step)
        else:
            same.update(zip(step.outs, first, strict=True))
    plan.steps[:] = kept
    plan.outputs = tuple([same.get(slot, slot) for slot in plan.outputs])


def _key(plan: Plan[Any], step: Step) -> tuple[Any, ...] | None:
    """What a step computes, as a key that equal steps share; None where it is not known to be repeatable."""
    if step.effect or step.bodies or step.definition is None or step.op is None:
        return None
    stated = tuple([stored_value(step.op, attr) for attr in step.definition.attrs])
    key = (step.name, step.ins, tuple([plan.types[slot] for slot in step.outs]), stated)
    try:
        hash(key)
    except TypeError:  # an attribute that holds an array
        return None
    return key
