"""Statements of loop IR, and programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import is_
from types import MappingProxyType
from typing import Any, Literal

from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Expression,
    Load,
    Reference,
    Substitution,
    load,
    numbers_of,
    reference,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import ZERO, Index, Indices, Variable, of_variable
from stablehlo_py.ir.records import dataclass

LoopKind = Literal["for", "parallel", "vectorized", "unrolled"]


class _Node:
    """A statement, which caches facts about itself and its nested statements."""

    __slots__ = ("_loads", "_map", "_read", "_size", "_stores")
    _loads: tuple[Load, ...]
    _map: Any  # the map that it is (schedule/inline.py)
    _read: frozenset[Buffer]
    _size: int
    _stores: tuple[Store, ...]


@dataclass(frozen=True, slots=True)
class Store(_Node):
    """Writes an element of a buffer."""

    buffer: Buffer
    indices: Indices
    value: Expression


@dataclass(frozen=True, slots=True)
class Let(_Node):
    """Computes a value here, once, and names it for the statements behind it."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Fold(_Node):
    """Combines the elements of an index space in row-major order.

    Attributes:
        names: The names of the accumulated values; after the statement, the names of the results.
        starts: Their first values.
        loops: The variables of the index space, the outermost first.
        combined: The values after one more element, which refer to the accumulated values by name.
    """

    names: tuple[str, ...]
    starts: tuple[Expression, ...]
    loops: tuple[Variable, ...]
    combined: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Loop(_Node):
    """Runs statements for each value of a variable.

    Attributes:
        variable: The variable; its extent bounds the values, also where they are computed.
        body: The statements.
        kind: How iterations run: in order (`for`), in any order or at the same time (`parallel`), as the
            elements of one vector (`vectorized`), or written one by one (`unrolled`).
        start: The first value.
        stop: The end of the range, exclusive; None for the extent of the variable.
    """

    variable: Variable
    body: tuple[Statement, ...]
    kind: LoopKind = "for"
    start: Index = ZERO
    stop: Index | None = None

    @property
    def is_whole(self) -> bool:
        """Test whether it runs for all values that the variable may have."""
        return self.start == ZERO and self.stop is None

    def with_body(self, body: Sequence[Statement]) -> Loop:
        """The same loop around other statements."""
        return Loop(self.variable, tuple(body), self.kind, self.start, self.stop)


@dataclass(frozen=True, slots=True)
class Guard(_Node):
    """Runs one block if each index is at least its bound, and another block otherwise."""

    conditions: tuple[tuple[Index, int], ...]
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class If(_Node):
    """Runs one block if a value is true, and another block otherwise."""

    condition: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class While(_Node):
    """Runs `head`, then `body` and `head` again for as long as the condition holds.

    Attributes:
        head: The statements that compute the condition.
        condition: A boolean value, defined by `head`.
        body: The statements of an iteration.
        trips: The estimated number of iterations.
        steps: The number of ops of an iteration, as limits count them.
    """

    head: tuple[Statement, ...]
    condition: Expression
    body: tuple[Statement, ...]
    trips: int = 1
    steps: int = 1

    def with_parts(
        self, head: Sequence[Statement], condition: Expression, body: Sequence[Statement]
    ) -> While:
        """The same loop around other statements."""
        return While(tuple(head), condition, tuple(body), self.trips, self.steps)


@dataclass(frozen=True, slots=True)
class ExternalCall(_Node):
    """Calls an external function, which reads whole buffers, then writes whole buffers.

    Attributes:
        number: The number of the function.
        reads: The buffers that it reads.
        writes: The buffers that it writes, in order of its results.
    """

    number: int
    reads: tuple[Buffer, ...]
    writes: tuple[Buffer, ...]


Statement = Store | Let | Fold | Loop | Guard | If | While | ExternalCall


