"""From terms to closures: names and sorts are checked here, once; what is left only computes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from stablehlo_py.ir.types import INDEX, TOKEN, FloatType, IntegerType
from stablehlo_py.notation import (  # noqa: F401 - fill the table
    attribute_functions,
    graph_functions,
    list_functions,
    type_functions,
)
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.registry import FUNCTIONS, Overload
from stablehlo_py.notation.sorts import (
    ARRAY,
    BOOL,
    FLOAT,
    INT,
    NEVER,
    STR,
    TYPE,
    VALUE,
    Convert,
    Sort,
    Undefined,
    convert,
    each_of,
    identity,
    list_of,
    unify,
)
from stablehlo_py.notation.terms import NotationError, Term, write
from stablehlo_py.notation.values import broadcast, elements, equal, every, member, negate, ordered, plain
from stablehlo_py.opset.kinds import ENUMS

Run = Callable[[Environment], Any]
Code = tuple[Sort, Run]

ENUM_VALUES = frozenset(value for enum in ENUMS.values() for value in enum.values)
TYPE_NAMES: dict[str, Any] = {
    **{f"i{width}": IntegerType(width) for width in (1, 2, 4, 8, 16, 32, 64)},
    **{f"ui{width}": IntegerType(width, "u") for width in (2, 4, 8, 16, 32, 64)},
    **{name: FloatType(name) for name in ("bf16", "f16", "f32", "f64")},
    "index": INDEX,
    "token": TOKEN,
}
ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "<": ordered(lambda a, b: a < b),
    "<=": ordered(lambda a, b: a <= b),
    ">": ordered(lambda a, b: a > b),
    ">=": ordered(lambda a, b: a >= b),
}
TESTS: dict[str, Callable[[Any, Any], Any]] = {
    **ORDERS,
    "=": equal,
    "!=": lambda a, b: negate(equal(a, b)),
    "in": member,
    "not in": lambda a, b: negate(member(a, b)),
}


class Compiler:
    """Compiles terms in the scope of an op: `names` gives the sort of each name that is bound.

    `contextual` becomes true when a term looks at more than types and attributes.
    """

    def __init__(self, names: dict[str, Sort]) -> None:
        self.names = names
        self.contextual = False

    def compile(self, term: Term) -> Code:
        """A term's sort and closure. Raises NotationError."""
        code: Code = getattr(self, "_" + term[0])(*term[1:])
        return code

    def condition(self, term: Term) -> Run:
        """The closure of a term that must be a Bool. Raises NotationError."""
        sort, run = self.compile(term)
        if sort == BOOL:
            return run
        if sort.element == BOOL:
            return lambda env: _every(run(env))
        raise NotationError(f"{write(term)} must be a Bool, but it is of sort {sort}")

    # Atoms

    def _name(self, name: str) -> Code:
        if name in self.names:
            return self.names[name], lambda env: env[name]
        if name in ENUM_VALUES:
            return STR, lambda env: name
        if name in TYPE_NAMES:
            type = TYPE_NAMES[name]
            return TYPE, lambda env: type
        raise NotationError(f"nothing is called {name}")

    def _int(self, value: int) -> Code:
        return INT, lambda env: value

    def _real(self, value: float) -> Code:
        return FLOAT, lambda env: value

    def _text(self, value: str) -> Code:
        return STR, lambda env: value

    def _bool(self, value: bool) -> Code:
        return BOOL, lambda env: value

    def _list(self, *items: Term) -> Code:
        codes = [self.compile(item) for item in items]
        element = NEVER
        for sort, _ in codes:
            unified = unify(element, sort.element if sort.name == "Each" and sort.element else sort)
            if unified is None:
                raise NotationError(f"a list of both {element} and {sort}")
            element = unified
        parts = [self._part(sort, run, element) for sort, run in codes]
        return list_of(element), lambda env: [x for part in parts for x in part(env)]

    @staticmethod
    def _part(sort: Sort, run: Run, element: Sort) -> Run:
        """What an item adds to a list: itself, or the elements of an Each."""
        if sort.name == "Each":
            change = convert(sort, each_of(element), {}) or identity
            return lambda env: change(run(env)) or ()
        change = convert(sort, element, {}) or identity
        return lambda env: (change(run(env)),)

    # Lists

    def _each(self, xs: Term) -> Code:
        sort, run = self.compile(xs)
        if sort == ARRAY:
            return each_of(INT), lambda env: plain(run(env))
        if sort.element is None:
            raise NotationError(f"{write(xs)}... needs a list, not {sort}")
        return each_of(sort.element), run

    def _concat(self, a: Term, b: Term) -> Code:
        return self._apply("concatenate", [self.compile(a), self.compile(b)])

    def _index(self, x: Term, *subscripts: Term) -> Code:
        sort, run = self.compile(x)
        if sort.name == "Each" and sort.element is not None:
            inner = self._subscribed(sort.element, subscripts, write(x))
            return each_of(inner[0]), lambda env: [inner[1](item, env) for item in run(env)]
        result, get = self._subscribed(sort, subscripts, write(x))
        return result, lambda env: None if (value := run(env)) is None else get(value, env)

    def _subscribed(
        self, sort: Sort, subscripts: tuple[Term, ...], name: str
    ) -> tuple[Sort, Callable[[Any, Environment], Any]]:
        """What `x[..]` gives, for an `x` of a sort."""
        if sort == ARRAY:
            return self._array_index(subscripts)
        if sort.element is None or len(subscripts) != 1:
            raise NotationError(f"{name} of sort {sort} cannot be indexed like this")
        (subscript,) = subscripts
        if subscript[0] == "slice":
            start, stop = self._bound(subscript[1]), self._bound(subscript[2])
            return list_of(sort.element), lambda xs, env: xs[start(env) : stop(env)]
        at_sort, at = self.compile(subscript)
        if at_sort == INT:
            return sort.element, lambda xs, env: item(xs, at(env))
        if at_sort.element == INT:
            return Sort(at_sort.name, sort.element), lambda xs, env: [item(xs, i) for i in at(env)]
        raise NotationError(f"an index of sort {at_sort}")

    def _bound(self, term: Term | None) -> Run:
        if term is None:
            return lambda env: None
        sort, run = self.compile(term)
        if sort != INT:
            raise NotationError(f"a slice to {write(term)}, of sort {sort}")
        return run

    def _array_index(
        self, subscripts: tuple[Term, ...]
    ) -> tuple[Sort, Callable[[Any, Environment], Any]]:
        """`a[i, j]` is an Int; `a[i]`, `a[:, j]` of a 2-dimensional Array are lists."""
        runs: list[Run] = []
        for term in subscripts:
            if term[0] == "slice":
                start, stop = self._bound(term[1]), self._bound(term[2])
                runs.append(lambda env, start=start, stop=stop: slice(start(env), stop(env)))  # type: ignore[misc]
            else:
                runs.append(self._bound(term))
        whole = len(subscripts) == 2 and all(term[0] != "slice" for term in subscripts)
        return (INT if whole else list_of(INT)), lambda a, env: _pick(a, tuple(run(env) for run in runs))

    def _comprehension(self, e: Term, name: str, xs: Term, condition: Term | None) -> Code:
        element, source = self._elements_of(xs)
        inner = self._binding(name, element)
        sort, run = inner.compile(e)
        test = inner.condition(condition) if condition else (lambda env: True)
        self.contextual |= inner.contextual

        def collect(env: Environment) -> list[Any]:
            found = []
            for env[name] in source(env):
                kept = test(env)
                if kept is None:
                    raise Undefined("a choice that depends on an unknown size")
                if kept:
                    found.append(run(env))
            return found

        return list_of(sort), collect

    def _elements_of(self, xs: Term) -> tuple[Sort, Run]:
        """The elements that a `for` goes over; none are known of an unknown list."""
        sort, run = self.compile(xs)
        if sort == ARRAY:
            return INT, lambda env: plain(run(env)) or ()
        if sort.element is None:
            raise NotationError(f"for .. in {write(xs)} needs a list, not {sort}")
        return sort.element, lambda env: run(env) or ()

    def _binding(self, name: str, sort: Sort) -> Compiler:
        """A compiler for what is inside a `for` or `let`."""
        if name in self.names:
            raise NotationError(f"{name} is already the name of something")
        return Compiler({**self.names, name: sort})

    # Calls

    def _call(self, name: str, *arguments: Term) -> Code:
        if name in ("given", "is_empty_algorithm"):
            return self._presence(name, arguments)
        return self._apply(name, [self.compile(argument) for argument in arguments])

    def _presence(self, function: str, arguments: tuple[Term, ...]) -> Code:
        """Whether optional inputs are there: the only calls that do not need the values."""
        names = [str(argument[1]) for argument in arguments]
        for argument, name in zip(arguments, names, strict=True):
            if argument[0] != "name" or name not in self.names:
                raise NotationError(f"{function}({write(argument)}) needs the name of an input")
        if function == "given":
            return BOOL, lambda env: all(env.has(name) for name in names)
        return BOOL, lambda env: not any(env.has(name) for name in names)

    def _arithmetic(self, op: str, a: Term, b: Term) -> Code:
        return self._apply(op, [self.compile(a), self.compile(b)])

    def _negative(self, a: Term) -> Code:
        return self._apply("negative", [self.compile(a)])

    def _apply(self, name: str, arguments: list[Code]) -> Code:
        if name not in FUNCTIONS:
            raise NotationError(f"there is no function {name}")
        code = self._resolve(name, arguments)
        if code is None:
            sorts = ", ".join(str(sort) for sort, _ in arguments)
            raise NotationError(f"{name} does not take ({sorts})")
        return code

    def _resolve(self, name: str, arguments: list[Code]) -> Code | None:
        """The call as it stands; or for every element of an Each; or of a list; or of an Each as a list."""
        direct = self._direct(name, arguments)
        if direct:
            return direct
        if any(sort.name == "Each" for sort, _ in arguments):
            return self._lifted(name, arguments) or self._resolve(
                name, [(list_of(s.element) if s.name == "Each" and s.element else s, r) for s, r in arguments]
            )
        if FUNCTIONS[name][0].elementwise:
            lists = [(list_of(INT), _plain_of(r)) if s == ARRAY else (s, r) for s, r in arguments]
            if any(sort.name == "List" for sort, _ in lists):
                return self._elementwise(name, lists)
        return None

    def _elementwise(self, name: str, arguments: list[Code]) -> Code | None:
        """A call on lists, element by element."""
        scalars = [(_scalar(sort), run) for sort, run in arguments]
        for overload in FUNCTIONS[name]:
            pairs = zip(scalars, overload.parameters, strict=False)
            if len(scalars) == len(overload.parameters) and all(convert(s, p, {}) for (s, _), p in pairs):
                runs = [run for _, run in arguments]
                return list_of(overload.result), lambda env: broadcast(overload.function, *[r(env) for r in runs])
        return None

    def _direct(self, name: str, arguments: list[Code]) -> Code | None:
        for overload in FUNCTIONS[name]:
            if len(overload.parameters) != len(arguments):
                continue
            bindings: dict[str, Sort] = {}
            changes = [
                convert(sort, wanted, bindings)
                for (sort, _), wanted in zip(arguments, overload.parameters, strict=True)
            ]
            if None not in changes:
                self.contextual |= overload.contextual
                runs = [_changed(run, change) for (_, run), change in zip(arguments, changes, strict=True)]
                return _bound_sort(overload.result, bindings), call(overload, runs)
        return None

    def _lifted(self, name: str, arguments: list[Code]) -> Code | None:
        """A call for every element of the arguments that are an Each, in step."""
        slots = [f".{name}{i}" for i in range(len(arguments))]
        inner: list[Code] = []
        for slot, (sort, run) in zip(slots, arguments, strict=True):
            inner.append((sort.element, _slot(slot)) if sort.name == "Each" and sort.element else (sort, run))
        result = self._resolve(name, inner)
        if result is None:
            return None
        sources = [(slot, run) for slot, (s, run) in zip(slots, arguments, strict=True) if s.name == "Each"]
        return each_of(result[0]), _for_each(sources, result[1])

    # Conditions

    def _compare(self, *parts: Any) -> Code:
        codes = [self._comparable(self.compile(term)) for term in parts[::2]]
        ops = parts[1::2]
        pairs = [(i, ops[i], i + 1) for i in range(len(ops))]
        if all(op == "=" for op in ops):
            pairs = [(i, "=", j) for j in range(len(codes)) for i in range(j)]
        for i, op, j in pairs:
            check_comparable(op, codes[i][0], codes[j][0])
        return BOOL, _comparison(codes, pairs)

    @staticmethod
    def _comparable(code: Code) -> Code:
        sort, run = code
        return (sort, _plain_of(run)) if sort == ARRAY else code

    def _not(self, a: Term) -> Code:
        run = self.condition(a)
        return BOOL, lambda env: negate(run(env))

    def _and(self, a: Term, b: Term) -> Code:
        first, second = self.condition(a), self.condition(b)

        def both(env: Environment) -> bool | None:
            truth: bool | None = first(env)
            if truth is False:
                return False
            other: bool | None = second(env)
            return other if truth else (None if other else other)

        return BOOL, both

    def _or(self, a: Term, b: Term) -> Code:
        first, second = self.condition(a), self.condition(b)

        def either(env: Environment) -> bool | None:
            truth: bool | None = first(env)
            if truth:
                return True
            other: bool | None = second(env)
            return other if truth is False else (other or None)

        return BOOL, either

    def _if(self, a: Term, b: Term, c: Term | None) -> Code:
        if c:
            return self._choice(a, b, c)
        test, body = self.condition(a), self.condition(b)

        def implies(env: Environment) -> bool | None:
            truth: bool | None = test(env)
            if truth is False:
                return True
            holds: bool | None = body(env)
            return holds if truth else (holds or None)

        return BOOL, implies

    def _choice(self, c: Term, a: Term, b: Term) -> Code:
        test = self.condition(c)
        (a_sort, a_run), (b_sort, b_run) = self.compile(a), self.compile(b)
        sort = unify(a_sort, b_sort)
        if sort is None:
            raise NotationError(f"a choice between {a_sort} and {b_sort}")
        first = _changed(a_run, convert(a_sort, sort, {}))
        second = _changed(b_run, convert(b_sort, sort, {}))

        def choose(env: Environment) -> Any:
            truth = test(env)
            return None if truth is None else first(env) if truth else second(env)

        return sort, choose

    def _for(self, name: str, xs: Term, body: Term) -> Code:
        element, source = self._elements_of(xs)
        inner = self._binding(name, element)
        run = inner.condition(body)
        self.contextual |= inner.contextual

        def all_hold(env: Environment) -> bool | None:
            truth: bool | None = True
            for env[name] in source(env):
                holds = run(env)
                if holds is False:
                    return False
                truth = truth and holds
            return truth

        return BOOL, all_hold

    def _let(self, name: str, value: Term, body: Term) -> Code:
        sort, run = self.compile(value)
        inner = self._binding(name, sort)
        result, then = inner.compile(body)
        self.contextual |= inner.contextual

        def bound(env: Environment) -> Any:
            env[name] = run(env)
            return then(env)

        return result, bound


