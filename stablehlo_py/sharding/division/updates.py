"""Parts of divided dimensions at places that the program computes: each device takes what is in its shard."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import QuantizedType, TensorType
from stablehlo_py.sharding.axes import Axes
from stablehlo_py.sharding.division.emitter import Emitter
from stablehlo_py.sharding.division.places import clamped, is_wide, number
from stablehlo_py.sharding.rules import Rule
from stablehlo_py.sharding.values import shape_of, tensor_of

_SUBTRACT, _ADD = "stablehlo.subtract", "stablehlo.add"


def is_slice(op: Operation) -> bool:
    """Test whether an op takes a slice that starts where operands say."""
    type = op.operands[0].type if op.operands else None
    return (
        "slice_sizes" in op.properties
        and isinstance(type, TensorType)
        and len(op.operands) == 1 + len(type.shape)
        and all(value.type.shape == () for value in op.operands[1:] if isinstance(value.type, TensorType))
    )


def sliced_factors(op: Operation, rule: Rule) -> set[int]:
    """Return the factors of the dimensions that a slice takes in part."""
    if isinstance(tensor_of(op.operands[0]).element_type, QuantizedType):
        return set()
    return {
        factor
        for dim, (factor,) in enumerate(rule.operands[0])
        if rule.kinds[factor] == "need_replication" and is_wide(op.operands[1 + dim])
    }


def partial_dims(op: Operation, rule: Rule) -> dict[int, int]:
    """Return the dimensions of which each device takes its part by itself, with their factors."""
    part = rule.results[0] if is_slice(op) else rule.operands[1]
    first = _first_start(op)
    found = {
        dim: ours[0]
        for dim, (ours, theirs) in enumerate(zip(rule.operands[0], part, strict=True))
        if ours != theirs and is_wide(op.operands[first + dim])
    }
    return {} if isinstance(tensor_of(op.operands[0]).element_type, QuantizedType) else found


def widen(
    emitter: Emitter, op: Operation, divided: dict[int, Axes], operands: list[Value]
) -> tuple[Sequence[int], Sequence[int]] | None:
    """Append padding around divided dimensions that stands for what a device does not have, and local places.

    Args:
        emitter: Appends ops.
        op: The update, or the slice.
        divided: The dimensions of which it takes a part, and the axes that divide them.
        operands: Its operands, which are changed.

    Returns:
        The shape of the shard, and where it starts in the padded one; None without such dimensions.
    """
    if not divided:
        return None
    shape = list(shape_of(operands[0]))
    widths, first = [0] * len(shape), _first_start(op)
    part = op.results[0] if is_slice(op) else op.operands[1]
    zero = emitter.zero_of(operands[0])
    for dim, axes in divided.items():
        size, width = [shape_of(value)[dim] for value in (op.operands[0], part)]
        widths[dim] = width
        operands[0] = emitter.pad(operands[0], zero, dim, width, width)
        type = tensor_of(operands[first + dim])
        start = emitter.convert(emitter.start(axes, size), type.element_type)
        whole = clamped(emitter, operands[first + dim], [size - width])
        moved = emitter.op(_ADD, (whole, number(emitter, width, type)), type)
        operands[first + dim] = emitter.op(_SUBTRACT, (moved, start), type)
    return shape, widths


def _first_start(op: Operation) -> int:
    """Return the number of the first operand that says where a slice or an update starts."""
    return len(op.operands) - len(tensor_of(op.operands[0]).shape)
