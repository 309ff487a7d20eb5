"""Constants, and ops that move elements without changing them; views wherever memory allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from operator import itemgetter, methodcaller
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.element_types import bit_width, numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.registry import Array, Ints, kernel, specialized
from stablehlo_py.kernels.slabs import Cut, outer_dimension

_MOST = 1 << 60  # elements; NumPy's arithmetic on sizes overflows above


@kernel("stablehlo.constant", view=True)
def constant(*, value: Array) -> Array:
    """Constant value (constant)."""
    return value


@kernel("stablehlo.iota", view=True)
def iota(*, iota_dimension: int, output: Type) -> Array:
    """Elements that count along a dimension (iota)."""
    return iota_array(static_shape(output), iota_dimension, output)


def iota_array(shape: Ints, dimension: int, output: Type) -> Array:
    """Return an array whose elements count along one dimension.

    Args:
        shape: The shape of the array.
        dimension: The dimension to count along.
        output: A type with the element type of the array.

    Returns:
        A read-only view of one row, broadcast to `shape`.
    """
    if prod(shape) > _MOST:
        raise MemoryError
    counted = np.arange(shape[dimension]).astype(element_dtype(output))
    column = counted.reshape(-1, *[1] * (len(shape) - dimension - 1))
    return np.broadcast_to(column, shape)


@kernel("stablehlo.broadcast_in_dim", view=True)
def broadcast_in_dim(operand: Array, *, broadcast_dimensions: Ints, result: Type) -> Array:
    """Elements repeated along dimensions (broadcast_in_dim)."""
    return broadcast_to_dims(operand, broadcast_dimensions, static_shape(result))


@specialized("stablehlo.broadcast_in_dim")
def specialized_broadcast_in_dim(
    types: Sequence[TensorType], *, broadcast_dimensions: Ints, result: TensorType
) -> Callable[..., Any] | None:
    """Kernel of broadcast_in_dim for known shapes."""
    ordered = tuple(sorted(broadcast_dimensions)) == tuple(broadcast_dimensions)
    return specialized_reshape(types, result=result) if ordered and types[0].size == result.size else None


def broadcast_to_dims(operand: Array, dimensions: Ints, shape: Ints) -> Array:
    """Broadcast by dimensions, as a view.

    Args:
        operand: The array.
        dimensions: For each dimension of the operand, the dimension of the result.
        shape: The shape of the result.
    """
    if tuple(sorted(dimensions)) != tuple(dimensions):
        order = sorted(range(len(dimensions)), key=dimensions.__getitem__)
        operand, dimensions = operand.transpose(order), tuple([dimensions[i] for i in order])
    spread = [1] * len(shape)
    for dimension, size in zip(dimensions, operand.shape, strict=True):
        spread[dimension] = size
    column = operand.reshape(spread)
    return column if column.shape == shape else np.broadcast_to(column, shape)


@kernel("stablehlo.broadcast", view=True)
def broadcast(operand: Array, *, broadcast_sizes: Ints) -> Array:
    """Elements repeated along new leading dimensions (broadcast)."""
    return np.broadcast_to(operand, (*broadcast_sizes, *operand.shape))


@kernel("stablehlo.reshape", view=True)
def reshape(operand: Array, *, result: Type) -> Array:
    """Elements in a new shape, in row-major order (reshape)."""
    return operand.reshape(static_shape(result))


@specialized("stablehlo.reshape")
def specialized_reshape(types: Sequence[TensorType], *, result: TensorType) -> Callable[..., Any] | None:
    """Kernel of reshape for known shapes."""
    if not result.is_static:
        return None
    return methodcaller("reshape", static_shape(result))


@kernel("stablehlo.transpose", view=True)
def transpose(operand: Array, *, permutation: Ints) -> Array:
    """Permutation of dimensions (transpose)."""
    return operand.transpose(permutation)


@specialized("stablehlo.transpose")
def specialized_transpose(types: Sequence[TensorType], *, permutation: Ints) -> Callable[..., Any]:
    """Kernel of transpose for known shapes."""
    return methodcaller("transpose", permutation)


@kernel("stablehlo.reverse", view=True)
def reverse(operand: Array, *, dimensions: Ints) -> Array:
    """Elements in reverse order along dimensions (reverse)."""
    return operand[tuple([slice(None, None, -1 if d in dimensions else 1) for d in range(operand.ndim)])]


@kernel("stablehlo.slice", view=True)
def slice_(operand: Array, *, start_indices: Ints, limit_indices: Ints, strides: Ints) -> Array:
    """Slice with constant bounds and strides (slice)."""
    return operand[tuple(map(slice, start_indices, limit_indices, strides))]


@specialized("stablehlo.slice")
def specialized_slice(
    types: Sequence[TensorType], *, start_indices: Ints, limit_indices: Ints, strides: Ints
) -> Callable[..., Any] | None:
    """Kernel of slice for known shapes."""
    if not start_indices:
        return None
    return itemgetter(tuple(map(slice, start_indices, limit_indices, strides)))


@kernel("stablehlo.pad")
def pad(
    operand: Array,
    padding_value: Array,
    *,
    edge_padding_low: Ints,
    edge_padding_high: Ints,
    interior_padding: Ints,
) -> Array:
    """Padding before, after and between elements (pad)."""
    return pad_array(operand, padding_value, edge_padding_low, edge_padding_high, interior_padding)


def pad_array(operand: Array, value: Array, low: Ints, high: Ints, interior: Ints) -> Array:
    """Pad before, after and between elements; negative edge padding removes elements.

    Args:
        operand: The array.
        value: The padding value, of shape ().
        low: Elements to add before each dimension.
        high: Elements to add after each dimension.
        interior: Elements to add between neighbors along each dimension.
    """
    inner = [size + max(size - 1, 0) * between for size, between in zip(operand.shape, interior, strict=True)]
    shape = [max(a + size + b, 0) for a, size, b in zip(low, inner, high, strict=True)]
    result = np.full(shape, value, operand.dtype)
    target, source = [], []
    for size, before, between, end in zip(operand.shape, low, interior, shape, strict=True):
        step = between + 1
        first = max(0, -(before // step)) if before < 0 else 0
        last = min(size, (end - 1 - before) // step + 1) if end > 0 else 0
        last = max(last, first)
        source.append(slice(first, last))
        start = before + first * step
        target.append(slice(start, start + (last - first) * step, step) if last > first else slice(0, 0))
    result[tuple(target)] = operand[tuple(source)]
    return result


@kernel("stablehlo.concatenate")
def concatenate(inputs: tuple[Array, ...], *, dimension: int) -> Array:
    """Arrays joined along a dimension (concatenate)."""
    return np.concatenate(inputs, dimension)


@specialized("stablehlo.concatenate")
def specialized_concatenate(types: Sequence[TensorType], *, dimension: int) -> Callable[..., Any]:
    """Kernel of concatenate for known shapes."""
    return lambda *inputs: np.concatenate(inputs, dimension)


@kernel("stablehlo.dynamic_slice", view=True)
def dynamic_slice(operand: Array, start_indices: tuple[Array, ...], *, slice_sizes: Ints) -> Array:
    """Slice at start indices given as operands, clamped to lie within the operand (dynamic_slice)."""
    return operand[clamped_slices(operand.shape, start_indices, slice_sizes)]


@specialized("stablehlo.dynamic_slice")
def specialized_dynamic_slice(types: Sequence[TensorType], *, slice_sizes: Ints) -> Callable[..., Any]:
    """Kernel of dynamic_slice for known shapes."""
    index = _clamped_index(static_shape(types[0]), slice_sizes)
    return lambda operand, *starts: operand[index(starts)]


@kernel("stablehlo.dynamic_update_slice", overwrites="operand")
def dynamic_update_slice(
    operand: Array, update: Array, start_indices: tuple[Array, ...], *, overwrite: bool = False
) -> Array:
    """Operand with a slice replaced, at clamped start indices (dynamic_update_slice)."""
    result = operand if overwrite and operand.flags.writeable else operand.copy()
    result[clamped_slices(operand.shape, start_indices, update.shape)] = update
    return result


@specialized("stablehlo.dynamic_update_slice")
def specialized_dynamic_update_slice(
    types: Sequence[TensorType], *, overwrite: bool = False
) -> Callable[..., Any]:
    """Kernel of dynamic_update_slice for known shapes."""
    index = _clamped_index(static_shape(types[0]), static_shape(types[1]))

    def update_slice(operand: Array, update: Array, *starts: Array) -> Array:
        result = operand if overwrite and operand.flags.writeable else operand.copy()
        result[index(starts)] = update
        return result

    return update_slice


def _clamped_index(shape: Ints, sizes: Ints) -> Callable[[Sequence[Array]], tuple[slice, ...]]:
    """Return a function from start indices to slices of `sizes` within `shape`; full slices start at 0."""
    whole = [slice(0, size) for size in sizes]
    rows = [
        (axis, limit - size, size)
        for axis, (limit, size) in enumerate(zip(shape, sizes, strict=True))
        if limit > size
    ]

    def index(starts: Sequence[Array]) -> tuple[slice, ...]:
        found = whole.copy()
        for axis, last, size in rows:
            first = max(0, min(int(starts[axis]), last))
            found[axis] = slice(first, first + size)
        return tuple(found)

    return index


def clamped_slices(shape: Ints, starts: tuple[Array, ...], sizes: Ints) -> tuple[slice, ...]:
    """Return slices of `sizes` at start indices clamped so that they lie within `shape`.

    Args:
        shape: The shape of the array.
        starts: A start index of shape () for each dimension.
        sizes: The sizes of the slices.
    """
    found = []
    for limit, start, size in zip(shape, starts, sizes, strict=True):
        first = max(0, min(int(start), limit - size))
        found.append(slice(first, first + size))
    return tuple(found)


@kernel("stablehlo.get_dimension_size")
def get_dimension_size(operand: Array, *, dimension: int) -> Array:
    """Size of a dimension, as i32 (get_dimension_size)."""
    return np.array(operand.shape[dimension], np.int32)


@kernel("stablehlo.set_dimension_size", view=True)
def set_dimension_size(operand: Array, size: Array, *, dimension: int) -> Array:
    """Operand cut to a size of a bounded dimension (set_dimension_size)."""
    limit = int(size)
    if not 0 <= limit <= operand.shape[dimension]:
        raise RunError(f"size {limit} is not within a dimension of size {operand.shape[dimension]}")
    return operand[(*[slice(None)] * dimension, slice(0, limit))]


def _slabs_of_bits(operand: Array, *, result: TensorType) -> Cut | None:
    """Cut a dimension that both types have."""
    axis = outer_dimension(operand, range(min(operand.ndim, result.rank)))
    return None if axis is None else Cut((axis,), axis)


@kernel("stablehlo.bitcast_convert", view=True, lifted="itself", slabs=_slabs_of_bits)
def bitcast_convert(operand: Array, *, result: Type) -> Array:
    """Bits reinterpreted as another element type (bitcast_convert)."""
    dtype = element_dtype(result)
    assert isinstance(result, TensorType)
    if _is_whole(operand.dtype) and _is_whole(dtype):
        if operand.dtype.itemsize == dtype.itemsize:
            return operand.view(dtype)
        if operand.dtype.itemsize > dtype.itemsize:
            return np.ascontiguousarray(operand[..., None]).view(dtype)
        return np.ascontiguousarray(operand).view(dtype)[..., 0]
    pattern = n.to_bits(operand)
    width = bit_width(result.element_type)
    if pattern.shape[-1] > width:
        parts = pattern.reshape(*operand.shape, pattern.shape[-1] // width, width)
        return n.from_bits(parts, dtype)
    if pattern.shape[-1] < width:
        pattern = pattern.reshape(*operand.shape[:-1], width)
    return n.from_bits(pattern, dtype)


def _is_whole(dtype: np.dtype[Any]) -> bool:
    """Return True if an element of the type fills its bytes."""
    return dtype.kind == "c" or n.bits(dtype) == 8 * dtype.itemsize


# Tuples


@kernel("stablehlo.tuple", view=True)
def tuple_(val: tuple[Any, ...]) -> tuple[Any, ...]:
    """Tuple of values (tuple)."""
    return val


@kernel("stablehlo.get_tuple_element", view=True)
def get_tuple_element(operand: tuple[Any, ...], *, index: int) -> Any:
    """Element of a tuple (get_tuple_element)."""
    return operand[index]


# Types


def static_shape(type: Type) -> Ints:
    """Return the shape of a tensor type.

    Raises:
        RunError: A dimension is unknown, and no operand determines it.
    """
    assert isinstance(type, TensorType)
    if not type.is_static:
        raise RunError(
            f"the sizes of a result of type {type} are unknown at run time: a static type is needed"
        )
    return type.shape  # type: ignore[return-value]


def element_dtype(type: Type) -> np.dtype[Any]:
    """Return the NumPy type of a tensor type's elements."""
    assert isinstance(type, TensorType)
    return numpy_dtype(type.element_type)


def element_count(shape: Ints) -> int:
    """Return the number of elements of a shape."""
    return prod(shape)
