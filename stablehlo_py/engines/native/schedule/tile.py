"""Register tiling: sums of products whose totals are kept in vector registers, a tile of them at a time.

A sum of products in a nest of parallel loops becomes a product of matrices. One factor alone depends on the
loop over columns, the other one alone on the loop over rows. A panel of columns is packed into memory of the
frame. A tile of rows and of a panel is added up in registers, then the statements behind the sum run for its
elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from math import prod

from stablehlo_py.engines.native.loop_ir.expressions import (
    MULTIPLY_ADD,
    Apply,
    Buffer,
    Expression,
    Load,
    Reference,
    Substitution,
    apply,
    load,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import (
    Index,
    Variable,
    of_variable,
    variables_of,
)
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
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import FloatType

ROWS = 8  # of a tile
VECTOR = 128  # bytes of a row of a tile: two registers of 64
LEAST = 1 << 15  # products, from which tiles pay
_PANEL = 1 << 20  # bytes of a panel


@dataclass(frozen=True, slots=True)
class _Product:
    """A sum of products in a nest of loops.

    Attributes:
        outer: The other loops of the nest.
        row: The loop over rows; None where there is one row.
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


def tile(program: Program) -> Program:
    """Tile the sums of products of a program."""
    buffers, body = list(program.buffers), list[Statement]()
    for nest in program.body:
        found = _product_of(nest)
        if found is None:
            body.append(nest)
        else:
            tiling = _Tiling(found, len(buffers))
            body += tiling.statements()
            buffers += tiling.buffers
    return Program(tuple(buffers), tuple(body))


def _product_of(nest: Statement) -> _Product | None:
    """The product that a nest is, if tiles of it pay."""
    loops: list[Variable] = []
    body: tuple[Statement, ...] = (nest,)
    while len(body) == 1 and isinstance(body[0], Loop) and body[0].is_whole and body[0].kind == "parallel":
        loops.append(body[0].variable)
        body = body[0].body
    fold, *rest = body
    if len(loops) < 2 or not isinstance(fold, Fold):
        return None
    single = single_op(fold)
    if single is None or single[0] != "stablehlo.add" or not all(isinstance(each, Store) for each in rest):
        return None
    factors = _factors(single[1])
    size = prod([each.extent for each in (*loops, *fold.loops)])
    if factors is None or size < LEAST:
        return None
    return _arranged(loops, fold, factors, tuple(rest))


def _factors(element: Expression) -> tuple[Expression, Expression] | None:
    """The factors of a product of floats that are stored as they are computed."""
    if not isinstance(element, Apply) or element.op != "stablehlo.multiply":
        return None
    wide = element.type in (FloatType("f32"), FloatType("f64"))
    return (element.arguments[0], element.arguments[1]) if wide else None


def _arranged(
    loops: Sequence[Variable], fold: Fold, factors: tuple[Expression, Expression], rest: tuple[Statement, ...]
) -> _Product | None:
    """Choose rows and columns: the innermost loop that one factor alone depends on has columns."""
    uses = [_variables(factor) for factor in factors]
    columns = [v for v in loops if (v in uses[0]) != (v in uses[1])]
    if not columns:
        return None
    column = columns[-1]
    right = 1 if column in uses[1] else 0
    rows = [v for v in columns if v in uses[1 - right]]
    left = factors[1 - right]
    if not rows or not isinstance(left, Load):
        return None
    row = rows[-1]
    panel = prod([v.extent for v in fold.loops]) * VECTOR
    outer = tuple([v for v in loops if v not in (row, column)])
    if panel > _PANEL:
        return None
    return _Product(outer, row, column, fold, left, factors[right], rest)


def _variables(expression: Expression) -> set[Variable]:
    """The loop variables that an expression depends on."""
    found: set[Variable] = set()
    for each in visit(expression, set()):
        if isinstance(each, Load):
            for index in each.indices:
                found |= variables_of(index)
    return found


