"""Quantization and dequantization: ops on the integers that are stored (`kernels/quantized.py`).

Scales and zero points are operands: scalars, or arrays of the shape of the elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stablehlo_py.engines.native.loop_ir.expressions import Expression
from stablehlo_py.engines.native.loop_ir.index import Indices
from stablehlo_py.engines.native.lower.records import by_element
from stablehlo_py.engines.native.lower.values import (
    add,
    compare,
    compare_kind,
    convert,
    multiply,
    number,
    op,
    select,
)
from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import FloatType, QuantizedType

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

QUANTIZE, DEQUANTIZE = "native.quantize", "native.dequantize"


@by_element(DEQUANTIZE)
def _dequantize(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    x, scale, zero_point = lowering.operands(step, indices)
    moved = op("subtract", convert(x, zero_point.type), zero_point)
    if not isinstance(lowering.type(step.outs[0]), FloatType):  # differences that this holds
        return convert(moved, scale.type)
    return multiply(convert(moved, scale.type), scale)


@by_element(QUANTIZE)
def _quantize(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    """Round a number to the nearest integer of the storage; NaN is 0."""
    x, scale, zero_point = lowering.operands(step, indices)
    type = lowering.plan.tensor(step.outs[0]).element_type
    assert isinstance(type, QuantizedType)
    moved = add(op("divide", x, scale), zero_point)
    width, signed = bit_width(type.storage_type), compare_kind(type.storage_type) == "SIGNED"
    least, most = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    for limit, whole, direction in ((type.storage_min, least, "LT"), (type.storage_max, most, "GT")):
        if limit != whole:  # else the conversion saturates
            bound = number(limit, moved.type)
            moved = select(compare(moved, direction, bound), bound, moved)
    return convert(op("round_nearest_even", moved), type.storage_type)
