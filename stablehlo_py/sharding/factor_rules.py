"""Sharding rules that are found step by step: of reshapes, gathers, convolutions and custom calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.types import I1, TensorType
from stablehlo_py.opset.definition import lookup
from stablehlo_py.opset.sharding_rule import FactorKind
from stablehlo_py.sharding.custom_calls import custom_call_rule
from stablehlo_py.sharding.rules import Rule, RuleBuilder
from stablehlo_py.sharding.values import inputs_of, shape_of


def _builder(op: Operation) -> RuleBuilder:
    return RuleBuilder([len(shape_of(v)) for v in op.operands], [len(shape_of(r)) for r in op.results])


def _broadcast(op: Operation) -> Rule:
    """Each dimension of the result is a factor; of the operand, one that grows from 1 is another."""
    builder, shape = _builder(op), shape_of(op.operands[0])
    source = {dim: index for index, dim in enumerate(inputs_of(op)["broadcast_dimensions"])}
    for dim, size in enumerate(shape_of(op.result)):
        at = source.get(dim, -1)
        if at >= 0 and shape[at] == 1 and size != 1:
            builder.add((at, -1), 1)
            at = -1
        builder.add((at, dim), size)
    return builder.build()


def _concatenation(op: Operation) -> Rule:
    builder, dimension = _builder(op), inputs_of(op)["dimension"]
    for dim, size in enumerate(shape_of(op.result)):
        builder.add_to_all(dim, size, "pass_through" if dim != dimension else _joins(op))
    return builder.build()


def _joins(op: Operation) -> FactorKind:
    """Return the kind of the concatenated dimension: slices of a tensor, as of a rotation, are permuted."""
    slices = [_slice(value) for value in op.operands]
    whole = {found.operands[0] if found else value for found, value in zip(slices, op.operands, strict=True)}
    return "permutation" if all(slices) or (len(whole) == 1 and any(slices)) else "need_replication"


def _slice(value: Value) -> Operation | None:
    """Return the op that slices a tensor at constant positions, if one defines a value."""
    return value.op if isinstance(value, OpResult) and is_static_slice(value.op) else None


def is_static_slice(op: Operation) -> bool:
    """Test whether an op slices a tensor at constant positions."""
    definition = lookup(op.name)
    return definition is not None and any(attr.name == "limit_indices" for attr in definition.attrs)


def concatenates(op: Operation) -> bool:
    """Test whether an op concatenates its operands."""
    definition = lookup(op.name)
    found = definition.sharding if definition is not None else None
    return found is not None and found.algorithm == "concatenation"


def _reshape(op: Operation) -> Rule | None:
    """Split the dimensions of operand and result into common factors, where they have any."""
    shape, target = shape_of(op.operands[0]), shape_of(op.result)
    if 0 in shape:
        return None
    builder = _builder(op)
    sides = (_Side(shape), _Side(target))
    left, right = sides
    while not (left.is_done and right.is_done):
        if left.size == 1:
            builder.add((left.take_one(), -1), 1)
        elif right.size == 1:
            builder.add((-1, right.take_one()), 1)
        else:
            _reshape_step(builder, left, right)
    return builder.build()


class _Side:
    """The dimensions of one side of a reshape, and how much of them is split into factors."""

    def __init__(self, shape: Sequence[int]) -> None:
        self._shape = shape
        self.dim = 0
        self.split = 1  # the product of the factors so far
        self._sizes = 1  # the product of the dimensions so far, with the current one once it was looked at

    @property
    def is_done(self) -> bool:
        return self.dim == len(self._shape)

    @property
    def size(self) -> int:
        return 0 if self.is_done else self._shape[self.dim]

    def take_one(self) -> int:
        """Pass a dimension of size 1 and return it."""
        self.dim += 1
        return self.dim - 1

    def left(self) -> int:
        """Return what is left of the current dimension."""
        if not self.is_done and self._sizes == self.split:
            self._sizes *= self.size
        return self._sizes // self.split

    def take(self, factor: int) -> None:
        self.split *= factor

    def advance(self) -> None:
        if not self.is_done and self._sizes == self.split:
            self.dim += 1


def _reshape_step(builder: RuleBuilder, left: _Side, right: _Side) -> None:
    """Add the next factor, or two: a common one, or those of the side that is behind."""
    here, there = left.left(), right.left()
    common = gcd(here, there)
    if left.split == right.split and common > 1:
        builder.add((left.dim, right.dim), common)
        left.take(common)
        right.take(common)
    elif left.split == right.split:
        builder.add((left.dim, -1), here)
        builder.add((-1, right.dim), there)
        left.take(here)
        right.take(there)
    elif left.split < right.split:
        size = _towards(here, common, left.split, right.split)
        builder.add((left.dim, -1), size)
        left.take(size)
    else:
        size = _towards(there, common, right.split, left.split)
        builder.add((-1, right.dim), size)
        right.take(size)
    left.advance()
    right.advance()


def _towards(size: int, common: int, split: int, other: int) -> int:
    """Return a factor after which the two sides meet again, or that keeps what they have in common."""
    if other % split == 0 and size % (other // split) == 0:
        return other // split
    return size // common if size > common else size


def _convolution(op: Operation) -> Rule:
    at = inputs_of(op)
    builder, (lhs, rhs), out = _builder(op), map(shape_of, op.operands), shape_of(op.result)
    batch, feature = at["input_batch_dimension"], at["input_feature_dimension"]
    kernel_in, kernel_out = at["kernel_input_feature_dimension"], at["kernel_output_feature_dimension"]
    out_batch, out_feature = at["output_batch_dimension"], at["output_feature_dimension"]
    groups = (at["batch_group_count"], at["feature_group_count"])
    if groups[0] > 1:
        builder.add((batch, kernel_out, out_feature), groups[0])
    builder.add((batch, -1, out_batch), out[out_batch])
    spatial = [at[f"{name}_spatial_dimensions"] for name in ("input", "kernel", "output")]
    for i, k, o in zip(*spatial, strict=True):
        _window(builder, (i, k, o), lhs[i], rhs[k], out[o])
    if groups[1] > 1:
        builder.add((feature, kernel_out, out_feature), groups[1])
    builder.add((feature, kernel_in, -1), rhs[kernel_in], "reduction")
    features = out[out_feature] // (groups[0] * groups[1])
    if features > 1:
        builder.add((-1, kernel_out, out_feature), features)
    return builder.build()


def _window(builder: RuleBuilder, dims: tuple[int, int, int], size: int, window: int, count: int) -> None:
    """Add the factors of a spatial dimension: the windows, and the positions in one; the larger first."""
    i, k, o = dims
    windows = (count, (i, -1, o), "permutation")
    positions = (window, (i, k, -1), "reduction")
    for wanted, where, kind in (windows, positions) if count >= window else (positions, windows):
        factor = min(size, wanted)
        if factor > 1:
            builder.add(where, factor, kind)  # type: ignore[arg-type]
            size //= factor


_AddFactor = Callable[[int, int, int, int, FactorKind, bool], None]


def _gather(op: Operation) -> Rule:
    at, builder = inputs_of(op), _builder(op)

    def add(input: int, index: int, slice: int, size: int, kind: FactorKind, blocked: bool) -> None:
        builder.add((input, index, slice), size, kind, blocked)

    names = ("offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims")
    shapes = [shape_of(value) for value in (*op.operands, op.result)]
    dims = _Indexed(shapes, at["index_vector_dim"], [at[name] for name in names])
    dims.add(add, False, True)
    return builder.build()


def _scatter(op: Operation) -> Rule:
    at, builder, count = inputs_of(op), _builder(op), len(op.results)

    def add(input: int, index: int, slice: int, size: int, kind: FactorKind, blocked: bool) -> None:
        builder.add([*[input] * count, index, *[slice] * count, *[input] * count], size, kind, blocked)

    names = (
        "update_window_dims",
        "inserted_window_dims",
        "input_batching_dims",
        "scatter_indices_batching_dims",
    )
    shapes = [shape_of(op.operands[i]) for i in (0, count, count + 1)]
    dims = _Indexed(shapes, at["index_vector_dim"], [at[name] for name in names])
    dims.add(add, True, is_combination(op))
    return builder.build()


def is_combination(op: Operation) -> bool:
    """Test whether the body of a scatter is one associative op a result, so that parts can be combined."""
    block, count = op.regions[0].block, len(op.results)
    returned = block.ops[-1].operands
    names = {value.op.name if isinstance(value, OpResult) else "" for value in returned}
    if len(names) != 1 or len(returned) != count or len(block.arguments) != 2 * count:
        return False
    return all(
        _combines(value, block.arguments[i], block.arguments[i + count]) for i, value in enumerate(returned)
    )


def _combines(value: Value, first: Value, second: Value) -> bool:
    """Test whether an op that combines terms in any order defines a value from two others."""
    if not isinstance(value, OpResult) or set(value.op.operands) != {first, second}:
        return False
    is_logical = isinstance(value.type, TensorType) and value.type.element_type == I1
    definition = lookup(value.op.name)
    traits = definition.traits if definition is not None else frozenset()
    return "commutative" in traits and ("logical" not in traits or is_logical)


class _Indexed:
    """The dimensions of a gather or scatter.

    Args:
        shapes: The shapes of the tensor that is indexed, of the indices, and of the slices.
        vector: The dimension of the index vectors.
        dims: The dimensions of the slices that are in the tensor, those of the tensor that the slices lack,
            and the batch dimensions of the tensor and of the indices.
    """

    def __init__(self, shapes: Sequence[Sequence[int]], vector: int, dims: Sequence[Sequence[int]]) -> None:
        self.input, self.indices, self.slices = shapes
        self.vector = vector
        self.offsets, self.collapsed, batching, index_batching = dims
        self.batching = dict(zip(index_batching, batching, strict=True))

    def add(self, add: _AddFactor, is_scatter: bool, combines: bool) -> None:
        """Add the factors: of the slices in order, of the collapsed dimensions, of the index vectors."""
        window = [
            dim
            for dim in range(len(self.input))
            if dim not in self.collapsed and dim not in self.batching.values()
        ]
        rest = [dim for dim in range(len(self.indices)) if dim != self.vector]
        for dim, size in enumerate(self.slices):
            if dim in self.offsets:
                self._offset(add, window.pop(0), dim, size, is_scatter)
                continue
            index = rest.pop(0)
            is_summed = is_scatter and index not in self.batching
            kind: FactorKind = "pass_through"
            if is_summed:
                kind = "reduction" if combines else "need_replication"
            add(self.batching.get(index, -1), index, dim, size, kind, False)
        for dim in self.collapsed:
            kind = (
                "pass_through" if is_scatter else "need_replication" if self.input[dim] == 1 else "reduction"
            )
            add(dim, -1, -1, self.input[dim], kind, False)
        if self.vector < len(self.indices):
            add(-1, self.vector, -1, self.indices[self.vector], "need_replication", False)

    def _offset(self, add: _AddFactor, input: int, dim: int, size: int, is_scatter: bool) -> None:
        """Add the factors of a dimension of the slices that is in the indexed tensor, whole or in part."""
        whole = self.input[input]
        if whole == size:
            add(input, -1, dim, whole, "pass_through", False)
        elif is_scatter or size == 1:
            add(input, -1, -1, whole, "need_replication" if is_scatter else "reduction", False)
            add(-1, -1, dim, size, "need_replication", False)
        else:
            add(input, -1, dim, whole, "need_replication", True)


ALGORITHMS: dict[str, Callable[[Operation], Rule | None]] = {
    "broadcast": _broadcast,
    "concatenation": _concatenation,
    "convolution": _convolution,
    "custom_call": custom_call_rule,
    "gather": _gather,
    "reshape": _reshape,
    "scatter": _scatter,
}
