"""Quantized values: integers that represent floating-point numbers.

Ops that compute dequantize their operands and quantize their results. Ops that only move elements work on the
storage.
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
    """Quantization, or requantization (uniform_quantize, uniform_dequantize)."""
    return np.positive  # quantizing or dequantizing operands and results does the conversion


def is_quantized(type: Type) -> bool:
    """Return True if a type is a tensor of quantized elements."""
    return isinstance(type, TensorType) and isinstance(type.element_type, QuantizedType)


def is_per_tensor(type: Type) -> bool:
    """Return True if one scale and one zero point apply to all elements."""
    element = type.element_type if isinstance(type, TensorType) else None
    return isinstance(element, QuantizedType) and element.dimension is None and element.block_sizes is None


def expressed(type: Type) -> Type:
    """Return the tensor type with the expressed element type; types without quantization unchanged."""
    if isinstance(type, TensorType) and isinstance(type.element_type, QuantizedType):
        return TensorType(type.shape, type.element_type.expressed_type)
    return type


def dequantize(x: Array, type: QuantizedType) -> Array:
    """Return the numbers that quantized storage represents.

    Args:
        x: Elements of the storage type.
        type: The quantized element type.

    Returns:
        An array of the same shape, of the expressed type.
    """
    scales, zero_points = _parameters(type, x.shape)
    wide = np.int64 if n.bits(x.dtype) > 16 else np.int32
    shifted = (x.astype(wide) - zero_points.astype(wide)).astype(scales.dtype)
    result: Array = (shifted * scales).astype(numpy_dtype(type.expressed_type))
    return result


def quantize(x: Array, type: QuantizedType) -> Array:
    """Quantize numbers: scale, add the zero point, clamp, round to nearest even.

    Args:
        x: Elements of the expressed type.
        type: The quantized element type.

    Returns:
        An array of the same shape, of the storage type.
    """
    scales, zero_points = _parameters(type, np.shape(x))
    dtype = scales.dtype
    moved = x.astype(dtype) / scales + zero_points.astype(dtype)
    clamped = np.minimum(np.maximum(moved, dtype.type(type.storage_min)), dtype.type(type.storage_max))
    return n.converter(dtype, numpy_dtype(type.storage_type))(np.rint(clamped))


def _parameters(type: QuantizedType, shape: Ints) -> tuple[Array, Array]:
    """Return scales and zero points, in shapes that broadcast to `shape`."""
    scales = np.array(type.scales, n.wide(numpy_dtype(type.expressed_type)))
    zero_points = np.array(type.zero_points, np.int64)
    if type.block_sizes is not None:
        return _per_element(scales, type, shape), _per_element(zero_points, type, shape)
    if type.dimension is None:
        return scales.reshape(()), zero_points.reshape(())
    column = [-1 if axis == type.dimension else 1 for axis in range(len(shape))]
    return scales.reshape(column), zero_points.reshape(column)


def _per_element(values: Array, type: QuantizedType, shape: Ints) -> Array:
    """Return one value per element, from one value per block."""
    repeated = values.reshape(type.scales_shape or (-1,))
    for axis, size in enumerate(shape):
        repeated = np.repeat(repeated, size // repeated.shape[axis], axis)
    return repeated


def on_numbers(
    function: Callable[..., Any], operands: Sequence[Type], results: Sequence[Type], returns_tuple: bool
) -> Callable[..., Any]:
    """Wrap a function on numbers to take and return quantized storage.

    Args:
        function: A kernel on expressed values.
        operands: The types of the operands.
        results: The types of the results.
        returns_tuple: Whether the function returns a tuple.
    """
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
