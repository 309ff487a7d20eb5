"""Lowering of `chlo.top_k`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stablehlo_py.ir.attributes import BoolAttr
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.types import I32, FloatType, IntegerType, TensorType
from stablehlo_py.transforms.chlo.sizes import (
    SCALAR,
    constant_row,
    dynamic_slice,
    joined,
    row,
    size_of,
    static_slice,
    tensor,
)
from stablehlo_py.transforms.rewriter import Rewriter

_I1 = IntegerType(1)


def top_k(rewriter: Rewriter, op: Operation) -> Sequence[Value]:
    """Sort the last dimension with its indices, the largest first, and keep its first elements."""
    (operand,) = op.operands
    type = tensor(operand)
    last = type.rank - 1
    indices_type = replace(type, element_type=I32)
    if type.is_static:
        indices = rewriter.value("stablehlo.iota", (), type=indices_type, iota_dimension=last)
        ordered = _sorted(rewriter, op, indices)
        limits = tensor(op.results[0]).shape
        return [static_slice(rewriter, value, [0] * type.rank, limits) for value in ordered]
    sizes = [row(rewriter, _size(rewriter, operand, axis)) for axis in range(type.rank)]
    shape = joined(rewriter, sizes)
    kept = row(rewriter, rewriter.constant(op.python_value("k"), SCALAR))
    limit = joined(rewriter, [*sizes[:-1], kept])
    indices = rewriter.value("stablehlo.dynamic_iota", [shape], type=indices_type, iota_dimension=last)
    ordered = _sorted(rewriter, op, indices)
    starts, strides = (constant_row(rewriter, [number] * type.rank) for number in (0, 1))
    return [
        dynamic_slice(rewriter, value, starts, limit, strides, tensor(result))
        for value, result in zip(ordered, op.results, strict=True)
    ]


def _size(rewriter: Rewriter, value: Value, axis: int) -> Value:
    """Return the size of a dimension as a scalar, a constant if it is known."""
    size = tensor(value).shape[axis]
    return size_of(rewriter, value, axis) if size is None else rewriter.constant(size, SCALAR)


def _sorted(rewriter: Rewriter, op: Operation, indices: Value) -> Sequence[Value]:
    """Sort the operand of an op and indices by it, the largest element first."""
    (operand,) = op.operands
    element = tensor(operand).element_type
    scalars = [TensorType((), each) for each in (element, I32)]
    body = Block([scalar for scalar in scalars for _ in range(2)])
    ordered = rewriter.create(
        "stablehlo.sort",
        [operand, indices],
        {"dimension": tensor(operand).rank - 1, "is_stable": op.attribute("is_stable") != BoolAttr(False)},
        [operand.type, indices.type],
        [Region([body])],
    )
    rewriter.at_end(body)
    order = {"compare_type": "TOTALORDER"} if isinstance(element, FloatType) else {}
    precedes = rewriter.value(
        "stablehlo.compare",
        body.arguments[:2],
        type=TensorType((), _I1),
        comparison_direction="GT",
        **order,
    )
    rewriter.create("stablehlo.return", [precedes], types=[])
    rewriter.at(op)
    return ordered.results
