"""Verifier: whether the shapes that a text states are those that operands and attributes imply.

XLA's parser believes the shapes in a text.
"""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.hlo.inference import ShapeMismatch, infer
from stablehlo_py.hlo.module import HloModule, Instruction
from stablehlo_py.hlo.shapes import compatible, has_order
from stablehlo_py.layout.shape import Shape


def verify_hlo(module: HloModule) -> list[Diagnostic]:
    """Check the shapes of a module.

    Args:
        module: The module.

    Returns:
        The errors, in the order of the text; [] if there are none.
    """
    found = [each for i in module.instructions() if (each := _error(module, i)) is not None]
    return sorted([*found, *_entry(module)], key=lambda each: (each.line, each.column))


def _error(module: HloModule, instruction: Instruction) -> Diagnostic | None:
    if not has_order(instruction.shape):
        return _diagnostic(module, instruction, _of_layout(instruction.shape))
    try:
        shape = infer(instruction)
    except ShapeMismatch as error:
        return _diagnostic(module, instruction, str(error))
    if shape is None or compatible(shape, instruction.shape) or _is_bounded(shape, instruction.shape):
        return None
    stated, inferred = instruction.shape.text(layout=False), shape.text(layout=False)
    return _diagnostic(module, instruction, f"the result is {inferred}, and the text states {stated}")


def _of_layout(shape: Shape) -> str:
    return f"the layout of {shape} must have each of the dimensions 0 to {shape.rank - 1} once"


def _is_bounded(inferred: Shape, stated: Shape) -> bool:
    """Test whether shapes differ in what is bounded only: a bound is lost or gained where a size is set."""
    if inferred.tuple_shapes or stated.tuple_shapes:
        pairs = zip(inferred.tuple_shapes, stated.tuple_shapes, strict=False)
        return len(inferred.tuple_shapes) == len(stated.tuple_shapes) and all(_is_bounded(*p) for p in pairs)
    return inferred.element_type is stated.element_type and inferred.dimensions == stated.dimensions


def _entry(module: HloModule) -> list[Diagnostic]:
    """Check the layout of the entry computation, whose shapes must be those of parameters and root."""
    layout = module.attributes.get("entry_computation_layout")
    if layout is None:
        return []
    stated = [*layout[0], layout[1]]
    places = [*module.entry.parameters, module.entry.root]
    pairs = list(zip(stated, places, strict=True))
    return [
        _diagnostic(module, place, f"entry_computation_layout: {_of_layout(shape)}")
        for shape, place in pairs
        if not has_order(shape)
    ] + [
        _diagnostic(
            module,
            place,
            f"entry_computation_layout has {shape.text(layout=False)} for this, and the shape is "
            f"{place.shape.text(layout=False)}",
        )
        for shape, place in pairs
        if not compatible(shape, place.shape)
    ]


def _diagnostic(module: HloModule, instruction: Instruction, message: str) -> Diagnostic:
    line, column = module.position(instruction)
    operands = [f"{each.name} has shape {each.shape.text(layout=False)}" for each in instruction.operands[:8]]
    return Diagnostic("error", "hlo.shape", f"{instruction.opcode}: {message}", line, column, tuple(operands))
