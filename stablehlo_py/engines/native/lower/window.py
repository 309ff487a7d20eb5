"""Windows: a fold over the taps of the window of each element (`kernels/window.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stablehlo_py.engines.native.loop_ir.expressions import choose, reference
from stablehlo_py.engines.native.loop_ir.index import Index, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Fold, Statement, Store
from stablehlo_py.engines.native.lower.records import by_loops, emitter_of, is_supported
from stablehlo_py.engines.native.lower.values import place_inside
from stablehlo_py.engines.native.partition import has_native_arrays
from stablehlo_py.engines.native.windows import window_axes
from stablehlo_py.interpreter.plan import Plan, Step

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering


def _computes_in_one_type(plan: Plan[Step], step: Step) -> bool:
    """Test whether a reduction of windows computes in the types of its operands, by scalar ops."""
    (body,) = step.plans
    count = len(step.outs)
    captured = step.ins[2 * count :]
    columns = zip(step.ins[:count], step.ins[count : 2 * count], step.outs, body.outputs, strict=True)
    same = all(
        len({*(plan.tensor(s).element_type for s in slots), body.tensor(out).element_type}) == 1
        for *slots, out in columns
    )
    has_emitters = all(has_native_arrays(body, each) and _is_scalar(body, each) for each in body.steps)
    return same and has_emitters and all(plan.shape_of(slot) == () for slot in captured)


def _is_scalar(body: Plan[Step], step: Step) -> bool:
    emitter = emitter_of(step.name)
    return emitter is not None and emitter.element is not None and is_supported(body, step)


@by_loops("stablehlo.reduce_window", supports=_computes_in_one_type)
def _reduce_window(lowering: Lowering, step: Step) -> Sequence[Statement]:
    count = len(step.outs)
    inputs, inits, captured = step.ins[:count], step.ins[count : 2 * count], step.ins[2 * count :]
    shape, axes = lowering.shape(inputs[0]), window_axes(step)
    dilations = step.keywords.get("base_dilations") or (1,) * len(shape)
    rows = lowering.variables(lowering.shape(step.outs[0]))
    taps = lowering.variables([axis.size for axis in axes])
    inside: list[tuple[Index, int]] = []
    at: list[Index] = []
    for axis, row, tap, size, dilation in zip(axes, rows, taps, shape, dilations, strict=True):
        index = of_variable(row) * axis.stride + of_variable(tap) * axis.dilation + -axis.low
        index, conditions = place_inside(index, size, dilation)
        inside += conditions
        at.append(index)
    starts = tuple([lowering.at(slot, ()) for slot in inits])
    elements = [
        choose(tuple(inside), lowering.at(slot, tuple(at)), start)
        for slot, start in zip(inputs, starts, strict=True)
    ]
    names = tuple([f"r{slot}" for slot in step.outs])
    totals = [reference(name, start.type) for name, start in zip(names, starts, strict=True)]
    (body,) = step.plans
    combined = lowering.inline(body, [*totals, *elements, *(lowering.at(slot, ()) for slot in captured)])
    place = tuple(map(of_variable, rows))
    stores = [Store(lowering.buffers[s], place, total) for s, total in zip(step.outs, totals, strict=True)]
    return lowering.nested(rows, [Fold(names, starts, taps, tuple(combined)), *stores])
