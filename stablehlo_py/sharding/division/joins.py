"""Joins along a divided dimension, also of slices: a device receives the elements of its shard alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import QuantizedType, TensorType
from stablehlo_py.sharding.axes import Axes, Sizes, total_size
from stablehlo_py.sharding.division.choice import Placed, cheapest, cost_of_bytes, reshard_cost
from stablehlo_py.sharding.division.devices import Ints, Layout, shard_size
from stablehlo_py.sharding.division.emitter import Emitter
from stablehlo_py.sharding.division.halos import concatenated, dynamic_cut
from stablehlo_py.sharding.division.local_ops import splat
from stablehlo_py.sharding.division.transfers import Part, Transfer, places, transfers
from stablehlo_py.sharding.factor_rules import concatenates, is_static_slice
from stablehlo_py.sharding.rules import Rule
from stablehlo_py.sharding.values import inputs_of, shape_of

_MOST = 16  # transfers


class Source(NamedTuple):
    """What a concatenation takes from a value.

    Attributes:
        value: The value: an operand, or what an operand is a slice of.
        start: The first element of the dimension.
        size: How many there are.
    """

    value: Value
    start: int
    size: int


class Join(NamedTuple):
    """How devices get their shards of a concatenation.

    Attributes:
        dim: The dimension that is concatenated.
        layout: The layout of the result.
        sources: The layouts of the sources.
        way: The transfers.
        size: The size of the whole dimension.
        cost: The bytes that a device receives, and a share of what it computes.
    """

    dim: int
    layout: Layout
    sources: tuple[Layout, ...]
    way: tuple[Transfer, ...]
    size: int
    cost: float


def joined_dim(op: Operation) -> int | None:
    """Return the dimension along which an op joins values or parts of one; None for other ops."""
    if concatenates(op):
        dimension: int = inputs_of(op)["dimension"]
        return dimension
    if not is_static_slice(op):
        return None
    dims = [dim for dim in range(len(shape_of(op.result))) if _sliced(op, dim)]
    return dims[0] if len(dims) == 1 else None


def is_joined(op: Operation) -> bool:
    """Test whether an op is a slice that concatenations alone use, each along the dimension that it cuts."""
    if len(op.results) != 1 or not op.result.uses:
        return False
    users = [use.op for use in op.result.uses]
    return all(
        concatenates(user) and user.parent is op.parent and _sliced(op, joined_dim(user)) for user in users
    )


def _sliced(op: Operation, dim: int | None) -> bool:
    """Test whether an op takes neighbouring elements of a dimension, and all of the others."""
    if dim is None or not is_static_slice(op):
        return False
    whole, part = shape_of(op.operands[0]), shape_of(op.result)
    return inputs_of(op)["strides"][dim] == 1 and all(
        d == dim or whole[d] == part[d] for d in range(len(whole))
    )


def _start(op: Operation, dim: int) -> int:
    starts: Sequence[int] = inputs_of(op)["start_indices"]
    return starts[dim]


def sources_of(op: Operation, skipped: Mapping[Value, Operation]) -> list[Source]:
    """Return what a concatenation or a slice takes from which values.

    Args:
        op: The concatenation or slice.
        skipped: The slices that are not divided, by their results.
    """
    dim = joined_dim(op)
    assert dim is not None
    if not concatenates(op):
        return [Source(op.operands[0], _start(op, dim), shape_of(op.result)[dim])]
    return [
        Source(skipped[value].operands[0], _start(skipped[value], dim), shape_of(value)[dim])
        if value in skipped
        else Source(value, 0, shape_of(value)[dim])
        for value in op.operands
    ]


def choose_join(
    op: Operation,
    rule: Rule,
    sources: Sequence[Source],
    given: Sequence[Placed],
    wanted: Layout,
    sizes: Sizes,
) -> Join | None:
    """Return how devices get their shards, or None if other ways to divide the op move less.

    Args:
        op: The concatenation or slice.
        rule: Its sharding rule.
        sources: What it takes.
        given: The values that it takes it from.
        wanted: The layout of its result that users want.
        sizes: The sizes of the mesh's axes.
    """
    dim, type = joined_dim(op), op.result.type
    assert dim is not None
    layouts = dict.fromkeys([layout for layout in (wanted, *[v.layout for v in given]) if layout[dim]])
    is_empty = not isinstance(type, TensorType) or 0 in type.shape
    if not layouts or is_empty or isinstance(type.element_type, QuantizedType):
        return None
    found = [_join(op, dim, sources, given, layout, wanted, sizes) for layout in layouts]
    best = min([join for join in found if join is not None], key=lambda join: join.cost, default=None)
    usual = cheapest(op, rule, given, [wanted], sizes)
    return best if best is not None and best.cost < usual else None


def _join(
    op: Operation,
    dim: int,
    sources: Sequence[Source],
    given: Sequence[Placed],
    layout: Layout,
    wanted: Layout,
    sizes: Sizes,
) -> Join | None:
    shape = shape_of(op.result)
    shards, total = total_size(layout[dim], sizes), 0.0
    if any(size < total_size(axes, sizes) for size, axes in zip(shape, layout, strict=True)):
        return None
    layouts, parts = [], []
    numbers = {placed.value: index for index, placed in reversed(list(enumerate(given)))}
    for source, placed in zip(sources, given, strict=True):
        is_whole = not placed.layout[dim] or splat(placed.value) is not None
        axes: Axes = () if is_whole else layout[dim]
        layouts.append((*layout[:dim], axes, *layout[dim + 1 :]))
        number = numbers[placed.value]
        if number == len(layouts) - 1 and splat(placed.value) is None:
            total += reshard_cost(source.value, placed.layout, layouts[-1], sizes)
        shard = None if is_whole else shard_size(placed.shape[dim], shards)
        parts.append(Part(number, source.start, source.size, shard))
    way = transfers(parts, shards)
    if len(way) > _MOST:
        return None
    counts = [total_size(found, sizes) for found in layout]
    local = [shard_size(size, count) for size, count in zip(shape, counts, strict=True)]
    local[dim] = sum([transfer.traffic for transfer in way])
    total += cost_of_bytes(op.result, local, layout, sizes)
    total += reshard_cost(op.result, layout, wanted, sizes)
    return Join(dim, layout, tuple(layouts), tuple(way), shape[dim], total)


def joined(emitter: Emitter, operands: Sequence[Value], join: Join) -> Value:
    """Append what brings to each device its shard of a concatenation.

    Args:
        emitter: Appends ops.
        operands: The sources, in their layouts.
        join: How devices get their shards.
    """
    dim, axes = join.dim, join.layout[join.dim]
    parts = [_received(emitter, operands[each.source], join, each) for each in join.way]
    shards = total_size(axes, emitter.devices.sizes)
    shard = shard_size(join.size, shards)
    if places(join.way, shard, join.size) is not None:
        return concatenated(emitter, parts, dim)
    shape = list(shape_of(parts[0]))
    shape[dim] = shard + max([transfer.width for transfer in join.way])
    type = parts[0].type
    assert isinstance(type, TensorType)
    found = emitter.zero(TensorType(tuple(shape), type.element_type))
    for part, transfer in zip(parts, join.way, strict=True):
        table = np.full(shards, shard, np.int64)  # nowhere: behind the shard
        for segment in transfer.segments:
            table[segment.receiver] = segment.place
        found = emitter.write(found, part, dim, table[emitter.devices.position(axes)])
    shape[dim] = shard
    return emitter.cut(found, shape)


def _received(emitter: Emitter, value: Value, join: Join, transfer: Transfer) -> Value:
    """Append what brings to each device its segment of a transfer."""
    dim, axes = join.dim, join.layout[join.dim]
    table = np.full(total_size(axes, emitter.devices.sizes), transfer.segments[0].start, np.int64)
    for segment in transfer.segments:
        table[segment.sender] = segment.start
    missing = max(0, int(table.max()) + transfer.width - shape_of(value)[dim])
    if missing:
        value = emitter.pad(value, emitter.zero_of(value), dim, 0, missing)
    part = dynamic_cut(emitter, value, dim, table[emitter.devices.position(axes)], transfer.width)
    if transfer.is_local:
        return part
    rows: Ints = emitter.devices.groups(axes)
    pairs = [(int(row[s.sender]), int(row[s.receiver])) for row in rows for s in transfer.segments]
    return emitter.permute(part, sorted(pairs))
