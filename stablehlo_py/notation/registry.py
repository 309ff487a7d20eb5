"""The registry of notation functions: the overloads of each name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from stablehlo_py.ir.records import dataclass
from stablehlo_py.notation.sorts import Sort, parse_sort

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Overload:
    """One overload of a function.

    Attributes:
        parameters: The sorts of its parameters.
        result: The sort of its result.
        function: Its implementation.
        elementwise: Whether it applies to lists, element by element.
        contextual: Whether the result depends on more than types and attributes; the implementation
            then takes the environment as first argument.
        lenient: Whether it accepts unknown arguments; otherwise they make the result unknown.
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
    """Register a Python function as a notation function.

    Args:
        *signatures: Its signatures, such as `dim(Type, Int) -> Int`.
        elementwise: See `Overload`.
        contextual: See `Overload`.
        lenient: See `Overload`.

    Returns:
        A decorator that returns the function unchanged.
    """

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


@cache
def contextual_functions() -> frozenset[str]:
    """Return the names of functions of which an overload is contextual."""
    found = [name for name, overloads in FUNCTIONS.items() if any(o.contextual for o in overloads)]
    return frozenset(found)
