"""Cumulative reductions: those of windows of all elements up to one, or from one on, become scans."""

from __future__ import annotations

from dataclasses import replace

from stablehlo_py.engines.native.lower.window import (
    REDUCE_WINDOW,
    SCAN,
    Axis,
    is_native_scan,
    is_neutral,
    window_axes,
)
from stablehlo_py.engines.native.passes.plan_writer import with_other_steps
from stablehlo_py.interpreter.plan import Plan, Step


def name_scans(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose cumulative reductions of windows are scans."""
    return with_other_steps(plan, _scan_of)


def _scan_of(plan: Plan[Step], step: Step) -> Step | None:
    """The scan that a reduction of windows is, if it is one."""
    if step.name != REDUCE_WINDOW or len(step.ins) != 2:
        return None
    if not is_native_scan(plan, step) or not is_neutral(plan, step):
        return None
    shape, windows = plan.shape_of(step.ins[0]), window_axes(step)
    along = [d for d, window in enumerate(windows) if window != Axis(1)]
    if set(step.keywords.get("base_dilations") or (1,)) != {1} or len(along) != 1:
        return None
    (axis,) = along
    before = windows[axis].size - 1
    if windows[axis] not in (Axis(before + 1, low=before), Axis(before + 1, high=before)):
        return None
    if before + 1 < shape[axis]:
        return None
    scan = {"axis": axis, "reverse": windows[axis].high > 0, "result": plan.types[step.outs[0]]}
    return replace(step, name=SCAN, definition=None, keywords=scan, returns_tuple=False)
