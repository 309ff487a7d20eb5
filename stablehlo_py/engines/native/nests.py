"""Loop nests: the loops and bodies of the items that share their outermost loops."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Complex, Value
from stablehlo_py.engines.native.dots import DotEmitter, column_parts
from stablehlo_py.engines.native.fusion import Item, Nest, Record, record
from stablehlo_py.engines.native.index_space import (
    ZERO,
    Index,
    Indices,
    Variable,
    computed,
    linear,
    loop_parts,
    of_variable,
)
from stablehlo_py.engines.native.loops import (
    MOST_UNROLLED,
    PROBE,
    Range,
    arrange,
    joined_loops,
    loop_indices,
    nested,
    unravel,
)
from stablehlo_py.engines.native.lower.contraction import DOT
from stablehlo_py.engines.native.lower.window import REDUCE_WINDOW
from stablehlo_py.engines.native.parts import PARTS
from stablehlo_py.engines.native.products.products import NO_EPILOGUE, EpilogueEmitter, ProductEmitter
from stablehlo_py.engines.native.products.tiles import registers
from stablehlo_py.engines.native.scope import Access, Scope
from stablehlo_py.engines.native.tiling import Tile, TileEmitter, choose_tile
from stablehlo_py.engines.native.windows import WindowEmitter
from stablehlo_py.interpreter.plan import Plan, Step

_BLOCK = 512  # elements of a row that are combined with all others before the next
_PIECE_ALONG = 64  # elements of a row, of which a thread combines at least so many
FOLD_OPS = {  # bodies of reductions, as op of the body -> instruction, which LLVM may take in any order
    "stablehlo.add": "fadd",
    "stablehlo.multiply": "fmul",
}


class NestEmitter:
    """Writes the loops of one nest.

    Args:
        scope: the slots; those of the nest that are kept for a row have buffers whose outer strides are 0.
        nest: the nest.
    """

    def __init__(self, scope: Scope, nest: Nest) -> None:
        self.scope = scope
        self.nest = nest
        self.b = scope.b

    def emit(self, part: Range | None) -> None:
        """Writes the loops, the outermost one over a part of its range only if there is one."""
        if self.nest.alone:
            (item,) = self.nest.items
            extent = self.b.constant(self.extent, "i64")
            PARTS[item.step.name].emit(
                self.scope, item.step, part or Range(self.b.constant(0, "i64"), extent)
            )
        elif self.nest.product is not None:
            self._multiply(part or Range(self.b.constant(0, "i64"), self.b.constant(self.extent, "i64")))
        elif self.nest.lead:
            self._along(part)
        elif self.nest.is_flat:
            self._flat(part)
        else:
            self._rows(part)

    @cached_property
    def extent(self) -> int:
        """The number of iterations of the outermost loop, which `Range` is a part of."""
        if self.nest.alone:
            (item,) = self.nest.items
            return PARTS[item.step.name].extent(self.scope.plan, item.step)
        if self.nest.product is not None:
            return max([product.extent for product in self._products])
        if self.nest.lead:
            return self.nest.shape[self.nest.lead]
        if not self.nest.is_flat:
            parts, _ = self._column_parts
            return parts if parts > 1 else prod(self.nest.shape[: self.nest.outer])
        return prod([self.nest.shape[d] for d in self._groups[0]]) if self._groups else 1

    @property
    def pieces(self) -> int:
        """The most pieces of the outermost loop that cost no more than the whole."""
        if self.nest.alone:
            (item,) = self.nest.items
            return PARTS[item.step.name].pieces(self.scope.plan, item.step)
        if self.nest.product is not None:
            return max([product.pieces for product in self._products])
        if self.nest.lead:
            rest = prod(self.nest.shape[self.nest.lead + 1 :])
            return max(1, self.extent * rest // _PIECE_ALONG)
        parts, pieces = self._column_parts
        return pieces if parts > 1 else self.extent

    def _bounds(self, part: Range | None, extent: int) -> tuple[Value, Value]:
        if part is not None:
            return part.start, part.stop
        return self.b.constant(0, "i64"), self.b.constant(extent, "i64")

    # Matrix products

    @cached_property
    def _products(self) -> list[ProductEmitter]:
        from stablehlo_py.engines.native.jit import host_features

        assert self.nest.product is not None
        machine = registers(host_features())
        parts = self.nest.product.parts or (self.nest.product,)
        return [ProductEmitter(self.scope, part, machine) for part in parts]

    def _multiply(self, part: Range) -> None:
        """Write the products, a share of each."""
        b, epilogue = self.b, self._epilogue_function()
        for product in self._products:
            start, stop = (
                b.emit("i64", f"udiv i64 {(end * product.extent).text}, {self.extent}")
                for end in (part.start, part.stop)
            )
            product.emit(Range(start, stop), epilogue)

    def _epilogue_function(self) -> tuple[str, Value]:
        """What follows the products: a function and its arguments."""
        first, *maps = self.nest.items
        if not maps:
            return NO_EPILOGUE, self.b.value("null", "ptr")
        whole = all(product.panels.run % product.kind.columns == 0 for product in self._products)
        scope, kind = self.scope, self._products[0].kind
        inner = scope.in_function(Builder(self.b.declarations))

        def final(at: Indices, value: Value) -> None:
            self._epilogue(inner, at, value)

        return EpilogueEmitter(inner, kind, first.rows, self._groups, final).emit(self.b, whole)

    def _epilogue(self, scope: Scope, at: Indices, value: Value) -> None:
        """Store an element of a product, and those of the maps behind it."""
        first, *maps = self.nest.items
        scope.remember(first.slots[0], at, value)
        found = [(first.slots[0], value)]
        for item in maps:
            result = scope.expressions[item.step.name](scope, item.step, at)
            scope.remember(item.slots[0], at, result)
            found.append((item.slots[0], result))
        for slot, element in found:
            if slot not in self.nest.unstored:
                scope.store(scope.buffers[slot], at, element)

    # Maps in one loop body

    @cached_property
    def _record(self) -> Record:
        return record(self.scope, self.nest.items, self.nest.shape, self.nest.lead)

    @cached_property
    def _groups(self) -> list[list[int]]:
        """The dimensions; neighbours that all accesses run through as through one are one loop together."""
        shape = self.nest.shape
        if not shape:
            return []
        accesses, used, _ = self._record
        indices = loop_indices(shape, PROBE)
        offsets = self._offsets(accesses)
        for item in self.nest.items:
            own = indices[self.nest.lead :] if item.reduces else indices
            stored = set(item.slots) - self.nest.unstored
            offsets += [linear(own, self.scope.buffers[slot].strides) for slot in stored]
        return joined_loops(shape, self.nest.lead, offsets, used)

    def _offsets(self, accesses: Sequence[Access]) -> list[Index]:
        """The places of loads in their arrays."""
        return [linear(access.indices, self.scope.buffers[access.slot].strides) for access in accesses]

    @cached_property
    def _tile(self) -> Tile | None:
        variables = [Variable(f"{PROBE}{d}", extent) for d, extent in enumerate(self.nest.shape)]
        return choose_tile(self.scope, self.nest, self._groups, variables, self._record)

    def _flat(self, part: Range | None) -> None:
        if part is not None and self._tile is not None:
            TileEmitter(self.scope, self.nest, self._groups, self._tile, self._value).emit(part)
            return
        indices: list[Index] = [ZERO] * len(self.nest.shape)
        self._loop_over(self._groups, indices, part, lambda: self._store_all(tuple(indices)))

    def _loop_over(
        self, groups: list[list[int]], indices: list[Index], part: Range | None, body: Callable[[], None]
    ) -> None:
        if not groups:
            body()
            return
        group, *rest = groups
        extent = prod(self.nest.shape[d] for d in group)
        starts = self._record.pieces[group[-1]]
        for first, end in zip(starts, [*starts[1:], extent], strict=True):
            if part is None and end - first <= MOST_UNROLLED:
                for place in range(first, end):
                    self._body_at(group, Index((), place), rest, indices, body)
                continue
            with self.b.loop(*self._piece(part, first, end), trips=end - first) as i:
                index = of_variable(Variable(i.text, end - first)) + first
                self._body_at(group, index, rest, indices, body)

    def _body_at(
        self,
        group: list[int],
        index: Index,
        rest: list[list[int]],
        indices: list[Index],
        body: Callable[[], None],
    ) -> None:
        """Write the loops inside of one at its index."""
        self.scope.enter()
        indices[group[0] : group[-1] + 1] = loop_parts(index, [self.nest.shape[d] for d in group], self.b)
        self._loop_over(rest, indices, None, body)
        self.scope.leave()

    def _piece(self, part: Range | None, first: int, end: int) -> tuple[Value, Value]:
        """The bounds of a loop over the part of a piece, counted from its first index."""
        b, size = self.b, end - first
        if part is None:
            return b.constant(0, "i64"), b.constant(size, "i64")
        start, stop = part.start - first, part.stop - first
        return (start < 0).select(0, start), (stop > size).select(size, stop)

    def _store_all(self, indices: Indices) -> None:
        values = [(slot, self._value(item, slot, indices)) for item in self.nest.items for slot in item.slots]
        for slot, value in values:
            self.scope.store(self.scope.buffers[slot], indices, value)

    def _value(self, item: Item, slot: int, indices: Indices) -> Value:
        """The element of a map, from its operands, which the items behind it then use as it is."""
        value = self.scope.expressions[item.step.name](self.scope, item.step, indices)
        self.scope.remember(slot, indices, value)
        return value

    # Maps, and reductions of leading dimensions

    def _along(self, part: Range | None) -> None:
        """Combine whole rows: the innermost loops run along memory, over blocks that stay in cache."""
        b, scope = self.b, self.scope
        outer, (first, *rest) = self.nest.shape[: self.nest.lead], self.nest.shape[self.nest.lead :]
        groups = [group for group in self._groups if group[-1] < self.nest.lead]
        size = max(1, _BLOCK // prod(rest))
        start, stop = self._bounds(part, first)
        blocks = b.emit("i64", f"udiv {stop - start + (size - 1)}, {size}")
        with b.loop(b.constant(0, "i64"), blocks, trips=-(-first // size)) as number:
            scope.enter()
            low = start + number * size
            high = (low + size < stop).select(low + size, stop)

            def over(body: Callable[[Indices], None]) -> None:
                with b.loop(low, high, trips=min(size, first)) as t:
                    scope.enter()
                    index = computed(t, first)
                    nested(scope, rest, lambda indices: body((index, *indices)))
                    scope.leave()

            def combine(loops: Indices) -> None:
                at: list[Index] = []
                for group, index in zip(groups, loops, strict=True):
                    at += loop_parts(index, [outer[d] for d in group], b)
                over(lambda kept: self._combine_all(tuple(at), kept))

            over(self._start_sums)
            nested(scope, [prod([outer[d] for d in group]) for group in groups], combine)
            scope.leave()

    def _start_sums(self, kept: Indices) -> None:
        for item in [item for item in self.nest.items if item.reduces]:
            for slot, init in zip(item.slots, _operands(item)[1], strict=True):
                self.scope.store(self.scope.buffers[slot], kept, self.scope.at(init, ()))

    def _combine_all(self, outer: Indices, kept: Indices) -> None:
        """Compute the maps at an index, and combine what reductions read there."""
        scope, at = self.scope, (*outer, *kept)
        found: list[tuple[int, Indices, Value]] = []
        for item in self.nest.items:
            if not item.reduces:
                found.append((item.slots[0], at, self._value(item, item.slots[0], at)))
                continue
            inputs, _, captured = _operands(item)
            values = [scope.at(slot, at) for slot in inputs]
            current = [scope.load(slot, kept) for slot in item.slots]
            combined = self._combine(item, current, values, [scope.at(slot, ()) for slot in captured])
            found += [(slot, kept, value) for slot, value in zip(item.slots, combined, strict=True)]
        for slot, place, value in found:
            if slot not in self.nest.unstored:
                scope.store(scope.buffers[slot], place, value)

    # Rows

    @cached_property
    def _column_parts(self) -> tuple[int, int]:
        """The parts of the columns of a dot, where these are the outermost loop, and the pieces that pay."""
        first = self.nest.items[0]
        return column_parts(self.scope.plan, first.step) if first.step.name == DOT else (1, 1)

    def _rows(self, part: Range | None) -> None:
        if part is not None and self._column_parts[0] > 1:
            (item,) = self.nest.items
            DotEmitter(self.scope, item.step).emit((), item.rows, part)
            return
        outer = self.nest.shape[: self.nest.outer]
        count = prod(outer)
        with self.b.loop(*self._bounds(part, count), trips=count) as row:
            self.scope.enter()
            indices = unravel(of_variable(Variable(row.text, count)), outer, self.b)
            for item in self.nest.items:
                self._row_of(item, indices)
            self.scope.leave()

    def _row_of(self, item: Item, outer: Indices) -> None:
        rest = item.rows[len(outer) :]
        if item.step.name == DOT:
            DotEmitter(self.scope, item.step).emit(outer, rest)
        elif item.step.name == REDUCE_WINDOW:
            WindowEmitter(self.scope, item.step).emit(outer, rest)
        elif item.reduces:
            self._reduce(item, outer, rest)
        else:
            (slot,) = item.slots

            def body(indices: Indices) -> None:
                value = self._value(item, slot, (*outer, *indices))
                self.scope.store(self.scope.buffers[slot], (*outer, *indices), value)

            nested(self.scope, rest, body)

    def _reduce(self, item: Item, outer: Indices, rest: Sequence[int]) -> None:
        """One reduction: its rows that are not shared are loops here; columns are accumulated."""
        trailing = min(item.trailing, len(rest))
        is_wide = all(self.scope.element(slot).is_wide for slot in item.slots)
        if trailing and is_wide:
            self._reduce_columns(item, outer, rest, trailing)
        else:
            nested(self.scope, rest, lambda indices: self._reduce_row(item, (*outer, *indices)))

    def _column_loops(self, item: Item) -> list[list[int]]:
        """The extents of the reduced dimensions, of those together that are one loop."""
        kept, shape = len(item.rows), (*item.rows, *item.columns)
        found = record(self.scope, [item], shape)
        groups = joined_loops(shape, kept, self._offsets(found.accesses), found.used)
        return [[shape[d] for d in group] for group in groups if group[0] >= kept]

    def _reduce_row(self, item: Item, rows: Indices) -> None:
        """The elements of a row, combined in registers."""
        scope, b = self.scope, self.b
        inputs, inits, captured = _operands(item)
        zero = b.constant(0, "i64")
        totals = [b.alloca(scope.element(slot).compute) for slot in item.slots]
        for total, init in zip(totals, inits, strict=True):
            b.store(scope.at(init, ()), total, zero)
        constants = [scope.at(slot, ()) for slot in captured]

        def body(columns: Indices) -> None:
            at = arrange((*rows, *columns), item.order)
            values = [scope.at(slot, at) for slot in inputs]
            current = [b.load(value.type, total, zero) for value, total in zip(values, totals, strict=True)]
            for total, value in zip(totals, self._combine(item, current, values, constants), strict=True):
                b.store(value, total, zero)

        if prod(item.columns) <= MOST_UNROLLED:  # so that the loop over rows is one of vectors
            for place in itertools.product(*map(range, item.columns)):
                body(tuple([Index((), index) for index in place]))
        else:
            loops = self._column_loops(item)

            def at_parts(indices: Indices) -> None:
                parts = [loop_parts(*each, b) for each in zip(indices, loops, strict=True)]
                body(tuple(itertools.chain(*parts)))

            nested(scope, list(map(prod, loops)), at_parts, accumulates=True)
        for slot, total in zip(item.slots, totals, strict=True):
            element = scope.element(slot)
            value = element.rounded(b.load(element.compute, total, zero))
            scope.remember(slot, rows, value)
            scope.store(scope.buffers[slot], rows, value)

    def _reduce_columns(self, item: Item, outer: Indices, rest: Sequence[int], trailing: int) -> None:
        """Whole rows added to one another: the innermost loop runs along memory."""
        scope = self.scope
        inputs, inits, captured = _operands(item)
        lead, last = rest[: len(rest) - trailing], rest[len(rest) - trailing :]
        starts = [scope.at(init, ()) for init in inits]
        constants = [scope.at(slot, ()) for slot in captured]

        def first(indices: Indices) -> None:
            for slot, start in zip(item.slots, starts, strict=True):
                scope.store(scope.buffers[slot], indices, start)

        def add(rows: Indices, columns: Indices) -> None:
            at = arrange((*rows, *columns), item.order)
            values = [scope.at(slot, at) for slot in inputs]
            current = [scope.load(slot, rows) for slot in item.slots]
            combined = self._combine(item, current, values, constants)
            for slot, value in zip(item.slots, combined, strict=True):
                scope.store(scope.buffers[slot], rows, value)

        def block(leading: Indices) -> None:
            prefix = (*outer, *leading)
            nested(scope, last, lambda t: first((*prefix, *t)))
            nested(scope, item.columns, lambda c: nested(scope, last, lambda t: add((*prefix, *t), c)))

        nested(scope, lead, block)

    def _combine(
        self, item: Item, current: list[Value], values: list[Value], captured: list[Value]
    ) -> list[Value]:
        """The body of a reduction; a lone sum or product of floats is taken in any order, and not rounded."""
        body = item.step.bodies["body"]
        assert isinstance(body, Plan)
        if is_fold(body) and values[0].is_float:
            x, y = current[0], values[0]
            op = FOLD_OPS[body.steps[0].name]
            return [self.b.emit(x.type, f"{op} reassoc {x}, {y.text}")]
        if is_fold(body) and isinstance(current[0], Complex) and body.steps[0].name == "stablehlo.add":
            return [current[0].add_in_any_order(values[0])]
        return self.scope.inline(body, [*current, *values, *captured])


def is_fold(body: Plan[Step]) -> bool:
    """Test whether a reduction's body is one sum or product of its two inputs."""
    if len(body.steps) != 1 or body.arity != 2:
        return False
    (step,) = body.steps
    return step.name in FOLD_OPS and set(step.ins) == {0, 1} and step.outs == body.outputs


def _operands(item: Item) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The inputs of a reduction, its initial values, and what its body captures."""
    count = len(item.slots)
    ins = item.step.ins
    return ins[:count], ins[count : 2 * count], ins[2 * count :]
