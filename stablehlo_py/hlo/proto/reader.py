"""Reader: HLO modules from protobuf."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.hlo.literals import Literal
from stablehlo_py.hlo.module import HloModule
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.hlo.proto.shapes import ShapeFault
from stablehlo_py.hlo.proto.writer import BrokenModule, ModuleText
from stablehlo_py.protobuf.messages import Schema
from stablehlo_py.protobuf.wire import DELIMITED, WireError, fields

Data = bytes | memoryview


@cache
def schema() -> Schema:
    """Return the schema of XLA's messages."""
    return Schema(Path(__file__).with_name("hlo.proto").read_text(encoding="utf-8"))


def read_proto(data: Data, name: str = "<bytes>") -> HloModule:
    """Read a module.

    Args:
        data: An `HloModuleProto`, or an `HloProto` or `HloSnapshot` that contains one.
        name: The file's name, for errors.

    Returns:
        The module. Its text, to which positions refer, is the one that `to_string` prints, but for the order
        of what it does not order, and without the elements of large constants.

    Raises:
        ParseError: If there is no module in the data, or it is invalid.
    """
    try:
        start, end = _module_range(data)
        text = ModuleText(schema().read("HloModuleProto", data, start, end))
        written = text.text()
    except WireError as error:
        raise _error(name, f"byte {error.offset}: {error.message}") from None
    except (BrokenModule, ShapeFault) as error:
        raise _error(name, str(error)) from None
    module = parse_hlo(written, name)
    _put_literals(module, iter(text.literals))
    return module


def _error(name: str, message: str) -> ParseError:
    return ParseError(name, [Diagnostic("error", "hlo.proto", message, 0, 0)])


def _module_range(data: Data) -> tuple[int, int]:
    """Return where the HloModuleProto is: alone, or in the first field of the messages around it."""
    start, end = 0, len(data)
    for _ in range(3):  # HloSnapshot.hlo, HloProto.hlo_module, HloModuleProto.name
        first = next(iter(fields(data, start, end)), None)
        if first is None or first[0] != 1 or first[1] != DELIMITED or not _is_message(data, *first[2:]):
            return start, end
        start, end = first[2:]
    return start, end


def _is_message(data: Data, start: int, end: int) -> bool:
    """Test whether a range is a message that begins with a name or another message, and no name itself."""
    try:
        return start < end and data[start] == 1 << 3 | DELIMITED and bool([*fields(data, start, end)])
    except WireError:
        return False


def _put_literals(module: HloModule, literals: Iterator[Literal]) -> None:
    for instruction in module.instructions():
        if isinstance(instruction.value, Literal) and instruction.value.is_elided:
            instruction.value = _filled(instruction.value, literals)
        elif isinstance(found := instruction.attributes.get("literal"), Literal) and found.is_elided:
            instruction.attributes["literal"] = _filled(found, literals)


def _filled(literal: Literal, literals: Iterator[Literal]) -> Literal:
    """Return a literal with the elements that the text does not have."""
    if literal.shape.is_tuple:
        return Literal(literal.shape, parts=tuple([_filled(part, literals) for part in literal.parts]))
    return literal if literal.array is not None else next(literals)
