"""Constant folding of shape computations: ops on integers, and what broadcasts or slices a splat."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.types import I32, IntegerType, TensorType, Type
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.transforms.rewriter import Rewriter, constant_elements

Fold = Callable[[Rewriter, Operation], "Sequence[Value] | None"]


def fold_shape_op(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Fold an op of a shape computation.

    Args:
        rewriter: Creates the constants, before the op.
        op: The op.

    Returns:
        What replaces its results; None if it cannot be folded.
    """
    fold = _FOLDS.get(op.name)
    if fold is None or not _is_static(op.result.type):
        return None
    return fold(rewriter.at(op), op)


def integers(value: Value) -> list[int] | None:
    """Return the elements of a constant of integers or booleans; None for another value."""
    found = constant_elements(value)
    return None if found is None or found.dtype.kind not in "iub" else [int(x) for x in found.reshape(-1)]


def sizes_beside_start(start: Value, limit: Value) -> list[int] | None:
    """Return the sizes of a slice whose limit is its start plus a constant; None for another limit."""
    if not isinstance(limit, OpResult) or limit.op.name != "stablehlo.add" or start not in limit.op.operands:
        return None
    a, b = limit.op.operands
    return integers(b) if a is start and integers(b) is not None else integers(a) if b is start else None


def _is_static(type: Type) -> bool:
    return isinstance(type, TensorType) and type.is_static


def _is_integer(type: Type) -> bool:
    return isinstance(type, TensorType) and isinstance(type.element_type, IntegerType)


def _evaluate(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Evaluate an op with an integer result."""
    return rewriter.fold(op) if _is_integer(op.result.type) else None


def _convert(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Convert integers."""
    return _evaluate(rewriter, op) if _is_integer(op.operands[0].type) else None


def _divide(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Divide integers, but not by zero."""
    divisor = constant_elements(op.operands[1])
    return None if divisor is None or not np.all(divisor) else _evaluate(rewriter, op)


def _splat(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Repeat or slice a constant with equal elements."""
    found, type = constant_attribute(op.operands[0]), op.result.type
    if found is None or not found.is_splat or not isinstance(type, TensorType):
        return None
    return [rewriter.constant(DenseElementsAttr(type, found.data[: 0 if type.size == 0 else 1]), type)]


def _integer_splat(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Repeat an integer."""
    return _splat(rewriter, op) if _is_integer(op.result.type) else None


def _dimension_size(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Return a known size."""
    type, axis = op.operands[0].type, op.python_value("dimension")
    assert isinstance(axis, int)
    size = type.shape[axis] if isinstance(type, TensorType) else None
    return None if size is None else [rewriter.constant(size, TensorType((), I32))]


def _set_dimension_size(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Drop the op if the size is the one that its operand has anyway."""
    operand, size = op.operands
    axis = op.python_value("dimension")
    assert isinstance(axis, int) and isinstance(operand.type, TensorType)
    is_same = operand.type is op.result.type and integers(size) == [operand.type.shape[axis]]
    return [operand] if is_same else None


def _concatenate(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Concatenate integers; otherwise, merge equal splats that are next to each other."""
    folded = _evaluate(rewriter, op)
    if folded is not None:
        return folded
    merged: list[Value] = []
    run: list[Value] = []
    for operand in op.operands:
        if run and not _same_splat(run[-1], operand):
            merged.append(_joined(rewriter, op, run))
            run = []
        run.append(operand)
    merged.append(_joined(rewriter, op, run))
    if len(merged) == len(op.operands):
        return None
    return rewriter.create(op.name, merged, op.properties, [op.result.type], attributes=op.attributes).results


def _same_splat(a: Value, b: Value) -> bool:
    """Test whether two values are constants of one type with the same, equal elements."""
    first, second = constant_attribute(a), constant_attribute(b)
    return first is not None and first.is_splat and first == second


def _joined(rewriter: Rewriter, op: Operation, run: list[Value]) -> Value:
    """Return the concatenation of equal splats."""
    if len(run) == 1:
        return run[0]
    found, axis = constant_attribute(run[0]), op.python_value("dimension")
    assert found is not None and isinstance(axis, int)
    sizes = list(found.type.shape)
    sizes[axis] = (sizes[axis] or 0) * len(run)
    type = TensorType(tuple(sizes), found.type.element_type)
    return rewriter.constant(DenseElementsAttr(type, found.data), type)


_FOLDS: dict[str, Fold] = {
    "stablehlo.add": _evaluate,
    "stablehlo.and": _evaluate,
    "stablehlo.broadcast_in_dim": _integer_splat,
    "stablehlo.clamp": _evaluate,
    "stablehlo.compare": _evaluate,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.convert": _convert,
    "stablehlo.divide": _divide,
    "stablehlo.dynamic_slice": _splat,
    "stablehlo.get_dimension_size": _dimension_size,
    "stablehlo.maximum": _evaluate,
    "stablehlo.minimum": _evaluate,
    "stablehlo.multiply": _evaluate,
    "stablehlo.or": _evaluate,
    "stablehlo.remainder": _divide,
    "stablehlo.reshape": _evaluate,
    "stablehlo.select": _evaluate,
    "stablehlo.set_dimension_size": _set_dimension_size,
    "stablehlo.sign": _evaluate,
    "stablehlo.slice": _evaluate,
    "stablehlo.subtract": _evaluate,
}