def item(xs: Any, at: int | None) -> Any:
    """`xs[at]`; unknown where either is."""
    if at is None or xs is None:
        return None
    if not -len(xs) <= at < len(xs):
        raise Undefined("index out of range")
    return xs[at]


def check_comparable(op: str, a: Sort, b: Sort) -> None:
    """Raises NotationError for a comparison that is never meant."""
    if op in ("in", "not in"):
        if b.element is None or unify(_scalar(a), _scalar(b.element)) is None or a.name == "List":
            raise NotationError(f"{a} {op} {b}")
        return
    common = None if VALUE in (_scalar(a), _scalar(b)) else unify(_scalar(a), _scalar(b))
    allowed = (INT, FLOAT) if op in ORDERS else (INT, FLOAT, BOOL, STR, TYPE, NEVER)
    if common not in allowed:
        raise NotationError(f"{a} {op} {b}")


def _scalar(sort: Sort) -> Sort:
    """The sort of the scalars in a list of whatever depth."""
    while sort.element is not None:
        sort = sort.element
    return INT if sort == ARRAY else sort


def _comparison(codes: list[Code], pairs: list[tuple[int, str, int]]) -> Run:
    """The closure of a chain: all its terms, and then the tests between them."""
    runs = [run for _, run in codes]
    if any(sort.name == "Each" for sort, _ in codes):
        return _each_comparison(codes, pairs)
    if len(pairs) == 1:
        (first, second), test = runs, TESTS[pairs[0][1]]
        return lambda env: test(first(env), second(env))
    tests = [(i, TESTS[op], j) for i, op, j in pairs]

    def chain(env: Environment) -> bool | None:
        values = [run(env) for run in runs]
        return every([test(values[i], values[j]) for i, test, j in tests])

    return chain


