"""Scans: cumulative sums, products and extremes as loops (`kernels/window.py`).

They are reductions of windows that begin before the first element (or end behind the last one), which
`passes/cumulative.py` gives a name of their own.
"""

from __future__ import annotations

from math import prod

from stablehlo_py.engines.native.index_space import ZERO, Index, Indices, computed
from stablehlo_py.engines.native.loops import Range, nested, unravel
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step


def _dimensions(plan: Plan[Step], step: Step) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The dimensions before and behind the axis."""
    shape, axis = plan.shape_of(step.outs[0]), step.keywords["axis"]
    return tuple(shape[:axis]), tuple(shape[axis + 1 :])


def scan_extent(plan: Plan[Step], step: Step) -> int:
    """The number of parts: the lines before the axis, or those behind it where there is one before."""
    outer, inner = map(prod, _dimensions(plan, step))
    return outer if outer > 1 else inner


def scan(scope: Scope, step: Step, part: Range) -> None:
    """Write a range of parts."""
    outer, inner = _dimensions(scope.plan, step)
    with scope.b.loop(part.start, part.stop) as number:
        scope.enter()
        if prod(outer) > 1 or prod(inner) == 1:
            at = unravel(computed(number, prod(outer)), outer, scope.b)
            (_rows if prod(inner) > 1 else _line)(scope, step, at, (ZERO,) * len(inner))
        else:
            _line(scope, step, (ZERO,) * len(outer), unravel(computed(number, prod(inner)), inner, scope.b))
        scope.leave()


def _place(scope: Scope, step: Step, index: Index) -> Index:
    """The index along the axis: from the last one on where later elements are combined."""
    size = scope.shape(step.outs[0])[step.keywords["axis"]]
    return size - 1 - index if step.keywords["reverse"] else index


def _line(scope: Scope, step: Step, outer: Indices, inner: Indices) -> None:
    """One line along the axis: the total is in a register."""
    b, (slot,), (operand, init) = scope.b, step.outs, step.ins
    (body,), zero = step.plans, scope.b.constant(0, "i64")
    total = b.alloca(scope.element(slot).compute)
    b.store(scope.at(init, ()), total, zero)

    def combine(index: Indices) -> None:
        at = (*outer, _place(scope, step, index[0]), *inner)
        before = b.load(scope.element(slot).compute, total, zero)
        (value,) = scope.inline(body, [before, scope.at(operand, at)])
        b.store(value, total, zero)
        scope.store(scope.buffers[slot], at, value)

    nested(scope, (scope.shape(slot)[step.keywords["axis"]],), combine)


def _rows(scope: Scope, step: Step, outer: Indices, _: Indices) -> None:
    """All lines behind an index: whole rows are combined with the row before, along memory."""
    (slot,), (operand, init), (body,) = step.outs, step.ins, step.plans
    inner = scope.shape(slot)[step.keywords["axis"] + 1 :]

    def first(rest: Indices) -> None:
        at = (*outer, _place(scope, step, ZERO), *rest)
        (value,) = scope.inline(body, [scope.at(init, ()), scope.at(operand, at)])
        scope.store(scope.buffers[slot], at, value)

    def combine(index: Indices, rest: Indices) -> None:
        at = (*outer, _place(scope, step, index[0] + 1), *rest)
        before = scope.load(slot, (*outer, _place(scope, step, index[0]), *rest))
        (value,) = scope.inline(body, [before, scope.at(operand, at)])
        scope.store(scope.buffers[slot], at, value)

    nested(scope, inner, first)
    following = scope.shape(slot)[step.keywords["axis"]] - 1
    nested(scope, (following,), lambda index: nested(scope, inner, lambda rest: combine(index, rest)))
