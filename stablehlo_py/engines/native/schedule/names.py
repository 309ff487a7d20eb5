"""Names of loop variables: those of a nest are i, j, k, ... in order, so that equal nests have equal text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count

from stablehlo_py.engines.native.loop_ir.expressions import Substitution
from stablehlo_py.engines.native.loop_ir.index import Variable, of_variable
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    Loop,
    Program,
    Statement,
    bodies_of,
    rewritten,
    walk,
    with_bodies,
)

_LETTERS = "ijklmnpqrstuvwabcdefgh"


def name_variables(program: Program) -> Program:
    """Rename the loop variables of each nest."""
    return Program(program.buffers, tuple(chain(*map(_renamed, program.nests))))


def _renamed(nest: Sequence[Statement]) -> list[Statement]:
    names = _names()
    new = {old: Variable(next(names), old.extent) for old in dict.fromkeys(_variables(nest))}
    change = Substitution({old: of_variable(variable) for old, variable in new.items()})
    return [_with_loops(rewritten(statement, change), new) for statement in nest]


def _variables(nest: Sequence[Statement]) -> Iterator[Variable]:
    for statement in walk(nest):
        if isinstance(statement, Loop):
            yield statement.variable
        elif isinstance(statement, Fold):
            yield from statement.loops


def _names() -> Iterator[str]:
    yield from _LETTERS
    yield from (f"i{number}" for number in count(1))


def _with_loops(statement: Statement, new: Mapping[Variable, Variable]) -> Statement:
    """A statement whose loops have other variables."""
    if isinstance(statement, Fold):
        loops = tuple([new[variable] for variable in statement.loops])
        return Fold(statement.names, statement.starts, loops, statement.combined)
    bodies = [[_with_loops(each, new) for each in body] for body in bodies_of(statement)]
    if isinstance(statement, Loop):
        body = tuple(bodies[0])
        return Loop(new[statement.variable], body, statement.kind, statement.start, statement.stop)
    return with_bodies(statement, bodies)
