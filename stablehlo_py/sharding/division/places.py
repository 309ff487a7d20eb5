"""Places in shards: what an op indexes of a divided dimension, and whether a device has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stablehlo_py.ir.attributes import DenseArrayAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import IntegerType, TensorType
from stablehlo_py.sharding.axes import Axes, total_size
from stablehlo_py.sharding.division.devices import shard_size
from stablehlo_py.sharding.division.emitter import Emitter
from stablehlo_py.sharding.values import inputs_of, shape_of, tensor_of

_CLAMP, _SUBTRACT, _AND = "stablehlo.clamp", "stablehlo.subtract", "stablehlo.and"
_WIDTHS = (32, 64)  # of integers that have room for the places in a whole dimension
_INPUTS = ("start_index_map", "scatter_dims_to_operand_dims")  # of ops with index vectors


class IndexVectors(NamedTuple):
    """The index vectors of an op.

    Attributes:
        operand: The number of the operand that has them.
        dims: The dimension of the indexed tensor that each of their elements is for.
        dimension: The dimension of the indices that they are; the rank of these if each index is a vector.
    """

    operand: int
    dims: tuple[int, ...]
    dimension: int


def index_vectors(op: Operation) -> IndexVectors | None:
    """Return the index vectors of a gather or scatter; None if they are too narrow, or there are none."""
    inputs = inputs_of(op)
    dims = next((inputs[each] for each in _INPUTS if each in inputs), None)
    if dims is None or not is_wide(op.operands[len(op.results)]):
        return None
    return IndexVectors(len(op.results), tuple(dims), inputs["index_vector_dim"])


def is_wide(indices: Value) -> bool:
    """Test whether places in a whole dimension fit into the type of indices."""
    element = tensor_of(indices).element_type
    return isinstance(element, IntegerType) and element.width in _WIDTHS


def moved(
    emitter: Emitter,
    op: Operation,
    indices: Value,
    divided: Mapping[int, Axes],
    widths: Mapping[int, int],
) -> Value:
    """Append what gives places in the shard of a device.

    Args:
        emitter: Appends ops.
        op: An op with index vectors.
        indices: Places in the whole.
        divided: The dimensions that are divided, and the axes that divide them.
        widths: The sizes of windows, which begin that much less one in front of the shard.
    """
    vectors = index_vectors(op)
    assert vectors is not None
    type, shape = tensor_of(indices), shape_of(op.operands[0])
    columns = [np.zeros(emitter.devices.count, np.int64) for _ in vectors.dims]
    for column, dim in zip(columns, vectors.dims, strict=True):
        if dim in divided:
            column += emitter.devices.offsets(divided[dim], shape[dim]) + 1 - widths[dim]
    table = np.stack(columns, 1)
    dims = [vectors.dimension]
    if len(vectors.dims) == 1:
        table, dims = table[:, 0], []
    starts = emitter.convert(emitter.lookup(table), type.element_type)
    return emitter.op(_SUBTRACT, (indices, emitter.broadcast(starts, type.shape, dims)), type)


def found(
    emitter: Emitter, op: Operation, indices: Value, divided: Mapping[int, Axes]
) -> tuple[Value, Value]:
    """Append what gives the places of what is indexed in the shard of a device, and whether they are there.

    Args:
        emitter: Appends ops.
        op: A gather of a part of the divided dimensions.
        indices: Its indices; those out of bounds count as the nearest ones.
        divided: The dimensions that are divided, and the axes that divide them.
    """
    vectors, sizes = index_vectors(op), op.attribute("slice_sizes")
    assert vectors is not None and isinstance(sizes, DenseArrayAttr)
    shape = shape_of(op.operands[0])
    whole = [shape[dim] - sizes.value[dim] for dim in vectors.dims]
    local = list(whole)
    for index, dim in enumerate(vectors.dims):
        if dim in divided:
            shard = shard_size(shape[dim], total_size(divided[dim], emitter.devices.sizes))
            local[index] = shard + sizes.value[dim] - 2
    near = clamped(emitter, indices, whole, vectors.dimension)
    there = moved(emitter, op, near, divided, dict(enumerate(sizes.value)))
    here = clamped(emitter, there, local, vectors.dimension)
    return here, _all(emitter, emitter.compare(there, "EQ", here), vectors)


def _all(emitter: Emitter, inside: Value, vectors: IndexVectors) -> Value:
    """Append what tests all elements of each vector."""
    shape = list(shape_of(inside))
    if len(vectors.dims) == 1:
        return inside
    shape[vectors.dimension] = 1
    every: Value | None = None
    for index in range(len(vectors.dims)):
        part = emitter.cut(inside, shape, [index if d == vectors.dimension else 0 for d in range(len(shape))])
        every = part if every is None else emitter.op(_AND, (every, part), tensor_of(part))
    assert every is not None
    return every


def clamped(emitter: Emitter, value: Value, last: Sequence[int], dimension: int = 0) -> Value:
    """Append what returns the nearest places that there are.

    Args:
        emitter: Appends ops.
        value: Places: a number, or vectors.
        last: The last place for each element of the vectors.
        dimension: The dimension that the vectors are.
    """
    type = tensor_of(value)
    ends = [_numbers(emitter, numbers, type, dimension) for numbers in ([0] * len(last), last)]
    return emitter.op(_CLAMP, (ends[0], value, ends[1]), type)


def number(emitter: Emitter, value: int, type: TensorType) -> Value:
    """Append a constant of a type of integers."""
    return emitter.constant(np.array(value, _dtype(type)), TensorType((), type.element_type))


def _numbers(emitter: Emitter, numbers: Sequence[int], type: TensorType, dimension: int) -> Value:
    """Append a number for each element of vectors; one number if all are equal."""
    if len(set(numbers)) == 1:
        return number(emitter, numbers[0], type)
    row = TensorType((len(numbers),), type.element_type)
    constant = emitter.constant(np.array(numbers, _dtype(type)), row)
    return emitter.broadcast(constant, type.shape, [dimension])


def _dtype(type: TensorType) -> str:
    assert isinstance(type.element_type, IntegerType)
    return f"{'u' if type.element_type.signedness == 'u' else 'i'}{type.element_type.width // 8}"
