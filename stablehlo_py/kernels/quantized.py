"""Quantized values: integers that represent floating-point numbers.

Ops that compute dequantize their operands and quantize their results. Ops that only move elements work on the
storage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple, overload

import numpy as np

from stablehlo_py.ir.element_types import numpy_dtype, value_range
from stablehlo_py.ir.types import FloatType, IntegerType, QuantizedType, TensorType, Type
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.registry import Array, DType, Ints, elementwise
from stablehlo_py.opset.definition import OpDef


@elementwise("stablehlo.uniform_quantize", "stablehlo.uniform_dequantize")
def uniform_quantize(operand: DType) -> Callable[[Array], Array]:
    """Quantization, or requantization (uniform_quantize, uniform_dequantize)."""
    return np.positive  # quantizing or dequantizing operands and results does the conversion


def quantized_element(type: Type) -> QuantizedType | None:
    """Return the quantized element type of a tensor type, None for another type."""
    found = type.element_type if isinstance(type, TensorType) else None
    return found if isinstance(found, QuantizedType) else None


def is_quantized(type: Type) -> bool:
    """Return True if a type is a tensor of quantized elements."""
    return quantized_element(type) is not None


def computes_on_numbers(definition: OpDef, types: Sequence[Type]) -> bool:
    """Return True if an op has quantized operands or results and computes on the numbers they represent."""
    if not any(map(is_quantized, types)):
        return False
    if "choice" in definition.traits:
        return len({type for type in types if is_quantized(type)}) > 1
    return bool(definition.traits & {"elementwise", "expressed"})


def is_per_tensor(type: Type) -> bool:
    """Return True if one scale and one zero point apply to all elements."""
    element = quantized_element(type)
    return element is not None and element.dimension is None and element.block_sizes is None


@overload
def expressed(type: TensorType) -> TensorType: ...
@overload
def expressed(type: Type) -> Type: ...
def expressed(type: Type) -> Type:
    """Return the tensor type with the expressed element type; types without quantization unchanged."""
    element = quantized_element(type)
    if element is None:
        return type
    assert isinstance(type, TensorType)
    return replace(type, element_type=element.expressed_type)


def dequantize(x: Array, type: QuantizedType) -> Array:
    """Return the numbers that quantized storage represents.

    Args:
        x: Elements of the storage type.
        type: The quantized element type.

    Returns:
        An array of the same shape, of the expressed type.
    """
    scales, zero_points = _parameters(type, x.ndim)
    shape, x = x.shape, _in_blocks(x, type)
    wide = np.int64 if n.bits(x.dtype) > 16 else np.int32
    shifted = (x.astype(wide) - zero_points.astype(wide)).astype(scales.dtype)
    result: Array = (shifted * scales).astype(numpy_dtype(type.expressed_type))
    return result.reshape(shape)


def quantize(x: Array, type: QuantizedType) -> Array:
    """Quantize numbers: scale, add the zero point, clamp, round to nearest even.

    Args:
        x: Elements of the expressed type.
        type: The quantized element type.

    Returns:
        An array of the same shape, of the storage type.
    """
    scales, zero_points = _parameters(type, x.ndim)
    shape, x = x.shape, _in_blocks(x, type)
    dtype = scales.dtype
    moved = x.astype(dtype) / scales + zero_points.astype(dtype)
    whole = (type.storage_min, type.storage_max) == value_range(type.storage_type)
    if not whole:  # else the conversion clamps
        moved = np.minimum(np.maximum(moved, dtype.type(type.storage_min)), dtype.type(type.storage_max))
    return n.convert(np.rint(moved), numpy_dtype(type.storage_type)).reshape(shape)


class Sums(NamedTuple):
    """How a product of quantized operands is computed from exact sums of integers.

    Attributes:
        element: The type in which products of differences from zero points are exact, and their sums.
        scales: What the sums are multiplied by: one scale, or one for each slice of `dimension`.
        dimension: A dimension of the result.
        largest: The largest absolute values of the differences of either operand, and of a sum.
    """

    element: FloatType
    scales: tuple[float, ...]
    dimension: int | None
    largest: tuple[int, int, int]

    def fits(self, term: int, total: int) -> bool:
        """Test whether signed integers of so many bits hold the differences and the sums."""
        *terms, largest = self.largest
        return max(terms) < 1 << term - 1 and largest < 1 << total - 1

    def type_of(self, type: Type) -> TensorType:
        """Return the type of an operand or result of the sums, which is a tensor."""
        assert isinstance(type, TensorType)
        return TensorType(type.shape, self.element)


def sums_of(name: str, keywords: Mapping[str, Any], lhs: Type, rhs: Type) -> Sums | None:
    """Return how a product is computed from sums of integers, None where that is not exact.

    Args:
        name: The name of the op.
        keywords: Its attribute values.
        lhs: The type of the left operand; it has one scale.
        rhs: The type of the right operand, with one scale, or one for each slice of a dimension.
    """
    shape_of = _SUMS.get(name)
    if shape_of is None or keywords.get("accumulation_type") is not None:
        return None
    if not all(isinstance(type, TensorType) and type.is_static for type in (lhs, rhs)):
        return None
    left, right = quantized_element(lhs), quantized_element(rhs)
    if left is None or right is None or not is_per_tensor(lhs) or right.block_sizes is not None:
        return None
    terms, dimension = shape_of(keywords, lhs, rhs, right.dimension)
    differences = _largest_difference(left), _largest_difference(right)
    largest = prod(differences) * terms
    element = next((type for type, most in _EXACT.items() if largest <= most), None)
    if element is None:
        return None
    scales = tuple([left.scales[0] * scale for scale in right.scales])
    return Sums(element, scales, dimension, (*differences, largest))


_EXACT = {FloatType("f32"): 1 << 24, FloatType("f64"): 1 << 53}  # integers up to which all are exact


def _largest_difference(type: QuantizedType) -> int:
    """Return the largest absolute value of a difference from a zero point."""
    storage = type.storage_type
    assert isinstance(storage, IntegerType)
    unsigned = storage.signedness == "u"
    least = 0 if unsigned else -(1 << storage.width - 1)
    most = (1 << storage.width - (not unsigned)) - 1
    return max(max(zero - least, most - zero) for zero in type.zero_points)


def _of_dot(keywords: Mapping[str, Any], lhs: Any, rhs: Any, dimension: int | None) -> tuple[int, int | None]:
    """Return the number of terms of a sum of dot_general, and which dimension of the result one of rhs is."""
    contracted, batching = keywords["rhs_contracting_dimensions"], keywords["rhs_batching_dimensions"]
    terms = prod([rhs.shape[d] for d in contracted])
    if dimension is None or dimension in batching:
        return terms, dimension if dimension is None else batching.index(dimension)
    free = [d for d in range(rhs.rank) if d not in (*contracted, *batching)]
    return terms, lhs.rank - len(contracted) + free.index(dimension)


def _of_convolution(
    keywords: Mapping[str, Any], lhs: Any, rhs: Any, dimension: int | None
) -> tuple[int, int | None]:
    """Return the same of a convolution, whose kernel has scales of output features."""
    terms = prod([n for d, n in enumerate(rhs.shape) if d != keywords["kernel_output_feature_dimension"]])
    return terms, None if dimension is None else keywords["output_feature_dimension"]


_SUMS = {"stablehlo.dot_general": _of_dot, "stablehlo.convolution": _of_convolution}


def on_integers(function: Callable[..., Array], sums: Sums, types: Sequence[Type]) -> Callable[..., Array]:
    """Wrap a product of floats to take and return quantized storage.

    Args:
        function: A kernel, whose operands and result are of the sums' type.
        sums: How it is computed.
        types: The types of the operands and of the result.
    """
    left, right, result = [quantized_element(type) for type in types]
    assert left is not None and right is not None and result is not None
    dtype = numpy_dtype(sums.element)

    def call(lhs: Array, rhs: Array, **keywords: Any) -> Array:
        product = function(_difference(lhs, left, dtype), _difference(rhs, right, dtype), **keywords)
        scales = np.array(sums.scales, n.wide(numpy_dtype(result.expressed_type)))
        column = [-1 if axis == sums.dimension else 1 for axis in range(product.ndim)]
        numbers = product.astype(scales.dtype) * scales.reshape(column)
        return quantize(numbers.astype(numpy_dtype(result.expressed_type)), result)

    return call


def _difference(x: Array, type: QuantizedType, dtype: DType) -> Array:
    """Return how far elements are from their zero points."""
    found: Array = x.astype(dtype)
    if any(type.zero_points):
        found -= _parameters(type, x.ndim)[1].astype(dtype)
    return found


def _parameters(type: QuantizedType, rank: int) -> tuple[Array, Array]:
    """Return scales and zero points, in shapes that broadcast to arrays of a rank, or to their blocks."""
    scales = np.array(type.scales, n.wide(numpy_dtype(type.expressed_type)))
    zero_points = np.array(type.zero_points, np.int64)
    column = [] if type.dimension is None else [-1 if d == type.dimension else 1 for d in range(rank)]
    if type.block_sizes is not None:
        column = [extent for count in _block_counts(type) for extent in (count, 1)]
    return scales.reshape(column), zero_points.reshape(column)


def _block_counts(type: QuantizedType) -> Ints:
    return type.scales_shape or (len(type.scales),)


def _in_blocks(x: Array, type: QuantizedType) -> Array:
    """Return an array with two dimensions for each one that has blocks: the blocks, and their elements."""
    if type.block_sizes is None:
        return x
    pairs = zip(x.shape, _block_counts(type), strict=True)
    return x.reshape(*[extent for size, count in pairs for extent in (count, size // count)])


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
    before = [quantized_element(type) for type in operands]
    after = [quantized_element(type) for type in results]

    def call(*arrays: Array) -> Any:
        numbers = [dequantize(x, q) if q else x for x, q in zip(arrays, before, strict=True)]
        found = function(*numbers)
        given = found if returns_tuple else (found,)
        stored = tuple([quantize(x, q) if q else x for x, q in zip(given, after, strict=True)])
        return stored if returns_tuple else stored[0]

    return call
