"""Ops with shapes as operands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stablehlo_py.opset.classes import (
    ANY_TENSOR,
    DIMENSIONS,
    INTEGER,
    PER_TENSOR_TENSOR,
    SCALAR,
    STATIC_DIMENSIONS,
    static,
    tensor_of,
)
from stablehlo_py.opset.definition import (
    Attr,
    Constraint,
    OpDef,
    Operand,
    at_run,
    define,
    rules,
)
from stablehlo_py.opset.ops.convolution import (
    CONVOLUTION_WHERE,
    DIMENSION_NUMBERS,
    GROUP_COUNTS,
    WINDOW_DILATIONS,
    WINDOW_STRIDES,
    convolution_constraints,
)
from stablehlo_py.opset.ops.dot import PRECISION_CONFIG
from stablehlo_py.opset.shared.common import (
    ANY_OPERAND,
    ANY_RESULT,
    BROADCAST_CONSTRAINTS,
    FUNCTIONAL_FORM,
    OPERAND,
    PURE,
    RESHAPE_CONSTRAINTS,
    RESHAPE_WHERE,
    RESULT,
    SAME_QUANTIZATION,
)
from stablehlo_py.opset.traits import CostRule, Revision

CONSTANT_DIMENSIONS = "1-dimensional constant tensor of integer type"


def _constant_shape(label: str, shape: str) -> Constraint:
    """Return the constraint that a constant shape operand agrees with the result's type."""
    return Constraint(
        label,
        f"let sizes = constant_value({shape}) in if is_dense(sizes) then shape(result) = values(sizes)",
        why="Upstream checks constant operands only.",
        verdict="upstream",
    )


_SHAPE_AT_RUN = {"C25": "R1", "C26": "R2"}


def _dynamic_conv_constraints() -> Iterator[Constraint]:
    """Yield the constraints of convolution: upstream checks the windows if the padding is a constant."""
    known = "is_dense(constant_value(padding))"
    why = "Upstream checks windows if the padding is a constant."
    for rule in convolution_constraints("constant_value(padding)", shape_verdict="spec-only"):
        if rule.label in _SHAPE_AT_RUN:
            formula = rule.formula if rule.label == "C26" else f"if rank(result) = N then {rule.formula}"
            yield replace(rule, label=_SHAPE_AT_RUN[rule.label], formula=formula, verdict="run")
        if rule.label not in ("C2", "C3", "C5", "C6", "C7", "C8", "C9", "U3"):
            yield rule
            continue
        spec = f"`{rule.formula}`."
        yield replace(rule, formula=f"if {known} then {rule.formula}", spec=spec, why=why)
        if rule.verdict == "error":
            formula = f"if not {known} then {rule.formula}"
            yield replace(rule, formula=formula, spec=spec, why=why, verdict="spec-only")


