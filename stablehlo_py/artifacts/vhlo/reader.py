"""Reader of VHLO's text: the parser's generic ops with VHLO's attributes and types become StableHLO's."""

from __future__ import annotations

import re

from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.artifacts.vhlo.forms import form, unknown_op
from stablehlo_py.artifacts.vhlo.mapping import to_stablehlo
from stablehlo_py.artifacts.vhlo.mixed import erase_casts
from stablehlo_py.artifacts.vhlo.parse_text import parse_text
from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.ir.attributes import ArrayAttr, Attribute, OpaqueAttr, TypeAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import FunctionType, OpaqueType, Type
from stablehlo_py.opset.definition import lookup
from stablehlo_py.syntax.parser import parse_module
from stablehlo_py.syntax.read.properties import split_properties

_OP = re.compile(r'^[^"/\n]*"?vhlo\.\w+_v\d', re.MULTILINE)
_STRING = r'"(?:[^"\\]|\\.)*"'
_MARK = re.compile(rf"{_STRING}|//[^\n]*|\bvhlo\.func_v1\b|[{{}}]")
_HEADER = re.compile(rf"vhlo\.func_v1\s+@([\w$.-]+|{_STRING})\s*\(")
_ARROW = re.compile(r"\s*->\s*\(")
_OPENING = re.compile(r"\s*\{")
_BRACKETS = re.compile(rf"{_STRING}|//[^\n]*|->|[(){{}}]")
_RESULTS = "result_types"  # the attribute that holds the result types of a function's header


def is_vhlo(text: str) -> bool:
    """Return True if text is a program in the VHLO dialect."""
    return "vhlo." in text and _OP.search(text) is not None


def read_vhlo(
    text: str,
    name: str,
    first_line: int = 1,
    allow_unregistered: bool = False,
    *,
    allow_newer: bool = False,
) -> Module:
    """Return the StableHLO module of text in the VHLO dialect.

    Args:
        text: The text.
        name: The name of the file, for messages.
        first_line: The number of the first line, for messages.
        allow_unregistered: Whether ops of unknown dialects are accepted.
        allow_newer: Whether undefined ops of known dialects are, too.

    Raises:
        ParseError: The text is invalid.
    """
    module = parse_module(_generic(text), name, True, first_line, allow_newer=allow_newer)
    found = []
    for op in list(module.walk()):
        try:
            convert_op(op, allow_unregistered)
        except (Fault, ValueError, TypeError) as error:
            found.append(Diagnostic("error", "parse", str(error), *module.position(op)))
    if found:
        raise ParseError(name, found)
    erase_casts(module.op)
    return module


def _generic(text: str) -> str:
    """Return text whose functions are in generic form, with the same lines."""
    parts: list[str] = []
    ends: list[tuple[int, str]] = []
    at = depth = 0
    while (match := _MARK.search(text, at)) is not None:
        parts.append(text[at : match.start()])
        mark, at = match[0], match.end()
        if mark == "vhlo.func_v1" and (header := _header(text, match.start())) is not None:
            opening, attributes, at = header
            ends.append((depth, attributes))
            depth += 1
            parts.append(opening)
            continue
        parts.append(mark)
        depth += (mark == "{") - (mark == "}")
        if mark == "}" and ends and ends[-1][0] == depth:
            at = _close(text, at, ends.pop()[1], parts)
    return "".join(parts) + text[at:]


def _header(text: str, at: int) -> tuple[str, str, int] | None:
    """Return the generic opening of a function, its attributes as text, and the end of its header."""
    match = _HEADER.match(text, at)
    if match is None:
        return None
    end = _closing(text, match.end())
    arrow = _ARROW.match(text, end + 1)
    if arrow is None:
        return None
    last = _closing(text, arrow.end())
    opening = _OPENING.match(text, last + 1)
    if opening is None:
        return None
    arguments, results = text[match.end() : end], text[arrow.end() : last]
    symbol = match[1] if match[1].startswith('"') else f'"{match[1]}"'
    label = f" ^bb0({arguments}):" if arguments.strip() else ""
    return f'"vhlo.func_v1"() ({{{label}', f"sym_name = {symbol}, {_RESULTS} = [{results}]", opening.end()


def _closing(text: str, at: int) -> int:
    """Return the offset of the bracket that closes the one before `at`; the end of the text if none does."""
    depth = 0
    for match in _BRACKETS.finditer(text, at):
        depth += (match[0] in "({") - (match[0] in ")}")
        if depth < 0:
            return match.start()
    return len(text)


def _close(text: str, at: int, attributes: str, parts: list[str]) -> int:
    """Write the end of a function in generic form; return the end of its attributes."""
    opening = _OPENING.match(text, at)
    inside, end = "", at
    if opening is not None:
        end = _closing(text, opening.end()) + 1
        inside = text[opening.end() : end - 1]
    separator = ", " if inside.strip() else ""
    parts.append(f") {{{attributes}{separator}{inside}}} : () -> ()")
    return end


def convert_op(op: Operation, allow_unregistered: bool) -> None:
    """Turn an op of VHLO into that of StableHLO; ops of other dialects stay as they are."""
    values = [*op.results]
    arguments = [a for region in op.regions for block in region.blocks for a in block.arguments]
    for value in (*values, *arguments):
        value.type = _type(value.type)
    found = form(op.name)
    if found is None:
        if op.name.startswith("vhlo."):
            raise ValueError(unknown_op(op.name))
        if lookup(op.name) is None and not allow_unregistered:
            raise ValueError(f"unregistered operation '{op.name}'")
        return
    given = {name: _attribute(value) for name, value in (op.properties | op.attributes).items()}
    if found.op == "func.func":
        _set_header(op, given)
    stored = {name: given.pop(name) for name in found.attributes if name in given}
    missing = [name for name in found.attributes if name not in stored]
    if missing:
        raise ValueError(f"{op.name} has no attribute {', '.join(missing)}, and is not valid without it")
    definition = lookup(found.op)
    assert definition is not None
    properties = to_stablehlo(definition, found, stored)
    op.attributes, op.properties = split_properties(given, properties, definition)
    is_return = found.op == "func.return"
    in_region = is_return and op.parent_op is not None and op.parent_op.name != "func.func"
    op.name = "stablehlo.return" if in_region else found.op


def _set_header(op: Operation, given: dict[str, Attribute]) -> None:
    """Set the type of a function from its arguments and the result types of its header."""
    results = given.pop(_RESULTS, ArrayAttr(()))
    blocks = op.regions[0].blocks if op.regions else []
    types = [item.value for item in getattr(results, "value", ()) if isinstance(item, TypeAttr)]
    inputs = tuple([_type(argument.type) for argument in blocks[0].arguments]) if blocks else ()
    given.setdefault("function_type", TypeAttr(FunctionType(inputs, tuple(types))))


def _attribute(value: Attribute) -> Attribute:
    match value:
        case OpaqueAttr(text) if text.startswith("#vhlo"):
            found: Attribute = parse_text(text)
            return found
        case ArrayAttr(items):
            return ArrayAttr(tuple([_attribute(item) for item in items]))
        case TypeAttr(type):
            return TypeAttr(_type(type))
    return value


def _type(type: Type) -> Type:
    if isinstance(type, OpaqueType) and type.text.startswith("!vhlo."):
        found: Type = parse_text(type.text)
        return found
    return type
