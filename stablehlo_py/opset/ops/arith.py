"""The `arith` dialect: numbers, indices and tensors of them. Ops on floats have no kernels."""

from __future__ import annotations

from dataclasses import replace

from stablehlo_py.ir.types import FloatType, IntegerType
from stablehlo_py.opset.classes import ANY, BOOLEAN, INDEX_ELEMENT, SIGNLESS, TypeClass, any_rank
from stablehlo_py.opset.definition import Attr, Constraint, OpDef, Operand, Result, define, upstream
from stablehlo_py.opset.shared.common import BINARY_FORM, PURE, UNARY_FORM, conversion
from stablehlo_py.opset.traits import Revision

INTEGER_OR_INDEX = SIGNLESS | INDEX_ELEMENT | any_rank(SIGNLESS, INDEX_ELEMENT)
NO_SIGN = TypeClass(
    "any type but an integer with a sign", lambda t: not (isinstance(t, IntegerType) and t.signedness)
)
CONDITION = BOOLEAN | any_rank(BOOLEAN)

ANY_FLOAT = TypeClass("floating-point of any format", lambda t: isinstance(t, FloatType))
FLOATING = ANY_FLOAT | any_rank(ANY_FLOAT)
BITS = FLOATING | SIGNLESS | any_rank(SIGNLESS)

WIDE = SIGNLESS | any_rank(SIGNLESS)
ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")


def _same_shape(a: str, b: str, label: str = "U1") -> Constraint:
    """Return the constraint that both are scalars, or tensors of one shape."""
    return upstream(
        label,
        f"is_tensor({a}) = is_tensor({b}) and "
        f"(if is_tensor({a}) then identical(tensor(shape({a}), i1), tensor(shape({b}), i1)))",
    )


SAME_SHAPE = _same_shape("operand", "result")
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

REFORMATS = (
    SAME_SHAPE,
    upstream("U2", "num_bits(operand) = num_bits(result) and not identical(operand, result)"),
)
SAME_WIDTH = (SAME_SHAPE, upstream("U2", "num_bits(operand) = num_bits(result)"))

# The predicates of `arith.cmpi`, which stores an index into them.
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
# The predicates of `arith.cmpf`, ordered and unordered.
FLOAT_PREDICATES = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true",
)  # fmt: skip


def _arithmetic(name: str, doc: str, of: TypeClass = INTEGER_OR_INDEX, example: str = "index") -> OpDef:
    """Define a binary op on integers, indices or tensors of them, or on another class."""
    return OpDef(
        name=f"arith.{name}",
        doc=doc,
        inputs=(Operand("lhs", of), Operand("rhs", of)),
        outputs=(Result("result", of),),
        constraints=(upstream("U1", "identical(lhs, rhs) and identical(lhs, result)"),),
        form=BINARY_FORM,
        traits=PURE,
        example=f"%0 = arith.{name} %a, %b : {example}",
    )


def _on_floats(name: str, doc: str) -> OpDef:
    """Define a binary op on floats or tensors of them."""
    return _fast(_arithmetic(name, doc, FLOATING, "f32"))


def _on_float(name: str, doc: str) -> OpDef:
    """Define a unary op on floats or tensors of them."""
    return _fast(
        OpDef(
            name=f"arith.{name}",
            doc=doc,
            inputs=(Operand("operand", FLOATING),),
            outputs=(Result("result", FLOATING),),
            constraints=(upstream("U1", "identical(operand, result)"),),
            form=UNARY_FORM,
            traits=PURE,
            example=f"%0 = arith.{name} %a : f32",
        )
    )


