"""Checks of the parser: what XLA's own parser refuses, beyond the grammar. Shapes are the verifier's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.hlo.kinds import default_of
from stablehlo_py.hlo.module import Computation, HloModule, Instruction
from stablehlo_py.hlo.opcodes import ASYNC_SUFFIXES, Attribute, Opcode
from stablehlo_py.hlo.rules.common import text
from stablehlo_py.hlo.shapes import compatible, part_of
from stablehlo_py.layout.shape import Shape
from stablehlo_py.syntax.errors import SourceError

Places = tuple[int, int, int]  # the offsets of operands, attributes and of what follows
Check = Callable[[Instruction, Places], None]
START, UPDATE, DONE = (f"async-{suffix}" for suffix in ASYNC_SUFFIXES)


def check_instruction(instruction: Instruction, places: Places) -> None:
    """Check an instruction, and fill in the attributes that are always printed.

    Args:
        instruction: The instruction. Its shape is None if the text omits it.
        places: Where its operands, its attributes and what follows it are.
    """
    rule = _CHECKS.get(instruction.opcode)
    attributes = instruction.attributes
    row = instruction.row
    for name in row.required:
        if name not in attributes:
            raise SourceError(places[1], f"{row.name} needs the attribute {name}")
    if rule is not None:
        rule(instruction, places)
    for name, attribute in row.always:
        if name not in attributes:
            attributes[name] = default_of(attribute.kind)


def _refuse(at: int, message: str) -> NoReturn:
    raise SourceError(at, message)


def _broadcast(instruction: Instruction, places: Places) -> None:
    operand = instruction.operand.shape
    if "dimensions" not in instruction.attributes and operand.rank:
        _refuse(places[1], f"broadcast of {text(operand)} needs the attribute dimensions")


def _map(instruction: Instruction, _: Places) -> None:
    rank = instruction.operands[0].shape.rank if instruction.operands else 0
    instruction.attributes["dimensions"] = tuple(range(rank))


def _has_operands(instruction: Instruction, places: Places) -> None:
    if len(instruction.operands) < (least := instruction.row.least):
        _refuse(places[0], f"{instruction.opcode} takes at least {counted(least, 'operand')}")


def _tuple_element(instruction: Instruction, places: Places) -> None:
    """Check an element of a tuple that is made here; XLA's parser looks at no other."""
    operands, index = instruction.operands, instruction.attributes["index"]
    made = operands[0] if operands and operands[0].opcode == "tuple" else None
    if made is not None and not 0 <= index < len(made.operands):
        _refuse(places[1], f"there is no element {index} in {text(made.shape)}")


def _reduce(instruction: Instruction, places: Places) -> None:
    if len(instruction.operands) % 2:
        _refuse(
            places[0],
            f"reduce takes inputs and as many initial values, got {len(instruction.operands)} operands",
        )


def _compare(instruction: Instruction, _: Places) -> None:
    """Remove the type of a comparison if the operands imply it."""
    implied = {"integer": "SIGNED", "boolean": "UNSIGNED"}.get(
        literal_of(instruction.operands[0].shape), "FLOAT"
    )
    name = instruction.operands[0].shape.text(layout=False)
    implied = "UNSIGNED" if implied == "SIGNED" and name[0] == "u" else implied
    if instruction.attributes.get("type") == implied:
        del instruction.attributes["type"]


def literal_of(shape: Shape) -> str:
    """Return the class of an array's elements: boolean, integer, float or complex; "" for others."""
    from stablehlo_py.layout.elements import XLA_TYPES

    row = XLA_TYPES.get(shape.element_type)
    return row.literal if row else ""


def _custom_call(instruction: Instruction, places: Places) -> None:
    attributes = instruction.attributes
    if "to_apply" in attributes:
        attributes["called_computations"] = (attributes.pop("to_apply"),)
    constraints = attributes.get("operand_layout_constraints")
    if constraints is None:
        return
    operands = instruction.operands
    if len(constraints) != len(operands):
        _refuse(
            places[2], f"{len(operands)} operands need as many layout constraints, got {len(constraints)}"
        )
    for number, (constraint, operand) in enumerate(zip(constraints, operands, strict=True)):
        if not compatible(constraint, operand.shape):
            _refuse(
                places[2],
                f"the layout constraint {constraint} of operand {number} does not fit its shape "
                f"{operand.shape}",
            )


