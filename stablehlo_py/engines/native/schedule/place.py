"""Placement in memory: data that is private to a loop nest is a value, or a buffer in its frame.

Stores are forwarded to later loads of the same element (scalar replacement). A scratch buffer that is filled
and read in the same iteration of the outer loops loses the dimensions of these loops (array contraction).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import prod

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Expression,
    Load,
    Reference,
    Substitution,
    reference,
)
from stablehlo_py.engines.native.loop_ir.index import Indices, Variable, of_variable, variables_of
from stablehlo_py.engines.native.loop_ir.statements import (
    ExternalCall,
    Let,
    Loop,
    Program,
    Statement,
    Store,
    bodies_of,
    called_in,
    loads_of,
    read_by,
    rewritten,
    stores_of,
    values_of,
    walk,
    with_bodies,
)
from stablehlo_py.engines.native.schedule.nests import map_nests
from stablehlo_py.ir.element_types import numpy_dtype

_FRAME = 1 << 18  # bytes of all arrays of a frame, which is on the stack of a thread
_Values = Mapping[Buffer, Mapping[Indices, Expression]]  # of elements


def place(program: Program) -> Program:
    """Replace scratch buffers by values and by buffers in the frames of nests."""
    return contract(remove_dead_stores(forward(program)))


# Scalar replacement


def forward(program: Program) -> Program:
    """Give loads the values that the statements before have stored, where the indices are the same."""
    return Program(program.buffers, tuple(chain(*(_forwarded(nest, {}) for nest in program.nests))))


def _forwarded(statements: Sequence[Statement], known: _Values) -> tuple[Statement, ...]:
    values = dict(known)

    def replace(expression: Expression) -> Expression | None:
        if not isinstance(expression, Load) or expression.buffer not in values:
            return None
        return values[expression.buffer].get(expression.indices)

    found: list[Statement] = []
    for statement in statements:
        changed = statement
        if bodies_of(statement):
            kept = _unstored(values, statement)
            changed = with_bodies(statement, [_forwarded(body, kept) for body in bodies_of(statement)])
        elif not values.keys().isdisjoint(read_by(statement)):
            changed = rewritten(statement, Substitution({}, replace))
        if isinstance(changed, Store):
            buffer, indices, value = changed.buffer, changed.indices, changed.value
            if not isinstance(value, Reference):
                found.append(Let(f"{buffer.name}_", value))
                value = reference(f"{buffer.name}_", value.type)
                changed = Store(buffer, indices, value)
            values[buffer] = {indices: value}
        else:
            values = _unstored(values, changed)
        found.append(changed)
    return _without_unused_names(found)


def _unstored(values: _Values, statement: Statement) -> dict[Buffer, Mapping[Indices, Expression]]:
    """The values of elements of buffers that a statement does not store to."""
    stored = {store.buffer for store in stores_of(statement)}
    return {buffer: each for buffer, each in values.items() if buffer not in stored}


def _without_unused_names(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Replace a name by its value if only the following store uses it."""
    uses: dict[str, int] = {}
    for statement in walk(statements):
        for expression in values_of(statement):
            if isinstance(expression, Reference):
                uses[expression.name] = uses.get(expression.name, 0) + 1
    found: list[Statement] = []
    for statement in statements:
        before = found[-1] if found else None
        if isinstance(statement, Store) and isinstance(before, Let) and _is_only_use(statement, before, uses):
            found[-1] = Store(statement.buffer, statement.indices, before.value)
        else:
            found.append(statement)
    return tuple(found)


def _is_only_use(store: Store, let: Let, uses: Mapping[str, int]) -> bool:
    value = store.value
    return isinstance(value, Reference) and value.name == let.name and uses[let.name] == 1


def remove_dead_stores(program: Program) -> Program:
    """Drop scratch buffers that nothing reads, and their stores."""
    while True:
        read = frozenset[Buffer]().union(*map(read_by, program.body))
        read |= called_in(program.body)
        dead = {buffer for buffer in program.buffers if buffer.space in ("scratch", "frame")} - read
        if not dead:
            return program
        buffers = tuple([buffer for buffer in program.buffers if buffer not in dead])
        program = Program(buffers, _without(program.body, dead))


def _without(statements: Sequence[Statement], dead: set[Buffer]) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for statement in statements:
        if bodies_of(statement):
            blocks = [_without(body, dead) for body in bodies_of(statement)]
            found += [with_bodies(statement, blocks)] if any(blocks) else []
        elif not (isinstance(statement, Store) and statement.buffer in dead):
            found.append(statement)
    return tuple(found)


