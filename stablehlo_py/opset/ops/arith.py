"""Ops of the `arith` dialect that exported programs carry: integers, indices and tensors of them."""

from __future__ import annotations

from dataclasses import replace

from stablehlo_py.ir.types import IntegerType
from stablehlo_py.opset.classes import ANY, BOOLEAN, INDEX_ELEMENT, SIGNLESS, TypeClass, any_rank
from stablehlo_py.opset.definition import Attr, OpDef, Operand, Result, define, upstream
from stablehlo_py.opset.shared.common import BINARY_FORM, PURE, conversion

INTEGER_OR_INDEX = SIGNLESS | INDEX_ELEMENT | any_rank(SIGNLESS, INDEX_ELEMENT)
NO_SIGN = TypeClass(
    "any type but an integer with a sign", lambda t: not (isinstance(t, IntegerType) and t.signedness)
)
CONDITION = BOOLEAN | any_rank(BOOLEAN)

# The comparisons of `arith.cmpi`, which stores the position.
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def _arithmetic(name: str, doc: str) -> OpDef:
    """An op on two integers, indices or tensors of them."""
    return OpDef(
        name=f"arith.{name}",
        doc=doc,
        inputs=(Operand("lhs", INTEGER_OR_INDEX), Operand("rhs", INTEGER_OR_INDEX)),
        outputs=(Result("result", INTEGER_OR_INDEX),),
        constraints=(upstream("U1", "identical(lhs, rhs) and identical(lhs, result)"),),
        form=BINARY_FORM,
        traits=PURE,
        example=f"%0 = arith.{name} %a, %b : index",
    )


def _overflowing(plain: OpDef) -> OpDef:
    """The op, which may say how it does not overflow."""
    flags = Attr("overflowFlags", "overflow flags", optional=True)
    form = (plain.form or "").replace("attr-dict", "custom<overflow>($overflowFlags) attr-dict")
    return replace(plain, inputs=(*plain.inputs, flags), form=form)


define(
    OpDef(
        name="arith.constant",
        doc="Gives a constant.",
        inputs=(Attr("value", "typed"),),
        outputs=(Result("result", NO_SIGN),),
        constraints=(upstream("U1", "identical(type(value), result)"),),
        form="attr-dict custom<typed_value>($value)",
        traits=frozenset({"pure", "constant"}),
        result_name="cst",
        example="%c1 = arith.constant 1 : index",
    ),
    _overflowing(_arithmetic("addi", "Adds integers.")),
    _overflowing(_arithmetic("subi", "Subtracts integers.")),
    _overflowing(_arithmetic("muli", "Multiplies integers.")),
    _arithmetic("divsi", "Divides signed integers, rounding towards zero."),
    _arithmetic("divui", "Divides unsigned integers."),
    _arithmetic("ceildivsi", "Divides signed integers, rounding up."),
    _arithmetic("floordivsi", "Divides signed integers, rounding down."),
    _arithmetic("remsi", "Takes the remainder of dividing signed integers."),
    _arithmetic("remui", "Takes the remainder of dividing unsigned integers."),
    _arithmetic("maxsi", "Takes the greater of two signed integers."),
    _arithmetic("maxui", "Takes the greater of two unsigned integers."),
    _arithmetic("minsi", "Takes the lesser of two signed integers."),
    _arithmetic("minui", "Takes the lesser of two unsigned integers."),
    _arithmetic("andi", "Takes the bitwise and."),
    _arithmetic("ori", "Takes the bitwise or."),
    _arithmetic("xori", "Takes the bitwise exclusive or."),
    OpDef(
        name="arith.cmpi",
        doc="Compares integers; `predicate` counts eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge.",
        inputs=(
            Attr("predicate", "i64 >= 0"),
            Operand("lhs", INTEGER_OR_INDEX),
            Operand("rhs", INTEGER_OR_INDEX),
        ),
        outputs=(Result("result", CONDITION),),
        constraints=(upstream("U1", "identical(lhs, rhs)"), upstream("U2", "predicate < 10")),
        form="custom<predicate>($predicate) `,` $lhs `,` $rhs attr-dict `:` "
        "custom<compared_type>(type($lhs), type($rhs), type($result))",
        traits=PURE,
        example="%0 = arith.cmpi slt, %a, %b : index",
    ),
    OpDef(
        name="arith.select",
        doc="Takes one of two values, as a condition says.",
        inputs=(Operand("condition", CONDITION), Operand("true_value", ANY), Operand("false_value", ANY)),
        outputs=(Result("result", ANY),),
        constraints=(upstream("U1", "identical(true_value, false_value) and identical(true_value, result)"),),
        form="$condition `,` $true_value `,` $false_value attr-dict `:` custom<selected_type>"
        "(type($condition), type($true_value), type($false_value), type($result))",
        traits=PURE,
        example="%0 = arith.select %condition, %a, %b : index",
    ),
    conversion(
        "arith.index_cast",
        INTEGER_OR_INDEX,
        INTEGER_OR_INDEX,
        "Converts between indices and signed integers.",
    ),
    conversion(
        "arith.index_castui",
        INTEGER_OR_INDEX,
        INTEGER_OR_INDEX,
        "Converts between indices and unsigned integers.",
    ),
    conversion(
        "arith.extsi", INTEGER_OR_INDEX, INTEGER_OR_INDEX, "Converts to a wider integer, keeping the sign."
    ),
    conversion(
        "arith.extui", INTEGER_OR_INDEX, INTEGER_OR_INDEX, "Converts to a wider integer, filling with zeros."
    ),
    _overflowing(
        conversion(
            "arith.trunci",
            INTEGER_OR_INDEX,
            INTEGER_OR_INDEX,
            "Converts to a narrower integer, dropping bits.",
        )
    ),
)
