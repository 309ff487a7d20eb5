"""Register tiling: sums of products are computed in tiles, whose totals are in vector registers.

A sum of products in a nest of parallel loops becomes a product of matrices: only the left factor depends on
the loop over rows, and only the right factor on the loop over columns. Panels of columns of the right factor
are packed, in front of a `while` that does not change the factor. Groups of rows of the left factor are
packed unless the factor is a plain load. A tile, some rows of a panel, is added up in registers; then the
statements after the sum run for its elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from math import prod

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Expression,
    Load,
    Space,
    Substitution,
    load,
    reference,
)
from stablehlo_py.engines.native.loop_ir.index import Index, Indices, Variable, linear, of_variable
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    Loop,
    Program,
    Statement,
    Store,
    While,
    rewritten,
    stores_of,
)
from stablehlo_py.engines.native.lower.values import add, multiply, number
from stablehlo_py.engines.native.machine import target
from stablehlo_py.engines.native.schedule.nests import (
    Part,
    divisor,
    loops_over,
    map_nests,
    parts_of,
    variables_in,
    vectors_of,
)
from stablehlo_py.engines.native.schedule.padding import padded
from stablehlo_py.engines.native.schedule.products import Product, is_plain, product_of, row_bytes, tile_rows
from stablehlo_py.engines.native.schedule.registers import RegisterTile
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import Type


def tile(program: Program) -> Program:
    """Tile the sums of products of a program."""
    buffers, body = list(program.buffers), list[Statement]()
    for statement in program.body:
        front = list[Statement]()
        nests = map_nests([statement], partial(_tiled, buffers, front, _written(statement)))
        body += [*front, *nests]
    return Program(tuple(buffers), tuple(body))


def _written(statement: Statement) -> set[Buffer] | None:
    """The buffers that a `while` of many iterations writes; None for another statement."""
    is_long = isinstance(statement, While) and statement.trips >= cost.REPEATED
    return {store.buffer for store in stores_of(statement)} if is_long else None


def _tiled(
    buffers: list[Buffer], front: list[Statement], written: set[Buffer] | None, nest: Loop
) -> Sequence[Statement]:
    """Tile a nest if it is a product; what is packed once goes in front of the `while` around it."""
    found = product_of(nest)
    if found is None:
        return [nest]
    tiling = _Tiling(found, len(buffers), written is not None and _keeps(written, found.right))
    statements = tiling.statements()
    buffers += tiling.buffers
    front += tiling.front
    return statements


def _keeps(written: set[Buffer], factor: Expression) -> bool:
    """Test whether a factor is an affine load of a buffer that is not written."""
    return isinstance(factor, Load) and is_plain(factor) and factor.buffer not in written


class _Tiling:
    """Writes the loops of a product."""

    def __init__(self, product: Product, number: int, is_invariant: bool) -> None:
        self.buffers: list[Buffer] = []
        self.front: list[Statement] = []  # packing in front of the `while` that the product is in
        self._names = count()
        self._stem = f"{product.column}_"
        self._number = number
        self.type = product.right.type
        self.size = numpy_dtype(self.type).itemsize
        self.rows = tile_rows()
        self.lanes = row_bytes() // self.size
        self._blocks: list[Variable] = []  # loops over blocks of terms
        self._before: list[Statement] = []
        self._behind: list[Statement] = []
        large = product.column.extent * product.terms * self.size > cost.panels()
        product = replace(product, left=self._padded(product.left, product.reads))
        repeated = any(v.extent > 1 for v in {*product.outer} - variables_in(product.left))
        single = product.reads <= cost.GROUPED * product.terms  # a group of rows: threads share panels
        product = self._computed(product) if large or repeated or single else product
        uses = variables_in(product.right)
        rows = prod([v.extent for v in product.outer if v not in uses]) * product.row.extent
        if rows <= cost.FEW_ROWS:
            reads = prod([v.extent for v in variables_in(product.right)])
            product = replace(product, right=self._padded(product.right, reads, product.column))
        is_few = rows <= cost.FEW_ROWS and _is_in_vectors(product)
        is_short = product.terms < 3 * cost.BLOCK and not uses.intersection(product.outer)
        self._packs_in_front = is_invariant and not large and is_short
        self._packs_right = self._packs_in_front or not is_few
        self.product = product = self._in_blocks(product)
        self._shared = [v for v in product.outer if v in variables_in(product.right)]  # by both factors
        wide = self.lanes * _power(max(1, self.rows // product.row.extent))
        if is_few and not (self._blocks or product.column.extent % wide):
            self.lanes = wide  # few rows of more columns fill as many registers
        self._packs_left = not is_plain(product.left)
        self._is_once = (large or bool(self._blocks)) and self._fits(product.left)  # see `_panels`

    def _fits(self, left: Expression) -> bool:
        """Test whether a left factor stays in a cache while panels go by."""
        return isinstance(left, Load) and is_plain(left) and prod(left.buffer.shape) * self.size <= cost.ROWS

    def statements(self) -> list[Statement]:
        """The nests: for whole panels, and for the rest of the columns."""
        nests = list(self._before)
        for panel in self._parts(self.product.column):
            nests += self._panels(panel)
        return nests + self._behind

    def _parts(self, column: Variable) -> list[Part]:
        """The panels, and the rest of the columns."""
        return (parts_of if self._packs_right else vectors_of)(column, self.lanes, self._variable)

    def _variable(self, extent: int) -> Variable:
        return Variable(f"{self._stem}{next(self._names)}", extent)

    def _buffer(self, name: str, space: Space, *shape: int) -> Buffer:
        self._number += 1
        made = Buffer(f"{name}{self._number}", self.type, shape, space)
        self.buffers.append(made)
        return made

    def _terms(self) -> dict[Variable, Variable]:
        """New loops over terms."""
        return {v: self._variable(v.extent) for v in self.product.fold.loops}

    # Before the panels

    def _padded(self, factor: Expression, reads: int, last: Variable | None = None) -> Expression:
        """Copy a padded factor, which is then read without bounds tests, and as vectors along a loop."""
        found = padded(factor, reads, last)
        if found is None:
            return factor
        buffer = self._buffer("padded", "scratch", *found.shape)
        self._before += found.copy(buffer, self._variable)
        return found.read(buffer)

    def _computed(self, product: Product) -> Product:
        """Compute a left factor that is not a load in advance, if all of it stays in a cache."""
        uses = variables_in(product.left)
        loops = [v for v in (*product.outer, product.row, *product.fold.loops) if v in uses]
        shape = [v.extent for v in loops]
        if is_plain(product.left) or prod(shape) * self.size > cost.ROWS:
            return product
        own = {v: self._variable(v.extent) for v in loops}
        buffer = self._buffer("left", "scratch", *shape)
        value = Substitution(_moved(own)).expression(product.left)
        store = Store(buffer, tuple(map(of_variable, own.values())), value)
        self._before += loops_over([*own.values()], [store], "parallel")
        return replace(product, left=load(buffer, tuple(map(of_variable, loops))))

    def _in_blocks(self, product: Product) -> Product:
        """Add up many terms block by block (K blocking): totals are in memory between blocks."""
        if product.terms < 3 * cost.BLOCK:
            return product
        places, inner, change = self._blocks_of(product.fold.loops)
        if prod([v.extent for v in inner]) < cost.BLOCK // 8:
            return product
        self._blocks, fold = places, product.fold
        (name,), (start,) = fold.names, fold.starts
        panels = self._parts(product.column)
        width = sum([panel.place.extent * (self._width(panel) - panel.known) for panel in panels])
        loops = (*product.outer, product.row)
        totals = self._buffer("totals", "scratch", *[v.extent for v in loops], width)
        column, at = self._variable(width), tuple(map(of_variable, loops))
        first = Store(totals, (*at, of_variable(column)), start)
        self._before += loops_over([*loops, column], [first], "parallel")
        total = load(totals, (*at, of_variable(product.column)))
        rest = [rewritten(each, _named(name, total)) for each in product.rest]
        self._behind += loops_over([*loops, product.column], rest, "parallel")
        move = Substitution(change)
        return replace(
            product,
            outer=(*product.outer, *places),
            fold=Fold(fold.names, (total,), tuple(inner), tuple(map(move.expression, fold.combined))),
            left=move.expression(product.left),
            right=move.expression(product.right),
            rest=(Store(totals, total.indices, reference(name, self.type)),),
        )

    def _blocks_of(
        self, loops: Sequence[Variable]
    ) -> tuple[list[Variable], list[Variable], dict[Variable, Index]]:
        """Return loops over blocks of terms, loops over the terms of a block, and replaced indices."""
        places, inner, change, most = list[Variable](), list[Variable](), dict[Variable, Index](), cost.BLOCK
        for loop in reversed(loops):
            size = max([size for size in range(1, min(most, loop.extent) + 1) if loop.extent % size == 0])
            place, term = self._variable(loop.extent // size), self._variable(size)
            change[loop] = of_variable(place) * size + of_variable(term)
            places = [place, *places] if size < loop.extent else places
            inner = [term, *inner] if size > 1 else inner
            most = most // size if size == loop.extent else 1
        return places, inner, change

    # Packing

    def _panels(self, panel: Part) -> list[Statement]:
        """Return a nest that packs the panels, if necessary, and a nest that computes their tiles."""
        if self._is_once:
            return [self._strip(panel)]
        width, product = self._width(panel), self.product
        right, packing = product.right, list[Statement]()
        if self._packs_right or width != panel.size:
            loops = [*self._shared, panel.place]
            shape = [v.extent for v in (*loops, *product.fold.loops)]
            packed = self._buffer("panels", "scratch", *shape, width)
            at = tuple(map(of_variable, loops))
            packing = loops_over(loops, self._pack_panel(packed, panel, at), "parallel")
            if not isinstance(packing[0], Loop):
                packing = [Loop(self._variable(1), tuple(packing), "parallel")]
            right = self._packed(packed, panel, at)
        if self._packs_in_front:
            self.front += packing
            packing = []
        return [*packing, *self._groups(panel, right)]

    def _packed(self, packed: Buffer, panel: Part, at: Indices) -> Expression:
        """The right factor in a panel that is packed."""
        terms = map(of_variable, self.product.fold.loops)
        return load(packed, (*at, *terms, of_variable(self.product.column) - panel.first))

    def _strip(self, panel: Part) -> Statement:
        """Return a nest over panels, which packs a panel, then computes its tiles for all rows."""
        product, right, packing = self.product, self.product.right, list[Statement]()
        width = self._width(panel)
        if self._packs_right or width != panel.size:
            packed = self._buffer("panels", "frame", *[v.extent for v in product.fold.loops], width)
            packing = self._pack_panel(packed, panel, ())
            right = self._packed(packed, panel, ())
        around = [*[v for v in self._shared if v not in self._blocks], panel.place]
        inside = [v for v in product.outer if v not in self._shared]
        if all(v.extent == 1 for v in around):  # threads share one of the other loops
            around, inside = [*around, *inside[:1]], inside[1:]
        rows = loops_over(inside, self._rows(panel, right))
        return self._frame([*around, *self._blocks], [*packing, *rows])

    def _width(self, panel: Part) -> int:
        """The number of lanes of a panel: its number of columns, rounded up to a power of two."""
        return 1 << (panel.size - 1).bit_length()

    def _pack_panel(self, packed: Buffer, panel: Part, at: Indices) -> list[Statement]:
        """Copy a panel behind the first indices of the copy; lanes beyond the columns are zero."""
        product, own = self.product, self._terms()
        place = (*at, *map(of_variable, own.values()))
        body: list[Statement] = []
        width = packed.shape[-1]
        lane, free = self._variable(panel.size), self._variable(max(1, width - panel.size))
        change = Substitution({product.column: panel.first + of_variable(lane), **_moved(own)})
        store = Store(packed, (*place, of_variable(lane)), change.expression(product.right))
        body += loops_over([lane], [store], "parallel")
        if width > panel.size:
            zero = Store(packed, (*place, of_variable(free) + panel.size), number(0, self.type))
            body += loops_over([free], [zero], "parallel")
        return loops_over([*own.values()], body, "parallel")

    def _groups(self, panel: Part, right: Expression) -> list[Statement]:
        """Loops over panels and groups of rows, in the order that reads the larger factor less often."""
        product = self.product
        row = product.row.extent * product.terms * self.size
        if not self._packs_left and row <= target().second_cache:
            return [self._frame([*product.outer, panel.place], self._rows(panel, right))]
        fitting = min(cost.GROUPED, cost.packed_rows() // (product.terms * self.size))
        most = max(self.rows, fitting // self.rows * self.rows)
        nests: list[Statement] = []
        for group in parts_of(product.row, divisor(product.row.extent, most, self.rows), self._variable):
            left, body = product.left, list[Statement]()
            if self._packs_left:
                shape = [v.extent for v in product.fold.loops]
                packed = self._buffer("rows", "frame", group.size, *shape)
                body += self._pack_rows(packed, group)
                terms = map(of_variable, product.fold.loops)
                left = load(packed, (of_variable(product.row) - group.first, *terms))
            body += loops_over([panel.place], self._tiles(panel, group, left, right))
            nests.append(self._frame([*product.outer, group.place], body))
        return nests

    def _rows(self, panel: Part, right: Expression) -> list[Statement]:
        """Tiles of all rows, which are read where they are."""
        whole = Part(self._variable(1), Index(), self.product.row.extent)
        return self._tiles(panel, whole, self.product.left, right)

    def _frame(self, loops: Sequence[Variable], body: Sequence[Statement]) -> Loop:
        """Return loops that share a frame; the outermost is parallel, and blocks of terms are in order."""
        first = next((v for v in loops if v not in self._blocks and v.extent > 1), self._variable(1))
        return Loop(first, tuple(loops_over([v for v in loops if v != first], body)), "parallel")

    def _pack_rows(self, packed: Buffer, group: Part) -> list[Statement]:
        """Copy a group of rows of the left factor."""
        row, own = self._variable(group.size), self._terms()
        change = Substitution({self.product.row: group.first + of_variable(row), **_moved(own)})
        at = (of_variable(row), *map(of_variable, own.values()))
        store = Store(packed, at, change.expression(self.product.left))
        return loops_over([row, *own.values()], [store], "parallel")

    # Tiles

    def _tiles(self, panel: Part, group: Part, left: Expression, right: Expression) -> list[Statement]:
        """Tiles of a panel and of the rows of a group, from top to bottom."""
        product, found = self.product, list[Statement]()
        (name,) = product.fold.names
        total = reference(name, self.type)
        fold = replace(product.fold, combined=(add(total, multiply(left, right)),))
        row, width = self._variable(group.size), self._width(panel)
        for block in parts_of(row, divisor(group.size, self.rows), self._variable):
            rows = replace(block, first=group.first + block.first)
            tile = RegisterTile(
                product.row, rows, product.column, panel, width, self._variable, self._in_frame
            )
            found += loops_over([block.place], tile.statements([fold], product.rest))
        return found

    def _in_frame(self, name: str, type: Type, *shape: int) -> Buffer:
        return self._buffer(name, "frame", *shape)


def _is_in_vectors(product: Product) -> bool:
    """Test whether neighbouring columns of the right factor are near each other in memory."""
    if not is_plain(product.right):
        return False
    assert isinstance(product.right, Load)
    step = linear(product.right.indices, product.right.buffer.shape).coefficient(product.column)
    return 1 <= step <= cost.STRIDE


def _power(number: int) -> int:
    """The largest power of two that is no larger than a number."""
    return 1 << (number.bit_length() - 1)


def _named(name: str, value: Expression) -> Substitution:
    """Put a value in place of a name."""
    return Substitution({}, lambda each: value if each is reference(name, value.type) else None)


def _moved(variables: dict[Variable, Variable]) -> dict[Variable, Index]:
    return {old: of_variable(new) for old, new in variables.items()}
