"""Convolutions."""

from __future__ import annotations

from typing import Literal

from stablehlo_py.opset.classes import ANY_TENSOR, PER_TENSOR_TENSOR
from stablehlo_py.opset.definition import (
    Attr,
    Constraint,
    OpDef,
    Operand,
    Result,
    define,
    guarded,
)
from stablehlo_py.opset.ops.dot import PRECISION_CONFIG, PRECISION_SIZE, exact_precision_size
from stablehlo_py.opset.sharding_rule import ShardingRule
from stablehlo_py.opset.shared.common import indices
from stablehlo_py.opset.traits import CostRule

CONSTANT = "constant of type `si64`"
ONES = "[1 for d in axes(lhs)[2:]]"  # one per spatial dimension


def _window(name: str, kind: str, words: str, default: str) -> Attr:
    return Attr(name, kind, type=words, optional=True, default=default, empty_is_absent=True)


def _dimension(name: str) -> Attr:
    return Attr(name, "i64", type=CONSTANT, at=f"dimension_numbers.{name}")


def _dimensions(name: str) -> Attr:
    return Attr(name, "array<i64>", type=indices(name).type, at=f"dimension_numbers.{name}")


WINDOW_STRIDES = _window("window_strides", "array<i64>", "1-dimensional tensor constant of type `si64`", ONES)
WINDOW_DILATIONS = (
    _window("lhs_dilation", "array<i64>", "1-dimensional tensor constant of type `si64`", ONES),
    _window("rhs_dilation", "array<i64>", "1-dimensional tensor constant of type `si64`", ONES),
    _window(
        "window_reversal",
        "array<bool>",
        "1-dimensional tensor constant of type `i1`",
        "[false for d in axes(lhs)[2:]]",
    ),
)
DIMENSION_NUMBERS = (
    _dimension("input_batch_dimension"),
    _dimension("input_feature_dimension"),
    _dimensions("input_spatial_dimensions"),
    _dimension("kernel_input_feature_dimension"),
    _dimension("kernel_output_feature_dimension"),
    _dimensions("kernel_spatial_dimensions"),
    _dimension("output_batch_dimension"),
    _dimension("output_feature_dimension"),
    _dimensions("output_spatial_dimensions"),
)
GROUP_COUNTS = (
    Attr("feature_group_count", "i64", type=CONSTANT),
    Attr("batch_group_count", "i64", type=CONSTANT),
)
CONVOLUTION_WHERE = (
    ("N", "rank(lhs)"),
    (
        "input_dimensions",
        "[input_batch_dimension] ++ input_spatial_dimensions ++ [input_feature_dimension]",
    ),
    (
        "kernel_dimensions",
        "kernel_spatial_dimensions ++ [kernel_input_feature_dimension] ++ [kernel_output_feature_dimension]",
    ),
    (
        "output_dimensions",
        "[output_batch_dimension] ++ output_spatial_dimensions ++ [output_feature_dimension]",
    ),
    ("is_quantized_op", "is_quantized(lhs) or is_quantized(rhs) or is_quantized(result)"),
)

OUTPUT_SHAPE = """`dim(result, result_dim)` is defined as:
  * `dim(lhs, input_batch_dimension) / batch_group_count` if `result_dim = output_batch_dimension`.
  * `dim(rhs, kernel_output_feature_dimension)` if `result_dim = output_feature_dimension`.
  * `num_windows` otherwise, where:
    * `output_spatial_dimensions[spatial_dim] = result_dim`.
    * `lhs_dim = input_spatial_dimensions[spatial_dim]`.
    * `rhs_dim = kernel_spatial_dimensions[spatial_dim]`.
    * `dilated_input_shape[lhs_dim] = dim(lhs, lhs_dim) = 0 ? 0 : \
(dim(lhs, lhs_dim) - 1) * lhs_dilation[spatial_dim] + 1`.
    * `padded_input_shape[lhs_dim] = padding[spatial_dim, 0] + dilated_input_shape[lhs_dim] + \
padding[spatial_dim, 1]`.
    * `dilated_window_shape[lhs_dim] = dim(rhs, rhs_dim) = 0 ? 0 : \
(dim(rhs, rhs_dim) - 1) * rhs_dilation[spatial_dim] + 1`.
    * `is_empty_window[lhs_dim] = padded_input_shape[lhs_dim] = 0 || \
dilated_window_shape[lhs_dim] > padded_input_shape[lhs_dim]`.
    * `num_windows = is_empty_window[lhs_dim] ? 0 : floor((padded_input_shape[lhs_dim] - \
dilated_window_shape[lhs_dim]) / window_strides[spatial_dim]) + 1`."""


