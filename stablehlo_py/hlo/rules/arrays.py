"""Shape rules of opcodes that change the shape or the order of elements."""

from __future__ import annotations

from stablehlo_py.hlo.module import Instruction
from stablehlo_py.hlo.rules.common import (
    always_stated,
    array,
    dimension_of,
    dimensions_of,
    refuse,
    rule,
    stated,
    text,
    with_element,
)
from stablehlo_py.hlo.shapes import without_layout
from stablehlo_py.layout.elements import XLA_TYPES
from stablehlo_py.layout.shape import Shape


@rule
def _broadcast(instruction: Instruction, shapes: list[Shape]) -> Shape | None:
    (operand,), numbers = shapes, instruction.attributes["dimensions"]
    if len(numbers) != operand.rank:
        refuse(f"dimensions= must have {operand.rank} numbers for {text(operand)}, got {len(numbers)}")
    result = stated(instruction)
    if result is None:
        return operand if not operand.rank else None
    for number, to in enumerate(numbers):
        if dimension_of(result, to, "dimension") != operand.dimensions[number]:
            refuse(
                f"dimension {number} of {text(operand)} has size {operand.dimensions[number]}, "
                f"and dimension {to} of "
                f"{text(result)} has {result.dimensions[to]}"
            )
    return with_element(result, operand.element_type)


@rule
def _transpose(instruction: Instruction, shapes: list[Shape]) -> Shape:
    (operand,), order = shapes, instruction.attributes["dimensions"]
    if sorted(order) != list(range(operand.rank)):
        refuse(f"dimensions={list(order)} is no permutation of the dimensions of {text(operand)}")
    return array(
        operand.element_type, [operand.dimensions[n] for n in order], [operand.dynamic[n] for n in order]
    )


@rule
def _reshape(instruction: Instruction, shapes: list[Shape]) -> Shape:
    result, (operand,) = always_stated(instruction), shapes
    if operand.is_static and result.is_static and operand.size != result.size:
        refuse(f"{text(operand)} has {operand.size} elements, and {text(result)} has {result.size}")
    return with_element(result, operand.element_type)


@rule
def _bitcast(instruction: Instruction, shapes: list[Shape]) -> Shape | None:
    result, (operand,) = always_stated(instruction), shapes
    if not operand.is_static or not result.is_static:
        return None
    sizes = [s.size * XLA_TYPES[s.element_type].width for s in (operand, result)]
    if sizes[0] != sizes[1]:
        refuse(f"{text(operand)} has {sizes[0]} bits, and {text(result)} has {sizes[1]}")
    return without_layout(result)


@rule
def _bitcast_convert(instruction: Instruction, shapes: list[Shape]) -> Shape:
    result, (operand,) = always_stated(instruction), shapes
    before, after = XLA_TYPES[operand.element_type].width, XLA_TYPES[result.element_type].width
    sizes = list(operand.dimensions)
    if before > after:
        sizes.append(before // after)
    elif before < after and (not sizes or sizes.pop() != after // before):
        refuse(f"the last dimension of {text(operand)} must have size {after // before}")
    return array(result.element_type, sizes)


@rule
def _concatenate(instruction: Instruction, shapes: list[Shape]) -> Shape:
    (number,) = instruction.attributes["dimensions"]
    total: int | None = 0
    head = shapes[0]
    for shape in shapes:
        size = dimension_of(shape, number, "dimension")
        total = None if total is None or size is None else total + size
        rest = [s for n, s in enumerate(shape.dimensions) if n != number]
        if (
            rest != [s for n, s in enumerate(head.dimensions) if n != number]
            or shape.element_type is not head.element_type
        ):
            refuse(f"operands must agree but in dimension {number}, got {text(head)} and {text(shape)}")
    sizes = [total if n == number else size for n, size in enumerate(head.dimensions)]
    return array(head.element_type, sizes, [any(f) for f in zip(*(s.dynamic for s in shapes), strict=True)])


@rule
def _reverse(instruction: Instruction, shapes: list[Shape]) -> Shape:
    (operand,) = shapes
    dimensions_of(operand, instruction.attributes["dimensions"], "dimensions")
    return without_layout(operand)


@rule
def _slice(instruction: Instruction, shapes: list[Shape]) -> Shape:
    (operand,) = shapes
    sizes: list[int | None] = []
    parts = instruction.attributes["slice"]
    if len(parts) != operand.rank:
        refuse(f"slice= must have {operand.rank} dimensions for {text(operand)}, got {len(parts)}")
    for number, ((start, limit, stride), size) in enumerate(zip(parts, operand.dimensions, strict=True)):
        if not 0 <= start <= limit <= (limit if size is None else size) or stride < 1:
            refuse(f"[{start}:{limit}:{stride}] is no slice of dimension {number} of {text(operand)}")
        sizes.append(-(-(limit - start) // stride))
    whole = [part == (0, size, 1) for part, size in zip(parts, operand.dimensions, strict=True)]
    return array(operand.element_type, sizes, [a and b for a, b in zip(whole, operand.dynamic, strict=True)])


@rule
def _dynamic_slice(instruction: Instruction, shapes: list[Shape]) -> Shape:
    operand, sizes = shapes[0], instruction.attributes["dynamic_slice_sizes"]
    if len(sizes) != operand.rank or any(
        s > (d or s) for s, d in zip(sizes, operand.dimensions, strict=False)
    ):
        refuse(f"dynamic_slice_sizes={list(sizes)} does not fit {text(operand)}")
    return array(operand.element_type, sizes)


@rule
def _pad(instruction: Instruction, shapes: list[Shape]) -> Shape:
    operand, pads = shapes[0], instruction.attributes["padding"]
    if len(pads) != operand.rank:
        refuse(f"padding= must have {operand.rank} dimensions for {text(operand)}, got {len(pads)}")
    sizes: list[int | None] = []
    for (low, high, inner), size in zip(pads, operand.dimensions, strict=True):
        padded = None if size is None else low + high + size + inner * max(size - 1, 0)
        sizes.append(padded)
        if inner < 0 or (padded is not None and padded < 0):
            refuse(f"padding {low}_{high}_{inner} does not fit size {size} of {text(operand)}")
    return array(operand.element_type, sizes, operand.dynamic)


@rule
def _iota(instruction: Instruction, _: list[Shape]) -> Shape | None:
    result = stated(instruction)
    if result is not None:
        dimension_of(result, instruction.attributes["iota_dimension"], "iota_dimension")
    return result and without_layout(result)


@rule
def _set_dimension_size(instruction: Instruction, shapes: list[Shape]) -> Shape:
    operand, (number,) = shapes[0], instruction.attributes["dimensions"]
    dimension_of(operand, number, "dimension")
    return array(
        operand.element_type, operand.dimensions, [d or n == number for n, d in enumerate(operand.dynamic)]
    )
