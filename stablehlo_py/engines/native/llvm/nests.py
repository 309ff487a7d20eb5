"""Loop nests as functions of LLVM IR: of a range of the outermost loop, and of the memory that they use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from math import prod
from operator import add, and_
from typing import Any

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Complex, Value
from stablehlo_py.engines.native.llvm.scalars import apply_op, clamped, element_type
from stablehlo_py.engines.native.llvm.vectors import load_strided, store_vector, widened
from stablehlo_py.engines.native.loop_ir.expressions import (
    Apply,
    Buffer,
    Choose,
    Constant,
    Expression,
    Load,
    Position,
    Reference,
    numbers_of,
)
from stablehlo_py.engines.native.loop_ir.index import (
    Atom,
    Index,
    Indices,
    Number,
    Quotient,
    Remainder,
    Variable,
    linear,
)
from stablehlo_py.engines.native.loop_ir.statements import (
    ExternalCall,
    Fold,
    Guard,
    If,
    Let,
    Loop,
    Statement,
    Store,
    While,
    stores_of,
)
from stablehlo_py.engines.native.loop_ir.text import single_op

_ANY_ORDER = {"stablehlo.add": "fadd", "stablehlo.multiply": "fmul"}
_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "floating": float,
    "integer": int,
    "boolean": bool,
    "complex": complex,
}


class Writer:
    """Writes statements; a value is computed once in a block and in those inside of it.

    Args:
        b: The function that is written.

    Attributes:
        pointers: The addresses of buffers.
    """

    def __init__(self, b: Builder) -> None:
        self.b = b
        self.pointers: dict[Buffer, Value] = {}
        self._places: dict[Variable, Value] = {}
        self._numbers: dict[Atom, int] = {}  # in place of the variables of loops that are unrolled
        self._straight = 0  # the innermost block that no branch leaves between its start and what is written
        self._vector: Variable | None = None  # the loop whose iterations are the elements of vectors
        self._names: list[dict[str, Value]] = [{}]
        self._known: list[dict[Expression | Index, Value]] = [{}]
        self._reads: dict[Expression | Index, frozenset[Buffer | str]] = {}

    def declare(self, buffers: Iterable[Buffer], local: Collection[Buffer] = ()) -> list[Buffer]:
        """Assign addresses to buffers, in the frame or by parameters, and return the parameters.

        Args:
            buffers: The buffers.
            local: Other buffers that are in the frame.
        """
        b, given = self.b, list[Buffer]()
        for buffer in buffers:
            if buffer.space == "frame" or buffer in local:
                self.pointers[buffer] = b.alloca(element_type(buffer.element).storage, prod(buffer.shape))
            else:
                self.pointers[buffer] = b.value(f"%p{len(given)}", "ptr")
                given.append(buffer)
        return given

    def capture(self, each: Reference | Variable, pointer: Value) -> None:
        """Load a captured value or variable."""
        zero = self._number(0)
        if isinstance(each, Variable):
            self._places[each] = self.b.load("i64", pointer, zero)
        else:
            self._names[-1][each.name] = element_type(each.type).load(self.b, pointer, zero)

    def captured(self, each: Reference | Variable) -> Value:
        """The address of a value or variable, for a function that captures it."""
        zero = self._number(0)
        if isinstance(each, Variable):
            pointer = self.b.alloca("i64")
            self.b.store(self._places[each], pointer, zero)
        else:
            element = element_type(each.type)
            pointer = self.b.alloca(element.storage)
            element.store(self.b, self.value(each), pointer, zero)
        return pointer

    @contextmanager
    def block(self, is_straight: bool = False) -> Iterator[None]:
        """A block of names; it does not dominate what is behind it, unless it is straight-line code."""
        before = self._straight
        self._known.append({})
        self._names.append({})
        if not is_straight:
            self._straight = len(self._known) - 1
        yield
        self._known.pop()
        self._names.pop()
        self._straight = before

    def _number(self, value: int) -> Value:
        return self.b.constant(value, "i64")

    # Statements

    def statements(self, statements: Sequence[Statement]) -> None:
        """Write statements in order."""
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Store():
                self._store(statement)
            case Let(name, value):
                self._define(name, self.value(value))
            case Fold():
                self._fold(statement)
            case Loop(variable, start=start, stop=stop):
                last = self._number(variable.extent) if stop is None else self.index(stop)
                self.loop(statement, self.index(start), last)
            case Guard(conditions, body, otherwise):
                holds = self._hold(conditions)
                self.branch(holds, lambda: self.statements(body), lambda: self.statements(otherwise))
            case If(condition, body, otherwise):
                holds = self.value(condition)
                self.branch(holds, lambda: self.statements(body), lambda: self.statements(otherwise))
            case While():
                self._while(statement)
            case ExternalCall():
                raise TypeError(f"call {statement.number} is not in control flow")

    def _store(self, store: Store) -> None:
        buffer, value = store.buffer, self.value(store.value)
        element = element_type(buffer.element)
        if self._vector is None:
            element.store(self.b, value, *self.place(buffer, store.indices))
        else:
            store_vector(widened(value, self._vector.extent), element, *self.place(buffer, store.indices))
        self._forget([buffer])

    def _define(self, name: str, value: Value) -> None:
        """Name a value; an outer name of the same spelling is another one."""
        if any(name in names for names in self._names):
            self._forget([name])
        self._names[-1][name] = value

    def _forget(self, given: Iterable[Buffer | str]) -> None:
        """Drop computed values that depend on the given buffers or names."""
        changed = frozenset(given)
        for known in self._known:
            for key in [key for key in known if not changed.isdisjoint(self._read_by(key))]:
                del known[key]

    def _read_by(self, key: Expression | Index) -> frozenset[Buffer | str]:
        """The buffers and names that a value is computed from."""
        if key not in self._reads:
            operands = numbers_of(key) if isinstance(key, Index) else key.operands
            found = frozenset[Buffer | str]().union(*map(self._read_by, operands))
            own = [key.buffer] if isinstance(key, Load) else [key.name] if isinstance(key, Reference) else []
            self._reads[key] = found.union(own)
        return self._reads[key]

    def loop(self, loop: Loop, start: Value, stop: Value) -> None:
        """Write a loop over a range."""
        if loop.kind == "vectorized":
            with self.block(is_straight=True):
                self._vector = loop.variable
                self.statements(loop.body)
                self._vector = None
        elif loop.kind == "unrolled":
            for number in range(loop.variable.extent):
                with self.block(is_straight=True):
                    self._places[loop.variable] = self._number(number)
                    self._numbers[loop.variable] = number
                    self.statements(loop.body)
            del self._numbers[loop.variable]
        else:
            self._forget([store.buffer for store in stores_of(loop)])
            with self.b.loop(start, stop, trips=loop.variable.extent) as place, self.block():
                self._places[loop.variable] = place
                self.statements(loop.body)

    def _while(self, loop: While) -> None:
        b = self.b
        head, body, done = b.fresh("while"), b.fresh("iterate"), b.fresh("ended")
        self._forget([store.buffer for store in stores_of(loop)])
        b.start_block(head)
        before = b.instructions
        with self.block():
            self.statements(loop.head)
            b.do(f"br i1 {self.value(loop.condition).text}, label %{body}, label %{done}")
            b.enter(body)
            self.statements(loop.body)
        self._again(loop, b.instructions - before, head, done)
        b.enter(done)

    def _again(self, loop: While, instructions: int, head: str, done: str) -> None:
        """Branch back to the head of a loop, and count the instructions of its iterations."""
        self.b.do(f"br label %{head}")
        self.b.count(instructions * max(0, loop.trips - 1))

    def branch(
        self, holds: Value, then: Callable[[], None], otherwise: Callable[[], None] = lambda: None
    ) -> None:
        """Write the code for a condition that holds, and the code for its negation."""
        b = self.b
        inside, outside, done = b.fresh("then"), b.fresh("else"), b.fresh("end")
        b.do(f"br i1 {holds.text}, label %{inside}, label %{outside}")
        b.enter(inside)
        with self.block():
            then()
        b.do(f"br label %{done}")
        b.enter(outside)
        with self.block():
            otherwise()
        b.start_block(done)

    def _hold(self, conditions: Sequence[tuple[Index, int]]) -> Value:
        """Whether each index is at least its bound."""
        return reduce(and_, [self.index(index).compare("sge", bound) for index, bound in conditions])

    # Folds

    def _fold(self, fold: Fold) -> None:
        b, zero = self.b, self._number(0)
        starts = [self.value(start) for start in fold.starts]
        totals = [b.alloca(start.type) for start in starts]
        for start, total in zip(starts, totals, strict=True):
            b.store(start, total, zero)
        self._fold_loops(fold, fold.loops, totals, [start.type for start in starts])
        for name, start, total, value in zip(fold.names, starts, totals, fold.combined, strict=True):
            element = element_type(value.type)
            self._define(name, element.rounded(b.load(start.type, total, zero)))

    def _fold_loops(
        self, fold: Fold, loops: Sequence[Variable], totals: Sequence[Value], types: Sequence[str]
    ) -> None:
        b, zero = self.b, self._number(0)
        if loops:
            variable, *rest = loops
            several = not rest and variable.extent >= cost.INTERLEAVED
            with b.loop(zero, self._number(variable.extent), several) as place, self.block():
                self._places[variable] = place
                self._fold_loops(fold, rest, totals, types)
            return
        current = [b.load(type, total, zero) for type, total in zip(types, totals, strict=True)]
        for value, total in zip(self._combined(fold, current), totals, strict=True):
            b.store(value, total, zero)

    def _combined(self, fold: Fold, current: Sequence[Value]) -> list[Value]:
        """The values after one more element; a lone sum or product of floats is taken in any order."""
        single = single_op(fold)
        if single is not None and single[0] in _ANY_ORDER and current[0].is_float:
            element = self.value(single[1])
            text = f"{_ANY_ORDER[single[0]]} reassoc {current[0]}, {element.text}"
            return [self.b.emit(element.type, text)]
        if single is not None and single[0] == "stablehlo.add" and isinstance(current[0], Complex):
            return [current[0].add_in_any_order(self.value(single[1]))]
        for name, value in zip(fold.names, current, strict=True):
            self._define(name, value)
        return [self.value(value) for value in fold.combined]

    # Values

    def value(self, expression: Expression) -> Value:
        """Write an expression."""
        if isinstance(expression, Reference):
            return next(names[expression.name] for names in reversed(self._names) if expression.name in names)
        for known in reversed(self._known):
            if expression in known:
                return known[expression]
        found = self._known[-1][expression] = self._computed(expression)
        return found

    def _computed(self, expression: Expression) -> Value:
        match expression:
            case Constant():
                element = element_type(expression.type)
                return self.b.constant(_NUMBERS[element.kind](expression.value), element.compute)
            case Position():
                return self.index(expression.index)
            case Load():
                return self._load(expression)
            case Apply():
                operands = [self.value(each) for each in expression.arguments]
                if self._vector is not None:
                    operands = [widened(each, self._vector.extent) for each in operands]
                    self.b.count(self._vector.extent - 1)  # an element takes as long as in other loops
                return apply_op(expression, operands)
            case Choose():
                return self._choice(expression)
        raise TypeError(expression)

    def _load(self, load: Load) -> Value:
        buffer, element = load.buffer, element_type(load.buffer.element)
        vector, place = self._vector, self.place(buffer, load.indices)
        step = linear(load.indices, buffer.shape).coefficient(vector) if vector is not None else 0
        if vector is None or not step:
            return element.load(self.b, *place)
        return load_strided(self.b, element, vector.extent, *place, step)

    def _choice(self, choice: Choose) -> Value:
        b, zero, kind = self.b, self._number(0), element_type(choice.type).compute
        result = b.alloca(kind)
        self.branch(
            self._hold(choice.conditions),
            lambda: b.store(self.value(choice.inside), result, zero),
            lambda: b.store(self.value(choice.outside), result, zero),
        )
        return b.load(kind, result, zero)

    # Indices

    def place(self, buffer: Buffer, indices: Indices) -> tuple[Value, Value]:
        """The address of a buffer, and the offset of an element: of a vector, of its first one."""
        offset, vector = linear(indices, buffer.shape), self._vector
        return self.pointers[buffer], self.index(offset if vector is None else offset.without(vector))

    def index(self, index: Index) -> Value:
        """Write an index as an i64."""
        fixed = [(atom, factor) for atom, factor in index.terms if atom in self._numbers]
        constant = index.constant + sum([self._numbers[atom] * factor for atom, factor in fixed])
        moving = tuple([term for term in index.terms if term not in fixed])
        if not moving:
            return self._number(constant)
        base = self._sum(Index(moving))
        return base + constant if constant else base

    def _sum(self, index: Index) -> Value:
        """Write a sum of terms; sums that differ by a constant share the instructions."""
        for known in reversed(self._known):
            if index in known:
                return known[index]
        terms = [(self._atom(atom), factor) for atom, factor in index.terms]
        result = reduce(add, [term if factor == 1 else term * factor for term, factor in terms])
        is_fixed = all(isinstance(atom, Variable) for atom, _ in index.terms)
        self._known[self._straight if is_fixed else -1][index] = result
        return result

    def _atom(self, atom: Atom) -> Value:
        match atom:
            case Variable():
                return self._places[atom]
            case Quotient(inner, by):
                return self.b.emit("i64", f"udiv i64 {self.index(inner).text}, {by}")
            case Remainder(inner, by):
                return self.b.emit("i64", f"urem i64 {self.index(inner).text}, {by}")
            case Number():
                return self._number_of(atom)

    def _number_of(self, number: Number) -> Value:
        """A computed number in its range."""
        signed = element_type(number.value.type).signed
        wide = self.value(number.value).convert("sext" if signed else "zext", "i64")
        return clamped(wide, signed, number.extent - 1) if number.clamps else wide
