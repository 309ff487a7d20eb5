"""The `arith` dialect, as far as exported programs use it: integers, indices and tensors of them."""

from __future__ import annotations

from dataclasses import replace

from stablehlo_py.ir.types import IntegerType
from stablehlo_py.opset.classes import ANY, BOOLEAN, INDEX_ELEMENT, SIGNLESS, TypeClass, any_rank
from stablehlo_py.opset.definition import Attr, OpDef, Operand, Result, define, upstream
from stablehlo_py.opset.shared.common import BINARY_FORM, PURE, conversion
from stablehlo_py.opset.traits import Revision

INTEGER_OR_INDEX = SIGNLESS | INDEX_ELEMENT | any_rank(SIGNLESS, INDEX_ELEMENT)
NO_SIGN = TypeClass(
    "any type but an integer with a sign", lambda t: not (isinstance(t, IntegerType) and t.signedness)
)
CONDITION = BOOLEAN | any_rank(BOOLEAN)

WIDE = SIGNLESS | any_rank(SIGNLESS)
SAME_SHAPE = upstream(
    "U1",
    "is_tensor(operand) = is_tensor(result) and "
    "(if is_tensor(operand) then identical(tensor(shape(operand), i1), tensor(shape(result), i1)))",
)
CASTS = (
    SAME_SHAPE,
    upstream(
        "U2",
        "((is_tensor(operand) ? element_type(operand) : type(operand)) = index) "
        "!= ((is_tensor(result) ? element_type(result) : type(result)) = index)",
    ),
)
WIDENS = (SAME_SHAPE, upstream("U2", "num_bits(operand) < num_bits(result)"))
NARROWS = (SAME_SHAPE, upstream("U2", "num_bits(operand) > num_bits(result)"))

# The predicates of `arith.cmpi`, which stores an index into them.
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def _arithmetic(name: str, doc: str) -> OpDef:
    """Define a binary op on integers, indices or tensors of them."""
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


def _flagged(definition: OpDef, directive: str, flag: Attr, *revisions: Revision) -> OpDef:
    """Add an optional flag to an op, printed by a directive."""
    form = (definition.form or "").replace("attr-dict", f"custom<{directive}>(${flag.name}) attr-dict")
    return replace(definition, inputs=(*definition.inputs, flag), form=form, revisions=revisions)


def _overflowing(definition: OpDef) -> OpDef:
    """Add `overflowFlags` to an op."""
    return _flagged(definition, "overflow", Attr("overflowFlags", "overflow flags", optional=True))


def _exact(definition: OpDef) -> OpDef:
    """Add `isExact` to an op, which states that there is no remainder."""
    flag = Attr("isExact", "unit", optional=True)
    return _flagged(definition, "exact", flag, Revision("1.17.0", what="exact", adds=("isExact",)))


def _nonnegative(definition: OpDef) -> OpDef:
    """Add `nonNeg` to an op, which states that its operand is not negative."""
    flag = Attr("nonNeg", "unit", optional=True)
    return _flagged(definition, "nneg", flag, Revision("1.17.0", what="nneg", adds=("nonNeg",)))


define(
    OpDef(
        name="arith.constant",
        doc="Returns a constant.",
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
    _exact(_arithmetic("divsi", "Divides signed integers, rounding towards zero.")),
    _exact(_arithmetic("divui", "Divides unsigned integers.")),
    _arithmetic("ceildivsi", "Divides signed integers, rounding up."),
    _arithmetic("floordivsi", "Divides signed integers, rounding down."),
    _arithmetic("remsi", "Computes the remainder of a division of signed integers."),
    _arithmetic("remui", "Computes the remainder of a division of unsigned integers."),
    _arithmetic("maxsi", "Computes the maximum of signed integers."),
    _arithmetic("maxui", "Computes the maximum of unsigned integers."),
    _arithmetic("minsi", "Computes the minimum of signed integers."),
    _arithmetic("minui", "Computes the minimum of unsigned integers."),
    _arithmetic("andi", "Computes the bitwise and."),
    _arithmetic("ori", "Computes the bitwise or."),
    _arithmetic("xori", "Computes the bitwise exclusive or."),
    OpDef(
        name="arith.cmpi",
        doc="Compares integers; `predicate` is an index into eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge.",
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
        doc="Selects one of two values, depending on a condition.",
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
        constraints=CASTS,
    ),
    _nonnegative(
        conversion(
            "arith.index_castui",
            INTEGER_OR_INDEX,
            INTEGER_OR_INDEX,
            "Converts between indices and unsigned integers.",
            constraints=CASTS,
        )
    ),
    conversion("arith.extsi", WIDE, WIDE, "Sign-extends to a wider integer.", constraints=WIDENS),
    _nonnegative(
        conversion("arith.extui", WIDE, WIDE, "Zero-extends to a wider integer.", constraints=WIDENS)
    ),
    _overflowing(
        conversion("arith.trunci", WIDE, WIDE, "Truncates to a narrower integer.", constraints=NARROWS)
    ),
)
