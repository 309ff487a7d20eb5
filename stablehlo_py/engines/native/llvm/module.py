"""The module of programs: functions of their nests, and for each program the function that threads run.

Nests between control flow are tasks that threads share. The first thread runs control flow. Functions with
few instructions are in a second module, which LLVM translates without optimization: optimizing takes ten
times as long, and most functions of a network are of this kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, prod
from typing import NamedTuple

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.arithmetic.llvm_ir import UNOPTIMIZED, Builder, Value
from stablehlo_py.engines.native.llvm.control import ControlWriter
from stablehlo_py.engines.native.llvm.functions import Nest, write_nest
from stablehlo_py.engines.native.llvm.pool import scratch_offsets, sharing
from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.loop_ir.lifetimes import Timeline, lifetimes, timeline
from stablehlo_py.engines.native.loop_ir.sharing import SharedProgram
from stablehlo_py.engines.native.loop_ir.statements import ExternalCall, If, Loop, Statement, While
from stablehlo_py.engines.native.loop_ir.uses import buffers_of, loaded_by, stored_by
from stablehlo_py.engines.native.region import LONG, Function
from stablehlo_py.engines.native.runtime import ALIGNMENT, BUSY, METADATA, PASSED, WAITED, load_data
from stablehlo_py.engines.native.runtime_code import declarations
from stablehlo_py.engines.native.tasks import ARRAYS, SCRATCH, Place, Task, task_tables
from stablehlo_py.ir.records import dataclass

_HOT = "nounwind noinline"
_COLD = f"nounwind {UNOPTIMIZED}"
_MAIN = "ptr noalias %args, ptr %area, i64 %thread, i64 %threads, ptr %shared"
_PLAIN_MAIN = "ptr noalias %bases, ptr %sync, i64 %thread, i64 %threads"


class ModuleWriter:
    """Writes a module.

    Args:
        least: In instructions; nests that execute fewer are not optimized.
        counted: Whether loops count their steps, for a limit.
        plain: Whether functions take addresses, rather than objects of Python.
    """

    def __init__(self, least: float = 0, counted: bool = False, plain: bool = False) -> None:
        self.least = least
        self.counted = counted
        self.plain = plain
        self._names: dict[str, str] = {}  # of functions, by their text
        self._hot, self._cold = _Tier({}, {}), _Tier({}, {})
        self._declarations: dict[str, str] = {}  # of functions, by name
        self._tables: list[list[Task]] = []
        self._nests: dict[str, tuple[str, Builder]] = {}  # parameters and bodies, by name
        self._executed = Counter[str]()  # instructions of nests

    def add(self, nest: Nest, is_hot: bool = False) -> str:
        """Add the function of a nest; return its name, which equal nests share.

        Args:
            nest: The nest.
            is_hot: Whether it is optimized, however few instructions it executes.
        """
        text = f"{nest.parameters}\n{nest.body}"
        if text not in self._names:
            b = Builder(nest.declarations)
            b.lines.append(nest.body)
            name = self._names[text] = self._declare(nest.parameters)
            self._nests[name] = nest.parameters, b
        name = self._names[text]
        self._executed[name] += ceil(self.least) if is_hot else nest.instructions
        return name

    def _declare(self, parameters: str, name: str = "") -> str:
        """Declare a function; return its name."""
        name = name or f"@nest{len(self._declarations)}"
        types = ", ".join([each.split(" ")[0] for each in parameters.split(", ")])
        self._declarations[name] = f"declare hidden void {name}({types}) nounwind"
        return name

    def add_function(self, parameters: str, b: Builder, is_hot: bool, name: str = "") -> str:
        """Add a function; return its name."""
        name = self._declare(parameters, name)
        tier, attributes = (self._hot, _HOT) if is_hot else (self._cold, _COLD)
        visibility = "" if name.startswith("@main") else "hidden "
        tier.functions[name] = b.function(f"{visibility}void {name}({parameters}) {attributes}")
        tier.used.update(b.declarations)
        return name

    def add_table(self, tasks: list[Task]) -> str:
        """Add a table of tasks; return its name."""
        self._tables.append(tasks)
        return f"@tasks{len(self._tables) - 1}"

    def use(self, b: Builder, name: str) -> None:
        """Declare a function of the module, or of the run-time part, beside another one."""
        found = self._declarations.get(name) or declarations()[name]
        b.declarations.setdefault(name, found)
        for other in ("@poll_at", "@poll") if name.startswith("@poll") else ():
            b.declarations.setdefault(other, declarations()[other])

    def program(self, program: SharedProgram, name: str) -> Function:
        """Add the function of a program; return it."""
        return _ProgramWriter(self, program, name).written()

    def texts(self) -> tuple[str, str]:
        """Return the optimized and the unoptimized module; a module without functions is the empty string."""
        for name, (parameters, b) in self._nests.items():
            self.add_function(parameters, b, self._executed[name] >= self.least, name)
        tables, callers = task_tables(self._tables)
        self._cold.used.update(tables)
        for caller in callers:
            self._cold.functions["@call"] = caller
            self._cold.used.update((name, self._declarations[name]) for name in self._hot.functions)
        return self._hot.text(), self._cold.text()


class _Tier(NamedTuple):
    """A module.

    Attributes:
        functions: Its functions, by name.
        used: The declarations and the copied definitions that they need.
    """

    functions: dict[str, str]
    used: dict[str, str]

    def text(self) -> str:
        if not self.functions:
            return ""
        beside = [text for name, text in self.used.items() if name not in self.functions]
        return "\n".join([*beside, *self.functions.values(), METADATA])


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A nest of a kernel.

    Attributes:
        nest: The nest.
        is_control: Whether it is control flow.
        stored: The buffers that it stores to.
        loaded: The buffers that it loads from.
        times: Its statements in order.
        codes: Its function, by whether it may be repeated.
    """

    nest: tuple[Statement, ...]
    is_control: bool
    stored: frozenset[Buffer]
    loaded: frozenset[Buffer]
    times: Timeline
    codes: dict[bool, Nest]

    @property
    def buffers(self) -> list[Buffer]:
        """All buffers that it uses."""
        return buffers_of(self.nest)


