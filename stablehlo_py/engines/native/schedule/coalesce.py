"""Copy coalescing: a buffer and its copy share memory unless both are live with different elements.

So values that loops carry, and arrays that are updated in part, are changed in place. Liveness analysis finds
the buffers with elements that are read later. A store to another buffer interferes with these buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

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
    renamed,
    stores_of,
    values_of,
    walk,
    with_bodies,
)
from stablehlo_py.engines.native.schedule.inline import map_of

_Pair = frozenset[Buffer]


def coalesce(program: Program) -> Program:
    """Merge buffers that are copies of each other, and drop the copies."""
    program = Program(program.buffers, _without_copies(program.body))
    copies = list(_copies(program.body))
    if not copies:
        return program
    interference = _interference(program)
    same: dict[Buffer, tuple[Buffer, ...]] = {}
    for target, source in copies:
        first, second = same.get(target, (target,)), same.get(source, (source,))
        if first is second or any(frozenset((x, y)) in interference for x in first for y in second):
            continue
        joined = (*first, *second)
        same.update(dict.fromkeys(joined, joined))
    chosen = {buffer: min(members, key=_rank) for buffer, members in same.items()}
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


def _interference(program: Program) -> set[_Pair]:
    """The pairs of buffers that hold different elements at the same time."""
    found: set[_Pair] = set()
    outputs = program.in_space("output")
    found.update(frozenset(pair) for pair in combinations(outputs, 2))
    written: dict[Buffer, set[Buffer | None]] = {}  # what each buffer is a copy of: None for other values
    _Liveness(found, written).block(program.body, frozenset(outputs))
    for fixed in program.in_space("input", "constant"):
        for buffer in program.buffers:  # one that is a copy of it, and nothing else, may be the original
            if buffer.space != "scratch" or written.get(buffer, set()) != {fixed}:
                found.add(frozenset((fixed, buffer)))
    return found


class _Liveness:
    """Computes the buffers that are live after each nest, and the pairs of buffers that interfere.

    Args:
        found: The set to which interfering pairs are added.
        written: The mapping to which the sources of copies to each buffer are added.
    """

    def __init__(self, found: set[_Pair], written: dict[Buffer, set[Buffer | None]]) -> None:
        self._found = found
        self._written = written

    def block(self, statements: Sequence[Statement], live: frozenset[Buffer]) -> frozenset[Buffer]:
        """Return the buffers that are live before some statements, given the buffers live after them."""
        for statement in reversed(statements):
            live = self._before(statement, live)
        return live

    def _before(self, statement: Statement, live: frozenset[Buffer]) -> frozenset[Buffer]:
        match statement:
            case If() | Guard():
                branches = [self.block(body, live) for body in bodies_of(statement)]
                return branches[0] | branches[1] | _read(statement)
            case While(head, body=body):
                behind = live | _read(statement)
                while True:
                    first = self.block(head, behind)
                    following = behind | self.block(body, first)
                    if following == behind:
                        return first
                    behind = following
        self._store(statement, live)
        own = map_of(statement)
        loaded = {each.buffer for each in loads_of(statement)}
        whole = statement.writes if isinstance(statement, ExternalCall) else (own.buffer,) if own else ()
        return live.difference(whole) | loaded

    def _store(self, nest: Statement, live: frozenset[Buffer]) -> None:
        """Note what the stores of a nest interfere with."""
        stores, copy = list(stores_of(nest)), _copy_of(nest)
        in_place = len(stores) == 1 and _stores_once(nest)
        stored = {store.buffer for store in stores}
        for store in stores:
            buffer = store.buffer
            source = copy[1] if copy is not None else None
            self._written.setdefault(buffer, set()).add(source)
            others = (live | stored) - {buffer, source}
            for each in loads_of(nest):
                if each.buffer != buffer and not (in_place and each.indices == store.indices):
                    others |= {each.buffer}
            self._found.update(frozenset((buffer, other)) for other in others)


def _stores_once(nest: Statement) -> bool:
    """Test whether a nest stores no element twice: iterations of parallel loops store different ones."""
    return all(each.kind == "parallel" for each in walk([nest]) if isinstance(each, Loop))


def _read(statement: Statement) -> frozenset[Buffer]:
    """The buffers that a statement itself reads, without its blocks."""
    return frozenset(each.buffer for each in values_of(statement) if isinstance(each, Load))
