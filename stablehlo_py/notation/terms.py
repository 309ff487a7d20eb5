"""Formulas as terms: parsing, with a cache on disk, and printing.

A term is a tuple whose first item names its form:

    ("name", n)  ("int", 3)  ("real", 0.5)  ("text", "s")  ("bool", True)
    ("call", f, *arguments)  ("index", x, *subscripts)  ("slice", start | None, stop | None)
    ("each", xs)  ("list", *items)  ("comprehension", e, name, xs, condition | None)
    ("arithmetic", op, a, b)  ("concat", a, b)  ("negative", a)  ("compare", a, op, b, op, c, ...)
    ("not", a)  ("and", a, b)  ("or", a, b)  ("choice", c, a, b)
    ("if", a, b, c | None)  ("for", name, xs, body)  ("let", name, value, body)
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, cast

from stablehlo_py.grammar import grammar_folder
from stablehlo_py.storage import cache as disk

Term = tuple[Any, ...]

_GRAMMAR = grammar_folder() / "notation.lark"
_SOURCES = (_GRAMMAR, Path(__file__), Path(__file__).with_name("build.py"))

_NEEDLESS = str.maketrans("", "", " \n()")

_terms: dict[str, Term] = {}
_cached: dict[str, bytes] = {}  # as the cache has them: each by itself, since a program needs few


class NotationError(Exception):
    """A formula is malformed: a syntax error, an undefined name or a sort mismatch."""


def parse(formula: str) -> Term:
    """Parse a formula.

    Args:
        formula: Its text.

    Returns:
        The term.

    Raises:
        NotationError: On a syntax error.
    """
    found = _terms.get(formula)
    if found is None and formula in _cached:
        found = _checked(formula, _cached.pop(formula))
    if found is None:
        return _parse(formula)
    _terms[formula] = found
    return found


def load(formulas: Iterable[str]) -> None:
    """Load the terms of formulas from the disk cache; parse the missing ones and update the cache.

    Args:
        formulas: The texts of the formulas.
    """
    key = disk.stamp(_SOURCES)
    _cached.update(disk.load("formulas", key, _is_table) or {})
    missing = [formula for formula in formulas if formula not in _cached]
    if missing:
        for formula in missing:
            _parse(formula)
        disk.store("formulas", key, _cached | {text: marshal.dumps(term) for text, term in _terms.items()})


def _is_table(data: Any) -> bool:
    return type(data) is dict and {*map(type, data)} <= {str} and {*map(type, data.values())} <= {bytes}


def _checked(formula: str, packed: bytes) -> Term | None:
    """Return the term if it states the formula: no entry of the cache can change a rule."""
    term = _unpacked(packed)
    if _states(term, formula):
        return cast(Term, term)
    disk.remove("formulas")
    return None


def _unpacked(packed: bytes) -> Any:
    """Return a term as the cache has it; None if it is damaged."""
    try:
        return marshal.loads(packed)
    except (EOFError, TypeError, ValueError):
        return None


def _states(term: Any, formula: str) -> bool:
    try:
        return _words(write(term)) == _words(formula)
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError):
        return False  # a term of another shape


def _words(formula: str) -> str:
    """Remove what has several spellings from a formula: blanks, parentheses, `==`."""
    return formula.translate(_NEEDLESS).replace("==", "=")


def _parse(formula: str) -> Term:
    from lark.exceptions import UnexpectedInput

    try:
        term = cast(Term, _parser().parse(formula))
    except UnexpectedInput as error:
        raise NotationError(f"syntax error in formula at column {error.column}: {formula}") from error
    _terms[formula] = term
    return term


@cache
def _parser() -> Any:
    from lark import Lark

    from stablehlo_py.notation.build import TermBuilder

    text = _GRAMMAR.read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="basic", maybe_placeholders=True, transformer=TermBuilder())


# Printing --------------------------------------------------------------------------------------------

_LEVELS = {"let": 0, "if": 0, "for": 0, "choice": 1, "or": 2, "and": 3, "not": 4, "compare": 5, "concat": 6}
_ATOM = 10


def write(term: Term) -> str:
    """Print a term, with parentheses where precedence requires them."""
    return _write(term)[0]


def _operand(term: Term, least: int) -> str:
    text, level = _write(term)
    return text if level >= least else f"({text})"


def _write(term: Term) -> tuple[str, int]:
    """Return the text of a term and its precedence."""
    match term:
        case ("name" | "int" | "real", value):
            return str(value), _ATOM
        case ("text", value):
            return f'"{value}"', _ATOM
        case ("bool", value):
            return str(value).lower(), _ATOM
        case ("call", name, *arguments):
            return f"{name}({', '.join(map(write, arguments))})", _ATOM
        case ("index", x, *subscripts):
            return f"{_operand(x, 9)}[{', '.join(map(write, subscripts))}]", _ATOM
        case ("slice", start, stop):
            return f"{write(start) if start else ''}:{write(stop) if stop else ''}", 0
        case ("each", xs):
            return f"{_operand(xs, 9)}...", 9
        case ("list", *items):
            return f"[{', '.join(map(write, items))}]", _ATOM
        case ("comprehension", e, name, xs, condition):
            test = f" if {write(condition)}" if condition else ""
            return f"[{write(e)} for {name} in {_operand(xs, 6)}{test}]", _ATOM
        case ("arithmetic", op, a, b):
            level = 7 if op in "+-" else 8
            return f"{_operand(a, level)} {op} {_operand(b, level + 1)}", level
        case ("negative", a):
            return f"-{_operand(a, 9)}", 8
        case ("concat", a, b):
            return f"{_operand(a, 6)} ++ {_operand(b, 7)}", 6
    return _write_condition(term)


def _write_condition(term: Term) -> tuple[str, int]:
    level = _LEVELS[term[0]]
    match term:
        case ("compare", first, *rest):
            pairs = [f" {op} {_operand(x, 6)}" for op, x in zip(rest[::2], rest[1::2], strict=True)]
            return _operand(first, 6) + "".join(pairs), level
        case ("not", a):
            return f"not {_operand(a, level)}", level
        case ("and" | "or" as word, a, b):
            return f"{_operand(a, level)} {word} {_operand(b, level + 1)}", level
        case ("choice", c, a, b):
            return f"{_operand(c, 2)} ? {write(a)} : {write(b)}", level
        case ("if", a, b, c):
            return f"if {write(a)} then {write(b)}" + (f" else {write(c)}" if c else ""), level
        case ("for", name, xs, body):
            return f"for {name} in {_operand(xs, 6)} : {write(body)}", level
        case _:
            return f"let {term[1]} = {_operand(term[2], 6)} in {write(term[3])}", level
