"""Shardings of operands, by the ops that define them, from which a pass may have moved their users away."""

from __future__ import annotations

from typing import Any

from stablehlo_py.ir.core import BlockArgument, Operation, OpResult, Value
from stablehlo_py.ir.tile_shardings import MHLO_SHARDING
from stablehlo_py.opset.calls import callee, is_call
from stablehlo_py.opset.definition import has_trait


def operand_shardings(op: Operation) -> tuple[Any, ...]:
    """Return the sharding that the op states which defines each operand of an op, or None.

    Probes pass values on, and so do calls, to arguments of a function and from its results.
    """
    return tuple([_sharding(value) for value in op.operands])


def _sharding(value: Value) -> Any:
    seen: set[Value] = set()
    while value not in seen:
        seen.add(value)
        if isinstance(value, OpResult) and (stated := value.op.python_value(MHLO_SHARDING)) is not None:
            return stated
        value = _source(value) or value
    return None


def _source(value: Value) -> Value | None:
    """Return the value of which a value is a copy, if it is one."""
    if isinstance(value, BlockArgument):
        function = value.block.parent_op
        caller = None if function is None or not function.is_function else _caller(function)
        return None if caller is None else caller.operands[value.index]
    assert isinstance(value, OpResult)
    if has_trait(value.op.name, "probe"):
        return value.op.operands[0]
    if not is_call(value.op):
        return None
    functions = [f for f in _top(value.op).entry_block.ops if f.is_function and _name(f) == callee(value.op)]
    end = (
        functions[0].regions[0].blocks[-1].terminator
        if functions and functions[0].regions[0].blocks
        else None
    )
    return end.operands[value.index] if end is not None else None


def _caller(function: Operation) -> Operation | None:
    """Return the only call of a function."""
    calls = [op for op in _top(function).walk() if is_call(op) and callee(op) == _name(function)]
    return calls[0] if len(calls) == 1 else None


def _name(function: Operation) -> Any:
    return function.python_value("sym_name")


def _top(op: Operation) -> Operation:
    while (above := op.parent_op) is not None:
        op = above
    return op