def _branches(index: Shape) -> tuple[str, ...]:
    """Return the attributes that name the branches of a conditional."""
    is_predicate = literal_of(index) == "boolean"
    return ("true_computation", "false_computation") if is_predicate else ("branch_computations",)


def accepted_by(row: Opcode, operands: tuple[Instruction, ...]) -> dict[str, Attribute]:
    """Return the attributes that an instruction with these operands may have."""
    if row.name != "conditional" or not operands:
        return row.accepted
    others = {name for name, found in row.attributes.items() if found.kind.startswith("computation")}
    others.difference_update(_branches(operands[0].shape))
    return {name: found for name, found in row.accepted.items() if name not in others}


def _conditional(instruction: Instruction, places: Places) -> None:
    if not instruction.operands:
        _refuse(places[0], "conditional takes an index or predicate first, got no operands")
    index = instruction.operands[0].shape
    if index.rank or not index.is_array:
        _refuse(places[0], f"the first operand must be a scalar, got {text(index)}")
    if text(index) not in ("pred[]", "s32[]"):
        _refuse(places[0], f"the first operand must be pred[] or s32[], got {text(index)}")
    for name in _branches(index):
        if name not in instruction.attributes:
            _refuse(places[1], f"conditional on {text(index)} needs the attribute {name}")
    if len(instruction.called) != len(instruction.operands) - 1:
        count = len(instruction.operands) - 1
        _refuse(places[0], f"{len(instruction.called)} branches need as many operands, got {count}")


def _completed(instruction: Instruction, places: Places) -> None:
    """Check that a transfer is completed on the channel on which it was started."""
    start, channel = instruction.operands[0], instruction.attributes.get("channel_id")
    used = start.attributes.get("channel_id")
    if start.opcode == instruction.opcode.removesuffix("-done") and channel != used:
        stated = f"channel_id={used}" if used is not None else "no channel_id="
        _refuse(places[0], f"{instruction.opcode} must have {stated} as {start.name}")


def _received(instruction: Instruction, places: Places) -> None:
    """Take the first element of the shape that is stated or operand's; the others are known."""
    if instruction.opcode == "recv-done":
        _completed(instruction, places)
    found = instruction.operands[0].shape if instruction.opcode == "recv-done" else instruction.shape
    if found is None or not found.is_tuple or not found.tuple_shapes:
        _refuse(places[0], "the result must be a tuple of an array, u32[] and token[]")
    context = () if instruction.opcode == "recv-done" else (Shape.parse("u32[]"),)
    instruction.shape = Shape.tuple_of((found.tuple_shapes[0], *context, Shape.token()))


def _sent(instruction: Instruction, _: Places) -> None:
    sent = instruction.operands[0].shape
    instruction.shape = Shape.tuple_of((sent, Shape.parse("u32[]"), Shape.token()))


def _scan(instruction: Instruction, places: Places) -> None:
    _has_operands(instruction, places)
    (number,), carries = instruction.attributes["dimensions"], instruction.attributes["num_carries"]
    inputs = instruction.operands[: len(instruction.operands) - carries]
    for operand in inputs:
        if not 0 <= number < operand.shape.rank:
            _refuse(
                places[1],
                f"dimension {number} is out of range for operand {operand.name} of {text(operand.shape)}",
            )


# ------------------------------------------------------------------------------- asynchronous forms


def start_of(instruction: Instruction) -> Instruction | None:
    """Return the start that an asynchronous update or completion belongs to."""
    while instruction.opcode in (UPDATE, DONE) and len(instruction.operands) == 1:
        instruction = instruction.operands[0]
    return instruction if instruction.opcode == START else None


