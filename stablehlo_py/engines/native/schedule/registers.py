"""Tiles whose totals are in vector registers: some rows of neighbouring columns are folded side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablehlo_py.engines.native.loop_ir.expressions import (
    MULTIPLY_ADD,
    Apply,
    Buffer,
    Expression,
    Reference,
    Substitution,
    apply,
    load,
)
from stablehlo_py.engines.native.loop_ir.index import Variable, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Fold, Statement, Store, rewritten
from stablehlo_py.engines.native.schedule.nests import Part, loops_over, vectors_over
from stablehlo_py.ir.records import dataclass


@dataclass(frozen=True, slots=True)
class RegisterTile:
    """A tile of a nest.

    Attributes:
        row: The loop over rows.
        rows: The rows of the tile.
        column: The loop over columns.
        columns: The columns of the tile.
        width: The number of lanes, of which the columns are the first.
        variable: Makes a variable of an extent.
        frame: Makes a buffer in the frame, of a name, a type and extents.
    """

    row: Variable
    rows: Part
    column: Variable
    columns: Part
    width: int
    variable: Callable[[int], Variable]
    frame: Callable[..., Buffer]

    def statements(self, folds: Sequence[Fold], rest: Sequence[Statement]) -> list[Statement]:
        """Fold the elements of the tile, then run the statements behind the folds."""
        starts = [start for fold in folds for start in fold.starts]
        sums, totals = (
            [self.frame(name, start.type, self.rows.size, self.width) for start in starts]
            for name in ("sums", "tile")
        )
        names = [name for fold in folds for name in fold.names]
        row, lane = self.variable(self.rows.size), self.variable(self.width)
        at = of_variable(row), of_variable(lane)
        change = self._change(row, lane, dict(zip(names, sums, strict=True)))

        def over(targets: Sequence[Buffer], values: Sequence[Expression]) -> Statement:
            stores = [Store(b, at, change.expression(v)) for b, v in zip(targets, values, strict=True)]
            return vectors_over(row, lane, stores)

        found = [over(sums, starts)]
        same: dict[tuple[int, ...], list[int]] = {}  # the folds that run over as many elements
        for place, fold in enumerate(folds):
            same.setdefault(tuple([v.extent for v in fold.loops]), []).append(place)
        for places in same.values():
            loops = folds[places[0]].loops
            values = [_element(folds[place], loops) for place in places]
            found += loops_over(loops, [over([sums[place] for place in places], values)])
        for total, each in zip(totals, sums, strict=True):
            found.append(over([total], [load(each, at)]))
        rows, lanes = self.variable(self.rows.size), self.variable(self.columns.size - self.columns.known)
        behind = self._change(rows, lanes, dict(zip(names, totals, strict=True)), self.columns.known)
        body = [rewritten(each, behind) for each in rest]
        return [*found, *loops_over([rows], loops_over([lanes], body, "parallel"))]

    def _change(self, row: Variable, lane: Variable, kept: dict[str, Buffer], known: int = 0) -> Substitution:
        """Replace loop variables by the index in the tile, and names of folds by elements of buffers."""
        at = of_variable(row), of_variable(lane) + known

        def replace(expression: Expression) -> Expression | None:
            if not isinstance(expression, Reference) or expression.name not in kept:
                return None
            return load(kept[expression.name], at)

        places = {self.row: self.rows.first + at[0], self.column: self.columns.first + at[1]}
        return Substitution(places, replace)


def _element(fold: Fold, loops: Sequence[Variable]) -> Expression:
    """The value after one more element, by the loops of another fold; a sum with a product is one op."""
    moved = {old: of_variable(new) for old, new in zip(fold.loops, loops, strict=True)}
    (value,) = map(Substitution(moved).expression, fold.combined)
    match value:
        case Apply(
            op="stablehlo.add", type=type, arguments=(total, Apply(op="stablehlo.multiply") as product)
        ):
            return apply(MULTIPLY_ADD, type, (*product.arguments, total))
    return value
