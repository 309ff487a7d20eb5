"""Sizes of values as i64 values, for ops of dynamic shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import I32, I64, INDEX, TensorType
from stablehlo_py.transforms.rewriter import Rewriter

SCALAR = TensorType((), I64)
_ROW = TensorType((1,), I64)


def shape_of(rewriter: Rewriter, value: Value) -> Value:
    """Return the sizes of a ranked value, as indices."""
    return rewriter.value("shape.shape_of", [value], type=TensorType((tensor(value).rank,), INDEX))


def tensor(value: Value) -> TensorType:
    """Return the type of a value that is a ranked tensor."""
    assert isinstance(value.type, TensorType)
    return value.type


def size_of(rewriter: Rewriter, value: Value, axis: int) -> Value:
    """Return the size of a dimension, as a scalar."""
    size = rewriter.value("stablehlo.get_dimension_size", [value], dimension=axis, type=TensorType((), I32))
    return rewriter.value("stablehlo.convert", [size], type=SCALAR)


def row(rewriter: Rewriter, scalar: Value) -> Value:
    """Return a scalar as a tensor of one element."""
    return rewriter.value("stablehlo.reshape", [scalar], type=_ROW)


def joined(rewriter: Rewriter, rows: Sequence[Value]) -> Value:
    """Concatenate tensors of one element."""
    type = TensorType((len(rows),), I64)
    return rewriter.value("stablehlo.concatenate", rows, dimension=0, type=type)


def constant_row(rewriter: Rewriter, numbers: Sequence[int]) -> Value:
    """Return numbers as a constant."""
    return rewriter.constant(list(numbers), TensorType((len(numbers),), I64))


def zeros(rewriter: Rewriter, like: Value, type: TensorType) -> Value:
    """Return a value of zeros, of static type or of the shape of another value."""
    if type.is_static:
        return rewriter.constant(0, type)
    scalar = rewriter.constant(0, TensorType((), type.element_type))
    return dynamic_broadcast(rewriter, scalar, like, type, ())


def broadcast(
    rewriter: Rewriter, value: Value, like: Value, type: TensorType, dimensions: Sequence[int]
) -> Value:
    """Broadcast a value to a static type, or to the shape of another value."""
    if not type.is_static:
        return dynamic_broadcast(rewriter, value, like, type, dimensions)
    return rewriter.value(
        "stablehlo.broadcast_in_dim", [value], type=type, broadcast_dimensions=list(dimensions)
    )


def dynamic_broadcast(
    rewriter: Rewriter, value: Value, like: Value, type: TensorType, dimensions: Sequence[int]
) -> Value:
    """Broadcast a value to the shape of another value."""
    return rewriter.value(
        "stablehlo.dynamic_broadcast_in_dim",
        [value, shape_of(rewriter, like)],
        type=type,
        broadcast_dimensions=list(dimensions),
    )


def static_slice(rewriter: Rewriter, value: Value, starts: Sequence[int], limits: Sequence[Any]) -> Value:
    """Slice with stride 1."""
    bounds = {"start_indices": list(starts), "limit_indices": list(limits), "strides": [1] * len(starts)}
    return rewriter.create("stablehlo.slice", [value], bounds).result


def dynamic_slice(
    rewriter: Rewriter, value: Value, starts: Value, limits: Value, strides: Value, type: TensorType
) -> Value:
    """Slice a value of dynamic shape."""
    return rewriter.value("stablehlo.real_dynamic_slice", [value, starts, limits, strides], type=type)
