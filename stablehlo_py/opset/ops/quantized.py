"""Conversions between floating-point and quantized values."""

from __future__ import annotations

from stablehlo_py.opset.classes import FLOAT, QUANTIZED, QUANTIZED_TENSOR, tensor_of
from stablehlo_py.opset.definition import Constraint, OpDef, Operand, Result, define, rules
from stablehlo_py.opset.shared.common import ELEMENTWISE, UNARY_FORM

define(
    OpDef(
        name="stablehlo.uniform_quantize",
        doc="Converts floating-point or quantized values to a quantized type.",
        section="uniform_quantize",
        inputs=(Operand("operand", tensor_of(FLOAT, QUANTIZED)),),
        outputs=(Result("result", QUANTIZED_TENSOR),),
        constraints=rules(
            ("C1", "shape(operand) = shape(result)"),
            Constraint(
                "C2",
                "expressed_type(result) = "
                "(is_float(operand) ? element_type(operand) : expressed_type(operand))",
                spec="`expressed_type(result) = is_float(operand) ? element_type(operand) :\n"
                "  expressed_type(operand)`.",
                why="precedence",
            ),
        ),
        form=UNARY_FORM,
        traits=ELEMENTWISE,
        example="%result = stablehlo.uniform_quantize %operand : "
        "(tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:10>>",
    ),
    OpDef(
        name="stablehlo.uniform_dequantize",
        doc="Converts quantized values to floating-point values.",
        section="uniform_dequantize",
        inputs=(Operand("operand", QUANTIZED_TENSOR),),
        outputs=(Result("result", tensor_of(FLOAT)),),
        constraints=rules(
            ("C1", "shape(operand) = shape(result)"),
            ("C2", "element_type(result) = expressed_type(operand)"),
        ),
        form=UNARY_FORM,
        traits=ELEMENTWISE,
        example="%result = stablehlo.uniform_dequantize %operand : "
        "(tensor<2x!quant.uniform<i8:f32, 5.000000e-01:10>>) -> tensor<2xf32>",
    ),
)
