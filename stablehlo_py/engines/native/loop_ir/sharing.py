"""Sharing: nests that differ in buffers only are calls of one kernel, which is scheduled and written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count

from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.loop_ir.index import Variable
from stablehlo_py.engines.native.loop_ir.statements import (
    Program,
    Statement,
    loops_of,
    names_of,
    renamed,
    walk,
)
from stablehlo_py.engines.native.loop_ir.uses import buffers_of
from stablehlo_py.ir.records import dataclass


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
    """A program whose equal nests share a kernel.

    Args:
        program: The program.

    Attributes:
        kernels: The kernels, each a program with the first of several equal nests.
        calls: The nests in order.
    """

    def __init__(self, program: Program) -> None:
        self.kernels: list[Program] = []
        self._buffers = program.buffers
        self._made: list[tuple[int, dict[Buffer, Buffer]]] = []
        numbers: dict[tuple[Statement, ...], int] = {}
        for nest in program.nests:
            used = tuple(buffers_of(nest))
            number = numbers.setdefault(canonical(nest, used), len(self.kernels))
            if number == len(self.kernels):
                self.kernels.append(Program(used, nest))
            self._made.append((number, dict(zip(self.kernels[number].buffers, used, strict=True))))
        self._own = [set(kernel.buffers) for kernel in self.kernels]

    def run(self, stage: Callable[[Program], Program]) -> None:
        """Run a stage on each kernel."""
        self.kernels = [stage(kernel) for kernel in self.kernels]

    @property
    def calls(self) -> list[Call]:
        """The nests in order; buffers that stages have added are separate for each nest."""
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
    """Return a function that extends a name to an unused name."""
    used = {buffer.name for buffer in buffers}
    numbers: dict[str, Iterator[int]] = {}

    def new(name: str) -> str:
        stem = name.rstrip("0123456789")
        number = numbers.setdefault(stem, count(1))
        return next(each for each in (f"{stem}{n}" for n in number) if each not in used)

    return new


def with_buffers(statements: Sequence[Statement], buffers: dict[Buffer, Buffer]) -> list[Statement]:
    """Statements with other buffers in place of theirs."""
    if all(old == new for old, new in buffers.items()):
        return list(statements)
    return [renamed(each, buffers.__getitem__) for each in statements]


def canonical(nest: Sequence[Statement], buffers: Sequence[Buffer]) -> tuple[Statement, ...]:
    """A nest whose buffers, loop variables and names are numbers in order: equal nests have equal numbers."""
    numbers = {each: Buffer(str(n), each.element, each.shape, each.space) for n, each in enumerate(buffers)}
    loops = dict.fromkeys(chain(*map(loops_of, walk(nest))))
    variables = {each: Variable(f"i{n}", each.extent) for n, each in enumerate(loops)}
    names = {each: f"v{n}" for n, each in enumerate(dict.fromkeys(chain(*map(names_of, walk(nest)))))}
    return tuple([renamed(each, numbers.__getitem__, variables, names) for each in nest])
