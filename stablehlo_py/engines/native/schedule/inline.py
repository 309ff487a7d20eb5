"""Inlining (producer fusion): a value is computed at its uses if recomputing it is cheaper than storing it.

A buffer stays if several maps store to it, if several nests or iterations would recompute expensive elements,
or if expressions would become too deep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import (
    Apply,
    Buffer,
    Expression,
    Load,
    Substitution,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import Variable, is_variable, of_variable
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    If,
    Loop,
    Program,
    Statement,
    Store,
    While,
    bodies_of,
    called_in,
    loads_of,
    read_by,
    rewritten,
    roots_of,
    stores_of,
    with_bodies,
)
from stablehlo_py.engines.native.schedule.hoist import hoist
from stablehlo_py.engines.native.schedule.products import product_of
from stablehlo_py.ir.records import dataclass
from stablehlo_py.opset.definition import has_trait

_DEEPEST = 50  # operations in a row: stages and LLVM recurse into expressions
_DIVISIONS = frozenset(f"stablehlo.{name}" for name in ("divide", "remainder", "rsqrt", "sqrt"))


@dataclass(frozen=True, slots=True)
class Map:
    """A nest that stores each element of a buffer once, at the indices of its loops.

    Attributes:
        buffer: The buffer.
        variables: A variable for each dimension.
        value: The element.
    """

    buffer: Buffer
    variables: tuple[Variable, ...]
    value: Expression


def map_of(statement: Statement) -> Map | None:
    """Recognize a nest that is a map; None for another statement."""
    try:
        found: Map | None = statement._map
    except AttributeError:
        found = _map_of(statement)
        object.__setattr__(statement, "_map", found)
    return found


def _map_of(statement: Statement) -> Map | None:
    variables: list[Variable] = []
    while isinstance(statement, Loop) and len(statement.body) == 1:
        variables.append(statement.variable)
        (statement,) = statement.body
    if not isinstance(statement, Store) or statement.value.has_names:
        return None
    remaining, found = list(variables), []
    for index, extent in zip(statement.indices, statement.buffer.shape, strict=True):
        variable = Variable("", 1) if extent == 1 else (remaining.pop(0) if remaining else None)
        if variable is None or variable.extent != extent or not is_variable(index, variable):
            return None
        found.append(variable)
    return None if remaining else Map(statement.buffer, tuple(found), statement.value)


def inline(program: Program) -> Program:
    """Replace loads of buffers by the stored expressions, and drop the buffers."""
    inlining = _Inlining(program)
    body = inlining.block(program.body)
    return hoist(Program(tuple([each for each in program.buffers if each not in inlining.inlined]), body))


class _Inlining:
    """Inlines the maps of a program, block by block."""

    def __init__(self, program: Program) -> None:
        self.inlined: dict[Buffer, Map] = {}
        self._values: dict[Expression, Expression] = {}  # in place of the loads of a statement
        self._writers = Counter(store.buffer for store in _all_stores(program.body))

    def block(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        """Inline the maps of a block into the statements behind them."""
        stored = _stored(statements, self._writers)
        found: list[Statement] = []
        for statement in statements:
            own = map_of(statement)
            if own is not None and own.buffer not in stored:
                self.inlined[own.buffer] = own  # as it is: what it loads is replaced where it is used
                continue
            if not self.inlined.keys().isdisjoint(read_by(statement)):
                self._values = {}
                statement = rewritten(statement, Substitution({}, self._replace))
            if isinstance(statement, If | While):
                statement = with_bodies(statement, [self.block(body) for body in bodies_of(statement)])
            found.append(statement)
        return tuple(found)

    def _replace(self, expression: Expression) -> Expression | None:
        if not isinstance(expression, Load) or expression.buffer not in self.inlined:
            return None
        if expression not in self._values:
            found = self.inlined[expression.buffer]
            places = dict(zip(found.variables, expression.indices, strict=True))
            self._values[expression] = Substitution(places, self._replace).expression(found.value)
        return self._values[expression]


def _all_stores(statements: Sequence[Statement]) -> Iterator[Store]:
    for statement in statements:
        yield from stores_of(statement)


def _stored(statements: Sequence[Statement], writers: Mapping[Buffer, int]) -> set[Buffer]:
    """The buffers of a block's maps that stay."""
    maps = {found.buffer: found for each in statements if (found := map_of(each)) is not None}
    costs, deep = _costs(statements)
    readers = _readers(statements)
    stored = {b for b in maps if b.space != "scratch" or writers[b] > 1 or b not in readers} | deep
    stored |= called_in(statements)
    stored |= _changing(statements, maps)
    repeated = {buffer for nest in statements for buffer in _repeated(nest)}
    home: dict[Buffer, object] = {}  # the nest that alone computes a value, at one index for each
    for nest in reversed(statements):
        found = map_of(nest)
        if found is None or found.buffer in stored:
            if found is not None:
                home[found.buffer] = found.buffer
            continue
        buffer = found.buffer
        homes = {_home(buffer, reader, home) for reader in readers.get(buffer, ())}
        home[buffer] = homes.pop() if len(homes) == 1 else None
        if costs[buffer] >= cost.EXPENSIVE and (home[buffer] is None or buffer in repeated):
            stored.add(buffer)
            home[buffer] = buffer
    return stored


