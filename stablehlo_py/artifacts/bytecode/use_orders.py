"""Use-list orders, which MLIR's files store where reading would create a different order.

In MLIR's memory, the last use created comes first. Reading creates the uses in the order of the program. The
parser of text creates an operation after those in its regions. A conversion of operations, such as to an
older version, creates those of the new operations last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from stablehlo_py.artifacts.bytecode.emitter import Emitter
from stablehlo_py.ir.core import Module, Operation, OpResult, Use, Value


class UseOrders:
    """The use-list orders of a module's values.

    Args:
        module: The module.
        converted: The operations that were replaced by a conversion.
        is_parsed: Whether the uses are those that the parser of text creates.
    """

    def __init__(self, module: Module, converted: Collection[Operation], is_parsed: bool) -> None:
        self._converted = converted
        around = [op for op in module.walk() if is_parsed and op.regions and op.operands]
        self._numbers: Mapping[Operation, int] = (
            {op: number for number, op in enumerate(module.walk())} if converted or around else {}
        )
        # By an operation with regions, the number of the last one in them, after which it is created.
        self._ends = {op: self._numbers[op] + sum(1 for _ in op.walk()) - 1 for op in around}

    def write(self, values: Sequence[Value], out: Emitter) -> bool:
        """Write the use-list orders of an operation's results or a block's arguments.

        Args:
            values: The results or arguments.
            out: The output.

        Returns:
            Whether there are any.
        """
        if not self._numbers:
            return False
        found = {index: order for index, value in enumerate(values) if (order := self._order(value))}
        if not found:
            return False
        if len(values) > 1:
            out.varint(len(found))
        for index, order in found.items():
            if len(values) > 1:
                out.varint(index)
            _write_order(order, out)
        return True

    def _order(self, value: Value) -> list[int]:
        """Return the position in memory of each use, the last of the program first; [] if they agree."""
        if len(value.uses) < 2:
            return []
        last_first = sorted(value.uses, key=self._id, reverse=True)
        memory = self._memory(value, last_first)
        places = {use: place for place, use in enumerate(memory)}
        order = [places[use] for use in last_first]
        return order if order != sorted(order) else []

    def _memory(self, value: Value, last_first: Sequence[Use]) -> list[Use]:
        """Return the uses of a value in the order in memory."""
        if not self._converted:
            return sorted(last_first, key=self._created, reverse=True)
        new = [use for use in last_first if use.op in self._converted]
        kept = [use for use in last_first if use.op not in self._converted]
        if isinstance(value, OpResult) and value.op in self._converted:
            return [*reversed(kept), *new]  # moved from the replaced result, one by one
        return [*new, *kept]

    def _created(self, use: Use) -> tuple[int, int, int]:
        """Return the place of a use in the order in which the parser creates uses."""
        number = self._numbers[use.op]
        return self._ends.get(use.op, number), -number, use.position

    def _id(self, use: Use) -> tuple[int, int]:
        return self._numbers[use.op], use.position


def _write_order(order: Sequence[int], out: Emitter) -> None:
    """Write all positions, or pairs for those that differ from the default if these are few."""
    moved = [(place, index) for index, place in enumerate(order) if place != index]
    if len(moved) < len(order) // 2:
        out.flagged(2 * len(moved), True)
        for place, index in moved:
            out.varint(place)
            out.varint(index)
        return
    out.flagged(len(order), False)
    for place in order:
        out.varint(place)
