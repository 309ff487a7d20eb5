"""Ops with shapes given as operands; they share the implementation of their static forms."""

from __future__ import annotations

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.convolution import convolution
from stablehlo_py.kernels.registry import Array, Ints, kernel
from stablehlo_py.kernels.shape import broadcast_to_dims, iota_array, pad_array


def integers(array: Array) -> Ints:
    """Return the elements of a 1-dimensional tensor as Python integers."""
    return tuple(map(int, np.asarray(array).tolist()))


@kernel("stablehlo.dynamic_broadcast_in_dim", view=True)
def dynamic_broadcast_in_dim(
    operand: Array, output_dimensions: Array, *, broadcast_dimensions: Ints
) -> Array:
    """Broadcast to a shape given as an operand (dynamic_broadcast_in_dim)."""
    shape = integers(output_dimensions)
    fits = all(have in (1, shape[d]) for have, d in zip(operand.shape, broadcast_dimensions, strict=True))
    if not fits:
        raise RunError(f"shape {list(operand.shape)} does not broadcast to {list(shape)}")
    return broadcast_to_dims(operand, broadcast_dimensions, shape)


@kernel("stablehlo.dynamic_reshape", view=True)
def dynamic_reshape(operand: Array, output_shape: Array) -> Array:
    """Reshape to a shape given as an operand (dynamic_reshape)."""
    shape = integers(output_shape)
    if np.prod(shape, dtype=np.int64) != operand.size:
        raise RunError(f"{operand.size} elements do not fill the shape {list(shape)}")
    return operand.reshape(shape)


@kernel("stablehlo.dynamic_iota", view=True)
def dynamic_iota(output_shape: Array, *, iota_dimension: int, result: Type) -> Array:
    """Count along a dimension of a shape given as an operand (dynamic_iota)."""
    return iota_array(integers(output_shape), iota_dimension, result)


@kernel("stablehlo.dynamic_pad")
def dynamic_pad(
    operand: Array,
    padding_value: Array,
    edge_padding_low: Array,
    edge_padding_high: Array,
    interior_padding: Array,
) -> Array:
    """Pad by amounts given as operands (dynamic_pad)."""
    low, high, interior = map(integers, (edge_padding_low, edge_padding_high, interior_padding))
    return pad_array(operand, padding_value, low, high, interior)


@kernel("stablehlo.dynamic_conv")
def dynamic_conv(
    lhs: Array,
    rhs: Array,
    padding: Array,
    *,
    window_strides: Ints,
    lhs_dilation: Ints,
    rhs_dilation: Ints,
    window_reversal: tuple[bool, ...],
    input_batch_dimension: int,
    input_feature_dimension: int,
    input_spatial_dimensions: Ints,
    kernel_input_feature_dimension: int,
    kernel_output_feature_dimension: int,
    kernel_spatial_dimensions: Ints,
    output_batch_dimension: int,
    output_feature_dimension: int,
    output_spatial_dimensions: Ints,
    feature_group_count: int,
    batch_group_count: int,
    result: TensorType,
) -> Array:
    """Convolution with padding given as an operand (dynamic_conv)."""
    return convolution(  # type: ignore[no-any-return]
        lhs,
        rhs,
        padding=padding,
        window_strides=window_strides,
        lhs_dilation=lhs_dilation,
        rhs_dilation=rhs_dilation,
        window_reversal=window_reversal,
        input_batch_dimension=input_batch_dimension,
        input_feature_dimension=input_feature_dimension,
        input_spatial_dimensions=input_spatial_dimensions,
        kernel_input_feature_dimension=kernel_input_feature_dimension,
        kernel_output_feature_dimension=kernel_output_feature_dimension,
        kernel_spatial_dimensions=kernel_spatial_dimensions,
        output_batch_dimension=output_batch_dimension,
        output_feature_dimension=output_feature_dimension,
        output_spatial_dimensions=output_spatial_dimensions,
        feature_group_count=feature_group_count,
        batch_group_count=batch_group_count,
        result=result,
    )


@kernel("stablehlo.real_dynamic_slice", view=True)
def real_dynamic_slice(operand: Array, start_indices: Array, limit_indices: Array, strides: Array) -> Array:
    """Slice with bounds and strides given as operands (real_dynamic_slice)."""
    bounds = zip(*map(integers, (start_indices, limit_indices, strides)), operand.shape, strict=True)
    found = []
    for start, limit, stride, size in bounds:
        if not (0 <= start <= limit <= size and stride > 0):
            raise RunError(f"slice {start}:{limit}:{stride} is not within a dimension of size {size}")
        found.append(slice(start, limit, stride))
    return operand[tuple(found)]
