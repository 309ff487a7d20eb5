"""Loop fusion: nests over the same rows share their outermost loops, so that a row stays in cache.

Nests are joined where each iteration reads what an earlier nest stores in its own row only.
"""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.engines.native.loop_ir.expressions import Buffer, Substitution
from stablehlo_py.engines.native.loop_ir.index import Index, Variable, of_variable
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    Loop,
    Program,
    Statement,
    bodies_of,
    loads_of,
    rewritten,
    stores_of,
    walk,
    with_bodies,
)
from stablehlo_py.engines.native.schedule.tile import product_of


def fuse(program: Program) -> Program:
    """Join neighbouring nests of parallel loops."""
    return Program(program.buffers, _fused(program.body))


def _fused(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """A block whose neighbouring nests are joined, and those inside of its loops and branches as well."""
    found: list[Statement] = []
    for statement in statements:
        joined = _joined(found[-1], statement) if found else None
        if joined is None:
            found.append(statement)
        else:
            found[-1] = joined
    return tuple([with_bodies(each, [_fused(body) for body in bodies_of(each)]) for each in found])


def _joined(first: Statement, second: Statement) -> Statement | None:
    """Two nests as one whose outermost loop both share; None where they cannot share it."""
    if not (isinstance(first, Loop) and isinstance(second, Loop)):
        return None
    if first.kind != "parallel" or second.kind != "parallel" or not (first.is_whole and second.is_whole):
        return None
    if first.variable.extent != second.variable.extent:
        return None
    change = Substitution({second.variable: of_variable(first.variable)})
    body = tuple([rewritten(each, change) for each in second.body])
    if not _stays_in_row(first.body, body, first.variable):
        return None
    joined = Loop(first.variable, (*first.body, *body), "parallel")
    return joined if _keeps_products(first, second, joined) else None


def _keeps_products(first: Loop, second: Loop, joined: Loop) -> bool:
    """Test whether products that are computed in tiles still are."""
    return not (_is_product(first) or _is_product(second)) or _is_product(joined)


def _is_product(nest: Loop) -> bool:
    """Test whether a nest is computed in tiles, when what is inside of it has been joined."""
    return any(isinstance(each, Fold) for each in walk([nest])) and product_of(*_fused([nest])) is not None


def _stays_in_row(first: Sequence[Statement], second: Sequence[Statement], variable: Variable) -> bool:
    """Test whether statements read and write what others store in the same iteration of a loop only."""
    rows = _rows([*first, *second], variable)
    own = of_variable(variable)
    written = {store.buffer for each in (*first, *second) for store in stores_of(each)}
    for statement in (*first, *second):
        for load in loads_of(statement):
            if load.buffer in written:
                d = rows.get(load.buffer)
                if d is None or load.indices[d] != own:
                    return False
    both = [{store.buffer for each in part for store in stores_of(each)} for part in (first, second)]
    return all(rows[buffer] is not None for buffer in both[0] & both[1])


def _rows(statements: Sequence[Statement], variable: Variable) -> dict[Buffer, int | None]:
    """For each buffer that is stored, the dimension whose index is the variable in all stores."""
    own: Index = of_variable(variable)
    found: dict[Buffer, int | None] = {}
    for statement in statements:
        for store in stores_of(statement):
            d = store.indices.index(own) if own in store.indices else None
            same = store.buffer not in found or found[store.buffer] == d
            found[store.buffer] = d if same else None
    return found