def _changing(statements: Sequence[Statement], maps: Mapping[Buffer, Map]) -> set[Buffer]:
    """The buffers of maps with a source that is overwritten before, or in, a reader of the map."""
    found: set[Buffer] = set()
    volatile = _volatile(statements)
    sources: dict[Buffer, frozenset[Buffer]] = {}  # what changes of all that a map is computed from
    changed: set[Buffer] = set()  # maps whose sources have changed
    for statement in statements if volatile else ():
        read, own = read_by(statement), map_of(statement)
        found |= read & changed
        written = {store.buffer for store in stores_of(statement)} & volatile
        if written:  # an iteration of a nest may read what an earlier one has changed
            changing = {buffer for buffer, reads in sources.items() if reads & written}
            found |= read & changing
            changed |= changing
        if own is not None and own.buffer in maps:
            sources[own.buffer] = (read & volatile).union(*(sources.get(each, ()) for each in read))
    return found


def _volatile(statements: Sequence[Statement]) -> set[Buffer]:
    """The buffers that are stored to after a statement that reads them, or in a `While`."""
    found: set[Buffer] = set()
    read: set[Buffer] = set()
    for statement in statements:
        written = {store.buffer for store in stores_of(statement)}
        found |= written if isinstance(statement, While) else written & read
        read |= read_by(statement)
    return found


def _readers(statements: Sequence[Statement]) -> dict[Buffer, list[Statement]]:
    found: dict[Buffer, list[Statement]] = {}
    for nest in statements:
        for buffer in read_by(nest):
            found.setdefault(buffer, []).append(nest)
    return found


def _home(buffer: Buffer, reader: Statement, home: Mapping[Buffer, object]) -> object:
    """The nest that computes a reader of a buffer, if it reads the buffer only at its own index."""
    found = map_of(reader)
    if found is None:
        return id(reader)  # its hash is that of all that it holds
    own = tuple(map(of_variable, found.variables))
    same = all(load.indices == own for load in loads_of(reader) if load.buffer == buffer)
    return home.get(found.buffer) if same and found.buffer.shape == buffer.shape else None


def _repeated(nest: Statement) -> set[Buffer]:
    """The buffers whose elements a nest reads many times; tiles of products pack their factors."""
    if product_of(nest) is not None:
        return set()
    counts = _evaluations([nest])
    return {b for b, count in counts.items() if count >= cost.REPEATED * max(1, prod(b.shape))}


def _evaluations(statements: Sequence[Statement]) -> Counter[Buffer]:
    """Count the reads of elements of each buffer, if all statements run."""
    total: Counter[Buffer] = Counter()
    for statement in statements:
        own = [load for root in roots_of(statement) for load in _operations(root) if isinstance(load, Load)]
        folded = prod([v.extent for v in statement.loops]) if isinstance(statement, Fold) else 1
        total.update(dict.fromkeys([load.buffer for load in own], folded))
        trips = statement.variable.extent if isinstance(statement, Loop) else 1
        for body in bodies_of(statement):
            total.update({buffer: count * trips for buffer, count in _evaluations(body).items()})
    return total


def _costs(statements: Sequence[Statement]) -> tuple[dict[Buffer, int], set[Buffer]]:
    """Estimate the operations per element of each map, and find the maps with too deep expressions."""
    costs: dict[Buffer, int] = {}
    depths: dict[Buffer, int] = {}
    deep: set[Buffer] = set()
    for nest in statements:
        found = map_of(nest)
        if found is None:
            continue
        total = depth = 0
        for each in _operations(found.value):
            if isinstance(each, Load):
                total += costs.get(each.buffer, 1)
                depth = max(depth, depths.get(each.buffer, 0))
            else:
                total += operation_cost(each)
        depth += 1
        if depth >= _DEEPEST:
            deep.add(found.buffer)
            total, depth = 1, 0
        costs[found.buffer], depths[found.buffer] = min(total, 1000), depth
    return costs, deep


def _operations(value: Expression) -> list[Expression]:
    return visit(value, set())


def operation_cost(expression: Expression) -> int:
    """Estimate the instructions of an expression without its operands."""
    if not isinstance(expression, Apply):
        return 0
    if expression.op in _DIVISIONS:
        return cost.DIVISION
    return cost.TRANSCENDENTAL if has_trait(expression.op, "transcendental") else 1
