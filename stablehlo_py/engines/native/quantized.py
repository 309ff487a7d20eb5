"""Quantization and dequantization as expressions (`kernels/quantized.py`).

Scales and zero points are operands: scalars, or arrays of the shape of the elements.
"""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.elements import saturated
from stablehlo_py.engines.native.arithmetic.llvm_ir import WIDTHS, Value
from stablehlo_py.engines.native.index_space import Indices
from stablehlo_py.engines.native.lower.quantized import DEQUANTIZE, QUANTIZE
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.types import QuantizedType

_NARROW = 16  # bits of integers that f32 holds


def _operands(scope: Scope, step: Step, indices: Indices) -> list[Value]:
    return [scope.at(slot, indices if scope.shape(slot) else ()) for slot in step.ins]


def _dequantize(scope: Scope, step: Step, indices: Indices) -> Value:
    x, scale, zero_point = _operands(scope, step, indices)
    signed = scope.element(step.ins[0]).signed
    shifted = x.convert("sext" if signed else "zext", zero_point.type) - zero_point
    if not scope.element(step.outs[0]).is_float:  # differences that this holds
        return shifted.convert("trunc", scale.type)
    return scope.element(step.outs[0]).rounded(shifted.convert("sitofp", scale.type) * scale)


def _quantize(scope: Scope, step: Step, indices: Indices) -> Value:
    x, scale, zero_point = _operands(scope, step, indices)
    type = scope.plan.tensor(step.outs[0]).element_type
    assert isinstance(type, QuantizedType)
    moved = x / scale + zero_point
    above = moved.compare("olt", type.storage_min).select(type.storage_min, moved)  # NaN stays
    rounded = above.compare("ogt", type.storage_max).select(type.storage_max, above).call("rint")
    stored = scope.element(step.outs[0])
    if WIDTHS[stored.compute] > _NARROW:
        return saturated(rounded, stored)
    number = rounded.is_nan().select(0, rounded)
    return number.convert("fptosi", "i32").convert("trunc", stored.compute)


QUANTIZATION = {QUANTIZE: _quantize, DEQUANTIZE: _dequantize}
