"""Products of tensors: dot_general and its older forms."""

from __future__ import annotations

from stablehlo_py.opset.classes import ANY_TENSOR, PER_TENSOR_TENSOR
from stablehlo_py.opset.definition import (
    Attr,
    Constraint,
    OpDef,
    Operand,
    Result,
    at_run,
    define,
    guarded,
    rules,
)
from stablehlo_py.opset.sharding_rule import factors, rule
from stablehlo_py.opset.shared.common import PURE
from stablehlo_py.opset.structures import STRUCTS
from stablehlo_py.opset.traits import CostRule, Revision

PRECISION_CONFIG = Attr(
    "precision_config",
    "array of enum stablehlo.precision",
    type="variadic number of enums of `DEFAULT`, `HIGH`, and `HIGHEST`",
    optional=True,
    default="[DEFAULT, DEFAULT]",
)
PRECISION_SIZE = Constraint(
    "U1",
    "size(precision_config) <= 2",
    why="Upstream accepts a list of at most two.",
    verdict="upstream",
)


def exact_precision_size(label: str) -> Constraint:
    """Return the specification's constraint on `precision_config`, which upstream relaxes."""
    return Constraint(
        label,
        "size(precision_config) = 2",
        why="Upstream also accepts a shorter list, with the default precision for the rest.",
        verdict="spec-only",
    )


def _dimensions(name: str) -> Attr:
    return Attr(
        name,
        "array<i64>",
        type="1-dimensional tensor constant of type `si64`",
        at=f"dot_dimension_numbers.{name}",
    )


def _algorithm(name: str, kind: str, words: str) -> Attr:
    return Attr(name, kind, type=words, at=f"algorithm.{name}", optional=True)


_EINSUM_CONSTRAINTS = rules(
    at_run("R1", "not is_empty(labels)"),
    at_run(
        "R2",
        "for i in range(size(used)) : for j in range(i) : if used[i] = used[j] then sizes[i] = sizes[j]",
    ),
    at_run("R3", "is_unique(labels[-1]) and (for label in labels[-1] : label in used)"),
)

