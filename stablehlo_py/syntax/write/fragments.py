"""Fragments: the text of nested types, attributes and locations, without recursion.

The tables of `write/types.py`, `write/attributes.py` and `write/locations.py` split a node into fragments:
strings, and further nodes. `join` concatenates the strings at any depth of nesting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from stablehlo_py.ir.attributes import OpaqueAttr
from stablehlo_py.ir.types import Type

Fragment = Any  # a string, a Type, an Attribute or a Location
Expansion = Callable[[Any], Sequence[Fragment]]


def join(*fragments: Fragment, aliases: Mapping[Any, str] | None = None) -> str:
    """Return the text of fragments, at any depth of nesting.

    Args:
        *fragments: Strings, types, attributes and locations.
        aliases: The text of attributes and types that are printed as aliases.

    Raises:
        TypeError: A fragment has no spelling.
    """
    expansions = _expansions()
    text: list[str] = []
    pending = list(reversed(fragments))
    while pending:
        fragment = pending.pop()
        if isinstance(fragment, str):
            text.append(fragment)
            continue
        if aliases and isinstance(fragment, Type | OpaqueAttr) and fragment in aliases:
            text.append(aliases[fragment])
            continue
        expand = expansions.get(type(fragment))
        if expand is None:
            raise TypeError(f"{fragment!r} has no spelling")
        pending.extend(reversed(expand(fragment)))
    return "".join(text)


def commas(items: Iterable[Fragment]) -> list[Fragment]:
    """Return the items with `, ` between them."""
    fragments: list[Fragment] = []
    for item in items:
        fragments += (", ", item)
    return fragments[1:]


@cache
def _expansions() -> Mapping[type, Expansion]:
    """Merge the tables of types, attributes and locations, at first use because each needs the others."""
    from stablehlo_py.syntax.write import attributes as print_attributes
    from stablehlo_py.syntax.write import locations as print_locations
    from stablehlo_py.syntax.write import types as print_types

    return {**print_types.EXPANSIONS, **print_attributes.EXPANSIONS, **print_locations.EXPANSIONS}
