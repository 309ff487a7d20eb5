"""Products of tensors: dot_general and its older forms."""

from __future__ import annotations

from stablehlo_py.opset.classes import PER_TENSOR_QUANTIZED_TENSOR, QUANTIZED_TENSOR, TENSOR
from stablehlo_py.opset.definition import Attr, Constraint, OpDef, Operand, Result, define, rules

define(
    OpDef(
        name="stablehlo.dot_general",
        doc="Computes dot products between slices of lhs and slices of rhs.",
        section="dot_general",
        inputs=(
            Operand("lhs", TENSOR | PER_TENSOR_QUANTIZED_TENSOR),
            Operand("rhs", TENSOR | QUANTIZED_TENSOR),
            Attr(
                "lhs_batching_dimensions",
                "array<i64>",
                type="1-dimensional tensor constant of type si64",
                at="dot_dimension_numbers.lhs_batching_dimensions",
            ),
            Attr("precision_config", "array of enum stablehlo.precision", optional=True, default="[DEFAULT, DEFAULT]"),
        ),
        outputs=(Result("result", TENSOR | QUANTIZED_TENSOR),),
        properties=(("dot_dimension_numbers", "struct stablehlo.dot"),),
        where=(
            ("lhs_result_dimensions", "[d for d in axes(lhs) if d not in lhs_batching_dimensions and d not in lhs_contracting_dimensions]"),
        ),
        constraints=rules(
            ("C1", "size(lhs_batching_dimensions) = size(rhs_batching_dimensions)"),
            Constraint(
                "C3",
                "is_unique(lhs_batching_dimensions ++ lhs_contracting_dimensions)",
                spec="`is_unique(lhs_batching_dimensions + lhs_contracting_dimensions)`.",
                why="sort",
            ),
        ),
        form="$lhs `,` $rhs `,` custom<dot_dimension_numbers>($dot_dimension_numbers) "
        "custom<precision_config_and_algorithm>($precision_config, $algorithm) attr-dict "
        "`:` functional-type(operands, results)",
        traits=frozenset({"pure"}),
    ),
)
