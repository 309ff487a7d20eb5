"""Updates of a part of a divided dimension: each device writes the elements that are in its shard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import IntegerType, QuantizedType, TensorType
from stablehlo_py.sharding.axes import Axes
from stablehlo_py.sharding.division.emitter import Emitter
from stablehlo_py.sharding.division.lookups import WIDTHS, clamped
from stablehlo_py.sharding.rules import Rule

_CONVERT, _SUBTRACT, _ADD = "stablehlo.convert", "stablehlo.subtract", "stablehlo.add"
_STARTS = 2  # the operands in front of the start indices: what is updated, and the update


def partial_dims(op: Operation, rule: Rule) -> dict[int, int]:
    """Return the dimensions of which each device updates its part by itself, with their factors."""
    element = _tensor(op.operands[0]).element_type
    found = {
        dim: ours[0]
        for dim, (ours, theirs) in enumerate(zip(*rule.operands[:_STARTS], strict=True))
        if len(ours) == 1 and ours != theirs and _is_wide(op.operands[_STARTS + dim])
    }
    return {} if isinstance(element, QuantizedType) else found


def widen(
    emitter: Emitter, op: Operation, divided: dict[int, Axes], operands: list[Value]
) -> tuple[Sequence[int], Sequence[int]] | None:
    """Append padding around divided dimensions that takes what a device does not have, and local positions.

    Args:
        emitter: Appends ops.
        op: The update.
        divided: The dimensions that it updates in part, and the axes that divide them.
        operands: Its operands, which are changed.

    Returns:
        The shape of the shard, and where it starts in the padded one; None without such dimensions.
    """
    if not divided:
        return None
    shape = [size or 0 for size in _tensor(operands[0]).shape]
    widths = [0] * len(shape)
    zero = emitter.zero(TensorType((), _tensor(operands[0]).element_type))
    for dim, axes in divided.items():
        size, width = [_tensor(value).shape[dim] or 0 for value in op.operands[:_STARTS]]
        widths[dim] = width
        operands[0] = emitter.pad(operands[0], zero, dim, width, width)
        type = _tensor(operands[_STARTS + dim])
        assert isinstance(type.element_type, IntegerType)
        start = emitter.op(_CONVERT, (emitter.start(axes, size),), type)
        whole = clamped(emitter, operands[_STARTS + dim], size - width + 1)
        moved = emitter.op(_ADD, (whole, _number(emitter, width, type)), type)
        operands[_STARTS + dim] = emitter.op(_SUBTRACT, (moved, start), type)
    return shape, widths


def _number(emitter: Emitter, number: int, type: TensorType) -> Value:
    assert isinstance(type.element_type, IntegerType)
    kind = "u" if type.element_type.signedness == "u" else "i"
    return emitter.constant(np.array(number, f"{kind}{type.element_type.width // 8}"), type)


def _is_wide(start: Value) -> bool:
    element = _tensor(start).element_type
    return isinstance(element, IntegerType) and element.width in WIDTHS


def _tensor(value: Value) -> TensorType:
    assert isinstance(value.type, TensorType)
    return value.type
