"""Evaluation of formulas over names bound by a test, without an op."""

from __future__ import annotations

from typing import Any

from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.core import Operation, Region, Value
from stablehlo_py.ir.types import Type
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.scope import EMPTY_CONTEXT
from stablehlo_py.notation.sorts import (
    ARRAY,
    BOOL,
    FLOAT,
    FUNCTION,
    INT,
    NEVER,
    STR,
    TYPE,
    VALUE,
    Sort,
    list_of,
)
from stablehlo_py.notation.terms import parse

_SORTS: list[tuple[Any, Sort]] = [
    (bool, BOOL),
    (int, INT),
    (float, FLOAT),
    (str, STR),
    (Type, TYPE),
    (Value, VALUE),
    (Region, FUNCTION),
    (Attribute, ARRAY),
]


def sort_of(value: Any) -> Sort:
    """The sort of a Python value; None is an unknown Int."""
    if isinstance(value, list):
        return list_of(next((sort_of(x) for x in value), NEVER))
    return INT if value is None else next(sort for kind, sort in _SORTS if isinstance(value, kind))


def environment(names: dict[str, Any]) -> Environment:
    env = Environment(Operation("test.op"), EMPTY_CONTEXT, {})
    env.update(names)
    return env


def evaluate(formula: str, **names: Any) -> Any:
    """The value of a formula of any sort."""
    sorts = {name: sort_of(value) for name, value in names.items()}
    return Compiler(sorts).compile(parse(formula)).run(environment(names))


def holds(formula: str, **names: Any) -> bool | None:
    """Whether a condition is true; None if that is unknown."""
    sorts = {name: sort_of(value) for name, value in names.items()}
    eager, lazy = (Compiler(sorts, is_lazy).condition(parse(formula)) for is_lazy in (False, True))
    truth: bool | None = eager.run(environment(names))
    assert truth is lazy.run(environment(names))
    assert eager.contextual is lazy.contextual
    return truth