define(
    OpDef(
        name="stablehlo.dot_general",
        doc="Computes dot products between slices of lhs and slices of rhs.",
        section="dot_general",
        source_labels="C15=C17 C16= C17=C15 C18=C16 C19= C20= C21= C22= C23= C24=",
        inputs=(
            Operand("lhs", PER_TENSOR_TENSOR),
            Operand("rhs", ANY_TENSOR),
            _dimensions("lhs_batching_dimensions"),
            _dimensions("rhs_batching_dimensions"),
            _dimensions("lhs_contracting_dimensions"),
            _dimensions("rhs_contracting_dimensions"),
            PRECISION_CONFIG,
            _algorithm("lhs_precision_type", "type", "FloatType or TensorFloat32"),
            _algorithm("rhs_precision_type", "type", "FloatType or TensorFloat32"),
            _algorithm("accumulation_type", "type", "FloatType or TensorFloat32"),
            _algorithm("lhs_component_count", "i64", "constant of type `si32`"),
            _algorithm("rhs_component_count", "i64", "constant of type `si32`"),
            _algorithm("num_primitive_operations", "i64", "constant of type `si32`"),
            _algorithm("allow_imprecise_accumulation", "bool", "constant of type `bool`"),
        ),
        outputs=(Result("result", ANY_TENSOR),),
        properties=(
            ("dot_dimension_numbers", "struct stablehlo.dot"),
            ("algorithm", "struct stablehlo.dot_algorithm"),
        ),
        where=(
            (
                "lhs_result_dimensions",
                "[d for d in axes(lhs) if d not in lhs_batching_dimensions and "
                "d not in lhs_contracting_dimensions]",
            ),
            (
                "rhs_result_dimensions",
                "[d for d in axes(rhs) if d not in rhs_batching_dimensions and "
                "d not in rhs_contracting_dimensions]",
            ),
            ("is_quantized_op", "is_quantized(lhs) or is_quantized(rhs) or is_quantized(result)"),
            (
                "has_algorithm",
                "not is_empty_algorithm(lhs_precision_type, rhs_precision_type, accumulation_type, "
                "lhs_component_count, rhs_component_count, num_primitive_operations, "
                "allow_imprecise_accumulation)",
            ),
        ),
        constraints=rules(
            ("C1", "size(lhs_batching_dimensions) = size(rhs_batching_dimensions)"),
            ("C2", "size(lhs_contracting_dimensions) = size(rhs_contracting_dimensions)"),
            Constraint(
                "C3",
                "is_unique(lhs_batching_dimensions ++ lhs_contracting_dimensions)",
                spec="`is_unique(lhs_batching_dimensions + lhs_contracting_dimensions)`.",
                why="sort",
            ),
            Constraint(
                "C4",
                "is_unique(rhs_batching_dimensions ++ rhs_contracting_dimensions)",
                spec="`is_unique(rhs_batching_dimensions + rhs_contracting_dimensions)`.",
                why="sort",
            ),
            ("C5", "0 <= lhs_batching_dimensions < rank(lhs)"),
            ("C6", "0 <= lhs_contracting_dimensions < rank(lhs)"),
            ("C7", "0 <= rhs_batching_dimensions < rank(rhs)"),
            ("C8", "0 <= rhs_contracting_dimensions < rank(rhs)"),
            ("C9", "dim(lhs, lhs_batching_dimensions...) = dim(rhs, rhs_batching_dimensions...)"),
            ("C10", "dim(lhs, lhs_contracting_dimensions...) = dim(rhs, rhs_contracting_dimensions...)"),
            exact_precision_size("C11"),
            Constraint(
                "C12",
                "shape(result) = dim(lhs, lhs_batching_dimensions) ++ dim(lhs, lhs_result_dimensions) ++ "
                "dim(rhs, rhs_result_dimensions)",
                spec="`shape(result) = dim(lhs, lhs_batching_dimensions) +\n"
                "  dim(lhs, lhs_result_dimensions) + dim(rhs, rhs_result_dimensions)`.",
                why="sort",
            ),
            Constraint(
                "C13",
                "if not is_quantized_op then element_type(lhs) = element_type(rhs)",
                spec="`element_type(lhs) = element_type(rhs)`.",
                why="Upstream accepts operands of different element types.",
                verdict="spec-only",
            ),
            guarded(
                "is_quantized_op", "C14", "is_quantized(lhs) = is_quantized(result) and is_quantized(rhs)"
            ),
            guarded("is_quantized(rhs)", "C15", "zero_points(rhs) = 0"),
            Constraint(
                "C16",
                "if is_per_axis_quantized(rhs) then quantization_dimension(rhs) not in "
                "rhs_contracting_dimensions",
                spec="If `is_per_axis_quantized(rhs)`, then\n"
                "  `quantization_dimension(rhs)` not in `rhs_contracting_dimensions`.",
                why="prose",
            ),
            guarded("is_quantized(lhs)", "C17", "storage_type(lhs) = storage_type(rhs)"),
            guarded(
                "is_quantized(lhs)",
                "C18",
                "expressed_type(lhs) = expressed_type(rhs) = expressed_type(result)",
            ),
            Constraint(
                "C19",
                "if is_quantized(lhs) and is_per_tensor_quantized(rhs) then is_per_tensor_quantized(result)",
                spec="If `is_per_tensor_quantized(rhs)`, then\n  `is_per_tensor_quantized(result)`.",
                why="prose",
            ),
            guarded(
                "is_quantized_op and not is_quantized(lhs)",
                "C20",
                "element_type(lhs) = expressed_type(rhs) = element_type(result)",
            ),
            guarded("has_algorithm", "C21", "precision_config... = DEFAULT"),
            guarded("has_algorithm", "C22", "0 < lhs_component_count", at="algorithm"),
            guarded("has_algorithm", "C23", "0 < rhs_component_count", at="algorithm"),
            guarded("has_algorithm", "C24", "0 < num_primitive_operations", at="algorithm"),
            PRECISION_SIZE,
            Constraint(
                "U2",
                "if has_algorithm then lhs_component_count = 1 and rhs_component_count = 1 and "
                "(num_bits(lhs_precision_type) = 8 and num_bits(rhs_precision_type) = 8 and "
                "accumulation_type = f32 and num_primitive_operations = 1 or "
                "not allow_imprecise_accumulation and lhs_precision_type = rhs_precision_type and "
                "(lhs_precision_type = accumulation_type and lhs_precision_type in [f16, bf16, f32, f64] and "
                "num_primitive_operations = 1 or accumulation_type = f32 and "
                "(lhs_precision_type = f16 and num_primitive_operations = 1 or "
                "lhs_precision_type = bf16 and num_primitive_operations in [1, 3, 6, 9] or "
                "num_bits(lhs_precision_type) = 19 and num_primitive_operations in [1, 3])))",
                why="Upstream accepts only algorithms of known hardware.",
                verdict="upstream",
                at="algorithm",
            ),
        ),
        form="$lhs `,` $rhs `,` custom<dot_dimension_numbers>($dot_dimension_numbers) `` "
        "custom<precision_config_and_algorithm>($precision_config, $algorithm) attr-dict "
        "`:` functional-type(operands, results)",
        traits=frozenset({"pure", "expressed"}),
        sharding=rule(
            factors(
                "range(size(lhs_batching_dimensions))",
                lhs="lhs_batching_dimensions[i]",
                rhs="rhs_batching_dimensions[i]",
                result="i",
            ),
            factors(
                "range(size(lhs_result_dimensions))",
                lhs="lhs_result_dimensions[i]",
                result="size(lhs_batching_dimensions) + i",
            ),
            factors(
                "range(size(rhs_result_dimensions))",
                rhs="rhs_result_dimensions[i]",
                result="size(lhs_batching_dimensions) + size(lhs_result_dimensions) + i",
            ),
            factors(
                "range(size(lhs_contracting_dimensions))",
                "reduction",
                lhs="lhs_contracting_dimensions[i]",
                rhs="rhs_contracting_dimensions[i]",
            ),
        ),
        cost=CostRule(work="contraction"),
        revisions=(
            Revision(
                "1.6.0",
                form=2,
                what="algorithm",
                uses="given(lhs_precision_type)",
                adds=tuple(field.name for field in STRUCTS["stablehlo.dot_algorithm"].fields),
            ),
        ),
        example="%result = stablehlo.dot_general %lhs, %rhs, batching_dims = [0] x [0], "
        "contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : "
        "(tensor<2x2x2xi64>, tensor<2x2x2xi64>) -> tensor<2x2x2xi64>",
    ),
    OpDef(
        name="stablehlo.dot",
        doc="Multiplies vectors and matrices.",
        inputs=(Operand("lhs", PER_TENSOR_TENSOR), Operand("rhs", ANY_TENSOR), PRECISION_CONFIG),
        outputs=(Result("result", ANY_TENSOR),),
        constraints=rules(
            PRECISION_SIZE,
            Constraint("U2", "rank(lhs) in [1, 2] and rank(rhs) in [1, 2]", verdict="upstream"),
            Constraint("U3", "dim(lhs, -1) = dim(rhs, 0)", verdict="upstream"),
            Constraint("U4", "shape(result) = shape(lhs)[:-1] ++ shape(rhs)[1:]", verdict="upstream"),
        ),
        form="$lhs `,` $rhs `` custom<precision_config>($precision_config) attr-dict "
        "`:` functional-type(operands, results)",
        traits=frozenset({"pure", "expressed"}),
        sharding=rule(
            factors("range(rank(lhs) - 1)", lhs="i", result="i"),
            factors("range(rank(rhs) - 1)", rhs="1", result="rank(lhs) - 1"),
            factors("[rank(lhs) - 1]", "reduction", lhs="i", rhs="0"),
        ),
        cost=CostRule(work="matrix_product"),
        deprecated="stablehlo.dot_general",
        example="%result = stablehlo.dot %lhs, %rhs : (tensor<1x2xi32>, tensor<2x1xi32>) -> tensor<1x1xi32>",
    ),
    OpDef(
        name="stablehlo.einsum",
        doc="Computes an Einstein summation of two tensors.",
        inputs=(
            Operand("lhs", PER_TENSOR_TENSOR),
            Operand("rhs", PER_TENSOR_TENSOR),
            Attr("einsum_config", "string"),
        ),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        where=(
            ("labels", "einsum_labels(einsum_config, [rank(lhs), rank(rhs)])"),
            ("used", "labels[0] ++ labels[1]"),
            ("sizes", "shape(lhs) ++ shape(rhs)"),
        ),
        constraints=_EINSUM_CONSTRAINTS,
        form="$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)",
        traits=PURE | {"shape_at_run"},
        cost=CostRule(work="einsum"),
        deprecated="stablehlo.dot_general",
        example='%result = stablehlo.einsum %lhs, %rhs, config = "ab,bc->ac" : '
        "(tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>",
    ),
    OpDef(
        name="stablehlo.unary_einsum",
        doc="Computes an Einstein summation of one tensor.",
        inputs=(Operand("operand", PER_TENSOR_TENSOR), Attr("einsum_config", "string")),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        where=(
            ("labels", "einsum_labels(einsum_config, [rank(operand)])"),
            ("used", "labels[0]"),
            ("sizes", "shape(operand)"),
        ),
        constraints=_EINSUM_CONSTRAINTS,
        form="$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)",
        traits=PURE | {"shape_at_run"},
        cost=CostRule(work="einsum"),
        deprecated="stablehlo.einsum",
        example='%result = stablehlo.unary_einsum %operand, config = "ab->a" : '
        "(tensor<4x16xf32>) -> tensor<4xf32>",
    ),
)
