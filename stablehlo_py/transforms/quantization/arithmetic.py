"""Quantization, dequantization and requantization as arithmetic on integers and floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import FloatType, FunctionType, IntegerType, QuantizedType, TensorType, Type
from stablehlo_py.kernels.quantized import quantized_element
from stablehlo_py.transforms.rewriter import Rewriter

F32 = FloatType("f32")
I32 = IntegerType(32)
I64 = IntegerType(64)


def storage(type: Type) -> Type:
    """Return a type with the storage type in place of a quantized element type."""
    if isinstance(type, FunctionType):
        return FunctionType(tuple(map(storage, type.inputs)), tuple(map(storage, type.results)))
    found = quantized_element(type)
    return type if found is None else with_element(type, found.storage_type)


def with_element(type: Type, element: Type) -> TensorType:
    """Return a tensor type with another element type."""
    assert isinstance(type, TensorType)
    return replace(type, element_type=element)


def convert(rewriter: Rewriter, value: Value, element: Type) -> Value:
    """Convert the elements of a value."""
    return rewriter.value("stablehlo.convert", [value], type=with_element(value.type, element))


def broadcast(
    rewriter: Rewriter,
    name: str,
    value: Value,
    by: Value,
    dimension: int | None = None,
    type: Type | None = None,
) -> Value:
    """Apply a binary op of CHLO, which broadcasts.

    Args:
        rewriter: The rewriter.
        name: The name after `chlo.broadcast_`.
        value: The left-hand side.
        by: The right-hand side: a scalar, one element per slice of a dimension, or a tensor.
        dimension: That dimension.
        type: The type of the result; by default the type of `value`.
    """
    inputs: dict[str, Any] = {} if dimension is None else {"broadcast_dimensions": [dimension]}
    return rewriter.value(f"chlo.broadcast_{name}", [value, by], type=type or value.type, **inputs)


def per_slice(rewriter: Rewriter, q: QuantizedType, numbers: Sequence[float], element: Type) -> Value:
    """Return the constant of the scales or zero points of a type: a scalar, or one element per slice."""
    if q.dimension is None:
        return rewriter.constant(np.asarray(numbers[0]), TensorType((), element))
    return rewriter.constant(np.asarray(numbers), TensorType((len(numbers),), element))


def quantize(rewriter: Rewriter, value: Value, q: QuantizedType) -> Value:
    """Quantize f32 elements: `round_nearest_even(clamp(min, value / scale + zero_point, max))`."""
    scales = per_slice(rewriter, q, q.scales, F32)
    zero_points = per_slice(rewriter, q, q.zero_points, F32)
    low, high = _bounds(rewriter, q, F32)
    value = broadcast(rewriter, "divide", value, scales, q.dimension)
    value = broadcast(rewriter, "add", value, zero_points, q.dimension)
    value = rewriter.value("stablehlo.clamp", [low, value, high], type=value.type)
    value = rewriter.value("stablehlo.round_nearest_even", [value], type=value.type)
    return convert(rewriter, value, q.storage_type)


def dequantize(rewriter: Rewriter, value: Value, q: QuantizedType) -> Value:
    """Dequantize storage elements to f32: `(value - zero_point) * scale`, the difference in i32."""
    scales = per_slice(rewriter, q, q.scales, F32)
    zero_points = per_slice(rewriter, q, q.zero_points, I32)
    value = broadcast(rewriter, "subtract", convert(rewriter, value, I32), zero_points, q.dimension)
    return broadcast(rewriter, "multiply", convert(rewriter, value, F32), scales, q.dimension)


def requantize(
    rewriter: Rewriter, value: Value, source: QuantizedType, target: QuantizedType, element: Type
) -> Value:
    """Convert storage elements to another quantized type, or to i32 with its scale and zero point.

    Both are one multiplication by `source.scale / target.scale` and one addition in f32.

    Args:
        rewriter: The rewriter.
        value: The storage elements.
        source: Their quantized type.
        target: The other type, with the same quantized dimension if both have one.
        element: The element type of the result. It is clamped to the target's range if it is narrower than
            32 bits.
    """
    if source is target:
        return convert(rewriter, value, element)
    value = convert(rewriter, value, F32)
    axis = target if target.dimension is not None else source
    count = len(axis.scales)
    scales = np.resize(source.scales, count) / np.resize(target.scales, count)
    zero_points = np.resize(target.zero_points, count) - np.resize(source.zero_points, count) * scales
    value = broadcast(
        rewriter, "multiply", value, per_slice(rewriter, axis, list(scales), F32), axis.dimension
    )
    if zero_points.any():
        constant = per_slice(rewriter, axis, list(zero_points), F32)
        value = broadcast(rewriter, "add", value, constant, axis.dimension)
    if isinstance(element, IntegerType) and element.width < I32.width:
        low, high = _bounds(rewriter, target, F32)
        value = rewriter.value("stablehlo.clamp", [low, value, high], type=value.type)
    value = rewriter.value("stablehlo.round_nearest_even", [value], type=value.type)
    return convert(rewriter, value, element)


def clamp_to_storage(rewriter: Rewriter, value: Value, q: QuantizedType) -> Value:
    """Clamp i32 elements to the range of a quantized type and convert them, unless its storage is i32."""
    if q.storage_type == I32:
        return value
    low, high = _bounds(rewriter, q, I32)
    value = rewriter.value("stablehlo.clamp", [low, value, high], type=value.type)
    return convert(rewriter, value, q.storage_type)


def _bounds(rewriter: Rewriter, q: QuantizedType, element: Type) -> tuple[Value, Value]:
    """Return constants of the smallest and largest storage value."""
    scalar = TensorType((), element)
    return rewriter.constant(q.storage_min, scalar), rewriter.constant(q.storage_max, scalar)
