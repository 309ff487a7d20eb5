"""Values of shape computations that are known."""

from __future__ import annotations

from stablehlo_py.ir.core import OpResult, Value
from stablehlo_py.opset.constants import constant_attribute


def integers(value: Value) -> list[int] | None:
    """Return the elements of a constant of integers or booleans; None for another value."""
    found = constant_attribute(value)
    if found is None or found.data.dtype.kind not in "iub":
        return None
    return [int(element) for element in found.value.reshape(-1)]


def sizes_beside_start(start: Value, limit: Value) -> list[int] | None:
    """Return the sizes of a slice whose limit is its start plus a constant; None for another limit."""
    if not isinstance(limit, OpResult) or limit.op.name != "stablehlo.add" or start not in limit.op.operands:
        return None
    a, b = limit.op.operands
    return integers(b if a is start else a)
