"""Shardings: Shardy's structures, from their trees to `StructAttr`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from stablehlo_py.ir.attributes import Attribute, StructAttr, SymbolRefAttr
from stablehlo_py.opset.structures import ENUMS, STRUCTS
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.strings import string_value, symbol_name

_PRIORITY = re.compile(r"p(0|[1-9]\d*)", re.ASCII)
_REDUCTIONS = ENUMS["sdy.reduction_op"].values


def sharding_struct(context: ReadContext, name: str, body: Any) -> StructAttr:
    """Read a structure of Shardy.

    Args:
        context: The tokens being read.
        name: The structure's name, such as `sdy.mesh`.
        body: The tree of its body, or of an attribute that is such a structure.

    Raises:
        SourceError: The body is not that of the structure.
    """
    if _is_attribute(context, body):
        return _attribute(context, name, body)
    read, kinds = _READERS.get(name, (None, ()))
    if read is None or _kind(body) not in kinds:
        raise context.error(body, f"expected the fields of #{name}")
    return read(context, body)


def _is_attribute(context: ReadContext, body: Any) -> bool:
    """Return True if a structure is spelled in full, `#sdy.mesh<...>`, or by an alias."""
    return context.text(body)[0] == "#" if isinstance(body, int) else body[0] == "struct"


def _attribute(context: ReadContext, name: str, child: Any) -> StructAttr:
    from stablehlo_py.syntax.read.attributes import attribute_of

    found = attribute_of(context, child)
    if not isinstance(found, StructAttr) or found.name != name:
        raise context.error(child, f"expected #{name}<...>, found {found}")
    return found


def _kind(body: Any) -> str:
    """Return the name of a tree; "" for a mesh without axes, "token" for a token, such as an empty list."""
    if isinstance(body, int):
        return "token"
    return "" if body[0] == "mesh" and isinstance(body[1], int) and body[2] is None else body[0]


def _made(name: str, *values: Any) -> StructAttr:
    name = f"sdy.{name}"
    return StructAttr(name, tuple(zip([field.name for field in STRUCTS[name].fields], values, strict=True)))


def _items(context: ReadContext, child: Any, read: Callable[[ReadContext, Node], Any]) -> tuple[Any, ...]:
    """Read the children of a list; an empty list of integers has none."""
    from stablehlo_py.syntax.read.attributes import integers_of

    if isinstance(child, tuple) and child[0] != "integer_list":
        return tuple([read(context, item) for item in child[1:] if item is not None])
    if integers_of(context, child):
        raise context.error(child, "expected a list such as [{}], found integers")
    return ()


# Meshes and their axes


def _mesh(context: ReadContext, node: Node) -> StructAttr:
    _, axes, device_ids = node
    return _made("mesh", _items(context, axes, _mesh_axis), _device_ids(context, device_ids))


def _mesh_axis(context: ReadContext, node: Node) -> StructAttr:
    _, name, size = node
    return _made("mesh_axis", string_value(context, name), context.integer(size))


def _device_ids(context: ReadContext, child: Any) -> tuple[int, ...]:
    from stablehlo_py.syntax.read.attributes import integers_of

    if child is None:
        return ()
    ids = integers_of(context, child)
    if None in ids or not ids:
        raise context.error(child, "expected a list of devices such as [1, 0]")
    return ids  # type: ignore[return-value]


def _axis(context: ReadContext, node: Node) -> StructAttr:
    _, name, part = node
    sizes = None
    if part is not None:
        sizes = _made("sub_axis_info", context.integer(part[1]), context.integer(part[2]))
    return _made("axis_ref", string_value(context, name), sizes)


def _axes(context: ReadContext, node: Node) -> StructAttr:
    return _made("axis_ref_list", _items(context, node, _axis))


def _axis_lists(context: ReadContext, child: Any) -> StructAttr:
    return _made("list_of_axis_ref_lists", _items(context, child, _axes))


def _manual_axes(context: ReadContext, node: Node) -> StructAttr:
    axes = _items(context, node, _axis)
    if any(axis["sub_axis_info"] for axis in axes):
        raise context.error(node, "expected full axes, found a sub-axis")
    return _made("manual_axes", tuple([axis["name"] for axis in axes]))


# Shardings


def _sharding(context: ReadContext, node: Node) -> StructAttr:
    _, mesh, dimensions, *parts = node
    given: dict[str, Node] = {part[0]: part for part in parts}
    if len(given) < len(parts):
        raise context.error(parts[-1], f"duplicate {parts[-1][0].removesuffix('_axes')} entry")
    replicated, unreduced = given.get("replicated_axes"), given.get("unreduced_axes")
    return _made(
        "sharding",
        _mesh_or_ref(context, mesh),
        _items(context, dimensions, _dimension),
        _items(context, replicated[1], _axis) if replicated else (),
        _items(context, unreduced[2], _axis) if unreduced else (),
        _reduction(context, unreduced[1] if unreduced else None),
    )


def _mesh_or_ref(context: ReadContext, child: Any) -> Attribute:
    if isinstance(child, int):
        return SymbolRefAttr(symbol_name(context, child))
    _, word, mesh = child
    if context.text(word) != "mesh":
        raise context.error(word, f"expected mesh<...> or @name, found {context.text(word)}")
    return _mesh(context, mesh)


def _reduction(context: ReadContext, token: int | None) -> str:
    word = "sum" if token is None else context.text(token)
    if token is not None and word not in _REDUCTIONS:
        raise context.error(token, f"expected one of {', '.join(_REDUCTIONS)}, found {word}")
    return word


def _dimension(context: ReadContext, node: Node) -> StructAttr:
    kind, *axes, priority = node
    found = _items(context, ("axes", *axes), _axis)
    return _made("dimension_sharding", found, kind == "dim_sharding", _priority(context, priority))


def _priority(context: ReadContext, token: int | None) -> int | None:
    if token is None:
        return None
    if not _PRIORITY.fullmatch(context.text(token)):
        raise context.error(token, f"expected a priority such as p1, found {context.text(token)}")
    return context.integer(token, context.text(token)[1:])


def _shardings(context: ReadContext, child: Any) -> StructAttr:
    is_list = isinstance(child, int) or child[0] == "sharding_list"
    return _made("sharding_per_value", _items(context, child if is_list else child[1], _listed))


def _listed(context: ReadContext, child: Any) -> StructAttr:
    return sharding_struct(context, "sdy.sharding", child)


def _params(context: ReadContext, child: Any) -> StructAttr:
    return _made("all_to_all_param_list", _items(context, child, _param))


def _param(context: ReadContext, node: Node) -> StructAttr:
    _, axes, source, target = node
    found = _items(context, axes, _axis)
    return _made("all_to_all_param", found, context.integer(source), context.integer(target))


# The reader of each structure, and the names of the trees that it accepts.
_READERS: dict[str, tuple[Callable[[ReadContext, Any], StructAttr], tuple[str, ...]]] = {
    "sdy.mesh": (_mesh, ("mesh", "")),
    "sdy.axis_ref_list": (_axes, ("axis_ref_list",)),
    "sdy.list_of_axis_ref_lists": (_axis_lists, ("list_of_axis_ref_lists", "token", "")),
    "sdy.manual_axes": (_manual_axes, ("axis_ref_list",)),
    "sdy.sharding": (_sharding, ("sharding",)),
    "sdy.sharding_per_value": (_shardings, ("sharding_per_value", "sharding_list", "token", "")),
    "sdy.all_to_all_param_list": (_params, ("all_to_all_param_list", "token", "")),
}
