"""Cumulative reductions: those of windows of all elements up to one, or from one on, become scans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stablehlo_py.engines.native.partition import Partition
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter
from stablehlo_py.engines.native.scans import SCAN
from stablehlo_py.engines.native.windows import REDUCE_WINDOW, is_neutral
from stablehlo_py.interpreter.plan import Plan, Step


def name_scans(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose cumulative reductions of windows are scans."""
    writer = PlanWriter(plan)
    for step in plan.steps:
        scan = _scan_of(plan, step) if step.name == REDUCE_WINDOW else None
        if scan is not None and Partition().is_native(plan, scan):
            writer.changed = True
            writer.add(scan)
        else:
            writer.add_with_bodies(step, name_scans)
    return writer.plan if writer.changed else plan


def _scan_of(plan: Plan[Step], step: Step) -> Step | None:
    """The scan that a reduction of windows is, if it is one."""
    if len(step.ins) != 2 or len(step.outs) != 1:
        return None
    shape, keywords = plan.shape_of(step.outs[0]), step.keywords
    sizes = tuple(keywords["window_dimensions"])
    axes = [d for d, size in enumerate(sizes) if size != 1]
    apart = (*keywords["window_strides"], *keywords["window_dilations"], *keywords["base_dilations"])
    if len(axes) != 1 or set(apart) != {1} or not is_neutral(plan, step):
        return None
    (axis,) = axes
    padding = np.asarray(keywords["padding"]).reshape(-1, 2).tolist()
    wide = [sizes[axis] - 1, 0]
    own = padding.pop(axis)
    if plan.shape_of(step.ins[0]) != shape or sizes[axis] < shape[axis] or any(map(any, padding)):
        return None
    if own not in (wide, wide[::-1]):
        return None
    scan = {"axis": axis, "reverse": own != wide, "result": plan.types[step.outs[0]]}
    return replace(step, name=SCAN, definition=None, keywords=scan, returns_tuple=False)
