"""Windows: a fold over the taps of the window of each element (`kernels/window.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.loop_ir.expressions import choose, load, position, reference
from stablehlo_py.engines.native.loop_ir.index import (
    Index,
    Indices,
    Number,
    Variable,
    linear,
    of_atom,
    of_variable,
    reshape,
)
from stablehlo_py.engines.native.loop_ir.statements import Fold, If, Statement, Store
from stablehlo_py.engines.native.lower.records import by_loops, is_reduction, is_scalar
from stablehlo_py.engines.native.lower.values import I64, compare, convert, number, op, place_inside, select
from stablehlo_py.interpreter.plan import Plan, Step, is_uniform
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import I1

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

REDUCE_WINDOW = "stablehlo.reduce_window"
Conditions = tuple[tuple[Index, int], ...]


class Axis(NamedTuple):
    """The window along one dimension: its size, stride and dilation, and the padding of the operand."""

    size: int
    stride: int = 1
    dilation: int = 1
    low: int = 0
    high: int = 0


def window_axes(step: Step) -> list[Axis]:
    """The windows along each dimension."""
    keywords = step.keywords
    sizes = keywords["window_dimensions"]
    ones = (1,) * len(sizes)
    padding = np.asarray(keywords["padding"]).reshape(-1, 2).tolist() if len(sizes) else []
    columns = (
        sizes,
        keywords.get("window_strides") or ones,
        keywords.get("window_dilations") or ones,
        [low for low, _ in padding],
        [high for _, high in padding],
    )
    return [Axis(*row) for row in zip(*columns, strict=True)]


def is_neutral(plan: Plan[Step], step: Step) -> bool:
    """Test whether combining with the initial value changes nothing, so that padding can be left out."""
    (body,) = step.plans
    init = plan.constants.get(step.ins[1])
    if init is None or not is_uniform(init) or len(body.steps) != 1:
        return False
    (inner,) = body.steps
    dtype = numpy_dtype(plan.tensor(step.outs[0]).element_type)
    neutral = _neutral(inner.name, dtype)
    own = set(inner.ins) == {0, 1} and inner.outs == body.outputs
    return own and neutral is not None and bool((np.asarray(init) == neutral).all())


def _neutral(op: str, dtype: np.dtype) -> bool | int | float | None:
    """The neutral element of an operation on numbers of a type; products of complex infinities have none."""
    if dtype.kind == "c" and op != "stablehlo.add":
        return None
    if op in ("stablehlo.add", "stablehlo.or"):
        return 0
    if op == "stablehlo.multiply":
        return 1
    if op not in ("stablehlo.maximum", "stablehlo.minimum") or dtype == np.bool_:
        return None
    is_maximum = op == "stablehlo.maximum"
    if dtype.kind not in "iu":
        return -np.inf if is_maximum else np.inf
    limits = np.iinfo(dtype)
    return int(limits.min if is_maximum else limits.max)


class _Scan(NamedTuple):
    """A reduction of windows of all elements up to one: along a dimension, or from one on (`reverse`)."""

    axis: int
    reverse: bool


def _scan_of(plan: Plan[Step], step: Step) -> _Scan | None:
    """Recognize a reduction of windows that is a scan; None for another reduction."""
    if len(step.ins) != 2 or not _is_of_one_type(plan, step) or not is_neutral(plan, step):
        return None
    shape, windows = plan.shape_of(step.ins[0]), window_axes(step)
    along = [d for d, window in enumerate(windows) if window != Axis(1)]
    if set(step.keywords.get("base_dilations") or (1,)) != {1} or len(along) != 1:
        return None
    (axis,) = along
    before = windows[axis].size - 1
    if windows[axis] not in (Axis(before + 1, low=before), Axis(before + 1, high=before)):
        return None
    return _Scan(axis, windows[axis].high > 0) if before + 1 >= shape[axis] else None


def _is_scan(plan: Plan[Step], step: Step) -> bool:
    return _scan_of(plan, step) is not None


def _is_native_window(plan: Plan[Step], step: Step) -> bool:
    """Test whether a reduction takes a step for each tap in less than the kernel, which has other ways."""
    few = prod([axis.size for axis in window_axes(step)]) <= cost.TAPS
    return is_reduction(plan, step) and (few or _is_scan(plan, step))


@by_loops(REDUCE_WINDOW, supports=_is_native_window, pays=_is_scan)
def _reduce_window(lowering: Lowering, step: Step) -> Sequence[Statement]:
    scan = _scan_of(lowering.plan, step)
    if scan is not None:
        return _scanned(lowering, step, scan)
    count = len(step.outs)
    inputs, inits, captured = step.ins[:count], step.ins[count : 2 * count], step.ins[2 * count :]
    axes = window_axes(step)
    rows = lowering.variables(lowering.shape(step.outs[0]))
    taps = lowering.variables([axis.size for axis in axes])
    inside, at = _taps(lowering, step, rows, taps)
    starts = tuple([lowering.at(slot, ()) for slot in inits])
    elements = [
        choose(inside, lowering.at(slot, at), start) for slot, start in zip(inputs, starts, strict=True)
    ]
    names = tuple([f"r{slot}" for slot in step.outs])
    totals = [reference(name, start.type) for name, start in zip(names, starts, strict=True)]
    (body,) = step.plans
    combined = lowering.inline(body, [*totals, *elements, *(lowering.at(slot, ()) for slot in captured)])
    place = tuple(map(of_variable, rows))
    stores = [Store(lowering.buffers[s], place, total) for s, total in zip(step.outs, totals, strict=True)]
    return lowering.nested(rows, [Fold(names, starts, taps, tuple(combined)), *stores])


def _taps(
    lowering: Lowering, step: Step, rows: Sequence[Variable], taps: Sequence[Variable]
) -> tuple[Conditions, Indices]:
    """Where the taps of windows are in the first operand: the conditions to be inside, and the indices."""
    shape = lowering.shape(step.ins[0])
    dilations = step.keywords.get("base_dilations") or (1,) * len(shape)
    inside: list[tuple[Index, int]] = []
    at: list[Index] = []
    for axis, row, tap, size, dilation in zip(window_axes(step), rows, taps, shape, dilations, strict=True):
        index = of_variable(row) * axis.stride + of_variable(tap) * axis.dilation + -axis.low
        index, conditions = place_inside(index, size, dilation)
        inside += conditions
        at.append(index)
    return tuple(inside), tuple(at)


def _is_of_one_type(plan: Plan[Step], step: Step) -> bool:
    """Test whether elements are combined in their own type."""
    element = element_of(plan.types[step.outs[0]])
    same = len({plan.tensor(slot).element_type for slot in (*step.ins, *step.outs)}) == 1
    return element is not None and same and element.is_wide


def _scanned(lowering: Lowering, step: Step, scan: _Scan) -> Sequence[Statement]:
    """Combine rows along the axis, in order; the totals so far are in memory of their own."""
    (slot,), (operand, init), (body,) = step.outs, step.ins, step.plans
    shape, axis = lowering.shape(slot), scan.axis
    rows = lowering.variables(shape)
    at = list(map(of_variable, rows))
    others = (*at[:axis], *at[axis + 1 :])
    total = lowering.scratch([*shape[:axis], *shape[axis + 1 :]], lowering.type(slot), f"total{slot}")
    if scan.reverse:
        at[axis] = at[axis] * -1 + (shape[axis] - 1)
    (value,) = lowering.inline(body, [load(total, others), lowering.at(operand, tuple(at))])
    statements: list[Statement] = []
    new = lowering.let(statements, value)
    statements += [Store(total, others, new), Store(lowering.buffers[slot], tuple(at), new)]
    along = lowering.nested(rows[axis : axis + 1], lowering.nested(rows[axis + 1 :], statements), "for")
    first = lowering.nested(rows[axis + 1 :], [Store(total, others, lowering.at(init, ()))])
    return lowering.nested(rows[:axis], [*first, *along])


def _selects(plan: Plan[Step], step: Step) -> bool:
    """Test whether a select_and_scatter computes in the type of its operands, by expressions."""
    types = {plan.tensor(slot).element_type for slot in (*step.ins, *step.outs)}
    return len(step.ins) == 3 and len(types) == 1 and all(map(is_scalar, step.plans))


@by_loops("stablehlo.select_and_scatter", supports=_selects)
def _select_and_scatter(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Write the initial value, then combine each source with the element that its window selects.

    Windows are of some dimensions: along the others, iterations are independent.
    """
    (slot,), (operand, source, init), axes = step.outs, step.ins, window_axes(step)
    choice, sum = step.plans
    shape, type, result = lowering.shape(slot), lowering.type(slot), lowering.buffers[slot]
    fill = lowering.over(shape, lambda *at: [Store(result, at, lowering.at(init, ()))])
    rows = lowering.variables(lowering.shape(source))
    taps = lowering.variables([axis.size for axis in axes])
    inside, at = _taps(lowering, step, rows, taps)
    along = [d for d, axis in enumerate(axes) if axis != Axis(1)]
    extents = [shape[d] for d in along]
    offset = convert(position(linear(tuple([at[d] for d in along]), extents)), I64)
    best, before = reference(f"best{slot}", type), reference(f"place{slot}", I64)
    none = number(-1, I64)
    value = choose(inside, lowering.at(operand, at), number(0, type))
    (keep,) = lowering.inline(choice, [best, value])
    better = op("or", compare(before, "EQ", none), op("not", keep))
    better = choose(inside, better, number(False, I1))
    combined = select(better, value, best), select(better, offset, before)
    fold = Fold((best.name, before.name), (number(0, type), none), tuple(taps), combined)
    found = reshape((of_atom(Number(before, prod(extents), clamps=False)),), (prod(extents),), extents)
    target = list(map(of_variable, rows))
    for d, index in zip(along, found, strict=True):
        target[d] = index
    update = lowering.at(source, tuple(map(of_variable, rows)))
    (new,) = lowering.inline(sum, [load(result, tuple(target)), update])
    write = If(compare(before, "GE", number(0, I64)), (Store(result, tuple(target), new),))
    apart = [row for d, row in enumerate(rows) if d not in along]
    windows = lowering.nested([rows[d] for d in along], [fold, write], "for")
    return [*fill, *lowering.nested(apart, windows)]
