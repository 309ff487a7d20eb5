"""Shape rules of elementwise opcodes, tuples and calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stablehlo_py.hlo.module import Instruction
from stablehlo_py.hlo.rules.common import (
    PRED,
    RULES,
    S32,
    TOKEN_SHAPE,
    U32,
    U64,
    Rule,
    always_stated,
    array,
    joined,
    of_arrays,
    refuse,
    rule,
    rule_of_any,
    text,
    with_element,
)
from stablehlo_py.hlo.shapes import compatible, leaf_count, tuple_of, without_layout
from stablehlo_py.ir.types import ComplexType
from stablehlo_py.layout.elements import element_name
from stablehlo_py.layout.shape import Shape

_MOST_LEAVES = 1 << 16  # a tuple of equal tuples is twice as large with each instruction


@rule
def _real(_: Instruction, shapes: list[Shape]) -> Shape:
    (operand,) = shapes
    element = operand.element_type
    return with_element(operand, element.element_type if isinstance(element, ComplexType) else element)


@rule
def _complex(_: Instruction, shapes: list[Shape]) -> Shape:
    whole = joined(shapes)
    if element_name(whole.element_type) not in ("f32", "f64"):
        refuse(f"the operands must be f32 or f64, got {text(whole)}")
    return with_element(whole, ComplexType(whole.element_type))


@rule_of_any
def _select(_: Instruction, shapes: list[Shape]) -> Shape | None:
    predicate, *values = shapes
    if predicate.element_type is not PRED:
        refuse(f"operand 0 must be of pred, got {text(predicate)}")
    if not all(shape.is_array for shape in values):
        return without_layout(values[0])
    whole = joined(values)
    if predicate.rank and predicate.dimensions != whole.dimensions:
        refuse(f"operand 0 must be a scalar or of the size of {text(whole)}, got {text(predicate)}")
    return whole


@rule
def _clamp(_: Instruction, shapes: list[Shape]) -> Shape:
    low, value, high = shapes
    for name, bound in (("0", low), ("2", high)):
        if bound.element_type is not value.element_type or (
            bound.rank and bound.dimensions != value.dimensions
        ):
            refuse(f"operand {name} must be a scalar or of shape {text(value)}, got {text(bound)}")
    return without_layout(value)


@rule
def _converted(instruction: Instruction, shapes: list[Shape]) -> Shape:
    return with_element(shapes[0], always_stated(instruction).element_type)


@rule
def _map(instruction: Instruction, shapes: list[Shape]) -> Shape:
    whole = joined(shapes, element=False)
    return with_element(whole, instruction.attributes["to_apply"].root.shape.element_type)


@rule_of_any
def _tuple(_: Instruction, shapes: list[Shape]) -> Shape:
    if sum(map(leaf_count, shapes)) > _MOST_LEAVES:
        refuse(f"the tuple has more than {_MOST_LEAVES} arrays, in tuples of tuples")
    return tuple_of(tuple(shapes))


@rule_of_any
def _get_tuple_element(instruction: Instruction, shapes: list[Shape]) -> Shape:
    (operand,) = shapes
    return element_of(operand, instruction.attributes["index"])


def element_of(shape: Shape, index: int) -> Shape:
    """Return the shape of an element of a tuple, which must exist."""
    if not shape.is_tuple or not 0 <= index < len(shape.tuple_shapes):
        refuse(f"there is no element {index} in {text(shape)}")
    return shape.tuple_shapes[index]


def several(shapes: list[Shape]) -> Shape:
    """Return one shape, or the tuple of several, with default layouts."""
    plain = tuple(map(without_layout, shapes))
    return plain[0] if len(plain) == 1 else tuple_of(plain)


@rule_of_any
def _called(instruction: Instruction, shapes: list[Shape]) -> Shape:
    (_, computation), *_ = instruction.called
    takes(computation, shapes)
    return without_layout(computation.root.shape)


def takes(computation: Any, shapes: Sequence[Shape]) -> None:
    """Check that a computation takes arguments of these shapes."""
    parameters = [parameter.shape for parameter in computation.parameters]
    if len(parameters) != len(shapes):
        refuse(f"computation {computation.name} takes {len(parameters)} arguments, got {len(shapes)}")
    for number, (parameter, shape) in enumerate(zip(parameters, shapes, strict=True)):
        if not compatible(parameter, shape):
            refuse(
                f"parameter {number} of {computation.name} has shape {text(parameter)}, and the "
                f"argument {text(shape)}"
            )


@rule_of_any
def _conditional(instruction: Instruction, shapes: list[Shape]) -> Shape:
    branches = [computation for _, computation in instruction.called]
    if not branches:
        refuse("a branch is needed")
    for branch, shape in zip(branches, shapes[1:], strict=False):
        takes(branch, [shape])
        if not compatible(branch.root.shape, branches[0].root.shape):
            refuse(
                f"branches {branches[0].name} and {branch.name} must have equal results, got "
                f"{text(branches[0].root.shape)} and {text(branch.root.shape)}"
            )
    return without_layout(branches[0].root.shape)


@rule_of_any
def _while(instruction: Instruction, shapes: list[Shape]) -> Shape:
    condition, body = instruction.attributes["condition"], instruction.attributes["body"]
    takes(condition, shapes)
    takes(body, shapes)
    if not compatible(condition.root.shape, array(PRED, ())):
        refuse(f"condition {condition.name} must return pred[], got {text(condition.root.shape)}")
    (state,) = shapes
    if not compatible(body.root.shape, state):
        refuse(f"body {body.name} must return {text(state)}, got {text(body.root.shape)}")
    return without_layout(state)


def _from_shapes(make: Callable[[list[Shape]], Shape]) -> Rule:
    return lambda _, shapes: make(shapes)


_OF_ARRAYS: dict[str, Callable[[list[Shape]], Shape]] = {  # rules that look at the shapes of operands alone
    "batch_norm_training": lambda shapes: several([*shapes[:2], shapes[1]]),
    "binary": joined,
    "compare": lambda shapes: with_element(joined(shapes), PRED),
    "is_finite": lambda shapes: with_element(shapes[0], PRED),
    "rng_get_and_update_state": lambda shapes: array(U64, (2,)),
    "s32": lambda shapes: array(S32, ()),
    "same": lambda shapes: without_layout(shapes[0]),
    "scatter": lambda shapes: several(shapes[: len(shapes) // 2]),
    "second": lambda shapes: without_layout(shapes[1]),
    "u32": lambda shapes: array(U32, ()),
    "variadic": several,
}
_OF_ANY: dict[str, Callable[[list[Shape]], Shape]] = {
    "done0": lambda shapes: element_of(shapes[0], 0),
    "done1": lambda shapes: element_of(shapes[0], 1),
    "first": lambda shapes: without_layout(shapes[0]),
    "token": lambda shapes: TOKEN_SHAPE,
}
RULES.update({name: of_arrays(_from_shapes(make)) for name, make in _OF_ARRAYS.items()})
RULES.update({name: _from_shapes(make) for name, make in _OF_ANY.items()})