def _extended(name: str, doc: str, low: str, high: str) -> OpDef:
    """Define an op on integers with two results, the second one of the operands' type."""
    return OpDef(
        name=f"arith.{name}",
        doc=doc,
        inputs=(Operand("lhs", INTEGER_OR_INDEX), Operand("rhs", INTEGER_OR_INDEX)),
        outputs=(Result(low, INTEGER_OR_INDEX), Result(high, INTEGER_OR_INDEX)),
        constraints=(
            upstream("U1", f"identical(lhs, rhs) and identical(lhs, {low}) and identical(lhs, {high})"),
        ),
        form="$lhs `,` $rhs attr-dict `:` custom<same_operands_and_result_type>"
        f"(type($lhs), type($rhs), type(${low}), type(${high}))",
        traits=PURE,
        example=f"%{low}, %{high} = arith.{name} %a, %b : i32",
    )


def _with_flag(name: str, doc: str, result: str, flag: str) -> OpDef:
    """Define an op on integers with a second result, a boolean."""
    return OpDef(
        name=f"arith.{name}",
        doc=doc,
        inputs=(Operand("lhs", INTEGER_OR_INDEX), Operand("rhs", INTEGER_OR_INDEX)),
        outputs=(Result(result, INTEGER_OR_INDEX), Result(flag, CONDITION)),
        constraints=(
            upstream("U1", f"identical(lhs, rhs) and identical(lhs, {result})"),
            _same_shape(result, flag, "U2"),
        ),
        form="$lhs `,` $rhs attr-dict `:` custom<sum_and_flag_types>"
        f"(type($lhs), type($rhs), type(${result}), type(${flag}))",
        traits=PURE,
        example=f"%{result}, %{flag} = arith.{name} %a, %b : i32, i1",
    )


def _flagged(definition: OpDef, directive: str, flag: Attr, *revisions: Revision) -> OpDef:
    """Add an optional flag to an op, printed by a directive."""
    form = (definition.form or "").replace("attr-dict", f"custom<{directive}>(${flag.name}) attr-dict")
    return replace(definition, inputs=(*definition.inputs, flag), form=form, revisions=revisions)


def _overflowing(definition: OpDef) -> OpDef:
    """Add `overflowFlags` to an op."""
    return _flagged(definition, "overflow", Attr("overflowFlags", "overflow flags", optional=True))


def _fast(definition: OpDef) -> OpDef:
    """Add `fastmath` to an op."""
    return _flagged(definition, "fastmath", Attr("fastmath", "fastmath flags", optional=True))


def _stated_fast(definition: OpDef) -> OpDef:
    """Add `fastmath` to an op that stores it only if it is stated."""
    flag = Attr("fastmath", "optional fastmath flags", optional=True)
    return _flagged(definition, "stated_fastmath", flag)


