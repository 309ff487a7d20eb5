"""Kernels: inner loops as functions that loop nests share.

The tiles of different products differ in addresses, loop extents and row strides only; the copies that pack
panels do, too. A kernel takes these as parameters. LLVM optimizes a kernel once, and nests whose work is in
kernels need no optimization.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2s
from itertools import product
from typing import NamedTuple

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.llvm.nests import Writer
from stablehlo_py.engines.native.llvm.scalars import element_type
from stablehlo_py.engines.native.loop_ir.expressions import (
    Apply,
    Buffer,
    Constant,
    Expression,
    Load,
    Reference,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import Atom, Index, Indices, Variable, linear
from stablehlo_py.engines.native.loop_ir.statements import (
    Let,
    Loop,
    LoopKind,
    Statement,
    Store,
    expressions_of,
    loads_of,
    stores_of,
    walk,
)
from stablehlo_py.engines.native.schedule.nests import variables_behind
from stablehlo_py.ir.records import dataclass

_HEAD = "nounwind noinline"


def uses_of(statements: Sequence[Statement]) -> Counter[Buffer]:
    """Count the accesses to each buffer."""
    stores = [store.buffer for each in statements for store in stores_of(each)]
    return Counter([*stores, *(load.buffer for each in statements for load in loads_of(each))])


def _is_tile(statement: Statement) -> bool:
    """Test whether a statement is stores of a tile, written row by row."""
    if not isinstance(statement, Loop) or statement.kind != "unrolled" or len(statement.body) != 1:
        return False
    (row,) = statement.body
    if not isinstance(row, Loop) or row.kind not in ("vectorized", "unrolled"):
        return False
    return all(isinstance(each, Store) for each in row.body)


def _is_terms(statement: Statement) -> bool:
    """Test whether a statement is loops over terms around a tile."""
    if not isinstance(statement, Loop) or statement.kind != "for" or not statement.is_whole:
        return False
    return len(statement.body) == 1 and (_is_tile(statement.body[0]) or _is_terms(statement.body[0]))


def is_leaf(statement: Statement) -> bool:
    """Test whether a statement is loops with nothing between them around stores, of enough iterations."""
    extent = 1
    while isinstance(statement, Loop) and statement.kind in ("for", "parallel") and statement.is_whole:
        extent *= statement.variable.extent
        if all(isinstance(each, Store | Let) for each in statement.body):
            return extent >= cost.CALLED
        if len(statement.body) > 1:
            return False
        (statement,) = statement.body
    return False


def run_of(statements: Sequence[Statement]) -> slice | None:
    """The first statements of a block that are a kernel: a leaf, or tiles and loops over terms."""
    for start, each in enumerate(statements):
        if is_leaf(each):
            return slice(start, start + 1)
        stop = start
        while stop < len(statements) and (_is_tile(statements[stop]) or _is_terms(statements[stop])):
            stop += 1
        if any(map(_is_terms, statements[start:stop])):
            return slice(start, stop)
    return None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an access is.

    Attributes:
        buffer: The buffer.
        outer: The offset of the first element, which loops outside of the kernel move.
        steps: The loops of the kernel that move it, with the number of elements of a step.
        is_vector: Whether it is a row of neighbouring elements.
    """

    buffer: Buffer
    outer: Index
    steps: tuple[tuple[Variable, int], ...]
    is_vector: bool


