"""Memory: the arrays of a region, and the module that its functions are written to."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import field, replace
from math import prod

from stablehlo_py.engines.native.arithmetic.elements import Element, element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import UNOPTIMIZED, Builder
from stablehlo_py.engines.native.index_space import row_major
from stablehlo_py.engines.native.runtime import ALIGNMENT, load_data
from stablehlo_py.engines.native.scope import Buffer
from stablehlo_py.engines.native.tasks import ARRAYS, SCRATCH, SYNC, Place, Task
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.records import dataclass

_MEMORY = re.compile(r"%m\d+|%sync\b")


@dataclass
class ModuleWriter:
    """What the functions of one module share.

    Attributes:
        least: in instructions; loop nests that execute fewer are not optimized.
        counted: whether loops count their steps.
        whole_windows: whether windows of scatters are written as a whole or not at all.
        declarations: what is declared or defined beside functions, by name.
        functions: the functions.
        tables: the tasks of `@tasks0`, `@tasks1`, ...
    """

    least: float = 0
    counted: bool = False
    whole_windows: bool = False
    declarations: dict[str, str] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    tables: list[list[Task]] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)

    def function(self, lines: Sequence[str], local: Set[str], optimize: bool) -> tuple[str, list[str]]:
        """Add a function of a range `%lo`, `%hi` and of the memory that it uses; equal ones are one.

        Args:
            lines: The body.
            local: The names of memory in its own frame.
            optimize: Whether it pays.

        Returns:
            The name of the function, and those of the memory that it takes.
        """
        given, lines = memory_of(lines, local)
        body = "\n".join(lines)
        names = [f"ptr noalias %p{place}" for place in range(len(given))]
        parameters = ", ".join(["i64 %lo", "i64 %hi", *names])
        attributes = "nounwind noinline" if optimize else f"nounwind {UNOPTIMIZED}"
        text = f"({parameters}) {attributes} {{\nentry:\n{body}\n}}"
        name = self._names.get(text)
        if name is None:
            name = self._names[text] = f"@nest{len(self._names) + 1}"
            self.functions.append(f"define internal i8 {name}{text}")
        return name, given


def memory_of(lines: Sequence[str], local: Set[str] = frozenset()) -> tuple[list[str], list[str]]:
    """Find the names of memory that lines use, and name them by their order, so that equal code is equal.

    Args:
        lines: The body of a function; instructions that reserve memory may come in any order.
        local: The names of memory in the function's own frame.

    Returns:
        The names of other memory, which is %p0, %p1, ... in the lines, and the lines.
    """
    frame = [line for line in lines if " = alloca " in line]
    body = "\n".join([line for line in lines if " = alloca " not in line])
    used = dict.fromkeys([*_MEMORY.findall(body), *_MEMORY.findall("\n".join(frame))])
    given = [name for name in used if name not in local]
    places = {name: f"%p{place}" for place, name in enumerate(given)}
    places.update((name, f"%r{place}") for place, name in enumerate([n for n in used if n in local]))

    def renamed(text: str) -> str:
        return _MEMORY.sub(lambda found: places[found[0]], text)

    return given, [*sorted(map(renamed, frame)), renamed(body)]


class Memory:
    """The arrays that `main` knows the addresses of.

    Args:
        writer: the module.
        b: the body of `main`.

    Attributes:
        places: the places of the arrays that threads share, by the names of their addresses.
        constants: plans and slots of the constants that follow the outputs.
        scratch: bytes of scratch memory.
        work: about how many instructions are shared out among threads between control flow.
        offered: the same of control flow, whose nests may be computed by threads that wait for it.
        instructions: about how many instructions loop nests execute, each of them once.
        tasks: the number of tasks that threads share.
        trips: about how many times the code that is being written runs.
    """

    def __init__(self, writer: ModuleWriter, b: Builder) -> None:
        self.writer = writer
        self.b = b
        self.places: dict[str, Place] = {"%sync": (SYNC, 0)}
        self.constants: list[tuple[Plan[Step], int]] = []
        self.scratch = 0
        self.work = 0
        self.offered = 0
        self.instructions = 0
        self.tasks = 0
        self.trips = 1
        self._arguments = 0
        self._taken: dict[str, tuple[int, int]] = {}  # offset and size in the scratch area, by name
        self._free: list[tuple[int, int]] = []
        self._names = 0

    def _name(self) -> str:
        """The name that a piece of memory has in every function."""
        self._names += 1
        return f"%m{self._names}"

    def addresses(self) -> list[str]:
        """The instructions at the entry of `main` that find the addresses which it uses.

        The arguments are NumPy arrays, as objects of Python.
        """
        lines = [
            *load_data("%sync", "%shared"),
            *load_data("%buffer", "%area"),
            "  %place = ptrtoint ptr %buffer to i64",
            f"  %above = add i64 %place, {ALIGNMENT - 1}",
            f"  %aligned = and i64 %above, -{ALIGNMENT}",
            "  %scratch = inttoptr i64 %aligned to ptr",
            f"  %bases = alloca i64, i64 {ARRAYS + self._arguments}",
            f"  call void @find_bases(ptr %args, i64 {self._arguments}, ptr %scratch, ptr %sync, ptr %bases)",
        ]
        used = {*_MEMORY.findall("\n".join(self.b.lines))} - {"%sync"}
        for name, (base, offset) in self.places.items():
            if name in used and base == SCRATCH:
                lines.append(f"  {name} = getelementptr i8, ptr %scratch, i64 {offset}")
            elif name in used:
                lines += [
                    f"  {name}a = getelementptr ptr, ptr %args, i64 {base - ARRAYS}",
                    f"  {name}o = load ptr, ptr {name}a",
                    *load_data(name, f"{name}o"),
                ]
        return lines

    def argument(self, plan: Plan[Step], slot: int) -> Buffer:
        """The array of a slot whose address is the next argument."""
        name = self._name()
        self.places[name] = ARRAYS + self._arguments, 0
        self._arguments += 1
        return self.buffer(name, plan, slot)

    def constant(self, plan: Plan[Step], slot: int) -> Buffer:
        """The array of a constant, behind all inputs and outputs."""
        self.constants.append((plan, slot))
        return self.argument(plan, slot)

    def temporary(self, plan: Plan[Step], slot: int, shared: bool = False) -> Buffer:
        """Memory for a slot: what threads share is in the scratch area, a scalar otherwise in registers."""
        element, size = element_at(plan, slot), prod(plan.shape_of(slot))
        name = self._name()
        if size == 1 and not shared:
            self.b.allocas.append(f"  {name} = alloca {element.storage}, align 8")
        else:
            offset = self._take(name, -(-size * element.size // ALIGNMENT) * ALIGNMENT)
            self.places[name] = SCRATCH, offset
        return self.buffer(name, plan, slot)

    def renamed(self, buffer: Buffer) -> Buffer:
        """A buffer under another name, which the code of `main` gives an address."""
        return replace(buffer, name=self._name())

    def _take(self, name: str, size: int) -> int:
        """Reserve a part of the scratch area: the smallest free one that is large enough, or a new one."""
        fitting = [part for part in self._free if part[1] >= size]
        if fitting:
            offset, space = part = min(fitting, key=lambda part: part[1])
            self._free.remove(part)
            if space > size:
                self._free.append((offset + size, space - size))
        else:
            offset, self.scratch = self.scratch, self.scratch + size
        self._taken[name] = offset, size
        return offset

    def release(self, buffer: Buffer) -> None:
        """Let others use the memory of a temporary, which no code behind this reads or writes."""
        if buffer.name in self._taken:
            self._free = _merged([*self._free, self._taken.pop(buffer.name)])

    def row(self, plan: Plan[Step], slot: int, outer: int) -> Buffer:
        """The memory of one row, in the frame of the function whose loop goes over the rows."""
        return self.buffer(self._name(), plan, slot, outer)

    def buffer(self, name: str, plan: Plan[Step], slot: int, outer: int = 0) -> Buffer:
        """A dense array by the name of its address; its first `outer` dimensions are not in memory."""
        strides = row_major(plan.shape_of(slot))
        return Buffer(name, element_at(plan, slot), (0,) * outer + strides[outer:], outer > 0)


def _merged(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join neighbouring parts of the scratch area, given by offset and size."""
    found: list[tuple[int, int]] = []
    for offset, size in sorted(parts):
        if found and sum(found[-1]) == offset:
            offset, size = found[-1][0], found.pop()[1] + size
        found.append((offset, size))
    return found


def element_at(plan: Plan[Step], slot: int) -> Element:
    """The element of a slot that has a native form."""
    element = element_of(plan.types[slot])
    assert element is not None
    return element
