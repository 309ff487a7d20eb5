"""Cost estimates: the time in seconds of a plan's steps as NumPy calls."""

from __future__ import annotations

from math import prod

from stablehlo_py.analysis.trips import scan_count, trip_count
from stablehlo_py.analysis.work import Work, op_work
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.core import Region
from stablehlo_py.ir.types import TensorType
from stablehlo_py.opset.definition import has_trait

_CALL = 1e-6  # of a step, whatever its size
_ELEMENT = 1e-10  # an element that is read or written
_TRANSCENDENTAL = 1e-9
_FLOP = 1e-11  # of a matrix product or convolution
_TRIPS = 16  # of a loop whose trip count is not known
_PRODUCTS = ("contraction", "convolution")  # rules of cost


def seconds(plan: Plan[Step], known: dict[str, float] | None = None) -> float:
    """Estimate the time of one call of a plan.

    Args:
        plan: The plan.
        known: The times of functions by name, to which new times are added; recursive calls count as 0.
    """
    known = {} if known is None else known
    return sum([_step_seconds(plan, step, known) for step in plan.steps])


def _step_seconds(plan: Plan[Step], step: Step, known: dict[str, float]) -> float:
    elements = sum([_elements(plan, slot) for slot in (*step.ins, *step.outs)])
    total = _CALL + elements * (_TRANSCENDENTAL if has_trait(step.name, "transcendental") else _ELEMENT)
    if step.definition is not None and step.op is not None and step.definition.cost.work in _PRODUCTS:
        total += op_work(step.op, _no_body).flops * _FLOP
    if step.callee and step.callee not in known:
        known[step.callee] = 0.0
        known[step.callee] = seconds(plan.functions[step.callee], known)
    total += known.get(step.callee, 0.0)
    return total + trips_of(step) * sum([seconds(body, known) for body in step.plans if not body.on_elements])


def trips_of(step: Step) -> int:
    """Estimate how many times the bodies of a step run."""
    loop = step.definition.loop if step.definition is not None else None
    if loop is None or step.op is None:
        return 1
    if loop.dimension:
        return scan_count(step.op, loop.dimension)
    if not loop.condition:
        return 1
    count = trip_count(step.op)
    return _TRIPS if count is None else count


def _no_body(region: Region) -> Work:
    return Work()


def _elements(plan: Plan[Step], slot: int) -> int:
    type = plan.types[slot]
    if not isinstance(type, TensorType) or slot in plan.constants:
        return 0
    return prod([size or 1 for size in type.shape])
