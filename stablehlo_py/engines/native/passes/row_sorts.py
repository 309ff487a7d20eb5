"""Sorts that run natively, as steps of their own name: the results that are read."""

from __future__ import annotations

from dataclasses import replace

from stablehlo_py.engines.native.lower.registry import is_lowered
from stablehlo_py.engines.native.lower.sort import ROW_SORT, SORT
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import TensorType


def name_sorts(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose sorts with native code are steps of this name."""
    writer = PlanWriter(plan)
    read = {slot for step in plan.steps for slot in step.ins} | set(plan.outputs)
    for step in plan.steps:
        new = _row_sort(step, read, plan) if step.name == SORT else None
        if new is None or not is_lowered(plan, new):
            writer.add_with_bodies(step, name_sorts)
        else:
            writer.changed = True
            writer.add(new)
    return writer.plan if writer.changed else plan


def _row_sort(step: Step, read: set[int], plan: Plan[Step]) -> Step | None:
    """The step of a sort; None where no result is read."""
    results = tuple([k for k, slot in enumerate(step.outs) if slot in read])
    if not results:
        return None
    type = plan.types[step.ins[0]]
    axis = step.keywords["dimension"] % type.rank if isinstance(type, TensorType) and type.is_static else 0
    outs = tuple([step.outs[k] for k in results])
    keywords = {"axis": axis, "results": results}
    return replace(step, name=ROW_SORT, definition=None, outs=outs, keywords=keywords, returns_tuple=True)
