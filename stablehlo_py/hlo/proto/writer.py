"""HLO text of a module that is stored as protobuf."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from typing import Any

from stablehlo_py.hlo.header import HEADER, frames_text
from stablehlo_py.hlo.kinds import PARSED
from stablehlo_py.hlo.literals import Literal, literal_text
from stablehlo_py.hlo.opcodes import COMMON, Opcode, opcodes
from stablehlo_py.hlo.proto.attributes import attribute_text, frontend_pairs, original_array, rows_of
from stablehlo_py.hlo.proto.shapes import LiteralError, literal_of, shape_text
from stablehlo_py.hlo.shapes import parsed
from stablehlo_py.hlo.texts import quoted
from stablehlo_py.layout.shape import Shape
from stablehlo_py.layout.text import ShapeError, parse_shape
from stablehlo_py.protobuf.messages import Message

_ODD = re.compile(r"[^\w.\-]", re.ASCII)
_ALIAS = ("output_shape_index", "parameter_number", "parameter_shape_index", "kind")
_KINDS = {"MAY_ALIAS": "may-alias", "MUST_ALIAS": "must-alias", "UNDEFINED_ALIAS": "may-alias"}


Known = dict[int, Message]  # the instructions of a computation by id


class BrokenModule(ValueError):
    """A module that refers to what it does not have, or has an unknown opcode."""


def _name(text: str) -> str:
    name = _ODD.sub("_", text)
    return name if name[:1].isalpha() or name[:1] == "_" else f"_{name}"


class ModuleText:
    """The text of a module, and the literals of its constants.

    Args:
        message: The HloModuleProto.

    Attributes:
        literals: The literals whose elements the text does not have, in the order of the text.
    """

    def __init__(self, message: Message) -> None:
        self.message = message
        self.literals: list[Literal] = []
        self.computations = {each["id"]: _name(each["name"]) for each in message["computations"]}
        self.sequences: dict[int, Any] = {}
        if message["schedule"] is not None:
            entries = message["schedule"]["sequences"]
            self.sequences = {
                e["key"]: e["value"]["instruction_ids"] for e in entries if e["value"] is not None
            }

    def text(self) -> str:
        """Return the text; raise BrokenModule or LiteralError if there is none."""
        message = self.message
        head = [f"HloModule {_name(message['name'] or 'module')}", *self._header()]
        parts = [", ".join(head), "\n", self._frames(), "\n"]
        entry = message["entry_computation_id"]
        if entry not in self.computations:
            raise BrokenModule(f"the entry is computation {entry}, which is missing")
        for computation in message["computations"]:
            is_entry = computation["id"] == entry
            parts += ["ENTRY " * is_entry, *self._computation(computation), "\n"]
        return "".join(parts)

    def _header(self) -> list[str]:
        message = self.message
        shape = message["host_program_shape"]
        found: dict[str, Any] = {
            "is_scheduled": message["schedule"] is not None,
            "input_output_alias": [
                (*each, _KINDS[kind]) for *each, kind in rows_of(self._entries("input_output_alias"), *_ALIAS)
            ],
            "buffer_donor": rows_of(self._entries("buffer_donor"), *_ALIAS[1:3]),
            "frontend_attributes": frontend_pairs(message["frontend_attributes"]),
        }
        text = [f"{name}={HEADER[name].write(value)}" for name, value in found.items() if value]
        if shape is not None and shape["result"] is not None:
            parameters = ", ".join(map(shape_text, shape["parameters"]))
            text.append(f"entry_computation_layout={{({parameters})->{shape_text(shape['result'])}}}")
        if rows := self._entries("original_value_recovery_table"):
            text.append(f"origin_recovery_table={{{' '.join(map(_recovery, rows))}}}")
        return text

    def _entries(self, name: str) -> Any:
        found = self.message[name]
        return found["entries"] if found is not None else ()

    def _frames(self) -> str:
        index = self.message["stack_frame_index"]
        if index is None or not index["stack_frames"]:
            return ""
        tables = {
            "FileNames": index["file_names"],
            "FunctionNames": index["function_names"],
            "FileLocations": index["file_locations"],
            "StackFrames": index["stack_frames"],
        }
        return frames_text({name: list(map(_row, table)) for name, table in tables.items()})

    # ------------------------------------------------------------------------------- computations

    def _computation(self, computation: Message) -> list[str]:
        instructions = {each["id"]: each for each in computation["instructions"]}
        order = self.sequences.get(computation["id"]) or _by_number(instructions)
        rows = opcodes()
        lines = [f"%{_name(computation['name'])} {{\n"]
        for number in order:
            if number not in instructions:
                raise BrokenModule(f"computation {computation['name']} has no instruction {number}")
            message = instructions[number]
            row = rows.get(message["opcode"])
            if row is None:
                raise BrokenModule(
                    f"instruction {message['name']} has the unknown opcode {message['opcode']!r}"
                )
            root = "ROOT " if number == computation["root_id"] else ""
            lines.append(f"  {root}{self._instruction(message, row, instructions)}\n")
        thread = computation["execution_thread"]
        named = f", execution_thread={quoted(thread)}" if thread not in ("", "main") else ""
        return [*lines, f"}}{named}\n"]

    def _instruction(self, message: Message, row: Opcode, known: Known) -> str:
        if message["shape"] is None:
            raise BrokenModule(f"instruction {message['name']} has no shape")
        shape = shape_text(message["shape"])
        text = f"%{_name(message['name'])} = {shape} {row.name}({self._operands(message, shape, known)})"
        called = [self._called(number, message) for number in message["called_computation_ids"]]
        for name, attribute in row.attributes.items():
            if attribute.kind in ("computation", "computations"):
                continue
            if attribute.kind == "literal":
                text += self._literal_attribute(message)
                continue
            if value := attribute_text(attribute, message):
                text += f", {name}={value}"
        text += _calls(row, called, message, known)
        for name, attribute in COMMON.items():
            if attribute.kind not in PARSED and (value := attribute_text(attribute, message)):
                text += f", {name}={value}"
        before = message["control_predecessor_ids"]
        if before:
            text += f", control-predecessors={{{', '.join(_named(known, each, message) for each in before)}}}"
        return text

    def _operands(self, message: Message, shape: str, known: Known) -> str:
        if message["opcode"] == "parameter":
            return str(message["parameter_number"])
        if message["opcode"] == "constant":
            return self._literal(message, _shape(shape))
        return ", ".join([_named(known, number, message) for number in message["operand_ids"]])

    def _literal(self, message: Message, shape: Shape) -> str:
        if message["literal"] is None:
            raise BrokenModule(f"constant {message['name']} has no literal")
        try:
            literal = literal_of(message["literal"], shape)
        except LiteralError as error:
            raise BrokenModule(f"constant {message['name']}: {error}") from None
        return self._literal_text(literal)

    def _literal_text(self, literal: Literal) -> str:
        if literal.shape.is_tuple:
            return f"({', '.join(map(self._literal_text, literal.parts))})"
        text = literal_text(literal)
        if text == "{...}":
            self.literals.append(literal)
        return text

    def _literal_attribute(self, message: Message) -> str:
        stored = message["literal"]
        if stored is None or stored["shape"] is None:
            return ""
        shape = shape_text(stored["shape"])
        return f", literal={shape} {self._literal(message, _shape(shape))}"

    def _called(self, number: int, message: Message) -> str:
        if number not in self.computations:
            raise BrokenModule(f"instruction {message['name']} calls computation {number}, which is missing")
        return f"%{self.computations[number]}"


def _by_number(instructions: Known) -> list[int]:
    """Return the ids of instructions in their order, as far as operands are before users."""
    before = {n: {*m["operand_ids"], *m["control_predecessor_ids"]} for n, m in instructions.items()}
    for number, operands in before.items():
        for operand in sorted(operands - instructions.keys()):
            _named(instructions, operand, instructions[number])
    sorter = TopologicalSorter(before)
    try:
        sorter.prepare()
    except CycleError:
        raise BrokenModule("instructions use each other in a circle") from None
    ready: list[int] = []
    order: list[int] = []
    while sorter.is_active():
        for number in sorter.get_ready():
            heappush(ready, number)
        order.append(heappop(ready))
        sorter.done(order[-1])
    return order


def _calls(row: Opcode, called: list[str], message: Message, known: Known) -> str:
    """Return the text of called computations, in the order of the attributes that name them."""
    if not called:
        return ""
    several = [name for name, found in row.attributes.items() if found.kind == "computations"]
    if several and not (row.name == "conditional" and _has_predicate(message, known)):
        return f", {several[0]}={{{', '.join(called)}}}"
    single = [name for name, found in row.attributes.items() if found.kind == "computation"]
    names = ("body", "condition") if row.name == "while" else single
    return "".join(f", {name}={value}" for name, value in zip(names, called, strict=False))


def _has_predicate(message: Message, known: Known) -> bool:
    """Test whether the first operand of a conditional is a predicate."""
    operand = known.get(next(iter(message["operand_ids"]), -1))
    shape = operand["shape"] if operand is not None else None
    return shape is not None and shape["element_type"] == "PRED"


def _named(known: Known, number: int, message: Message) -> str:
    if number not in known:
        raise BrokenModule(f"instruction {message['name']} uses instruction {number}, which is missing")
    return f"%{_name(known[number]['name'])}"


def _shape(text: str) -> Shape:
    try:
        return parse_shape(text) if text[0] == "(" else parsed(text)
    except ShapeError as error:
        raise BrokenModule(str(error)) from None


def _row(row: Any) -> Any:
    """Return a row of a table of stack frames; the text has the number of the caller plus 1."""
    if not isinstance(row, Message):
        return row
    return dict(row) | ({"parent_frame_id": row["parent_frame_id"] + 1} if "file_location_id" in row else {})


def _recovery(row: Message) -> str:
    text = f"{original_array(row['old_original_array'])}: {original_array(row['new_original_array'])}"
    module = row["recovery_module"]
    if module is None:
        return text
    if module["original_value_recovery_table"] is not None:
        raise BrokenModule("a module that recovers values recovers values by other modules")
    return f"{text}, {quoted(ModuleText(module).text())}"
