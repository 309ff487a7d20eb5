"""Synopsis of an op's forms, such as `%result = stablehlo.slice %operand <slice_ranges> ...`.

Directives are shown as `<name>`, each explained by its rule in the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result
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
    directives_of,
    parse_form,
)
from stablehlo_py.syntax.forms.directives import DIRECTIVES

_RULE = re.compile(r"^[?!]?(\w+):(.*(?:\n[ ]+\|.*)*)", re.MULTILINE)
_QUOTED = re.compile(r'"([^"]*)"')
_ALIAS = re.compile(r" -> \w+")
_JOINED_BEFORE = (",", ")", "]", ">")
_JOINED_AFTER = ("(", "[", "<")


def synopsis(definition: OpDef) -> str:
    """Return the pretty form on one line; "" for an op that has only the generic form."""
    if definition.form is None:
        return ""
    words = [*_results(definition), definition.name, *_words(parse_form(definition.form), definition)]
    return _joined(words)


def directive_rules(definition: OpDef) -> list[str]:
    """Return the grammar's rules for the form's directives, and for the rules they refer to, one per line."""
    directives = [] if definition.form is None else directives_of(parse_form(definition.form))
    names = [directive.name for directive in directives if not DIRECTIVES[directive.name].synopsis]
    rules, found = _grammar_rules(), dict[str, str]()
    while names:
        name = names.pop(0)
        if name in rules and name not in found:
            found[name] = rules[name]
            names += re.findall(r"\w+", _QUOTED.sub("", rules[name]))
    return [f"{name}: {_plain_rule(rule)}" for name, rule in found.items()]


def generic_synopsis(definition: OpDef) -> str:
    """Return the generic form on one line."""
    operands = ", ".join(map(_value, definition.operands))
    attributes = ", ".join(_attribute(name, definition) for name in definition.property_kinds)
    regions = ", ".join(f"{{{body.name}}}" + "..." * body.variadic for body in definition.bodies)
    text = _joined([*_results(definition), f'"{definition.name}"({operands})'])
    text += f" <{{{attributes}}}>" if attributes else ""
    text += f" ({regions})" if regions else ""
    return f"{text} : (types) -> types"


def _results(definition: OpDef) -> list[str]:
    return [", ".join(map(_value, definition.outputs)), "="] if definition.outputs else []


def _value(part: Operand | Result) -> str:
    name = f"%{part.name}" + "..." * part.variadic
    return f"[{name}]" if getattr(part, "optional", False) else name


def _attribute(name: str, definition: OpDef) -> str:
    return f"{name} = .." if name in definition.required_properties else f"[{name} = ..]"


def _words(elements: Iterable[Element], definition: OpDef) -> list[str]:
    return [word for element in elements for word in _element(element, definition)]


def _element(element: Element, definition: OpDef) -> list[str]:
    match element:
        case Literal(text):
            return [text]
        case Ref(name):
            return [_reference(name, definition)]
        case AllOperands():
            return [", ".join(map(_value, definition.operands))]
        case AttrDict(keyword):
            return ["[attributes {..}]" if keyword else "[{..}]"]
        case TypeOf(name):
            return [f"type({name})"]
        case FunctionalType():
            return ["(types of operands) -> types of results"]
        case Optional(elements):
            return [f"[{_joined(_words(elements, definition)).strip()}]"]
        case Directive(name):
            return [DIRECTIVES[name].synopsis or f"<{name}>"]


def _reference(name: str, definition: OpDef) -> str:
    part = next((i for i in definition.inputs if i.name == name), None)
    match part:
        case Operand():
            return _value(part)
        case Body():
            return f"{{{name}}}"
        case Attr() if part.kind.spelling == "symbol":
            return f"@{name}"
    return f"<{name}>"


def _joined(words: list[str]) -> str:
    """Join words by spaces, except at punctuation; an empty word joins its neighbors."""
    text, tight = "", True
    for word in words:
        if word == "":
            tight = True
            continue
        closes = word.startswith(_JOINED_BEFORE)
        text += word if tight or closes or not text else f" {word}"
        tight = word.endswith(_JOINED_AFTER) and not word.endswith("->")
    return text


@cache
def _grammar_rules() -> dict[str, str]:
    text = (files("stablehlo_py.grammar") / "forms.lark").read_text(encoding="utf-8")
    return dict(_RULE.findall(text))


def _plain_rule(rule: str) -> str:
    """Return a rule without quotes and the names of its alternatives."""
    return re.sub(r"\s+", " ", _QUOTED.sub(r"\1", _ALIAS.sub("", rule))).strip()
