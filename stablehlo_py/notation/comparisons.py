"""Compilation of chains of comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from stablehlo_py.notation.calls import Code, Run, nested_list_of
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.sorts import (
    ARRAY,
    BOOL,
    FLOAT,
    INT,
    NEVER,
    STR,
    TYPE,
    VALUE,
    Sort,
    scalar_of,
    unify,
)
from stablehlo_py.notation.terms import NotationError
from stablehlo_py.notation.values import Test, Truth, equal, every, member, negate, ordered, rows_of

Pair = tuple[int, str, int]
Compared = tuple[int, Test, int]

ORDERS: dict[str, Callable[[Any, Any], Truth]] = {
    "<": ordered(lambda a, b: a < b),
    "<=": ordered(lambda a, b: a <= b),
    ">": ordered(lambda a, b: a > b),
    ">=": ordered(lambda a, b: a >= b),
}
TESTS: dict[str, Callable[[Any, Any], Truth]] = {
    **ORDERS,
    "=": equal,
    "!=": lambda a, b: negate(equal(a, b)),
    "in": member,
    "not in": lambda a, b: negate(member(a, b)),
}


def pairs_of(ops: Sequence[str]) -> list[Pair]:
    """Return the pairs that a chain compares: neighbours; all pairs if all are to be equal."""
    if {*ops} == {"="}:
        return [(i, "=", j) for j in range(len(ops) + 1) for i in range(j)]
    return [(i, op, i + 1) for i, op in enumerate(ops)]


def compare(codes: list[Code], ops: Sequence[str]) -> Code:
    """Compile a chain of comparisons.

    Args:
        codes: The compiled terms, n + 1 of them.
        ops: The n operators between them.

    Returns:
        The code, of sort Bool.

    Raises:
        NotationError: If two compared terms are not comparable.
    """
    chain = _resolved(tuple(ops), *[code.sort for code in codes])
    runs = [nested_list_of(c.run) if c.sort == ARRAY else c.run for c in codes]
    contextual = True in [code.contextual for code in codes]
    return Code(BOOL, chain(runs), contextual)


@cache
def _resolved(ops: tuple[str, ...], *sorts: Sort) -> Callable[[list[Run]], Run]:
    """Return the function that makes the closure of a chain; raise NotationError if it compares no values."""
    pairs = pairs_of(ops)
    for i, op, j in pairs:
        if not _are_comparable(op, sorts[i], sorts[j]):
            raise NotationError(f"{sorts[i]} and {sorts[j]} are not comparable by {op}")
    tests = [(i, TESTS[op], j) for i, op, j in pairs]
    lifted = [sort.name == "Each" for sort in sorts]
    if any(lifted):
        return lambda runs: _each_chain(runs, lifted, tests)
    return lambda runs: _chain(runs, tests)


def _are_comparable(op: str, a: Sort, b: Sort) -> bool:
    """Test whether an operator compares two sorts."""
    scalars = scalar_of(a), scalar_of(b)
    common = None if VALUE in scalars else unify(*scalars)
    if op in ("in", "not in"):
        return common is not None and b.element is not None and (a.name != "List" or b.element.name == "List")
    return common in ((INT, FLOAT, NEVER) if op in ORDERS else (INT, FLOAT, BOOL, STR, TYPE, NEVER))


def _chain(runs: list[Run], tests: list[Compared]) -> Run:
    if len(tests) == 1:
        (first, second), test = runs, tests[0][1]
        return lambda env: test(first(env), second(env))

    def chain(env: Environment) -> Truth:
        values = [run(env) for run in runs]
        return every([test(values[i], values[j]) for i, test, j in tests])

    return chain


def _each_chain(runs: list[Run], lifted: list[bool], tests: list[Compared]) -> Run:
    """Evaluate a chain for each element of the terms that are an Each; false if their lengths differ."""

    def chain(env: Environment) -> Truth:
        values = [run(env) for run in runs]
        columns = [value for value, each in zip(values, lifted, strict=True) if each]
        for column in columns:  # faster than `any`
            if column is None:
                return None
        if len(columns) > 1 and len({*map(len, columns)}) > 1:
            return False
        count = len(columns[0])
        rows = rows_of([v if each else [v] * count for v, each in zip(values, lifted, strict=True)])
        found = [test(row[i], row[j]) for row, is_repeated in rows if not is_repeated for i, test, j in tests]
        return every(found)

    return chain
