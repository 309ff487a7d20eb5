"""Register tiling: sums of products whose totals are kept in vector registers, a tile of them at a time.

A sum of products in a nest of parallel loops becomes a product of matrices. One factor alone depends on the
loop over columns, the other one alone on the loop over rows. Panels of columns of the right factor are
packed, and groups of rows of the left one if it is more than a load. A tile of rows and of a panel is added
up in registers, then the statements behind the sum run for its elements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from math import prod

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import (
    MULTIPLY_ADD,
    Apply,
    Buffer,
    Expression,
    Load,
    Reference,
    Space,
    Substitution,
    apply,
    load,
    reference,
)
from stablehlo_py.engines.native.loop_ir.index import Index, Indices, Variable, linear, of_variable
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    Loop,
    LoopKind,
    Program,
    Statement,
    Store,
    rewritten,
)
from stablehlo_py.engines.native.loop_ir.text import single_op
from stablehlo_py.engines.native.lower.values import number
from stablehlo_py.engines.native.machine import target
from stablehlo_py.engines.native.schedule.nests import (
    Part,
    divisor,
    loops_over,
    map_nests,
    parts_of,
    perfect_nest,
    variables_in,
)
from stablehlo_py.engines.native.schedule.padding import padded
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import FloatType, IntegerType

_TYPES = (FloatType("f32"), FloatType("f64"), IntegerType(32), IntegerType(64))


@dataclass(frozen=True, slots=True)
class Product:
    """A sum of products in a nest of loops.

    Attributes:
        outer: The other loops of the nest.
        row: The loop over rows.
        column: The loop over columns.
        fold: The sum.
        left: The factor that depends on the row.
        right: The factor that depends on the column.
        rest: The statements behind the sum.
    """

    outer: tuple[Variable, ...]
    row: Variable
    column: Variable
    fold: Fold
    left: Expression
    right: Expression
    rest: tuple[Statement, ...]

    @property
    def terms(self) -> int:
        """How many products an element is the sum of."""
        return prod([variable.extent for variable in self.fold.loops])

    @property
    def reads(self) -> int:
        """How many elements of the left factor the products read, if columns share them."""
        return prod([variable.extent for variable in (*self.outer, self.row)]) * self.terms


def tile_rows() -> int:
    """The rows of a tile: its sums are in registers, beside a row of the right factor and two elements."""
    left = target().registers - cost.TILE_VECTORS - 2
    return min(cost.TILE_ROWS, left // cost.TILE_VECTORS)


def row_bytes() -> int:
    """The bytes of a row of a tile."""
    return cost.TILE_VECTORS * target().vector


def tile(program: Program) -> Program:
    """Tile the sums of products of a program."""
    buffers = list(program.buffers)

    def tiled(nest: Loop) -> Sequence[Statement]:
        found = product_of(nest)
        if found is None:
            return [nest]
        tiling = _Tiling(found, len(buffers))
        statements = tiling.statements()
        buffers.extend(tiling.buffers)
        return statements

    body = map_nests(program.body, tiled)
    return Program(tuple(buffers), body)


def product_of(nest: Statement) -> Product | None:
    """The product that a nest is, if tiles of it pay."""
    if not isinstance(nest, Loop):
        return None
    loops, (fold, *rest) = perfect_nest(nest)
    if len(loops) < 2 or not isinstance(fold, Fold):
        return None
    factors = factors_of(fold)
    if factors is None or not all(isinstance(each, Store) for each in rest):
        return None
    if prod([each.extent for each in (*loops, *fold.loops)]) < cost.TILED:
        return None
    return _arranged(loops, fold, factors, tuple(rest))


def factors_of(fold: Fold) -> tuple[Expression, Expression] | None:
    """The factors of a sum of products."""
    single = single_op(fold)
    if single is None or single[0] != "stablehlo.add":
        return None
    element = single[1]
    if not isinstance(element, Apply) or element.op != "stablehlo.multiply" or element.type not in _TYPES:
        return None
    return element.arguments[0], element.arguments[1]


def _arranged(
    loops: Sequence[Variable], fold: Fold, factors: tuple[Expression, Expression], rest: tuple[Statement, ...]
) -> Product | None:
    """Choose rows and columns: the innermost loop that one factor alone depends on has columns."""
    uses = [variables_in(factor) for factor in factors]
    free = [v for v in loops if (v in uses[0]) != (v in uses[1])]
    if not free:
        return None
    column = free[-1]
    right = 1 if column in uses[1] else 0
    rows = [v for v in free if v in uses[1 - right]]
    if not rows:
        return None
    row, left = rows[-1], factors[1 - right]
    outer = tuple([v for v in loops if v not in (row, column)])
    found = Product(outer, row, column, fold, left, factors[right], rest)
    size = numpy_dtype(left.type).itemsize
    few = found.terms * tile_rows() * size <= cost.PACKED_ROWS
    return found if few or _is_plain(left) or padded(left, found.reads) is not None else None


def _is_plain(factor: Expression) -> bool:
    """Test whether a factor is an element at an affine place, which is read as fast as a packed one."""
    if not isinstance(factor, Load):
        return False
    return all(isinstance(atom, Variable) for index in factor.indices for atom, _ in index.terms)


@dataclass(frozen=True, slots=True)
class _Factor:
    """A factor as the tiles read it: of a row or lane behind the first one, and of terms."""

    expression: Expression
    variable: Variable
    first: Index


class _Tiling:
    """Writes the loops of a product."""

    def __init__(self, product: Product, number: int) -> None:
        self.buffers: list[Buffer] = []
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
        self.product = product = self._in_blocks(self._in_order(self._padded(product)))
        uses = variables_in(product.right)
        self._shared = [v for v in product.outer if v in uses]  # loops that both factors depend on
        rows = prod([v.extent for v in product.outer if v not in uses]) * product.row.extent
        self._packs_right = rows > cost.FEW_ROWS or not self._is_in_vectors(product.right)
        self._packs_left = not _is_plain(product.left)

    def _is_in_vectors(self, factor: Expression) -> bool:
        """Test whether neighbouring columns of a factor are neighbours in memory."""
        if not _is_plain(factor):
            return False
        assert isinstance(factor, Load)
        return linear(factor.indices, factor.buffer.shape).coefficient(self.product.column) == 1

    def statements(self) -> list[Statement]:
        """The nests: for whole panels, and for the rest of the columns."""
        nests = list(self._before)
        for panel in parts_of(self.product.column, self.lanes, self._variable):
            nests += self._panels(panel)
        return nests + self._behind

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

    def _padded(self, product: Product) -> Product:
        """Copy a left factor that is padded, so that it is read without tests."""
        found = padded(product.left, product.reads)
        if found is None:
            return product
        buffer = self._buffer("padded", "scratch", *found.shape)
        self._before += found.copy(buffer, self._variable)
        return replace(product, left=found.read(buffer))

    def _in_order(self, product: Product) -> Product:
        """Take terms in the order in which the left factor is in memory."""
        if not _is_plain(product.left):
            return product
        assert isinstance(product.left, Load)
        offset, fold = linear(product.left.indices, product.left.buffer.shape), product.fold
        loops = sorted(fold.loops, key=lambda loop: -abs(offset.coefficient(loop)))
        return replace(product, fold=Fold(fold.names, fold.starts, tuple(loops), fold.combined))

    def _in_blocks(self, product: Product) -> Product:
        """Add up many terms block by block (K blocking): totals are in memory between blocks."""
        if product.terms < cost.MANY_TERMS:
            return product
        places, inner, change = self._blocks_of(product.fold.loops)
        if prod([v.extent for v in inner]) < cost.BLOCK // 8:
            return product
        self._blocks, fold, name = places, product.fold, product.fold.names[0]
        panels = parts_of(product.column, self.lanes, self._variable)
        width = sum([panel.place.extent * self._width(panel) for panel in panels])
        loops = (*product.outer, product.row)
        totals = self._buffer("totals", "scratch", *[v.extent for v in loops], width)
        column, at = self._variable(width), tuple(map(of_variable, loops))
        first = Store(totals, (*at, of_variable(column)), fold.starts[0])
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
        """Loops over blocks of terms, those over the terms of a block, and the loops that they replace."""
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
        """The nests of panels: one that packs them, one that computes their tiles."""
        width = self._width(panel)
        nests: list[Statement] = []
        lane, product = self._variable(width), self.product
        right = Substitution({product.column: panel.first + of_variable(lane)}).expression(product.right)
        if self._packs_right or width != panel.size:
            at = tuple(map(of_variable, (*self._shared, panel.place)))
            shape = [v.extent for v in (*self._shared, panel.place, *product.fold.loops)]
            packed = self._buffer("panels", "scratch", *shape, width)
            nests += self._pack_panels(packed, panel, at)
            terms = tuple(map(of_variable, product.fold.loops))
            right = load(packed, (*at, *terms, of_variable(lane)))
        return [*nests, *self._groups(panel, _Factor(right, lane, panel.first))]

    def _width(self, panel: Part) -> int:
        """The lanes of a panel: for fewer columns than those of a whole one, a power of two."""
        return 1 << (panel.size - 1).bit_length()

    def _pack_panels(self, packed: Buffer, panel: Part, at: Indices) -> list[Statement]:
        """Copy panels; lanes beyond the columns are zero."""
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
        nest = loops_over([*self._shared, panel.place, *own.values()], body, "parallel")
        return nest if isinstance(nest[0], Loop) else [Loop(self._variable(1), tuple(nest), "parallel")]

    def _groups(self, panel: Part, right: _Factor) -> list[Statement]:
        """Loops over panels and groups of rows, in the order that reads the larger factor less often."""
        product = self.product
        row = product.row.extent * product.terms * self.size
        if not self._packs_left and row <= target().second_cache:
            body = self._tiles(panel, Part(self._variable(1), Index(), product.row.extent), None, right)
            return [self._frame(self._order(panel), body)]
        fitting = min(cost.GROUPED, cost.PACKED_ROWS // (product.terms * self.size))
        most = max(self.rows, fitting // self.rows * self.rows)
        nests: list[Statement] = []
        for group in parts_of(product.row, divisor(product.row.extent, most, self.rows), self._variable):
            packed: Buffer | None = None
            body = []
            if self._packs_left:
                shape = [v.extent for v in product.fold.loops]
                packed = self._buffer("rows", "frame", group.size, *shape)
                body += self._pack_rows(packed, group)
            body += loops_over([panel.place], self._tiles(panel, group, packed, right))
            nests.append(self._frame([*product.outer, group.place], body))
        return nests

    def _order(self, panel: Part) -> list[Variable]:
        """The loops around the tiles of a panel: where panels are large, the others are inside."""
        product = self.product
        size = panel.place.extent * product.terms * self.lanes * self.size
        if not self._blocks and size <= cost.PANELS:
            return [*product.outer, panel.place]
        inside = [v for v in product.outer if v not in self._shared]
        shared = [v for v in self._shared if v not in self._blocks]
        return [*shared, panel.place, *self._blocks, *inside]

    def _frame(self, loops: Sequence[Variable], body: Sequence[Statement]) -> Loop:
        """Loops with a frame, the outermost of which is parallel: blocks of terms are taken in order."""
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

    def _tiles(self, panel: Part, group: Part, packed: Buffer | None, right: _Factor) -> list[Statement]:
        """Tiles of a panel and of the rows of a group, from top to bottom."""
        found: list[Statement] = []
        row = Variable(f"{self._stem}{next(self._names)}", group.size)
        for block in parts_of(row, divisor(group.size, self.rows), self._variable):
            lane = self._variable(block.size)
            inside = block.first + of_variable(lane)
            if packed is None:
                change = Substitution({self.product.row: group.first + inside})
                left = change.expression(self.product.left)
            else:
                left = load(packed, (inside, *map(of_variable, self.product.fold.loops)))
            tiles = self._tile(_Factor(left, lane, group.first + block.first), right)
            tiles += self._epilogue(group.first + block.first, block.size, panel)
            found += loops_over([block.place], tiles)
        return found

    def _tile(self, left: _Factor, right: _Factor) -> list[Statement]:
        """Add up a tile in registers."""
        row, lane, own = left.variable, right.variable, self._terms()
        shape = row.extent, lane.extent
        sums, self._totals = self._buffer("sums", "frame", *shape), self._buffer("tile", "frame", *shape)
        place = of_variable(row), of_variable(lane)
        places = {self.product.row: left.first + place[0], self.product.column: right.first + place[1]}
        start = Substitution(places).expression(self.product.fold.starts[0])
        terms = Substitution(_moved(own))
        factors = terms.expression(left.expression), terms.expression(right.expression)
        total = apply(MULTIPLY_ADD, self.type, (*factors, load(sums, place)))
        statements = _over(row, lane, [Store(sums, place, start)])
        statements += loops_over([*own.values()], _over(row, lane, [Store(sums, place, total)]))
        return [*statements, *_over(row, lane, [Store(self._totals, place, load(sums, place))])]

    def _epilogue(self, first_row: Index, height: int, panel: Part) -> list[Statement]:
        """Run the statements behind the sum for the elements of a tile."""
        product = self.product
        row, lane = self._variable(height), self._variable(panel.size)
        (name,) = product.fold.names
        total = load(self._totals, (of_variable(row), of_variable(lane)))
        places = {product.row: first_row + of_variable(row), product.column: panel.first + of_variable(lane)}
        change = _named(name, total, places)
        body = [rewritten(statement, change) for statement in product.rest]
        return loops_over([row], loops_over([lane], body, "parallel"))


def _over(row: Variable, lane: Variable, body: Sequence[Statement]) -> list[Statement]:
    """A tile, written row by row, each of them a vector."""
    kind: LoopKind = "vectorized" if lane.extent > 1 else "unrolled"
    return [Loop(row, (Loop(lane, tuple(body), kind),), "unrolled")]


def _named(name: str, value: Expression, places: Mapping[Variable, Index] | None = None) -> Substitution:
    """Put a value in place of a name, and indices in place of loops."""

    def found(expression: Expression) -> Expression | None:
        return value if isinstance(expression, Reference) and expression.name == name else None

    return Substitution(places or {}, found)


def _moved(variables: dict[Variable, Variable]) -> dict[Variable, Index]:
    return {old: of_variable(new) for old, new in variables.items()}
