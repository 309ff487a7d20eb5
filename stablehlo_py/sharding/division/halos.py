"""Halo exchange: devices get from their neighbours what windows reach of a divided dimension."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablehlo_py.ir.attributes import DenseArrayAttr, EnumAttr, integer
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import I1, I32, I64, TensorType, Type
from stablehlo_py.sharding.axes import Axes
from stablehlo_py.sharding.division.devices import Ints
from stablehlo_py.sharding.division.emitter import Emitter
from stablehlo_py.sharding.division.local_ops import splat
from stablehlo_py.sharding.division.windows import Halo

_SLICE, _PAD, _CONCATENATE = "stablehlo.slice", "stablehlo.pad", "stablehlo.concatenate"
_DYNAMIC_SLICE, _IOTA, _ADD = "stablehlo.dynamic_slice", "stablehlo.iota", "stablehlo.add"
_COMPARE, _AND, _SELECT = "stablehlo.compare", "stablehlo.and", "stablehlo.select"
_BROADCAST = "stablehlo.broadcast_in_dim"


def exchange(
    emitter: Emitter, value: Value, dim: int, axes: Axes, halo: Halo, padding: Value | None
) -> Value:
    """Append what brings to each device the elements that it needs of a divided dimension.

    Args:
        emitter: Appends ops.
        value: The shards.
        dim: The dimension.
        axes: The axes that divide it.
        halo: What devices need.
        padding: What is outside of the dimension, a number; None for zeros.
    """
    groups = emitter.devices.groups(axes)
    parts = [_neighbours(emitter, value, dim, groups, hop, halo) for hop in _hops(halo)]
    whole = _concatenated(emitter, parts, dim)
    shards = np.arange(len(halo.starts))
    offsets = np.array(halo.starts) - shards * halo.shard + halo.left
    size = _shape(whole)[dim]
    before, after = max(0, -int(offsets.min())), max(0, int(offsets.max()) + halo.width - size)
    if before or after:
        number = padding or emitter.zero(TensorType((), _element(value)))
        whole = _padded(emitter, whole, number, dim, before, after)
    whole = _cut(emitter, whole, dim, offsets + before, halo.width, axes)
    if padding is None or _is_zero(padding) or not _reaches_out(halo):
        return whole  # devices without a neighbour receive zeros
    return _masked(emitter, whole, dim, axes, halo, padding)


def mirror(emitter: Emitter, value: Value, axes: Axes) -> Value:
    """Append what brings to each device along axes the shard of the one that is as far from the end."""
    rows = emitter.devices.groups(axes).tolist()
    return emitter.permute(value, sorted([pair for row in rows for pair in zip(row[::-1], row, strict=True)]))


def _hops(halo: Halo) -> list[int]:
    """Return the distances of the neighbours whose elements are needed, in order."""
    left, right = -(-halo.left // halo.shard), -(-halo.right // halo.shard)
    return list(range(-left, right + 1))


def _neighbours(emitter: Emitter, value: Value, dim: int, groups: Ints, hop: int, halo: Halo) -> Value:
    """Append what brings elements of the shard at a distance."""
    if not hop:
        return value
    amount = min(halo.shard, (halo.left if hop < 0 else halo.right) - (abs(hop) - 1) * halo.shard)
    start = halo.shard - amount if hop < 0 else 0
    part = _sliced(emitter, value, dim, start, amount)
    rows = groups.tolist()
    pairs = [(row[k + hop], row[k]) for row in rows for k in range(len(row)) if 0 <= k + hop < len(row)]
    return emitter.permute(part, sorted(pairs))


def _concatenated(emitter: Emitter, parts: Sequence[Value], dim: int) -> Value:
    if len(parts) == 1:
        return parts[0]
    size = sum([_shape(part)[dim] for part in parts])
    return emitter.op(_CONCATENATE, parts, _resized(parts[0], dim, size), dimension=integer(dim))


def _sliced(emitter: Emitter, value: Value, dim: int, start: int, size: int) -> Value:
    shape = _shape(value)
    if size == shape[dim]:
        return value
    at = [start if d == dim else 0 for d in range(len(shape))]
    type = _resized(value, dim, size)
    limits = [a + b for a, b in zip(at, _dims(type), strict=True)]
    return emitter.op(
        _SLICE,
        (value,),
        type,
        start_indices=_array(at),
        limit_indices=_array(limits),
        strides=_array([1] * len(shape)),
    )


def _cut(emitter: Emitter, value: Value, dim: int, offsets: Ints, size: int, axes: Axes) -> Value:
    """Append a slice that starts where a device needs it."""
    if (offsets == offsets[0]).all():
        return _sliced(emitter, value, dim, int(offsets[0]), size)
    start = emitter.lookup(offsets[emitter.devices.position(axes)])
    zero = emitter.constant(np.int32(0), TensorType((), I32))
    type = _resized(value, dim, size)
    starts = [start if d == dim else zero for d in range(len(type.shape))]
    return emitter.op(_DYNAMIC_SLICE, (value, *starts), type, slice_sizes=_array(_dims(type)))


def _padded(emitter: Emitter, value: Value, number: Value, dim: int, before: int, after: int) -> Value:
    shape = _shape(value)
    low, high = [[n if d == dim else 0 for d in range(len(shape))] for n in (before, after)]
    return emitter.op(
        _PAD,
        (value, number),
        _resized(value, dim, shape[dim] + before + after),
        edge_padding_low=_array(low),
        edge_padding_high=_array(high),
        interior_padding=_array([0] * len(shape)),
    )


def _reaches_out(halo: Halo) -> bool:
    return halo.starts[0] < 0 or halo.starts[-1] + halo.width > halo.shard * len(halo.starts)


def _masked(emitter: Emitter, value: Value, dim: int, axes: Axes, halo: Halo, padding: Value) -> Value:
    """Append what replaces the elements outside of the whole dimension by the padding."""
    starts = np.array(halo.starts, np.int64)[emitter.devices.position(axes)]
    row = TensorType((halo.width,), I32)
    place = emitter.op(_IOTA, (), row, iota_dimension=integer(0))
    start = emitter.op(_BROADCAST, (emitter.lookup(starts),), row, broadcast_dimensions=_array([]))
    place = emitter.op(_ADD, (place, start), row)
    found = []
    for direction, end in (("GE", 0), ("LT", halo.shard * len(halo.starts))):
        number = emitter.constant(np.int32(end), TensorType((), I32))
        limit = emitter.op(_BROADCAST, (number,), row, broadcast_dimensions=_array([]))
        compared = EnumAttr("stablehlo.comparison_direction", direction)
        found.append(
            emitter.op(_COMPARE, (place, limit), TensorType(row.shape, I1), comparison_direction=compared)
        )
    inside = emitter.op(_AND, found, TensorType(row.shape, I1))
    type = TensorType(_shape(value), _element(value))
    mask = emitter.op(_BROADCAST, (inside,), TensorType(type.shape, I1), broadcast_dimensions=_array([dim]))
    outside = emitter.op(_BROADCAST, (padding,), type, broadcast_dimensions=_array([]))
    return emitter.op(_SELECT, (mask, value, outside), type)


def _is_zero(value: Value) -> bool:
    """Test whether a number is a constant of zero bits, which are what a device without a neighbour gets."""
    found = splat(value)
    return found is not None and not any(found.data.tobytes())


def _shape(value: Value) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return _dims(value.type)


def _dims(type: TensorType) -> tuple[int, ...]:
    return tuple([size or 0 for size in type.shape])


def _element(value: Value) -> Type:
    assert isinstance(value.type, TensorType)
    return value.type.element_type


def _resized(value: Value, dim: int, size: int) -> TensorType:
    shape = _shape(value)
    return TensorType((*shape[:dim], size, *shape[dim + 1 :]), _element(value))


def _array(numbers: Sequence[int]) -> DenseArrayAttr:
    return DenseArrayAttr(I64, tuple(numbers))
