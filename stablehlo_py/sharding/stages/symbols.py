"""Functions of a module by name, the order of calls, and copies of functions."""

from __future__ import annotations

from collections.abc import Iterator

from stablehlo_py.ir.attributes import StringAttr, SymbolRefAttr
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.opset.calls import callee
from stablehlo_py.sharding.errors import ShardingError

CALL = "func.call"
ORIGINAL_NAME = "sdy.original_func_name"


class SymbolTable:
    """The functions and other symbols of a module by name; new ones get unique names."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._ops = {
            str(name): op for op in module.body.ops if (name := op.python_value("sym_name")) is not None
        }
        self._count = 0

    def find(self, name: str) -> Operation | None:
        """Return the op that defines a symbol, or None."""
        return self._ops.get(name)

    def callee(self, call: Operation) -> Operation:
        """Return the function that a call calls."""
        return self._ops[str(callee(call))]

    def insert(self, op: Operation) -> str:
        """Append an op to the module, under a name of its own, and return the name."""
        base = name = str(op.python_value("sym_name"))
        while name in self._ops:
            name = f"{base}_{self._count}"
            self._count += 1
        op.properties["sym_name"] = StringAttr(name)
        self._ops[name] = op
        self.module.body.append(op)
        return name

    def erase(self, name: str) -> None:
        """Erase an op by its name."""
        self._ops.pop(name).erase()

    def clone(self, function: Operation) -> str:
        """Append a copy of a function that calls copies of what the function calls; return its name."""
        made = clone_op(function)
        made.attributes[ORIGINAL_NAME] = StringAttr(original_name(function))
        for call in calls_in(made):
            set_callee(call, self.clone(self.callee(call)))
        return self.insert(made)


def original_name(function: Operation) -> str:
    """Return the name of the function that a function was copied from, or its own."""
    found = function.attributes.get(ORIGINAL_NAME)
    return found.value if isinstance(found, StringAttr) else str(function.python_value("sym_name"))


def calls_in(op: Operation) -> list[Operation]:
    """Return the calls inside of an op, in order."""
    return [inner for inner in op.walk() if inner.name == CALL]


def set_callee(call: Operation, name: str) -> None:
    """Let a call call another function."""
    call.properties["callee"] = SymbolRefAttr(name)


def functions_by_calls(module: Module) -> list[Operation]:
    """Return the functions of a module that have a body, each after those that it calls.

    Raises:
        ShardingError: If a function calls itself, directly or indirectly.
    """
    table = SymbolTable(module)
    found: dict[Operation, None] = {}
    for function in module.functions.values():
        stack = [(function, _called(function, table))]
        started = {function}
        while stack:
            op, rest = stack[-1]
            other = next((each for each in rest if each not in found), None)
            if other is not None and other in started:
                raise ShardingError(
                    other, "shardings do not propagate through functions that call themselves"
                )
            if other is not None:
                started.add(other)
                stack.append((other, _called(other, table)))
                continue
            stack.pop()
            found.setdefault(op)
    return [op for op in found if op.regions and op.regions[0].blocks]


def _called(function: Operation, table: SymbolTable) -> Iterator[Operation]:
    for call in calls_in(function):
        op = table.find(str(callee(call)))
        if op is not None:
            yield op


def postorder(root: Operation) -> list[Operation]:
    """Return an op and all ops inside of it, each after those inside of it."""
    found: list[Operation] = []
    stack = [(root, False)]
    while stack:
        op, is_after = stack.pop()
        if is_after:
            found.append(op)
            continue
        stack.append((op, True))
        stack += [(inner, False) for block in reversed(op.blocks) for inner in reversed(block.ops)]
    return found
