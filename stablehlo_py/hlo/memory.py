"""Memory of a scheduled module: which buffers are live at each instruction, and who holds the peak.

In a module whose first line says `is_scheduled=true` the order of instructions is that of their execution, so
live ranges follow from the text alone. Results that are the memory of others are one buffer: elements of
tuples, bitcasts, the values that a loop carries, aliases that the text states. Parameters, results and
constants are live to the end of the call. XLA's own assignment is in a file beside the text
(`assigned_bytes`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from stablehlo_py.hlo.locations import source_of
from stablehlo_py.hlo.module import Computation, HloModule, Instruction
from stablehlo_py.hlo.shapes import part_of
from stablehlo_py.layout.buffers import byte_size
from stablehlo_py.layout.shape import Shape

Index = tuple[int, ...]
Place = tuple[int, Index]  # the id of an instruction, and an element of its result
_POINTER = 8  # bytes of an entry in the table of a tuple
_SAME = ("bitcast", "opt-barrier", "domain", "add-dependency", "async-update", "all-reduce-done")
_ELEMENTWISE = frozenset(["same", "binary", "select", "clamp", "compare", "converted", "is_finite", "real"])
_IN_PLACE = ("dynamic-update-slice", "scatter")
_MOST_NESTED = 100

Kind = Literal["parameter", "constant", "result", "temporary"]


class Buffer(NamedTuple):
    """A buffer that is live at the peak.

    Attributes:
        instruction: The instruction that makes it, the first one of several.
        element: The element of its result, in nested tuples.
        size: Its size in bytes.
        kind: What it is for.
    """

    instruction: Instruction
    element: Index
    size: int
    kind: Kind


class MemoryStep(NamedTuple):
    """An instruction in the order of execution, and the bytes that are live while it is executed."""

    instruction: Instruction
    size: int


class MemoryUse(NamedTuple):
    """The memory of a call over time.

    Attributes:
        steps: The instructions in the order of execution; bodies of loops and branches are executed once.
        peak: The step of the most bytes, the first of several.
        buffers: The buffers that are live then, the largest first.
        parameters: The bytes of the parameters.
        results: The bytes of the results that are no parameters.
        constants: The bytes of the constants.
    """

    steps: tuple[MemoryStep, ...]
    peak: MemoryStep
    buffers: tuple[Buffer, ...]
    parameters: int
    results: int
    constants: int


def memory_use(module: HloModule) -> MemoryUse | None:
    """Compute the live memory of a scheduled module; None for a module without a schedule."""
    return _Analysis(module).use() if module.is_scheduled else None


@lru_cache(4096)
def _leaves(shape: Shape) -> tuple[tuple[Index, int], ...]:
    """Return the elements of nested tuples, the tables of tuples included, with their sizes in bytes."""
    if not shape.is_tuple:
        return (((), _size(shape)),)
    found: list[tuple[Index, int]] = [((), _POINTER * len(shape.tuple_shapes))]
    for number, inner in enumerate(shape.tuple_shapes):
        found += [((number, *index), size) for index, size in _leaves(inner)]
    return tuple(found)


def _size(shape: Shape) -> int:
    if not shape.is_array or None in shape.dimensions:
        return 0
    return byte_size(shape)


class _Analysis:
    """The state of the analysis of one module.

    Args:
        module: The module.
    """

    def __init__(self, module: HloModule) -> None:
        self.module = module
        self.parent: dict[Place, Place] = {}  # of union-find over places that are the same memory
        self.order: list[Instruction] = []
        self.first: dict[int, int] = {}  # the step at which an instruction is executed
        self.last: dict[int, int] = {}  # the step at which an instruction ends: after all that it calls
        self.entered: set[int] = set()

    def use(self) -> MemoryUse:
        """Analyze the module."""
        self._schedule(self.module.entry, 0)
        for instruction in self.order:
            self._join(instruction)
        self._join_aliases()
        sets = self._sets()
        return self._swept(sets)

    def _schedule(self, computation: Computation, depth: int) -> None:
        """Put the instructions of a computation, and of those that it calls, in the order of execution."""
        self.entered.add(id(computation))
        for instruction in computation.instructions:
            start = len(self.order)
            for callee in _executed(instruction):
                if id(callee) not in self.entered and depth < _MOST_NESTED:
                    self._schedule(callee, depth + 1)
            self.first[id(instruction)] = start
            self.last[id(instruction)] = len(self.order)
            self.order.append(instruction)

    # ------------------------------------------------------------------------------- the same memory

    def _find(self, place: Place) -> Place:
        while (above := self.parent.get(place, place)) != place:
            self.parent[place] = place = self.parent.get(above, above)
        return place

    def _union(self, a: Place, b: Place) -> None:
        self.parent[self._find(a)] = self._find(b)

    def _same(self, a: Instruction, at: Index, b: Instruction, other: Index = ()) -> None:
        """Record that a part of a result is a part of another one, with all that is in it."""
        part = part_of(b.shape, other)
        for index, _ in _leaves(part) if part is not None else ():
            self._union((id(a), (*at, *index)), (id(b), (*other, *index)))

    def _join(self, instruction: Instruction) -> None:
        opcode, operands = instruction.opcode, instruction.operands
        if opcode == "tuple":
            for number, operand in enumerate(operands):
                self._same(instruction, (number,), operand)
        elif opcode == "get-tuple-element":
            self._same(instruction, (), instruction.operand, (instruction.attributes["index"],))
        elif opcode in _SAME:
            self._same(instruction, (), operands[0])
        elif opcode == "while":
            for _, callee in instruction.called:
                self._same(callee.parameters[0], (), instruction.operand)
            self._same(instruction.attributes["body"].root, (), instruction.operand)
            self._same(instruction, (), instruction.operand)
        elif opcode in ("call", "conditional"):
            self._called(instruction)
        elif opcode == "async-start":
            for number, operand in enumerate(operands):
                self._same(instruction, (0, number), operand)
        elif opcode == "async-done":
            self._same(instruction, (), instruction.operand, (1,))
        for output, number, index in instruction.attributes.get("output_to_operand_aliasing", ()):
            self._same(instruction, output, operands[number], index)

    def _called(self, instruction: Instruction) -> None:
        """Join operands with parameters, and results with roots."""
        is_call = instruction.opcode == "call"
        for number, (_, callee) in enumerate(instruction.called):
            given = instruction.operands if is_call else instruction.operands[number + 1 : number + 2]
            for operand, parameter in zip(given, callee.parameters, strict=False):
                self._same(parameter, (), operand)
            self._same(instruction, (), callee.root)

    def _join_aliases(self) -> None:
        """Join the results with the parameters whose memory they take."""
        entry = self.module.entry
        parameters = entry.parameters
        for output, number, index, _ in self.module.attributes.get("input_output_alias", ()):
            self._same(entry.root, output, parameters[number], index)

    # ------------------------------------------------------------------------------- live ranges

    def _sets(self) -> dict[Place, list[tuple[Instruction, Index, int]]]:
        found: dict[Place, list[tuple[Instruction, Index, int]]] = defaultdict(list)
        for instruction in self.order:
            for index, size in _leaves(instruction.shape):
                found[self._find((id(instruction), index))].append((instruction, index, size))
        return found

    def _swept(self, sets: dict[Place, list[tuple[Instruction, Index, int]]]) -> MemoryUse:
        """Sweep over the steps."""
        ends = self._uses()
        kinds = {place: self._kind(members) for place, members in sets.items()}
        root = self.module.entry.root
        entry = {self._find((id(root), index)) for index, _ in _leaves(root.shape)}
        changes = [0] * (len(self.order) + 1)
        ranges: dict[Place, tuple[int, int, int]] = {}
        for place, members in sets.items():
            size = max(size for _, _, size in members)
            if kinds[place] == "temporary" and place in entry:
                kinds[place] = "result"
            start = min(self.first[id(instruction)] for instruction, _, _ in members)
            end = max(ends.get(place, 0), *(self.first[id(instruction)] for instruction, _, _ in members))
            if kinds[place] != "temporary":
                end = len(self.order) - 1
            if kinds[place] in ("parameter", "constant"):
                start = 0
            ranges[place] = start, end, size
            changes[start] += size
            changes[end + 1] -= size
        for place, at in self._reused(sets, ranges, kinds):
            changes[at] -= ranges[place][2]
            changes[at + 1] += ranges[place][2]
        sizes, live = [], 0
        for change in changes[:-1]:
            live += change
            sizes.append(live)
        steps = tuple([MemoryStep(i, size) for i, size in zip(self.order, sizes, strict=True)])
        at = sizes.index(max(sizes))
        held = [
            Buffer(*members[0][:2], ranges[place][2], kinds[place])
            for place, members in sets.items()
            if ranges[place][0] <= at <= ranges[place][1] and ranges[place][2]
        ]
        held.sort(key=lambda buffer: -buffer.size)
        totals = {kind: sum(ranges[p][2] for p in sets if kinds[p] == kind) for kind in set(kinds.values())}
        counts = [totals.get(kind, 0) for kind in ("parameter", "result", "constant")]
        return MemoryUse(steps, steps[at], tuple(held), *counts)

    def _uses(self) -> dict[Place, int]:
        """Return the last step at which each buffer is used."""
        ends: dict[Place, int] = {}
        for instruction in self.order:
            at = self.last[id(instruction)]
            for operand in instruction.operands:
                for index, _ in _leaves(operand.shape):
                    if not index or index[0] == instruction.attributes.get("index", index[0]):
                        place = self._find((id(operand), index))
                        ends[place] = max(ends.get(place, 0), at)
        return ends

    def _kind(self, members: list[tuple[Instruction, Index, int]]) -> Kind:
        entry = self.module.entry.instructions
        opcodes = {instruction.opcode for instruction, _, _ in members}
        if "constant" in opcodes:
            return "constant"
        if "parameter" in opcodes and any(i.opcode == "parameter" and i in entry for i, _, _ in members):
            return "parameter"
        return "temporary"

    def _reused(
        self,
        sets: dict[Place, list[tuple[Instruction, Index, int]]],
        ranges: dict[Place, tuple[int, int, int]],
        kinds: dict[Place, Kind],
    ) -> Iterator[tuple[Place, int]]:
        """Yield temporary buffers that are written over by the result of their last user, and the step."""
        starts: dict[int, list[Place]] = defaultdict(list)
        for place, (start, _, _) in ranges.items():
            starts[start].append(place)
        taken: set[Place] = set()
        for instruction in self.order:
            at = self.first[id(instruction)]
            made = self._find((id(instruction), ()))
            if made not in ranges or ranges[made][0] != at:
                continue
            for number, operand in enumerate(instruction.operands):
                used = self._find((id(operand), ()))
                is_last = used in ranges and used not in taken and ranges[used][1] == at != ranges[used][0]
                same = is_last and ranges[used][2] == ranges[made][2] and kinds[used] == "temporary"
                if same and _may_share(instruction, number):
                    taken.add(used)
                    yield used, at
                    break


def _executed(instruction: Instruction) -> list[Computation]:
    """Return the computations that an instruction executes as steps, a condition before its body."""
    if instruction.opcode == "while":
        return [instruction.attributes["condition"], instruction.attributes["body"]]
    if instruction.opcode in ("call", "conditional"):
        return [callee for _, callee in instruction.called]
    return []


def _may_share(instruction: Instruction, number: int) -> bool:
    """Test whether the result may be written over an operand while it is read."""
    if instruction.opcode in _IN_PLACE:
        return number == 0
    if instruction.opcode == "fusion":
        callee: Computation = instruction.attributes["calls"]
        return _is_elementwise_in(callee, callee.parameters[number])
    return instruction.row.result in _ELEMENTWISE


def _is_elementwise_in(computation: Computation, parameter: Instruction) -> bool:
    """Test whether a parameter is read element by element alone, on the way to the root."""
    reached = {id(parameter)}
    for instruction in computation.post_order():
        numbers = [n for n, operand in enumerate(instruction.operands) if id(operand) in reached]
        if not numbers:
            continue
        if instruction.opcode == "bitcast" or not all(_may_share(instruction, n) for n in numbers):
            return False
        if instruction.shape.dimensions != parameter.shape.dimensions:
            return False
        reached.add(id(instruction))
    return True


# ------------------------------------------------------------------------------- XLA's own assignment


_FILES = {  # beside the text of a module: where the sizes of its allocations, or their sum, are
    "buffer-assignment": re.compile(r"^allocation \d+: size (\d+)", re.MULTILINE),
    "memory-usage-report": re.compile(r"^Total bytes: (\d+)", re.MULTILINE),
}


def assigned_bytes(path: Path) -> int | None:
    """Return the bytes that XLA assigned to a module; None if it dumped no assignment beside it.

    Args:
        path: The path of the module: `X.txt`, beside which `X-buffer-assignment.txt` and
            `X-memory-usage-report.txt` are looked for.
    """
    for name, pattern in _FILES.items():
        beside = path.with_name(f"{path.stem}-{name}.txt")
        if beside.is_file():
            found = pattern.findall(beside.read_text(encoding="utf-8", errors="replace"))
            return sum(map(int, found)) if found else None
    return None


def schedule_dict(module: HloModule, path: Path | None) -> dict[str, Any] | None:
    """Return the memory of a scheduled module as plain data; None for a module without a schedule.

    Args:
        module: The module.
        path: Its file, beside which XLA's assignment is looked for.
    """
    use = memory_use(module)
    if use is None:
        return None
    return {
        "peak_bytes": use.peak.size,
        "peak_instruction": use.peak.instruction.name,
        "peak_line": module.position(use.peak.instruction)[0],
        "parameter_bytes": use.parameters,
        "result_bytes": use.results,
        "constant_bytes": use.constants,
        "assigned_bytes": assigned_bytes(path) if path is not None else None,
        "live": [_buffer_dict(module, buffer) for buffer in use.buffers],
        "steps": [step.size for step in use.steps],
    }


def _buffer_dict(module: HloModule, buffer: Buffer) -> dict[str, Any]:
    instruction, origin = buffer.instruction, origin_of(buffer.instruction)
    return {
        "instruction": instruction.name,
        "index": list(buffer.element),
        "shape": str(part_of(instruction.shape, buffer.element)),
        "opcode": instruction.opcode,
        "line": module.position(instruction)[0],
        "bytes": buffer.size,
        "kind": buffer.kind,
        "op_name": origin.metadata.get("op_name", ""),
        "source": source_of(module, origin),
    }


def origin_of(instruction: Instruction) -> Instruction:
    """Return the instruction whose metadata says where a result is from: of a fusion that of its root."""
    while instruction.opcode == "fusion" and not instruction.metadata:
        instruction = instruction.attributes["calls"].root
        while instruction.opcode in ("tuple", "bitcast", "copy") and instruction.operands:
            instruction = instruction.operands[0]
    return instruction
