"""Types and shapes of values."""

from __future__ import annotations

from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import TensorType


def tensor_of(value: Value) -> TensorType:
    """Return the type of a tensor."""
    assert isinstance(value.type, TensorType)
    return value.type


def shape_of(value: Value) -> tuple[int, ...]:
    """Return the sizes of the dimensions of a tensor, 0 for dynamic ones; none for other values."""
    return tuple([size or 0 for size in value.type.shape]) if isinstance(value.type, TensorType) else ()