define(
    OpDef(
        name="stablehlo.dynamic_broadcast_in_dim",
        doc="Repeats a tensor as broadcast_in_dim does, with the result's shape as an operand.",
        section="dynamic_broadcast_in_dim",
        source_labels=None,
        inputs=(
            ANY_OPERAND,
            Operand("output_dimensions", STATIC_DIMENSIONS),
            Attr("broadcast_dimensions", "array<i64>", type=CONSTANT_DIMENSIONS),
            Attr(
                "known_expanding_dimensions",
                "array<i64>",
                type=CONSTANT_DIMENSIONS,
                optional=True,
                default="[]",
                prints_default=True,
            ),
            Attr(
                "known_nonexpanding_dimensions",
                "array<i64>",
                type=CONSTANT_DIMENSIONS,
                optional=True,
                default="[]",
                prints_default=True,
            ),
        ),
        outputs=(ANY_RESULT,),
        constraints=rules(
            *BROADCAST_CONSTRAINTS,
            Constraint(
                "C7",
                "size(output_dimensions) = rank(result)",
                why="Upstream checks constant operands only.",
                verdict="spec-only",
            ),
            Constraint(
                "C8",
                "is_unique(known_expanding_dimensions ++ known_nonexpanding_dimensions)",
                spec="`is_unique(known_expanding_dimensions + known_nonexpanding_dimensions)`.",
                why="sort",
            ),
            ("C9", "0 <= known_expanding_dimensions < rank(operand)"),
            ("C10", "0 <= known_nonexpanding_dimensions < rank(operand)"),
            at_run("R1", "0 <= values(constant_value(output_dimensions))"),
            at_run("R2", "rank(result) = size(output_dimensions)"),
            _constant_shape("U1", "output_dimensions"),
            Constraint(
                "U2",
                "for d in axes(operand) : dim(operand, d) = 1 or "
                "dim(operand, d) = constant_value(output_dimensions)[broadcast_dimensions[d]]",
                why="Upstream checks constant operands only.",
                verdict="upstream",
            ),
        ),
        form="$operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:` "
        "functional-type(operands, results)",
        traits=frozenset({"pure", "moves_data", "shape_at_run"}),
        example="%result = stablehlo.dynamic_broadcast_in_dim %operand, %output_dimensions, dims = [2, 1] : "
        "(tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>",
    ),
    OpDef(
        name="stablehlo.dynamic_reshape",
        doc="Changes the shape of a tensor as reshape does, with the result's shape as an operand.",
        section="dynamic_reshape",
        source_labels=None,
        inputs=(ANY_OPERAND, Operand("output_shape", STATIC_DIMENSIONS)),
        outputs=(ANY_RESULT,),
        where=RESHAPE_WHERE,
        constraints=rules(
            *RESHAPE_CONSTRAINTS,
            ("C4", "size(output_shape) = rank(result)"),
            at_run("R1", "0 <= values(constant_value(output_shape))"),
            _constant_shape("U1", "output_shape"),
            Constraint(
                "U2",
                "size(operand) = product(values(constant_value(output_shape)))",
                why="Upstream checks constant operands only.",
                verdict="upstream",
            ),
        ),
        form=FUNCTIONAL_FORM,
        traits=frozenset({"pure", "moves_data", "shape_at_run"}),
        example="%result = stablehlo.dynamic_reshape %operand, %output_shape : "
        "(tensor<2x3xi64>, tensor<2xi64>) -> tensor<3x2xi64>",
    ),
    OpDef(
        name="stablehlo.dynamic_iota",
        doc="Fills a tensor as iota does, with the result's shape as an operand.",
        section="dynamic_iota",
        source_labels=None,
        inputs=(
            Operand("output_shape", STATIC_DIMENSIONS),
            Attr("iota_dimension", "i64", type="`si64`"),
        ),
        outputs=(RESULT,),
        constraints=rules(
            Constraint(
                "C1",
                "0 <= iota_dimension < rank(result)",
                spec="`0 <= iota_dimension < size(output_shape)`.",
                why="Upstream checks the rank of the result.",
            ),
            Constraint(
                "C2",
                "rank(result) = size(output_shape)",
                why="Upstream checks constant operands only.",
                verdict="spec-only",
            ),
            at_run("R1", "0 <= values(constant_value(output_shape))"),
            at_run("R2", "rank(result) = size(output_shape)"),
            _constant_shape("U1", "output_shape"),
        ),
        form="$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)",
        traits=frozenset({"pure", "expressed", "shape_at_run"}),
        example="%result = stablehlo.dynamic_iota %output_shape, dim = 0 : "
        "(tensor<2xi64>) -> tensor<4x5xi64>",
    ),
    OpDef(
        name="stablehlo.dynamic_pad",
        doc="Pads a tensor as pad does, with the padding as operands.",
        section="dynamic_pad",
        source_labels=None,
        inputs=(
            OPERAND,
            Operand("padding_value", SCALAR),
            Operand("edge_padding_low", STATIC_DIMENSIONS),
            Operand("edge_padding_high", STATIC_DIMENSIONS),
            Operand("interior_padding", STATIC_DIMENSIONS),
        ),
        outputs=(RESULT,),
        where=(
            ("low", "values(constant_value(edge_padding_low))"),
            ("high", "values(constant_value(edge_padding_high))"),
            ("interior", "values(constant_value(interior_padding))"),
        ),
        constraints=rules(
            ("C1", "element_type(operand) = element_type(padding_value) = element_type(result)"),
            (
                "C2",
                "size(edge_padding_low) = size(edge_padding_high) = size(interior_padding) = rank(operand)",
            ),
            Constraint("C3", "0 <= interior", spec="`0 <= interior_padding`.", why="sort"),
            Constraint(
                "C4",
                "shape(result) = shape(operand) + low + max(shape(operand) - 1, 0) * interior + high",
                spec="`shape(result) = shape(operand) + edge_padding_low +\n"
                "  max(shape(operand) - 1, 0) * interior_padding + edge_padding_high`.",
                why="sort",
            ),
            at_run("R1", "0 <= shape(operand) + low + max(shape(operand) - 1, 0) * interior + high"),
            SAME_QUANTIZATION,
            Constraint(
                "U2",
                "type(edge_padding_low) = type(edge_padding_high) = type(interior_padding)",
                verdict="upstream",
            ),
            Constraint("U3", "rank(operand) = rank(result)", verdict="upstream"),
        ),
        form=FUNCTIONAL_FORM,
        traits=PURE | {"exact", "shape_at_run"},
        example="%result = stablehlo.dynamic_pad %operand, %value, %low, %high, %interior : "
        "(tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xi64>",
    ),
    OpDef(
        name="stablehlo.dynamic_conv",
        doc="Computes a convolution as convolution does, with the padding as an operand.",
        section="dynamic_conv",
        source_labels=None,
        inputs=(
            Operand("lhs", PER_TENSOR_TENSOR),
            Operand("rhs", ANY_TENSOR),
            Operand("padding", static(tensor_of(INTEGER, rank=2))),
            WINDOW_STRIDES,
            *WINDOW_DILATIONS,
            *DIMENSION_NUMBERS,
            *GROUP_COUNTS,
            PRECISION_CONFIG,
        ),
        outputs=(ANY_RESULT,),
        properties=(("dimension_numbers", "struct stablehlo.conv"),),
        where=CONVOLUTION_WHERE,
        constraints=tuple(_dynamic_conv_constraints()),
        traits=frozenset({"pure", "expressed", "shape_at_run"}),
        cost=CostRule(work="convolution"),
        revisions=(Revision("0.20.0", form=2, drops=("padding",)),),
        example='%result = "stablehlo.dynamic_conv"(%lhs, %rhs, %padding) <{batch_group_count = 1 : i64, '
        "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
        "feature_group_count = 1 : i64, window_strides = array<i64: 4, 4>}> : "
        "(tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>, tensor<2x2xi64>) -> tensor<1x1x1x1xi64>",
    ),
    OpDef(
        name="stablehlo.real_dynamic_slice",
        doc="Extracts a slice as slice does, with the positions as operands.",
        inputs=(
            OPERAND,
            Operand("start_indices", DIMENSIONS),
            Operand("limit_indices", DIMENSIONS),
            Operand("strides", DIMENSIONS),
        ),
        outputs=(RESULT,),
        where=(
            ("starts", "values(constant_value(start_indices))"),
            ("limits", "values(constant_value(limit_indices))"),
        ),
        constraints=rules(
            at_run("R1", "0 <= starts <= limits <= shape(operand)"),
            at_run("R2", "0 < values(constant_value(strides))"),
            Constraint("U1", "identical(element_type(operand), element_type(result))", verdict="upstream"),
            Constraint(
                "U2",
                "is_static(start_indices) and "
                "size(start_indices) = size(limit_indices) = size(strides) = rank(operand)",
                verdict="upstream",
            ),
            Constraint(
                "U3",
                "identical(start_indices, limit_indices) and identical(start_indices, strides)",
                verdict="upstream",
            ),
        ),
        form=FUNCTIONAL_FORM,
        traits=frozenset({"pure", "moves_data", "shape_at_run"}),
        cost=CostRule(traffic="slice"),
        example="%result = stablehlo.real_dynamic_slice %operand, %start, %limit, %strides : "
        "(tensor<256x?xf32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<256x?xf32>",
    ),
)
