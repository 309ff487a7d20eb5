"""Conversion of Lark's parse tree to terms. Imported only on a miss of the formula cache."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer

Term = tuple[Any, ...]


def _form(form: str) -> Any:
    return lambda self, items: (form, *items)


class TermBuilder(Transformer[Token, Term]):
    """Lark transformer: builds the term of each grammar rule. `terms` lists the forms."""

    if_ = _form("if")
    choice = _form("choice")
    or_ = _form("or")
    and_ = _form("and")
    not_ = _form("not")
    concat = _form("concat")
    each = _form("each")
    index = _form("index")
    slice = _form("slice")

    def for_(self, items: list[Any]) -> Term:
        return ("for", str(items[0]), *items[1:])

    def let(self, items: list[Any]) -> Term:
        return ("let", str(items[0]), *items[2:])

    def compare(self, items: list[Any]) -> Term:
        return ("compare", *items)

    def relation(self, items: list[Any]) -> str:
        return "=" if items[0] == "==" else str(items[0])

    def not_in(self, items: list[Any]) -> str:
        return "not in"

    def arithmetic(self, items: list[Any]) -> Term:
        left, op, right = items
        return ("arithmetic", str(op), left, right)

    def negative(self, items: list[Any]) -> Term:
        operand = items[1]
        return ("int", -operand[1]) if operand[0] == "int" else ("negative", operand)

    def call(self, items: list[Any]) -> Term:
        return ("call", str(items[0]), *(item for item in items[1:] if item is not None))

    def list_(self, items: list[Any]) -> Term:
        return ("list", *(item for item in items if item is not None))

    def comprehension(self, items: list[Any]) -> Term:
        return ("comprehension", items[0], str(items[1]), *items[2:])

    def name(self, items: list[Any]) -> Term:
        return ("name", str(items[0]))

    def integer(self, items: list[Any]) -> Term:
        return ("int", int(items[0]))

    def real(self, items: list[Any]) -> Term:
        return ("real", float(items[0]))

    def text(self, items: list[Any]) -> Term:
        return ("text", str(items[0])[1:-1])

    def true(self, items: list[Any]) -> Term:
        return ("bool", True)

    def false(self, items: list[Any]) -> Term:
        return ("bool", False)
