"""Products of matrices: recognizes nests that are sums of products, and their loops over rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import (
    Apply,
    Expression,
    Load,
    Substitution,
    indices_in,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import Quotient, Variable, of_atom, of_variable, variables_of
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    Loop,
    Statement,
    rewritten,
)
from stablehlo_py.engines.native.loop_ir.text import single_op
from stablehlo_py.engines.native.machine import target
from stablehlo_py.engines.native.schedule.nests import (
    is_of_stores,
    loops_over,
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
        rest: The statements after the sum.
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
        """The number of products in the sum of an element."""
        return prod([variable.extent for variable in self.fold.loops])

    @property
    def reads(self) -> int:
        """The number of elements of the left factor that the products read, if columns share them."""
        return prod([variable.extent for variable in (*self.outer, self.row)]) * self.terms


def tile_rows() -> int:
    """The rows of a tile: its sums are in registers, beside a row of the right factor and two elements."""
    left = target().registers - cost.TILE_VECTORS - 2
    return min(cost.TILE_ROWS, left // cost.TILE_VECTORS)


def row_bytes() -> int:
    """The bytes of a row of a tile."""
    return cost.TILE_VECTORS * target().vector


def product_of(nest: Statement) -> Product | None:
    """Recognize a nest that is a product, if tiling it pays; None for another nest."""
    if not isinstance(nest, Loop):
        return None
    loops, (fold, *rest) = perfect_nest(nest)
    if len(loops) < 2 or not isinstance(fold, Fold):
        return None
    factors = factors_of(fold)
    if factors is None or not all(map(is_of_stores, rest)):
        return None
    if prod([each.extent for each in (*loops, *fold.loops)]) < cost.TILED:
        return None
    for loop in loops:
        size = _group(loop, factors)
        if size is not None:
            return product_of(_grouped(nest, loop, size))
    return _arranged(loops, fold, factors, tuple(rest))


def _group(loop: Variable, factors: Sequence[Expression]) -> int | None:
    """The iterations in a group of a loop, if a factor depends only on the number of the group."""
    for factor in factors:
        every = [atom for each in visit(factor, set()) for i in indices_in(each) for atom, _ in i.terms]
        atoms = {atom for atom in every if loop in variables_of(of_atom(atom))}
        if len(atoms) == 1:
            (atom,) = atoms
            if isinstance(atom, Quotient) and atom.index == of_variable(loop) and loop.extent % atom.by == 0:
                return atom.by
    return None


def _grouped(nest: Loop, loop: Variable, size: int) -> Loop:
    """A nest with two loops in place of one: over groups, and over the iterations of a group."""
    group, inner = Variable(f"{loop}_g", loop.extent // size), Variable(f"{loop}_i", size)
    change = Substitution({loop: of_variable(group) * size + of_variable(inner)})
    loops, body = perfect_nest(nest)
    new = [each for v in loops for each in ((group, inner) if v == loop else (v,))]
    (found,) = loops_over(new, [rewritten(each, change) for each in body], "parallel")
    assert isinstance(found, Loop)
    return found


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
    """Choose rows and columns: columns are the innermost loop that a single factor depends on."""
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
    few = found.terms * tile_rows() * size <= cost.packed_rows()
    return found if few or is_plain(left) or padded(left, found.reads) is not None else None


def is_plain(factor: Expression) -> bool:
    """Test whether a factor is a load at an affine index, which is as fast as a packed factor."""
    if not isinstance(factor, Load):
        return False
    return all(isinstance(atom, Variable) for index in factor.indices for atom, _ in index.terms)