def _each_comparison(codes: list[Code], pairs: list[tuple[int, str, int]]) -> Run:
    """A chain where some terms are an Each: all of it for every element; false if lengths differ."""
    lifted = [sort.name == "Each" for sort, _ in codes]
    tests = [(i, TESTS[op], j) for i, op, j in pairs]

    def chain(env: Environment) -> bool | None:
        values = [run(env) for _, run in codes]
        if None in [v for v, each in zip(values, lifted, strict=True) if each]:
            return None
        lengths = {len(v) for v, each in zip(values, lifted, strict=True) if each}
        if len(lengths) > 1:
            return False
        rows = [[v[k] if each else v for v, each in zip(values, lifted, strict=True)] for k in range(*lengths)]
        return every([test(row[i], row[j]) for row in rows for i, test, j in tests])

    return chain


def call(overload: Overload, runs: list[Run]) -> Run:
    """The closure of a call; an unknown argument makes it unknown."""
    function = overload.function
    if overload.contextual:
        return lambda env: function(env, *[run(env) for run in runs])
    if overload.lenient:
        return lambda env: function(*[run(env) for run in runs])
    if len(runs) == 1:
        (only,) = runs
        return lambda env: None if (x := only(env)) is None else function(x)

    def apply(env: Environment) -> Any:
        values = [run(env) for run in runs]
        return None if any(v is None for v in values) else function(*values)

    return apply


