"""Dot products: dot_general, dot and einsum.

A product is lowered to one product of two stacks of matrices, (batch..., M, K) x (batch..., K, N), which are
views of the operands where their strides allow it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import FloatType, TensorType, Type
from stablehlo_py.kernels.numeric.matrix_product import LONG, cast, matrix_product
from stablehlo_py.kernels.numeric.numerics import dtype_kind, wide
from stablehlo_py.kernels.registry import Array, DType, Ints, kernel, specialized
from stablehlo_py.kernels.shape import static_shape
from stablehlo_py.kernels.slabs import Cut, outer_dimension

_SLAB = 1 << 23  # bytes of an operand: smaller slabs are slow to multiply,
_ROWS = 128  # as are few rows


def _slabs(
    lhs: Array,
    rhs: Array,
    *,
    lhs_batching_dimensions: Ints,
    rhs_batching_dimensions: Ints,
    lhs_contracting_dimensions: Ints,
    rhs_contracting_dimensions: Ints,
    result: TensorType,
) -> Cut | None:
    """Cut a batch, or the larger operand, unless BLAS takes the operands as they are."""
    taken = (
        lhs_batching_dimensions + lhs_contracting_dimensions,
        rhs_batching_dimensions + rhs_contracting_dimensions,
    )
    free = _others(lhs.ndim, taken[0]), _others(rhs.ndim, taken[1])
    batches = len(lhs_batching_dimensions)
    dtype = numpy_dtype(result.element_type)
    is_plain = lhs.dtype == dtype == wide(dtype) and dtype_kind(dtype) in "fc"
    if is_plain and max(len(free[0]), len(free[1]), len(lhs_contracting_dimensions)) <= 1:
        return None
    if batches and (axis := outer_dimension(lhs, lhs_batching_dimensions)) is not None:
        number = lhs_batching_dimensions.index(axis)
        return Cut((axis, rhs_batching_dimensions[number]), number)
    if lhs.nbytes >= rhs.nbytes:
        axis = outer_dimension(lhs, free[0])
        return None if axis is None else Cut((axis, None), batches + free[0].index(axis), _SLAB, _ROWS)
    axis = outer_dimension(rhs, free[1])
    at = batches + len(free[0])
    return None if axis is None else Cut((None, axis), at + free[1].index(axis), _SLAB, _ROWS)


@kernel("stablehlo.dot_general", slabs=_slabs)
def dot_general(
    lhs: Array,
    rhs: Array,
    *,
    lhs_batching_dimensions: Ints,
    rhs_batching_dimensions: Ints,
    lhs_contracting_dimensions: Ints,
    rhs_contracting_dimensions: Ints,
    lhs_precision_type: Type | None = None,
    rhs_precision_type: Type | None = None,
    accumulation_type: Type | None = None,
    lhs_component_count: int | None = None,
    rhs_component_count: int | None = None,
    num_primitive_operations: int | None = None,
    result: TensorType,
) -> Array:
    """Dot products over contracting dimensions; result dimensions: batching, lhs, rhs (dot_general)."""
    layout = _layout(
        lhs.shape,
        rhs.shape,
        lhs_batching_dimensions,
        rhs_batching_dimensions,
        lhs_contracting_dimensions,
        rhs_contracting_dimensions,
    )
    left = lhs.transpose(layout.lhs_axes).reshape(layout.lhs_shape)
    right = rhs.transpose(layout.rhs_axes).reshape(layout.rhs_shape)
    dtype = numpy_dtype(result.element_type)
    if accumulation_type is None or dtype_kind(lhs.dtype) in "biu":
        return matrix_product(left, right, dtype).reshape(layout.shape)
    left_parts = _components(left, lhs_precision_type, lhs_component_count or 1)
    right_parts = _components(right, rhs_precision_type, rhs_component_count or 1)
    product = _sum_of_products(left_parts, right_parts, num_primitive_operations or 1, accumulation_type)
    return cast(product, dtype).reshape(layout.shape)


@specialized("stablehlo.dot_general")
def specialized_dot_general(
    types: Sequence[TensorType], *, result: TensorType, **keywords: Any
) -> Callable[..., Any] | None:
    """Return a product of matrices that need no transposition, in their own type, if it is not long."""
    lhs, rhs = types
    dtype = numpy_dtype(result.element_type)
    same = lhs.element_type is rhs.element_type is result.element_type
    if (
        keywords.get("accumulation_type") is not None
        or not same
        or dtype_kind(dtype) != "f"
        or wide(dtype) != dtype
    ):
        return None
    layout = layout_of(static_shape(lhs), static_shape(rhs), keywords)
    in_order = layout.lhs_axes == layout.rhs_axes == (0, 1)
    if not in_order or (layout.lhs_shape, layout.rhs_shape) != (lhs.shape, rhs.shape):
        return None
    rows, terms = static_shape(lhs)
    is_long = rows * terms * layout.shape[-1] >= 2 * LONG
    return np.dot if layout.shape == (rows, rhs.shape[1]) and not is_long else None


class MatmulLayout(NamedTuple):
    """Permutations and shapes that lower a dot product to a product of stacks of matrices."""

    lhs_axes: Ints
    lhs_shape: Ints
    rhs_axes: Ints
    rhs_shape: Ints
    shape: Ints


def layout_of(lhs_shape: Ints, rhs_shape: Ints, keywords: Mapping[str, Any]) -> MatmulLayout:
    """Return the layout of a dot product.

    Args:
        lhs_shape: The shape of lhs.
        rhs_shape: The shape of rhs.
        keywords: The keywords of `dot_general`: its batching and contracting dimensions.
    """
    names = ("batching", "contracting")
    dimensions = [keywords[f"{side}_{name}_dimensions"] for name in names for side in ("lhs", "rhs")]
    return _layout(lhs_shape, rhs_shape, *dimensions)


@lru_cache(4096)
def _layout(
    lhs_shape: Ints,
    rhs_shape: Ints,
    lhs_batching: Ints,
    rhs_batching: Ints,
    lhs_contracting: Ints,
    rhs_contracting: Ints,
) -> MatmulLayout:
    pairs = sorted(zip(lhs_contracting, rhs_contracting, strict=True))  # in the memory order of lhs
    lhs_contracted, rhs_contracted = tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)
    lhs_result = _others(len(lhs_shape), lhs_batching + lhs_contracted)
    rhs_result = _others(len(rhs_shape), rhs_batching + rhs_contracted)
    batch, rows = _sizes(lhs_shape, lhs_batching), _sizes(lhs_shape, lhs_result)
    terms, columns = math.prod(_sizes(lhs_shape, lhs_contracted)), _sizes(rhs_shape, rhs_result)
    return MatmulLayout(
        lhs_batching + lhs_result + lhs_contracted,
        (*batch, math.prod(rows), terms),
        rhs_batching + rhs_contracted + rhs_result,
        (*batch, terms, math.prod(columns)),
        batch + rows + columns,
    )


def _others(rank: int, dimensions: Ints) -> Ints:
    return tuple(d for d in range(rank) if d not in dimensions)


def _sizes(shape: Ints, dimensions: Ints) -> Ints:
    return tuple(shape[d] for d in dimensions)


def _components(array: Array, precision: Type | None, count: int) -> list[Array]:
    """Split an array into `count` components of a precision, largest first, whose sum approximates it."""
    rest = array.astype(np.float64 if array.dtype == np.float64 else np.float32)
    parts = []
    for _ in range(count):
        parts.append(_rounded(rest, precision))
        rest = rest - parts[-1]
    return parts


def _rounded(array: Array, precision: Type | None) -> Array:
    """Round an array to a precision, keeping its type."""
    if precision is None:
        return array
    if precision is FloatType("tf32"):  # f32 with 10 bits of fraction
        bits = array.astype(np.float32).view(np.uint32)
        half = np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))
        rounded = ((bits + half) & np.uint32(0xFFFFE000)).view(np.float32)
        return np.where(np.isfinite(array), rounded, array).astype(array.dtype)
    return array.astype(numpy_dtype(precision)).astype(array.dtype)


def _sum_of_products(lhs: list[Array], rhs: list[Array], count: int, accumulation: Type) -> Array:
    """Return the sum of the `count` most significant products of components, smallest first."""
    dtype = np.dtype(np.float32) if accumulation is FloatType("tf32") else numpy_dtype(accumulation)
    pairs = sorted(((i + j, i, j) for i in range(len(lhs)) for j in range(len(rhs))), reverse=True)
    products = [matrix_product(lhs[i], rhs[j], wide(dtype)) for _, i, j in pairs[-count:]]
    return cast(np.add.reduce(products), dtype)


@kernel("stablehlo.dot")
def dot(lhs: Array, rhs: Array, *, result: TensorType) -> Array:
    """Contract the last dimension of lhs with the first of rhs: vectors and matrices (dot)."""
    product: Array = dot_general(
        lhs,
        rhs,
        lhs_batching_dimensions=(),
        rhs_batching_dimensions=(),
        lhs_contracting_dimensions=(lhs.ndim - 1,),
        rhs_contracting_dimensions=(0,),
        result=result,
    )
    return product


@kernel("stablehlo.einsum")
def einsum(lhs: Array, rhs: Array, *, einsum_config: str, result: TensorType) -> Array:
    """Einstein summation of two operands, such as "ab,bc->ac" (einsum)."""
    return _einsum(einsum_config, (lhs, rhs), numpy_dtype(result.element_type))


@kernel("stablehlo.unary_einsum")
def unary_einsum(operand: Array, *, einsum_config: str, result: TensorType) -> Array:
    """Einstein summation of one operand, such as "ab->a" (unary_einsum)."""
    return _einsum(einsum_config, (operand,), numpy_dtype(result.element_type))


def _einsum(config: str, operands: tuple[Array, ...], dtype: DType) -> Array:
    arrays = [cast(operand, wide(dtype)) for operand in operands]
    product = np.einsum(config, *arrays, optimize=len(arrays) > 1)
    return np.array(product, dtype)  # a copy: NumPy gives views for transpositions
