"""Ops that compute on dequantized operands and quantize the result, as the specification defines them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import QuantizedType, Type
from stablehlo_py.kernels.quantized import expressed, quantized_element
from stablehlo_py.transforms.rewriter import Rewriter

Convert = Callable[[Value, QuantizedType], Value]


def stablehlo_ops(names: str) -> frozenset[str]:
    """Return the full names of ops, which are separated by blanks."""
    return frozenset(f"stablehlo.{name}" for name in names.split())


ELEMENTWISE = stablehlo_ops(
    """
    abs add atan2 batch_norm_grad batch_norm_inference batch_norm_training cbrt ceil cholesky clamp compare
    cosine divide exponential exponential_minus_one floor log log_plus_one logistic maximum minimum multiply
    negate power reduce_precision remainder round_nearest_afz round_nearest_even rsqrt select sign sine sqrt
    subtract tan tanh triangular_solve
    """
)
"""The ops that the specification defines by `dequantize_op_quantize`."""


DOTS = stablehlo_ops("dot dot_general convolution")
"""The products, which can also be computed on integers."""


def dequantize_op_quantize(
    rewriter: Rewriter,
    op: Operation,
    operand_types: Sequence[Type],
    result_types: Sequence[Type],
    dequantize: Convert,
    quantize: Convert,
) -> list[Value]:
    """Create an op on dequantized operands before the insertion point, and quantize its results.

    Args:
        rewriter: The rewriter.
        op: The op.
        operand_types: The types of the operands, of which some are quantized.
        result_types: The types of the results.
        dequantize: Creates the dequantized value of an operand.
        quantize: Creates the quantized value of a result.

    Returns:
        The new results.
    """
    operands = []
    for value, type in zip(op.operands, operand_types, strict=True):
        q = quantized_element(type)
        operands.append(value if q is None else dequantize(value, q))
    types = [expressed(type) for type in result_types]
    made = rewriter.insert(Operation(op.name, operands, types, dict(op.properties), dict(op.attributes)))
    results = []
    for result, type in zip(made.results, result_types, strict=True):
        q = quantized_element(type)
        results.append(result if q is None else quantize(result, q))
    return results
