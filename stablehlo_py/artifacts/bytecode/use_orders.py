"""Use-list orders, which MLIR's files store where reading would create a different order.

In MLIR's memory, the last use created comes first. Reading creates the uses in the order of the program. The
parser of text creates an operation after those in its regions. A conversion of operations, such as to an
older version, creates those of the new operations last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.ir.core import Module, Operation, OpResult, Use, Value

if TYPE_CHECKING:
    from stablehlo_py.artifacts.bytecode.emitter import Emitter

# How the uses of a program were created: by the parser of text, by the reader of a file, whose order is
# that of `Value.uses`, or in the order of the program by a conversion of all operations.
Creation = Literal["parsed", "read", "converted"]


class UseOrders:
    """The use-list orders of a module's values.

    Args:
        module: The module.
        creation: How the uses were created.
        downgraded: The operations that were then converted to an older version.
    """

    def __init__(self, module: Module, creation: Creation, downgraded: Collection[Operation]) -> None:
        self._is_read = creation == "read"
        self._downgraded = downgraded
        around = [op for op in module.walk() if creation == "parsed" and op.regions and op.operands]
        self._numbers = _numbers(module.op) if self._is_read or around or downgraded else {}
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
        last_first = _last_first(value, self._numbers)
        places = {use: place for place, use in enumerate(self._memory(value, last_first))}
        order = [places[use] for use in last_first]
        return order if order != sorted(order) else []

    def _memory(self, value: Value, last_first: Sequence[Use]) -> list[Use]:
        """Return the uses of a value in the order in memory."""
        if self._is_read:
            return [*reversed(value.uses)]
        if not self._downgraded:
            return sorted(last_first, key=self._created, reverse=True)
        new = [use for use in last_first if use.op in self._downgraded]
        kept = [use for use in last_first if use.op not in self._downgraded]
        if isinstance(value, OpResult) and value.op in self._downgraded:
            return [*reversed(kept), *new]  # moved from the replaced result, one by one
        return [*new, *kept]

    def _created(self, use: Use) -> tuple[int, int, int]:
        """Return the place of a use in the order in which the parser creates uses."""
        number = self._numbers[use.op]
        return self._ends.get(use.op, number), -number, use.position


def _numbers(op: Operation) -> Mapping[Operation, int]:
    return {inner: number for number, inner in enumerate(op.walk())}


def _last_first(value: Value, numbers: Mapping[Operation, int]) -> list[Use]:
    """Return the uses of a value, the last of the program first."""
    return sorted(value.uses, key=lambda use: (numbers[use.op], use.position), reverse=True)


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


class StoredOrder(NamedTuple):
    """The order of a value's uses in a file: all positions, or pairs of those that differ."""

    value: Value
    numbers: list[int]
    is_pairs: bool


def read_orders(cursor: Cursor, values: Sequence[Value]) -> list[StoredOrder]:
    """Read the use-list orders of an operation's results or a block's arguments; raise Fault if they end."""
    found = []
    for _ in range(cursor.count("orders") if len(values) > 1 else 1):
        index = cursor.varint() if len(values) > 1 else 0
        size, is_pairs = cursor.flagged()
        numbers = [cursor.varint() for _ in range(size)]
        if index < len(values):
            found.append(StoredOrder(values[index], numbers, is_pairs))
    return found


def apply_orders(orders: Sequence[StoredOrder], module: Operation) -> None:
    """Sort the uses of values as in the memory that a file was written from.

    Args:
        orders: The orders in the file. One that is no permutation of the uses is left out, as orders do not
            affect the program.
        module: The module.
    """
    numbers = _numbers(module) if orders else {}
    for value, given, is_pairs in {order.value: order for order in orders}.values():
        last_first = _last_first(value, numbers)
        order = [*range(len(last_first))]
        if is_pairs:
            for place, index in zip(given[::2], given[1::2], strict=False):
                order[index : index + 1] = [place]
        else:
            order = given
        if sorted(order) == [*range(len(last_first))]:
            memory = dict(zip(order, last_first, strict=True))
            value.uses = dict.fromkeys(memory[place] for place in reversed(range(len(memory))))
