"""CHLO, the client dialect: functions that StableHLO expresses with several ops."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    BOOLEAN,
    COMPLEX,
    FLOAT,
    INTEGER,
    PER_TENSOR,
    QUANTIZED,
    TypeClass,
    any_rank,
    static,
    tensor_of,
)
from stablehlo_py.opset.definition import (
    Attr,
    Body,
    Constraint,
    OpDef,
    Operand,
    Result,
    at_run,
    define,
    upstream,
)
from stablehlo_py.opset.traits import NO_TRAFFIC, CostRule, Loop, Revision, SignRule, Trait

ELEMENTWISE: frozenset[Trait] = frozenset({"pure", "elementwise"})
TRANSCENDENTAL: frozenset[Trait] = ELEMENTWISE | {"transcendental"}
PURE: frozenset[Trait] = frozenset({"pure"})
ANY_RANK_TENSOR = any_rank(BOOLEAN, INTEGER, FLOAT, COMPLEX, QUANTIZED)
FLOATS = any_rank(FLOAT)
FLOATS_AND_COMPLEX = any_rank(FLOAT, COMPLEX)


# Upstream: the operand and result of an elementwise op are both ranked, or both unranked.
_RANKED = "is_ranked(operand) = is_ranked(result)"


def _unary(
    name: str,
    doc: str,
    types: TypeClass = FLOATS_AND_COMPLEX,
    traits: frozenset[Trait] = TRANSCENDENTAL,
    sign: SignRule = "",
    element: str = "f32",
) -> OpDef:
    """Define an op with one operand and a result of its type; `element` is that of the example."""
    return OpDef(
        name=f"chlo.{name}",
        doc=doc,
        section="chlo",
        inputs=(Operand("operand", types),),
        outputs=(Result("result", types),),
        constraints=(upstream("U1", f"type(operand) = type(result) and {_RANKED}"),),
        form="$operand attr-dict `:` type($operand) `->` type($result)",
        traits=traits,
        sign=sign,
        example=f"%result = chlo.{name} %operand : tensor<2x{element}> -> tensor<2x{element}>",
    )


def _predicate(name: str, doc: str) -> OpDef:
    """Define a predicate on each element."""
    return OpDef(
        name=f"chlo.{name}",
        doc=doc,
        section="chlo",
        inputs=(Operand("operand", FLOATS),),
        outputs=(Result("result", any_rank(BOOLEAN)),),
        constraints=(upstream("U1", f"shape(operand) = shape(result) and {_RANKED}"),),
        form="$operand attr-dict `:` type($operand) `->` type($result)",
        traits=ELEMENTWISE,
        example=f"%result = chlo.{name} %operand : tensor<2xf32> -> tensor<2xi1>",
    )


def _binary(
    name: str,
    a: str,
    b: str,
    doc: str,
    types: TypeClass = FLOATS,
    traits: frozenset[Trait] = ELEMENTWISE,
    element: str = "f32",
) -> OpDef:
    """Define an op with two operands and a result of the same type; `element` is that of the example."""
    type = f"tensor<2x{element}>"
    return OpDef(
        name=f"chlo.{name}",
        doc=doc,
        section="chlo",
        inputs=(Operand(a, types), Operand(b, types)),
        outputs=(Result("result", types),),
        constraints=(upstream("U1", f"type({a}) = type({b}) = type(result)"),),
        form=f"${a} `,` ${b} attr-dict `:` type(${a}) `,` type(${b}) `->` type($result)",
        traits=traits,
        example=f"%result = chlo.{name} %{a}, %{b} : {type}, {type} -> {type}",
    )


define(
    _unary(
        "_asin_acos_kernel",
        "Computes the common kernel of the complex inverse trigonometric and hyperbolic functions.",
        any_rank(COMPLEX),
        element="complex<f32>",
    ),
    _unary("acos", "Computes the inverse cosine of each element."),
    _unary("acosh", "Computes the inverse hyperbolic cosine of each element."),
    _unary("asin", "Computes the inverse sine of each element."),
    _unary("asinh", "Computes the inverse hyperbolic sine of each element."),
    _unary("atan", "Computes the inverse tangent of each element."),
    _unary("atanh", "Computes the inverse hyperbolic tangent of each element."),
    _unary("bessel_i1e", "Computes the exponentially scaled modified Bessel function of order 1."),
    _unary("conj", "Computes the complex conjugate of each element.", traits=ELEMENTWISE),
    _unary("cosh", "Computes the hyperbolic cosine of each element."),
    _unary("sinh", "Computes the hyperbolic sine of each element."),
    _unary("tan", "Computes the tangent of each element."),
    _unary("square", "Multiplies each element by itself.", traits=ELEMENTWISE, sign="absolute"),
    _unary("digamma", "Computes the logarithmic derivative of the gamma function.", FLOATS),
    _unary("erf", "Computes the error function of each element.", FLOATS),
    _unary("erf_inv", "Computes the inverse of the error function.", FLOATS),
    _unary("erfc", "Computes the complement of the error function, 1 - erf(x).", FLOATS),
    _unary("lgamma", "Computes the logarithm of the absolute value of the gamma function.", FLOATS),
    _predicate("is_inf", "Tests whether each element is infinite."),
    _predicate("is_neg_inf", "Tests whether each element is negative infinity."),
    _predicate("is_pos_inf", "Tests whether each element is positive infinity."),
    _binary(
        "next_after",
        "x",
        "y",
        "Returns the next representable number after x in the direction of y, element by element.",
    ),
    _binary(
        "polygamma",
        "n",
        "x",
        "Computes the n-th derivative of digamma at x, element by element.",
        traits=TRANSCENDENTAL,
    ),
    _binary(
        "zeta",
        "x",
        "q",
        "Takes the Hurwitz zeta function, the sum of (q + n)^-x over n >= 0.",
        traits=TRANSCENDENTAL,
    ),
    _binary(
        "mulhi",
        "lhs",
        "rhs",
        "Multiplies, and returns the upper half of the bits of each product.",
        tensor_of(INTEGER),
        element="i32",
    ),
)


# Ops that broadcast their operands to a common shape, as NumPy does or along `broadcast_dimensions`

BROADCAST_FORM = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)"
BROADCAST_DIMENSIONS = Attr(
    "broadcast_dimensions",
    "array<i64>",
    type="the dimensions of the larger operand that those of the smaller one stand for",
    optional=True,
    default="range(max(rank(lhs), rank(rhs)) - min(rank(lhs), rank(rhs)), max(rank(lhs), rank(rhs)))",
)


def _legal(a: str, b: str) -> str:
    """Return the condition that two sizes can be broadcast together."""
    return f"({a} = {b} or {a} = 1 or {b} = 1)"


def _joined(a: str, b: str) -> str:
    """Return the broadcast size of two sizes: a static one above 1 takes precedence over a dynamic one."""
    return f"(is_known({a}) and 1 < {a} ? {a} : (is_known({b}) and 1 < {b} ? {b} : ({a} = 1 ? {b} : {a})))"


# For incompatible shapes, upstream infers an unranked result, which any result type matches.
BROADCAST_LETS = (
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


DIMENSIONS = at_run(
    "R1",
    "size(broadcast_dimensions) = size(small) and is_unique(broadcast_dimensions) "
    "and 0 <= broadcast_dimensions < size(large)",
)


INTEGERS = at_run("R2", "is_integer(lhs)")
IS_FLOAT = at_run("R2", "is_float(lhs)")


def _broadcast(
    name: str,
    doc: str,
    types: TypeClass = ANY_RANK_TENSOR,
    result: TypeClass | None = None,
    element_types: str = SAME_ELEMENT_TYPE,
    attrs: tuple[Attr, ...] = (),
    traits: frozenset[Trait] = PURE,
    at_runs: tuple[Constraint, ...] = (),
    elements: tuple[str, str] = ("f32", "f32"),
    words: str = "",
) -> OpDef:
    """Define a binary op with implicit broadcasting.

    The example has operands and a result of `elements`, and `words` before their types.
    """
    given, made = elements
    return OpDef(
        name=f"chlo.broadcast_{name}",
        doc=doc,
        section="chlo",
        inputs=(Operand("lhs", types), Operand("rhs", types), BROADCAST_DIMENSIONS, *attrs),
        outputs=(Result("result", result or types),),
        where=BROADCAST_LETS,
        constraints=(Constraint("U1", element_types, verdict="upstream"), SHAPE, DIMENSIONS, *at_runs),
        form=BROADCAST_FORM,
        traits=traits | {"shape_at_run"},  # of incompatible shapes, see above
        cost=CostRule(work="elementwise"),
        example=f"%result = chlo.broadcast_{name} %lhs, %rhs {words}"
        f": (tensor<3x{given}>, tensor<2x3x{given}>) -> tensor<2x3x{made}>",
    )


BITS = any_rank(BOOLEAN, INTEGER)

define(
    _broadcast("add", "Adds, element by element, after broadcasting."),
    _broadcast(
        "atan2",
        "Computes the angle of the point (rhs, lhs), element by element, after broadcasting.",
        traits=PURE | {"transcendental"},
    ),
    _broadcast("divide", "Divides, element by element, after broadcasting."),
    _broadcast("maximum", "Computes the maximum of two elements, after broadcasting."),
    _broadcast("minimum", "Computes the minimum of two elements, after broadcasting."),
    _broadcast("multiply", "Multiplies, element by element, after broadcasting."),
    _broadcast(
        "next_after",
        "Returns the next representable number after lhs in the direction of rhs, after broadcasting.",
        at_runs=(IS_FLOAT,),
    ),
    _broadcast(
        "polygamma",
        "Computes the lhs-th derivative of digamma at rhs, after broadcasting.",
        traits=PURE | {"transcendental"},
        at_runs=(IS_FLOAT,),
    ),
    _broadcast(
        "power",
        "Raises lhs to the power of rhs, element by element, after broadcasting.",
        traits=PURE | {"transcendental"},
    ),
    _broadcast("remainder", "Computes the remainder of a division, element by element, after broadcasting."),
    _broadcast(
        "shift_left",
        "Shifts the bits of lhs to the left by rhs, after broadcasting.",
        at_runs=(INTEGERS,),
        elements=("i32", "i32"),
    ),
    _broadcast(
        "shift_right_arithmetic",
        "Shifts lhs to the right by rhs and keeps its sign, after broadcasting.",
        at_runs=(INTEGERS,),
        elements=("i32", "i32"),
    ),
    _broadcast(
        "shift_right_logical",
        "Shifts lhs to the right by rhs and fills with zeros, after broadcasting.",
        at_runs=(INTEGERS,),
        elements=("i32", "i32"),
    ),
    _broadcast("subtract", "Subtracts, element by element, after broadcasting."),
    _broadcast(
        "zeta",
        "Takes the Hurwitz zeta function of lhs and rhs, after broadcasting.",
        FLOATS,
        traits=PURE | {"transcendental"},
    ),
    _broadcast(
        "and",
        "Computes the logical or bitwise and, after broadcasting.",
        BITS,
        ANY_RANK_TENSOR,
        elements=("i32", "i32"),
    ),
    _broadcast(
        "or",
        "Computes the logical or bitwise or, after broadcasting.",
        BITS,
        ANY_RANK_TENSOR,
        elements=("i32", "i32"),
    ),
    _broadcast(
        "xor",
        "Computes the logical or bitwise exclusive or, after broadcasting.",
        BITS,
        ANY_RANK_TENSOR,
        elements=("i32", "i32"),
    ),
    _broadcast(
        "complex",
        "Creates complex numbers from real and imaginary parts, after broadcasting.",
        FLOATS,
        any_rank(COMPLEX),
        "element_type(lhs) = element_type(rhs) = complex_element_type(element_type(result))",
        elements=("f32", "complex<f32>"),
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
        elements=("f32", "i1"),
        words="{comparison_direction = #chlo<comparison_direction LT>} ",
    ),
    OpDef(
        name="chlo.broadcast_select",
        doc="Selects elements of on_true where pred is true, and of on_false otherwise, after broadcasting.",
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
        traits=PURE | {"shape_at_run"},
        cost=CostRule(work="elementwise"),
        example="%result = chlo.broadcast_select %pred, %on_true, %on_false "
        ": (tensor<i1>, tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
    ),
)

define(
    OpDef(
        name="chlo.constant",
        doc="Returns a constant.",
        section="chlo",
        inputs=(Attr("value", "elements"),),
        outputs=(Result("output", static(tensor_of(BOOLEAN, INTEGER, FLOAT, COMPLEX, PER_TENSOR))),),
        constraints=(upstream("U1", "type(output) = type(value)"),),
        form="attr-dict custom<typed_value>($value)",
        traits=frozenset({"pure", "constant"}),
        cost=NO_TRAFFIC,
        sign="constant",
        example="%output = chlo.constant dense<[1, 2]> : tensor<2xi32>",
    ),
    OpDef(
        name="chlo.constant_like",
        doc="Returns a tensor of the operand's shape, filled with one value.",
        section="chlo",
        inputs=(Attr("value", "typed"), Operand("operand", ANY_RANK_TENSOR)),
        outputs=(Result("result", ANY_RANK_TENSOR),),
        constraints=(
            upstream("U1", "shape(result) = shape(operand)"),
            upstream("U2", "element_type(result) = type(value)"),
        ),
        traits=PURE,
        example='%result = "chlo.constant_like"(%operand) <{value = 1.0 : f32}> : (tensor<2xi32>) -> '
        "tensor<2xf32>",
    ),
    OpDef(
        name="chlo.top_k",
        doc="Returns the k largest elements of each row along the last dimension, and their indices.",
        section="chlo",
        inputs=(
            Operand("operand", ANY_RANK_TENSOR),
            Attr("k", "i64"),
            Attr("is_stable", "bool", optional=True, default="true"),
        ),
        outputs=(Result("values", ANY_RANK_TENSOR), Result("indices", ANY_RANK_TENSOR)),
        where=(("result_shape", "replace(shape(operand), rank(operand) - 1, k)"),),
        constraints=(
            upstream("U1", "0 < rank(operand)"),
            upstream("U2", "k <= dim(operand, -1)"),
            upstream("U3", "shape(values) = shape(indices) = result_shape"),
            upstream("U4", "element_type(values) = element_type(operand)"),
            upstream("U5", "element_type(indices) = i32"),
        ),
        form="`(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict "
        "`:` type($operand) `->` `(` type($values) `,` type($indices) `)`",
        traits=PURE,
        cost=CostRule(work="sort"),
        revisions=(Revision("1.18.0", adds=("is_stable",)),),
        example="%values, %indices = chlo.top_k(%operand, k = 2) : tensor<5xf32> -> (tensor<2xf32>, "
        "tensor<2xi32>)",
    ),
    OpDef(
        name="chlo.scan",
        doc="Executes body on successive slices of the inputs, with loop-carried values.",
        section="chlo",
        inputs=(
            Operand("inputs", ANY_RANK_TENSOR, variadic=True),
            Operand("inits", ANY_RANK_TENSOR, variadic=True),
            Attr("dimension", "i64 >= 0"),
            Attr("scan_dim_size", "i64 >= 0", optional=True),
            Attr("is_reverse", "bool", optional=True, default="false"),
            Attr("is_associative", "bool", optional=True),
            Body("body"),
        ),
        outputs=(
            Result("outputs", ANY_RANK_TENSOR, variadic=True),
            Result("carries", ANY_RANK_TENSOR, variadic=True),
        ),
        properties=(("operandSegmentSizes", "array<i32>"), ("resultSegmentSizes", "array<i32>")),
        where=(
            ("body_outputs", "output_types(body)[:size(outputs)]"),
            ("body_carries", "output_types(body)[size(outputs):]"),
        ),
        constraints=(
            upstream("U1", "0 < size(inputs) + size(outputs)"),
            upstream("U2", "dimension < rank(inputs...)"),
            upstream("U3", "same(dim(inputs..., dimension))"),
            upstream("U4", "if given(scan_dim_size) then dim(inputs..., dimension) = scan_dim_size"),
            upstream(
                "U5",
                "input_types(body) = [tensor(drop(shape(inputs...), dimension), element_type(inputs...)), "
                "type(inits...)]",
            ),
            upstream("U6", "size(output_types(body)) = size(outputs) + size(carries)"),
            upstream("U7", "size(carries) = size(inits)"),
            upstream("U8", "drop(shape(outputs...), dimension) = shape(body_outputs...)"),
            upstream("U9", "shape(carries...) = shape(body_carries...)"),
            upstream(
                "U10",
                "if given(scan_dim_size) then dim(outputs..., dimension) = scan_dim_size "
                "else if 0 < size(inputs) then dim(outputs..., dimension) = dim(inputs[0], dimension)",
            ),
        ),
        form="custom<scan>($inputs, $inits, $dimension, $body)",
        traits=frozenset({"isolated", "runs_bodies", "recursive_effects"}),
        loop=Loop("body", dimension="dimension", arguments=("input", "carry")),
        example="%outputs, %carries = chlo.scan(%inputs) inits (%init) dimension=0 {\n"
        "^bb0(%input: tensor<f32>, %carry: tensor<f32>):\n  %0 = stablehlo.add %input, %carry : tensor<f32>\n"
        "  stablehlo.return %0, %0 : tensor<f32>, tensor<f32>\n"
        "} : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)",
    ),
)

RAGGED_DOT_DIMS = tuple(
    Attr(name, "array<i64>", at=f"ragged_dot_dimension_numbers.{name}")
    for name in (
        "lhs_batching_dimensions",
        "rhs_batching_dimensions",
        "lhs_contracting_dimensions",
        "rhs_contracting_dimensions",
        "lhs_ragged_dimensions",
        "rhs_group_dimensions",
    )
)
RAGGED_DOT_LETS = (
    ("ragged", "lhs_ragged_dimensions[0]"),
    ("is_batch", "ragged in lhs_batching_dimensions"),
    ("is_contracting", "not is_batch and ragged in lhs_contracting_dimensions"),
    ("groups", "dim(group_sizes, -1)"),
    (
        "lhs_free_dimensions",
        "[d for d in axes(lhs) if d not in lhs_batching_dimensions and d not in lhs_contracting_dimensions]",
    ),
    (
        "rhs_free_dimensions",
        "[d for d in axes(rhs) if d not in rhs_batching_dimensions and d not in rhs_contracting_dimensions "
        "and d not in rhs_group_dimensions]",
    ),
    (
        "outer_dimensions",
        "is_batch ? [lhs_batching_dimensions[i] for i in range(size(lhs_batching_dimensions)) "
        "if ragged not in lhs_batching_dimensions[0:i + 1]] : lhs_batching_dimensions ++ (is_contracting ? "
        "[lhs_contracting_dimensions[i] for i in range(size(lhs_contracting_dimensions)) "
        "if ragged not in lhs_contracting_dimensions[0:i + 1]] : [d for d in lhs_free_dimensions if d < "
        "ragged])",
    ),
)

define(
    OpDef(
        name="chlo.ragged_dot",
        doc="Computes dot products where one dimension of lhs is split into groups of the sizes in "
        "group_sizes.",
        section="chlo",
        inputs=(
            Operand("lhs", ANY_RANK_TENSOR),
            Operand("rhs", ANY_RANK_TENSOR),
            Operand("group_sizes", tensor_of(INTEGER)),
            *RAGGED_DOT_DIMS,
            Attr("precision_config", "array of enum chlo.precision", optional=True),
        ),
        outputs=(Result("result", ANY_RANK_TENSOR),),
        properties=(("ragged_dot_dimension_numbers", "struct chlo.ragged_dot"),),
        where=RAGGED_DOT_LETS,
        constraints=(
            upstream("U1", "if given(precision_config) then size(precision_config) in [0, 2]"),
            upstream("U2", "size(lhs_batching_dimensions) = size(rhs_batching_dimensions)"),
            upstream("U3", "size(lhs_contracting_dimensions) = size(rhs_contracting_dimensions)"),
            upstream("U4", "is_unique(lhs_batching_dimensions ++ lhs_contracting_dimensions)"),
            upstream("U5", "is_unique(rhs_batching_dimensions ++ rhs_contracting_dimensions)"),
            upstream("U6", "0 <= lhs_batching_dimensions < rank(lhs)"),
            upstream("U7", "0 <= lhs_contracting_dimensions < rank(lhs)"),
            upstream("U8", "0 <= rhs_batching_dimensions < rank(rhs)"),
            upstream("U9", "0 <= rhs_contracting_dimensions < rank(rhs)"),
            upstream("U10", "dims(lhs, lhs_batching_dimensions) = dims(rhs, rhs_batching_dimensions)"),
            upstream("U11", "dims(lhs, lhs_contracting_dimensions) = dims(rhs, rhs_contracting_dimensions)"),
            upstream("U12", "size(lhs_ragged_dimensions) = 1"),
            upstream("U13", "0 <= lhs_ragged_dimensions < rank(lhs)"),
            upstream(
                "U14",
                "rank(group_sizes) = 1 or (1 < rank(group_sizes) "
                "and shape(group_sizes)[:-1] = dims(lhs, outer_dimensions))",
            ),
            upstream("U15", "0 <= rhs_group_dimensions < rank(rhs)"),
            upstream("U16", "is_unique(rhs_group_dimensions ++ rhs_batching_dimensions)"),
            upstream("U17", "is_unique(rhs_group_dimensions ++ rhs_contracting_dimensions)"),
            upstream("U18", "size(rhs_group_dimensions) = (is_batch or is_contracting ? 0 : 1)"),
            upstream(
                "U19",
                "if not is_batch and not is_contracting then dims(rhs, rhs_group_dimensions) = [groups]",
            ),
            upstream(
                "U20",
                "shape(result) = (is_contracting ? [groups] : []) ++ dims(lhs, lhs_batching_dimensions) "
                "++ dims(lhs, lhs_free_dimensions) ++ dims(rhs, rhs_free_dimensions)",
            ),
        ),
        traits=PURE,
        cost=CostRule(work="ragged_contraction"),
        example='%result = "chlo.ragged_dot"(%lhs, %rhs, %group_sizes) <{ragged_dot_dimension_numbers = '
        "#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
        "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> "
        ": (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>",
    ),
)
