"""An op's inputs by the names that its definition gives them."""

from __future__ import annotations

from typing import Any

from stablehlo_py.ir.attributes import SymbolRefAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.notation.scope import attribute_value
from stablehlo_py.opset.definition import lookup

CALLS = {"func.call": "callee", "stablehlo.composite": "decomposition"}


def attribute(op: Operation, name: str) -> Any:
    """The plain value of an input that is a constant, its default where the text has none.

    Raises KeyError if the op's definition has no such input.
    """
    definition = lookup(op.name)
    found = next((a for a in definition.attrs if a.name == name), None) if definition else None
    if definition is None or found is None:
        raise KeyError(f"{op.name} has no constant input {name}")
    return attribute_value(op, definition, found)


def callee(op: Operation) -> str | None:
    """The name of the function that a call or a composite calls, None for another op."""
    symbol = op.attribute(CALLS[op.name]) if op.name in CALLS else None
    if isinstance(symbol, SymbolRefAttr):
        return symbol.root
    value = getattr(symbol, "value", None)
    return value if isinstance(value, str) else None


def is_elementwise(op: Operation) -> bool:
    """Whether each element of a result depends only on the same element of each operand."""
    definition = lookup(op.name)
    return definition is not None and "elementwise" in definition.traits