def _async_start(instruction: Instruction, places: Places) -> None:
    shape = instruction.shape
    if not shape.is_tuple or len(shape.tuple_shapes) < 2 or not shape.tuple_shapes[0].is_tuple:
        _refuse(places[0], f"the result must be ((operands), results, state...), got {text(shape)}")
    computation = instruction.attributes["calls"]
    computation.thread = instruction.attributes.get("async_execution_thread", computation.thread)
    for called in [computation for _, computation in computation.root.called]:
        called.thread = computation.thread
    _passed_on(instruction, computation)


def _passed_on(instruction: Instruction, computation: Computation) -> None:
    """Give the frontend attributes of an asynchronous form to what it executes, as XLA's parser does."""
    if "frontend_attributes" in instruction.attributes:
        given = {"frontend_attributes": instruction.attributes["frontend_attributes"]}
        computation.root.attributes = computation.root.attributes | given


def _async_rest(instruction: Instruction, places: Places) -> None:
    start = start_of(instruction)
    if start is None:
        _refuse(places[0], f"{instruction.opcode} takes the result of {START} or {UPDATE}")
    operand = instruction.operands[0]
    if instruction.opcode == UPDATE and instruction.shape != operand.shape:
        _refuse(
            places[0],
            f"the result must be {text(operand.shape)} as that of {operand.name}, got "
            f"{text(instruction.shape)}",
        )
    calls = instruction.attributes.pop("calls", start.attributes["calls"])
    if calls is not start.attributes["calls"]:
        _refuse(
            places[2],
            f"{start.name} starts {start.attributes['calls'].name}, and this completes {calls.name}",
        )
    _passed_on(instruction, calls)


_CHECKS: dict[str, Check] = {
    "broadcast": _broadcast,
    "map": _map,
    "compare": _compare,
    "custom-call": _custom_call,
    "conditional": _conditional,
    "recv": _received,
    "recv-done": _received,
    "send": _sent,
    "send-done": _completed,
    "scan": _scan,
    "reduce": _reduce,
    "get-tuple-element": _tuple_element,
    "dynamic-reshape": _has_operands,
    "dynamic-slice": _has_operands,
    "dynamic-update-slice": _has_operands,
    "scatter": _has_operands,
    START: _async_start,
    UPDATE: _async_rest,
    DONE: _async_rest,
}


# ------------------------------------------------------------------------------- modules


def check_module(module: HloModule) -> None:
    """Check what several instructions, or the attributes of the module and its entry, must agree on."""
    started: dict[int, Instruction] = {}
    for instruction in module.instructions():
        if instruction.opcode == START:
            computation = instruction.attributes["calls"]
            other = started.setdefault(id(computation), instruction)
            if other is not instruction:
                _refuse(
                    instruction.offset, f"computation {computation.name} is started by {other.name} already"
                )
    entry = module.entry
    parameters = [parameter.shape for parameter in entry.parameters]
    at = len(module.source.text)
    aliases: list[Any] = [*module.attributes.get("input_output_alias", ())]
    for output, number, index, _ in aliases:
        if part_of(entry.root.shape, output) is None:
            _refuse(
                at,
                f"input_output_alias names element {output} of the result, which is {text(entry.root.shape)}",
            )
        _has_parameter(parameters, number, index, at, "input_output_alias")
    for number, index in module.attributes.get("buffer_donor", ()):
        _has_parameter(parameters, number, index, at, "buffer_donor")
    layout = module.attributes.get("entry_computation_layout")
    if layout is not None and len(layout[0]) != len(parameters):
        _refuse(
            at,
            f"entry_computation_layout has {len(layout[0])} parameters, and {entry.name} has "
            f"{len(parameters)}",
        )


def _has_parameter(parameters: list[Shape], number: int, index: tuple[int, ...], at: int, what: str) -> None:
    if not 0 <= number < len(parameters):
        _refuse(at, f"{what} names parameter {number} of {len(parameters)}")
    if part_of(parameters[number], index) is None:
        _refuse(
            at, f"{what} names element {index} of parameter {number}, which is {text(parameters[number])}"
        )
