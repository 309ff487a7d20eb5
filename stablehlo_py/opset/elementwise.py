"""Elementwise ops: each element of the result depends on the same element of each operand."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    COMPLEX,
    FLOAT,
    PER_TENSOR,
    QUANTIZED_TENSOR,
    SIGNED,
    TENSOR,
    tensor_of,
)
from stablehlo_py.opset.definition import Constraint, OpDef, Operand, Result, define, rules

UNARY_FORM = "$operand attr-dict `:` custom<same_operands_and_result_type>(type($operand), type($result))"
BINARY_FORM = (
    "$lhs `,` $rhs attr-dict `:` "
    "custom<same_operands_and_result_type>(type($lhs), type($rhs), type($result))"
)
ELEMENTWISE = frozenset({"pure", "elementwise"})

define(
    OpDef(
        name="stablehlo.abs",
        doc="Takes the absolute value of each element; of a complex number, its modulus.",
        section="abs",
        inputs=(Operand("operand", tensor_of(SIGNED, FLOAT, COMPLEX, PER_TENSOR)),),
        outputs=(Result("result", tensor_of(SIGNED, FLOAT, PER_TENSOR)),),
        constraints=rules(
            ("C1", "shape(result) = shape(operand)"),
            Constraint(
                "C2",
                "baseline_element_type(result) = (is_complex(operand) ? "
                "complex_element_type(element_type(operand)) : baseline_element_type(operand))",
                spec="`baseline_element_type(result)` is defined as:\n"
                "  * `complex_element_type(element_type(operand))` if `is_complex(operand)`.\n"
                "  * `baseline_element_type(operand)` otherwise.",
                why="prose",
            ),
        ),
        form=UNARY_FORM,
        traits=ELEMENTWISE,
        example="%result = stablehlo.abs %operand : tensor<3xi32>",
    ),
    OpDef(
        name="stablehlo.add",
        doc="Adds two tensors element by element; of booleans, the logical or.",
        section="add",
        inputs=(Operand("lhs", TENSOR | QUANTIZED_TENSOR), Operand("rhs", TENSOR | QUANTIZED_TENSOR)),
        outputs=(Result("result", TENSOR | QUANTIZED_TENSOR),),
        constraints=rules(
            Constraint(
                "C1",
                "if not is_quantized(lhs) and not is_quantized(rhs) and not is_quantized(result) then "
                "type(lhs) = type(rhs) = type(result)",
                spec="`type(lhs) = type(rhs) = type(result)`.",
                why="prose",
            ),
        ),
        form=BINARY_FORM,
        traits=ELEMENTWISE,
        example="%result = stablehlo.add %lhs, %rhs : tensor<2x2xi32>",
    ),
)
