"""Reductions to one element, in two steps: rows of the operand, which threads share, then their results."""

from __future__ import annotations

from math import prod

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.lower.reduction import REDUCE
from stablehlo_py.engines.native.lower.window import is_neutral
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter, with_forms
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import TensorType

_LEAST = 1 << 17  # elements, some 10 microseconds: fewer are added up by one thread
_ROWS = 16  # at least, and all of an array of one dimension
_LONG = 256  # elements, the least of a row


def split_reductions(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan in which large reductions to one element reduce rows first, then their results."""
    return with_forms(plan, lambda step: _split if step.name == REDUCE else None)


def _rows(plan: Plan[Step], step: Step) -> tuple[tuple[int, ...], int] | None:
    """The shape of the operand whose rows are reduced, and the number of dimensions of rows."""
    element, shape = element_of(plan.types[step.outs[0]]), plan.shape_of(step.ins[0])
    if plan.shape_of(step.outs[0]) or element is None or not element.is_wide or prod(shape) < _LEAST:
        return None
    if len(step.ins) != 2 or not is_neutral(plan, step):
        return None
    if len(shape) == 1 and not prod(shape) % _ROWS:
        return (_ROWS, prod(shape) // _ROWS), 1
    fitting = [d for d in range(1, len(shape)) if prod(shape[:d]) >= _ROWS and prod(shape[d:]) >= _LONG]
    return (tuple(shape), fitting[0]) if fitting else None


def _split(writer: PlanWriter, step: Step) -> bool:
    found = _rows(writer.plan, step)
    if found is None:
        return False
    shape, kept = found
    (operand, init), type = step.ins, writer.plan.tensor(step.ins[0])
    if shape != type.shape:
        rows = writer.slot(TensorType(shape, type.element_type))
        writer.insert("stablehlo.reshape", step, (operand,), rows)
        operand = rows
    result = TensorType(shape[:kept], type.element_type)
    made = writer.slot(result)
    last = {"dimensions": tuple(range(kept, len(shape))), "results": (result,)}
    writer.change(step, ins=(operand, init), outs=(made,), keywords=last)
    first = {"dimensions": tuple(range(kept)), "results": step.keywords["results"]}
    writer.change(step, ins=(made, init), keywords=first)
    return True
