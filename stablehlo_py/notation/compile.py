"""From terms to closures: names and sorts are checked here, once; what is left only computes."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from stablehlo_py.ir.element_types import ELEMENT_TYPES
from stablehlo_py.ir.types import TOKEN
from stablehlo_py.notation.calls import Code, Run, apply, changed, nested_list_of
from stablehlo_py.notation.comparisons import compare
from stablehlo_py.notation.environment import Environment
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

ENUM_VALUES = frozenset(value for enum in ENUMS.values() for value in enum.values)
TYPE_NAMES: dict[str, Any] = {
    **{row.name: row.type for row in ELEMENT_TYPES.values()},
    "token": TOKEN,
}


class Compiler:
    """Compiles terms where `names` are bound, each to a value of the sort given."""

    def __init__(self, names: dict[str, Sort]) -> None:
        self.names = names

    def compile(self, term: Term) -> Code:
        """The code of a term. Raises NotationError."""
        code: Code = getattr(self, "_" + term[0])(*term[1:])
        return code

    def condition(self, term: Term) -> Code:
        """The code of a term that must be a Bool. Raises NotationError."""
        code = self.compile(term)
        if code.sort == BOOL:
            return code
        if code.sort.element == BOOL:
            run = code.run
            return Code(BOOL, lambda env: None if (xs := run(env)) is None else every(xs), code.contextual)
        raise NotationError(f"{write(term)} must be a Bool, but it is of sort {code.sort}")

    def elements_of(self, xs: Term) -> Code:
        """The code of what a `for` goes over, with the sort of its elements; no elements if unknown."""
        sort, run, contextual = self.compile(xs)
        if sort == ARRAY:
            return Code(INT, lambda env: nested_list_of(run)(env) or (), contextual)
        if sort.element is None:
            raise NotationError(f"for .. in {write(xs)} needs a list, not {sort}")
        return Code(sort.element, lambda env: run(env) or (), contextual)

    def binding(self, name: str, sort: Sort) -> Compiler:
        """A compiler for what is inside a `for` or `let`. Raises NotationError for a name that is bound."""
        if name in self.names:
            raise NotationError(f"{name} is already the name of something")
        return Compiler({**self.names, name: sort})

    # Atoms

    def _name(self, name: str) -> Code:
        if name in self.names:
            return Code(self.names[name], itemgetter(name))
        if name in ENUM_VALUES:
            return _constant(STR, name)
        if name in TYPE_NAMES:
            return _constant(TYPE, TYPE_NAMES[name])
        raise NotationError(f"nothing is called {name}")

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
                raise NotationError(f"a list of both {element} and {sort}")
            element = common
        parts = [_part(code, element) for code in codes]
        contextual = any(code.contextual for code in codes)
        return Code(list_of(element), lambda env: [x for part in parts for x in part(env)], contextual)

    def _each(self, xs: Term) -> Code:
        sort, run, contextual = self.compile(xs)
        if sort == ARRAY:
            return Code(each_of(INT), nested_list_of(run), contextual)
        if sort.element is None:
            raise NotationError(f"{write(xs)}... needs a list, not {sort}")
        return Code(each_of(sort.element), run, contextual)

    def _concat(self, a: Term, b: Term) -> Code:
        return apply("concatenate", [self.compile(a), self.compile(b)])

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
                    raise Undefined("a choice that depends on an unknown size")
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
        """What `x[..]` gives, for an `x` of a sort."""
        if sort == ARRAY:
            return self._array_index(subscripts)
        if sort.element is None or len(subscripts) != 1:
            raise NotationError(f"{name} of sort {sort} cannot be indexed like this")
        if subscripts[0][0] == "slice":
            part = self._slice(*subscripts[0][1:])
            return list_of(sort.element), lambda xs, env: xs[part(env)]
        at_sort, at, _ = self.compile(subscripts[0])
        if at_sort == INT:
            return sort.element, lambda xs, env: _item(xs, at(env))
        if at_sort.element == INT:
            return Sort(at_sort.name, sort.element), lambda xs, env: [_item(xs, i) for i in at(env)]
        raise NotationError(f"{name} cannot be indexed by {at_sort}")

    def _array_index(self, subscripts: tuple[Term, ...]) -> tuple[Sort, Get]:
        """`a[i, j]` is an Int; `a[i]` and `a[:, j]` of a 2-dimensional Array are lists."""
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
            raise NotationError(f"an index {write(term)} of sort {sort}")
        return run

    # Calls

    def _call(self, name: str, *arguments: Term) -> Code:
        if name in ("given", "is_empty_algorithm"):
            return self._presence(name, arguments)
        return apply(name, [self.compile(argument) for argument in arguments])

    def _presence(self, function: str, arguments: tuple[Term, ...]) -> Code:
        """Whether optional inputs are there: the only calls that do not need the values."""
        for argument in arguments:
            if argument[0] != "name" or argument[1] not in self.names:
                raise NotationError(f"{function}({write(argument)}) needs the name of an input")
        names = [argument[1] for argument in arguments]
        if function == "given":
            return Code(BOOL, lambda env: all(env.has(name) for name in names))
        return Code(BOOL, lambda env: not any(env.has(name) for name in names))

    def _arithmetic(self, op: str, a: Term, b: Term) -> Code:
        return apply(op, [self.compile(a), self.compile(b)])

    def _negative(self, a: Term) -> Code:
        return apply("negative", [self.compile(a)])

    # Conditions

    def _compare(self, *parts: Any) -> Code:
        return compare([self.compile(term) for term in parts[::2]], parts[1::2])

    def _not(self, a: Term) -> Code:
        _, run, contextual = self.condition(a)
        return Code(BOOL, lambda env: negate(run(env)), contextual)

    def _and(self, a: Term, b: Term) -> Code:
        first, second = self.condition(a), self.condition(b)

        def both(env: Environment) -> Truth:
            truth: Truth = first.run(env)
            if truth is False:
                return False
            other: Truth = second.run(env)
            return other if truth else other and None

        return Code(BOOL, both, first.contextual or second.contextual)

    def _or(self, a: Term, b: Term) -> Code:
        first, second = self.condition(a), self.condition(b)

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
            raise NotationError(f"a choice between {first.sort} and {second.sort}")
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


def _constant(sort: Sort, value: Any) -> Code:
    return Code(sort, lambda env: value)


def _part(code: Code, element: Sort) -> Run:
    """What an item adds to a list: itself, or the elements of an Each."""
    if code.sort.name == "Each":
        spread = changed(code.run, convert(code.sort, each_of(element), {}) or identity)
        return lambda env: spread(env) or ()
    run = changed(code.run, convert(code.sort, element, {}))
    return lambda env: (run(env),)


def _item(xs: Any, at: int | None) -> Any:
    """`xs[at]`; unknown where the position is."""
    if at is None:
        return None
    if not -len(xs) <= at < len(xs):
        raise Undefined("index out of range")
    return xs[at]


def _pick(array: Any, at: tuple[Any, ...]) -> Any:
    """`array[at]`; unknown where the elements or a position are."""
    data = elements(array)
    if data is None or None in at:
        return None
    try:
        return data[at].tolist()
    except IndexError as error:
        raise Undefined("index out of range") from error
