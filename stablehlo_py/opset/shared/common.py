"""Forms, operands and constraints shared by the definitions of several ops."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    ANY,
    ANY_TENSOR,
    BOOLEAN,
    INDEX_ELEMENT,
    PER_TENSOR_TENSOR,
    SIGNED,
    TENSOR,
    TypeClass,
    any_rank,
)
from stablehlo_py.opset.definition import Attr, Constraint, OpDef, Operand, Result
from stablehlo_py.opset.traits import Trait

FUNCTIONAL_FORM = "operands attr-dict `:` functional-type(operands, results)"
UNARY_FORM = "$operand attr-dict `:` custom<same_operands_and_result_type>(type($operand), type($result))"
BINARY_FORM = (
    "$lhs `,` $rhs attr-dict `:` custom<same_operands_and_result_type>(type($lhs), type($rhs), type($result))"
)

PURE: frozenset[Trait] = frozenset({"pure"})
ELEMENTWISE: frozenset[Trait] = frozenset({"pure", "elementwise"})
SHAPED = any_rank(BOOLEAN, SIGNED, INDEX_ELEMENT) | TENSOR | any_rank(ANY)  # of a dialect beside StableHLO
OPERAND = Operand("operand", PER_TENSOR_TENSOR)
RESULT = Result("result", PER_TENSOR_TENSOR)
ANY_OPERAND = Operand("operand", ANY_TENSOR)
ANY_RESULT = Result("result", ANY_TENSOR)
INDICES = "1-dimensional tensor constant of type `si64`"

SAME_ELEMENT_TYPE = ("C1", "element_type(operand) = element_type(result)")
SAME_QUANTIZATION = Constraint(
    "U1",
    "if is_quantized(operand) then identical(element_type(operand), element_type(result))",
    why="Upstream also requires equal scales and zero points.",
    verdict="upstream",
)


def indices(name: str) -> Attr:
    """Return an input that is a constant list of indices or sizes."""
    return Attr(name, "array<i64>", type=INDICES)


def within_bounds(label: str, a: str, b: str) -> Constraint:
    """Return the constraint that no size of either tensor exceeds a bound of the other."""
    return Constraint(label, f"shape({a}) <= bounds({b}) and shape({b}) <= bounds({a})", verdict="upstream")


def moved_element_type(label: str) -> Constraint:
    """Return the constraint on a preserved element type, whose quantization dimension may change."""
    return Constraint(
        label,
        "if is_per_axis_quantized(operand) then element_type(result) = element_type(operand) and "
        "scales(result) = scales(operand) and zero_points(result) = zero_points(operand) "
        "else identical(element_type(result), element_type(operand))",
        spec="`element_type(result)` is given by:\n"
        "  * `element_type(operand)`, if `!is_per_axis_quantized(operand)`.\n"
        "  * `element_type(operand)` except that `quantization_dimension(operand)` and\n"
        "  `quantization_dimension(result)` may differ, otherwise.",
        why="prose",
    )


RESHAPE_CONSTRAINTS = (
    moved_element_type("C1"),
    Constraint("C2", "size(operand) = size(result)"),
    Constraint(
        "C3",
        "if is_per_axis_quantized(operand) then "
        "product(shape(operand)[:operand_axis]) = product(shape(result)[:result_axis]) and "
        "dim(operand, operand_axis) = dim(result, result_axis) and "
        "product(shape(operand)[operand_axis + 1:]) = product(shape(result)[result_axis + 1:])",
        spec="If `is_per_axis_quantized(operand)`:\n"
        "  * `reduce(dims(operand, [0, 1, ..., quantization_dimension(operand) - 1]),\n"
        "    init_values=1, dimensions=[0], body=lambda x, y: x * y) =\n"
        "    reduce(dims(result, [0, 1, ..., quantization_dimension(result) - 1]),\n"
        "    init_values=1, dimensions=[0], body=lambda x, y: x * y)`.\n"
        "  * `dim(operand, quantization_dimension(operand)) =\n"
        "    dim(result, quantization_dimension(result))`.\n"
        "  * `reduce(dims(operand,\n"
        "    [quantization_dimension(operand) + 1, ..., rank(operand) - 1]),\n"
        "    init_values=1, dimensions=[0], body=lambda x, y: x * y) =\n"
        "    reduce(dims(result,\n"
        "    [quantization_dimension(result) + 1, ..., rank(result) - 1]),\n"
        "    init_values=1, dimensions=[0], body=lambda x, y: x * y)`.",
        why="prose",
    ),
)
RESHAPE_WHERE = (
    ("operand_axis", "quantization_dimension(operand)"),
    ("result_axis", "quantization_dimension(result)"),
)

BROADCAST_CONSTRAINTS = (
    Constraint(
        "C1",
        "if is_per_axis_quantized(operand) then element_type(result) = element_type(operand) "
        "else identical(element_type(result), element_type(operand))",
        spec="`element_type(result)` is given by:\n"
        "  * `element_type(operand)`, if `!is_per_axis_quantized(operand)`.\n"
        "  * `element_type(operand)` except that `quantization_dimension(operand)`,\n"
        "  `scales(operand)`, and `zero_points(operand)` may differ from\n"
        "  `quantization_dimension(result)`, `scales(result)`, and `zero_points(result)`\n"
        "  resp., otherwise.",
        why="prose",
    ),
    Constraint("C2", "size(broadcast_dimensions) = rank(operand)"),
    Constraint("C3", "0 <= broadcast_dimensions < rank(result)"),
    Constraint("C4", "is_unique(broadcast_dimensions)"),
    Constraint(
        "C5",
        "for d in axes(operand) : "
        "dim(operand, d) = 1 or dim(operand, d) = dim(result, broadcast_dimensions[d])",
        spec="For all `d` in `axes(operand)`:\n"
        "  * `dim(operand, d) = 1` or\n"
        "  * `dim(operand, d) = dim(result, broadcast_dimensions[d])`.",
        why="prose",
    ),
    Constraint(
        "C6",
        "if is_per_axis_quantized(result) then "
        "quantization_dimension(result) = broadcast_dimensions[quantization_dimension(operand)] and "
        "(if dim(operand, quantization_dimension(operand)) = 1 then "
        "scales(result) = scales(operand)[0] and zero_points(result) = zero_points(operand)[0])",
        spec="If `is_per_axis_quantized(result)`:\n"
        "  * `quantization_dimension(result) = broadcast_dimensions[quantization_dimension(operand)]`.\n"
        "  * If `dim(operand, quantization_dimension(operand)) = 1`, then\n"
        "    `scales(result)[i] = scales(operand)[0] and zero_points(result)[i] =\n"
        "    zero_points(operand)[0] for i in\n"
        "    range(dim(result, quantization_dimension(result)))`.",
        why="prose",
    ),
)


def conversion(
    name: str,
    operand: TypeClass,
    result: TypeClass,
    doc: str,
    result_name: str = "",
    constraints: tuple[Constraint, ...] = (),
    *,
    types: str,
) -> OpDef:
    """Return the definition of a conversion, whose result type follows `to`, as in the example `types`."""
    return OpDef(
        name=name,
        doc=doc,
        inputs=(Operand("operand", operand),),
        outputs=(Result("result", result),),
        constraints=constraints,
        form="$operand attr-dict `:` type($operand) `to` type($result)",
        traits=PURE,
        result_name=result_name,
        example=f"%0 = {name} %a : {types}",
    )
