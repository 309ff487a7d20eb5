"""Liveness analysis: the peak of live memory of a function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from stablehlo_py.analysis.callgraph import call_graph, functions
from stablehlo_py.analysis.sizes import byte_size
from stablehlo_py.ir.core import Block, Module, Operation, OpResult, Value
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait, lookup

_MAX_STEPS = 100_000  # of a timeline
_MAX_DEPTH = 50  # calls in calls whose ops are steps of their own


class Step(NamedTuple):
    """An op of a timeline.

    Attributes:
        op: The op.
        line: Its line in the text, or 0.
        size: The bytes that are live while it executes.
        outer: The op of the function that executes it as a part; None if it is one itself.
    """

    op: Operation
    line: int
    size: int
    outer: Operation | None = None


class LiveValue(NamedTuple):
    """A value that is live at the peak: the line of its definition (0 for an argument), and its bytes."""

    value: Value
    line: int
    size: int


class Timeline(NamedTuple):
    """The live memory of a call over time.

    Attributes:
        steps: The ops in the order of execution; loop bodies and branches are executed once.
        live: The values of the function that are live at the first peak, the largest first.
    """

    steps: tuple[Step, ...]
    live: tuple[LiveValue, ...]

    @property
    def peak(self) -> Step | None:
        """The first step of the most bytes."""
        return max(self.steps, key=lambda step: step.size, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return {
            "steps": [{"op": step.op.name, "line": step.line, "bytes": step.size} for step in self.steps],
            "live": [
                {
                    "value": str(each.value),
                    "type": str(each.value.type),
                    "line": each.line,
                    "bytes": each.size,
                }
                for each in self.live
            ],
        }


class Memory:
    """The peak live memory of functions.

    A value is live from its definition to its last use; arguments and results are live during the whole call.
    The results of reshapes and loops share the memory of their operands; every other result is allocated.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._functions = functions(module)
        self._peaks: dict[str, int] = {}

    def peak(self, name: str) -> int:
        """Return the peak of live memory of one call, in bytes, including arguments and results.

        Args:
            name: The name of the function.

        Returns:
            The number of bytes.

        Raises:
            KeyError: If there is no such function.
        """
        if name not in self._peaks:
            blocks = self._functions[name].regions[0].blocks
            self._peaks[name] = _bytes(blocks[0].arguments) if blocks else 0  # for calls of itself
            self._peaks[name] = self._block(blocks[0]) if blocks else 0
        return self._peaks[name]

    def timeline(self, name: str) -> Timeline:
        """Return the live memory of one call over time; raise KeyError if there is no such function.

        The ops of callees and regions are steps of their own, up to a number of steps.

        Args:
            name: The name of the function.
        """
        blocks = self._functions[name].regions[0].blocks
        if not blocks:
            return Timeline((), ())
        block = blocks[0]
        for each in call_graph(self._module).callees_first():  # avoids deep recursion on long call chains
            self.peak(each)
        steps = list(islice(self._expanded(block, 0, frozenset({name})), _MAX_STEPS))
        peak = max(steps, key=lambda step: step.size, default=None)
        return Timeline(tuple(steps), tuple(self._live(block, peak)) if peak is not None else ())

    def _expanded(self, block: Block, base: int, running: frozenset[str]) -> Iterator[Step]:
        """Yield the steps of a block and of what its ops execute, above what is live already."""
        for op, alive, made in self._steps(block):
            inner = self._inner(op, running)
            for body, names in inner:
                above = base + alive - _bytes(body.arguments)
                for step in self._expanded(body, above, names):
                    yield step._replace(outer=op)
            needed = made if inner else max(made, self._within(op))
            yield Step(op, self._module.line(op), base + alive + needed)

    def _inner(self, op: Operation, running: frozenset[str]) -> list[tuple[Block, frozenset[str]]]:
        """Return the blocks that an op executes once or more, and the functions that are running in each."""
        name = callee(op)
        if name is not None and name in self._functions:
            blocks = self._functions[name].regions[0].blocks
            is_expanded = blocks and name not in running and len(running) < _MAX_DEPTH
            return [(blocks[0], running | {name})] if is_expanded else []
        if not has_trait(op.name, "runs_bodies"):
            return []
        return [(region.blocks[0], running) for region in op.regions if region.blocks]

    def _live(self, block: Block, peak: Step) -> Iterator[LiveValue]:
        """Yield the values of a block that are live at a step, the largest first."""
        at = block.ops.index(peak.outer or peak.op)
        owner = _owners(block)
        last = _last_uses(block, owner)
        found: list[Value] = list(block.arguments)
        for index, op in enumerate(block.ops[: at + 1]):
            own = [each for each in op.results if owner[each] is each]
            found += own if index == at else [each for each in own if last.get(each, index) >= at]
        sizes = [LiveValue(value, self._line(value), byte_size(value.type)) for value in found]
        yield from sorted(sizes, key=lambda each: -each.size)

    def _line(self, value: Value) -> int:
        """Return the line of the op that defines a value; 0 for an argument."""
        return self._module.line(value.op) if isinstance(value, OpResult) else 0

    def _block(self, block: Block) -> int:
        sizes = [alive + max(made, self._within(op)) for op, alive, made in self._steps(block)]
        return max(sizes, default=_bytes(block.arguments))

    def _steps(self, block: Block) -> Iterator[tuple[Operation, int, int]]:
        """Yield each op with the bytes that are live before it, and those of its results."""
        owner = _owners(block)
        last = _last_uses(block, owner)
        alive = _bytes(block.arguments)
        dying: dict[int, list[Value]] = {}
        for value, at in last.items():
            dying.setdefault(at, []).append(value)
        for at, op in enumerate(block.ops):
            own = [result for result in op.results if owner[result] is result]
            made = _bytes(own)
            yield op, alive, made
            alive += made - _bytes(result for result in own if result not in last)
            alive -= _bytes(dying.get(at, ()))

    def _within(self, op: Operation) -> int:
        """Return the peak memory of an op's regions and callees, without their arguments."""
        name = callee(op)
        if name is not None and name in self._functions:
            blocks = self._functions[name].regions[0].blocks
            return self.peak(name) - _bytes(blocks[0].arguments) if blocks else 0
        blocks = [region.blocks[0] for region in op.regions if region.blocks]
        return max((self._block(block) - _bytes(block.arguments) for block in blocks), default=0)


def _bytes(values: Iterable[Value]) -> int:
    return sum(byte_size(value.type) for value in values)


def _owners(block: Block) -> dict[Value, Value]:
    """Map each value of a block to the value whose memory it shares."""
    owner: dict[Value, Value] = {argument: argument for argument in block.arguments}
    for op in block.ops:
        shares = _keeps_memory(op)
        for result in op.results:
            source = op.operands[result.index] if shares else result
            owner[result] = owner.get(source, source)
    return owner


def _keeps_memory(op: Operation) -> bool:
    """Test whether the results of an op share the memory of its operands, one to one."""
    definition = lookup(op.name)
    if definition is None:
        return False
    carries = definition.loop is not None and bool(definition.loop.condition)
    return carries or ("moves_data" in definition.traits and definition.cost.traffic == "none")


def _last_uses(block: Block, owner: dict[Value, Value]) -> dict[Value, int]:
    """Map each value defined in a block to the index of the last op that uses it, also in nested regions.

    The operands of the terminator are live to the end.
    """
    made = {result for op in block.ops for result in op.results}
    last: dict[Value, int] = {}
    for at, op in enumerate(block.ops):
        for inner in op.walk():
            for value in inner.operands:
                found = owner.get(value)
                if found is not None and found in made:
                    last[found] = at
    return last
