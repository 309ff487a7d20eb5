"""Loop nests: which values of a region are stored, and the loops that compute them.

A value is stored ("materialized") where it leaves the region, is the result of a reduction, or costs more to compute
again for each user than to keep; everything else is an expression inside a loop body. Loops over the same rows
become one nest (loop fusion), so that a softmax or a layer norm takes a row at a time, in cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from stablehlo_py.engines.native.index_space import (
    ZERO,
    Index,
    Indices,
    Variable,
    linear,
    of_variable,
    row_major,
)
from stablehlo_py.engines.native.llvm_ir import Builder, Value
from stablehlo_py.engines.native.scope import Access, Scope, clamped_start
from stablehlo_py.interpreter.plan import Plan, Step

DOT = "stablehlo.dot_general"
_UNROLLED = 4  # products that a dot adds up between a load and a store of the sum
FOLD_OPS = {  # bodies of reductions that LLVM may take in any order, as (op of the body) -> fast-math flag
    "stablehlo.add": "reassoc",
    "stablehlo.multiply": "reassoc",
}


@dataclass(eq=False)
class Item:
    """What is computed and stored by loops of its own: the result of one step.

    Attributes:
        step: the step.
        slots: the slots that are stored.
        rows: the extents of the loops outside: those of a map, or the kept dimensions of a reduction.
        columns: the extents of the reduced dimensions, in order; none for a map.
        order: for a reduction, the operand's dimensions in the order of the loops, rows first.
    """

    step: Step
    slots: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...] = ()
    order: tuple[int, ...] = ()

    @property
    def reduces(self) -> bool:
        return self.step.name in ("stablehlo.reduce", DOT)

    @property
    def alone(self) -> bool:
        """Whether its loops are shared with no other item: it is written in parts."""
        return self.step.name in PARTS


@dataclass(eq=False)
class Nest:
    """Items that share their outermost loops.

    `outer` is how many of the dimensions of its rows are shared; all of them for maps that share one body.
    """

    items: list[Item]
    shape: tuple[int, ...]
    outer: int

    @property
    def is_flat(self) -> bool:
        """Whether it consists of maps over one index space, in one loop body."""
        return self.outer == len(self.shape) and not any(item.reduces or item.alone for item in self.items)

    @property
    def alone(self) -> bool:
        """Whether it is one item that is written in parts."""
        return self.items[0].alone

    @property
    def slots(self) -> set[int]:
        return {slot for item in self.items for slot in item.slots}


def make_item(step: Step, slot: int, plan: Plan[Any]) -> Item:
    """The item of a step: the loops of a reduction, or of a map for everything else."""
    shape = _shape(plan, slot)
    if step.name == DOT:
        lhs = _shape(plan, step.ins[0])
        columns = tuple(lhs[d] for d in step.keywords["lhs_contracting_dimensions"])
        return Item(step, (slot,), shape, columns, _DOT_ORDER)
    if step.name != "stablehlo.reduce":
        return Item(step, (slot,), shape)
    operand = _shape(plan, step.ins[0])
    reduced = sorted(step.keywords["dimensions"])
    kept = [d for d in range(len(operand)) if d not in reduced]
    return Item(
        step,
        step.outs,
        tuple(operand[d] for d in kept),
        tuple(operand[d] for d in reduced),
        (*kept, *reduced),
    )


_DOT_ORDER = (-1,)  # of a dot: its loops are no dimensions of one operand


def _shape(plan: Plan[Any], slot: int) -> tuple[int, ...]:
    return tuple(plan.types[slot].shape)  # type: ignore[attr-defined]


def fuse(items: Sequence[Item], accesses: Callable[[Item, Sequence[Index]], list[Access]]) -> list[Nest]:
    """Puts items into nests, in order.

    `accesses(item, indices)` gives the loads that an item makes at the indices of its loops.
    """
    nests: list[Nest] = []
    for item in items:
        nest = nests[-1] if nests else None
        if nest is None or not _join(nest, item, accesses):
            outer = len(item.rows) - (1 if item.step.name == DOT and item.rows else 0)
            nests.append(Nest([item], item.rows, outer))
    return nests


def _join(nest: Nest, item: Item, accesses: Callable[[Item, Sequence[Index]], list[Access]]) -> bool:
    """Adds an item to a nest where its loops fit and it reads of the nest's values only those of its own row."""
    products = item.step.name == DOT or nest.items[0].step.name == DOT
    outer = None if products or nest.alone or item.alone else _shared_loops(nest, item)
    if outer is None:
        return False
    variables = loop_indices((*item.rows, *item.columns), "%probe")
    for access in accesses(item, variables):
        if access.slot in nest.slots and tuple(access.indices[:outer]) != tuple(variables[:outer]):
            return False
    nest.outer = outer
    nest.shape = nest.shape[:outer] if outer < len(nest.shape) else nest.shape
    nest.items.append(item)
    return True


