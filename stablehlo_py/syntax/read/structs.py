"""Enumerations and structures of the dialects: from their trees to `EnumAttr` and `StructAttr`."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from stablehlo_py.ir.attributes import Attribute, EnumAttr, IntegerAttr, StructAttr
from stablehlo_py.ir.types import I32
from stablehlo_py.opset.kinds import ENUMS, STRUCT_ALIASES, STRUCTS, EnumDef, Field, StructDef
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.literals import float_value
from stablehlo_py.syntax.read.shardings import sharding_struct
from stablehlo_py.syntax.read.strings import string_value

ABSENT = object()


def enum_value(context: ReadContext, name: str, token: int) -> Attribute:
    """The enumeration's value that a WORD names. Raises SourceError if it has no such value."""
    definition = ENUMS[name]
    value = context.text(token)
    if value not in definition.values:
        close = get_close_matches(value.upper(), definition.values, 1)
        notes = [f"did you mean {close[0]}?"] if close else []
        raise context.error(token, f"expected one of {', '.join(definition.values)}, found {value}", *notes)
    return _enum_attribute(definition, value)


def _enum_attribute(definition: EnumDef, value: str) -> Attribute:
    if definition.spelling == "integer":
        return IntegerAttr(definition.values.index(value), I32)
    return EnumAttr(definition.name, value)


def enum(context: ReadContext, node: Node) -> Attribute:
    """`#stablehlo<precision HIGH>`."""
    _, dialect, mnemonic, value = node
    name = f"{context.text(dialect)[1:]}.{context.text(mnemonic)}"
    if name not in ENUMS:
        raise context.error(mnemonic, f"there is no attribute #{name}")
    return enum_value(context, name, value)


def joined_struct(context: ReadContext, node: Node) -> Attribute:
    """`#stablehlo<dot<...>>`."""
    _, dialect, mnemonic, body = node
    return _named(context, f"{context.text(dialect)[1:]}.{context.text(mnemonic)}", mnemonic, body)


def struct(context: ReadContext, node: Node) -> Attribute:
    """`#stablehlo.dot<...>`, and enumerations that are spelled so."""
    _, token, body = node
    return _named(context, context.text(token)[1:], token, body)


def _named(context: ReadContext, name: str, token: int, body: Node) -> Attribute:
    if name in ENUMS and body[0] == "enum_body":
        return enum_value(context, name, body[1])
    if name in STRUCT_ALIASES or name in STRUCTS:
        return struct_of(context, STRUCT_ALIASES.get(name, name), body)
    raise context.error(token, f"there is no attribute #{name}<...>")


def struct_of(context: ReadContext, name: str, body: Node) -> StructAttr:
    """The structure `name` with the fields that a body gives. Raises SourceError."""
    definition = STRUCTS[name]
    if definition.spelling == "sharding":
        return sharding_struct(context, name, body)
    if body[0] not in ("enum_body", "struct_body"):
        raise context.error(body, f"expected the fields of #{name}")
    if body[0] == "enum_body":
        raise context.error(body, f"expected the fields of #{name}")
    parts = [part for part in body[1:] if part is not None]
    if parts and parts[0][0] == "convolution_dimensions":
        return _convolution(context, definition, parts[0])
    if parts and parts[0][0] == "bounds":
        return _bounds(context, definition, parts[0])
    given: dict[str, Any] = {}
    for _, token, value in parts:
        field = _field(context, definition, token)
        if field.name in given:
            raise context.error(token, f"duplicated `{field.name}` entry")
        given[field.name] = field_value(context, field.kind, value)
    return StructAttr(name, tuple((f.name, _given(context, f, given, body)) for f in definition.fields))


def _field(context: ReadContext, definition: StructDef, token: int) -> Field:
    name = context.text(token)
    for field in definition.fields:
        if field.name == name:
            return field
    names = [f.name for f in definition.fields]
    close = get_close_matches(name, names, 1)
    notes = [f"did you mean {close[0]}?"] if close else []
    raise context.error(token, f"expected one of: {', '.join(f'`{n}`' for n in names)}", *notes)


def _given(context: ReadContext, field: Field, given: dict[str, Any], body: Node) -> Any:
    value = given.get(field.name, ABSENT)
    if value is not ABSENT:
        return value
    if field.optional:
        return field.default
    raise context.error(body, f"missing field `{field.name}`")


