"""Dead code elimination (DCE)."""

from __future__ import annotations

from stablehlo_py.interpreter.plan import Plan, S


def eliminate_dead_code(plan: Plan[S]) -> None:
    """Remove the steps that no output needs and that have no side effects."""
    used = set(plan.outputs)
    kept: list[S] = []
    for step in reversed(plan.steps):
        if step.effect or not used.isdisjoint(step.outs):
            kept.append(step)
            used.update(step.ins)
    plan.steps[:] = reversed(kept)