def _dimension_numbers_rule(label: str, name: str, sum_of: str) -> Constraint:
    return Constraint(
        label,
        f"is_unique({name}) and 0 <= {name} < N",
        spec=f"Given `{name} = {sum_of}`:\n  * `is_unique({name})`.\n  * `0 <= {name} < N`.",
        why="prose",
    )


def convolution_constraints(
    padding: str = "padding", shape_verdict: Literal["error", "spec-only"] = "error"
) -> tuple[Constraint, ...]:
    """Return C1 to C34, which convolution and dynamic_conv share.

    `padding` is the formula for its value, `shape_verdict` whether upstream looks at the result's shape.
    """
    windows = (
        "num_windows(dims(lhs, input_spatial_dimensions), dims(rhs, kernel_spatial_dimensions), "
        f"window_strides, {padding}, lhs_dilation, rhs_dilation)"
    )
    return (
        Constraint("C1", "N = rank(lhs) = rank(rhs)"),
        Constraint("C2", "size(window_strides) = N - 2"),
        Constraint("C3", "0 < window_strides"),
        Constraint("C4", "shape(padding) = [N - 2, 2]"),
        Constraint("C5", "size(lhs_dilation) = N - 2"),
        Constraint("C6", "0 < lhs_dilation"),
        Constraint("C7", "size(rhs_dilation) = N - 2"),
        Constraint("C8", "0 < rhs_dilation"),
        Constraint("C9", "size(window_reversal) = N - 2"),
        Constraint("C10", "dim(lhs, input_batch_dimension) % batch_group_count = 0"),
        Constraint("C11", "dim(lhs, input_feature_dimension) % feature_group_count = 0"),
        Constraint("C12", "size(input_spatial_dimensions) = N - 2"),
        _dimension_numbers_rule(
            "C13",
            "input_dimensions",
            "[input_batch_dimension] +\n       input_spatial_dimensions + [input_feature_dimension]",
        ),
        Constraint(
            "C14",
            "dim(rhs, kernel_input_feature_dimension) = "
            "dim(lhs, input_feature_dimension) / feature_group_count",
        ),
        Constraint("C15", "dim(rhs, kernel_output_feature_dimension) % batch_group_count = 0"),
        Constraint("C16", "dim(rhs, kernel_output_feature_dimension) % feature_group_count = 0"),
        Constraint("C17", "size(kernel_spatial_dimensions) = N - 2"),
        _dimension_numbers_rule(
            "C18",
            "kernel_dimensions",
            "kernel_spatial_dimensions +\n"
            "  [kernel_input_feature_dimension] + [kernel_output_feature_dimension]",
        ),
        Constraint("C19", "size(output_spatial_dimensions) = N - 2"),
        _dimension_numbers_rule(
            "C20",
            "output_dimensions",
            "[output_batch_dimension] +\n       output_spatial_dimensions + [output_feature_dimension]",
        ),
        Constraint("C21", "0 < feature_group_count", at="feature_group_count"),
        Constraint("C22", "0 < batch_group_count", at="batch_group_count"),
        Constraint("C23", "feature_group_count = 1 or batch_group_count = 1"),
        exact_precision_size("C24"),
        Constraint(
            "C25",
            "dim(result, output_batch_dimension) = dim(lhs, input_batch_dimension) / batch_group_count and "
            "dim(result, output_feature_dimension) = dim(rhs, kernel_output_feature_dimension) and "
            f"dims(result, output_spatial_dimensions) = {windows}",
            spec=OUTPUT_SHAPE,
            why="prose",
            verdict=shape_verdict,
        ),
        Constraint(
            "C26",
            "rank(result) = N",
            why="" if shape_verdict == "error" else "Upstream does not check the result's shape.",
            verdict=shape_verdict,
        ),
        Constraint(
            "C27",
            "if not is_quantized_op then element_type(lhs) = element_type(rhs)",
            spec="`element_type(lhs) = element_type(rhs) = element_type(result)`.",
            why="Upstream allows a different element type of the result.",
        ),
        Constraint(
            "C27",
            "if not is_quantized_op then element_type(lhs) = element_type(result)",
            spec="`element_type(lhs) = element_type(rhs) = element_type(result)`.",
            why="Upstream lets the result have another element type.",
            verdict="spec-only",
        ),
        guarded("is_quantized_op", "C28", "is_quantized(lhs) = is_quantized(result) and is_quantized(rhs)"),
        Constraint(
            "C29",
            "if is_per_axis_quantized(rhs) then "
            "quantization_dimension(rhs) = kernel_output_feature_dimension",
            spec="If `is_per_axis_quantized(rhs)`,\n"
            "  then `quantization_dimension(rhs) = kernel_output_feature_dimension`.",
            why="prose",
        ),
        Constraint(
            "C30",
            "if is_per_axis_quantized(result) then quantization_dimension(result) = output_feature_dimension",
            spec="If `is_per_axis_quantized(result)`, then\n"
            "  `quantization_dimension(result) = output_feature_dimension`.",
            why="prose",
        ),
        guarded("is_quantized(lhs)", "C31", "storage_type(lhs) = storage_type(rhs)"),
        guarded(
            "is_quantized(lhs)", "C32", "expressed_type(lhs) = expressed_type(rhs) = expressed_type(result)"
        ),
        Constraint(
            "C33",
            "if is_quantized(lhs) and is_per_tensor_quantized(rhs) then is_per_tensor_quantized(result)",
            spec="If `is_per_tensor_quantized(rhs)`, then\n  `is_per_tensor_quantized(result)`.",
            why="prose",
        ),
        guarded(
            "is_quantized_op and not is_quantized(lhs)",
            "C34",
            "element_type(lhs) = expressed_type(rhs) = element_type(result)",
        ),
        PRECISION_SIZE,
        Constraint(
            "U2", "2 <= N", why="One batch and one feature dimension are required.", verdict="upstream"
        ),
        Constraint(
            "U3",
            "0 < dims(rhs, kernel_spatial_dimensions)",
            why="Upstream rejects empty windows.",
            verdict="upstream",
        ),
    )


