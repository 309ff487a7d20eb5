"""The parser's tables: Lark's LALR table for the grammar, as plain data, made once and then cached.

The grammar is the files of `grammar/` and one rule for each distinct pretty form, written from the ops'
definitions. Ops whose forms have the same syntax share a rule and the terminal that begins it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stablehlo_py import cache as disk_cache
from stablehlo_py.diagnostics.diagnostic import InternalError
from stablehlo_py.grammar import grammar_folder
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, all_definitions
from stablehlo_py.opset.kinds import Kind
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

if TYPE_CHECKING:
    from lark.grammar import Rule as LarkRule

FILES = ("lexical", "program", "types", "constants_and_attributes", "shardings", "locations", "forms")
STARTS = ("program", "type", "attribute", "location")
Row = dict[int, int]


@dataclass(frozen=True, slots=True)
class Tables:
    """An LALR table over numbered terminals and nonterminals.

    `actions[state][terminal]` is the state to shift to, or `~rule` to reduce by; `gotos[state][nonterminal]`
    the state after a reduction. A rule is (size, nonterminal, name, shape): see `driver.action`. `literals`
    numbers punctuation and keywords by their text, `terminals` names every terminal, `ops` gives the terminal
    that begins an op's pretty form.
    """

    actions: list[Row]
    gotos: list[Row]
    starts: dict[str, tuple[int, int]]  # start state and accepting state
    rules: list[tuple[int, int, str, tuple[Any, ...]]]
    terminals: dict[str, int]
    literals: dict[str, int]
    ops: dict[str, int]
    op: int  # the nonterminal of an operation


@cache
def load_tables() -> Tables:
    """The tables for all definitions: from the cache on disk, or made and stored there."""
    key = disk_cache.stamp(_sources())
    plain = disk_cache.load("parser", key)
    if plain is None:
        text, ops = grammar_text(all_definitions())
        plain = _plain(_lark(text))
        plain["ops"] = {name: plain["terminals"][terminal] for name, terminal in ops.items()}
        disk_cache.store("parser", key, plain)
    return Tables(**plain)


def _sources() -> Iterator[Path]:
    """The files that the tables are made from: grammar, definitions, this module and the forms', and Lark."""
    here = Path(__file__)
    for folder in (grammar_folder(), here.parents[2] / "opset"):
        yield from sorted(path for path in folder.rglob("*") if path.suffix in (".lark", ".py"))
    yield from (here, here.parents[1] / "forms" / "assembly_format.py")
    spec = find_spec("lark")
    if spec is not None and spec.origin:
        yield Path(spec.origin)


def grammar_text(definitions: Iterable[OpDef]) -> tuple[str, dict[str, str]]:
    """The whole grammar, and each op's terminal."""
    texts = [(grammar_folder() / f"{name}.lark").read_text("utf-8") for name in FILES]
    rules: dict[str, str] = {}  # body -> name
    ops: dict[str, str] = {}
    for definition in definitions:
        if definition.form is not None:
            body = form_syntax(definition)
            name = rules.setdefault(body, definition.name.replace(".", "_"))
            ops[definition.name] = name.upper()
    texts += [f"%declare {name.upper()}\n{name}: {name.upper()} {body}" for body, name in rules.items()]
    texts.append("?pretty_op: " + " | ".join(rules.values()))
    return "\n".join(texts) + "\n", ops


def form_syntax(definition: OpDef) -> str:
    """The right-hand side of the grammar's rule for an op's pretty form."""
    assert definition.form is not None
    syntax = " ".join(filter(None, (_element(e, definition) for e in slots(definition.form))))
    return syntax.replace('"[" INTEGER_LITERAL "]"', "index")  # `[0]` is one token, an INTEGER_LIST


@cache
def slots(form: str) -> tuple[Element, ...]:
    """The elements of a form, a signature that is spelled out (`( type($a) ) -> type(results)`) as one."""
    elements = list(parse_form(form))
    at = 0
    while at < len(elements):
        end = _end_of_signature(elements, at)
        if end:
            elements[at:end] = [FunctionalType()]
        at += 1
    return tuple(elements)


def _end_of_signature(elements: list[Element], at: int) -> int:
    """Where a spelled-out signature that begins at `at` ends, 0 if none begins there."""
    if elements[at] != Literal("(") or at + 1 == len(elements) or not isinstance(elements[at + 1], TypeOf):
        return 0
    at += 2
    while elements[at] == Literal(",") and isinstance(elements[at + 1], TypeOf):
        at += 2
    is_signature = elements[at : at + 2] == [Literal(")"), Literal("->")]
    return at + 3 if is_signature and isinstance(elements[at + 2], TypeOf) else 0


