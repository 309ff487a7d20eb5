"""Types and shapes of values, and the constant inputs of ops."""

from __future__ import annotations

from typing import Any

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.notation.scope import attribute_value
from stablehlo_py.opset.definition import lookup


def tensor_of(value: Value) -> TensorType:
    """Return the type of a tensor."""
    assert isinstance(value.type, TensorType)
    return value.type


def shape_of(value: Value) -> tuple[int, ...]:
    """Return the sizes of the dimensions of a tensor, 0 for dynamic ones; none for other values."""
    return tuple([size or 0 for size in value.type.shape]) if isinstance(value.type, TensorType) else ()


def inputs_of(op: Operation) -> dict[str, Any]:
    """Return the constant inputs of an op by name; none for an op without a definition."""
    definition = lookup(op.name)
    if definition is None:
        return {}
    return {attr.name: attribute_value(op, definition, attr) for attr in definition.attrs}
