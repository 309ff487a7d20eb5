"""Use-list orders, which MLIR's files store where reading would create a different order.

In MLIR's memory, the last use created comes first. Reading creates the uses in the order of the program; a
conversion of operations, such as to an older version, creates those of the new operations last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from stablehlo_py.artifacts.bytecode.emitter import Emitter
from stablehlo_py.ir.core import Module, Operation, OpResult, Use, Value

_BUCKETS, _FACTOR = 64, 37  # of LLVM's hash table of integers, in whose order values are written


class UseOrders:
    """The use-list orders of a module's values.

    Args:
        module: The module.
        converted: The operations that were replaced by a conversion.
    """

    def __init__(self, module: Module, converted: Collection[Operation]) -> None:
        self._converted = converted
        self._numbers: Mapping[Operation, int] = (
            {op: number for number, op in enumerate(module.walk())} if converted else {}
        )

    def write(self, values: Sequence[Value], out: Emitter) -> bool:
        """Write the use-list orders of an operation's results or a block's arguments.

        Args:
            values: The results or arguments.
            out: The output.

        Returns:
            Whether there are any.
        """
        if not self._converted:
            return False
        found = {index: order for index, value in enumerate(values) if (order := self._order(value))}
        if not found:
            return False
        if len(values) > 1:
            out.varint(len(found))
        for index in sorted(found, key=lambda index: index * _FACTOR % _BUCKETS):
            if len(values) > 1:
                out.varint(index)
            _write_order(found[index], out)
        return True

    def _order(self, value: Value) -> list[int]:
        """Return the position in memory of each use, the last of the program first; [] if they agree."""
        if len(value.uses) < 2:
            return []
        last_first = sorted(value.uses, key=self._id, reverse=True)
        new = [use for use in last_first if use.op in self._converted]
        kept = [use for use in last_first if use.op not in self._converted]
        if isinstance(value, OpResult) and value.op in self._converted:
            memory = [*reversed(kept), *new]  # moved from the replaced result, one by one
        else:
            memory = [*new, *kept]
        places = {use: place for place, use in enumerate(memory)}
        order = [places[use] for use in last_first]
        return order if order != sorted(order) else []

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
