"""The dialect `check`: assertions of test programs."""

from __future__ import annotations

from stablehlo_py.opset.classes import COMPLEX, FLOAT, PER_TENSOR_TENSOR, tensor_of
from stablehlo_py.opset.definition import Attr, OpDef, Operand, define, upstream
from stablehlo_py.opset.traits import Trait

FLOATS = tensor_of(FLOAT, COMPLEX)
HOST: frozenset[Trait] = frozenset({"host"})
TOLERANCE = Attr("tolerance", "f64", optional=True, default="0.0001")


define(
    OpDef(
        name="check.expect_eq",
        doc="Fails unless two tensors have the same elements.",
        inputs=(Operand("lhs", PER_TENSOR_TENSOR), Operand("rhs", PER_TENSOR_TENSOR)),
        constraints=(upstream("U1", "type(lhs) = type(rhs)"),),
        form="$lhs `,` $rhs attr-dict `:` custom<same_operands_and_result_type>(type($lhs), type($rhs))",
        traits=HOST,
        example="check.expect_eq %lhs, %rhs : tensor<3xi64>",
    ),
    OpDef(
        name="check.expect_eq_const",
        doc="Fails unless a tensor has the elements of a constant.",
        inputs=(Operand("lhs", PER_TENSOR_TENSOR), Attr("value", "elements")),
        constraints=(upstream("U1", "type(lhs) = type(value)"),),
        form="custom<expect_const>($lhs, $value) attr-dict",
        traits=HOST,
        example="check.expect_eq_const %lhs, dense<[1, 2]> : tensor<2xi64>",
    ),
    OpDef(
        name="check.expect_almost_eq",
        doc="Fails unless two tensors have the same elements within a tolerance.",
        inputs=(Operand("lhs", FLOATS), Operand("rhs", FLOATS), TOLERANCE),
        constraints=(upstream("U1", "type(lhs) = type(rhs)"),),
        form="$lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict "
        "`:` custom<same_operands_and_result_type>(type($lhs), type($rhs))",
        traits=HOST,
        example="check.expect_almost_eq %lhs, %rhs : tensor<3xf32>",
    ),
    OpDef(
        name="check.expect_almost_eq_const",
        doc="Fails unless a tensor has the elements of a constant within a tolerance.",
        inputs=(Operand("lhs", FLOATS), Attr("value", "elements"), TOLERANCE),
        constraints=(upstream("U1", "type(lhs) = type(value)"),),
        form="custom<expect_const>($lhs, $value) (`,` `tolerance` `=` $tolerance^)? attr-dict",
        traits=HOST,
        example="check.expect_almost_eq_const %lhs, dense<[1.0, 2.0]> : tensor<2xf32>",
    ),
    OpDef(
        name="check.expect_close",
        doc="Fails unless the elements are within a number of ULPs of those expected.",
        inputs=(
            Operand("actual", FLOATS),
            Operand("expected", FLOATS),
            Attr("max_ulp_difference", "ui64", optional=True, default="3"),
            Attr("min_ulp_difference", "ui64", optional=True, default="0"),
        ),
        constraints=(upstream("U1", "type(actual) = type(expected)"),),
        form="$actual `,` $expected (`,` `max_ulp_difference` `=` $max_ulp_difference^)? "
        "(`,` `min_ulp_difference` `=` $min_ulp_difference^)? attr-dict "
        "`:` type($actual) `,` type($expected)",
        traits=HOST,
        example="check.expect_close %actual, %expected, max_ulp_difference = 3 "
        ": tensor<3xf32>, tensor<3xf32>",
    ),
    OpDef(
        name="check.expect_serialized_eq",
        doc="Fails unless a tensor equals the one that a probe wrote to a file in its `iter`-th execution.",
        inputs=(
            Operand("expected", PER_TENSOR_TENSOR),
            Attr("probe_id", "string"),
            Attr("iter", "i32", optional=True, default="0"),
        ),
        form="$expected `,` `probe_id` `=` $probe_id (`,` `iter` `=` $iter^)? attr-dict `:` type($expected)",
        traits=HOST,
        example='check.expect_serialized_eq %expected, probe_id = "probe0", iter = 1 : tensor<3xi64>',
    ),
)
