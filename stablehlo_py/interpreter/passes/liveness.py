"""Liveness: each large array is dropped behind the step that uses it last."""

from __future__ import annotations

from stablehlo_py.interpreter.plan import Plan, S, byte_size

SMALL = 1 << 15  # bytes: below it, neither dropping an array nor writing into it pays
FOREVER = 1 << 60


def drop_dead_arrays(plan: Plan[S]) -> None:
    """Sets `frees` of the steps: the slots of large arrays that no later step uses."""
    last: dict[int, int] = {}
    for index, step in enumerate(plan.steps):
        for slot in (*step.ins, *step.outs):
            last[slot] = index
    kept = {*plan.outputs, *plan.constants}
    freed: dict[int, list[int]] = {}
    for slot, index in last.items():
        if slot not in kept and (byte_size(plan.types[slot]) or FOREVER) >= SMALL:
            freed.setdefault(index, []).append(slot)
    for index, slots in freed.items():
        plan.steps[index].frees = tuple(slots)
