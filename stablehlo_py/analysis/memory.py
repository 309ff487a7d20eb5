"""Liveness analysis: the peak of live memory of a function."""

from __future__ import annotations

from collections.abc import Iterable

from stablehlo_py.analysis.callgraph import functions
from stablehlo_py.analysis.sizes import byte_size
from stablehlo_py.ir.core import Block, Module, Operation, Value
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import lookup


class Memory:
    """The peak live memory of functions.

    A value is live from its definition to its last use; arguments and results are live during the whole call.
    The results of reshapes and loops share the memory of their operands; every other result is allocated.
    """

    def __init__(self, module: Module) -> None:
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

    def _block(self, block: Block) -> int:
        owner = _owners(block)
        last = _last_uses(block, owner)
        alive = peak = _bytes(block.arguments)
        dying: dict[int, list[Value]] = {}
        for value, at in last.items():
            dying.setdefault(at, []).append(value)
        for at, op in enumerate(block.ops):
            made = _bytes(result for result in op.results if owner[result] is result)
            peak = max(peak, alive + max(made, self._within(op)))
            alive += made - _bytes(
                result for result in op.results if owner[result] is result and result not in last
            )
            alive -= _bytes(dying.get(at, ()))
        return peak

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
