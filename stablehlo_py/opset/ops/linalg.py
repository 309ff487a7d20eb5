"""Decompositions and solvers."""

from __future__ import annotations

from stablehlo_py.opset.classes import COMPLEX, FLOAT, PER_TENSOR, tensor_of
from stablehlo_py.opset.definition import Attr, Constraint, OpDef, Operand, Result, define, rules
from stablehlo_py.opset.sharding_rule import factors, rule
from stablehlo_py.opset.traits import CostRule

FLOATS_AND_COMPLEX = tensor_of(FLOAT, COMPLEX)
WITH_QUANTIZED = tensor_of(FLOAT, COMPLEX, PER_TENSOR)
FLAG = "constant of type `i1`"

define(
    OpDef(
        name="stablehlo.cholesky",
        doc="Computes the Cholesky decompositions of a batch of matrices.",
        section="cholesky",
        inputs=(
            Operand("a", WITH_QUANTIZED),
            Attr("lower", "bool", type=FLAG, optional=True, default="false"),
        ),
        outputs=(Result("result", WITH_QUANTIZED),),
        constraints=rules(
            ("C1", "baseline_type(a) = baseline_type(result)"),
            ("C2", "2 <= rank(a)"),
            ("C3", "dim(a, -2) = dim(a, -1)"),
        ),
        form="$a (`,` `lower` `=` $lower^)? attr-dict `:` "
        "custom<same_operands_and_result_type>(type($a), type($result))",
        traits=frozenset({"pure", "expressed"}),
        sharding=rule(factors("axes(a)", '(i < rank(a) - 2 ? "pass_through" : "need_replication")', all="i")),
        cost=CostRule(work="cholesky"),
        example="%result = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>",
    ),
    OpDef(
        name="stablehlo.triangular_solve",
        doc="Solves batches of systems of linear equations with triangular coefficients.",
        section="triangular_solve",
        inputs=(
            Operand("a", FLOATS_AND_COMPLEX),
            Operand("b", FLOATS_AND_COMPLEX),
            Attr("left_side", "bool", type=FLAG),
            Attr("lower", "bool", type=FLAG),
            Attr("unit_diagonal", "bool", type=FLAG),
            Attr(
                "transpose_a",
                "enum stablehlo.transpose",
                type="enum of `NO_TRANSPOSE`, `TRANSPOSE`, and `ADJOINT`",
            ),
        ),
        outputs=(Result("result", FLOATS_AND_COMPLEX),),
        where=(
            ("R", "rank(a)"),
            ("ROWS", "transpose_a = TRANSPOSE or transpose_a = ADJOINT ? R - 1 : R - 2"),
        ),
        constraints=rules(
            ("C1", "baseline_element_type(a) = baseline_element_type(b)"),
            ("C2", "2 <= rank(a) = rank(b) = R"),
            Constraint(
                "C3",
                "shape(a)[:-2] = shape(b)[:-2] and dim(a, -2) = dim(a, -1) = dim(b, (left_side ? -2 : -1))",
                spec="The relationship between `shape(a)` and `shape(b)` is defined as follows:\n"
                "  * `shape(a)[:-3] = shape(b)[:-3]`.\n"
                "  * `dim(a, -2) = dim(a, -1) = dim(b, left_side ? -2 : -1)`.",
                why="typo",
            ),
            ("C4", "baseline_type(b) = baseline_type(result)"),
            Constraint("U1", "transpose_a != TRANSPOSE_INVALID", verdict="upstream"),
        ),
        traits=frozenset({"pure", "expressed"}),
        sharding=rule(
            factors("range(R - 2)", a="i", b="i", result="i"),
            # The rows or columns of `a` are those of `b`, and the others those of the result.
            factors(
                "left_side ? [ROWS] : range(0)",
                "need_replication",
                a="i",
                b="R - 2",
            ),
            factors("left_side ? [R - 1] : range(0)", "need_replication", b="i", result="i"),
            factors(
                "left_side ? [2 * R - 3 - ROWS] : range(0)",
                "need_replication",
                a="i",
                result="R - 2",
            ),
            factors("left_side ? range(0) : [R - 2]", "need_replication", b="i", result="i"),
            factors(
                "left_side ? range(0) : [2 * R - 3 - ROWS]",
                "need_replication",
                a="i",
                b="R - 1",
            ),
            factors(
                "left_side ? range(0) : [ROWS]",
                "need_replication",
                a="i",
                result="R - 1",
            ),
        ),
        cost=CostRule(work="triangular_solve"),
        example='%result = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, '
        "transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> "
        ": (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>",
    ),
)
