"""An op's inputs by the names that its definition gives them."""

from __future__ import annotations

from typing import Any

from stablehlo_py.ir.core import Operation
from stablehlo_py.notation.scope import attribute_value
from stablehlo_py.opset.definition import lookup


def attribute(op: Operation, name: str) -> Any:
    """The plain value of an input that is a constant, its default where the text has none.

    Raises KeyError if the op's definition has no such input.
    """
    definition = lookup(op.name)
    found = next((a for a in definition.attrs if a.name == name), None) if definition else None
    if definition is None or found is None:
        raise KeyError(f"{op.name} has no constant input {name}")
    return attribute_value(op, definition, found)
