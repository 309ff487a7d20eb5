"""Which function an op calls."""

from __future__ import annotations

from stablehlo_py.ir.attributes import StringAttr, SymbolRefAttr
from stablehlo_py.ir.core import Operation

CALLS = {"func.call": "callee", "stablehlo.composite": "decomposition"}


def callee(op: Operation) -> str | None:
    """The name of the function that a call or a composite calls; None for another op."""
    match op.attribute(CALLS[op.name]) if op.name in CALLS else None:
        case SymbolRefAttr(root):
            return root
        case StringAttr(name):
            return name
    return None