def _element(element: Element, definition: OpDef) -> str:
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
    """As `_element`, inside a group that is there: no list is empty."""
    text = _element(element, definition)
    return {"op_input_value_list": "value_list", "types": "type_list"}.get(text, text)


def is_several(name: str, definition: OpDef) -> bool:
    """Whether `type(name)` stands for a list of types."""
    if name in ("operands", "results") and not any(o.name == name for o in definition.operands):
        return True
    operands = any(o.name == name and (o.variadic or o.optional) for o in definition.operands)
    return operands or any(r.name == name and r.variadic for r in definition.outputs)


_SYMBOLS = {
    "boolean": "boolean_constant",
    "dims": "dims",
    "enum": "WORD",
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
        case Body():
            return "op_input_func"
        case Attr() as attr:
            return attribute_syntax(attr.kind)
    if name in definition.property_kinds:
        return attribute_syntax(definition.property_kinds[name])
    raise ValueError(f"{definition.name}: its form names ${name}, which is not one of its inputs")


def attribute_syntax(kind: Kind) -> str:
    """The grammar's symbol for a constant of this kind in a pretty form."""
    return kind.struct.symbol if kind.struct else _SYMBOLS.get(kind.spelling, "attribute")


def _lark(text: str) -> Any:
    """Lark's parser for a grammar; its lexer is never used."""
    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        def __init__(self, conf: object) -> None:
            pass

        def lex(self, *_: object) -> Any:
            raise InternalError("Lark's lexer was asked; the lexer is stablehlo_py.syntax.lalr.lexer")

    return Lark(text, parser="lalr", lexer=NoLexer, start=list(STARTS), maybe_placeholders=True)


def _plain(lark: Any) -> dict[str, Any]:
    """Lark's table as plain data."""
    from lark.parsers.lalr_analysis import Shift

    table = lark.parser.parser._parse_table
    patterns = {t.name: t.pattern.value for t in lark.terminals}
    terminals = {"$END": 0}
    nonterminals: dict[str, int] = {}
    rules: dict[LarkRule, int] = {}
    number = {state: n for n, state in enumerate(table.states)}
    actions: list[Row] = [{} for _ in number]
    gotos: list[Row] = [{} for _ in number]
    for state, row in table.states.items():
        for symbol, (action, argument) in row.items():
            if action is not Shift:
                actions[number[state]][terminals.setdefault(symbol, len(terminals))] = ~rules.setdefault(
                    argument, len(rules)
                )
            elif symbol.isupper() or symbol.startswith("$"):
                actions[number[state]][terminals.setdefault(symbol, len(terminals))] = number[argument]
            else:
                gotos[number[state]][nonterminals.setdefault(symbol, len(nonterminals))] = number[argument]
    return {
        "actions": actions,
        "gotos": gotos,
        "starts": {s: (number[table.start_states[s]], number[table.end_states[s]]) for s in STARTS},
        "rules": [
            (len(r.expansion), nonterminals.get(r.origin.name, -1), r.alias or str(r.origin.name), _shape(r))
            for r in rules
        ],
        "terminals": terminals,
        "literals": {patterns[name]: n for name, n in terminals.items() if name in patterns},
        "op": nonterminals["op"],
    }


def _shape(rule: LarkRule) -> tuple[Any, ...]:
    """How a reduction makes its value: ("list",) or ("inline",) or ("node",), then a position for each child.

    A child is a position, None for an optional part that is absent, or ~position for a list to be spliced in.
    """
    empty = "".join(str(int(b)) for b in rule.options.empty_indices)
    absent = [len(run) for run in empty.split("0")] if empty else [0] * (len(rule.expansion) + 1)
    children: list[int | None] = []
    for position, symbol in enumerate(rule.expansion):
        children += [None] * absent[position]
        if not symbol.is_term:
            children.append(~position if symbol.name.startswith("_") else position)
        elif rule.options.keep_all_tokens or not getattr(symbol, "filter_out", False):
            children.append(position)
    children += [None] * absent[-1]
    if str(rule.origin.name).startswith("_"):
        return ("list", *children)
    is_inline = rule.options.expand1 and len(children) == 1 and not rule.alias
    return ("inline" if is_inline else "node", *children)
