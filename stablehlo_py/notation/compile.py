"""Compilation of terms to closures. All names and sorts are checked here, before evaluation."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import Any

from stablehlo_py.ir.element_types import ELEMENT_TYPES
from stablehlo_py.ir.types import TOKEN
from stablehlo_py.notation.calls import Code, Run, apply, changed, nested_list_of
from stablehlo_py.notation.comparisons import compare
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.registry import contextual_functions
from stablehlo_py.notation.sorts import (
    ARRAY,
    BOOL,
    FLOAT,
    INT,
    NEVER,
    STR,
    TYPE,
    Sort,
    Undefined,
    convert,
    each_of,
    identity,
    list_of,
    unify,
)
from stablehlo_py.notation.terms import NotationError, Term, write
from stablehlo_py.notation.values import Truth, elements, every, negate
from stablehlo_py.opset.structures import ENUMS

Get = Callable[[Any, Environment], Any]

_KEPT = 4096  # names and constants that formulas share
_PRESENCE = frozenset(["given", "is_empty_algorithm"])
_ROUNDING = frozenset(["floor", "ceil"])  # of a quotient: functions of its two terms

ENUM_VALUES = frozenset(value for enum in ENUMS.values() for value in enum.values)
TYPE_NAMES: dict[str, Any] = {
    **{row.name: row.type for row in ELEMENT_TYPES.values()},
    "token": TOKEN,
}


class Compiler:
    """A compiler of terms.

    Args:
        names: The bound names, each with the sort of its value.
        is_lazy: Whether a condition behind another is compiled when it is first evaluated, as far as it
            depends on types and attributes only.
    """

    def __init__(self, names: dict[str, Sort], is_lazy: bool = False) -> None:
        self.names = names
        self.is_lazy = is_lazy

    def compile(self, term: Term) -> Code:
        """Compile a term; raise NotationError if a name is undefined or a sort does not match."""
        return _FORMS[term[0]](self, *term[1:])

    def condition(self, term: Term) -> Code:
        """Compile a term that must be of sort Bool; raise NotationError if it is not."""
        code = self.compile(term)
        if code.sort == BOOL:
            return code
        if code.sort.element == BOOL:
            run = code.run
            return Code(BOOL, lambda env: None if (xs := run(env)) is None else every(xs), code.contextual)
        raise NotationError(f"{write(term)} must be of sort Bool, not {code.sort}")

    def elements_of(self, xs: Term) -> Code:
        """Compile the range of a `for`; the sort is that of its elements, and an unknown list is empty."""
        sort, run, contextual = self.compile(xs)
        if sort == ARRAY:
            return Code(INT, lambda env: nested_list_of(run)(env) or (), contextual)
        if sort.element is None:
            raise NotationError(f"for .. in {write(xs)}: expected a list, got {sort}")
        return Code(sort.element, lambda env: run(env) or (), contextual)

    def binding(self, name: str, sort: Sort) -> Compiler:
        """Return a compiler for the body of a `for` or `let`; raise NotationError if the name is bound."""
        if name in self.names:
            raise NotationError(f"{name} is already bound")
        return Compiler({**self.names, name: sort}, self.is_lazy)

    def later(self, term: Term) -> Code:
        """Compile a condition that is evaluated only if another does not decide: if lazy, then."""
        if not self.is_lazy or _may_be_contextual(term):
            return self.condition(term)
        run: Run | None = None

        def compiled(env: Environment) -> Truth:
            nonlocal run
            if run is None:
                run = self.condition(term).run
            return run(env)  # type: ignore[no-any-return]

        return Code(BOOL, compiled)

    # Atoms

    def _name(self, name: str) -> Code:
        if name in self.names:
            return _variable(self.names[name], name)
        if name in ENUM_VALUES:
            return _constant(STR, name)
        if name in TYPE_NAMES:
            return _constant(TYPE, TYPE_NAMES[name])
        raise NotationError(f"undefined name {name}")

    def _int(self, value: int) -> Code:
        return _constant(INT, value)

    def _real(self, value: float) -> Code:
        return _constant(FLOAT, value)

    def _text(self, value: str) -> Code:
        return _constant(STR, value)

    def _bool(self, value: bool) -> Code:
        return _constant(BOOL, value)

    # Lists

    def _list(self, *items: Term) -> Code:
        codes = [self.compile(item) for item in items]
        element = NEVER
        for sort in (c.sort.element if c.sort.name == "Each" and c.sort.element else c.sort for c in codes):
            common = unify(element, sort)
            if common is None:
                raise NotationError(f"list elements of different sorts: {element} and {sort}")
            element = common
        parts = [_part(code, element) for code in codes]
        contextual = any(code.contextual for code in codes)
        return Code(list_of(element), lambda env: [x for part in parts for x in part(env)], contextual)

    def _each(self, xs: Term) -> Code:
        sort, run, contextual = self.compile(xs)
        if sort == ARRAY:
            return Code(each_of(INT), nested_list_of(run), contextual)
        if sort.element is None:
            raise NotationError(f"{write(xs)}...: expected a list, got {sort}")
        return Code(each_of(sort.element), run, contextual)

    def _concat(self, a: Term, b: Term) -> Code:
        return apply("concatenate", self.compile(a), self.compile(b))

    def _comprehension(self, e: Term, name: str, xs: Term, condition: Term | None) -> Code:
        element, source, outer = self.elements_of(xs)
        inside = self.binding(name, element)
        sort, run, inner = inside.compile(e)
        test = inside.condition(condition) if condition else _constant(BOOL, True)

        def collect(env: Environment) -> list[Any]:
            found = []
            for x in source(env):
                env[name] = x
                kept = test.run(env)
                if kept is None:
                    raise Undefined("filter depends on an unknown size")
                if kept:
                    found.append(run(env))
            return found

        return Code(list_of(sort), collect, outer or inner or test.contextual)

    # Indexing

    def _index(self, x: Term, *subscripts: Term) -> Code:
        sort, run, contextual = self.compile(x)
        mapped = sort.name == "Each"
        sort, get = self._subscribed(sort.element if mapped and sort.element else sort, subscripts, write(x))
        if mapped:
            return Code(each_of(sort), lambda env: [get(item, env) for item in run(env) or ()], contextual)
        return Code(sort, lambda env: None if (xs := run(env)) is None else get(xs, env), contextual)

    def _subscribed(self, sort: Sort, subscripts: tuple[Term, ...], name: str) -> tuple[Sort, Get]:
        """Return the sort of `x[..]` and its accessor, for an `x` of a sort."""
        if sort == ARRAY:
            return self._array_index(subscripts)
        if sort.element is None or len(subscripts) != 1:
            raise NotationError(f"{name} of sort {sort} does not support this subscript")
        if subscripts[0][0] == "slice":
            part = self._slice(*subscripts[0][1:])
            return list_of(sort.element), lambda xs, env: xs[part(env)]
        at_sort, at, _ = self.compile(subscripts[0])
        if at_sort == INT:
            return sort.element, lambda xs, env: _item(xs, at(env))
        if at_sort.element == INT:
            return Sort(at_sort.name, sort.element), lambda xs, env: [_item(xs, i) for i in at(env)]
        raise NotationError(f"{name}: expected an index of sort Int or list of Int, got {at_sort}")

    def _array_index(self, subscripts: tuple[Term, ...]) -> tuple[Sort, Get]:
        """Compile the subscript of an Array: `a[i, j]` is an Int; `a[i]` and `a[:, j]` are lists."""
        runs = [self._slice(*t[1:]) if t[0] == "slice" else self._position(t) for t in subscripts]
        whole = len(subscripts) == 2 and all(term[0] != "slice" for term in subscripts)
        return (INT if whole else list_of(INT)), lambda a, env: _pick(a, tuple([run(env) for run in runs]))

    def _slice(self, start: Term | None, stop: Term | None) -> Run:
        first, last = self._position(start), self._position(stop)
        return lambda env: slice(first(env), last(env))

    def _position(self, term: Term | None) -> Run:
        if term is None:
            return lambda env: None
        sort, run, _ = self.compile(term)
        if sort != INT:
            raise NotationError(f"index {write(term)}: expected sort Int, got {sort}")
        return run

    # Calls

    def _call(self, name: str, *arguments: Term) -> Code:
        if name in _PRESENCE:
            return self._presence(name, arguments)
        if name in _ROUNDING and arguments[0][:2] == ("arithmetic", "/"):
            arguments = arguments[0][2:]
        return apply(name, *[self.compile(argument) for argument in arguments])

    def _presence(self, function: str, arguments: tuple[Term, ...]) -> Code:
        """Compile a presence test of optional inputs, which does not evaluate its arguments."""
        for argument in arguments:
            if argument[0] != "name" or argument[1] not in self.names:
                raise NotationError(f"{function}: expected the name of an input, got {write(argument)}")
        names = [argument[1] for argument in arguments]
        if function == "given":
            return Code(BOOL, lambda env: all(env.has(name) for name in names))
        return Code(BOOL, lambda env: not any(env.has(name) for name in names))

    def _arithmetic(self, op: str, a: Term, b: Term) -> Code:
        return apply(op, self.compile(a), self.compile(b))

    def _negative(self, a: Term) -> Code:
        return apply("negative", self.compile(a))

    # Conditions

    def _compare(self, *parts: Any) -> Code:
        return compare([self.compile(term) for term in parts[::2]], parts[1::2])

    def _not(self, a: Term) -> Code:
        _, run, contextual = self.condition(a)
        return Code(BOOL, lambda env: negate(run(env)), contextual)

    def _and(self, a: Term, b: Term) -> Code:
        first, second = self.condition(a), self.later(b)

        def both(env: Environment) -> Truth:
            truth: Truth = first.run(env)
            if truth is False:
                return False
            other: Truth = second.run(env)
            return other if truth else other and None

        return Code(BOOL, both, first.contextual or second.contextual)

    def _or(self, a: Term, b: Term) -> Code:
        first, second = self.condition(a), self.later(b)

        def either(env: Environment) -> Truth:
            truth: Truth = first.run(env)
            if truth:
                return True
            other: Truth = second.run(env)
            return other if truth is False else other or None

        return Code(BOOL, either, first.contextual or second.contextual)

    def _if(self, a: Term, b: Term, c: Term | None) -> Code:
        return self._choice(a, b, c) if c else self._or(("not", a), b)

    def _choice(self, c: Term, a: Term, b: Term) -> Code:
        test, first, second = self.condition(c), self.compile(a), self.compile(b)
        sort = unify(first.sort, second.sort)
        if sort is None:
            raise NotationError(
                f"branches of a conditional have different sorts: {first.sort} and {second.sort}"
            )
        yes, no = (changed(code.run, convert(code.sort, sort, {})) for code in (first, second))

        def choose(env: Environment) -> Any:
            truth = test.run(env)
            return None if truth is None else yes(env) if truth else no(env)

        return Code(sort, choose, test.contextual or first.contextual or second.contextual)

    def _for(self, name: str, xs: Term, body: Term) -> Code:
        element, source, outer = self.elements_of(xs)
        _, run, inner = self.binding(name, element).condition(body)

        def all_hold(env: Environment) -> Truth:
            truth: Truth = True
            for x in source(env):
                env[name] = x
                truth = every((truth, run(env)))
                if truth is False:
                    return False
            return truth

        return Code(BOOL, all_hold, outer or inner)

    def _let(self, name: str, value: Term, body: Term) -> Code:
        sort, run, outer = self.compile(value)
        result, then, inner = self.binding(name, sort).compile(body)

        def bound(env: Environment) -> Any:
            env[name] = run(env)
            return then(env)

        return Code(result, bound, outer or inner)


def _may_be_contextual(term: Term) -> bool:
    """Return True if a term calls a function of which an overload is contextual."""
    return _calls_one_of(contextual_functions(), term)


def _calls_one_of(names: frozenset[str], term: Term) -> bool:
    if term[0] == "call" and term[1] in names:
        return True
    for part in term:  # noqa: SIM110 (faster than `any`)
        if part.__class__ is tuple and part[0] != "name" and _calls_one_of(names, part):
            return True
    return False


@lru_cache(_KEPT)
def _variable(sort: Sort, name: str) -> Code:
    return Code(sort, itemgetter(name))


@lru_cache(_KEPT)
def _constant(sort: Sort, value: Any) -> Code:
    return Code(sort, lambda env: value)


def _part(code: Code, element: Sort) -> Run:
    """Return the closure of an item's elements: itself, or those of an Each."""
    if code.sort.name == "Each":
        spread = changed(code.run, convert(code.sort, each_of(element), {}) or identity)
        return lambda env: spread(env) or ()
    run = changed(code.run, convert(code.sort, element, {}))
    return lambda env: (run(env),)


def _item(xs: Any, at: int | None) -> Any:
    """Return `xs[at]`; unknown if the position is."""
    if at is None:
        return None
    if not -len(xs) <= at < len(xs):
        raise Undefined("the list has no element there")
    return xs[at]


def _pick(array: Any, at: tuple[Any, ...]) -> Any:
    """Return `array[at]`; unknown if the elements or a position are."""
    data = elements(array)
    if data is None or None in at:
        return None
    try:
        return data[at].tolist()
    except IndexError as error:
        raise Undefined("the list has no element there") from error


_FORMS: dict[str, Callable[..., Code]] = {
    name: getattr(Compiler, f"_{name}")
    for name in (
        *("name", "int", "real", "text", "bool", "call", "index", "each", "list", "comprehension"),
        *("arithmetic", "concat", "negative", "compare", "not", "and", "or", "choice", "if", "for", "let"),
    )
}
