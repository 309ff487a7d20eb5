"""Compilation of calls: overload resolution and the resulting closure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from stablehlo_py.notation import (  # noqa: F401 - they fill the table
    attribute_functions,
    graph_functions,
    list_functions,
    sharding_functions,
    type_functions,
    value_functions,
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
from stablehlo_py.notation.values import broadcast, nested_list, rows_of

Run = Callable[[Environment], Any]

_KEPT = 8192  # calls that formulas share: formulas of users are not bounded


class Code(NamedTuple):
    """A compiled term.

    Attributes:
        sort: Its sort.
        run: The closure that computes its value in an environment.
        contextual: Whether the value depends on more than types and attributes.
    """

    sort: Sort
    run: Run
    contextual: bool = False


@lru_cache(_KEPT)
def apply(name: str, *arguments: Code) -> Code:
    """Compile a call. Formulas repeat many calls, such as `shape(operand)`, which are one code.

    Args:
        name: The name of the function.
        *arguments: The compiled arguments.

    Returns:
        The code of the first exact overload, or of the first one that accepts converted arguments.

    Raises:
        NotationError: If the function is unknown, or no overload accepts the arguments.
    """
    if name not in FUNCTIONS:
        raise NotationError(f"undefined function {name}")
    code = _resolve(name, arguments)
    if code is None:
        raise NotationError(f"no overload of {name} accepts ({', '.join(str(a.sort) for a in arguments)})")
    return code


def changed(run: Run, change: Convert | None) -> Run:
    """Return a closure followed by a conversion; unknown values stay unknown."""
    if change is None or change is identity:
        return run
    if change is type_of:
        return lambda env: None if (x := run(env)) is None else x.type
    return lambda env: None if (x := run(env)) is None else change(x)


def nested_list_of(run: Run) -> Run:
    """Return the closure of an Array, converted to nested lists."""
    return lambda env: nested_list(run(env))


def _resolve(name: str, arguments: Sequence[Code]) -> Code | None:
    """Resolve a call: directly, mapped over each Each, with each Each as a List, or element by element."""
    direct = _direct(name, arguments)
    if direct:
        return direct
    if any(a.sort.name == "Each" for a in arguments):
        return _mapped(name, arguments) or _resolve(name, [_as_list(a) for a in arguments])
    return _elementwise(name, arguments)


def _as_list(code: Code) -> Code:
    element = code.sort.element
    return code._replace(sort=list_of(element)) if element and code.sort.name == "Each" else code


def _direct(name: str, arguments: Sequence[Code]) -> Code | None:
    """Call the overload that accepts the arguments."""
    found = _accepting(name, tuple([a.sort for a in arguments]))
    if found is None:
        return None
    overload, changes, result = found
    runs = [changed(a.run, change) for a, change in zip(arguments, changes, strict=True)]
    contextual = overload.contextual or True in [a.contextual for a in arguments]
    return Code(result, _call(overload, runs), contextual)


@cache
def _accepting(name: str, sorts: tuple[Sort, ...]) -> tuple[Overload, list[Convert], Sort] | None:
    """Find the first overload that matches exactly, or else the first that accepts converted arguments.

    Args:
        name: The name of the function.
        sorts: The sorts of the arguments.

    Returns:
        The overload, the conversions of the arguments, and the sort of the result.
    """
    found = None
    for overload in FUNCTIONS[name]:
        bindings: dict[str, Sort] = {}
        changes = _changes(overload, sorts, bindings)
        if changes is None:
            continue
        exact = all(change is identity for change in changes)
        if exact or found is None:
            found = (overload, changes, _substituted(overload.result, bindings))
        if exact:
            break
    return found


def _changes(overload: Overload, sorts: Sequence[Sort], bindings: dict[str, Sort]) -> list[Convert] | None:
    """Return the conversions of arguments to an overload's parameters, or None if it does not accept them."""
    if len(sorts) != len(overload.parameters):
        return None
    changes = [convert(s, wanted, bindings) for s, wanted in zip(sorts, overload.parameters, strict=True)]
    return None if None in changes else [change for change in changes if change]


def _substituted(sort: Sort, bindings: dict[str, Sort]) -> Sort:
    """Substitute a signature's variable in the sort of the result."""
    if sort.is_variable:
        return bindings.get("T", NEVER)
    return Sort(sort.name, _substituted(sort.element, bindings)) if sort.element else sort


def _call(overload: Overload, runs: list[Run]) -> Run:
    """Return the closure of a call; the result is unknown if an argument is."""
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


def _elementwise(name: str, arguments: Sequence[Code]) -> Code | None:
    """Apply a function of scalars to lists, element by element."""
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


def _mapped(name: str, arguments: Sequence[Code]) -> Code | None:
    """Map a call over all arguments that are an Each, in lockstep.

    The current elements are stored in environment slots, one for each argument.
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
    return Code(each_of(result.sort), _for_each(sources, result.run, result.contextual), result.contextual)


def _slot(name: str) -> Run:
    return lambda env: env[name]


def _for_each(sources: list[tuple[str, Run]], body: Run, contextual: bool) -> Run:
    """Evaluate `body` for each row of the sources, with the elements of the row in the slots."""

    def run(env: Environment) -> list[Any] | None:
        columns = [source(env) for _, source in sources]
        for column in columns:  # faster than `any`
            if column is None:
                return None
        if len(columns) > 1 and len({*map(len, columns)}) > 1:
            raise Undefined("lists of unequal length")
        found: list[Any] = []
        for row, is_repeated in rows_of(columns):
            if is_repeated and not contextual:
                found.append(found[-1])
                continue
            for (slot, _), element in zip(sources, row, strict=True):
                env[slot] = element
            found.append(body(env))
        return found

    return run
