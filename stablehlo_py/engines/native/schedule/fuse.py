"""Loop fusion: nests over the same rows share their outermost loops, so that a row stays in cache.

Nests are joined where each iteration reads what an earlier nest stores in its own row only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import Buffer, Substitution
from stablehlo_py.engines.native.loop_ir.index import is_variable, of_variable
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    Loop,
    Program,
    Statement,
    bodies_of,
    loads_of,
    rewritten,
    size_of,
    stores_of,
    walk,
    with_bodies,
)
from stablehlo_py.engines.native.schedule.nests import perfect_nest
from stablehlo_py.engines.native.schedule.products import factors_of, product_of


def fuse(program: Program) -> Program:
    """Join neighbouring nests of parallel loops."""
    return Program(program.buffers, _fused(program.body))


def _fused(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return a block in which neighbouring nests are fused, also inside of loops and branches."""
    joined = _joined(statements) if len(statements) > 1 else statements
    return tuple([with_bodies(each, [_fused(body) for body in bodies_of(each)]) for each in joined])


def _joined(statements: Sequence[Statement]) -> list[Statement]:
    found: list[Statement | _Rows] = []
    for statement in statements:
        before = found[-1] if found else None
        if not (isinstance(statement, Loop) and statement.kind == "parallel" and statement.is_whole):
            found.append(statement)
            continue
        rows = _Rows(statement)
        if not (isinstance(before, _Rows) and before.takes(rows)):
            found.append(rows)
    return [each.loop if isinstance(each, _Rows) else each for each in found]


class _Rows:
    """Fused nests, with facts about their accesses, which are updated when a nest is added.

    Attributes:
        loop: The outermost loop, which the nests share.
    """

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self._stored: dict[Buffer, int | None] = {}  # the dimension whose index is the variable in all stores
        self._loaded: dict[Buffer, set[int]] = {}  # the dimensions of which it is that in all loads
        own = of_variable(loop.variable)
        for store in stores_of(loop):
            d = store.indices.index(own) if own in store.indices else None
            same = self._stored.get(store.buffer, d) == d
            self._stored[store.buffer] = d if same else None
        for load in loads_of(loop):
            dimensions = {d for d, index in enumerate(load.indices) if is_variable(index, loop.variable)}
            self._loaded[load.buffer] = self._loaded.get(load.buffer, dimensions) & dimensions
        self._size = size_of(loop)
        self._folds = [each for each in walk([loop]) if isinstance(each, Fold)]
        self._reads_own = self._reads(self._stored)
        self._product: bool | None = None  # whether it is computed in tiles, once that is known

    def takes(self, other: _Rows) -> bool:
        """Let another nest join these, if iterations then read and write their own rows only."""
        first, second, size = self.loop, other.loop, self._size + other._size
        if first.variable.extent != second.variable.extent or not self._stays_in_row(other):
            return False
        if size > cost.FUSED or self._has_short_rows or other._has_short_rows:
            return False
        change = Substitution({second.variable: of_variable(first.variable)})
        body = [rewritten(each, change) for each in second.body]
        joined = Loop(first.variable, (*first.body, *body), "parallel")
        folds = [*self._folds, *other._folds]
        product = _is_product(joined, folds) if self._is_product or other._is_product else None
        if product is False:
            return False  # a product that is computed in tiles still is
        self._product = product
        self.loop, self._folds, self._size = joined, folds, size
        self._stored |= other._stored
        for buffer, dimensions in other._loaded.items():
            self._loaded[buffer] = self._loaded.get(buffer, dimensions) & dimensions
        return True

    def _stays_in_row(self, other: _Rows) -> bool:
        """Test whether each iteration of a shared loop would read and write its own rows only."""
        both = [buffer for buffer in other._stored if buffer in self._stored]
        if any(other._stored[each] is None or other._stored[each] != self._stored[each] for each in both):
            return False
        return (
            self._reads_own and other._reads_own and self._reads(other._stored) and other._reads(self._stored)
        )

    def _reads(self, stored: Mapping[Buffer, int | None]) -> bool:
        """Test whether each iteration reads only its own row of the stored buffers."""
        shared = stored.keys() & self._loaded.keys()
        return all(stored[each] in self._loaded[each] for each in shared)

    @property
    def _has_short_rows(self) -> bool:
        """Test whether rows without folds are shorter than vectors and stay in cache, to become one loop."""
        extents = [variable.extent for variable in perfect_nest(self.loop)[0]]
        is_short = not self._folds and 1 < prod(extents[1:]) < cost.SHORT_ROW
        return is_short and cost.LEAST_JOINED <= prod(extents) < cost.MOST_JOINED

    @property
    def _is_product(self) -> bool:
        if self._product is None:
            self._product = _is_product(self.loop, self._folds)
        return self._product


def _is_product(nest: Loop, folds: Sequence[Fold]) -> bool:
    """Test whether a nest is computed in tiles, after fusion inside of it."""
    if len(folds) != 1 or None in map(factors_of, folds):
        return False
    return product_of(*_fused([nest])) is not None
