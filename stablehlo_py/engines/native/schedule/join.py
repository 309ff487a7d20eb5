"""Loop joining (collapsing): two loops over dimensions that are contiguous in memory become one loop.

So inner loops are long where arrays have short last dimensions. Two loops are joined if all their accesses
are equal to accesses of one loop. Quotients and remainders of its variable cancel in the offsets of elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.engines.native.loop_ir.coverage import are_digits
from stablehlo_py.engines.native.loop_ir.expressions import (
    Load,
    Substitution,
    indices_in,
)
from stablehlo_py.engines.native.loop_ir.index import (
    Variable,
    divide,
    linear,
    of_variable,
    variables_of,
)
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    Guard,
    Loop,
    Program,
    Statement,
    Store,
    bodies_of,
    rewritten,
    stores_of,
    values_of,
    walk,
    with_bodies,
)
from stablehlo_py.engines.native.schedule.nests import map_nests


def join(program: Program) -> Program:
    """Join the loops of all nests."""
    return Program(program.buffers, map_nests(program.body, lambda nest: [_joined(nest, is_outermost=True)]))


def _joined(statement: Statement, is_outermost: bool = False) -> Statement:
    """A statement with the loops inside of it joined, those in front first."""
    bodies = bodies_of(statement)
    if bodies:
        statement = with_bodies(statement, [[_joined(each) for each in body] for body in bodies])
    if isinstance(statement, Fold):
        return _joined_fold(statement)
    if not isinstance(statement, Loop) or len(statement.body) != 1:
        return statement
    (inner,) = statement.body
    if not isinstance(inner, Loop) or not _is_simple(statement, inner):
        return statement
    if is_outermost and any(store.buffer.space == "frame" for store in stores_of(inner)):
        return statement  # an iteration has a frame
    change = _one(statement.variable, inner.variable, inner.body)
    if change is None:
        return statement
    variable, places = change
    return Loop(variable, tuple([rewritten(each, places) for each in inner.body]), inner.kind)


def _is_simple(outer: Loop, inner: Loop) -> bool:
    """Test whether two loops run over all their iterations, both in order or both in any order."""
    return (
        outer.is_whole and inner.is_whole and outer.kind == inner.kind and outer.kind in ("for", "parallel")
    )


def _joined_fold(fold: Fold) -> Fold:
    """A fold with neighbouring dimensions joined, the innermost first."""
    loops = list(fold.loops)
    for place in reversed(range(len(loops) - 1)):
        change = _one(loops[place], loops[place + 1], [fold])
        if change is not None:
            variable, places = change
            loops[place : place + 2] = [variable]
            combined = tuple(map(places.expression, fold.combined))
            fold = Fold(fold.names, fold.starts, tuple(loops), combined)
    return fold


def _one(outer: Variable, inner: Variable, body: Sequence[Statement]) -> tuple[Variable, Substitution] | None:
    """A variable in place of two, and the two in terms of it; None where accesses tell them apart."""
    used = {outer, inner}
    for statement in walk(body):
        fixed = [index for index, _ in statement.conditions] if isinstance(statement, Guard) else []
        if isinstance(statement, Loop):
            fixed += [statement.start, *([statement.stop] if statement.stop is not None else [])]
        for each in values_of(statement):
            if not isinstance(each, Load):
                fixed += indices_in(each)
            elif not _follows(each, outer, inner):
                return None
        if isinstance(statement, Store) and not _is_digits(statement, outer, inner):
            return None
        if any(used & variables_of(index) for index in fixed):
            return None
    variable = Variable(f"{outer}_{inner}", outer.extent * inner.extent)
    quotient, remainder = divide(of_variable(variable), inner.extent)
    return variable, Substitution({outer: quotient, inner: remainder})


def _follows(access: Load | Store, outer: Variable, inner: Variable) -> bool:
    """Test whether the elements of an outer iteration directly follow the iteration before."""
    offset = linear(access.indices, access.buffer.shape)
    if {outer, inner} & variables_of(offset.without(outer, inner)):
        return False
    return offset.coefficient(outer) == offset.coefficient(inner) * inner.extent


def _is_digits(store: Store, outer: Variable, inner: Variable) -> bool:
    """Test whether the indices of a store are the digits of both variables, or of neither."""
    used = [index for index in store.indices if {outer, inner} & variables_of(index)]
    if not used:
        return True
    first, *others = used
    inside = others == [of_variable(inner)] or are_digits(others, inner)
    return first == of_variable(outer) and inside and _follows(store, outer, inner)