class _Run:
    """The statements of a kernel.

    Attributes:
        loops: The loops that are loops of the kernel.
        unrolled: The loops that are written one by one.
        inner: The innermost loop, if its iterations may become the elements of vectors.
        local: The buffers that the kernel alone uses.
        place_of: The places of accesses.
        places: The different places in other buffers, in the order of accesses.
    """

    def __init__(self, statements: Sequence[Statement], uses: Mapping[Buffer, int]) -> None:
        self._statements = statements
        self._kinds = {each.variable: each.kind for each in walk(statements) if isinstance(each, Loop)}
        self.loops = [*self._of_kinds("for", "parallel")]
        self.unrolled = {*self._of_kinds("unrolled")}
        self.inner = None if self.unrolled else self.loops[-1]
        own = uses_of(statements)
        alone = [b for b, count in own.items() if b.space == "frame" and uses[b] == count]
        self.local = dict.fromkeys(alone)  # in the order of accesses, whatever their hashes
        self.place_of: dict[tuple[Buffer, Indices], _Place] = {}
        for access in _accesses(statements):
            if access not in self.place_of:
                self.place_of[access] = self._place(*access)
        found = dict.fromkeys(self.place_of.values())
        self.places = [place for place in found if place.buffer not in self.local]

    def _of_kinds(self, *kinds: LoopKind) -> list[Variable]:
        return [variable for variable, kind in self._kinds.items() if kind in kinds]

    def _place(self, buffer: Buffer, indices: Indices) -> _Place:
        offset = linear(indices, buffer.shape)
        factors = {atom: factor for atom, factor in offset.terms if atom in self._kinds}
        outer: list[tuple[Atom, int]] = [term for term in offset.terms if term[0] not in factors]
        vectors = self._of_kinds("vectorized")
        steps = [(v, factors[v]) for v in self._kinds if v in factors and v not in vectors]
        return _Place(buffer, Index(tuple(outer), offset.constant), tuple(steps), len(steps) < len(factors))

    @property
    def is_simple(self) -> bool:
        """Test whether a function of addresses and steps can be written, without overlapping buffers."""
        stored = {store.buffer for each in self._statements for store in stores_of(each)}
        counts = Counter([place.buffer for place in self.places])
        names = {each.name for each in walk(self._statements) if isinstance(each, Let)}
        return (
            all(_is_value(each, names) for each in _values(self._statements))
            and all(self._kinds.keys().isdisjoint(variables_behind(place.outer)) for place in self.places)
            and all(map(_is_stored_as_computed, {buffer for buffer, _ in self.place_of}))
            and all(counts[buffer] <= 1 for buffer in stored)
            and all(map(self._is_fixed, self.place_of.values()))
        )

    def _is_fixed(self, place: _Place) -> bool:
        """Test whether an access is to a local buffer at a constant offset."""
        fixed = place.outer.is_constant and all(variable in self.unrolled for variable, _ in place.steps)
        return fixed or place.buffer not in self.local

    def has_fixed_step(self, place: _Place, variable: Variable) -> bool:
        """Test whether a stride is constant in the kernel: it is 1, or belongs to a tile."""
        is_tile = place.is_vector and place.buffer.space == "frame" and variable in self.unrolled
        return is_tile or variable == self.inner


def _accesses(statements: Sequence[Statement]) -> Iterator[tuple[Buffer, Indices]]:
    for statement in walk(statements):
        if not isinstance(statement, Loop):
            yield from [(each.buffer, each.indices) for each in loads_of(statement)]
        if isinstance(statement, Store):
            yield statement.buffer, statement.indices


def _values(statements: Sequence[Statement]) -> Iterator[Expression]:
    seen: set[Expression] = set()
    for statement in walk(statements):
        for root in expressions_of(statement):
            yield from visit(root, seen)


def _is_value(value: Expression, names: set[str]) -> bool:
    own = isinstance(value, Reference) and value.name in names
    return own or isinstance(value, Load | Constant | Apply)


def _is_stored_as_computed(buffer: Buffer) -> bool:
    element = element_type(buffer.element)
    return element.is_wide and element.storage == element.compute


class Kernel(NamedTuple):
    """A kernel, as a nest calls it.

    Attributes:
        name: Its name; kernels with the same text share a name.
        parameters: The types and names of what it takes.
        text: Its definition.
        places: The places whose addresses it takes.
        numbers: The extents and steps that it takes; an extent is given as the variable of the loop.
        stored: The buffers that it stores to.
        instructions: The estimated number of instructions that it executes.
        assumes: Whether it takes the address where failed assumptions are recorded.
        declarations: The declarations of the module that it needs.
    """

    name: str
    parameters: str
    text: str
    places: Sequence[_Place]
    numbers: Sequence[int | Variable]
    stored: Sequence[Buffer]
    instructions: int
    assumes: bool
    declarations: dict[str, str]

    @property
    def declaration(self) -> str:
        """Its declaration."""
        types = [each.split(" ")[0] for each in self.parameters.split(", ")]
        return f"declare hidden void {self.name}({', '.join(types)}) nounwind"


