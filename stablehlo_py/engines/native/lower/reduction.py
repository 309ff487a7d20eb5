"""Reductions: a fold for each element of the result (`kernels/reduction.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stablehlo_py.engines.native.loop_ir.expressions import reference
from stablehlo_py.engines.native.loop_ir.index import ZERO, Index, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Fold, Statement, Store
from stablehlo_py.engines.native.lower.records import by_loops, is_reduction
from stablehlo_py.interpreter.plan import Step

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering


REDUCE = "stablehlo.reduce"


@by_loops(REDUCE, supports=is_reduction)
def _reduce(lowering: Lowering, step: Step) -> Sequence[Statement]:
    count = len(step.outs)
    inputs, inits, captured = step.ins[:count], step.ins[count : 2 * count], step.ins[2 * count :]
    reduced = sorted(step.keywords["dimensions"])
    shape = lowering.shape(inputs[0])
    variables = lowering.variables(shape)
    kept = [d for d in range(len(shape)) if d not in reduced]
    at: list[Index] = [ZERO] * len(shape)
    for d, variable in enumerate(variables):
        at[d] = of_variable(variable)
    names = tuple([f"r{slot}" for slot in step.outs])
    totals = [reference(name, lowering.type(slot)) for name, slot in zip(names, step.outs, strict=True)]
    elements = [lowering.at(slot, tuple(at)) for slot in inputs]
    (body,) = step.plans
    starts = tuple([lowering.at(slot, ()) for slot in inits])
    others = [*elements, *(lowering.at(slot, ()) for slot in captured)]
    place = tuple([at[d] for d in kept])
    if all(shape[d] == 1 for d in reduced):
        values = lowering.inline(body, [*starts, *others])
        single = [Store(lowering.buffers[s], place, v) for s, v in zip(step.outs, values, strict=True)]
        return lowering.nested([variables[d] for d in kept], single)
    combined = lowering.inline(body, [*totals, *others])
    fold = Fold(names, starts, tuple([variables[d] for d in reduced]), tuple(combined))
    stores = [Store(lowering.buffers[s], place, total) for s, total in zip(step.outs, totals, strict=True)]
    return lowering.nested([variables[d] for d in kept], [fold, *stores])
