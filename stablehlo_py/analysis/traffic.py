"""Memory traffic: the bytes that single ops read and write."""

from __future__ import annotations

from collections.abc import Iterable

from stablehlo_py.analysis.sizes import byte_size
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.opset.op_inputs import groups


def op_traffic(op: Operation) -> tuple[int, int]:
    """Return the bytes that an op reads and writes, without fusion.

    Slices and gathers read as much as they write; `dynamic_update_slice` and `scatter` update their operand
    in place, so only the updated part counts. Reshapes, tuples and constants have no traffic.

    Args:
        op: The op.

    Returns:
        The bytes read and the bytes written.
    """
    definition = lookup(op.name)
    rule = definition.cost.traffic if definition is not None else "all"
    if rule == "none" or has_trait(op.name, "runs_bodies") or has_trait(op.name, "terminator"):
        return 0, 0
    results = _bytes(op.results)
    match rule:
        case "slice":
            return results + _bytes(op.operands[1:]), results
        case "update":
            return _bytes(op.operands[1:]), _bytes(op.operands[1:2])
        case "scatter":
            return _scatter(op)
    return _bytes(op.operands), results


def _scatter(op: Operation) -> tuple[int, int]:
    """Count a scatter: it reads indices, updates, and the elements that are updated."""
    definition = lookup(op.name)
    assert definition is not None
    _, indices, updates = groups(op, "operand", op.operands, definition.operands)
    changed = _bytes(updates)
    return 2 * changed + _bytes(indices), changed


def _bytes(values: Iterable[Value]) -> int:
    return sum(byte_size(value.type) for value in values)