define(
    OpDef(
        name="stablehlo.convolution",
        doc="Computes dot products between windows of lhs and slices of rhs.",
        section="convolution",
        source_labels="C29=C32 C30=C33 C31=C29 C32=C30 C33=C31 C34=",
        inputs=(
            Operand("lhs", PER_TENSOR_TENSOR),
            Operand("rhs", ANY_TENSOR),
            WINDOW_STRIDES,
            _window(
                "padding",
                "elements i64",
                "2-dimensional tensor constant of type `si64`",
                "[[0, 0] for d in axes(lhs)[2:]]",
            ),
            *WINDOW_DILATIONS,
            *DIMENSION_NUMBERS,
            *GROUP_COUNTS,
            PRECISION_CONFIG,
        ),
        outputs=(Result("result", ANY_TENSOR),),
        properties=(("dimension_numbers", "struct stablehlo.conv"),),
        where=CONVOLUTION_WHERE,
        constraints=convolution_constraints(),
        form="`(` operands `)` `dim_numbers` `=` custom<convolution_dimensions>($dimension_numbers) `,` "
        "`window` `=` `{` custom<window_attributes>($window_strides, $padding, $lhs_dilation, "
        "$rhs_dilation, $window_reversal) `}` attr-dict `:` functional-type(operands, results)",
        traits=frozenset({"pure", "expressed"}),
        sharding=ShardingRule(algorithm="convolution"),
        cost=CostRule(work="convolution"),
        example="%result = stablehlo.convolution(%lhs, %rhs) "
        "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [4, 4]} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>) -> tensor<1x1x1x1xi64>",
    ),
)
