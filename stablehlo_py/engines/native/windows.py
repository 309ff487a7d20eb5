"""Reductions of windows, and values scattered to elements that windows select (`kernels/window.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.index_space import ZERO, Index, Indices, computed, linear, row_major
from stablehlo_py.engines.native.loops import Range, nested
from stablehlo_py.engines.native.lower.window import Axis, is_neutral, window_axes
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step

_Body = Callable[[Indices], None]

_MOST_TAPS = 64  # of a window: larger ones are reduced in less than a step for each tap by the kernel
_MOST_IN_A_ROW = 8  # taps along the last dimension, each of which has a loop


def is_native_window_reduction(plan: Plan[Step], step: Step) -> bool:
    """Test whether a reduction of windows is one of small windows of one operand, in its own type."""
    if len(step.outs) != 1 or len(step.ins) != 2 or set(step.keywords.get("base_dilations") or (1,)) != {1}:
        return False
    element, axes = element_of(plan.types[step.outs[0]]), window_axes(step)
    if element is None or element.kind == "complex" or not axes:  # products are rounded as XLA's there
        return False
    return prod([axis.size for axis in axes]) <= _MOST_TAPS and axes[-1].size <= _MOST_IN_A_ROW


def window_indices(scope: Scope, step: Step, rows: Indices, taps: Indices) -> Indices:
    """The indices in the operand of a tap of a window, which are outside of it in the padding."""
    triples = zip(window_axes(step), rows, taps, strict=True)
    return tuple([row * axis.stride + tap * axis.dilation + -axis.low for axis, row, tap in triples])


class WindowEmitter:
    """Writes a reduction of windows: for each tap, a row of the operand is combined with one of the result.

    So the innermost loops run along memory, as far as the tap is inside of the operand. Padding is the
    initial value, and left out where that changes nothing.
    """

    def __init__(self, scope: Scope, step: Step) -> None:
        self.scope = scope
        self.step = step
        self.b = scope.b
        self.slot = step.outs[0]
        self.axes = window_axes(step)
        self.shape = scope.shape(step.ins[0])
        self.pads = not is_neutral(scope.plan, step)

    def emit(self, outer: Indices, rest: Sequence[int]) -> None:
        """Compute the row of windows at `outer`."""
        (width,) = rest
        scope = self.scope
        init = scope.at(self.step.ins[1], ())
        nested(scope, (width,), lambda t: scope.store(scope.buffers[self.slot], (*outer, *t), init))
        nested(scope, [axis.size for axis in self.axes[:-1]], lambda taps: self._taps(outer, taps, width))

    def _taps(self, outer: Indices, taps: Indices, width: int) -> None:
        """Combine the result with the elements at the taps that differ in the last dimension only."""
        at, inside = _inside(self.scope, self.axes[:-1], self.shape, outer, taps)
        if inside is None:
            self._row(outer, at, width)
            return
        b = self.b
        then, outside, after = b.fresh("inside"), b.fresh("outside"), b.fresh("combined")
        b.do(f"br i1 {inside.text}, label %{then}, label %{outside}")
        b.enter(then)
        self.scope.enter()
        self._row(outer, at, width)
        self.scope.leave()
        b.do(f"br label %{after}")
        b.enter(outside)
        for _ in range(self.axes[-1].size if self.pads else 0):
            self._combine_padding(outer, 0, width)
        b.start_block(after)

    def _row(self, outer: Indices, at: Indices, width: int) -> None:
        scope = self.scope
        axis, size = self.axes[-1], self.shape[-1]
        for tap in range(axis.size):
            offset = tap * axis.dilation - axis.low
            first = max(0, -(offset // axis.stride))
            last = max(first, min(width, (size - 1 - offset) // axis.stride + 1))
            if self.pads:
                self._combine_padding(outer, 0, min(first, width))
                self._combine_padding(outer, last, width)

            def combine(t: Indices, first: int = first, offset: int = offset) -> None:
                place = (*outer, t[0] + first)
                value = scope.at(self.step.ins[0], (*at, t[0] * axis.stride + (first * axis.stride + offset)))
                self._combine(place, value)

            nested(scope, (last - first,), combine)

    def _combine_padding(self, outer: Indices, first: int, stop: int) -> None:
        """Combine a range of the row with the initial value."""
        init = self.scope.at(self.step.ins[1], ())
        nested(self.scope, (max(0, stop - first),), lambda t: self._combine((*outer, t[0] + first), init))

    def _combine(self, place: Indices, value: Value) -> None:
        (body,) = self.step.plans
        (total,) = self.scope.inline(body, [self.scope.load(self.slot, place), value])
        self.scope.store(self.scope.buffers[self.slot], place, total)


def _inside(
    scope: Scope, axes: Sequence[Axis], shape: Sequence[int], rows: Indices, taps: Indices
) -> tuple[Indices, Value | None]:
    """The indices of taps in an operand, and whether they are inside of it; None if they always are."""
    found: list[Index] = []
    inside: Value | None = None
    for axis, size, row, tap in zip(axes, shape, rows, taps, strict=False):
        index = row * axis.stride + tap * axis.dilation + -axis.low
        if axis.low > 0 or axis.high > 0:
            value = index.emit(scope.b)
            valid = value.compare("ult", size)
            inside = valid if inside is None else inside & valid
            index = computed(value, size)
        found.append(index)
    return tuple(found), inside


def source_extent(plan: Plan[Step], step: Step) -> int:
    """The number of parts of a select_and_scatter: those of the first dimension, where no windows overlap."""
    axes = window_axes(step)
    return plan.shape_of(step.ins[1])[0] if axes and axes[0] == Axis(1) else 1


def is_native_selection(plan: Plan[Step], step: Step) -> bool:
    """Test whether a select_and_scatter computes in the type of its operands."""
    types = {plan.tensor(slot).element_type for slot in (*step.ins, *step.outs)}
    return len(step.ins) == 3 and len(types) == 1


def select_and_scatter(scope: Scope, step: Step, part: Range) -> None:
    """Write the initial value, then combine each source with the element that its window selects."""
    (slot,) = step.outs
    operand, source, init = step.ins
    shape, windows = scope.shape(operand), scope.shape(source)
    shared = source_extent(scope.plan, step) > 1
    start = scope.at(init, ())

    def over(extents: Sequence[int], body: _Body) -> None:
        """Loops over an index space, over the part of the first dimension if it is shared out."""
        if not shared:
            nested(scope, extents, body)
            return
        with scope.b.loop(part.start, part.stop) as i:
            scope.enter()
            first = computed(i, extents[0])
            nested(scope, extents[1:], lambda rest: body((first, *rest)))
            scope.leave()

    over(shape, lambda at: scope.store(scope.buffers[slot], at, start))
    over(windows, lambda row: _scatter_one(scope, step, row))


def _scatter_one(scope: Scope, step: Step, row: Indices) -> None:
    """Select an element of a window, and combine the source with the result there."""
    b, (slot,) = scope.b, step.outs
    operand, source, _ = step.ins
    select, scatter = step.bodies["select"], step.bodies["scatter"]
    assert isinstance(select, Plan) and isinstance(scatter, Plan)
    element, zero, axes = scope.element(slot), b.constant(0, "i64"), window_axes(step)
    best, place = b.alloca(element.compute), b.alloca("i64")
    b.store(b.constant(-1, "i64"), place, zero)

    def visit(taps: Indices) -> None:
        at, inside = _inside(scope, axes, scope.shape(operand), row, taps)
        offset = linear(at, row_major(scope.shape(operand))).emit(b)
        value = _guarded(scope, operand, at, inside)
        champion, before = b.load(element.compute, best, zero), b.load("i64", place, zero)
        (keep,) = scope.inline(select, [champion, value])
        better = (before < 0) | keep.equals(False)
        if inside is not None:
            better = better & inside
        b.store(better.select(value, champion), best, zero)
        b.store(better.select(offset, before), place, zero)

    b.store(b.constant(0, element.compute), best, zero)
    nested(scope, [axis.size for axis in axes], visit)
    chosen = b.load("i64", place, zero)
    then, after = b.fresh("chosen"), b.fresh("none")
    b.do(f"br i1 {(chosen < 0).text}, label %{after}, label %{then}")
    b.enter(then)
    scope.enter()
    buffer = scope.buffers[slot]
    old = element.load(b, buffer.pointer(b), chosen)
    (new,) = scope.inline(scatter, [old, scope.at(source, row)])
    element.store(b, new, buffer.pointer(b), chosen)
    scope.leave()
    b.start_block(after)


def _guarded(scope: Scope, slot: int, at: Indices, inside: Value | None) -> Value:
    """The element of a slot at an index; the first one where the index is outside."""
    if inside is None:
        return scope.at(slot, at)
    limited = []
    for index, size in zip(at, scope.shape(slot), strict=True):
        value = index.emit(scope.b)
        limited.append(computed(inside.select(value, 0), size) if size > 1 else ZERO)
    return scope.at(slot, tuple(limited))