def _shared_loops(nest: Nest, item: Item) -> int | None:
    """How many loops a nest and an item have in common; None where that is not worth one nest."""
    if nest.is_flat and not item.reduces:
        return nest.outer if item.rows == nest.shape else None
    if nest.is_flat:
        rows = len(item.rows)
        fits = item.order == tuple(range(len(item.order))) and nest.shape == (*item.rows, *item.columns)
        return rows if fits and rows > 0 else None
    if item.reduces and item.order != tuple(range(len(item.order))):
        return None
    fits = item.rows[: nest.outer] == nest.shape[: nest.outer] and nest.outer > 0
    if item.reduces and len(item.rows) != nest.outer:
        return None
    return nest.outer if fits else None


def loop_indices(extents: Iterable[int], stem: str) -> tuple[Index, ...]:
    """An index for each loop, by a variable of its own."""
    return tuple([of_variable(Variable(f"{stem}{d}", extent)) for d, extent in enumerate(extents)])


# Emission


@dataclass
class Range:
    """The part of a nest's outermost loop that one call computes."""

    start: Value
    stop: Value


class NestEmitter:
    """Writes the loops of one nest.

    Attributes:
        scope: the slots; those of the nest that are kept for a row only have buffers whose outer strides are 0.
        stores: the buffers that items are stored into, by slot.
    """

    def __init__(self, scope: Scope, nest: Nest) -> None:
        self.scope = scope
        self.nest = nest
        self.b = scope.b

    def emit(self, part: Range | None) -> None:
        if self.nest.alone:
            (item,) = self.nest.items
            PARTS[item.step.name](self.scope, item)
        elif self.nest.is_flat:
            self._flat(part)
        else:
            self._rows(part)

    def extent(self) -> int:
        """The number of iterations of the outermost loop, which `Range` is a part of."""
        if self.nest.alone:
            return 1
        return self._loops()[0] if self.nest.is_flat else prod(self.nest.shape[: self.nest.outer])

    # Maps in one loop body

    def _loops(self) -> list[int]:
        groups = self._groups()
        return [prod(self.nest.shape[d] for d in group) for group in groups] or [1]

    def _groups(self) -> list[list[int]]:
        """The dimensions, neighbours that are one loop together."""
        shape = self.nest.shape
        if not shape:
            return []
        accesses, used = record(self.scope, self.nest.items, loop_indices(shape, "%probe"))
        variables = [Variable(f"%probe{d}", extent) for d, extent in enumerate(shape)]
        offsets = [linear(a.indices, self.scope.buffers[a.slot].strides) for a in accesses]
        indices = loop_indices(shape, "%probe")
        offsets += [linear(indices, self.scope.buffers[s].strides) for s in self.nest.slots]
        groups = [[0]]
        for d in range(1, len(shape)):
            one = shape[d - 1] == 1 or (
                not {d - 1, d} & used
                and all(
                    o.coefficient(variables[d - 1]) == o.coefficient(variables[d]) * shape[d] for o in offsets
                )
                and shape[d] != 1
            )
            if one:
                groups[-1].append(d)
            else:
                groups.append([d])
        return groups

    def _flat(self, part: Range | None) -> None:
        groups = self._groups()
        indices: list[Index] = [ZERO] * len(self.nest.shape)
        self._loop_over(groups, indices, part, lambda: self._store_all(tuple(indices)))

    def _loop_over(
        self, groups: list[list[int]], indices: list[Index], part: Range | None, body: Callable[[], None]
    ) -> None:
        if not groups:
            body()
            return
        group, *rest = groups
        extent = prod(self.nest.shape[d] for d in group)
        start = part.start if part else self.b.constant(0, "i64")
        stop = part.stop if part else self.b.constant(extent, "i64")
        with self.b.loop(start, stop) as i:
            self.scope.enter()
            indices[group[-1]] = of_variable(Variable(i.text, extent))
            self._loop_over(rest, indices, None, body)
            self.scope.leave()

    def _store_all(self, indices: Indices) -> None:
        values = [(slot, self._value(item, slot, indices)) for item in self.nest.items for slot in item.slots]
        for slot, value in values:
            self.scope.store(self.scope.buffers[slot], indices, value)

    def _value(self, item: Item, slot: int, indices: Indices) -> Value:
        """The element of a map, from its operands, which the items behind it then use as it is."""
        value = self.scope.expressions[item.step.name](self.scope, item.step, indices)
        self.scope.remember(slot, indices, value)
        return value

    # Rows

    def _rows(self, part: Range | None) -> None:
        outer = self.nest.shape[: self.nest.outer]
        count = prod(outer)
        start = part.start if part else self.b.constant(0, "i64")
        stop = part.stop if part else self.b.constant(count, "i64")
        with self.b.loop(start, stop) as row:
            self.scope.enter()
            indices = unravel(of_variable(Variable(row.text, count)), outer, self.b)
            for item in self.nest.items:
                self._row_of(item, indices)
            self.scope.leave()

    def _row_of(self, item: Item, outer: Indices) -> None:
        if item.reduces:
            self._reduce(item, outer)
            return
        inner = item.rows[len(outer) :]
        (slot,) = item.slots

        def body(indices: Indices) -> None:
            value = self._value(item, slot, (*outer, *indices))
            self.scope.store(self.scope.buffers[slot], (*outer, *indices), value)

        nested(self.scope, inner, body)

    def _reduce(self, item: Item, outer: Indices) -> None:
        """One reduction: its rows that are not shared are loops here; columns are accumulated."""
        if item.step.name == DOT:
            self._dot(item, outer)
            return
        rest = item.rows[len(outer) :]
        trailing = _trailing(item)
        if trailing:
            self._reduce_columns(item, outer, rest, trailing)
        else:
            nested(self.scope, rest, lambda indices: self._reduce_row(item, (*outer, *indices)))

    def _reduce_row(self, item: Item, rows: Indices) -> None:
        """The elements of a row, combined in registers."""
        step, scope, b = item.step, self.scope, self.b
        inputs, inits = step.ins[: len(item.slots)], step.ins[len(item.slots) : 2 * len(item.slots)]
        totals = [b.alloca(scope.element(slot).compute) for slot in item.slots]
        for total, init in zip(totals, inits, strict=True):
            b.store(scope.at(init, ()), total, b.constant(0, "i64"))

        def body(columns: Indices) -> None:
            at = arrange((*rows, *columns), item.order)
            values = [scope.at(slot, at) for slot in inputs]
            current = [
                b.load(value.type, total, b.constant(0, "i64"))
                for value, total in zip(values, totals, strict=True)
            ]
            for total, value in zip(totals, self._combine(item, current, values), strict=True):
                b.store(value, total, b.constant(0, "i64"))

        nested(scope, item.columns, body)
        for slot, total in zip(item.slots, totals, strict=True):
            value = b.load(scope.element(slot).compute, total, b.constant(0, "i64"))
            scope.remember(slot, rows, value)
            scope.store(scope.buffers[slot], rows, value)

    def _reduce_columns(self, item: Item, outer: Indices, rest: Sequence[int], trailing: int) -> None:
        """Whole rows added to one another: the innermost loop runs along memory."""
        step, scope = item.step, self.scope
        inputs, inits = step.ins[: len(item.slots)], step.ins[len(item.slots) : 2 * len(item.slots)]
        lead, last = rest[: len(rest) - trailing], rest[len(rest) - trailing :]

        def first(indices: Indices) -> None:
            for slot, init in zip(item.slots, inits, strict=True):
                scope.store(scope.buffers[slot], indices, scope.at(init, ()))

        def add(rows: Indices, columns: Indices) -> None:
            at = arrange((*rows, *columns), item.order)
            values = [scope.at(slot, at) for slot in inputs]
            current = [scope.load(slot, rows) for slot in item.slots]
            for slot, value in zip(item.slots, self._combine(item, current, values), strict=True):
                scope.store(scope.buffers[slot], rows, value)

        def block(leading: Indices) -> None:
            prefix = (*outer, *leading)
            nested(scope, last, lambda t: first((*prefix, *t)))
            nested(scope, item.columns, lambda c: nested(scope, last, lambda t: add((*prefix, *t), c)))

        nested(scope, lead, block)

    def _dot(self, item: Item, outer: Indices) -> None:
        """A small product: rows of rhs, scaled and added up, where they lie along memory, else sums of products."""
        scope, b, (slot,) = self.scope, self.b, item.slots
        last_is_free = scope_free_last(scope, item)
        free = 1 if last_is_free else 0
        lead, last = item.rows[len(outer) : len(item.rows) - free], item.rows[len(item.rows) - free :]
        element = scope.element(slot)
        zero = b.constant(0, element.compute)
        target = scope.buffers[slot]

        def product(rows: Indices, columns: Indices) -> tuple[Value, Value]:
            left, right = dot_indices(scope, item, rows, columns)
            lhs, rhs = item.step.ins
            return scope.at(lhs, left), scope.at(rhs, right)

        def add(total: Value, rows: Indices, columns: Indices) -> Value:
            x, y = product(rows, columns)
            return x.call("fma", y, total) if element.is_float else total + x * y

        def block(leading: Indices) -> None:
            prefix = (*outer, *leading)
            if not free:
                total = b.alloca(element.compute)
                at = b.constant(0, "i64")
                b.store(zero, total, at)

                def accumulate(columns: Indices) -> None:
                    x, y = product(prefix, columns)
                    before = b.load(element.compute, total, at)
                    term = x * y
                    sum_ = (
                        b.emit(term.type, f"fadd reassoc contract {before}, {term.text}")
                        if element.is_float
                        else before + term
                    )
                    b.store(sum_, total, at)

                nested(scope, item.columns, accumulate)
                value = b.load(element.compute, total, at)
                scope.remember(slot, prefix, value)
                scope.store(target, prefix, value)
                return
            nested(scope, last, lambda t: scope.store(target, (*prefix, *t), zero))
            several = _UNROLLED if item.columns and item.columns[-1] % _UNROLLED == 0 else 1
            columns = (*item.columns[:-1], item.columns[-1] // several) if item.columns else ()

            def rows_of(c: Indices) -> None:
                def body(t: Indices) -> None:
                    at = (*prefix, *t)
                    total = scope.load(slot, at)
                    for k in range(several):
                        inner = (*c[:-1], c[-1] * several + k) if c else c
                        total = add(total, at, inner)
                    scope.store(target, at, total)

                nested(scope, last, body)

            nested(scope, columns, rows_of)

        nested(scope, lead, block)

    def _combine(self, item: Item, current: list[Value], values: list[Value]) -> list[Value]:
        body = item.step.bodies["body"]
        assert isinstance(body, Plan)
        captured = [self.scope.at(slot, ()) for slot in item.step.ins[2 * len(item.slots) :]]
        if len(body.steps) == 1 and body.steps[0].name in FOLD_OPS and values[0].is_float:
            op = "fadd" if body.steps[0].name == "stablehlo.add" else "fmul"
            x, y = current[0], values[0]
            element = self.scope.element(item.slots[0])
            return [element.rounded(self.b.emit(x.type, f"{op} reassoc {x}, {y.text}"))]
        return self.scope.inline(body, [*current, *values, *captured])


def scope_free_last(scope: Scope, item: Item) -> bool:
    """Whether the last dimension of a dot's rhs is one of its result's."""
    rank = len(scope.shape(item.step.ins[1]))
    keywords = item.step.keywords
    bound = (*keywords["rhs_batching_dimensions"], *keywords["rhs_contracting_dimensions"])
    return rank > 0 and rank - 1 not in bound


def dot_indices(scope: Scope, item: Item, rows: Indices, columns: Indices) -> tuple[Indices, Indices]:
    """The indices in both operands of the product that goes to `rows` for the contracted index `columns`."""
    keywords, sides = item.step.keywords, []
    batch = len(keywords["lhs_batching_dimensions"])
    at = batch
    for side, operand in zip(("lhs", "rhs"), item.step.ins, strict=True):
        batching, contracting = (
            keywords[f"{side}_batching_dimensions"],
            keywords[f"{side}_contracting_dimensions"],
        )
        indices: list[Index] = []
        for d in range(len(scope.shape(operand))):
            if d in batching:
                indices.append(rows[batching.index(d)])
            elif d in contracting:
                indices.append(columns[contracting.index(d)])
            else:
                indices.append(rows[at])
                at += 1
        sides.append(tuple(indices))
    return sides[0], sides[1]


def _trailing(item: Item) -> int:
    """How many of the kept dimensions are behind all reduced ones."""
    rank = len(item.order)
    reduced = set(item.order[len(item.rows) :])
    count = 0
    while count < len(item.rows) and rank - 1 - count not in reduced:
        count += 1
    return count


def arrange(loops: Sequence[Index], order: Sequence[int]) -> Indices:
    """Indices of loops, put in the order of the dimensions that they run over."""
    found: list[Index] = [ZERO] * len(loops)
    for index, dimension in zip(loops, order, strict=True):
        found[dimension] = index
    return tuple(found)


def nested(scope: Scope, extents: Sequence[int], body: Callable[[Indices], None]) -> None:
    """Loops over an index space, the last dimension innermost."""

    def level(d: int, indices: Indices) -> None:
        if d == len(extents):
            body(indices)
        elif extents[d] == 1:
            level(d + 1, (*indices, ZERO))
        else:
            with scope.b.loop(scope.b.constant(0, "i64"), scope.b.constant(extents[d], "i64")) as i:
                scope.enter()
                level(d + 1, (*indices, of_variable(Variable(i.text, extents[d]))))
                scope.leave()

    level(0, ())


def unravel(index: Index, shape: Sequence[int], b: Builder) -> Indices:
    """The indices in an array of `shape` at a position in row-major order."""
    from stablehlo_py.engines.native.index_space import divide

    found: list[Index] = []
    for stride in row_major(shape)[:-1]:
        quotient, index = divide(index, stride, b)
        found.append(quotient)
    return (*found, index) if shape else ()


def record(scope: Scope, items: Sequence[Item], indices: Sequence[Index]) -> tuple[list[Access], set[int]]:
    """The loads that items make at the indices of their loops, and the loops whose index they use as a number."""
    builder = Builder({})
    builder.broken = builder.value("%broken", "ptr")
    probe = Scope(scope.plan, builder, scope.expressions, scope.producers, dict(scope.buffers), accesses=[])
    for item in items:
        if item.alone:
            continue
        if item.step.name == DOT:
            rows = len(item.rows)
            left, right = dot_indices(probe, item, tuple(indices[:rows]), tuple(indices[rows:]))
            probe.at(item.step.ins[0], left)
            probe.at(item.step.ins[1], right)
        elif item.reduces:
            at = arrange(indices, item.order)
            for slot in item.step.ins[: 2 * len(item.slots)]:
                probe.at(slot, at if slot in item.step.ins[: len(item.slots)] else ())
        else:
            value = probe.expressions[item.step.name](probe, item.step, tuple(indices))
            probe.remember(item.slots[0], tuple(indices), value)
    text = "\n".join(builder.lines)
    names = text.replace(",", " ").replace(")", " ").split()
    used = {d for d in range(len(indices)) if f"%probe{d}" in set(names)}
    assert probe.accesses is not None
    return probe.accesses, used


# Values that are written in parts


def _dynamic_update_slice(scope: Scope, item: Item) -> None:
    """Writes a part of an array, which is copied first unless it is the operand itself."""
    (slot,) = item.slots
    operand, update, *starts = item.step.ins
    target = scope.buffers[slot]
    shape, sizes = scope.shape(slot), scope.shape(update)
    in_place = operand in scope.buffers and scope.buffers[operand].pointer.text == target.pointer.text
    if not in_place:
        nested(scope, shape, lambda indices: scope.store(target, indices, scope.at(operand, indices)))
    spans = zip(starts, shape, sizes, strict=True)
    first = [clamped_start(scope, start, size - part) for start, size, part in spans]

    def body(indices: Indices) -> None:
        at = tuple([a + i for a, i in zip(first, indices, strict=True)])
        scope.store(target, at, scope.at(update, indices))

    nested(scope, sizes, body)


def _concatenate(scope: Scope, item: Item) -> None:
    (slot,) = item.slots
    target, dimension = scope.buffers[slot], item.step.keywords["dimension"]
    offset = 0
    for operand in item.step.ins:
        part = scope.shape(operand)

        def body(indices: Indices, operand: int = operand, offset: int = offset) -> None:
            at = tuple([i + offset if d == dimension else i for d, i in enumerate(indices)])
            scope.store(target, at, scope.at(operand, indices))

        nested(scope, part, body)
        offset += part[dimension]


def _pad(scope: Scope, item: Item) -> None:
    """Fills the array with the padding value, then writes the operand's elements that are inside."""
    (slot,) = item.slots
    operand, value = item.step.ins
    target, shape = scope.buffers[slot], scope.shape(slot)
    low, interior = item.step.keywords["edge_padding_low"], item.step.keywords["interior_padding"]
    nested(scope, shape, lambda indices: scope.store(target, indices, scope.at(value, ())))
    first, kept = [], []
    for size, start, between, limit in zip(scope.shape(operand), low, interior, shape, strict=True):
        step = between + 1
        begin = -(start // step) if start < 0 else 0
        end = min(size, (limit - 1 - start) // step + 1)
        first.append(begin)
        kept.append(max(0, end - begin))

    def body(indices: Indices) -> None:
        source = tuple([i + begin for i, begin in zip(indices, first, strict=True)])
        at = [i * (between + 1) + start for i, between, start in zip(source, interior, low, strict=True)]
        scope.store(target, tuple(at), scope.at(operand, source))

    nested(scope, kept, body)


PARTS: dict[str, Callable[[Scope, Item], None]] = {
    "stablehlo.concatenate": _concatenate,
    "stablehlo.dynamic_update_slice": _dynamic_update_slice,
    "stablehlo.pad": _pad,
}
