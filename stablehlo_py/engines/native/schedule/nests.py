"""Loop nests, wherever they are: at the top level, and in the blocks of control flow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from stablehlo_py.engines.native.loop_ir.expressions import (
    Choose,
    Expression,
    Load,
    Position,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import Index, Variable, variables_of
from stablehlo_py.engines.native.loop_ir.statements import Loop, LoopKind, Statement, bodies_of, with_bodies


def map_nests(
    statements: Sequence[Statement], change: Callable[[Loop], Sequence[Statement]]
) -> tuple[Statement, ...]:
    """Replace each outermost loop of a block, and of the blocks of control flow in it."""
    found: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Loop):
            found += change(statement)
        else:
            bodies = [map_nests(body, change) for body in bodies_of(statement)]
            found.append(with_bodies(statement, bodies) if bodies else statement)
    return tuple(found)


def variables_in(expression: Expression) -> set[Variable]:
    """The loop variables that an expression depends on."""
    found: set[Variable] = set()
    for each in visit(expression, set()):
        for index in _indices(each):
            found |= variables_of(index)
    return found


def _indices(expression: Expression) -> Iterator[Index]:
    match expression:
        case Load():
            yield from expression.indices
        case Position():
            yield expression.index
        case Choose():
            yield from [index for index, _ in expression.conditions]


def loops_over(
    variables: Sequence[Variable], body: Sequence[Statement], kind: LoopKind = "for"
) -> list[Statement]:
    """Loops around statements, the first variable outermost; those of one iteration are left out."""
    statements = list(body)
    for variable in reversed(variables):
        if variable.extent > 1:
            statements = [Loop(variable, tuple(statements), kind)]
    return statements


def perfect_nest(loop: Loop) -> tuple[list[Variable], tuple[Statement, ...]]:
    """The variables of parallel loops with nothing between them, and the statements of the innermost one."""
    loops: list[Variable] = []
    body: tuple[Statement, ...] = (loop,)
    while len(body) == 1 and isinstance(body[0], Loop) and body[0].is_whole and body[0].kind == "parallel":
        loops.append(body[0].variable)
        body = body[0].body
    return loops, body
