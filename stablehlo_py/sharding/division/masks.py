"""Numbers of the elements of shards, and masks: elements outside of a divided dimension get a value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablehlo_py.ir.attributes import IntegerAttr, integer
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import I1, I32, QuantizedType, TensorType
from stablehlo_py.sharding.axes import Axes, total_size
from stablehlo_py.sharding.division.devices import Ints, Layout
from stablehlo_py.sharding.division.emitter import Emitter
from stablehlo_py.sharding.rules import Rule

_IOTA, _ADD, _AND = "stablehlo.iota", "stablehlo.add", "stablehlo.and"


def is_iota(op: Operation) -> bool:
    """Test whether an op numbers the elements along a dimension, and devices can number those of shards."""
    type = op.results[0].type if op.name == _IOTA else None
    return isinstance(type, TensorType) and not isinstance(type.element_type, QuantizedType)


def local_iota(emitter: Emitter, op: Operation, layout: Layout, type: TensorType) -> Value:
    """Append what numbers the elements of shards by their places in the whole.

    Args:
        emitter: Appends ops.
        op: The op that numbers those of the whole.
        layout: The layout of its result.
        type: The type of a shard.
    """
    dimension, whole = op.properties["iota_dimension"], op.results[0].type
    assert isinstance(dimension, IntegerAttr) and isinstance(whole, TensorType)
    axes, size = layout[dimension.value], whole.shape[dimension.value] or 0
    if not axes:
        return emitter.op(_IOTA, (), type, iota_dimension=dimension)
    numbers = TensorType(type.shape, I32)  # sums of narrow types would round
    found = _numbers(emitter, numbers, dimension.value, emitter.start(axes, size))
    return emitter.convert(found, type.element_type)


def _numbers(emitter: Emitter, type: TensorType, dim: int, start: Value) -> Value:
    """Append the numbers of elements along a dimension, of which the first is given."""
    found = emitter.op(_IOTA, (), type, iota_dimension=integer(dim))
    return emitter.op(_ADD, (found, emitter.broadcast(start, type.shape)), type)


def mask_padding(
    emitter: Emitter, op: Operation, rule: Rule, axes: Sequence[Axes], operands: list[Value]
) -> None:
    """Let the padding of dimensions that an op reduces be neutral: initial values, or zeros.

    Args:
        emitter: Appends ops.
        op: The op: a reduction with a body and initial values, or one that sums up products.
        rule: Its sharding rule.
        axes: The axes that divide each factor.
        operands: Its operands, which are changed.
    """
    count = len(operands) // 2 if op.regions else len(operands)
    sizes = emitter.devices.sizes
    for factor in rule.of_kind("reduction"):
        if not axes[factor] or rule.sizes[factor] % total_size(axes[factor], sizes) == 0:
            continue
        starts = emitter.devices.offsets(axes[factor], rule.sizes[factor])
        for index, dim in [
            (i, d) for i in range(count) for d, f in enumerate(rule.operands[i]) if factor in f
        ]:
            number = operands[count + index] if op.regions else None
            operands[index] = masked(emitter, operands[index], dim, starts, rule.sizes[factor], number)


def masked(emitter: Emitter, value: Value, dim: int, starts: Ints, size: int, number: Value | None) -> Value:
    """Append what replaces the elements outside of a whole dimension by a number.

    Args:
        emitter: Appends ops.
        value: A part of the dimension on each device.
        dim: The dimension.
        starts: Where the part of each device starts.
        size: The size of the whole dimension.
        number: The number; None for zero.
    """
    type = value.type
    assert isinstance(type, TensorType)
    width = type.shape[dim] or 0
    row = TensorType((width,), I32)
    place = _numbers(emitter, row, 0, emitter.lookup(starts))
    found = []
    for direction, end, is_needed in (
        ("GE", 0, starts.min() < 0),
        ("LT", size, starts.max() + width > size),
    ):
        if is_needed:
            limit = emitter.constant(np.int32(end), TensorType((), I32))
            found.append(emitter.compare(place, direction, emitter.broadcast(limit, row.shape)))
    inside = found[0] if len(found) == 1 else emitter.op(_AND, found, TensorType(row.shape, I1))
    return emitter.select(inside, [dim], value, number or emitter.zero_of(value))
