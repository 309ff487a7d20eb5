"""Locations: from the text of a LOCATION token to `ir.locations`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stablehlo_py.ir.locations import UNKNOWN, CallSiteLoc, FileLoc, FusedLoc, Location, NameLoc
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.strings import string_value


def location_of(context: ReadContext, token: Any) -> Location:
    """Return the location of a LOCATION token; raise SourceError for an invalid one."""
    if isinstance(token, tuple):
        return _location(context, token[1])
    text = context.tokens.texts[token]
    found = context.parser_state.locations.get(text)
    if found is None:
        inner, tree = context.parse_token(token, "location")
        found = context.parser_state.locations[text] = _location(inner, tree[1])
    return found


def _location(context: ReadContext, child: Any) -> Location:
    context.descend(child)
    try:
        return _alias(context, child) if isinstance(child, int) else _READERS[child[0]](context, child)
    finally:
        context.parser_state.depth -= 1


def _alias(context: ReadContext, token: int) -> Location:
    name = context.text(token)
    context.parser_state.alias_uses += 1
    alias = context.parser_state.use_alias(name)
    if alias is None:
        raise context.error(token, f"operation location alias was never defined: {name}")
    if alias.is_resolving:
        raise context.error(token, f"alias {name} refers to itself")
    is_location = isinstance(alias.value, int) and alias.context.text(alias.value).startswith("loc")
    is_alias = isinstance(alias.value, int) and alias.context.text(alias.value)[0] == "#"
    alias.is_resolving = True
    try:
        if is_location:
            return location_of(alias.context, alias.value)
        if is_alias:
            return _alias(alias.context, alias.value)
    finally:
        alias.is_resolving = False
    raise context.error(token, f"expected location, but {name} is another attribute")


def _number(context: ReadContext, token: int) -> int:
    value = context.integer(token)
    if not 0 <= value < 1 << 32:
        raise context.error(token, "expected integer line number in FileLineColLoc")
    return value


def _file(context: ReadContext, node: Node) -> Location:
    _, name, line, column, range_end = node
    end_line = end_column = None
    if range_end is not None:
        _, last, end = range_end
        end_line = _number(context, last if last is not None else line)
        end_column = _number(context, end)
    return FileLoc(
        string_value(context, name), _number(context, line), _number(context, column), end_line, end_column
    )


def _name(context: ReadContext, node: Node) -> Location:
    _, name, child = node
    return NameLoc(string_value(context, name), UNKNOWN if child is None else _location(context, child))


def _call_site(context: ReadContext, node: Node) -> Location:
    return CallSiteLoc(_location(context, node[1]), _location(context, node[2]))


def _fused(context: ReadContext, node: Node) -> Location:
    from stablehlo_py.syntax.read.attributes import attribute_of

    _, metadata, *locations = node
    attribute = None if metadata is None else attribute_of(context, metadata)
    return FusedLoc(tuple(_location(context, location) for location in locations), attribute)


_READERS: dict[str, Callable[[ReadContext, Node], Location]] = {
    "unknown_location": lambda context, node: UNKNOWN,
    "file_location": _file,
    "name_location": _name,
    "call_site_location": _call_site,
    "fused_location": _fused,
}
