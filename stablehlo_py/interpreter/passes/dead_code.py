"""Dead code elimination: steps that have no effect and whose results nothing uses are dropped."""

from __future__ import annotations

from stablehlo_py.interpreter.plan import Plan, S


def eliminate_dead_code(plan: Plan[S]) -> None:
    """Drops the steps of a plan that are not needed for its outputs or effects."""
    used = set(plan.outputs)
    kept: list[S] = []
    for step in reversed(plan.steps):
        if step.effect or not used.isdisjoint(step.outs):
            kept.append(step)
            used.update(step.ins)
    plan.steps[:] = reversed(kept)
