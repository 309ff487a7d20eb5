"""Lifetimes: between which statements the elements of a buffer are needed.

Statements are numbered in the order of the text. A `while` runs its statements again: a buffer that is used
outside of it, or whose elements one iteration may leave to the next, is live in all of them. The verifier
proves of any other buffer that each iteration writes what it reads. Small buffers are not worth the proof.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import Buffer, Load, indices_in, numbers_of, visit
from stablehlo_py.engines.native.loop_ir.statements import (
    If,
    Statement,
    While,
    bodies_of,
    indices_of,
    names_of,
    values_of,
    walk,
    with_bodies,
)
from stablehlo_py.engines.native.loop_ir.uses import buffers_of
from stablehlo_py.engines.native.loop_ir.verify import unproved
from stablehlo_py.ir.element_types import numpy_dtype

Lifetime = tuple[int, int]  # the numbers of the first and the last statement


class Repeated(NamedTuple):
    """A `while`.

    Attributes:
        first: The number of its first statement.
        last: The number of its last statement.
        kept: The buffers whose elements one iteration may leave to the next.
    """

    first: int
    last: int
    kept: frozenset[Buffer]


class Timeline(NamedTuple):
    """The statements of a nest in the order of the text, each loop and each condition as one.

    Attributes:
        uses: The buffers that each uses.
        loops: The `while` loops, each behind those inside of it.
    """

    uses: list[Collection[Buffer]]
    loops: list[Repeated]


def timeline(nest: Sequence[Statement]) -> Timeline:
    """Number the statements of a nest."""
    found = Timeline([], [])
    _number(nest, found)
    return found


def _number(statements: Sequence[Statement], found: Timeline) -> None:
    for statement in statements:
        match statement:
            case If(body=body, otherwise=otherwise):
                found.uses.append(_conditions(statement))
                _number((*body, *otherwise), found)
            case While(head=head, body=body):
                first = len(found.uses)
                _number(head, found)
                found.uses.append(_conditions(statement))
                _number(body, found)
                found.loops.append(Repeated(first, len(found.uses) - 1, frozenset(_kept(statement))))
            case _:
                found.uses.append(buffers_of([statement]))


def _conditions(statement: Statement) -> list[Buffer]:
    """The buffers that a condition reads."""
    return [each.buffer for each in values_of(statement) if isinstance(each, Load)]


def _kept(loop: While) -> set[Buffer]:
    """The buffers whose elements one iteration may leave to the next."""
    used = {*buffers_of([loop])}
    large = {each for each in used if each.space == "scratch" and _bytes(each) >= cost.PLACED}
    large -= _indexing(loop)
    if not large:
        return used
    parts = [_about(part, large) for part in bodies_of(loop)]
    return used - large | unproved(loop.with_parts(parts[0], loop.condition, parts[1]))


def _bytes(buffer: Buffer) -> int:
    return prod(buffer.shape) * numpy_dtype(buffer.element).itemsize


def _indexing(loop: While) -> set[Buffer]:
    """The buffers of integers in indices: they hold some integers even if a signal ends an iteration."""
    found: set[Buffer] = set()
    for statement in walk([loop]):
        values = values_of(statement)
        indices = [*indices_of(statement), *(index for each in values for index in indices_in(each))]
        numbers = [number for index in indices for number in numbers_of(index)]
        computed = [each for number in numbers for each in visit(number, set())]
        found.update(each.buffer for each in computed if isinstance(each, Load))
    return found


def _about(statements: Sequence[Statement], buffers: Collection[Buffer]) -> list[Statement]:
    """The statements that define names or use some buffers."""
    found = []
    for statement in statements:
        if isinstance(statement, If | While):
            found.append(with_bodies(statement, [_about(each, buffers) for each in bodies_of(statement)]))
        elif names_of(statement) or not {*buffers}.isdisjoint(buffers_of([statement])):
            found.append(statement)
    return found


def lifetimes(nests: Iterable[tuple[Timeline, Mapping[Buffer, Buffer]]]) -> dict[Buffer, Lifetime]:
    """Compute the lifetimes of the buffers of nests that run one after the other.

    Args:
        nests: The statements of each nest, and the buffers in place of theirs.
    """
    found: dict[Buffer, Lifetime] = {}
    loops = []
    start = 0
    for (uses, inside), given in nests:
        for number, used in enumerate(uses, start):
            for buffer in used:
                first, _ = found.get(given[buffer], (number, number))
                found[given[buffer]] = first, number
        loops += [
            Repeated(first + start, last + start, frozenset([given[each] for each in kept]))
            for first, last, kept in inside
        ]
        start += len(uses)
    for loop in loops:
        found.update(_extended(found, loop))
    return found


def _extended(found: Mapping[Buffer, Lifetime], loop: Repeated) -> Iterator[tuple[Buffer, Lifetime]]:
    """The lifetimes of buffers that are live in all of a loop."""
    for buffer, (first, last) in found.items():
        is_inside = loop.first <= first and last <= loop.last
        is_outside = last < loop.first or loop.last < first
        if not is_outside and (not is_inside or buffer in loop.kept):
            yield buffer, (min(first, loop.first), max(last, loop.last))
