"""Liveness: each array is dropped behind the step that uses it last."""

from __future__ import annotations

from stablehlo_py.interpreter.plan import Plan, S, byte_size

SMALL = 1 << 15  # bytes: below it, writing into an array does not pay
KEPT = 1 << 20  # bytes of small arrays that a plan leaves to its end, because dropping them takes time
_OBJECT = 1 << 7  # bytes of an array besides its elements
FOREVER = 1 << 60


def drop_dead_arrays(plan: Plan[S]) -> None:
    """Sets `frees` of the steps: the slots of arrays that no later step uses, but for `KEPT` bytes."""
    last: dict[int, int] = {}
    for index, step in enumerate(plan.steps):
        for slot in (*step.ins, *step.outs):
            last[slot] = index
    ends = {*plan.outputs, *plan.constants}
    freed: dict[int, list[int]] = {}
    kept = 0
    for slot, index in last.items():
        if slot in ends:
            continue
        size = byte_size(plan.types[slot])
        if size is not None and size < SMALL and kept + size + _OBJECT <= KEPT:
            kept += size + _OBJECT
        else:
            freed.setdefault(index, []).append(slot)
    for index, slots in freed.items():
        plan.steps[index].frees = tuple(slots)
