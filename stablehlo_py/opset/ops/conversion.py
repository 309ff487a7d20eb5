"""Elementwise ops that go from one element type to another, or change the format of elements."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    ANY_TENSOR,
    COMPLEX,
    FLOAT,
    FLOAT_32_64,
    PER_TENSOR,
    TENSOR,
    tensor_of,
)
from stablehlo_py.opset.definition import (
    Attr,
    Constraint,
    OpDef,
    Operand,
    Result,
    define,
    rules,
)
from stablehlo_py.opset.ops.shared import ELEMENTWISE, FUNCTIONAL_FORM, PURE, UNARY_FORM, within_bounds


def _part(name: str, doc: str) -> OpDef:
    """`real` or `imag`."""
    return OpDef(
        name=f"stablehlo.{name}",
        doc=doc,
        section=name,
        inputs=(Operand("operand", tensor_of(FLOAT, COMPLEX)),),
        outputs=(Result("result", tensor_of(FLOAT)),),
        constraints=rules(
            ("C1", "shape(result) = shape(operand)"),
            Constraint(
                "C2",
                "element_type(result) = (is_complex(operand) ? "
                "complex_element_type(element_type(operand)) : element_type(operand))",
                spec="`element_type(result)` is defined as:\n"
                "  * `complex_element_type(element_type(operand))` if `is_complex(operand)`.\n"
                "  * `element_type(operand)` otherwise.",
                why="prose",
            ),
            within_bounds("U1", "operand", "result"),
        ),
        form=UNARY_FORM,
        traits=ELEMENTWISE,
        example=f"%result = stablehlo.{name} %operand : (tensor<2xcomplex<f32>>) -> tensor<2xf32>",
    )


define(
    OpDef(
        name="stablehlo.convert",
        doc="Converts each element to another element type.",
        section="convert",
        inputs=(Operand("operand", TENSOR),),
        outputs=(Result("result", TENSOR),),
        constraints=rules(("C1", "shape(operand) = shape(result)")),
        form=UNARY_FORM,
        traits=ELEMENTWISE,
        example="%result = stablehlo.convert %operand : (tensor<3xi64>) -> tensor<3xf32>",
    ),
    OpDef(
        name="stablehlo.bitcast_convert",
        doc="Reinterprets the bits of a tensor as another element type.",
        section="bitcast_convert",
        inputs=(Operand("operand", ANY_TENSOR),),
        outputs=(Result("result", ANY_TENSOR),),
        where=(
            ("E", "is_quantized(operand) ? storage_type(operand) : element_type(operand)"),
            ("F", "is_quantized(result) ? storage_type(result) : element_type(result)"),
            ("R", "rank(operand)"),
        ),
        constraints=rules(
            Constraint(
                "C1",
                "(if num_bits(F) = num_bits(E) then shape(result) = shape(operand)) and "
                "(if num_bits(F) < num_bits(E) then rank(result) = R + 1 and "
                "shape(result)[:-1] = shape(operand) and dim(result, R) * num_bits(F) = num_bits(E)) and "
                "(if num_bits(F) > num_bits(E) then rank(result) = R - 1 and "
                "shape(result) = shape(operand)[:-1] and dim(operand, R - 1) * num_bits(E) = num_bits(F))",
                spec="Given `E = is_quantized(operand) ? storage_type(operand) :\n"
                "  element_type(operand)`, `E' = is_quantized(result) ?\n"
                "  storage_type(result) : element_type(result)`, and `R = rank(operand)`:\n"
                "  * If `num_bits(E') = num_bits(E)`, `shape(result) = shape(operand)`.\n"
                "  * If `num_bits(E') < num_bits(E)`:\n"
                "    * `rank(result) = R + 1`.\n"
                "    * `dim(result, i) = dim(operand, i)` for all `0 <= i < R`.\n"
                "    * `dim(result, R) * num_bits(E') = num_bits(E)`.\n"
                "  * If `num_bits(E') > num_bits(E)`:\n"
                "    * `rank(result) = R - 1`.\n"
                "    * `dim(result, i) = dim(operand, i)` for all `0 <= i < R`.\n"
                "    * `dim(operand, R - 1) * num_bits(E) = num_bits(E')`.",
                why="prose",
            ),
            Constraint(
                "C2",
                "if is_complex(operand) or is_complex(result) then "
                "is_complex(operand) and is_complex(result)",
                spec="If `is_complex(operand) or is_complex(result)`, then\n"
                "  `is_complex(operand) and is_complex(result)`.",
                why="prose",
            ),
        ),
        form=FUNCTIONAL_FORM,
        traits=PURE,
        example="%result = stablehlo.bitcast_convert %operand : (tensor<f64>) -> tensor<4xf16>",
    ),
    OpDef(
        name="stablehlo.complex",
        doc="Makes complex numbers of real and imaginary parts.",
        section="complex",
        inputs=(Operand("lhs", tensor_of(FLOAT_32_64)), Operand("rhs", tensor_of(FLOAT_32_64))),
        outputs=(Result("result", tensor_of(COMPLEX)),),
        constraints=rules(
            ("C1", "type(lhs) = type(rhs)"),
            ("C2", "shape(result) = shape(lhs)"),
            Constraint(
                "C3",
                "complex_element_type(element_type(result)) = element_type(lhs)",
                spec="`element_type(result)` has type `complex<E>` where\n  `E = element_type(lhs)`.",
                why="prose",
            ),
            within_bounds("U1", "lhs", "result"),
        ),
        form="operands attr-dict `:` custom<complex_op_type>(type($lhs), type($rhs), type($result))",
        traits=ELEMENTWISE,
        example="%result = stablehlo.complex %lhs, %rhs : tensor<2xcomplex<f32>>",
    ),
    _part("real", "Takes the real part of each element."),
    _part("imag", "Takes the imaginary part of each element."),
    OpDef(
        name="stablehlo.reduce_precision",
        doc="Rounds each element to a format with fewer exponent and mantissa bits, and back.",
        section="reduce_precision",
        inputs=(
            Operand("operand", tensor_of(FLOAT, PER_TENSOR)),
            Attr("exponent_bits", "i32", type="constant of type `si32`"),
            Attr("mantissa_bits", "i32", type="constant of type `si32`"),
        ),
        outputs=(Result("output", tensor_of(FLOAT, PER_TENSOR)),),
        constraints=rules(
            ("C1", "baseline_type(operand) = baseline_type(output)"),
            ("C2", "1 <= exponent_bits"),
            ("C3", "0 <= mantissa_bits"),
        ),
        form="$operand `,` `format` `=` custom<exponent_mantissa>($exponent_bits, $mantissa_bits) "
        "attr-dict `:` custom<same_operands_and_result_type>(type($operand), type($output))",
        traits=ELEMENTWISE,
        example="%output = stablehlo.reduce_precision %operand, format = e5m10 : tensor<6xf64>",
    ),
)
