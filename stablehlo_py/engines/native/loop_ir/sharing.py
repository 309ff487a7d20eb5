"""Sharing: nests that are equal but for their buffers are one kernel, which is scheduled and written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count
from typing import Any

from stablehlo_py.engines.native.loop_ir.expressions import (
    Apply,
    Buffer,
    Choose,
    Constant,
    Expression,
    Load,
    Position,
    Reference,
)
from stablehlo_py.engines.native.loop_ir.index import Atom, Index, Indices, Number, Quotient, Variable
from stablehlo_py.engines.native.loop_ir.statements import (
    ExternalCall,
    Fold,
    Guard,
    If,
    Let,
    Loop,
    Program,
    Statement,
    Store,
    While,
    renamed,
)
from stablehlo_py.ir.records import dataclass

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A nest of a program, as a kernel with other buffers.

    Attributes:
        kernel: The number of the kernel.
        buffers: The buffers in place of the kernel's, by these.
    """

    kernel: int
    buffers: dict[Buffer, Buffer]


class SharedProgram:
    """A program whose equal nests are one kernel.

    Args:
        program: The program.

    Attributes:
        kernels: The kernels, each a program of the first of the nests that are equal.
        calls: The nests in order.
    """

    def __init__(self, program: Program) -> None:
        self.kernels: list[Program] = []
        self._buffers = program.buffers
        self._made: list[tuple[int, dict[Buffer, Buffer]]] = []
        numbers: dict[Key, int] = {}
        for nest in program.nests:
            key, used = key_of(nest)
            number = numbers.setdefault(key, len(self.kernels))
            if number == len(self.kernels):
                self.kernels.append(Program(used, nest))
            self._made.append((number, dict(zip(self.kernels[number].buffers, used, strict=True))))
        self._own = [set(kernel.buffers) for kernel in self.kernels]

    def run(self, stage: Callable[[Program], Program]) -> None:
        """Run a stage on each kernel."""
        self.kernels = [stage(kernel) for kernel in self.kernels]

    @property
    def calls(self) -> list[Call]:
        """The nests in order; each has memory of its own for what stages have added."""
        new = _unused_names(self._buffers)
        found = []
        for number, given in self._made:
            added = [each for each in self.kernels[number].buffers if each not in self._own[number]]
            fresh = {each: Buffer(new(each.name), each.element, each.shape, each.space) for each in added}
            found.append(Call(number, given | fresh))
        return found

    def in_space(self, space: str) -> list[Buffer]:
        """The buffers of the program in a space, in order."""
        return [buffer for buffer in self._buffers if buffer.space == space]

    @property
    def program(self) -> Program:
        """The program without kernels."""
        calls = self.calls
        used = {call.buffers[each]: None for call in calls for each in self.kernels[call.kernel].buffers}
        kept = [each for each in self._buffers if each.space != "frame" or each in used]
        added = [each for each in used if each not in set(self._buffers)]
        bodies = [with_buffers(self.kernels[call.kernel].body, call.buffers) for call in calls]
        return Program((*kept, *added), tuple(chain(*bodies)))


def _unused_names(buffers: Sequence[Buffer]) -> Callable[[str], str]:
    """Names that begin with the one that is asked for."""
    used = {buffer.name for buffer in buffers}
    numbers: dict[str, Iterator[int]] = {}

    def new(name: str) -> str:
        stem = name.rstrip("0123456789")
        number = numbers.setdefault(stem, count(1))
        found = next(each for each in (f"{stem}{n}" for n in number) if each not in used)
        used.add(found)
        return found

    return new


def with_buffers(statements: Sequence[Statement], buffers: dict[Buffer, Buffer]) -> list[Statement]:
    """Statements with other buffers in place of theirs."""
    if all(old == new for old, new in buffers.items()):
        return list(statements)
    return [renamed(each, buffers.__getitem__) for each in statements]


def key_of(nest: Sequence[Statement]) -> tuple[Key, tuple[Buffer, ...]]:
    """What a nest computes, whatever its buffers, loop variables and names are; and its buffers in order.

    Nests with equal keys are one, when the buffers of one take the place of those of the other.
    """
    writer = _KeyWriter()
    writer.block(nest)
    return tuple(writer.words), tuple(writer.buffers)


