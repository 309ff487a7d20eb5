"""Access to an op's inputs by the names in its definition."""

from __future__ import annotations

from typing import Any

from stablehlo_py.ir.core import Operation
from stablehlo_py.notation.scope import attribute_value
from stablehlo_py.opset.definition import lookup


def attribute(op: Operation, name: str) -> Any:
    """Return the plain Python value of a constant input, or its default.

    Args:
        op: The op.
        name: The name of the input in the op's definition.

    Returns:
        The value.

    Raises:
        KeyError: If the op's definition has no such input.
    """
    definition = lookup(op.name)
    found = next((a for a in definition.attrs if a.name == name), None) if definition else None
    if definition is None or found is None:
        raise KeyError(f"{op.name} has no constant input {name}")
    return attribute_value(op, definition, found)
