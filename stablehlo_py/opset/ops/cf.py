"""The `cf` dialect: branches between the blocks of a function. Its ops have no kernels."""

from __future__ import annotations

from stablehlo_py.opset.classes import ANY, ANY_INTEGER, BIT
from stablehlo_py.opset.definition import Attr, OpDef, Operand, Successor, define, upstream
from stablehlo_py.opset.traits import NO_TRAFFIC

SIZES = (("operandSegmentSizes", "array<i32>"),)


def _branch(block: str, operands: str) -> str:
    """Return the form of a successor with the values of its arguments."""
    return f"${block} (`(` ${operands}^ `:` type(${operands}) `)`)?"


define(
    OpDef(
        name="cf.br",
        doc="Continues with a block.",
        inputs=(Operand("destOperands", ANY, variadic=True),),
        successors=(Successor("dest", "destOperands"),),
        form=f"{_branch('dest', 'destOperands')} attr-dict",
        traits=frozenset({"terminator", "pure"}),
        cost=NO_TRAFFIC,
        example="cf.br ^bb1(%a : tensor<2xf32>)",
    ),
    OpDef(
        name="cf.cond_br",
        doc="Continues with one of two blocks, depending on a condition.",
        inputs=(
            Operand("condition", BIT),
            Attr("branch_weights", "array<i32>", optional=True),
            Operand("trueDestOperands", ANY, variadic=True),
            Operand("falseDestOperands", ANY, variadic=True),
        ),
        successors=(Successor("trueDest", "trueDestOperands"), Successor("falseDest", "falseDestOperands")),
        properties=SIZES,
        constraints=(upstream("U1", "if given(branch_weights) then size(branch_weights) = 2"),),
        form="$condition (`weights` `(` $branch_weights^ `)`)? `,` "
        + f"{_branch('trueDest', 'trueDestOperands')} `,` {_branch('falseDest', 'falseDestOperands')} "
        + "attr-dict",
        traits=frozenset({"terminator", "pure"}),
        cost=NO_TRAFFIC,
        example="cf.cond_br %condition, ^bb1(%a : tensor<2xf32>), ^bb2",
    ),
    OpDef(
        name="cf.switch",
        doc="Continues with the block of an integer, or with a default.",
        inputs=(
            Operand("flag", ANY_INTEGER),
            Operand("defaultOperands", ANY, variadic=True),
            Operand("caseOperands", ANY, variadic=True),
            Attr("case_values", "typed", optional=True),
            Attr("case_operand_segments", "array<i32>"),
        ),
        successors=(
            Successor("defaultDestination", "defaultOperands"),
            Successor("caseDestinations", "caseOperands", variadic=True, segments="case_operand_segments"),
        ),
        properties=SIZES,
        constraints=(
            upstream(
                "U1",
                "if given(case_values) then identical(type(case_values), "
                "vector([size(case_operand_segments)], type(flag))) or identical(type(case_values), "
                "tensor([size(case_operand_segments)], type(flag))) else is_empty(case_operand_segments)",
            ),
            upstream("U2", "sum(case_operand_segments) = size(caseOperands)"),
        ),
        form="$flag `:` type($flag) `,` custom<switch_cases>($defaultDestination, $defaultOperands, "
        "$caseDestinations, $caseOperands, $case_values, $case_operand_segments) attr-dict",
        traits=frozenset({"terminator", "pure"}),
        cost=NO_TRAFFIC,
        example="cf.switch %flag : i32, [\n  default: ^bb1(%a : f32),\n  42: ^bb2\n]",
    ),
    OpDef(
        name="cf.assert",
        doc="Fails with a message if a condition is false.",
        inputs=(Operand("arg", BIT), Attr("msg", "string")),
        form="$arg `,` $msg attr-dict",
        example='cf.assert %arg, "message"',
    ),
)
