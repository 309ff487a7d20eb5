"""CHLO's ops that make their operands' shapes alike first: NumPy's broadcasting, or "
"`broadcast_dimensions`."""

from __future__ import annotations

from stablehlo_py.opset.classes import BOOLEAN, COMPLEX, INTEGER, TypeClass, any_rank, tensor_of
from stablehlo_py.opset.definition import Attr, Constraint, OpDef, Operand, Result, define
from stablehlo_py.opset.ops.chlo import ANY_RANK_TENSOR, FLOATS, PURE

FORM = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)"
BROADCAST_DIMENSIONS = Attr(
    "broadcast_dimensions",
    "array<i64>",
    type="the dimensions of the larger operand that those of the smaller one stand for",
    optional=True,
    default="range(max(rank(lhs), rank(rhs)) - min(rank(lhs), rank(rhs)), max(rank(lhs), rank(rhs)))",
)


def _legal(a: str, b: str) -> str:
    """Two sizes can be broadcast together."""
    return f"({a} = {b} or {a} = 1 or {b} = 1)"


def _joined(a: str, b: str) -> str:
    """The size that two sizes are broadcast to: a known one above 1 wins, whatever the other."""
    return f"(is_known({a}) and 1 < {a} ? {a} : (is_known({b}) and 1 < {b} ? {b} : ({a} = 1 ? {b} : {a})))"


# Shapes that cannot be broadcast together make upstream infer a result of unknown rank: any result will do.
LETS = (
    ("large", "rank(rhs) < rank(lhs) ? shape(lhs) : shape(rhs)"),
    ("small", "rank(rhs) < rank(lhs) ? shape(rhs) : shape(lhs)"),
    (
        "is_legal",
        "is_possible(size(broadcast_dimensions) = size(small) and 0 <= broadcast_dimensions < size(large) "
        f"and (for i in range(size(small)) : {_legal('small[i]', 'large[broadcast_dimensions[i]]')}))",
    ),
    (
        "broadcast",
        f"replace(large, broadcast_dimensions, [{_joined('small[i]', 'large[broadcast_dimensions[i]]')} "
        "for i in range(size(small))])",
    ),
)
SAME_ELEMENT_TYPE = "element_type(lhs) = element_type(rhs) = element_type(result)"
SHAPE = Constraint("U2", "if is_legal then shape(result) = broadcast", verdict="upstream")


def _broadcast(
    name: str,
    doc: str,
    types: TypeClass = ANY_RANK_TENSOR,
    result: TypeClass | None = None,
    element_types: str = SAME_ELEMENT_TYPE,
    attrs: tuple[Attr, ...] = (),
) -> OpDef:
    """An op of two operands that are broadcast together."""
    return OpDef(
        name=f"chlo.broadcast_{name}",
        doc=doc,
        section="chlo",
        inputs=(Operand("lhs", types), Operand("rhs", types), BROADCAST_DIMENSIONS, *attrs),
        outputs=(Result("result", result or types),),
        where=LETS,
        constraints=(Constraint("U1", element_types, verdict="upstream"), SHAPE),
        form=FORM,
        traits=PURE,
        example=f"%result = chlo.broadcast_{name} %lhs, %rhs "
        ": (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
    )


BITS = any_rank(BOOLEAN, INTEGER)

define(
    _broadcast("add", "Adds, element by element, after broadcasting."),
    _broadcast("atan2", "Takes the angle of the point (rhs, lhs), element by element, after broadcasting."),
    _broadcast("divide", "Divides, element by element, after broadcasting."),
    _broadcast("maximum", "Takes the greater of two elements, after broadcasting."),
    _broadcast("minimum", "Takes the lesser of two elements, after broadcasting."),
    _broadcast("multiply", "Multiplies, element by element, after broadcasting."),
    _broadcast("next_after", "Gives the number next to lhs in the direction of rhs, after broadcasting."),
    _broadcast("polygamma", "Takes the lhs-th derivative of digamma at rhs, after broadcasting."),
    _broadcast("power", "Raises lhs to the power of rhs, element by element, after broadcasting."),
    _broadcast("remainder", "Takes the remainder of a division, element by element, after broadcasting."),
    _broadcast("shift_left", "Shifts the bits of lhs to the left by rhs, after broadcasting."),
    _broadcast(
        "shift_right_arithmetic", "Shifts lhs to the right by rhs and keeps its sign, after broadcasting."
    ),
    _broadcast(
        "shift_right_logical", "Shifts lhs to the right by rhs and fills with zeros, after broadcasting."
    ),
    _broadcast("subtract", "Subtracts, element by element, after broadcasting."),
    _broadcast("zeta", "Takes the Hurwitz zeta function of lhs and rhs, after broadcasting.", FLOATS),
    _broadcast("and", "Takes the logical or bitwise and, after broadcasting.", BITS, ANY_RANK_TENSOR),
    _broadcast("or", "Takes the logical or bitwise or, after broadcasting.", BITS, ANY_RANK_TENSOR),
    _broadcast(
        "xor", "Takes the logical or bitwise exclusive or, after broadcasting.", BITS, ANY_RANK_TENSOR
    ),
    _broadcast(
        "complex",
        "Makes complex numbers of real and imaginary parts, after broadcasting.",
        FLOATS,
        any_rank(COMPLEX),
        "element_type(lhs) = element_type(rhs) = complex_element_type(result)",
    ),
    _broadcast(
        "compare",
        "Compares element by element, after broadcasting.",
        result=any_rank(BOOLEAN),
        element_types="element_type(lhs) = element_type(rhs)",
        attrs=(
            Attr("comparison_direction", "enum chlo.comparison_direction"),
            Attr("compare_type", "enum chlo.comparison_type", optional=True),
        ),
    ),
    OpDef(
        name="chlo.broadcast_select",
        doc="Takes elements of on_true or on_false as pred says, after broadcasting all three.",
        section="chlo",
        inputs=(
            Operand("pred", tensor_of(BOOLEAN)),
            Operand("on_true", ANY_RANK_TENSOR),
            Operand("on_false", ANY_RANK_TENSOR),
        ),
        outputs=(Result("result", ANY_RANK_TENSOR),),
        where=(
            ("R", "max(rank(pred), max(rank(on_true), rank(on_false)))"),
            ("p", "[1 for i in range(R - rank(pred))] ++ shape(pred)"),
            ("t", "[1 for i in range(R - rank(on_true))] ++ shape(on_true)"),
            ("f", "[1 for i in range(R - rank(on_false))] ++ shape(on_false)"),
            ("tf", f"[{_joined('t[i]', 'f[i]')} for i in range(R)]"),
            (
                "is_legal",
                f"is_possible(for i in range(R) : {_legal('t[i]', 'f[i]')} and {_legal('p[i]', 'tf[i]')})",
            ),
        ),
        constraints=(
            Constraint("U1", "element_type(on_true) = element_type(on_false)", verdict="upstream"),
            Constraint(
                "U2",
                f"if is_legal then shape(result) = [{_joined('p[i]', 'tf[i]')} for i in range(R)]",
                verdict="upstream",
            ),
        ),
        form="$pred `,` $on_true `,` $on_false attr-dict "
        "`:` `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)",
        traits=PURE,
        example="%result = chlo.broadcast_select %pred, %on_true, %on_false "
        ": (tensor<i1>, tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
    ),
)
