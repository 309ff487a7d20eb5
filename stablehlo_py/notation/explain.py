"""Explanation of a false formula: a second walk over its term collects the values that decide.

Only deciding subterms are visited: the false operands of `and`, the first failing element of `for`, and the
first failing pair of a chain of comparisons.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import Type
from stablehlo_py.notation.comparisons import pairs_of
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.sorts import VALUE, Sort, Undefined
from stablehlo_py.notation.terms import Term, write

_LONGEST = 60
_MOST = 64  # elements of a printed array
_PRINTABLE = (bool, int, float, Fraction, str, Type, np.ndarray, DenseElementsAttr)


class Subject(NamedTuple):
    """An operand or result, and its name in the formula."""

    name: str
    value: Value


class Reason(NamedTuple):
    """One line of an explanation.

    Attributes:
        text: The text, such as `dim(lhs, [1]) is [3]`.
        subject: The operand or result that it refers to.
    """

    text: str
    subject: Subject | None = None


def explain(term: Term, names: dict[str, Sort], env: Environment) -> list[Reason]:
    """Explain why a condition is false.

    Args:
        term: The condition.
        names: The bound names, each with its sort.
        env: The environment in which the condition is false.

    Returns:
        The reasons, in the order of the formula's text, without duplicates.
    """
    reasons = _Explainer(names, env).reasons(term)
    return list(dict.fromkeys(reasons))


class _Explainer:
    def __init__(self, names: dict[str, Sort], env: Environment) -> None:
        self.names = names
        self.env = env

    def evaluate(self, term: Term) -> tuple[Sort | None, Any]:
        """Return the sort and value of a term; both None if the value is undefined."""
        sort, run, _ = Compiler(self.names).compile(term)
        try:
            return sort, run(self.env)
        except Undefined:
            return None, None

    def fails(self, term: Term) -> bool:
        try:
            return Compiler(self.names).condition(term).run(self.env) is False
        except Undefined:
            return False

    def reasons(self, term: Term) -> list[Reason]:
        match term:
            case ("and", a, b):
                return [r for part in (a, b) if self.fails(part) for r in self.reasons(part)]
            case ("or", a, b):
                return [*self.reasons(a), *self.reasons(b)]
            case ("if" | "choice", test, a, b):
                return self.reasons(a if b is None or not self.fails(test) else b)
            case ("for", name, xs, body):
                return self.first_failure(name, xs, body)
            case ("let", name, value, body):
                sort, self.env[name] = self.evaluate(value)
                return _Explainer({**self.names, name: sort or VALUE}, self.env).reasons(body)
            case ("compare", *parts):
                return self.comparison(parts)
        return self.leaves(term)

    def first_failure(self, name: str, xs: Term, body: Term) -> list[Reason]:
        """Explain the first element of a `for` for which its body fails."""
        sort, run, _ = Compiler(self.names).elements_of(xs)
        inner = _Explainer({**self.names, name: sort}, self.env)
        for element in run(self.env):
            self.env[name] = element
            if inner.fails(body):
                return inner.reasons(body)
        return []

    def comparison(self, parts: list[Any]) -> list[Reason]:
        """Explain the first pair of a chain that does not compare."""
        terms, ops = parts[::2], parts[1::2]
        for i, op, j in pairs_of(ops):
            pair: Term = ("compare", terms[i], op, terms[j])
            if self.fails(pair):
                return self.sides(terms[i], terms[j])
        return self.sides(*terms)

    def sides(self, *terms: Term) -> list[Reason]:
        return [reason for term in terms for reason in (*self.leaves(term), *self.whole(term))]

    def whole(self, term: Term) -> list[Reason]:
        """Show the value of a compound side."""
        if _is_leaf(term) or not _has_names(term):
            return []
        text = write(term)
        sort, value = self.evaluate(term)
        return [Reason(f"{text if len(text) <= _LONGEST else 'the result'} is {show(value)}")] if sort else []

    def leaves(self, term: Term) -> list[Reason]:
        """Show the values of the innermost calls and names of a term."""
        if _is_leaf(term):
            return self.leaf(term)
        if term[0] in ("for", "comprehension", "let"):
            return []
        return [reason for part in term[1:] if isinstance(part, tuple) for reason in self.leaves(part)]

    def leaf(self, term: Term) -> list[Reason]:
        if term[0] in ("name", "index", "each"):
            return self.line(term, write(term)) if _has_names(term) else []
        arguments = ", ".join(map(self.argument, term[2:]))
        return self.line(term, f"{term[1]}({arguments})")

    def argument(self, term: Term) -> str:
        """Return the text of an argument: operands by name, others by value."""
        sort, value = self.evaluate(term)
        if sort is None or value is None or isinstance(value, Attribute) or not _is_printable(value):
            return write(term)
        text = show(value)
        return text if len(text) <= _LONGEST else write(term)

    def line(self, term: Term, text: str) -> list[Reason]:
        sort, value = self.evaluate(term)
        if sort is None:
            return [Reason(f"{text} is undefined", self.subject(term))]
        if isinstance(value, Value) or (term[0] in ("name", "each") and not _is_printable(value)):
            return []
        return [Reason(f"{text} is {show(value)}", self.subject(term))]

    def subject(self, term: Term) -> Subject | None:
        """Return the operand or result that a term refers to, if any."""
        if term[0] in ("name", "index"):
            found = self.evaluate(term)[1] if self.is_value(term) else None
            return Subject(write(term), found) if isinstance(found, Value) else None
        parts = (self.subject(part) for part in term[1:] if isinstance(part, tuple))
        return next(filter(None, parts), None)

    def is_value(self, term: Term) -> bool:
        return Compiler(self.names).compile(term).sort == VALUE


def _is_leaf(term: Term) -> bool:
    """Test whether a term is a call without nested calls, a name, or an element of a name."""
    if term[0] == "call":
        return not any(_has_calls(argument) for argument in term[2:])
    return term[0] == "name" or (term[0] in ("index", "each") and not _has_calls(term))


def _has_calls(term: Any) -> bool:
    return isinstance(term, tuple) and (
        term[0] in ("call", "comprehension") or any(map(_has_calls, term[1:]))
    )


def _has_names(term: Any) -> bool:
    """Test whether a term depends on the op: it has names that are not enumerators."""
    if not isinstance(term, tuple):
        return False
    if term[0] == "name":
        return not term[1].isupper() or len(term[1]) == 1
    return any(map(_has_names, term[1:]))


def _is_printable(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_printable, value))
    return value is None or isinstance(value, _PRINTABLE)


def show(value: Any) -> str:
    """Format a value in the notation; `?` stands for unknown."""
    match value:
        case None:
            return "?"
        case bool():
            return str(value).lower()
        case tuple() | list():
            return f"[{', '.join(map(show, value))}]"
        case np.ndarray():
            many = value.size > _MOST
            return f"an array of shape {show(list(value.shape))}" if many else show(value.tolist())
        case DenseElementsAttr():
            return show(value.value)
    return str(value)
