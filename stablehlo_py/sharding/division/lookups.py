"""Lookups in a divided dimension: each device looks up its own rows, and the results are summed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stablehlo_py.ir.attributes import DenseArrayAttr, EnumAttr, StructAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import I1, I64, IntegerType, QuantizedType, TensorType
from stablehlo_py.sharding.axes import Axes, total_size
from stablehlo_py.sharding.division.devices import shard_size
from stablehlo_py.sharding.division.emitter import Emitter
from stablehlo_py.sharding.rules import Rule

_CLAMP, _SUBTRACT, _COMPARE = "stablehlo.clamp", "stablehlo.subtract", "stablehlo.compare"
_SELECT, _BROADCAST = "stablehlo.select", "stablehlo.broadcast_in_dim"
_CONVERT, _RESHAPE = "stablehlo.convert", "stablehlo.reshape"
WIDTHS = (32, 64)  # of indices


class Lookup(NamedTuple):
    """A gather of single rows: the dimension that it indexes, and the dimensions of a row in its result."""

    dimension: int
    offsets: tuple[int, ...]


def lookup_of(op: Operation) -> Lookup | None:
    """Return the lookup that a gather is; None if it indexes several dimensions, or takes more than a row."""
    numbers, sizes = op.attribute("dimension_numbers"), op.attribute("slice_sizes")
    if not isinstance(numbers, StructAttr) or not isinstance(sizes, DenseArrayAttr):
        return None
    indexed = numbers["start_index_map"]
    indices, result = _tensor(op.operands[1]), _tensor(op.results[0])
    element = indices.element_type
    if len(indexed) != 1 or sizes.value[indexed[0]] != 1 or isinstance(result.element_type, QuantizedType):
        return None
    if not isinstance(element, IntegerType) or element.width not in WIDTHS:
        return None
    return Lookup(indexed[0], tuple(numbers["offset_dims"]))


def looked_up_factor(op: Operation, rule: Rule) -> int | None:
    """Return the factor of the dimension that a lookup indexes; None for other gathers."""
    found = lookup_of(op)
    factors = rule.operands[0][found.dimension] if found is not None else ()
    return factors[0] if len(factors) == 1 else None


def local_indices(emitter: Emitter, op: Operation, indices: Value, axes: Axes) -> tuple[Value, Value]:
    """Append what gives the place of each row in the shard of a device, and whether it is there.

    Args:
        emitter: Appends ops.
        op: The lookup.
        indices: Its indices; those out of bounds count as the nearest row.
        axes: The axes that divide the dimension.
    """
    found = lookup_of(op)
    assert found is not None
    size = _tensor(op.operands[0]).shape[found.dimension] or 0
    count = shard_size(size, total_size(axes, emitter.devices.sizes))
    type = _tensor(indices)
    scalar = TensorType((), type.element_type)
    start = emitter.op(_CONVERT, (emitter.start(axes, size),), scalar)
    whole = clamped(emitter, indices, size)
    moved = emitter.op(_SUBTRACT, (whole, _broadcast(emitter, start, type, ())), type)
    here = clamped(emitter, moved, count)
    equal = EnumAttr("stablehlo.comparison_direction", "EQ")
    inside = emitter.op(_COMPARE, (moved, here), TensorType(type.shape, I1), comparison_direction=equal)
    return here, inside


def masked(emitter: Emitter, op: Operation, rows: Value, inside: Value) -> Value:
    """Append what replaces the rows that a device does not have by zeros."""
    found = lookup_of(op)
    assert found is not None
    type = _tensor(rows)
    batch = [dim for dim in range(len(type.shape)) if dim not in found.offsets]
    flat = emitter.op(_RESHAPE, (inside,), TensorType(tuple([type.shape[dim] for dim in batch]), I1))
    mask = _broadcast(emitter, flat, TensorType(type.shape, I1), batch)
    zeros = emitter.zero(type)
    return emitter.op(_SELECT, (mask, rows, zeros), type)


def clamped(emitter: Emitter, value: Value, size: int) -> Value:
    """Append what returns the nearest of the places in a dimension of a size."""
    type = _tensor(value)
    scalar = TensorType((), type.element_type)
    assert isinstance(type.element_type, IntegerType)
    kind = "u" if type.element_type.signedness == "u" else "i"
    dtype = np.dtype(f"{kind}{type.element_type.width // 8}")
    ends = [emitter.constant(np.array(end, dtype), scalar) for end in (0, size - 1)]
    return emitter.op(_CLAMP, (ends[0], value, ends[1]), type)


def _broadcast(emitter: Emitter, value: Value, type: TensorType, dims: list[int] | tuple[()]) -> Value:
    return emitter.op(_BROADCAST, (value,), type, broadcast_dimensions=DenseArrayAttr(I64, tuple(dims)))


def _tensor(value: Value) -> TensorType:
    assert isinstance(value.type, TensorType)
    return value.type
