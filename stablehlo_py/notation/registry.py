"""The table of functions: name to overloads, each with its signature."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from stablehlo_py.notation.sorts import Sort, parse_sort

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature of a function, and what computes it.

    An argument that is unknown makes the result unknown, unless `lenient`. `elementwise`: on lists,
    element by element. `contextual`: the environment comes first, because the result depends on more
    than types and attributes.
    """

    parameters: tuple[Sort, ...]
    result: Sort
    function: Callable[..., Any]
    elementwise: bool = False
    contextual: bool = False
    lenient: bool = False


FUNCTIONS: dict[str, list[Overload]] = {}

_SIGNATURE = re.compile(r"(\S+?)\((.*)\) -> (\S+)$")


def defined(
    *signatures: str, elementwise: bool = False, contextual: bool = False, lenient: bool = False
) -> Callable[[F], F]:
    """Makes a Python function one of the notation's, under signatures such as `dim(Type, Int) -> Int`."""

    def register(function: F) -> F:
        for signature in signatures:
            match = _SIGNATURE.match(signature)
            assert match, signature
            name, parameters, result = match.groups()
            sorts = tuple(parse_sort(p) for p in parameters.split(", ") if p)
            overload = Overload(sorts, parse_sort(result), function, elementwise, contextual, lenient)
            FUNCTIONS.setdefault(name, []).append(overload)
        return function

    return register
