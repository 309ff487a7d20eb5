"""The grammar of the whole language: the files of `grammar/`, and the rules added by definitions.

Definitions add a rule for each distinct pretty form, and names: ops, structures, enumerations and floating-
point types. The result is plain Lark, whose own lexer and LALR parser load it and parse every program.
`lexer` uses the same patterns and `parse_loop` the same table, see `tables`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from stablehlo_py.grammar import grammar_folder
from stablehlo_py.ir.element_types import FLOATS
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand
from stablehlo_py.opset.kinds import Kind
from stablehlo_py.opset.structures import ENUMS, STRUCT_ALIASES, STRUCTS
from stablehlo_py.syntax.forms.assembly_format import (
    AllOperands,
    AttrDict,
    Directive,
    Element,
    FunctionalType,
    Literal,
    Optional,
    Ref,
    TypeOf,
    parse_form,
)

SHORT_DIALECTS = ("func.", "builtin.")  # their ops may be written without the dialect
STRUCT_NAMES = frozenset(f"#{name}" for name in (*STRUCTS, *STRUCT_ALIASES, *ENUMS))
DIALECT_NAMES = frozenset(name.partition(".")[0] for name in STRUCT_NAMES)
FILES = ("program", "types", "constants_and_attributes", "shardings", "locations", "forms", "lexical")
_HEAD = """// The grammar of StableHLO programs, with MLIR's surroundings and the pretty forms of all ops.
//
// In Python: Lark(text, parser="lalr", start="program", maybe_placeholders=True)
"""


def grammar_text(definitions: Iterable[OpDef]) -> tuple[str, dict[str, str]]:
    """Return the whole grammar, and each op's terminal.

    Args:
        definitions: Ops whose pretty forms the grammar has. Ops whose forms have the same syntax share a rule
            and its first terminal.

    Returns:
        The text of a Lark grammar whose start symbol is `program`, and the terminal of each op by its name.
    """
    texts = [_HEAD, *((grammar_folder() / f"{name}.lark").read_text("utf-8") for name in FILES)]
    rules: dict[str, str] = {}  # body -> name
    ops: dict[str, str] = {}
    for definition in definitions:
        if definition.form is not None:
            body = form_syntax(definition)
            name = rules.setdefault(body, definition.name.replace(".", "_"))
            ops[definition.name] = name.upper()
    texts += ["// Pretty forms, from the definitions of the ops."]
    texts += [f"{name}: {name.upper()} {body}" for body, name in rules.items()]
    texts += ["?pretty_op: " + "\n    | ".join(rules.values())]
    texts += ["// Names, from the definitions."]
    texts += [_names(name.upper(), _spellings(name.upper(), ops)) for name in rules.values()]
    texts += [
        _names("FLOAT_TYPE", FLOATS),
        _names("STRUCT_NAME", sorted(STRUCT_NAMES)),
        _names("DIALECT_NAME", sorted(DIALECT_NAMES)).replace('"#sdy"', "SHARDY_NAME"),
    ]
    return "\n".join(texts) + "\n", ops


def _names(terminal: str, names: Iterable[str]) -> str:
    """Return the definition of a terminal that is one of several names."""
    quoted = [f'"{name}"' for name in names]
    lines = [" | ".join(quoted[at : at + 4]) for at in range(0, len(quoted), 4)]
    return f"{terminal}.1: (" + "\n    | ".join(lines) + ") NAME_END"


def _spellings(terminal: str, ops: dict[str, str]) -> list[str]:
    """Return the names of the ops of a terminal, in full and short."""
    names = [name for name, its in ops.items() if its == terminal]
    return names + [name.partition(".")[2] for name in names if name.startswith(SHORT_DIALECTS)]


def form_syntax(definition: OpDef) -> str:
    """Return the right-hand side of the grammar's rule for an op's pretty form."""
    assert definition.form is not None
    syntax = " ".join(filter(None, (_element(e, definition) for e in slots(definition.form))))
    return syntax.replace('"[" INTEGER_LITERAL "]"', "integer_list")


@cache
def slots(form: str) -> tuple[Element, ...]:
    """Return the elements of a form, with a spelled-out signature (`( type($a) ) -> type(results)`) as one.

    Args:
        form: The form, as an op's definition states it.
    """
    elements = list(parse_form(form))
    at = 0
    while at < len(elements):
        end = _end_of_signature(elements, at)
        if end:
            elements[at:end] = [FunctionalType()]
        at += 1
    return tuple(elements)


def _end_of_signature(elements: list[Element], at: int) -> int:
    """Return the end of a spelled-out signature that starts at `at`, 0 if none does."""
    first = elements[at]
    if not (isinstance(first, Literal) and first.text == "(" and at + 1 < len(elements)):
        return 0
    if not isinstance(elements[at + 1], TypeOf):
        return 0
    at += 2
    while elements[at] == Literal(",") and isinstance(elements[at + 1], TypeOf):
        at += 2
    return at + 3 if elements[at : at + 2] == [Literal(")"), Literal("->")] else 0


def _element(element: Element, definition: OpDef) -> str:
    """Return the grammar of an element."""
    match element:
        case Literal(text):
            return f'"{text}"' if text.strip() else ""
        case Ref(name):
            return _reference(name, definition)
        case AllOperands():
            return "op_input_value_list"
        case AttrDict(keyword):
            return '["attributes" op_input_attrs]' if keyword else "[op_input_attrs]"
        case TypeOf(name):
            return "types" if is_several(name, definition) else "type"
        case FunctionalType():
            return "op_signature"
        case Directive(name):
            return name
        case Optional(elements):
            return f"[{' '.join(filter(None, (_present(e, definition) for e in elements)))}]"
    raise TypeError(element)


def _present(element: Element, definition: OpDef) -> str:
    """Return the grammar of an element inside an optional group, where no list is empty."""
    text = _element(element, definition)
    return {"op_input_value_list": "value_list", "types": "type_list"}.get(text, text)


def is_several(name: str, definition: OpDef) -> bool:
    """Return True if `type(name)` stands for a list of types.

    Args:
        name: The argument of `type`.
        definition: The op's definition.
    """
    if name in ("operands", "results") and not any(o.name == name for o in definition.operands):
        return True
    operands = any(o.name == name and (o.variadic or o.optional) for o in definition.operands)
    return operands or any(r.name == name and r.variadic for r in definition.outputs)


_SYMBOLS = {
    "boolean": "boolean_constant",
    "dims": "dims",
    "enum": "WORD",
    "float": "number",
    "integer": "INTEGER_LITERAL",
    "string": "STRING_LITERAL",
    "symbol": "FUNC_ID",
}


def _reference(name: str, definition: OpDef) -> str:
    found = next((i for i in definition.inputs if i.name == name), None)
    match found:
        case Operand(variadic=True):
            return "op_input_value_list"
        case Operand(optional=optional):
            return "[VALUE_ID]" if optional else "VALUE_ID"
        case Body(variadic=True):
            return "func_list"
        case Attr() as attr:
            return attribute_syntax(attr.kind)
    if any(successor.name == name for successor in definition.successors):
        return "BLOCK_ID"
    raise ValueError(f"{definition.name}: its form names ${name}, which has no syntax of its own")


def attribute_syntax(kind: Kind) -> str:
    """Return the grammar's symbol for a constant of a kind in a pretty form."""
    return kind.struct.symbol if kind.struct else _SYMBOLS.get(kind.spelling, "attribute")


def lark_parser(text: str, start: str | list[str]) -> Any:
    """Return Lark's own lexer and parser for a grammar; nodes and tokens have positions.

    Args:
        text: The grammar.
        start: The start symbols.
    """
    from lark import Lark

    return Lark(text, parser="lalr", start=start, maybe_placeholders=True, propagate_positions=True)
