"""Scatters: devices update the elements that they have, or combine what they make of updates of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import I32, IntegerType, TensorType
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.sharding.axes import Axes
from stablehlo_py.sharding.division.emitter import Emitter
from stablehlo_py.sharding.division.places import clamped, index_vectors, moved
from stablehlo_py.sharding.factor_rules import is_combination
from stablehlo_py.sharding.rules import Rule
from stablehlo_py.sharding.values import inputs_of, shape_of, tensor_of

_CONSTANT = "stablehlo.constant"
_NEUTRAL = {"sum": 0, "product": 1}


def indexed_factors(op: Operation, rule: Rule) -> dict[int, int]:
    """Return the dimensions of which a scatter updates a part at each index, with their factors."""
    vectors = index_vectors(op)
    updates = {factor for dim in rule.operands[-1] for factor in dim}
    found = {dim: rule.operands[0][dim] for dim in vectors.dims} if vectors is not None else {}
    return {dim: f[0] for dim, f in found.items() if len(f) == 1 and f[0] not in updates}


def combines_updates(op: Operation) -> bool:
    """Test whether what devices make of parts of the updates can be combined by the function of a scatter."""
    if len(op.results) != 1 or not is_combination(op):
        return False
    return _is_idempotent(_function(op)) or _function(op).sign in _NEUTRAL


def _widths(op: Operation) -> dict[int, int]:
    """Return how many elements of each dimension a scatter updates at an index."""
    inputs, updates = inputs_of(op), shape_of(op.operands[-1])
    single = {*inputs["inserted_window_dims"], *inputs["input_batching_dims"]}
    dims = [dim for dim in range(len(shape_of(op.operands[0]))) if dim not in single]
    sizes = [updates[dim] for dim in inputs["update_window_dims"]]
    return dict.fromkeys(single, 1) | dict(zip(dims, sizes, strict=True))


def scattered(
    emitter: Emitter, op: Operation, rule: Rule, axes: Sequence[Axes], operands: list[Value]
) -> tuple[Sequence[int], Sequence[int]] | None:
    """Let a scatter update what a device has, with padding around it that windows of updates reach.

    Elements of updates that are out of bounds do nothing. Where updates are divided, one device has the
    elements, and the others have neutral ones.

    Args:
        emitter: Appends ops.
        op: The scatter.
        rule: Its sharding rule.
        axes: The axes that divide each factor.
        operands: Its operands, which are changed.

    Returns:
        The shape of the shard, and where it starts in the padded one; None without padding.
    """
    divided = {dim: axes[factor] for dim, factor in indexed_factors(op, rule).items() if axes[factor]}
    at = len(op.results)
    widths, shape = _widths(op), shape_of(operands[0])
    if divided:
        operands[at] = _places(emitter, op, operands[at], divided, widths)
    reduced = tuple([axis for factor in rule.of_kind("reduction") for axis in axes[factor]])
    if reduced and not _is_idempotent(_function(op)):
        operands[0] = _of_first(emitter, operands[0], reduced, _NEUTRAL[_function(op).sign])
    starts = [widths[dim] - 1 if dim in divided else 0 for dim in range(len(shape))]
    for dim in [dim for dim, start in enumerate(starts) if start]:
        for index in range(at):
            zero = emitter.zero_of(operands[index])
            operands[index] = emitter.pad(operands[index], zero, dim, starts[dim], starts[dim])
    return (shape, starts) if any(starts) else None


def _places(
    emitter: Emitter, op: Operation, indices: Value, divided: Mapping[int, Axes], widths: Mapping[int, int]
) -> Value:
    """Append the places in padded shards; those far behind the whole do not wrap around."""
    vectors, element = index_vectors(op), tensor_of(indices).element_type
    assert vectors is not None and isinstance(element, IntegerType)
    if element.signedness == "u" and any(widths[dim] > 1 for dim in divided):
        sizes = shape_of(op.operands[0])
        indices = clamped(emitter, indices, [sizes[dim] for dim in vectors.dims], vectors.dimension)
    return moved(emitter, op, indices, divided, widths)


def _of_first(emitter: Emitter, value: Value, axes: Axes, neutral: int) -> Value:
    """Append what replaces a value by a number, but on the first device along axes."""
    type = value.type
    assert isinstance(type, TensorType)
    data = np.full(1, neutral).astype(numpy_dtype(type.element_type))
    data.flags.writeable = False
    other = emitter.op(_CONSTANT, (), type, value=DenseElementsAttr(type, data))
    place = emitter.lookup(emitter.devices.position(axes))
    zero = emitter.constant(np.int32(0), TensorType((), I32))
    return emitter.select(emitter.compare(place, "EQ", zero), (), value, other)


def _function(op: Operation) -> OpDef:
    """Return the op that a scatter combines elements by."""
    (combined,) = op.regions[0].block.ops[-1].operands
    assert isinstance(combined, OpResult)
    definition = lookup(combined.op.name)
    assert definition is not None
    return definition


def _is_idempotent(definition: OpDef) -> bool:
    """Test whether combining a value with itself gives the value."""
    is_choice = "associative" in definition.traits and definition.sign in ("maximum", "every_operand")
    return is_choice or "logical" in definition.traits
