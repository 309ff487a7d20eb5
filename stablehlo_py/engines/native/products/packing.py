"""Packing: blocks of the factors of a matrix product are copied to where they are contiguous, in cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.products.descriptors import CHECKED, LANES, LEFT, PLACE, Pieces, lane, splat
from stablehlo_py.engines.native.products.tiles import Kind, transpose_function


class Side(NamedTuple):
    """Rows or terms of a block of the left factor.

    Attributes:
        pieces: the pieces.
        places: a pointer to the places of their first elements.
        step: from an element of a piece to the next, as a place.
    """

    pieces: Pieces
    places: Value
    step: Value

    def otherwise(self, condition: Value, other: Side) -> Side:
        """This one where a condition holds, else another."""
        mine, others = self.pieces, other.pieces
        pieces = Pieces(
            condition.select(mine.first, others.first),
            condition.select(mine.count, others.count),
            condition.select(mine.length, others.length),
        )
        return Side(
            pieces, condition.select(self.places, other.places), condition.select(self.step, other.step)
        )


def choose(
    b: Builder, condition: Value, on_true: Callable[[], None], on_false: Callable[[], None] | None = None
) -> None:
    """Write one or two pieces of code, one of which runs."""
    then, other, after = b.fresh("case"), b.fresh("other"), b.fresh("chosen")
    b.do(f"br i1 {condition.text}, label %{then}, label %{other}")
    b.enter(then)
    on_true()
    b.do(f"br label %{after}")
    b.enter(other)
    if on_false is not None:
        on_false()
    b.start_block(after)


def pack_left(
    b: Builder,
    kind: Kind,
    outer: Side,
    inner: Side,
    limits: Value,
    source: Value,
    target: Value,
    stride: Value,
) -> None:
    """Copy a block of the left factor, with zeros for what is outside of the operand.

    Args:
        b: The function.
        kind: The elements.
        outer: Rows or terms.
        inner: The other ones, which run along memory.
        limits: The extents that positions must be below.
        source: The left operand.
        target: The block.
        stride: Elements from a row or term of `outer` to the next in the block.
    """
    zero, count, length = b.constant(0, "i64"), inner.pieces.count, inner.pieces.length
    step = lane(b, inner.step, LEFT)
    with b.loop(zero, outer.pieces.count) as i, b.loop(zero, outer.pieces.length) as j:
        place = b.load(PLACE, outer.places, i) + splat(b, j) * outer.step
        row = (i * outer.pieces.length + j) * stride
        with b.loop(zero, count) as p:
            at = place + b.load(PLACE, inner.places, p)
            to = b.address(kind.type, target, row + p * length)
            start = b.address(kind.type, source, lane(b, at, LEFT))
            choose(
                b,
                _is_inside(b, at, limits),
                lambda: _copy_run(b, kind, start, to, length, step),
                lambda: _clear_run(b, kind, to, length),
            )


def _is_inside(b: Builder, place: Value, limits: Value) -> Value:
    """Test whether all positions of a place are below their limits."""
    bits = f"<{LANES} x i1>"
    offsets = f"<{', '.join(f'i1 {int(number < CHECKED)}' for number in range(LANES))}>"
    below = b.emit(bits, f"icmp ult {place}, {limits.text}")
    either = b.emit(bits, f"or {below}, {offsets}")
    name = f"@llvm.vector.reduce.and.v{LANES}i1"
    b.declarations.setdefault(name, f"declare i1 {name}({bits})")
    return b.call(name, "i1", [either])


def _copy_run(b: Builder, kind: Kind, source: Value, target: Value, length: Value, step: Value) -> None:
    """Copy elements that are `step` apart."""
    zero = b.constant(0, "i64")

    def vectors() -> None:
        whole = b.emit("i64", f"udiv i64 {length.text}, {kind.lanes}")
        with b.loop(zero, whole) as k:
            kind.store(b, kind.load(b, source, k * kind.lanes), target, k * kind.lanes)
        with b.loop(whole * kind.lanes, length) as k:
            b.store(b.load(kind.type, source, k), target, k)

    def elements() -> None:
        with b.loop(zero, length) as k:
            b.store(b.load(kind.type, source, k * step), target, k)

    choose(b, step.equals(1), vectors, elements)


def _clear_run(b: Builder, kind: Kind, target: Value, length: Value) -> None:
    with b.loop(b.constant(0, "i64"), length) as k:
        b.store(b.constant(0, kind.type), target, k)


class PanelSource(NamedTuple):
    """A panel of the right factor.

    Attributes:
        start: the address of its first column.
        offsets: a pointer to the offset of each term.
        column_stride: elements from a column to the next.
        is_transposed: whether terms are contiguous, and their number is one of whole vectors.
    """

    start: Value
    offsets: Value
    column_stride: Value
    is_transposed: Value


def pack_right(
    b: Builder, kind: Kind, source: PanelSource, terms: Value, columns: Value, target: Value
) -> None:
    """Copy a panel of the right factor: rows of a whole panel as vectors, whole columns as squares.

    Args:
        b: The function.
        kind: The elements.
        source: Where it is.
        terms: The number of rows.
        columns: The number of columns.
        target: The packed panel.
    """
    is_whole, is_row = columns.equals(kind.columns), source.column_stride.equals(1)
    choose(
        b,
        is_whole & is_row,
        lambda: _copy_rows(b, kind, source, terms, target),
        lambda: choose(
            b,
            is_whole & source.is_transposed,
            lambda: _transpose(b, kind, source, terms, target),
            lambda: _copy_elements(b, kind, source, terms, columns, target),
        ),
    )


def _copy_rows(b: Builder, kind: Kind, source: PanelSource, terms: Value, target: Value) -> None:
    with b.loop(b.constant(0, "i64"), terms) as t:
        offset = b.load("i64", source.offsets, t)
        for part in range(0, kind.columns, kind.lanes):
            kind.store(b, kind.load(b, source.start, offset + part), target, t * kind.columns + part)


def _transpose(b: Builder, kind: Kind, source: PanelSource, terms: Value, target: Value) -> None:
    zero = b.constant(0, "i64")
    squares = b.emit("i64", f"udiv i64 {terms.text}, {kind.lanes}")
    transpose = transpose_function(b, kind)
    with b.loop(zero, squares) as square:
        t = square * kind.lanes
        offset = b.load("i64", source.offsets, t)
        for part in range(0, kind.columns, kind.lanes):
            start = b.address(kind.type, source.start, offset + source.column_stride * part)
            to = b.address(kind.type, target, t * kind.columns + part)
            b.do(f"call void {transpose}({start}, {source.column_stride}, {to})")


def _copy_elements(
    b: Builder, kind: Kind, source: PanelSource, terms: Value, columns: Value, target: Value
) -> None:
    zero = b.constant(0, "i64")
    with b.loop(zero, terms) as t:
        offset = b.load("i64", source.offsets, t)
        with b.loop(zero, columns) as c:
            value = b.load(kind.type, source.start, offset + c * source.column_stride)
            b.store(value, target, t * kind.columns + c)
