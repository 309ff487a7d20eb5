"""Formulas as terms: parsing, with tables in a wheel and a cache on disk, and printing.

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
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, cast

from stablehlo_py.grammar import grammar_folder
from stablehlo_py.storage import cache as disk
from stablehlo_py.storage import packaged

Term = tuple[Any, ...]

_GRAMMAR = grammar_folder() / "notation.lark"
_SOURCES = (_GRAMMAR, Path(__file__), Path(__file__).with_name("build.py"))
_PACKAGED = grammar_folder() / "formulas.json"

_NEEDLESS = str.maketrans("", "", " \n()")

_terms: dict[str, Term] = {}
# As JSON in the package, marshalled in the cache; each is unpacked when a program needs it.
_cached: dict[str, str | bytes] = {}


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


def load_stored() -> None:
    """Load the terms that the package and the disk cache have."""
    found = packaged.load(_PACKAGED, _SOURCES)
    _cached.update(found if _is_table(found, str) else _on_disk())


def _on_disk() -> dict[str, bytes]:
    return disk.load("formulas", disk.stamp(_SOURCES), lambda data: _is_table(data, bytes)) or {}


def package_terms() -> None:
    """Write all terms that were parsed into the package, for a wheel."""
    import json

    terms = {text: json.dumps(term, separators=(",", ":")) for text, term in _terms.items()}
    packaged.store(_PACKAGED, _SOURCES, terms)


def load(formulas: Iterable[str]) -> None:
    """Load the terms of formulas from the package or the disk cache; parse and store the missing ones.

    Args:
        formulas: The texts of the formulas.
    """
    wanted = [*formulas]
    for more in (load_stored, lambda: _cached.update(_on_disk())):
        if not are_loaded(wanted):
            more()
    missing = [formula for formula in wanted if not are_loaded((formula,))]
    if missing:
        for formula in missing:
            _parse(formula)
        found = _on_disk() | {text: marshal.dumps(term) for text, term in _terms.items()}
        disk.store("formulas", disk.stamp(_SOURCES), found)


def are_loaded(formulas: Iterable[str]) -> bool:
    """Test whether the terms of formulas are loaded."""
    return all(formula in _cached or formula in _terms for formula in formulas)


def _is_table(data: Any, packed: type) -> bool:
    return type(data) is dict and {*map(type, data)} <= {str} and {*map(type, data.values())} <= {packed}


def _checked(formula: str, packed: str | bytes) -> Term | None:
    """Return the term; that of the cache only if it states the formula: no entry there can change a rule."""
    if isinstance(packed, str):
        import json  # only a wheel has such terms

        return _as_term(json.loads(packed))
    try:
        term = marshal.loads(packed)
    except (EOFError, ValueError, TypeError):
        term = None
    if _states(term, formula):
        return cast(Term, term)
    disk.remove("formulas")
    return None


def _as_term(data: list[Any]) -> Term:
    return tuple([_as_term(item) if item.__class__ is list else item for item in data])


def _states(term: Any, formula: str) -> bool:
    try:
        text = write(term)
        return text == formula or _words(text) == _words(formula)
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

_ATOM = 10
Printed = tuple[str, int]  # the text of a term, and its precedence


def write(term: Term) -> str:
    """Print a term, with parentheses where precedence requires them."""
    if term[0] == "name":  # as most terms are
        return term[1]  # type: ignore[no-any-return]
    return _WRITERS[term[0]](*term[1:])[0]


def _operand(term: Term, least: int) -> str:
    text, level = _WRITERS[term[0]](*term[1:])
    return text if level >= least else f"({text})"


def _atom(value: Any) -> Printed:
    return str(value), _ATOM


def _call(name: str, *arguments: Term) -> Printed:
    return f"{name}({', '.join(map(write, arguments))})", _ATOM


def _comprehension(e: Term, name: str, xs: Term, condition: Term | None) -> Printed:
    test = f" if {write(condition)}" if condition else ""
    return f"[{write(e)} for {name} in {_operand(xs, 6)}{test}]", _ATOM


def _arithmetic(op: str, a: Term, b: Term) -> Printed:
    level = 7 if op in "+-" else 8
    return f"{_operand(a, level)} {op} {_operand(b, level + 1)}", level


def _compare(first: Term, *rest: Any) -> Printed:
    pairs = [f" {op} {_operand(x, 6)}" for op, x in zip(rest[::2], rest[1::2], strict=True)]
    return _operand(first, 6) + "".join(pairs), 5


_WRITERS: dict[str, Callable[..., Printed]] = {
    "name": _atom,
    "int": _atom,
    "real": _atom,
    "text": lambda value: (f'"{value}"', _ATOM),
    "bool": lambda value: ("true" if value else "false", _ATOM),
    "call": _call,
    "index": lambda x, *at: (f"{_operand(x, 9)}[{', '.join(map(write, at))}]", _ATOM),
    "slice": lambda start, stop: (f"{write(start) if start else ''}:{write(stop) if stop else ''}", 0),
    "each": lambda xs: (f"{_operand(xs, 9)}...", 9),
    "list": lambda *items: (f"[{', '.join(map(write, items))}]", _ATOM),
    "comprehension": _comprehension,
    "arithmetic": _arithmetic,
    "negative": lambda a: (f"-{_operand(a, 9)}", 8),
    "concat": lambda a, b: (f"{_operand(a, 6)} ++ {_operand(b, 7)}", 6),
    "compare": _compare,
    "not": lambda a: (f"not {_operand(a, 4)}", 4),
    "and": lambda a, b: (f"{_operand(a, 3)} and {_operand(b, 4)}", 3),
    "or": lambda a, b: (f"{_operand(a, 2)} or {_operand(b, 3)}", 2),
    "choice": lambda c, a, b: (f"{_operand(c, 2)} ? {write(a)} : {write(b)}", 1),
    "if": lambda a, b, c: (f"if {write(a)} then {write(b)}" + (f" else {write(c)}" if c else ""), 0),
    "for": lambda name, xs, body: (f"for {name} in {_operand(xs, 6)} : {write(body)}", 0),
    "let": lambda name, value, body: (f"let {name} = {_operand(value, 6)} in {write(body)}", 0),
}
