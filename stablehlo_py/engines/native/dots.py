"""Small products: loops over the rows of a dot's result, and over what is contracted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.index_space import ZERO, Index, Indices, Variable, of_variable
from stablehlo_py.engines.native.loops import Range, nested, unravel
from stablehlo_py.engines.native.lower.contraction import contracted_extents
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step

_UNROLLED = 4  # products that are added up between a load and a store of the sum
_TILE = 4  # rows of the result that use each row of rhs when it is loaded
_PART = 128  # columns, the least that a thread computes
_PIECE = 1 << 19  # products of a piece, some 10 microseconds: fewer are not shared out
_PIECE_OF_SUMS = 1 << 18  # the same where each element is summed up by itself


def dot_indices(scope: Scope, step: Step, rows: Indices, columns: Indices) -> tuple[Indices, Indices]:
    """The indices in both operands of the product that goes to `rows` for the contracted index `columns`."""
    keywords, sides = step.keywords, []
    at = len(keywords["lhs_batching_dimensions"])
    for side, operand in zip(("lhs", "rhs"), step.ins, strict=True):
        batching = keywords[f"{side}_batching_dimensions"]
        contracting = keywords[f"{side}_contracting_dimensions"]
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


def column_parts(plan: Plan[Step], step: Step) -> tuple[int, int]:
    """How many parts the columns of a large dot without a batch have, and how many pieces of them pay."""
    shape = plan.shape_of(step.outs[0])
    part, piece = (_PART, _PIECE) if _rows_are_added(plan, step) else (1, _PIECE_OF_SUMS)
    pieces = prod((*shape, *contracted_extents(plan, step))) // piece
    whole = bool(shape) and shape[-1] % part == 0 and not step.keywords["lhs_batching_dimensions"]
    return (shape[-1] // part, pieces) if pieces and whole else (1, 1)


def _rows_are_added(plan: Plan[Step], step: Step) -> bool:
    """Test whether the last dimension of rhs is one of the result's."""
    rank, keywords = len(plan.shape_of(step.ins[1])), step.keywords
    bound = (*keywords["rhs_batching_dimensions"], *keywords["rhs_contracting_dimensions"])
    return rank > 0 and rank - 1 not in bound


class DotEmitter:
    """Writes the loops of a dot.

    Where the last dimension of rhs is one of the result's, rows of rhs are scaled and added up, along memory;
    else each element is a sum of products, in a register.
    """

    def __init__(self, scope: Scope, step: Step) -> None:
        self.scope = scope
        self.step = step
        self.b = scope.b
        (self.slot,) = step.outs
        self.element = scope.element(self.slot)
        self.columns = contracted_extents(scope.plan, step)

    def emit(self, outer: Indices, rest: Sequence[int], part: Range | None = None) -> None:
        """Computes the elements at `outer`, whose other indices run over `rest`, or a part of the columns."""
        if part is None:
            self._compute(outer, rest, ZERO, rest[-1] if rest else 1)
            return
        count, _ = column_parts(self.scope.plan, self.step)
        size = rest[-1] // count
        with self.b.loop(part.start, part.stop, trips=count) as number:
            self.scope.enter()
            self._compute(outer, rest, of_variable(Variable(number.text, count)) * size, size)
            self.scope.leave()

    def _compute(self, outer: Indices, rest: Sequence[int], first: Index, size: int) -> None:
        """Computes the elements in `size` columns from the first one."""
        scope, shape = self.scope, rest[:-1]
        if not rest:
            self._sum_products(outer)
        elif _rows_are_added(scope.plan, self.step):
            tiles, others = divmod(prod(shape), _TILE)

            def add(row: Index, rows: int) -> None:
                self._add_rows(self._tile(outer, row, rows, shape), first, size)

            if tiles:
                nested(scope, (tiles,), lambda t: add(t[0] * _TILE, _TILE))
            if others:
                add(Index((), tiles * _TILE), others)
        else:
            nested(scope, (*shape, size), lambda at: self._sum_products((*outer, *at[:-1], first + at[-1])))

    def _tile(self, outer: Indices, first: Index, rows: int, shape: Sequence[int]) -> list[Indices]:
        """The indices of some neighbouring rows of a shape."""
        return [(*outer, *unravel(first + k, shape, self.b)) for k in range(rows)]

    def _factors(self, rows: Indices, columns: Indices) -> tuple[Value, Value]:
        left, right = dot_indices(self.scope, self.step, rows, columns)
        lhs, rhs = self.step.ins
        return self.scope.at(lhs, left), self.scope.at(rhs, right)

    def _sum_products(self, rows: Indices) -> None:
        scope, b = self.scope, self.b
        total, at = b.alloca(self.element.compute), b.constant(0, "i64")
        b.store(b.constant(0, self.element.compute), total, at)

        def accumulate(columns: Indices) -> None:
            x, y = self._factors(rows, columns)
            before = b.load(self.element.compute, total, at)
            b.store(before.add_in_any_order(x * y), total, at)

        nested(scope, self.columns, accumulate, accumulates=True)
        value = b.load(self.element.compute, total, at)
        scope.remember(self.slot, rows, value)
        scope.store(scope.buffers[self.slot], rows, value)

    def _add_rows(self, prefixes: Sequence[Indices], first: Index, size: int) -> None:
        """Add up rows of rhs, scaled, for each of the rows of the result, in some columns."""
        scope, target = self.scope, self.scope.buffers[self.slot]
        zero = self.b.constant(0, self.element.compute)

        def clear(t: Indices) -> None:
            for prefix in prefixes:
                scope.store(target, (*prefix, first + t[0]), zero)

        nested(scope, (size,), clear)
        several = _UNROLLED if self.columns and self.columns[-1] % _UNROLLED == 0 else 1
        columns = (*self.columns[:-1], self.columns[-1] // several) if self.columns else ()

        def add(c: Indices, t: Indices) -> None:
            places = [(*prefix, first + t[0]) for prefix in prefixes]
            totals = [scope.load(self.slot, rows) for rows in places]
            for k in range(several):
                for n, rows in enumerate(places):
                    x, y = self._factors(rows, (*c[:-1], c[-1] * several + k) if c else c)
                    totals[n] = x.call("fma", y, totals[n]) if x.is_float else totals[n] + x * y
            for rows, total in zip(places, totals, strict=True):
                scope.store(target, rows, total)

        nested(scope, columns, lambda c: nested(scope, (size,), lambda t: add(c, t)))


def short_dot(scope: Scope, step: Step, indices: Indices) -> Value:
    """A sum of a few products; those of narrow floats are added up in f32, and rounded once."""
    total: Value | None = None
    for terms in product(*map(range, contracted_extents(scope.plan, step))):
        sides = dot_indices(scope, step, indices, tuple([Index((), term) for term in terms]))
        x, y = (scope.at(slot, at) for slot, at in zip(step.ins, sides, strict=True))
        if total is None:
            total = x * y
        else:
            total = x.call("fma", y, total) if x.is_float else total + x * y
    assert total is not None
    return scope.element(step.outs[0]).rounded(total)
