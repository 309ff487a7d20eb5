"""Elementwise ops: each element of the result depends on the same element of each operand."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    ANY_TENSOR,
    BOOLEAN,
    COMPLEX,
    FLOAT,
    FLOAT_32_64,
    INTEGER,
    PER_TENSOR,
    PER_TENSOR_TENSOR,
    SIGNED,
    TENSOR,
    TypeClass,
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
from stablehlo_py.opset.shared.common import (
    BINARY_FORM,
    ELEMENTWISE,
    FUNCTIONAL_FORM,
    UNARY_FORM,
    within_bounds,
)
from stablehlo_py.opset.shared.revisions import accuracy
from stablehlo_py.opset.traits import Operator, SignRule, Trait

INTEGERS = tensor_of(INTEGER)
BOOLEANS_AND_INTEGERS = tensor_of(BOOLEAN, INTEGER)
FLOATS = tensor_of(FLOAT, PER_TENSOR)
FLOATS_AND_COMPLEX = tensor_of(FLOAT, COMPLEX, PER_TENSOR)
SIGNED_NUMBERS = tensor_of(SIGNED, FLOAT, COMPLEX, PER_TENSOR)
NUMBERS = tensor_of(INTEGER, FLOAT, COMPLEX, PER_TENSOR)

SAME_TYPE = ("C1", "type(operand) = type(result)")
SAME_BASELINE = ("C1", "baseline_type(operand) = baseline_type(result)")
SAME_TYPES = ("C1", "type(lhs) = type(rhs) = type(result)")
SAME_BASELINES = ("C1", "baseline_type(lhs) = baseline_type(rhs) = baseline_type(result)")

ACCURACY = (
    Attr("atol", "f64", at="result_accuracy.atol", optional=True, default="0.0"),
    Attr("rtol", "f64", at="result_accuracy.rtol", optional=True, default="0.0"),
    Attr("ulps", "i64", at="result_accuracy.ulps", optional=True, default="0"),
    Attr(
        "mode",
        "enum stablehlo.result_accuracy_mode",
        at="result_accuracy.mode",
        optional=True,
        default="DEFAULT",
    ),
)


def _unary(
    name: str,
    doc: str,
    types: TypeClass,
    constraint: tuple[str, str] = SAME_BASELINE,
    example: str = "tensor<2x2xf32>",
    traits: tuple[Trait, ...] = (),
    sign: SignRule = "",
) -> OpDef:
    """Define an op with one operand and a result of the same type class."""
    return OpDef(
        name=f"stablehlo.{name}",
        doc=doc,
        section=name,
        inputs=(Operand("operand", types),),
        outputs=(Result("result", types),),
        constraints=rules(constraint),
        form=UNARY_FORM,
        traits=ELEMENTWISE | frozenset(traits),
        sign=sign,
        example=f"%result = stablehlo.{name} %operand : {example}",
    )


def _transcendental(
    name: str,
    doc: str,
    sign: SignRule = "",
    since: str = "0.9.0",
    accuracy_since: str = "1.10.0",
    source_labels: str | None = "",
) -> OpDef:
    """Define a unary function on floats, complex numbers and quantized values, with a requested accuracy."""
    return OpDef(
        name=f"stablehlo.{name}",
        doc=doc,
        section=name,
        source_labels=source_labels,
        inputs=(Operand("operand", FLOATS_AND_COMPLEX), *ACCURACY),
        outputs=(Result("result", FLOATS_AND_COMPLEX),),
        properties=(("result_accuracy", "struct stablehlo.result_accuracy"),),
        constraints=rules(
            SAME_BASELINE,
            Constraint(
                "U1",
                "not is_negative(atol) and not is_negative(rtol) and 0 <= ulps",
                verdict="upstream",
                at="result_accuracy",
            ),
            Constraint(
                "U2",
                "if mode != TOLERANCE then atol = 0 and rtol = 0 and ulps = 0",
                why="Tolerances apply to the mode TOLERANCE only.",
                verdict="upstream",
                at="result_accuracy",
            ),
        ),
        form=UNARY_FORM,
        traits=ELEMENTWISE | {"transcendental"},
        sign=sign,
        since=since,
        revisions=(accuracy(accuracy_since),),
        example=f"%result = stablehlo.{name} %operand : tensor<2x2xf32>",
    )


def _binary(
    name: str,
    doc: str,
    types: TypeClass,
    constraint: tuple[str, str] = SAME_BASELINES,
    example: str = "tensor<2x2xf32>",
    traits: tuple[Trait, ...] = (),
    sign: SignRule = "",
    operator: Operator = "",
) -> OpDef:
    """Define an op with two operands and a result of the same type class."""
    return OpDef(
        name=f"stablehlo.{name}",
        doc=doc,
        section=name,
        inputs=(Operand("lhs", types), Operand("rhs", types)),
        outputs=(Result("result", types),),
        constraints=rules(constraint),
        form=BINARY_FORM,
        traits=ELEMENTWISE | frozenset(traits),
        sign=sign,
        operator=operator,
        example=f"%result = stablehlo.{name} %lhs, %rhs : {example}",
    )


def _rounding(name: str, doc: str, sign: SignRule = "") -> OpDef:
    return _unary(name, doc, FLOATS, traits=("exact",), sign=sign)


def _integer_binary(name: str, doc: str, types: TypeClass = INTEGERS, *traits: Trait) -> OpDef:
    return _binary(name, doc, types, SAME_TYPES, "tensor<3xi32>", traits=traits)


def _part(name: str, doc: str) -> OpDef:
    """Define `real` or `imag`."""
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
        traits=ELEMENTWISE | {"view"},
        example=f"%result = stablehlo.{name} %operand : (tensor<2xcomplex<f32>>) -> tensor<2xf32>",
    )


define(
    OpDef(
        name="stablehlo.abs",
        doc="Computes the absolute value of each element; for complex numbers, the modulus.",
        section="abs",
        inputs=(Operand("operand", SIGNED_NUMBERS),),
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
            within_bounds("U1", "operand", "result"),
        ),
        form=UNARY_FORM,
        traits=ELEMENTWISE | {"exact"},
        sign="absolute",
        example="%result = stablehlo.abs %operand : tensor<3xi32>",
    ),
    OpDef(
        name="stablehlo.add",
        doc="Adds two tensors element by element; for booleans, computes the logical or.",
        section="add",
        source_labels="C2= C3= C4= C5= C6= C7=",
        inputs=(Operand("lhs", ANY_TENSOR), Operand("rhs", ANY_TENSOR)),
        outputs=(Result("result", ANY_TENSOR),),
        where=(("is_quantized_op", "is_quantized(lhs) or is_quantized(rhs) or is_quantized(result)"),),
        constraints=rules(
            Constraint(
                "C1",
                "if not is_quantized_op then type(lhs) = type(rhs) = type(result)",
                spec="`type(lhs) = type(rhs) = type(result)`.",
                why="prose",
            ),
            Constraint(
                "C2",
                "if is_quantized_op then is_quantized(lhs) and is_quantized(rhs) and is_quantized(result)",
                spec="`is_quantized(lhs) and is_quantized(rhs) and is_quantized(result)`.",
                why="prose",
            ),
            Constraint(
                "C3",
                "if is_quantized_op then storage_type(lhs) = storage_type(rhs) = storage_type(result)",
                spec="`storage_type(lhs) = storage_type(rhs) = storage_type(result)`.",
                why="prose",
            ),
            Constraint(
                "C4",
                "if is_quantized_op then expressed_type(lhs) = expressed_type(rhs) = expressed_type(result)",
                spec="`expressed_type(lhs) = expressed_type(rhs) = expressed_type(result)`.",
                why="prose",
            ),
            Constraint(
                "C5",
                "if is_quantized_op then (is_per_axis_quantized(lhs) or is_per_axis_quantized(rhs)) = "
                "is_per_axis_quantized(result)",
                spec="`(is_per_axis_quantized(lhs) or is_per_axis_quantized(rhs)) =\n"
                "  is_per_axis_quantized(result)`.",
                why="prose",
            ),
            Constraint(
                "C6",
                "if is_per_axis_quantized(lhs) then "
                "quantization_dimension(lhs) = quantization_dimension(result)",
                spec="If `is_per_axis_quantized(lhs)`, then `quantization_dimension(lhs) =\n"
                "  quantization_dimension(result)`.",
                why="prose",
            ),
            Constraint(
                "C7",
                "if is_per_axis_quantized(rhs) then "
                "quantization_dimension(rhs) = quantization_dimension(result)",
                spec="If `is_per_axis_quantized(rhs)`, then `quantization_dimension(rhs) =\n"
                "  quantization_dimension(result)`.",
                why="prose",
            ),
            Constraint(
                "U1",
                "if is_quantized_op then shape(lhs) = shape(rhs) = shape(result)",
                why="Quantized operands and results also have equal shapes.",
                verdict="upstream",
            ),
            Constraint(
                "U2",
                "if is_quantized(lhs) and is_quantized(result) and "
                "(is_per_axis_quantized(lhs) or is_per_axis_quantized(rhs)) = "
                "is_per_axis_quantized(result) then "
                "baseline_element_type(lhs) = baseline_element_type(result)",
                why="Upstream infers the result type from the left operand.",
                verdict="upstream",
            ),
        ),
        form=BINARY_FORM,
        traits=frozenset({"pure", "elementwise", "commutative"}),
        sign="sum",
        operator="+",
        example="%result = stablehlo.add %lhs, %rhs : tensor<2x2xi32>",
    ),
    _integer_binary(
        "and",
        "Computes the bitwise and of two tensors; for booleans, the logical and.",
        BOOLEANS_AND_INTEGERS,
        "commutative",
        "associative",
        "logical",
    ),
    _binary(
        "atan2",
        "Computes the angle of each point with y = lhs and x = rhs, from -pi to pi.",
        FLOATS_AND_COMPLEX,
        traits=("transcendental",),
        sign="operand",
    ),
    _transcendental("cbrt", "Computes the cube root of each element.", sign="operand"),
    _rounding("ceil", "Rounds each element towards positive infinity.", "non_negative_operand"),
    OpDef(
        name="stablehlo.clamp",
        doc="Limits each element to a minimum and a maximum.",
        section="clamp",
        inputs=(
            Operand("min", PER_TENSOR_TENSOR),
            Operand("operand", PER_TENSOR_TENSOR),
            Operand("max", PER_TENSOR_TENSOR),
        ),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        constraints=rules(
            ("C1", "rank(min) = 0 or shape(min) = shape(operand)"),
            ("C2", "rank(max) = 0 or shape(max) = shape(operand)"),
            (
                "C3",
                "baseline_element_type(min) = baseline_element_type(operand) = baseline_element_type(max)",
            ),
            ("C4", "baseline_type(operand) = baseline_type(result)"),
        ),
        form="$min `,` $operand `,` $max attr-dict `:` custom<same_operands_and_result_type>"
        "(type($min), type($operand), type($max), type($result))",
        traits=ELEMENTWISE | {"exact"},
        sign="clamp",
        example="%result = stablehlo.clamp %min, %operand, %max : tensor<3xi32>",
    ),
    OpDef(
        name="stablehlo.compare",
        doc="Compares two tensors element by element.",
        section="compare",
        inputs=(
            Operand("lhs", PER_TENSOR_TENSOR),
            Operand("rhs", PER_TENSOR_TENSOR),
            Attr(
                "comparison_direction",
                "enum stablehlo.comparison_direction",
                type="enum of `EQ`, `NE`, `GE`, `GT`, `LE`, and `LT`",
            ),
            Attr(
                "compare_type",
                "enum stablehlo.comparison_type",
                type="enum of `FLOAT`, `TOTALORDER`, `SIGNED`, and `UNSIGNED`",
                optional=True,
                default="NOTYPE",
                prints_default=True,
            ),
        ),
        outputs=(Result("result", tensor_of(BOOLEAN)),),
        constraints=rules(
            ("C1", "baseline_element_type(lhs) = baseline_element_type(rhs)"),
            ("C2", "shape(lhs) = shape(rhs) = shape(result)"),
            Constraint(
                "C3",
                "compare_type = NOTYPE or compare_type in (is_signed_integer(element_type(lhs)) ? [SIGNED] : "
                "is_unsigned_integer(element_type(lhs)) or is_boolean(element_type(lhs)) ? [UNSIGNED] : "
                "is_float(element_type(lhs)) ? [FLOAT, TOTALORDER] : [FLOAT])",
                spec="`compare_type` is defined as:\n"
                "  * `SIGNED` if `is_signed_integer(element_type(lhs))`.\n"
                "  * `UNSIGNED` if `is_unsigned_integer(element_type(lhs)) or\n"
                "  is_boolean(element_type(lhs))`.\n"
                "  * `FLOAT` or `TOTALORDER` if `is_float(element_type(lhs))`.\n"
                "  * `FLOAT` if `is_complex(element_type(lhs))`.",
                why="An absent compare_type is derived from the element type; upstream accepts any.",
                verdict="spec-only",
            ),
        ),
        form="$comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` "
        "functional-type(operands, results)",
        traits=frozenset({"pure", "elementwise", "exact", "comparison", "logical"}),
        example="%result = stablehlo.compare LT, %lhs, %rhs, FLOAT : "
        "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
    ),
    OpDef(
        name="stablehlo.complex",
        doc="Creates complex numbers from the real parts lhs and the imaginary parts rhs.",
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
    OpDef(
        name="stablehlo.convert",
        doc="Converts each element to another element type.",
        section="convert",
        inputs=(Operand("operand", TENSOR),),
        outputs=(Result("result", TENSOR),),
        constraints=rules(("C1", "shape(operand) = shape(result)")),
        form=UNARY_FORM,
        traits=frozenset({"pure", "elementwise", "conversion"}),
        sign="conversion",
        example="%result = stablehlo.convert %operand : (tensor<3xi64>) -> tensor<3xf32>",
    ),
    _transcendental("cosine", "Computes the cosine of each element."),
    _unary(
        "count_leading_zeros",
        "Counts the leading zero bits of each element.",
        INTEGERS,
        SAME_TYPE,
        "tensor<2x2xi64>",
        sign="non_negative",
    ),
    _binary(
        "divide",
        "Divides lhs by rhs element by element; integer quotients are rounded towards zero.",
        NUMBERS,
        sign="quotient",
        operator="/",
    ),
    _transcendental(
        "exponential", "Computes the exponential of each element.", sign="positive", accuracy_since="1.9.0"
    ),
    _transcendental(
        "exponential_minus_one",
        "Computes exp(x) - 1 for each element x.",
        sign="non_negative_operand",
    ),
    _rounding("floor", "Rounds each element towards negative infinity.", "non_negative_part"),
    _part("imag", "Extracts the imaginary part of each element; 0 for a real operand."),
    OpDef(
        name="stablehlo.is_finite",
        doc="Tests whether each element is finite: neither infinite nor NaN.",
        section="is_finite",
        inputs=(Operand("x", FLOATS),),
        outputs=(Result("y", tensor_of(BOOLEAN)),),
        constraints=rules(("C1", "shape(x) = shape(y)"), within_bounds("U1", "x", "y")),
        form=FUNCTIONAL_FORM,
        traits=ELEMENTWISE | {"exact"},
        example="%y = stablehlo.is_finite %x : (tensor<7xf64>) -> tensor<7xi1>",
    ),
    _transcendental("log", "Computes the natural logarithm of each element."),
    _transcendental(
        "log_plus_one",
        "Computes the natural logarithm of 1 + x for each element x.",
        sign="non_negative_operand",
    ),
    _transcendental("logistic", "Computes the logistic 1 / (1 + exp(-x)) of each element.", sign="positive"),
    _binary(
        "maximum",
        "Computes the maximum of two tensors element by element; NaN if either element is.",
        PER_TENSOR_TENSOR,
        traits=("commutative", "associative", "exact"),
        sign="maximum",
    ),
    _binary(
        "minimum",
        "Computes the minimum of two tensors element by element; NaN if either element is.",
        PER_TENSOR_TENSOR,
        traits=("commutative", "associative", "exact"),
        sign="every_operand",
    ),
    _binary(
        "multiply",
        "Multiplies two tensors element by element; for booleans, computes the logical and.",
        PER_TENSOR_TENSOR,
        traits=("commutative",),
        sign="product",
        operator="*",
    ),
    _unary("negate", "Negates each element.", NUMBERS, traits=("exact",), sign="nonzero_part"),
    _unary(
        "not",
        "Computes the bitwise not of each element; for booleans, the logical not.",
        BOOLEANS_AND_INTEGERS,
        SAME_TYPE,
        "tensor<5x3x1xi1>",
        traits=("logical",),
    ),
    _integer_binary(
        "or",
        "Computes the bitwise or of two tensors; for booleans, the logical or.",
        BOOLEANS_AND_INTEGERS,
        "commutative",
        "associative",
        "logical",
    ),
    _unary(
        "popcnt",
        "Counts the set bits of each element.",
        INTEGERS,
        SAME_TYPE,
        "tensor<4xi64>",
        sign="non_negative",
    ),
    _binary(
        "power",
        "Raises lhs to the power of rhs, element by element.",
        NUMBERS,
        traits=("transcendental",),
        sign="power",
    ),
    _part("real", "Extracts the real part of each element; a real operand is unchanged."),
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
        sign="operand",
        example="%output = stablehlo.reduce_precision %operand, format = e5m10 : tensor<6xf64>",
    ),
    _binary("remainder", "Computes the remainder of lhs / rhs, with the sign of lhs.", NUMBERS, operator="%"),
    _rounding("round_nearest_afz", "Rounds each element to the nearest integer, halves away from zero."),
    _rounding("round_nearest_even", "Rounds each element to the nearest integer, halves to even."),
    _transcendental("rsqrt", "Computes the reciprocal square root of each element.", sign="positive"),
    OpDef(
        name="stablehlo.select",
        doc="Selects each element from on_true where pred is true, and from on_false otherwise.",
        section="select",
        inputs=(
            Operand("pred", tensor_of(BOOLEAN)),
            Operand("on_true", PER_TENSOR_TENSOR),
            Operand("on_false", PER_TENSOR_TENSOR),
        ),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        constraints=rules(
            ("C1", "rank(pred) = 0 or shape(pred) = shape(on_true)"),
            ("C2", "baseline_type(on_true) = baseline_type(on_false) = baseline_type(result)"),
            Constraint(
                "U1",
                "element_type(on_true) = element_type(on_false)",
                why="Upstream also requires equal scales and zero points.",
                verdict="upstream",
            ),
        ),
        form="operands attr-dict `:` "
        "custom<select_op_type>(type($pred), type($on_true), type($on_false), type($result))",
        traits=frozenset({"choice", "pure", "elementwise", "exact", "logical"}),
        sign="select",
        example="%result = stablehlo.select %pred, %on_true, %on_false : tensor<2x2xi1>, tensor<2x2xi32>",
    ),
    _integer_binary("shift_left", "Shifts the bits of lhs left by rhs positions."),
    _integer_binary("shift_right_arithmetic", "Shifts lhs right by rhs positions, keeping the sign."),
    _integer_binary("shift_right_logical", "Shifts lhs right by rhs positions, filling with zeros."),
    _unary(
        "sign",
        "Computes the sign of each element: -1, 0 (signed), 1 or NaN; for complex numbers, x / |x|.",
        SIGNED_NUMBERS,
        traits=("exact",),
    ),
    _transcendental("sine", "Computes the sine of each element."),
    _transcendental("sqrt", "Computes the square root of each element.", sign="non_negative_operand"),
    _binary("subtract", "Subtracts rhs from lhs, element by element.", NUMBERS, operator="-"),
    _transcendental("tan", "Computes the tangent of each element.", since="1.4.0", source_labels=None),
    _transcendental("tanh", "Computes the hyperbolic tangent of each element.", sign="operand"),
    _integer_binary(
        "xor",
        "Computes the bitwise exclusive or of two tensors; for booleans, the logical one.",
        BOOLEANS_AND_INTEGERS,
        "commutative",
        "associative",
    ),
)
