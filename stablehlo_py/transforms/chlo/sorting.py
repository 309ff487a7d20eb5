"""Lowering of `chlo.top_k`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.types import FloatType, IntegerType, TensorType
from stablehlo_py.transforms.rewriter import Rewriter

_I1, _I32 = IntegerType(1), IntegerType(32)


def top_k(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Sort the last dimension with its indices, the largest first, and keep its first elements.

    Returns:
        The elements and their indices; None for an operand of dynamic shape.
    """
    (operand,) = op.operands
    type, result = operand.type, op.results[0].type
    assert isinstance(type, TensorType) and isinstance(result, TensorType)
    if not type.is_static or not result.is_static:
        return None
    last = len(type.shape) - 1
    indices = rewriter.value("stablehlo.iota", (), type=replace(type, element_type=_I32), iota_dimension=last)
    scalars = [TensorType((), element) for element in (type.element_type, _I32)]
    body = Block([scalar for scalar in scalars for _ in range(2)])
    ordered = rewriter.create(
        "stablehlo.sort",
        [operand, indices],
        {"dimension": last, "is_stable": True},
        [type, indices.type],
        [Region([body])],
    )
    rewriter.at_end(body)
    is_float = isinstance(type.element_type, FloatType)
    order = {"compare_type": "TOTALORDER"} if is_float else {}
    precedes = rewriter.value(
        "stablehlo.compare",
        body.arguments[:2],
        type=TensorType((), _I1),
        comparison_direction="GT",
        **order,
    )
    rewriter.create("stablehlo.return", [precedes], types=[])
    rewriter.at(op)
    bounds = {
        "start_indices": [0] * (last + 1),
        "limit_indices": list(result.shape),
        "strides": [1] * (last + 1),
    }
    return [rewriter.value("stablehlo.slice", [value], **bounds) for value in ordered.results]