def field_value(context: ReadContext, kind: str, child: Any) -> Any:
    """The Python value of a field, as `opset.kinds.Field` says for its kind. Raises SourceError."""
    from stablehlo_py.syntax.read.attributes import attribute_of, integers_of
    from stablehlo_py.syntax.read.types import type_of

    name = child[0] if isinstance(child, tuple) else "token"
    if kind in ("dims", "sizes"):
        values = integers_of(context, child)
        if kind == "dims" and None in values:
            raise context.error(child, "expected integers, found ?")
        return values
    if kind == "i64" and name == "integer_constant":
        return context.integer(child[1])
    if kind == "bool" and name in ("true", "false"):
        return name == "true"
    if kind == "f64" and name in ("float_constant", "integer_constant"):
        return float_value(context.start(child), context.text(child[1]), None)[0]
    if kind == "string" and name == "string_constant":
        return string_value(context, child[1])
    if kind == "type":
        return type_of(context, child)
    if kind == "attribute":
        return attribute_of(context, child)
    if kind.startswith("enum "):
        return _enum_field(context, kind.removeprefix("enum "), child)
    if kind == "struct stablehlo.sub_axis_info" and name == "sub_axis":
        sizes = (("pre_size", context.integer(child[1])), ("size", context.integer(child[2])))
        return StructAttr("stablehlo.sub_axis_info", sizes)
    if kind.startswith("struct ") and name == "struct_body":
        return struct_of(context, kind.removeprefix("struct "), child)
    if kind.startswith("list of struct "):
        return _struct_list(context, kind.removeprefix("list of struct "), child)
    raise context.error(child, f"expected a value of kind {kind}")


def _enum_field(context: ReadContext, name: str, child: Any) -> str:
    from stablehlo_py.syntax.read.attributes import attribute_of

    attribute = attribute_of(context, child)
    if not isinstance(attribute, EnumAttr) or attribute.name != name:
        raise context.error(child, f"expected #{name}<...>")
    return attribute.value


def _struct_list(context: ReadContext, name: str, child: Any) -> tuple[Any, ...]:
    from stablehlo_py.syntax.read.attributes import attribute_of, integers_of

    if isinstance(child, int) and not integers_of(context, child):
        return ()
    if isinstance(child, tuple) and child[0] == "struct_list":
        return tuple(struct_of(context, name, body) for body in child[1:])
    attribute = attribute_of(context, child)
    items = getattr(attribute, "value", ())
    if not isinstance(items, tuple) or not all(isinstance(i, StructAttr) and i.name == name for i in items):
        raise context.error(child, f"expected a list of <...> as in #{name}<...>")
    return items


def _bounds(context: ReadContext, definition: StructDef, node: Node) -> StructAttr:
    if definition.spelling != "bounds":
        raise context.error(node, f"expected the fields of #{definition.name}")
    sizes = tuple(None if isinstance(c, tuple) else context.integer(c) for c in node[1:])
    return StructAttr(definition.name, (("bounds", sizes),))


_SIDES = (("input", "bf"), ("kernel", "io"), ("output", "bf"))
_LETTERS = {"b": "batch", "f": "feature", "i": "input_feature", "o": "output_feature"}


def _convolution(context: ReadContext, definition: StructDef, node: Node) -> StructAttr:
    """`[b, 0, f]x[0, i, o]->[b, 0, f]`."""
    if definition.spelling != "convolution":
        raise context.error(node, f"expected the fields of #{definition.name}")
    fields: dict[str, Any] = {}
    for (side, letters), labels in zip(_SIDES, node[1:], strict=True):
        spatial, named = _labels(context, labels, letters)
        fields |= {f"{side}_{_LETTERS[letter]}_dimension": position for letter, position in named.items()}
        fields[f"{side}_spatial_dimensions"] = spatial
    return StructAttr(definition.name, tuple((f.name, fields[f.name]) for f in definition.fields))


def _labels(context: ReadContext, node: Node, letters: str) -> tuple[tuple[int, ...], dict[str, int]]:
    """Where the spatial dimensions 0, 1, ... and the lettered ones are in `[b, 0, 1, f]`."""
    places: dict[str, int] = {}
    for position, token in enumerate(node[1:]):
        label = context.text(token)
        if not (label.isdigit() or label in letters):
            raise context.error(token, f"Unexpected dimension {label}, expecting {', '.join(letters)}")
        if label in places:
            kind = "spatial dimension" if label.isdigit() else "dimension"
            raise context.error(token, f"Duplicate entries for {kind} {label}")
        places[label] = position
    wanted = [*letters, *(str(n) for n in range(len(places) - len(letters)))]
    missing = [label for label in wanted if label not in places]
    if missing:
        raise context.error(node, f"Expected dimensions {', '.join(missing)} not specified")
    return tuple(places[label] for label in wanted[len(letters) :]), {c: places[c] for c in letters}
