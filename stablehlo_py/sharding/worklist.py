"""The ops that propagation visits next, and the dead ones that it erases."""

from __future__ import annotations

from stablehlo_py.ir.core import Module, Operation, OpResult, Value, erase_all


class Worklist:
    """The ops to visit: a stack, where each op is at most once."""

    def __init__(self) -> None:
        self._stack: list[Operation] = []
        self._listed: set[Operation] = set()
        self._dead: list[Operation] = []

    def fill(self, module: Module) -> None:
        """Add all ops, so that the first one is visited first."""
        self._stack = [op for op in module.walk() if op is not module.op][::-1]
        self._listed = set(self._stack)

    def push(self, op: Operation) -> None:
        """Add an op, to be visited next, unless it is there already."""
        if op not in self._listed:
            self._listed.add(op)
            self._stack.append(op)

    def pop(self) -> Operation | None:
        """Remove and return the next op, or None."""
        while self._stack:
            op = self._stack.pop()
            if op in self._listed:
                self._listed.discard(op)
                return op
        return None

    def erase(self, op: Operation) -> None:
        """Drop a dead op, which `flush` erases, and visit those whose results it and one op at most used."""
        for value in op.operands:
            if isinstance(value, OpResult) and not _has_two_users(value, op):
                self.push(value.op)
        inside = list(op.walk())
        self._listed.difference_update(inside)
        for each in inside:
            each.use_operands(())
        self._dead.append(op)

    def flush(self) -> None:
        """Erase the dropped ops: in one pass, since each removal from a long block takes a pass."""
        erase_all(self._dead)
        self._dead = []


def _has_two_users(value: Value, op: Operation) -> bool:
    """Return whether two other ops than `op` use a value; the uses that are left are at the end."""
    other: Operation | None = None
    for use in reversed(value.uses):
        if use.op not in (op, other):
            if other is not None:
                return True
            other = use.op
    return False