# Array contraction


def contract(program: Program) -> Program:
    """Move buffers that are private to an iteration of a nest's outer loops to the frame of the nest."""
    nests = list(_nests(program.body))
    users: dict[Buffer, set[int]] = {}
    for n, nest in enumerate(nests):
        for buffer in _accessed(nest):
            users.setdefault(buffer, set()).add(n)
    changes: dict[Buffer, tuple[int, Buffer]] = {}  # the dimensions that go, and the new buffer
    sizes: dict[int, int] = {}
    for buffer in program.buffers:  # sets have another order in each process
        numbers = users.get(buffer, set())
        if buffer.space != "scratch" or len(numbers) != 1:
            continue
        (n,) = numbers
        if not isinstance(nests[n], Loop):  # a frame belongs to an iteration
            continue
        outer = _own_dimensions(nests[n], buffer)
        size = prod(buffer.shape[outer:]) * numpy_dtype(buffer.element).itemsize
        if outer and size <= cost.ARRAY and sizes.get(n, 0) + size <= _FRAME:
            sizes[n] = sizes.get(n, 0) + size
            changes[buffer] = outer, Buffer(buffer.name, buffer.element, buffer.shape[outer:], "frame")
    if not changes:
        return program

    def move(buffer: Buffer, indices: Indices) -> tuple[Buffer, Indices]:
        outer, new = changes.get(buffer, (0, buffer))
        return new, indices[outer:]

    change = Substitution({}, move=move)
    body = [rewritten(nest, change) for nest in program.body]
    body = list(map_nests(body, lambda nest: [nest.with_body([_in_order(each) for each in nest.body])]))
    buffers = [changes[buffer][1] if buffer in changes else buffer for buffer in program.buffers]
    return Program(tuple(buffers), tuple(body))


def _nests(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield the outermost loops and the statements between them, also in the blocks of control flow."""
    for statement in statements:
        yield statement
        if not isinstance(statement, Loop):
            yield from chain(*map(_nests, bodies_of(statement)))


def _accessed(nest: Statement) -> set[Buffer]:
    """The buffers that a nest uses; for control flow, the buffers of its conditions."""
    if isinstance(nest, Loop | ExternalCall):
        return {*(s.buffer for s in stores_of(nest)), *read_by(nest)}
    stored = {nest.buffer} if isinstance(nest, Store) else set[Buffer]()
    return stored | {each.buffer for each in values_of(nest) if isinstance(each, Load)}


def _in_order(statement: Statement) -> Statement:
    """Make inner loops sequential whose iterations share memory of the frame."""
    if isinstance(statement, Loop) and statement.kind == "parallel":
        frames = [store for store in stores_of(statement) if store.buffer.space == "frame"]
        if any(not any(statement.variable in variables_of(i) for i in s.indices) for s in frames):
            statement = Loop(statement.variable, statement.body, "for", statement.start, statement.stop)
    return with_bodies(statement, [[_in_order(each) for each in body] for body in bodies_of(statement)])


def _own_dimensions(nest: Statement, buffer: Buffer) -> int:
    """The number of leading dimensions of a buffer that are indexed by the variables of the outer loops."""
    shared: list[Variable] = []
    while isinstance(nest, Loop) and _is_used_inside(nest, buffer):
        shared.append(nest.variable)
        users = [each for each in nest.body if _is_used(each, buffer)]
        if len(users) != 1:
            break
        (nest,) = users
    accesses = [each.indices for each in _accesses(nest, buffer)]
    count, used = 0, iter(shared)
    for d, extent in enumerate(buffer.shape):
        if extent == 1:
            count = d + 1
            continue
        variable = next(used, None)
        if variable is None or any(indices[d] != of_variable(variable) for indices in accesses):
            break
        count = d + 1
    return count


def _accesses(statement: Statement, buffer: Buffer) -> list[Store | Load]:
    found: list[Store | Load] = [store for store in stores_of(statement) if store.buffer == buffer]
    return found + [each for each in loads_of(statement) if each.buffer == buffer]


def _is_used(statement: Statement, buffer: Buffer) -> bool:
    return buffer in read_by(statement) or any(store.buffer == buffer for store in stores_of(statement))


def _is_used_inside(loop: Loop, buffer: Buffer) -> bool:
    return any(_is_used(each, buffer) for each in loop.body)
