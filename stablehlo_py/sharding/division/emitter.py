"""Creation of the ops of a divided program: collectives, slices by the place of a device, constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import (
    Attribute,
    DenseArrayAttr,
    DenseElementsAttr,
    EnumAttr,
    StructAttr,
    UnitAttr,
    integer,
)
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.origins import derive
from stablehlo_py.ir.types import I1, I32, I64, IntegerType, TensorType, Type
from stablehlo_py.sharding.axes import Axes, total_size
from stablehlo_py.sharding.division.devices import Devices, Ints, Layout, shard_size
from stablehlo_py.sharding.values import shape_of, tensor_of

_ALL_GATHER, _ALL_REDUCE = "stablehlo.all_gather", "stablehlo.all_reduce"
_ALL_TO_ALL, _PERMUTE = "stablehlo.all_to_all", "stablehlo.collective_permute"
_REDUCE_SCATTER = "stablehlo.reduce_scatter"
_ID, _CONSTANT, _SLICE = "stablehlo.partition_id", "stablehlo.constant", "stablehlo.dynamic_slice"
_RESHAPE, _ADD, _RETURN = "stablehlo.reshape", "stablehlo.add", "stablehlo.return"
_CUT, _PAD, _WRITE = "stablehlo.slice", "stablehlo.pad", "stablehlo.dynamic_update_slice"
_BROADCAST, _CONVERT = "stablehlo.broadcast_in_dim", "stablehlo.convert"
_COMPARE, _SELECT = "stablehlo.compare", "stablehlo.select"


class Emitter:
    """Appends ops to a block.

    Attributes:
        devices: The devices of the program.
        block: The block.
        source: What the next ops are made from.
        moved: Values of the block in other layouts, which are made once; by the shape of the whole, too, as
            the shards of a slice may be those of what it is a slice of.
    """

    def __init__(self, devices: Devices, block: Block) -> None:
        self.devices = devices
        self.block = block
        self.source: Operation | None = None
        self.moved: dict[tuple[Value, Layout, tuple[int, ...]], Value] = {}
        self._channels = [0]
        self._starts: dict[tuple[Axes, int], Value] = {}

    def inside(self, block: Block) -> Emitter:
        """Return an emitter for the block of a region."""
        made = Emitter(self.devices, block)
        made.source = self.source
        made._channels = self._channels
        return made

    def append(self, op: Operation) -> Operation:
        """Append an op."""
        if self.source is not None:
            derive(op, self.source)
        return self.block.append(op)

    def op(
        self,
        name: str,
        operands: Sequence[Value],
        type: TensorType,
        regions: Sequence[Region] = (),
        **properties: Attribute,
    ) -> Value:
        """Append an op with one result, and return the result."""
        return self.append(Operation(name, operands, [type], properties, regions=regions)).result

    def constant(self, data: Any, type: TensorType) -> Value:
        """Append a constant."""
        array = np.ascontiguousarray(data).reshape(-1)
        array.flags.writeable = False
        return self.op(_CONSTANT, (), type, value=DenseElementsAttr(type, array))

    def zero(self, type: TensorType) -> Value:
        """Append a constant of zeros."""
        data = np.zeros(1, numpy_dtype(type.element_type))
        data.flags.writeable = False
        return self.op(_CONSTANT, (), type, value=DenseElementsAttr(type, data))

    def zero_of(self, value: Value) -> Value:
        """Append a zero of the elements of a value."""
        return self.zero(_scalar(value))

    # Elements

    def broadcast(self, value: Value, shape: Sequence[int | None], to: Sequence[int] = ()) -> Value:
        """Append a broadcast to a shape, in which the dimensions of the value are those of `to`."""
        type = TensorType(tuple(shape), tensor_of(value).element_type)
        return (
            value
            if tensor_of(value) == type
            else self.op(_BROADCAST, (value,), type, broadcast_dimensions=dims(to))
        )

    def convert(self, value: Value, element: Type) -> Value:
        """Append a conversion of the elements to a type."""
        type = TensorType(tensor_of(value).shape, element)
        return value if tensor_of(value) == type else self.op(_CONVERT, (value,), type)

    def compare(self, left: Value, direction: str, right: Value) -> Value:
        """Append a comparison: "EQ", "LT", ..."""
        compared = EnumAttr("stablehlo.comparison_direction", direction)
        type = TensorType(tensor_of(left).shape, I1)
        return self.op(_COMPARE, (left, right), type, comparison_direction=compared)

    def select(self, mask: Value, to: Sequence[int], value: Value, other: Value) -> Value:
        """Append what chooses a value where a mask of some of its dimensions holds; another one elsewhere.

        Args:
            mask: The mask.
            to: The dimensions of the value that the mask has.
            value: The value.
            other: The other one, or a number for all elements.
        """
        shape = tensor_of(value).shape
        operands = (self.broadcast(mask, shape, to), value, self.broadcast(other, shape))
        return self.op(_SELECT, operands, tensor_of(value))

    # Slices

    def start(self, axes: Axes, size: int) -> Value:
        """Append what returns where a device's shard of a dimension starts, once for each block."""
        if (axes, size) not in self._starts:
            offsets = self.devices.offsets(axes, size)
            self._starts[axes, size] = self.lookup(offsets)
        return self._starts[axes, size]

    def lookup(self, table: Ints) -> Value:
        """Append what returns a number of a device from a table of all; a vector, if the table has rows."""
        number = self.op(_ID, (), TensorType((), IntegerType(32, "u")))
        shape = table.shape
        data = self.constant(table.astype(np.int32), TensorType(shape, I32))
        zeros = [self.constant(np.uint32(0), tensor_of(number))] if table.ndim == 2 else []
        sizes = (1, *shape[1:])
        one = self.op(_SLICE, (data, number, *zeros), TensorType(sizes, I32), slice_sizes=dims(sizes))
        return self.op(_RESHAPE, (one,), TensorType(shape[1:], I32))

    def starts(self, rank: int, dim: int, offsets: Ints) -> list[Value]:
        """Append start indices: zeros, but for one dimension, whose number depends on the device."""
        type = TensorType((), I32)
        zero = self.constant(np.int32(0), type)
        is_same = bool((offsets == offsets[0]).all())
        here = self.constant(np.int32(offsets[0]), type) if is_same else self.lookup(offsets)
        return [here if d == dim else zero for d in range(rank)]

    def write(self, value: Value, part: Value, dim: int, offsets: Ints) -> Value:
        """Append what writes a part into a dimension, at a place that depends on the device."""
        starts = self.starts(len(tensor_of(value).shape), dim, offsets)
        return self.op(_WRITE, (value, part, *starts), tensor_of(value))

    def slice(self, value: Value, axes: Layout) -> Value:
        """Append a slice of what is divided further along axes of its dimensions."""
        counts = [total_size(found, self.devices.sizes) for found in axes]
        for dim, count in enumerate(counts):
            value = self.fill(value, dim, count)
        type, sizes = tensor_of(value), shape_of(value)
        shape = [size // count for size, count in zip(sizes, counts, strict=True)]
        zero: Value | None = None
        starts = []
        for size, found in zip(sizes, axes, strict=True):
            if found:
                starts.append(self.start(found, size))
            else:
                zero = zero or self.constant(np.int32(0), TensorType((), I32))
                starts.append(zero)
        made = TensorType(tuple(shape), type.element_type)
        return self.op(_SLICE, (value, *starts), made, slice_sizes=dims(shape))

    def fill(self, value: Value, dim: int, count: int) -> Value:
        """Append padding behind a dimension that a number of shards does not divide."""
        size = shape_of(value)[dim]
        missing = shard_size(size, count) * count - size
        return self.pad(value, self.zero_of(value), dim, 0, missing) if missing else value

    def pad(self, value: Value, number: Value, dim: int, before: int, after: int) -> Value:
        """Append padding in front of a dimension and behind it."""
        shape = list(shape_of(value))
        low, high = [[n if d == dim else 0 for d in range(len(shape))] for n in (before, after)]
        shape[dim] += before + after
        return self.op(
            _PAD,
            (value, number),
            TensorType(tuple(shape), _scalar(value).element_type),
            edge_padding_low=dims(low),
            edge_padding_high=dims(high),
            interior_padding=dims([0] * len(shape)),
        )

    def cut(self, value: Value, shape: Sequence[int], starts: Sequence[int] = ()) -> Value:
        """Append a slice of a shape, which starts with the first elements by default."""
        type = tensor_of(value)
        if type.shape == tuple(shape):
            return value
        at = starts or [0] * len(shape)
        return self.op(
            _CUT,
            (value,),
            TensorType(tuple(shape), type.element_type),
            start_indices=dims(at),
            limit_indices=dims([start + size for start, size in zip(at, shape, strict=True)]),
            strides=dims([1] * len(shape)),
        )

    # Collectives

    def all_gather(self, value: Value, dim: int, axes: Axes) -> Value:
        """Append a gather of the shards of a dimension along axes."""
        type = _resized(tensor_of(value), dim, total_size(axes, self.devices.sizes), 1)
        return self.op(
            _ALL_GATHER,
            (value,),
            type,
            (),
            all_gather_dim=integer(dim),
            **self._global(self.devices.groups(axes)),
        )

    def all_reduce(self, value: Value, axes: Axes, body: Region | None) -> Value:
        """Append a reduction along axes, by a sum or another function."""
        type = tensor_of(value)
        groups = self._global(self.devices.groups(axes))
        return self.op(_ALL_REDUCE, (value,), type, [body or _sum(type)], **groups)

    def reduce_scatter(self, value: Value, dim: int, axes: Axes, body: Region | None) -> Value:
        """Append a reduction along axes of which each device gets its part of a dimension."""
        count = total_size(axes, self.devices.sizes)
        value = self.fill(value, dim, count)
        type = tensor_of(value)
        return self.op(
            _REDUCE_SCATTER,
            (value,),
            _resized(type, dim, 1, count),
            [body or _sum(type)],
            scatter_dimension=integer(dim),
            **self._global(self.devices.groups(axes)),
        )

    def all_to_all(self, value: Value, split: int, concat: int, axes: Axes) -> Value:
        """Append an exchange after which axes divide a dimension instead of another."""
        count = total_size(axes, self.devices.sizes)
        value = self.fill(value, split, count)
        type = _resized(_resized(tensor_of(value), split, 1, count), concat, count, 1)
        return self.op(
            _ALL_TO_ALL,
            (value,),
            type,
            split_dimension=integer(split),
            concat_dimension=integer(concat),
            split_count=integer(count),
            replica_groups=matrix(self.devices.groups(axes)),
            channel_handle=self._channel(),
        )

    def permute(self, value: Value, pairs: Sequence[tuple[int, int]]) -> Value:
        """Append an exchange of shards between pairs of devices."""
        return self.op(
            _PERMUTE,
            (value,),
            tensor_of(value),
            source_target_pairs=matrix(np.array(pairs, np.int64)),
            channel_handle=self._channel(),
        )

    def _global(self, groups: Ints) -> dict[str, Attribute]:
        return {
            "replica_groups": matrix(groups),
            "channel_handle": self._channel(),
            "use_global_device_ids": UnitAttr(),
        }

    def _channel(self) -> StructAttr:
        self._channels[0] += 1
        return StructAttr("stablehlo.channel_handle", (("handle", self._channels[0]), ("type", 1)))


def body_of(op: Operation) -> Region:
    """Return a copy of the body of a reduction."""
    return clone_op(op).regions[0]


def _sum(type: TensorType) -> Region:
    scalar = TensorType((), type.element_type)
    block = Block([scalar, scalar])
    added = block.append(Operation(_ADD, block.arguments, [scalar]))
    block.append(Operation(_RETURN, added.results))
    return Region([block])


def _scalar(value: Value) -> TensorType:
    return TensorType((), tensor_of(value).element_type)


def _resized(type: TensorType, dim: int, times: int, by: int) -> TensorType:
    shape = list(type.shape)
    shape[dim] = (shape[dim] or 0) * times // by
    return TensorType(tuple(shape), type.element_type)


def dims(sizes: Sequence[int]) -> DenseArrayAttr:
    """Return the attribute of numbers, one for each dimension."""
    return DenseArrayAttr(I64, tuple(sizes))


def matrix(rows: Ints) -> DenseElementsAttr:
    """Return the attribute of a matrix of device ids."""
    data = np.ascontiguousarray(rows.reshape(-1))
    data.flags.writeable = False
    return DenseElementsAttr(TensorType(rows.shape, I64), data)
