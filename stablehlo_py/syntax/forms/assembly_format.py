"""Assembly formats: an op's pretty form, declared in its definition.

A form is written in the terms of MLIR's operation definitions:

    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)

- a word in backticks is printed as it is (` `` ` prints nothing and joins what surrounds it);
- `$name` is an operand, attribute, region or successor; `operands` all operands; `type($name)`,
  `type(operands)` and `type(results)` their types; `functional-type(operands, results)` the whole signature;
- `attr-dict` holds every attribute that the form does not name;
- `( ... ^ ... )?` is printed when the element before `^` is present;
- `custom<name>(...)` is a directive: a rule in `grammar/` and an entry in `forms/directives/`, of that name.

The parser's grammar and the printer are both made from the elements that `parse_form` returns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from stablehlo_py.ir.records import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """Punctuation or a keyword."""

    text: str


@dataclass(frozen=True, slots=True)
class Ref:
    """`$name`: an operand, attribute, region or successor of the definition."""

    name: str


@dataclass(frozen=True, slots=True)
class AllOperands:
    """`operands`."""


@dataclass(frozen=True, slots=True)
class AttrDict:
    """`attr-dict`, or `attr-dict-with-keyword`."""

    keyword: bool = False


@dataclass(frozen=True, slots=True)
class TypeOf:
    """`type($name)`, `type(operands)`, `type(results)`: `name` is the bare word."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionalType:
    """`functional-type(operands, results)`."""


@dataclass(frozen=True, slots=True)
class Directive:
    """`custom<name>(arguments)`."""

    name: str
    arguments: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True)
class Optional:
    """`( ... anchor^ ... )?`."""

    elements: tuple[Element, ...]
    anchor: Element


Element = Literal | Ref | AllOperands | AttrDict | TypeOf | FunctionalType | Directive | Optional

_TOKEN = re.compile(
    r"\s*(?:`(?P<literal>[^`]*)`|\$(?P<ref>\w+)|custom<(?P<directive>\w+)>\(|type\(\$?(?P<type>\w+)\)"
    r"|(?P<functional>functional-type\(operands, results\))|(?P<attrs>attr-dict(?:-with-keyword)?)"
    r"|(?P<operands>operands)|(?P<open>\()|(?P<close>\)\??)|(?P<anchor>\^)|(?P<comma>,))"
)


@cache
def parse_form(form: str) -> tuple[Element, ...]:
    """Parse an assembly format.

    Args:
        form: The format, as an op's definition states it.

    Returns:
        The format's elements, in order.

    Raises:
        ValueError: The format is malformed.
    """
    elements, at = _elements(form, 0)
    if at != len(form.rstrip()):
        raise ValueError(f"malformed assembly format at {form[at:]!r}")
    return elements


def directives_of(elements: Iterable[Element]) -> Iterator[Directive]:
    """Yield the `custom<...>` directives among elements, including those of optional groups."""
    for element in elements:
        if isinstance(element, Directive):
            yield element
        elif isinstance(element, Optional):
            yield from directives_of(element.elements)


def _elements(form: str, at: int) -> tuple[tuple[Element, ...], int]:
    """Return the elements up to a closing parenthesis or the end, and the position after them."""
    found: list[Element] = []
    anchor: Element | None = None
    end = len(form.rstrip())
    while at < end:
        match = _TOKEN.match(form, at)
        if match is None:
            raise ValueError(f"malformed assembly format at {form[at:]!r}")
        kind, at = match.lastgroup, match.end()
        if kind == "close":
            if anchor is not None:
                found = [Optional(tuple(found), anchor)]
            return tuple(found), at
        if kind == "anchor":
            anchor = found[-1]
        elif kind == "open" or kind == "directive":
            inner, at = _elements(form, at)
            found.extend(inner if kind == "open" else [Directive(match["directive"], inner)])
        elif kind != "comma":
            found.append(_simple(match))
    return tuple(found), at


def _simple(match: re.Match[str]) -> Element:
    if match["ref"]:
        return Ref(match["ref"])
    if match["type"]:
        return TypeOf(match["type"])
    if match["attrs"]:
        return AttrDict(match["attrs"].endswith("keyword"))
    if match["functional"]:
        return FunctionalType()
    return AllOperands() if match["operands"] else Literal(match["literal"])
