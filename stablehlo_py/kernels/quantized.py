"""Quantized values: integers that stand for floating-point numbers.

An op that computes on them does so on the numbers: its operands are dequantized and its results
quantized. Ops that only move elements leave them as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import QuantizedType, TensorType, Type
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.registry import Array, DType, Ints, elementwise


@elementwise("stablehlo.uniform_quantize", "stablehlo.uniform_dequantize")
def uniform_quantize(operand: DType) -> Callable[[Array], Array]:
    return np.positive  # the conversion is in quantizing or dequantizing the value itself


def is_quantized(type: Type) -> bool:
    """Whether a type is a tensor of quantized elements."""
    return isinstance(type, TensorType) and isinstance(type.element_type, QuantizedType)


def is_per_tensor(type: Type) -> bool:
    """Whether one scale and one zero point are for all elements."""
    element = type.element_type if isinstance(type, TensorType) else None
    return isinstance(element, QuantizedType) and element.dimension is None and element.block_sizes is None


def expressed(type: Type) -> Type:
    """The type of the numbers that a quantized type stands for; other types as they are."""
    if isinstance(type, TensorType) and isinstance(type.element_type, QuantizedType):
        return TensorType(type.shape, type.element_type.expressed_type)
    return type


def dequantize(x: Array, type: QuantizedType) -> Array:
    """The numbers that the elements of storage stand for."""
    scales, zero_points = _parameters(type, x.shape)
    wide = np.int64 if n.bits(x.dtype) > 16 else np.int32
    shifted = (x.astype(wide) - zero_points.astype(wide)).astype(scales.dtype)
    result: Array = (shifted * scales).astype(numpy_dtype(type.expressed_type))
    return result


def quantize(x: Array, type: QuantizedType) -> Array:
    """The elements of storage nearest to numbers: scaled, moved, clamped, rounded to nearest even."""
    scales, zero_points = _parameters(type, np.shape(x))
    dtype = scales.dtype
    moved = x.astype(dtype) / scales + zero_points.astype(dtype)
    clamped = np.minimum(np.maximum(moved, dtype.type(type.storage_min)), dtype.type(type.storage_max))
    return n.converter(dtype, numpy_dtype(type.storage_type))(np.rint(clamped))


def _parameters(type: QuantizedType, shape: Ints) -> tuple[Array, Array]:
    """Scales and zero points, of shapes that broadcast to `shape`."""
    scales = np.array(type.scales, n.wide(numpy_dtype(type.expressed_type)))
    zero_points = np.array(type.zero_points, np.int64)
    if type.block_sizes is not None:
        return _per_element(scales, type, shape), _per_element(zero_points, type, shape)
    if type.dimension is None:
        return scales.reshape(()), zero_points.reshape(())
    column = [-1 if axis == type.dimension else 1 for axis in range(len(shape))]
    return scales.reshape(column), zero_points.reshape(column)


def _per_element(values: Array, type: QuantizedType, shape: Ints) -> Array:
    """One value for each element, from one for each block."""
    repeated = values.reshape(type.scales_shape or (-1,))
    for axis, size in enumerate(shape):
        repeated = np.repeat(repeated, size // repeated.shape[axis], axis)
    return repeated


def on_numbers(
    function: Callable[..., Any], operands: Sequence[Type], results: Sequence[Type], returns_tuple: bool
) -> Callable[..., Any]:
    """`function`, which computes on numbers, for quantized operands and results."""
    before = [_element(type) for type in operands]
    after = [_element(type) for type in results]

    def call(*arrays: Array) -> Any:
        numbers = [dequantize(x, q) if q else x for x, q in zip(arrays, before, strict=True)]
        found = function(*numbers)
        given = found if returns_tuple else (found,)
        stored = tuple([quantize(x, q) if q else x for x, q in zip(given, after, strict=True)])
        return stored if returns_tuple else stored[0]

    return call


def _element(type: Type) -> QuantizedType | None:
    found = type.element_type if isinstance(type, TensorType) else None
    return found if isinstance(found, QuantizedType) else None
