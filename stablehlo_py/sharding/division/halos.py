"""Halo exchange: devices get from their neighbours what windows reach of a divided dimension."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablehlo_py.ir.attributes import integer
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.sharding.axes import Axes
from stablehlo_py.sharding.division.devices import Ints
from stablehlo_py.sharding.division.emitter import Emitter, dims
from stablehlo_py.sharding.division.local_ops import splat
from stablehlo_py.sharding.division.masks import masked
from stablehlo_py.sharding.division.windows import Halo
from stablehlo_py.sharding.values import shape_of

_CONCATENATE, _DYNAMIC_SLICE = "stablehlo.concatenate", "stablehlo.dynamic_slice"


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
    offsets = np.array(halo.starts)
    if halo.is_whole:
        whole = emitter.all_gather(value, dim, axes)
    else:
        groups = emitter.devices.groups(axes)
        parts = [_neighbours(emitter, value, dim, groups, hop, halo) for hop in _hops(halo)]
        whole = concatenated(emitter, parts, dim)
        offsets += halo.left - np.arange(len(halo.starts)) * halo.shard
    size = shape_of(whole)[dim]
    used = offsets[: halo.used]
    before, after = max(0, -int(used.min())), max(0, int(used.max()) + halo.width - size)
    if before or after:
        number = padding or emitter.zero_of(value)
        whole = emitter.pad(whole, number, dim, before, after)
    starts = (offsets + before)[emitter.devices.position(axes)]
    whole = dynamic_cut(emitter, whole, dim, starts, halo.width)
    is_zero = padding is None or _is_zero(padding)
    if not halo.reaches_out or (is_zero and halo.size == halo.shard * len(halo.starts)):
        return whole  # devices without a neighbour receive zeros
    starts = np.array(halo.starts, np.int64)[emitter.devices.position(axes)]
    return masked(emitter, whole, dim, starts, halo.size, padding)


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


def concatenated(emitter: Emitter, parts: Sequence[Value], dim: int) -> Value:
    """Append what joins parts along a dimension."""
    if len(parts) == 1:
        return parts[0]
    size = sum([shape_of(part)[dim] for part in parts])
    return emitter.op(_CONCATENATE, parts, _resized(parts[0], dim, size), dimension=integer(dim))


def _sliced(emitter: Emitter, value: Value, dim: int, start: int, size: int) -> Value:
    at = [start if d == dim else 0 for d in range(len(shape_of(value)))]
    return emitter.cut(value, _dims(_resized(value, dim, size)), at)


def dynamic_cut(emitter: Emitter, value: Value, dim: int, offsets: Ints, size: int) -> Value:
    """Append a slice of a dimension that starts where a device needs it.

    Args:
        emitter: Appends ops.
        value: What is sliced.
        dim: The dimension.
        offsets: Where the slice of each device starts.
        size: The size of the slice.
    """
    if (offsets == offsets[0]).all():
        return _sliced(emitter, value, dim, int(offsets[0]), size)
    type = _resized(value, dim, size)
    starts = emitter.starts(len(type.shape), dim, offsets)
    return emitter.op(_DYNAMIC_SLICE, (value, *starts), type, slice_sizes=dims(_dims(type)))


def _is_zero(value: Value) -> bool:
    """Test whether a number is a constant of zero bits, which are what a device without a neighbour gets."""
    found = splat(value)
    return found is not None and not any(found.data.tobytes())


def _dims(type: TensorType) -> tuple[int, ...]:
    return tuple([size or 0 for size in type.shape])


def _element(value: Value) -> Type:
    assert isinstance(value.type, TensorType)
    return value.type.element_type


def _resized(value: Value, dim: int, size: int) -> TensorType:
    shape = shape_of(value)
    return TensorType((*shape[:dim], size, *shape[dim + 1 :]), _element(value))