def kernel_of(
    statements: Sequence[Statement], uses: Mapping[Buffer, int], may_assume: bool, given: Loop | None = None
) -> Kernel | None:
    """The function of the statements of a kernel.

    Args:
        statements: The statements.
        uses: How often the nest around them accesses each buffer.
        may_assume: Whether it may assume likely conditions, and record a failure of one of them.
        given: The loop whose extent is the length of a part.

    Returns:
        The function; None where the statements have none.
    """
    run = _Run(statements, uses)
    if not run.is_simple:
        return None
    b = Builder({})
    if may_assume:
        b.broken = b.value("%broken", "ptr")
    writer = _KernelWriter(b, run, given)
    with writer.block():
        writer.statements(statements)
    b.do("ret void")
    b.broken = None
    pointers = [f"ptr noalias %p{number}" for number in range(len(run.places))]
    numbers = [f"i64 {name}" for name in writer.numbers]
    parameters = ", ".join([*pointers, *numbers, *(["ptr noalias %broken"] if b.assumed else [])])
    name = f"@kernel_{blake2s(b.function(parameters).encode(), digest_size=8).hexdigest()}"
    text = b.function(f"hidden void {name}({parameters}) {_HEAD}")
    stored = [store.buffer for each in statements for store in stores_of(each)]
    taken = list(writer.numbers.values())
    return Kernel(
        name, parameters, text, run.places, taken, stored, b.instructions, b.assumed, b.declarations
    )


class _KernelWriter(Writer):
    """Writes a kernel.

    Attributes:
        numbers: The parameters that are extents and steps, and their values where it is called.
    """

    def __init__(self, b: Builder, run: _Run, given: Loop | None) -> None:
        super().__init__(b)
        self._run = run
        self.numbers: dict[str, int | Variable] = {}
        self._offsets: dict[_Place, Value] = {}  # in the iteration that is written
        self._rows: dict[tuple[_Place, tuple[int, ...]], Value] = {}
        self._steps: dict[tuple[_Place, Variable], Value] = {}
        self._extents: dict[Variable, Value] = {}
        self.declare(run.local)
        for each in run.loops:
            is_fixed = each == run.inner and each.extent <= cost.FIXED
            is_given = given is not None and each == given.variable
            whole = self._number(each.extent)
            self._extents[each] = whole if is_fixed and not is_given else self._parameter("n", each)
        for number, place in enumerate(run.places):
            self._start(place, b.value(f"%p{number}", "ptr"))

    def _parameter(self, stem: str, value: int | Variable) -> Value:
        name = f"%{stem}{len(self.numbers)}"
        self.numbers[name] = value
        return self.b.value(name, "i64")

    def _start(self, place: _Place, pointer: Value) -> None:
        """Compute the addresses of the rows of a place."""
        fixed = {variable for variable, _ in place.steps if self._run.has_fixed_step(place, variable)}
        for variable, step in place.steps:
            known = self._number(step) if variable in fixed else self._parameter("s", step)
            self._steps[place, variable] = known
        rows = [(variable, step) for variable, step in place.steps if variable in self._run.unrolled]
        storage = element_type(place.buffer.element).storage
        for numbers in product(*[range(variable.extent) for variable, _ in rows]):
            row = pointer
            for number, (variable, step) in zip(numbers, rows, strict=True):
                moved = self._number(number * step) if variable in fixed else None
                if number:
                    row = self.b.address(storage, row, moved or self._steps[place, variable] * number)
            self._rows[place, numbers] = row

    def place(self, buffer: Buffer, indices: Indices) -> tuple[Value, Value]:
        """The address of the row of an access, and the offset of its first element."""
        place = self._run.place_of[buffer, indices]
        rows = [(self._numbers[v], step) for v, step in place.steps if v in self._run.unrolled]
        if buffer in self._run.local:
            offset = place.outer.constant + sum([number * step for number, step in rows])
            return self.pointers[buffer], self._number(offset)
        row = self._rows[place, tuple([number for number, _ in rows])]
        return row, self._offsets.get(place, self._number(0))

    def loop(self, loop: Loop, start: Value, stop: Value) -> None:
        """Write a loop; where it runs, move the places."""
        variable, before = loop.variable, self._offsets
        if variable not in self._extents:
            super().loop(loop, start, stop)
            return
        self._forget([store.buffer for store in stores_of(loop)])
        extent = self._extents[variable]
        with self.b.whole_loop(self._number(0), extent, variable.extent) as number, self.block():
            self._offsets = dict(before)
            for place in self._run.places:
                step = self._steps.get((place, variable))
                if step is not None:
                    moved = number if step.text == "1" else number * step
                    self._offsets[place] = before[place] + moved if place in before else moved
            self.statements(loop.body)
        self._offsets = before


