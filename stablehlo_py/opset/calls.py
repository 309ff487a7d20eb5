"""Symbol references from calls to functions."""

from __future__ import annotations

from stablehlo_py.ir.attributes import StringAttr, SymbolRefAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.opset.definition import lookup


def is_call(op: Operation) -> bool:
    """Test whether an op calls a function of the module by symbol, such as a call or composite."""
    definition = lookup(op.name)
    return definition is not None and bool(definition.callee)


def callee(op: Operation) -> str | None:
    """Return the name of the callee of a call or composite; None for other ops."""
    definition = lookup(op.name)
    match op.attribute(definition.callee) if definition is not None and definition.callee else None:
        case SymbolRefAttr(root):
            return root
        case StringAttr(name):
            return name
    return None