class _KeyWriter:
    """Writes keys: buffers, variables, names and values are numbers in order of their first use.

    A word says what the words behind it are, so that different nests have different words.
    """

    def __init__(self) -> None:
        self.words: list[Any] = []
        self.buffers: dict[Buffer, int] = {}
        self._variables: dict[Variable, int] = {}
        self._names: dict[str, int] = {}
        self._values: dict[Expression, int] = {}

    def block(self, statements: Sequence[Statement]) -> None:
        self.words.append(len(statements))
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Store(buffer, indices, value):
                written = self._value(value), self._indices(indices)
                self.words += ("store", self._buffer(buffer), *written)
            case Let(name, value):
                self.words += ("let", self._value(value), self._name(name))
            case Fold(names, starts, loops, combined):
                first = tuple(map(self._value, starts))
                inside = tuple([self._variable(each) for each in loops]), tuple(map(self._name, names))
                self.words += ("fold", first, *inside, tuple(map(self._value, combined)))
            case Loop(variable, body, kind, start, stop):
                end = None if stop is None else self._index(stop)
                self.words += ("loop", kind, self._index(start), end, self._variable(variable))
                self.block(body)
            case Guard(conditions, body, otherwise):
                self.words += ("guard", self._conditions(conditions))
                self.block(body)
                self.block(otherwise)
            case If(condition, body, otherwise):
                self.words += ("if", self._value(condition))
                self.block(body)
                self.block(otherwise)
            case While(head, condition, body, trips, steps):
                self.words += ("while", trips, steps)
                self.block(head)
                self.words.append(self._value(condition))
                self.block(body)
            case ExternalCall(number, reads, writes):
                self.words += ("call", number, *(tuple(map(self._buffer, each)) for each in (reads, writes)))

    # Values, each written before what uses it

    def _value(self, value: Expression) -> int:
        found = self._values.get(value)
        if found is None:
            words = self._described(value)
            found = self._values[value] = len(self._values)
            self.words += words
        return found

    def _described(self, value: Expression) -> tuple[Any, ...]:
        match value:
            case Apply():
                operands = tuple(map(self._value, value.arguments))
                return "apply", value.op, value.type, value.attributes, operands
            case Load():
                indices = self._indices(value.indices)
                return "load", self._buffer(value.buffer), indices
            case Constant():
                return "constant", value
            case Reference():
                return "name", value.type, self._name(value.name)
            case Position():
                return "index", self._index(value.index)
            case Choose():
                both = self._value(value.inside), self._value(value.outside)
                return ("choose", self._conditions(value.conditions), *both)
        raise TypeError(value)

    def _conditions(self, conditions: Sequence[tuple[Index, int]]) -> tuple[Any, ...]:
        return tuple([(self._index(index), bound) for index, bound in conditions])

    def _indices(self, indices: Indices) -> tuple[Any, ...]:
        return tuple(map(self._index, indices))

    def _index(self, index: Index) -> Any:
        """The words of an index; terms are in the order of these, which names of variables do not change."""
        terms = [(self._atom(atom), coefficient) for atom, coefficient in index.terms]
        return (index.constant, *(sorted(terms) if len(terms) > 1 else terms))

    def _atom(self, atom: Atom) -> tuple[Any, ...]:
        match atom:
            case Variable():
                return (0, self._variable(atom))
            case Number(value, extent, clamps):
                return 1, self._value(value), extent, clamps
        return 2 if isinstance(atom, Quotient) else 3, atom.by, self._index(atom.index)

    def _buffer(self, buffer: Buffer) -> int:
        found = self.buffers.get(buffer)
        if found is None:
            found = self.buffers[buffer] = len(self.buffers)
            self.words += (buffer.space, buffer.element, buffer.shape)
        return found

    def _variable(self, variable: Variable) -> int:
        found = self._variables.get(variable)
        if found is None:
            found = self._variables[variable] = len(self._variables)
            self.words += ("variable", variable.extent)
        return found

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))
