"""Copy coalescing: a buffer and its copy share memory unless both are live with different elements.

So values that loops carry, and arrays that are updated in part, are changed in place. Liveness analysis finds
the buffers with elements that are read later. A store to another buffer interferes with these buffers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from operator import or_
from typing import NamedTuple

from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Load,
)
from stablehlo_py.engines.native.loop_ir.index import of_variable
from stablehlo_py.engines.native.loop_ir.statements import (
    ExternalCall,
    Guard,
    If,
    Loop,
    Program,
    Statement,
    While,
    bodies_of,
    loads_of,
    read_by,
    renamed,
    stores_of,
    values_of,
    walk,
    with_bodies,
)
from stablehlo_py.engines.native.schedule.inline import map_of


class _Group(NamedTuple):
    """Buffers that share memory.

    Attributes:
        members: The buffers.
        bits: Their set, as a number with a bit for each buffer of a copy.
        conflicts: The buffers of copies that interfere with them, as such a number.
    """

    members: tuple[Buffer, ...]
    bits: int
    conflicts: int

    def interferes(self, other: _Group) -> bool:
        """Test whether a buffer of one group holds other elements than a buffer of the other."""
        return bool(self.conflicts & other.bits or other.conflicts & self.bits)


def coalesce(program: Program) -> Program:
    """Merge buffers that are copies of each other, and drop the copies."""
    program = Program(program.buffers, _without_copies(program.body))
    copies = list(_copies(program.body))
    if not copies:
        return program
    bits = {buffer: 1 << number for number, buffer in enumerate(dict.fromkeys(chain(*copies)))}
    conflicts = _interference(program, bits)
    groups = {buffer: _Group((buffer,), bit, conflicts[buffer]) for buffer, bit in bits.items()}
    for target, source in copies:
        first, second = groups[target], groups[source]
        if first is second or first.interferes(second):
            continue
        joined = _Group(
            (*first.members, *second.members), first.bits | second.bits, first.conflicts | second.conflicts
        )
        groups.update(dict.fromkeys(joined.members, joined))
    chosen = {buffer: min(group.members, key=_rank) for buffer, group in groups.items()}
    body = _without_copies([renamed(each, lambda b: chosen.get(b, b)) for each in program.body])
    buffers = [buffer for buffer in program.buffers if chosen.get(buffer, buffer) == buffer]
    return Program(tuple(buffers), body)


def _rank(buffer: Buffer) -> int:
    """The order in which buffers are kept: buffers of the caller first."""
    return ("input", "constant", "output", "scratch", "frame").index(buffer.space)


def _copy_of(statement: Statement) -> tuple[Buffer, Buffer] | None:
    """The target and the source of a nest that copies a whole buffer."""
    found = map_of(statement)
    if found is None or not isinstance(found.value, Load):
        return None
    source = found.value.buffer
    same = source.shape == found.buffer.shape and source.element == found.buffer.element
    at = tuple(map(of_variable, found.variables))
    return (found.buffer, source) if same and found.value.indices == at else None


def _copies(statements: Sequence[Statement]) -> Iterator[tuple[Buffer, Buffer]]:
    """The copies of a block, and of the blocks of control flow in it; copies in loops come first."""
    for statement in statements:
        if not isinstance(statement, Loop):
            for body in bodies_of(statement):
                yield from _copies(body)
    for statement in statements:
        found = _copy_of(statement)
        if found is not None:
            yield found


def _without_copies(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Drop the copies of buffers to themselves."""
    found: list[Statement] = []
    for statement in statements:
        copy = _copy_of(statement)
        if copy is not None and copy[0] == copy[1]:
            continue
        bodies = [] if isinstance(statement, Loop) else [_without_copies(b) for b in bodies_of(statement)]
        found.append(with_bodies(statement, bodies) if bodies else statement)
    return tuple(found)


# Interference


def _interference(program: Program, bits: Mapping[Buffer, int]) -> dict[Buffer, int]:
    """The buffers that hold other elements than a buffer at the same time, for each buffer of a copy."""
    outputs = _set(program.in_space("output"), bits)
    conflicts = {buffer: outputs & ~bit if bit & outputs else 0 for buffer, bit in bits.items()}
    written: dict[Buffer, set[Buffer | None]] = {}  # what each buffer is a copy of: None for other values
    _Liveness(bits, conflicts, written).block(program.body, outputs)
    for fixed in bits.keys() & program.in_space("input", "constant"):
        for buffer, bit in bits.items():  # one that is a copy of it, and nothing else, may be the original
            if buffer.space != "scratch" or written.get(buffer) != {fixed}:
                conflicts[fixed] |= bit
    return conflicts


def _set(buffers: Iterable[Buffer], bits: Mapping[Buffer, int]) -> int:
    """The set of those buffers that have a bit."""
    return reduce(or_, [bits.get(buffer, 0) for buffer in buffers], 0)


class _Liveness:
    """Computes the buffers that are live after each nest, and the buffers that interfere.

    Args:
        bits: The bit of each buffer of a copy; sets of buffers are numbers. Other buffers do not matter.
        conflicts: The sets to which interfering buffers are added.
        written: The mapping to which the sources of copies to each buffer are added.
    """

    def __init__(
        self,
        bits: Mapping[Buffer, int],
        conflicts: dict[Buffer, int],
        written: dict[Buffer, set[Buffer | None]],
    ) -> None:
        self._bits = bits
        self._conflicts = conflicts
        self._written = written

    def block(self, statements: Sequence[Statement], live: int) -> int:
        """Return the buffers that are live before some statements, given the buffers live after them."""
        for statement in reversed(statements):
            live = self._before(statement, live)
        return live

    def _before(self, statement: Statement, live: int) -> int:
        match statement:
            case If() | Guard():
                branches = [self.block(body, live) for body in bodies_of(statement)]
                return branches[0] | branches[1] | self._read(statement)
            case While(head, body=body):
                behind = live | self._read(statement)
                while True:
                    first = self.block(head, behind)
                    following = behind | self.block(body, first)
                    if following == behind:
                        return first
                    behind = following
        self._store(statement, live)
        own = map_of(statement)
        loaded = _set(read_by(statement), self._bits)
        whole = statement.writes if isinstance(statement, ExternalCall) else (own.buffer,) if own else ()
        return live & ~_set(whole, self._bits) | loaded

    def _store(self, nest: Statement, live: int) -> None:
        """Note what the stores of a nest interfere with."""
        stores = list(stores_of(nest))
        stored = _set([store.buffer for store in stores], self._bits)
        if not stored:
            return
        copy = _copy_of(nest)
        in_place = len(stores) == 1 and _stores_once(nest)
        for store in stores:
            buffer = store.buffer
            if buffer not in self._bits:
                continue
            source = copy[1] if copy is not None else None
            self._written.setdefault(buffer, set()).add(source)
            others = (live | stored) & ~_set([buffer, *filter(None, [source])], self._bits)
            read = [
                each.buffer
                for each in loads_of(nest)
                if each.buffer != buffer and not (in_place and each.indices == store.indices)
            ]
            self._conflicts[buffer] |= others | _set(read, self._bits)

    def _read(self, statement: Statement) -> int:
        """The buffers that a statement itself reads, without its blocks."""
        return _set([each.buffer for each in values_of(statement) if isinstance(each, Load)], self._bits)


def _stores_once(nest: Statement) -> bool:
    """Test whether a nest stores no element twice: iterations of parallel loops store different ones."""
    return all(each.kind == "parallel" for each in walk([nest]) if isinstance(each, Loop))