class _Tiling:
    """Writes the loops of a product."""

    def __init__(self, product: _Product, number: int) -> None:
        self.product = product
        self.buffers: list[Buffer] = []
        self._names = count()
        self._stem = f"{product.column}_"
        self._number = number
        self.type = product.right.type
        self.lanes = VECTOR // numpy_dtype(self.type).itemsize

    def statements(self) -> list[Statement]:
        """The nests: whole panels, and the rest of the columns."""
        whole, rest = divmod(self.product.column.extent, self.lanes)
        nests: list[Statement] = []
        if whole:
            panel = self._variable(whole)
            nests += self._panels(panel, of_variable(panel) * self.lanes, self.lanes)
        if rest:
            nests += self._panels(self._variable(1), Index((), whole * self.lanes), rest)
        return nests

    def _variable(self, extent: int) -> Variable:
        return Variable(f"{self._stem}{next(self._names)}", extent)

    def _frame(self, name: str, *shape: int) -> Buffer:
        self._number += 1
        made = Buffer(f"{name}{self._number}", self.type, shape, "frame")
        self.buffers.append(made)
        return made

    def _panels(self, panel: Variable, first: Index, width: int) -> list[Statement]:
        """Loops over panels of columns from the first one on."""
        product = self.product
        terms = product.fold.loops
        packed = self._frame("panel", *[v.extent for v in terms], width)
        lane, own = self._variable(width), {v: self._variable(v.extent) for v in terms}
        change = Substitution({product.column: first + of_variable(lane), **_moved(own)})
        at = (*(of_variable(own[v]) for v in terms), of_variable(lane))
        fill = _nested(
            own.values(),
            [_loop(lane, [Store(packed, at, change.expression(product.right))], "parallel")],
            "for",
        )
        rows, rest = divmod(product.row.extent, ROWS)
        tiles = list(fill)
        if rows:
            row = self._variable(rows)
            body = self._tile(packed, of_variable(row) * ROWS, ROWS, first, width)
            tiles += [_loop(row, body, "for")] if rows > 1 else body
        if rest:
            tiles += self._tile(packed, Index((), rows * ROWS), rest, first, width)
        first_loop, *inner = [v for v in (*product.outer, panel) if v.extent > 1] or [panel]
        body = _nested(inner, tiles, "for")  # they use the frame one after the other
        return [_loop(first_loop, body, "parallel")]

    def _tile(
        self, packed: Buffer, first_row: Index, height: int, first: Index, width: int
    ) -> list[Statement]:
        """Add up a tile in registers, and run what is behind the sum for its elements."""
        product, terms = self.product, self.product.fold.loops
        sums = self._frame("sums", height, width)
        totals = self._frame("tile", height, width)
        row, lane, own = (
            self._variable(height),
            self._variable(width),
            {v: self._variable(v.extent) for v in terms},
        )
        place = of_variable(row), of_variable(lane)
        (start,) = product.fold.starts
        change = Substitution({product.row: first_row + of_variable(row), **_moved(own)})
        right = load(packed, (*(of_variable(own[v]) for v in terms), of_variable(lane)))
        total = apply(MULTIPLY_ADD, self.type, (change.expression(product.left), right, load(sums, place)))
        statements = self._over(row, lane, [Store(sums, place, start)])
        statements += _nested(own.values(), self._over(row, lane, [Store(sums, place, total)]), "for")
        statements += self._over(row, lane, [Store(totals, place, load(sums, place))])
        return [*statements, *self._epilogue(totals, first_row, height, first, width)]

    def _epilogue(
        self, totals: Buffer, first_row: Index, height: int, first: Index, width: int
    ) -> list[Statement]:
        product = self.product
        row, lane = self._variable(height), self._variable(width)
        (name,) = product.fold.names
        total = load(totals, (of_variable(row), of_variable(lane)))

        def replace(expression: Expression) -> Expression | None:
            return total if isinstance(expression, Reference) and expression.name == name else None

        places = {product.row: first_row + of_variable(row), product.column: first + of_variable(lane)}
        change = Substitution(places, replace)
        body = [rewritten(statement, change) for statement in product.rest]
        return [_loop(row, [_loop(lane, body, "parallel")], "for")]

    def _over(self, row: Variable, lane: Variable, body: Sequence[Statement]) -> list[Statement]:
        """A tile, written row by row, each of them a vector."""
        kind: LoopKind = "vectorized" if lane.extent > 1 else "unrolled"
        return [_loop(row, [_loop(lane, body, kind)], "unrolled")]


def _moved(variables: dict[Variable, Variable]) -> dict[Variable, Index]:
    return {old: of_variable(new) for old, new in variables.items()}


def _loop(variable: Variable, body: Sequence[Statement], kind: LoopKind) -> Statement:
    return Loop(variable, tuple(body), kind)


def _nested(variables: Iterable[Variable], body: Sequence[Statement], kind: LoopKind) -> list[Statement]:
    statements = list(body)
    for variable in reversed(list(variables)):
        if variable.extent > 1:
            statements = [Loop(variable, tuple(statements), kind)]
    return statements
