"""Calls: which overload a call means, and the closure that computes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from stablehlo_py.notation import (  # noqa: F401 - they fill the table
    attribute_functions,
    graph_functions,
    list_functions,
    sharding_functions,
    type_functions,
)
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.registry import FUNCTIONS, Overload
from stablehlo_py.notation.sorts import (
    ARRAY,
    NEVER,
    Convert,
    Sort,
    Undefined,
    convert,
    each_of,
    identity,
    list_of,
    scalar_of,
    type_of,
)
from stablehlo_py.notation.terms import NotationError
from stablehlo_py.notation.values import broadcast, nested_list

Run = Callable[[Environment], Any]


class Code(NamedTuple):
    """A compiled term: its sort, its closure, and whether it looks at more than types and attributes."""

    sort: Sort
    run: Run
    contextual: bool = False


def apply(name: str, arguments: list[Code]) -> Code:
    """The code of a call. Raises NotationError if no overload takes the arguments."""
    if name not in FUNCTIONS:
        raise NotationError(f"there is no function {name}")
    code = _resolve(name, arguments)
    if code is None:
        raise NotationError(f"{name} does not take ({', '.join(str(a.sort) for a in arguments)})")
    return code


def changed(run: Run, change: Convert | None) -> Run:
    """A closure followed by a conversion; unknown stays unknown."""
    if change is None or change is identity:
        return run
    if change is type_of:
        return lambda env: None if (x := run(env)) is None else x.type
    return lambda env: None if (x := run(env)) is None else change(x)


def nested_list_of(run: Run) -> Run:
    """The closure of an Array as that of nested lists."""
    return lambda env: nested_list(run(env))


def _resolve(name: str, arguments: list[Code]) -> Code | None:
    """The call as it stands; or for every element of an Each; or with each Each as a list; or of a list."""
    direct = _direct(name, arguments)
    if direct:
        return direct
    if any(a.sort.name == "Each" for a in arguments):
        return _mapped(name, arguments) or _resolve(name, [_as_list(a) for a in arguments])
    return _elementwise(name, arguments)


def _as_list(code: Code) -> Code:
    element = code.sort.element
    return code._replace(sort=list_of(element)) if element and code.sort.name == "Each" else code


def _direct(name: str, arguments: list[Code]) -> Code | None:
    """The call of the overload that takes the arguments: as they are if one does, or else converted."""
    found = None
    for overload in FUNCTIONS[name]:
        bindings: dict[str, Sort] = {}
        changes = _changes(overload, [a.sort for a in arguments], bindings)
        if changes is None:
            continue
        exact = all(change is identity for change in changes)
        if exact or found is None:
            runs = [changed(a.run, change) for a, change in zip(arguments, changes, strict=True)]
            contextual = overload.contextual or any(a.contextual for a in arguments)
            found = Code(_substituted(overload.result, bindings), _call(overload, runs), contextual)
        if exact:
            break
    return found


def _changes(overload: Overload, sorts: list[Sort], bindings: dict[str, Sort]) -> list[Convert] | None:
    """How arguments of these sorts become the overload's, None if they cannot."""
    if len(sorts) != len(overload.parameters):
        return None
    changes = [convert(s, wanted, bindings) for s, wanted in zip(sorts, overload.parameters, strict=True)]
    return None if None in changes else [change for change in changes if change]


def _substituted(sort: Sort, bindings: dict[str, Sort]) -> Sort:
    """A result's sort, with what the signature's variable stands for."""
    if sort.is_variable:
        return bindings.get("T", NEVER)
    return Sort(sort.name, _substituted(sort.element, bindings)) if sort.element else sort


def _call(overload: Overload, runs: list[Run]) -> Run:
    """The closure of a call; an unknown argument makes it unknown."""
    function = overload.function
    if overload.contextual:
        return lambda env: function(env, *[run(env) for run in runs])
    if overload.lenient:
        return lambda env: function(*[run(env) for run in runs])
    if len(runs) == 1:
        (only,) = runs
        if function is identity:
            return only
        return lambda env: None if (x := only(env)) is None else function(x)

    def call(env: Environment) -> Any:
        values = [run(env) for run in runs]
        for value in values:
            if value is None:
                return None
        return function(*values)

    return call


def _elementwise(name: str, arguments: list[Code]) -> Code | None:
    """A call on lists of a function of scalars, element by element."""
    if not any(a.sort.name == "List" or a.sort == ARRAY for a in arguments):
        return None
    runs = [nested_list_of(a.run) if a.sort == ARRAY else a.run for a in arguments]
    scalars = [scalar_of(a.sort) for a in arguments]
    contextual = any(a.contextual for a in arguments)
    for overload in FUNCTIONS[name]:
        if overload.elementwise and _changes(overload, scalars, {}) is not None:
            return Code(list_of(overload.result), _broadcast(overload, runs), contextual)
    return None


def _broadcast(overload: Overload, runs: list[Run]) -> Run:
    function = overload.function
    return lambda env: broadcast(function, *[run(env) for run in runs])


def _mapped(name: str, arguments: list[Code]) -> Code | None:
    """A call for every element of the arguments that are an Each, in step.

    The elements are put into slots of the environment, one argument at a time.
    """
    inner, sources = [], []
    for index, argument in enumerate(arguments):
        slot = f".{name}{index}"
        if argument.sort.name == "Each" and argument.sort.element:
            sources.append((slot, argument.run))
            argument = Code(argument.sort.element, _slot(slot), argument.contextual)
        inner.append(argument)
    result = _resolve(name, inner)
    if result is None:
        return None
    return Code(each_of(result.sort), _for_each(sources, result.run), result.contextual)


def _slot(name: str) -> Run:
    return lambda env: env[name]


def _for_each(sources: list[tuple[str, Run]], body: Run) -> Run:
    """Evaluates `body` with each slot set to the elements of its source, in step."""

    def run(env: Environment) -> list[Any] | None:
        columns = [source(env) for _, source in sources]
        if any(column is None for column in columns):
            return None
        if len({len(column) for column in columns}) > 1:
            raise Undefined("lists of unequal length")
        found = []
        for row in zip(*columns, strict=True):
            for (slot, _), element in zip(sources, row, strict=True):
                env[slot] = element
            found.append(body(env))
        return found

    return run