def _part_of(nest: tuple[Statement, ...]) -> _Part:
    is_control = any(isinstance(statement, If | While | ExternalCall) for statement in nest)
    times = timeline(nest) if is_control else Timeline([buffers_of(nest)], [])
    return _Part(nest, is_control, frozenset(stored_by(nest)), frozenset(loaded_by(nest)), times, {})


class _ProgramWriter:
    """Writes the function of a program."""

    def __init__(self, module: ModuleWriter, program: SharedProgram, name: str) -> None:
        self.module, self.name = module, name
        self.b = Builder({})
        parts = [list(map(_part_of, kernel.nests)) for kernel in program.kernels]
        self._nests = [(part, call.buffers) for call in program.calls for part in parts[call.kernel]]
        self._arguments = [
            buffer for space in ("input", "output", "constant") for buffer in program.in_space(space)
        ]
        used = [[given[each] for each in part.buffers] for part, given in self._nests]
        self._local = _local_buffers([part.is_control for part, _ in self._nests], used)
        lives = lifetimes([(part.times, given) for part, given in self._nests])
        offsets, self._scratch = scratch_offsets(
            {b: life for b, life in lives.items() if b.space == "scratch" and b not in self._local}
        )
        self._offsets = offsets
        self._places: dict[Buffer, Place] = {
            buffer: (ARRAYS + place, 0) for place, buffer in enumerate(self._arguments)
        }
        self._places.update((buffer, (SCRATCH, offset)) for buffer, offset in offsets.items())
        self._queue: list[Task] = []
        self._stored = set[Buffer]()  # by the nests so far
        self._tasks = self._work = self._offered = self._instructions = 0

    def written(self) -> Function:
        for part, given in self._nests:
            if part.is_control:
                self._run()
                self._control(part, given)
            else:
                self._add_task(part, given)
        self._run()
        self.b.do("ret void")
        if not self.module.plain:
            self.b.lines[:0] = self._addresses()
            self.module.use(self.b, "@find_bases")
        parameters = _PLAIN_MAIN if self.module.plain else _MAIN
        self.module.add_function(parameters, self.b, is_hot=False, name=f"@{self.name}")
        numbers = self._work, self._offered, self._instructions, self._tasks
        return Function(self.name, self._scratch, *numbers)

    def _addresses(self) -> list[str]:
        """The instructions that find the addresses of arrays, given as objects of Python."""
        count = len(self._arguments)
        return [
            *load_data("%sync", "%shared"),
            *load_data("%buffer", "%area"),
            "  %place = ptrtoint ptr %buffer to i64",
            f"  %above = add i64 %place, {ALIGNMENT - 1}",
            f"  %aligned = and i64 %above, -{ALIGNMENT}",
            "  %scratch = inttoptr i64 %aligned to ptr",
            f"  %bases = alloca i64, i64 {ARRAYS + count}",
            f"  call void @find_bases(ptr %args, i64 {count}, ptr %scratch, ptr %bases)",
        ]

    def _add_task(self, part: _Part, given: Mapping[Buffer, Buffer]) -> None:
        """Write a nest, which threads share where it is large."""
        stored = {given[each] for each in part.stored}
        may_repeat = self._stored.isdisjoint(stored.intersection([given[each] for each in part.loaded]))
        self._stored |= stored
        if may_repeat not in part.codes:
            part.codes[may_repeat] = write_nest(part.nest, may_repeat)
        code, first = part.codes[may_repeat], part.nest[0]
        is_parallel = isinstance(first, Loop) and first.kind == "parallel"
        if code.instructions >= LONG and not is_parallel:  # between parts of it, it may be ended
            self._run()
            self._control(part, given)
            return
        self._instructions += code.instructions
        shared = is_parallel and code.instructions >= cost.PIECE
        if shared:
            self._work += code.instructions
        most = max(1, min(code.instructions // cost.PIECE, cost.PIECES), code.instructions // LONG)
        name = self.module.add(code)
        places = tuple([self._places[given[buffer]] for buffer in code.buffers])
        pieces = min(code.extent, most) if shared and code.extent > 1 else 0
        self._queue.append(Task(name, places, code.extent, pieces))

    def _run(self) -> None:
        """Write the call that runs the tasks so far."""
        if not self._queue:
            return
        table, first, count = self.module.add_table(self._queue), self._tasks, len(self._queue)
        given = f"ptr {table}, i64 {first}, i64 {count}, ptr %bases, ptr %sync, i64 %thread, i64 %threads"
        self.b.do(f"call void @run(ptr @call, {given})")
        self.module.use(self.b, "@run")
        self._tasks += count
        self._queue = []

    def _control(self, part: _Part, buffers: Mapping[Buffer, Buffer]) -> None:
        """Write statements that the caller's thread runs, which handles interrupts, while the others wait."""
        inner = Builder({})
        writer = ControlWriter(inner, self.module)
        given = writer.declare(part.buffers, {each for each in part.buffers if buffers[each] in self._local})
        writer.statements(part.nest)
        inner.do("ret void")
        own = {each: buffers[each] for each in given if buffers[each] in self._offsets}
        shared = {*sharing(self._offsets, own.values())}
        pointers = [
            f"ptr %p{place}" if own.get(each) in shared else f"ptr noalias %p{place}"
            for place, each in enumerate(given)
        ]
        parameters = ", ".join([*pointers, "ptr %sync", "i64 %threads"])
        name = self.module.add_function(parameters, inner, is_hot=True)
        self._instructions += inner.instructions
        self._offered += writer.offered
        b, sync = self.b, self.b.value("%sync", "ptr")
        self.module.use(b, name)

        def note(what: int, since: Value) -> Value:
            return b.call("@note", "i64", [sync, b.constant(task, "i64"), b.constant(what, "i64"), since])

        since, zero = b.alloca("i64"), b.constant(0, "i64")
        begun = b.call("@begin", "i64", [sync])
        b.store(begun, since, zero)
        task, mine, after = self._tasks, b.fresh("first"), b.fresh("others")
        self._tasks += 1
        b.do(f"br i1 {b.value('%thread', 'i64').equals(0).text}, label %{mine}, label %{after}")
        b.enter(mine)
        arguments = ", ".join(
            [*(str(self._address(buffers[each])) for each in given), "ptr %sync, i64 %threads"]
        )
        b.do(f"call void {name}({arguments})")
        b.store(note(BUSY, begun), since, zero)
        note(PASSED, begun)
        b.do(f"call void @finish(ptr %sync, i64 {task}, i64 %threads)")
        b.start_block(after)
        b.do(f"call void @join(ptr %sync, i64 {task}, i64 1, i64 %threads)")
        note(WAITED, b.load("i64", since, zero))
        for each in ("@finish", "@join", "@begin", "@note"):
            self.module.use(b, each)

    def _address(self, buffer: Buffer) -> Value:
        base, offset = self._places[buffer]
        b = self.b
        start = b.load("i64", b.value("%bases", "ptr"), b.constant(base, "i64"))
        return (start + offset).convert("inttoptr", "ptr")


def _local_buffers(control: Sequence[bool], used: Sequence[Sequence[Buffer]]) -> set[Buffer]:
    """The small scratch buffers that only one nest of control flow uses: they are in registers.

    Args:
        control: Whether each nest is control flow.
        used: The buffers that each nest uses.
    """
    users = Counter(buffer for buffers in used for buffer in buffers)
    inside = [
        each for is_control, buffers in zip(control, used, strict=True) if is_control for each in buffers
    ]
    return {
        b for b in inside if b.space == "scratch" and users[b] == 1 and prod(b.shape) <= cost.IN_REGISTERS
    }