def _changed(run: Run, change: Convert | None) -> Run:
    if change is None or change is identity:
        return run
    return lambda env: None if (x := run(env)) is None else change(x)


def _plain_of(run: Run) -> Run:
    return lambda env: plain(run(env))


def _slot(name: str) -> Run:
    return lambda env: env[name]


def _every(truths: Any) -> bool | None:
    return None if truths is None else every(truths)


def _bound_sort(sort: Sort, bindings: dict[str, Sort]) -> Sort:
    """A result's sort, with what the signature's variable stands for."""
    if sort.is_variable:
        return bindings.get("T", NEVER)
    return Sort(sort.name, _bound_sort(sort.element, bindings)) if sort.element else sort


def _for_each(sources: list[tuple[str, Run]], body: Run) -> Run:
    """Evaluates `body` with each slot set to the elements of its source, in step."""

    def run(env: Environment) -> list[Any] | None:
        columns = [source(env) for _, source in sources]
        lengths = {len(column) for column in columns if isinstance(column, tuple | list)}
        if any(column is None for column in columns):
            return None
        if len(lengths) > 1:
            raise Undefined("lists of unequal length")
        found = []
        for k in range(*lengths):
            for (slot, _), column in zip(sources, columns, strict=True):
                env[slot] = column[k]
            found.append(body(env))
        return found

    return run


def _pick(array: Any, at: tuple[Any, ...]) -> Any:
    data = elements(array)
    if data is None or None in at:
        return None
    try:
        return data[at].tolist()
    except IndexError as error:
        raise Undefined("index out of range") from error
