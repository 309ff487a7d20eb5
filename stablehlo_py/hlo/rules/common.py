"""What shape rules share: the registry of rules, and arithmetic on shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from stablehlo_py.hlo.module import Instruction
from stablehlo_py.ir.types import Type
from stablehlo_py.layout.elements import element_type
from stablehlo_py.layout.shape import Shape

Rule = Callable[[Instruction, list[Shape]], Shape | None]
Sizes = Sequence[int | None]
PRED, S32, U32, U64 = (element_type(name) for name in ("pred", "s32", "u32", "u64"))
TOKEN_SHAPE = Shape.token()
RULES: dict[str, Rule] = {}


def of_arrays(function: Rule) -> Rule:
    """Return a rule whose operands must be arrays."""

    def checked(instruction: Instruction, shapes: list[Shape]) -> Shape | None:
        arrays(shapes)
        return function(instruction, shapes)

    return checked


def rule(function: Rule) -> Rule:
    """Register a function as the rule of its name in the rows of opcodes, whose operands are arrays."""
    RULES[function.__name__[1:]] = of_arrays(function)
    return function


def rule_of_any(function: Rule) -> Rule:
    """Register a function as the rule of its name, whose operands may be tuples and tokens."""
    RULES[function.__name__[1:]] = function
    return function


class ShapeMismatch(Exception):
    """Operands, attributes and shape of an instruction contradict each other; the message says how."""


def refuse(message: str) -> NoReturn:
    """Raise the error for operands that contradict each other."""
    raise ShapeMismatch(message)


def array(element: Type, sizes: Sizes, dynamic: Sequence[bool] = ()) -> Shape:
    """Return the shape of an array."""
    for number, size in enumerate(sizes):
        if size is not None and size < 0:
            refuse(f"dimension {number} of the result has negative size {size}")
    return Shape(element, tuple(sizes), dynamic=tuple(dynamic))


def with_element(shape: Shape, element: Type) -> Shape:
    """Return a shape with another element type."""
    return array(element, shape.dimensions, shape.dynamic)


def text(shape: Shape) -> str:
    """Return a shape as messages show it."""
    return shape.text(layout=False)


def arrays(shapes: Sequence[Shape]) -> None:
    """Check that operands are arrays."""
    for number, shape in enumerate(shapes):
        if not shape.is_array:
            refuse(f"operand {number} must be an array, got {text(shape)}")


def dimension_of(shape: Shape, number: int, what: str) -> int | None:
    """Return the size of a dimension, which must exist."""
    if not 0 <= number < shape.rank:
        refuse(f"{what} {number} is out of range for {text(shape)}")
    return shape.dimensions[number]


def dimensions_of(shape: Shape, numbers: Sequence[int], what: str) -> None:
    """Check that dimensions exist, each once."""
    for number in numbers:
        dimension_of(shape, number, what)
    if len(set(numbers)) < len(numbers):
        refuse(f"{what}={{{','.join(map(str, numbers))}}} repeats a dimension")


def joined(shapes: Sequence[Shape], element: bool = True) -> Shape:
    """Return the shape of elementwise operands, which must be equal but for bounds and float types."""
    arrays(shapes)
    first = shapes[0]
    for number, other in enumerate(shapes[1:], 1):
        agree = first.dimensions == other.dimensions and (
            not element or first.element_type is other.element_type
        )
        if not agree:
            refuse(f"operands 0 and {number} must have equal shapes, got {text(first)} and {text(other)}")
    dynamic = [any(flags) for flags in zip(*(shape.dynamic for shape in shapes), strict=True)]
    return array(first.element_type, first.dimensions, dynamic)


def stated(instruction: Instruction) -> Shape | None:
    """Return the shape that the text states, which must be an array; None while the parser infers it."""
    shape: Shape | None = instruction.shape
    return shape and always_stated(instruction)


def always_stated(instruction: Instruction) -> Shape:
    """Return the shape of an opcode whose text always states it, which must be an array."""
    if not instruction.shape.is_array:
        refuse(f"the result must be an array, got {text(instruction.shape)}")
    return instruction.shape
