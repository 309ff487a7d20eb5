"""Trip counts of loops with an induction variable."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stablehlo_py.analysis.inputs import attribute
from stablehlo_py.analysis.sizes import dimensions, size_of
from stablehlo_py.ir.core import Block, BlockArgument, Operation, OpResult, Value
from stablehlo_py.ir.types import IntegerType, TensorType
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.opset.op_inputs import groups

_MIRRORED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "EQ": "EQ", "NE": "NE"}


class _Counting(NamedTuple):
    """A counting loop: from `start` by `step` while `direction` holds between the counter and `bound`."""

    direction: str
    start: int
    step: int
    bound: int


def trip_count(loop: Operation) -> int | None:
    """Compute the trip count of a `while` that compares an induction variable with a constant.

    Args:
        loop: An op.

    Returns:
        The number of iterations, or None if it cannot be determined.
    """
    counting = _counting(loop)
    if counting is None:
        return None
    direction, start, step, bound = counting
    match direction:
        case "LT" | "LE" if step > 0:
            return max(0, -(-(bound + (direction == "LE") - start) // step))
        case "GT" | "GE" if step < 0:
            return max(0, -(-(start - bound + (direction == "GE")) // -step))
        case "NE" if step != 0 and (bound - start) % step == 0 and (bound - start) // step >= 0:
            return (bound - start) // step
        case "LT" | "LE" | "GT" | "GE" if not _holds(counting):
            return 0
    return None


def scan_count(scan: Operation, dimension: str) -> int:
    """The number of slices along a dimension that a scan runs over, 1 if it is not known.

    Args:
        scan: The scan.
        dimension: The name of the input that states the dimension.
    """
    definition = lookup(scan.name)
    assert definition is not None
    inputs, *_ = groups(scan, "operand", scan.operands, definition.operands)
    first = inputs[0] if inputs else scan.results[0]
    return size_of(dimensions(first.type), attribute(scan, dimension))


def _is_conditional(op: Operation) -> bool:
    """Test whether an op is a loop that runs for as long as one of its regions gives true."""
    definition = lookup(op.name)
    return definition is not None and definition.loop is not None and bool(definition.loop.condition)


def _holds(counting: _Counting) -> bool:
    """Test whether the condition holds initially."""
    start, bound = counting.start, counting.bound
    tests = {"LT": start < bound, "LE": start <= bound, "GT": start > bound, "GE": start >= bound}
    return tests[counting.direction]


def _counting(loop: Operation) -> _Counting | None:
    if not _is_conditional(loop) or len(loop.regions) != 2:
        return None
    condition, body = loop.regions[0].block, loop.regions[1].block
    test = _returned(condition, 0)
    if not isinstance(test, OpResult) or not has_trait(test.op.name, "comparison"):
        return None
    lhs, rhs = test.op.operands
    direction = str(attribute(test.op, "comparison_direction"))
    if _carried(lhs, condition) is None:
        lhs, rhs, direction = rhs, lhs, _MIRRORED.get(direction, "")
    position, bound = _carried(lhs, condition), _constant(rhs)
    if position is None or bound is None:
        return None
    start, step = _constant(loop.operands[position]), _step(body, position)
    return None if start is None or step is None else _Counting(direction, start, step, bound)


def _carried(value: Value, block: Block) -> int | None:
    """Return the index of a block argument that the loop changes, or None."""
    if not isinstance(value, BlockArgument) or value.block is not block:
        return None
    loop = block.parent_op
    assert loop is not None
    return None if _is_kept(loop, value.index) else value.index


def _is_kept(loop: Operation, position: int) -> bool:
    """Test whether the loop-carried value at a position is invariant."""
    body = loop.regions[1].block
    return _returned(body, position) is body.arguments[position]


def _returned(block: Block, position: int) -> Value | None:
    end = block.terminator
    return end.operands[position] if end is not None and position < len(end.operands) else None


def _step(body: Block, position: int) -> int | None:
    """Return the constant step of the induction variable at a position, or None."""
    made = _returned(body, position)
    definition = lookup(made.op.name) if isinstance(made, OpResult) else None
    if not isinstance(made, OpResult) or definition is None or definition.operator not in ("+", "-"):
        return None
    lhs, rhs = made.op.operands
    argument = body.arguments[position]
    if definition.operator == "-":
        step = _constant(rhs) if lhs is argument else None
        return None if step is None else -step
    return _constant(rhs) if lhs is argument else _constant(lhs) if rhs is argument else None


def _constant(value: Value) -> int | None:
    """Return the value of a constant integer scalar, or None."""
    if not isinstance(value.type, TensorType) or not isinstance(value.type.element_type, IntegerType):
        return None
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op
        if loop is None or not _is_conditional(loop) or not _is_kept(loop, value.index):
            return None
        return _constant(loop.operands[value.index])
    assert isinstance(value, OpResult)
    op = value.op
    if _is_conditional(op) and _is_kept(op, value.index):
        return _constant(op.operands[value.index])
    if has_trait(op.name, "moves_data") or has_trait(op.name, "conversion"):
        return _constant(op.operands[value.index])
    if not has_trait(op.name, "constant") or value.type.size != 1:
        return None
    elements = np.asarray(attribute(op, "value"))
    return int(elements.reshape(-1)[0]) if elements.dtype.kind in "iu" else None
