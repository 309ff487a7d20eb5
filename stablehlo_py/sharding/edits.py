"""Edits of blocks that are made all at once, so that an edit does not cost the length of its block."""

from __future__ import annotations

from collections.abc import Iterable

from stablehlo_py.ir.core import Block, BlockArgument, Operation, OpResult, Value
from stablehlo_py.ir.origins import derive


class Edits:
    """Insertions and removals, which `apply` makes."""

    def __init__(self) -> None:
        self._before: dict[Operation, list[Operation]] = {}
        self._after: dict[Operation, list[Operation]] = {}
        self._first: dict[Block, list[Operation]] = {}
        self._blocks: dict[Block, None] = {}
        self._removed: set[Operation] = set()

    def insert_before(self, op: Operation, new: Operation) -> None:
        """Insert an op before another, behind those inserted there."""
        self._insert(self._before, op, new)

    def insert_after(self, op: Operation, new: Operation, first: bool = False) -> None:
        """Insert an op after another, behind those inserted there, or before them."""
        self._insert(self._after, op, new, first)

    def insert_after_value(self, value: Value, new: Operation, first: bool = False) -> None:
        """Insert an op after the op that defines a value, or at the start of the block of an argument."""
        if isinstance(value, OpResult):
            self.insert_after(value.op, new, first)
            return
        assert isinstance(value, BlockArgument)
        found = self._first.setdefault(value.block, [])
        found.insert(0 if first else len(found), new)
        new.parent = value.block
        derive(new, value)
        self._blocks[value.block] = None

    def _insert(
        self, where: dict[Operation, list[Operation]], op: Operation, new: Operation, first: bool = False
    ) -> None:
        assert op.parent is not None
        found = where.setdefault(op, [])
        found.insert(0 if first else len(found), new)
        new.parent = op.parent
        derive(new, op)
        self._blocks[op.parent] = None

    def remove(self, op: Operation) -> None:
        """Take an op out of its block; its operands are used no more."""
        for inner in op.walk():
            inner.use_operands(())
        self.detach(op)

    def detach(self, op: Operation) -> None:
        """Take an op out of its block, with its operands, to insert it elsewhere after `apply`."""
        assert op.parent is not None
        self._blocks[op.parent] = None
        self._removed.add(op)

    def apply(self) -> None:
        """Make the edits."""
        for block in self._blocks:
            found: list[Operation] = []
            for op in (*self._first.get(block, ()), *block.ops):
                self._add(op, found)
            block.ops = found
        for op in self._removed:
            op.parent = None
        self.__init__()  # type: ignore[misc]

    def _add(self, op: Operation, found: list[Operation]) -> None:
        """Append an op with those around it; what is inserted beside inserted ops, too."""
        stack: list[tuple[Operation, bool]] = [(op, False)]
        while stack:
            each, is_expanded = stack.pop()
            if is_expanded:
                if each not in self._removed:
                    found.append(each)
                continue
            stack += [(new, False) for new in reversed(self._after.get(each, ()))]
            stack.append((each, True))
            stack += [(new, False) for new in reversed(self._before.get(each, ()))]


def redirect(value: Value, other: Value, but: Iterable[Operation] = ()) -> None:
    """Replace the uses of a value by another, but for those by some ops; the last use comes first then."""
    kept = set(but)
    for use in reversed(list(value.uses)):
        if use.op not in kept:
            use.op.set_operand(use.position, other)
