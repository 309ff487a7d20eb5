"""Scatter: slices at computed places are combined with updates (`kernels/gather_scatter.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from operator import and_
from typing import NamedTuple

import numpy as np

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.index_space import ZERO, Index, Indices, Variable, computed, of_variable
from stablehlo_py.engines.native.loops import Range, nested, unravel
from stablehlo_py.engines.native.lower.gather_scatter import window_sizes
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step

_LARGEST = (1 << 63) - 1
_BLOCK = 1 << 9  # windows that are listed before they are combined
_LOOKED = 16  # elements copied or combined in the time of looking through as many indices


class _Span(NamedTuple):
    """The part of a window along one dimension that is written.

    Attributes:
        first: Its place in the operand.
        skipped: Its place in the window.
        size: The most elements that it has.
        length: How many it has, if that is computed.
        inside: Whether it is written, if that is not certain.
    """

    first: Index
    skipped: Index = ZERO
    size: int = 1
    length: Value | None = None
    inside: Value | None = None


def is_native_scatter(plan: Plan[Step], step: Step) -> bool:
    """Test whether a scatter is computed in the types of the operands."""
    count = len(step.outs)
    inputs, updates = step.ins[:count], step.ins[count + 1 : 2 * count + 1]
    (body,) = step.plans
    columns = zip(inputs, updates, step.outs, body.outputs, strict=True)
    return all(
        len({*(plan.tensor(slot).element_type for slot in slots), body.tensor(out).element_type}) == 1
        for *slots, out in columns
    )


def scatter_extent(plan: Plan[Step], step: Step) -> int:
    """The number of parts: the rows of the operand."""
    shape = plan.shape_of(step.ins[0])
    return shape[0] if shape else 1


def scatter_pieces(plan: Plan[Step], step: Step) -> int:
    """The number of ranges of rows for which looking through all indices costs little beside the copy."""
    updates = prod(plan.shape_of(step.ins[len(step.outs) + 1]))
    windows = updates // max(1, prod(window_sizes(plan, step)))
    return (prod(plan.shape_of(step.ins[0])) + updates) // (_LOOKED * max(1, windows))


def scatter(scope: Scope, step: Step, part: Range) -> None:
    """Copy the operands, then combine the windows that are inside with the updates, in order.

    Each thread copies some rows, and takes the updates of these.
    """
    count = len(step.outs)
    for slot, operand in zip(step.outs, step.ins[:count], strict=True):
        _copy(scope, slot, operand, part)
    rows, batch = part if scope.shape(step.ins[0]) else None, _batch_shape(scope, step)
    if rows is None or prod(batch) < _BLOCK or scatter_pieces(scope.plan, step) < 2:
        nested(scope, batch, lambda row: _update(scope, step, row, rows))
    else:
        _update_chosen(scope, step, batch, rows)


def _update_chosen(scope: Scope, step: Step, batch: tuple[int, ...], rows: Range) -> None:
    """Combine the windows in a range of rows: first list those of a block, by arithmetic, then take these.

    Which windows are in the range is often random, so that branches would be predicted wrongly.
    """
    b, total, zero = scope.b, prod(batch), scope.b.constant(0, "i64")
    chosen, count = b.alloca("i64", _BLOCK), b.alloca("i64")

    def row_at(number: Value) -> Indices:
        return unravel(of_variable(Variable(number.text, total)), batch, b)

    with b.loop(zero, b.constant(-(-total // _BLOCK), "i64")) as block:
        first, end = block * _BLOCK, (block + 1) * _BLOCK
        b.store(zero, count, zero)
        with b.loop(first, (end < total).select(end, total)) as number:
            scope.enter()
            inside = _inside(_spans(scope, step, row_at(number), rows))
            found = b.load("i64", count, zero)
            b.store(number, chosen, found)
            b.store(found + (1 if inside is None else inside.convert("zext", "i64")), count, zero)
            scope.leave()
        with b.loop(zero, b.load("i64", count, zero)) as k:
            scope.enter()
            _update(scope, step, row_at(b.load("i64", chosen, k)), rows)
            scope.leave()


def _copy(scope: Scope, slot: int, operand: int, part: Range) -> None:
    """Copy rows of an operand to the result, unless they are there."""
    target = scope.buffers[slot]
    if operand in scope.buffers and scope.buffers[operand].name == target.name:
        return
    shape = scope.shape(operand)
    if not shape:
        scope.store(target, (), scope.at(operand, ()))
        return
    with scope.b.loop(part.start, part.stop) as i:
        scope.enter()
        row = computed(i, shape[0])
        nested(scope, shape[1:], lambda at: scope.store(target, (row, *at), scope.at(operand, (row, *at))))
        scope.leave()


def _batch_shape(scope: Scope, step: Step) -> tuple[int, ...]:
    """The dimensions of the indices that are not those of index vectors."""
    shape, vector = scope.shape(step.ins[len(step.outs)]), step.keywords["index_vector_dim"]
    return tuple([size for d, size in enumerate(shape) if d != vector])


def _update(scope: Scope, step: Step, row: Indices, rows: Range | None) -> None:
    """Combine one window with the updates, as far as it is in the rows of a thread."""
    b, spans = scope.b, _spans(scope, step, row, rows)
    inside = _inside(spans)
    if inside is None:
        _loops(scope, spans, lambda at: _combine(scope, step, row, spans, at))
        return
    then, after = b.fresh("update"), b.fresh("skip")
    b.do(f"br i1 {inside.text}, label %{then}, label %{after}")
    b.enter(then)
    scope.enter()
    _loops(scope, spans, lambda at: _combine(scope, step, row, spans, at))
    scope.leave()
    b.start_block(after)


def _spans(scope: Scope, step: Step, row: Indices, rows: Range | None) -> list[_Span]:
    """What is written of a window along each dimension of the operand."""
    starts, sizes = _starts(scope, step, row), window_sizes(scope.plan, step)
    return [
        _span(scope, start, size, extent, rows if d == 0 else None)
        for d, (start, size, extent) in enumerate(zip(starts, sizes, scope.shape(step.ins[0]), strict=True))
    ]


def _inside(spans: Sequence[_Span]) -> Value | None:
    """Whether a window is written; None if that is certain."""
    conditions = [span.inside for span in spans if span.inside is not None]
    return reduce(and_, conditions) if conditions else None


def _starts(scope: Scope, step: Step, row: Indices) -> list[Index | Value]:
    """Where a window begins in each dimension of the operand: an index that is inside, or an i64."""
    keywords, rank = step.keywords, len(scope.shape(step.ins[0]))
    indices, vector_dim = step.ins[len(step.outs)], step.keywords["index_vector_dim"]
    has_vectors = vector_dim < len(scope.shape(indices))
    starts: list[Index | Value] = [ZERO] * rank
    for component, d in enumerate(keywords["scatter_dims_to_operand_dims"]):
        at = (*row[:vector_dim], Index((), component), *row[vector_dim:]) if has_vectors else row
        known = _known_start(scope, step, d, component)
        starts[d] = Index((), known) if known is not None else _start(scope, indices, at)
    batching = zip(keywords["input_batching_dims"], keywords["scatter_indices_batching_dims"], strict=True)
    for d, axis in batching:
        starts[d] = row[axis - (axis > vector_dim)]
    return starts


def _known_start(scope: Scope, step: Step, d: int, component: int) -> int | None:
    """The start of the only window along a dimension, if it is constant and the window inside."""
    indices = step.ins[len(step.outs)]
    constant, shape = scope.plan.constants.get(indices), scope.shape(indices)
    vector_dim = step.keywords["index_vector_dim"]
    if constant is None or any(size != 1 for k, size in enumerate(shape) if k != vector_dim):
        return None
    start = int(np.asarray(constant).reshape(-1)[component])
    room = scope.shape(step.ins[0])[d] - window_sizes(scope.plan, step)[d]
    return start if 0 <= start <= room else None


def _start(scope: Scope, indices: int, at: Indices) -> Value:
    """An element of the indices as an i64; the largest one where it has no room."""
    start, signed = scope.at(indices, at), scope.element(indices).signed
    if start.type == "i64" and not signed:
        return (start < 0).select(_LARGEST, start)
    return start.convert("sext" if signed else "zext", "i64")


def _span(scope: Scope, start: Index | Value, size: int, extent: int, rows: Range | None) -> _Span:
    """What is written of a window along a dimension; only in some of the `rows` if there are any."""
    b = scope.b
    if isinstance(start, Index):
        if rows is None:
            return _Span(start, size=size)
        return _clipped(b, start.emit(b), size, extent, rows)
    if size == 1:
        inside = start.compare("ult", extent)
        if rows is not None:
            inside = inside & (start >= rows.start) & (start < rows.stop)
        return _Span(computed(start, extent), inside=inside)
    inside = start.compare("ule", extent - size)
    if scope.whole_windows and rows is None:
        return _Span(computed(start, extent - size + 1), size=size, inside=inside)
    near = (start < -size).select(-size, (start > extent).select(extent, start))  # sums do not overflow
    span = _clipped(b, near, size, extent, rows or Range(b.constant(0, "i64"), b.constant(extent, "i64")))
    return span._replace(inside=inside) if scope.whole_windows else span


def _clipped(b: Builder, start: Value, size: int, extent: int, rows: Range) -> _Span:
    """The part of a window that is in a range."""
    if size == 1:
        return _Span(computed(start, extent), inside=(start >= rows.start) & (start < rows.stop))
    low, high = rows.start - start, rows.stop - start
    begin = (low < 0).select(0, low)
    end = (high < size).select(high, size)
    return _Span(computed(start + begin, extent), computed(begin, size), size, end - begin)


def _loops(scope: Scope, spans: Sequence[_Span], body: Callable[[Indices], None], at: Indices = ()) -> None:
    """Loops over the elements of a window that are written."""
    if len(at) == len(spans):
        body(at)
        return
    span, b = spans[len(at)], scope.b
    if span.size == 1:
        _loops(scope, spans, body, (*at, ZERO))
        return
    stop = span.length if span.length is not None else b.constant(span.size, "i64")
    with b.loop(b.constant(0, "i64"), stop) as i:
        scope.enter()
        _loops(scope, spans, body, (*at, of_variable(Variable(i.text, span.size))))
        scope.leave()


def _combine(scope: Scope, step: Step, row: Indices, spans: Sequence[_Span], at: Indices) -> None:
    """Combine one element of the results with that of the updates, `at` elements into the spans."""
    count, keywords, (body,) = len(step.outs), step.keywords, step.plans
    dropped = {*keywords["inserted_window_dims"], *keywords["input_batching_dims"]}
    inside = [span.skipped + index for span, index in zip(spans, at, strict=True)]
    window = iter([index for d, index in enumerate(inside) if d not in dropped])
    outside = iter(row)
    rank = len(scope.shape(step.ins[count + 1]))
    places: list[Index] = [ZERO] * rank
    for d in keywords["update_window_dims"]:
        places[d] = next(window)
    for d in range(rank):
        if d not in keywords["update_window_dims"]:
            places[d] = next(outside)
    target = tuple([span.first + index for span, index in zip(spans, at, strict=True)])
    old = [scope.load(slot, target) for slot in step.outs]
    new = [scope.at(slot, tuple(places)) for slot in step.ins[count + 1 : 2 * count + 1]]
    captured = [scope.at(slot, ()) for slot in step.ins[2 * count + 1 :]]
    for slot, value in zip(step.outs, scope.inline(body, [*old, *new, *captured]), strict=True):
        scope.store(scope.buffers[slot], target, value)