@dataclass(frozen=True, slots=True)
class Program:
    """A region as loops.

    Attributes:
        buffers: Its arrays: inputs, outputs and constants in the order of the call, then scratch memory.
        body: The statements, each a loop nest.
    """

    buffers: tuple[Buffer, ...]
    body: tuple[Statement, ...]

    @property
    def nests(self) -> list[tuple[Statement, ...]]:
        """The statements in groups that share no names: a loop, or the statements between two loops."""
        found: list[list[Statement]] = []
        for statement in self.body:
            joins = found and not isinstance(statement, Loop) and not isinstance(found[-1][-1], Loop)
            if joins:
                found[-1].append(statement)
            else:
                found.append([statement])
        return [tuple(group) for group in found]

    def in_space(self, *spaces: str) -> list[Buffer]:
        """The buffers of some spaces, in order."""
        return [buffer for buffer in self.buffers if buffer.space in spaces]


def bodies_of(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The blocks of statements inside of a statement."""
    match statement:
        case Loop():
            return (statement.body,)
        case Guard() | If():
            return statement.body, statement.otherwise
        case While():
            return statement.head, statement.body
    return ()


def with_bodies(statement: Statement, bodies: Sequence[Sequence[Statement]]) -> Statement:
    """A statement with other blocks inside of it."""
    blocks = [tuple(body) for body in bodies]
    if all(map(_are_same, blocks, bodies_of(statement))):
        return statement
    match statement:
        case Loop():
            return statement.with_body(*blocks)
        case Guard(conditions):
            return Guard(conditions, *blocks)
        case If(condition):
            return If(condition, *blocks)
        case While(condition=condition):
            head, body = blocks
            return statement.with_parts(head, condition, body)
    return statement


def _are_same(block: Sequence[Statement], other: Sequence[Statement]) -> bool:
    return len(block) == len(other) and all(map(is_, block, other))


def names_of(statement: Statement) -> tuple[str, ...]:
    """The names that a statement itself defines."""
    match statement:
        case Let(name):
            return (name,)
        case Fold(names):
            return names
    return ()


def loops_of(statement: Statement) -> tuple[Variable, ...]:
    """The loop variables of a statement itself."""
    match statement:
        case Loop(variable):
            return (variable,)
        case Fold(loops=loops):
            return loops
    return ()


def walk(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield all statements in order, each before its nested statements."""
    for statement in statements:
        yield statement
        for body in bodies_of(statement):
            yield from walk(body)


def expressions_of(statement: Statement) -> tuple[Expression, ...]:
    """The expressions that a statement itself computes, without its blocks."""
    match statement:
        case Store(value=value) | Let(value=value):
            return (value,)
        case Fold():
            return (*statement.starts, *statement.combined)
        case If(condition=condition) | While(condition=condition):
            return (condition,)
    return ()


def indices_of(statement: Statement) -> Indices:
    """The indices that a statement itself computes."""
    match statement:
        case Store():
            return statement.indices
        case Guard():
            return tuple([index for index, _ in statement.conditions])
        case Loop(start=start, stop=stop):
            return (start,) if stop is None else (start, stop)
    return ()


def rewritten(statement: Statement, change: Substitution) -> Statement:
    """A statement with loop variables and expressions replaced; its own loops keep their variables."""
    match statement:
        case Store(buffer, indices, value):
            place, computed = change.place(buffer, indices), change.expression(value)
            same = computed is value and place == (buffer, indices)
            return statement if same else Store(*place, computed)
        case Let(name, value):
            return Let(name, change.expression(value))
        case Fold(names, starts, loops, combined):
            first, after = (tuple(map(change.expression, each)) for each in (starts, combined))
            return Fold(names, first, loops, after)
        case ExternalCall():
            return statement
    blocks = [tuple([rewritten(each, change) for each in body]) for body in bodies_of(statement)]
    match statement:
        case Loop(variable, _, kind, start, stop):
            end = None if stop is None else change.index(stop)
            moved = change.index(start)
            (inner,) = blocks
            same = (moved, end) == (start, stop) and _are_same(inner, statement.body)
            return statement if same else Loop(variable, inner, kind, moved, end)
        case Guard(conditions):
            tests = tuple([(change.index(index), bound) for index, bound in conditions])
            return Guard(tests, *blocks)
        case If(condition):
            return If(change.expression(condition), *blocks)
        case While(condition=condition):
            head, body = blocks
            return statement.with_parts(head, change.expression(condition), body)


def roots_of(statement: Statement) -> list[Expression]:
    """The expressions that a statement itself computes, including expressions in indices."""
    return [*expressions_of(statement), *(n for index in indices_of(statement) for n in numbers_of(index))]


def values_of(statement: Statement) -> list[Expression]:
    """The expressions that a statement itself computes and their operands, operands first, each once."""
    seen: set[Expression] = set()
    return [each for root in roots_of(statement) for each in visit(root, seen)]


def loads_of(statement: Statement) -> tuple[Load, ...]:
    """The loads of a statement and its nested statements, each once for a statement.

    An external call counts as a load of the first element of each buffer.
    """
    try:
        return statement._loads
    except AttributeError:
        seen: set[Expression] = set()
        own = [each for root in roots_of(statement) for each in visit(root, seen) if isinstance(each, Load)]
        own += map(_first, statement.reads) if isinstance(statement, ExternalCall) else ()
        inside = [each for body in bodies_of(statement) for each in body]
        inner = [load for each in inside for load in loads_of(each)]
        object.__setattr__(statement, "_loads", (*own, *inner))
        object.__setattr__(statement, "_size", len(seen) + sum(map(size_of, inside)))
        return statement._loads


def read_by(statement: Statement) -> frozenset[Buffer]:
    """The buffers that a statement and its nested statements load from."""
    try:
        return statement._read
    except AttributeError:
        object.__setattr__(statement, "_read", frozenset([each.buffer for each in loads_of(statement)]))
        return statement._read


def size_of(statement: Statement) -> int:
    """The number of expressions of a statement and its nested statements."""
    loads_of(statement)
    return statement._size


def stores_of(statement: Statement) -> tuple[Store, ...]:
    """The stores of a statement and its nested statements; an external call stores first elements."""
    if isinstance(statement, Store):
        return (statement,)  # not kept: it would keep itself
    if isinstance(statement, ExternalCall):
        return tuple([Store(buffer, _first(buffer).indices, _first(buffer)) for buffer in statement.writes])
    try:
        return statement._stores
    except AttributeError:
        inner = [store for body in bodies_of(statement) for each in body for store in stores_of(each)]
        object.__setattr__(statement, "_stores", tuple(inner))
        return statement._stores


def _first(buffer: Buffer) -> Load:
    return load(buffer, (ZERO,) * len(buffer.shape))


def called_in(statements: Sequence[Statement]) -> set[Buffer]:
    """The buffers that external functions read or write."""
    calls = [each for each in walk(statements) if isinstance(each, ExternalCall)]
    return {buffer for call in calls for buffer in (*call.reads, *call.writes)}


def renamed(
    statement: Statement,
    buffer_of: Callable[[Buffer], Buffer] = lambda buffer: buffer,
    variables: Mapping[Variable, Variable] = MappingProxyType({}),
    names: Mapping[str, str] = MappingProxyType({}),
) -> Statement:
    """A statement with other buffers of the same shapes, loop variables of the same extents, and names."""

    def replace(expression: Expression) -> Expression | None:
        if not isinstance(expression, Reference) or expression.name not in names:
            return None
        return reference(names[expression.name], expression.type)

    def restored(each: Statement) -> Statement:
        match each:
            case Let(name, value):
                return Let(names.get(name, name), value)
            case Fold(own, starts, loops, combined):
                inner = tuple([variables.get(v, v) for v in loops])
                return Fold(tuple([names.get(n, n) for n in own]), starts, inner, combined)
            case ExternalCall(number, reads, writes):
                return ExternalCall(number, tuple(map(buffer_of, reads)), tuple(map(buffer_of, writes)))
        bodies = [[restored(inner) for inner in body] for body in bodies_of(each)]
        if isinstance(each, Loop):
            variable = variables.get(each.variable, each.variable)
            (body,) = bodies
            return Loop(variable, tuple(body), each.kind, each.start, each.stop)
        return with_bodies(each, bodies)

    places = {old: of_variable(new) for old, new in variables.items()}
    change = Substitution(places, replace, lambda buffer, indices: (buffer_of(buffer), indices))
    return restored(rewritten(statement, change))