class NestWriter(Writer):
    """Writes a nest, whose inner loops are functions of their own.

    Attributes:
        kernels: These functions, with the instructions of all their calls.
        called: The estimated number of instructions that they execute.
    """

    def __init__(self, b: Builder, nest: Sequence[Statement]) -> None:
        super().__init__(b)
        self.kernels: dict[str, Kernel] = {}
        self.called = 0
        self._uses = uses_of(nest)
        self._trips = 1

    def statements(self, statements: Sequence[Statement]) -> None:
        """Write statements in order."""
        run = run_of(statements)
        if run is None:
            super().statements(statements)
            return
        super().statements(statements[: run.start])
        inside = statements[run]
        kernel = kernel_of(inside, self._uses, self.b.broken is not None)
        if kernel is None:
            super().statements(inside)
        else:
            self._call(kernel, {})
        self.statements(statements[run.stop :])

    def loop(self, loop: Loop, start: Value, stop: Value) -> None:
        """Write a loop over a range."""
        before = self._trips
        self._trips *= loop.variable.extent
        super().loop(loop, start, stop)
        self._trips = before

    def outermost(self, loop: Loop, low: Value, high: Value) -> None:
        """Write a part of the iterations of the outermost loop."""
        kernel = kernel_of([loop], self._uses, self.b.broken is not None, loop) if is_leaf(loop) else None
        if kernel is None:
            self.loop(loop, low, high)
            return
        self._places[loop.variable] = low
        given = kernel
        self.branch(low < high, lambda: self._call(given, {loop.variable: high - low}))

    def _call(self, kernel: Kernel, parts: Mapping[Variable, Value]) -> None:
        b, executed = self.b, kernel.instructions * self._trips
        self.called += executed
        before = self.kernels[kernel.name].instructions if kernel.name in self.kernels else 0
        self.kernels[kernel.name] = kernel._replace(instructions=before + executed)
        b.declarations[kernel.name] = kernel.declaration
        given = [self._address(place, parts) for place in kernel.places]
        whole = {each: each.extent for each in kernel.numbers if isinstance(each, Variable)}
        taken = {**{each: self._number(extent) for each, extent in whole.items()}, **parts}
        given += [taken[n] if isinstance(n, Variable) else self._number(n) for n in kernel.numbers]
        if kernel.assumes:
            assert b.broken is not None
            b.assumed = True
            given.append(b.broken)
        b.do(f"call void {kernel.name}({', '.join(map(str, given))})")
        self._forget(kernel.stored)

    def _address(self, place: _Place, parts: Mapping[Variable, Value]) -> Value:
        """The address of the first element of a place, in a part of a loop."""
        storage = element_type(place.buffer.element).storage
        moved = [(variable, step) for variable, step in place.steps if variable in parts]
        first = place.outer + Index(tuple(moved))
        return self.b.address(storage, self.pointers[place.buffer], self.index(first))
