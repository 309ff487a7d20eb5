"""Forms of attributes: a list or a sequence of parts, read and printed by the same description."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from stablehlo_py.hlo.lexer import Cursor

_TOKEN = re.compile(r"->|\w+|[^\w\s]")


class Kind(NamedTuple):
    """A kind of attribute.

    Attributes:
        read: Reads a value.
        write: Returns the text of a value.
        omitted: The value that is not printed, if there is one.
    """

    read: Callable[[Cursor], Any]
    write: Callable[[Any], str]
    omitted: Any = None


def listing(item: Kind, separator: str = ",") -> Kind:
    """Return the kind of a list in braces."""
    return Kind(
        lambda cursor: cursor.items(lambda: item.read(cursor)),
        lambda values: f"{{{separator.join(map(item.write, values))}}}",
    )


def sequence(*parts: str | Kind) -> Kind:
    """Return the kind of a tuple of values with text between them."""

    def read(cursor: Cursor) -> tuple[Any, ...]:
        found = []
        for part in parts:
            if isinstance(part, Kind):
                found.append(part.read(cursor))
                continue
            for token in _TOKEN.findall(part):
                cursor.expect(token)
        return tuple(found)

    def write(values: tuple[Any, ...]) -> str:
        rest = iter(values)
        return "".join([part if isinstance(part, str) else part.write(next(rest)) for part in parts])

    return Kind(read, write)