def _rounded(definition: OpDef) -> OpDef:
    """Add `roundingmode` to an op."""
    name = f"U{len(definition.constraints) + 1}"
    rule = upstream(name, "if given(roundingmode) then 0 <= roundingmode < 5")
    return replace(
        definition,
        inputs=(*definition.inputs, Attr("roundingmode", "i32", optional=True)),
        constraints=(*definition.constraints, rule),
        form=(definition.form or "").replace("custom<", "custom<rounding_mode>($roundingmode) custom<", 1),
    )


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
    _arithmetic("ceildivui", "Divides unsigned integers, rounding up."),
    _overflowing(_arithmetic("shli", "Shifts integers to the left.")),
    _exact(_arithmetic("shrsi", "Shifts signed integers to the right.")),
    _exact(_arithmetic("shrui", "Shifts unsigned integers to the right.")),
    _with_flag("addui_extended", "Adds unsigned integers, with the carry.", "sum", "overflow"),
    _with_flag("subui_extended", "Subtracts unsigned integers, with the borrow.", "diff", "borrow"),
    _extended("mulsi_extended", "Multiplies signed integers, with the upper half.", "low", "high"),
    _extended("mului_extended", "Multiplies unsigned integers, with the upper half.", "low", "high"),
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
    _rounded(_on_floats("addf", "Adds floats.")),
    _rounded(_on_floats("subf", "Subtracts floats.")),
    _rounded(_on_floats("mulf", "Multiplies floats.")),
    _rounded(_on_floats("divf", "Divides floats.")),
    _on_floats("remf", "Computes the remainder of a division of floats."),
    _on_floats("maximumf", "Computes the maximum of floats, which is NaN if an operand is."),
    _on_floats("minimumf", "Computes the minimum of floats, which is NaN if an operand is."),
    _on_floats("maxnumf", "Computes the maximum of floats, ignoring NaN."),
    _on_floats("minnumf", "Computes the minimum of floats, ignoring NaN."),
    _on_float("negf", "Negates floats."),
    _on_float("flush_denormals", "Replaces denormal floats by zeros."),
    OpDef(
        name="arith.cmpf",
        doc=f"Compares floats; `predicate` is an index into {', '.join(FLOAT_PREDICATES)}.",
        inputs=(
            Attr("predicate", "i64 >= 0"),
            Operand("lhs", FLOATING),
            Operand("rhs", FLOATING),
            Attr("fastmath", "fastmath flags", optional=True),
        ),
        outputs=(Result("result", CONDITION),),
        constraints=(
            upstream("U1", "identical(lhs, rhs)"),
            upstream("U2", "predicate < 16"),
            _same_shape("lhs", "result", "U3"),
        ),
        form="custom<float_predicate>($predicate) `,` $lhs `,` $rhs custom<fastmath>($fastmath) attr-dict "
        "`:` custom<compared_type>(type($lhs), type($rhs), type($result))",
        traits=PURE,
        example="%0 = arith.cmpf olt, %a, %b : f32",
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
        types="i32 to index",
    ),
    _nonnegative(
        conversion(
            "arith.index_castui",
            INTEGER_OR_INDEX,
            INTEGER_OR_INDEX,
            "Converts between indices and unsigned integers.",
            constraints=CASTS,
            types="i32 to index",
        )
    ),
    conversion(
        "arith.extsi", WIDE, WIDE, "Sign-extends to a wider integer.", constraints=WIDENS, types="i32 to i64"
    ),
    _nonnegative(
        conversion(
            "arith.extui",
            WIDE,
            WIDE,
            "Zero-extends to a wider integer.",
            constraints=WIDENS,
            types="i32 to i64",
        )
    ),
    _overflowing(
        conversion(
            "arith.trunci",
            WIDE,
            WIDE,
            "Truncates to a narrower integer.",
            constraints=NARROWS,
            types="i64 to i32",
        )
    ),
    _stated_fast(
        conversion(
            "arith.extf",
            FLOATING,
            FLOATING,
            "Converts to a wider format.",
            constraints=WIDENS,
            types="f32 to f64",
        )
    ),
    _rounded(
        _stated_fast(
            conversion(
                "arith.truncf",
                FLOATING,
                FLOATING,
                "Rounds to a narrower format.",
                constraints=NARROWS,
                types="f64 to f32",
            )
        )
    ),
    _rounded(
        _stated_fast(
            conversion(
                "arith.convertf",
                FLOATING,
                FLOATING,
                "Rounds to a format as wide.",
                constraints=REFORMATS,
                types="f16 to bf16",
            )
        )
    ),
    conversion(
        "arith.sitofp",
        WIDE,
        FLOATING,
        "Converts signed integers to floats.",
        constraints=(SAME_SHAPE,),
        types="i32 to f32",
    ),
    _nonnegative(
        conversion(
            "arith.uitofp",
            WIDE,
            FLOATING,
            "Converts unsigned integers to floats.",
            constraints=(SAME_SHAPE,),
            types="i32 to f32",
        )
    ),
    conversion(
        "arith.fptosi",
        FLOATING,
        WIDE,
        "Converts floats to signed integers.",
        constraints=(SAME_SHAPE,),
        types="f32 to i32",
    ),
    conversion(
        "arith.fptoui",
        FLOATING,
        WIDE,
        "Converts floats to unsigned integers.",
        constraints=(SAME_SHAPE,),
        types="f32 to i32",
    ),
    conversion(
        "arith.bitcast", BITS, BITS, "Reads bits as another type.", constraints=SAME_WIDTH, types="i32 to f32"
    ),
)
