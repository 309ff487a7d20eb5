"""Loop nests, wherever they are: at the top level, and in the blocks of control flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablehlo_py.engines.native.loop_ir.expressions import (
    Expression,
    indices_in,
    numbers_of,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import Index, Variable, of_variable, variables_of
from stablehlo_py.engines.native.loop_ir.statements import (
    Let,
    Loop,
    LoopKind,
    Statement,
    Store,
    bodies_of,
    walk,
    with_bodies,
)
from stablehlo_py.ir.records import dataclass


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
        for index in indices_in(each):
            found |= variables_of(index)
    return found


def variables_behind(index: Index) -> set[Variable]:
    """The loop variables of an index, including variables inside of computed numbers."""
    return variables_of(index).union(*map(variables_in, numbers_of(index)))


def loops_over(
    variables: Sequence[Variable], body: Sequence[Statement], kind: LoopKind = "for"
) -> list[Statement]:
    """Return loops around statements, the first variable outermost; loops of one iteration are left out."""
    statements = list(body)
    for variable in reversed(variables):
        if variable.extent > 1:
            statements = [Loop(variable, tuple(statements), kind)]
    return statements


def vectors_over(rows: Variable, lane: Variable, body: Sequence[Statement]) -> Loop:
    """A tile, written row by row, each of them a vector."""
    kind: LoopKind = "vectorized" if lane.extent > 1 else "unrolled"
    return Loop(rows, (Loop(lane, tuple(body), kind),), "unrolled")


def perfect_nest(loop: Loop, *kinds: LoopKind) -> tuple[list[Variable], tuple[Statement, ...]]:
    """The variables of whole loops with nothing between them, and the statements of the innermost one.

    Args:
        loop: The outermost loop.
        kinds: The kinds of loops; parallel ones, if none are given.
    """
    loops: list[Variable] = []
    body: tuple[Statement, ...] = (loop,)
    while len(body) == 1 and isinstance(body[0], Loop) and body[0].is_whole:
        if body[0].kind not in (kinds or ("parallel",)):
            break
        loops.append(body[0].variable)
        body = body[0].body
    return loops, body


def is_of_stores(statement: Statement) -> bool:
    """Test whether a statement is a store, names a value, or is loops around such statements."""
    return all(isinstance(each, Store | Let | Loop) for each in walk([statement]))


def shared_frame(variables: Sequence[Variable], body: Sequence[Statement]) -> Loop:
    """Return loops with a parallel outermost loop; iterations of the inner loops share a frame."""
    first, *inner = [v for v in variables if v.extent > 1] or [variables[0]]
    return Loop(first, tuple(loops_over(inner, body)), "parallel")


@dataclass(frozen=True, slots=True)
class Part:
    """Parts of a loop with the same number of iterations (strip mining).

    Attributes:
        place: The number of the part.
        first: The first iteration of the part.
        size: The number of iterations of a part.
        known: The number of iterations that the part shares with the end of the part before.
    """

    place: Variable
    first: Index
    size: int
    known: int = 0


def parts_of(variable: Variable, size: int, new: Callable[[int], Variable]) -> list[Part]:
    """Divide a loop into parts of a size, and a shorter last part.

    Args:
        variable: The variable of the loop.
        size: The size.
        new: Makes a variable of an extent.
    """
    whole, rest = divmod(variable.extent, size)
    found = []
    if whole:
        place = new(whole)
        found.append(Part(place, of_variable(place) * size, size))
    if rest:
        found.append(Part(new(1), Index((), whole * size), rest))
    return found


def vectors_of(variable: Variable, lanes: int, new: Callable[[int], Variable]) -> list[Part]:
    """Divide a loop into vectors with sizes that are powers of two; the last overlaps the one before."""
    extent = variable.extent
    size = min(lanes, 1 << (extent.bit_length() - 1))
    whole, rest = divmod(extent, size)
    place, width = new(whole), 1 << (rest - 1).bit_length()
    last = [Part(new(1), Index((), extent - width), width, width - rest)] if rest else []
    return [Part(place, of_variable(place) * size, size), *last]


def divisor(extent: int, most: int, multiple: int = 1) -> int:
    """Choose the size of a loop's parts: a divisor of the extent above half of `most`, or else `most`."""
    if extent <= most:
        return extent
    sizes = [size for size in range(most, most // 2, -multiple) if extent % size == 0]
    return sizes[0] if sizes else most
