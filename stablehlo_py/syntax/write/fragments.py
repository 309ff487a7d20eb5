"""Fragments: the text of nested types, attributes and locations, without recursion.

The tables of `write/types.py`, `write/attributes.py` and `write/locations.py` split a node into fragments:
strings, and further nodes. `join` concatenates the strings at any depth of nesting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
        expand = _expansions.get(type(fragment)) or _expansion(type(fragment))
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


_expansions: dict[type, Expansion] = {}


def _expansion(node: type) -> Expansion | None:
    """Find how nodes are split, in tables that are imported at first use because each needs the others."""
    from stablehlo_py.syntax.write import attributes, types

    _expansions.update({**types.EXPANSIONS, **attributes.EXPANSIONS})
    if node not in _expansions:
        from stablehlo_py.syntax.write import locations  # few programs print any

        _expansions.update(locations.EXPANSIONS)
    return _expansions.get(node)
