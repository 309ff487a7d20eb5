"""Captures: the values from outside that ops and their regions use."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.core import Operation, Value


def captures(ops: Sequence[Operation]) -> list[Value]:
    """Return the values from outside that ops and their regions use, in the order of their first use."""
    inside: set[Value] = set()
    used: dict[Value, None] = {}
    for op in ops:
        for each in op.walk():
            inside.update(each.results)
            inside.update(argument for block in each.blocks for argument in block.arguments)
            used.update(dict.fromkeys(each.operands))
    return [value for value in used if value not in inside]
