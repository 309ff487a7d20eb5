"""Which function an op calls."""

from __future__ import annotations

from stablehlo_py.ir.attributes import StringAttr, SymbolRefAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.opset.definition import lookup


def is_call(op: Operation) -> bool:
    """Whether an op calls a function of the module by name, as a call and a composite do."""
    definition = lookup(op.name)
    return definition is not None and bool(definition.callee)


def callee(op: Operation) -> str | None:
    """The name of the function that a call or a composite calls; None for another op."""
    definition = lookup(op.name)
    match op.attribute(definition.callee) if definition is not None and definition.callee else None:
        case SymbolRefAttr(root):
            return root
        case StringAttr(name):
            return name
    return None
