"""Enumerations and structures of the dialects: from their trees to `EnumAttr` and `StructAttr`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stablehlo_py.ir.attributes import Attribute, StructAttr
from stablehlo_py.opset.kinds import Kind, fields_of, kind_of
from stablehlo_py.opset.structures import ENUMS, STRUCT_ALIASES, STRUCTS, Field, StructDef
from stablehlo_py.syntax.foreign_dialects import MAY_BE_NEWER
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.literals import float_value
from stablehlo_py.syntax.read.shardings import sharding_struct
from stablehlo_py.syntax.read.strings import string_value

ABSENT = object()


def enum_value(context: ReadContext, name: str, token: int) -> Attribute:
    """Return the value of an enumeration that a word names.

    Args:
        context: The tokens being read.
        name: The enumeration.
        token: The word.

    Raises:
        SourceError: The enumeration has no such value.
    """
    definition = ENUMS[name]
    value = context.text(token)
    if value not in definition.values:
        notes = _did_you_mean(value.upper(), definition.values) or [MAY_BE_NEWER]
        raise context.error(token, f"expected one of {', '.join(definition.values)}, found {value}", *notes)
    return kind_of(f"enum {name}").from_python(value)


def enum(context: ReadContext, node: Node) -> Attribute:
    """Read `#stablehlo<precision HIGH>`; raise SourceError for an unknown enumeration or value."""
    _, dialect, mnemonic, value = node
    name = f"{context.text(dialect)[1:]}.{context.text(mnemonic)}"
    if name not in ENUMS:
        raise context.error(mnemonic, f"unknown attribute #{name}", MAY_BE_NEWER)
    return enum_value(context, name, value)


def joined_struct(context: ReadContext, node: Node) -> Attribute:
    """Read `#stablehlo<dot<...>>`; raise SourceError for an unknown structure or invalid fields."""
    _, dialect, mnemonic, body = node
    return _named(context, f"{context.text(dialect)[1:]}.{context.text(mnemonic)}", mnemonic, body)


def struct(context: ReadContext, node: Node) -> Attribute:
    """Read `#stablehlo.dot<...>`, or an enumeration in this spelling; raise SourceError."""
    _, token, body = node
    return _named(context, context.text(token)[1:], token, body)


def _named(context: ReadContext, name: str, token: int, body: Node) -> Attribute:
    if name in ENUMS and body[0] == "enum_body":
        return enum_value(context, name, body[1])
    if name in STRUCT_ALIASES or name in STRUCTS:
        return struct_of(context, STRUCT_ALIASES.get(name, name), body)
    raise context.error(token, f"unknown attribute #{name}<...>", MAY_BE_NEWER)


def struct_of(context: ReadContext, name: str, body: Node) -> StructAttr:
    """Read a structure.

    Args:
        context: The tokens being read.
        name: The structure.
        body: The tree of its fields.

    Raises:
        SourceError: A field is unknown, missing, duplicated or invalid.
    """
    definition = STRUCTS[name]
    if definition.spelling == "sharding":
        return sharding_struct(context, name, body)
    if body[0] != "struct_body":
        raise context.error(body, f"expected the fields of #{name}")
    parts = [part for part in body[1:] if part is not None]
    if parts and parts[0][0] == "convolution_dimensions":
        return _convolution(context, definition, parts[0])
    if definition.spelling == "bounds" and not parts:
        return StructAttr(name, (("bounds", ()),))
    if parts and parts[0][0] == "bounds":
        return _bounds(context, definition, parts[0])
    given: dict[str, Any] = {}
    for _, token, value in parts:
        field, kind = _field(context, definition, token)
        if field.name in given:
            raise context.error(token, f"duplicated `{field.name}` entry")
        given[field.name] = field_value(context, kind, value)
    return StructAttr(name, tuple((f.name, _given(context, f, given, body)) for f in definition.fields))


def _field(context: ReadContext, definition: StructDef, token: int) -> tuple[Field, Kind]:
    name = context.text(token)
    for field, kind in fields_of(definition):
        if field.name == name:
            return field, kind
    names = [f.name for f in definition.fields]
    notes = _did_you_mean(name, names)
    raise context.error(token, f"expected one of: {', '.join(f'`{n}`' for n in names)}", *notes)


def _did_you_mean(name: str, known: Sequence[str]) -> list[str]:
    from difflib import get_close_matches  # for errors only

    close = get_close_matches(name, known, 1)
    return [f"did you mean {close[0]}?"] if close else []


def _given(context: ReadContext, field: Field, given: dict[str, Any], body: Node) -> Any:
    value = given.get(field.name, ABSENT)
    if value is not ABSENT:
        return value
    if field.optional:
        return field.default
    raise context.error(body, f"missing field `{field.name}`")


def field_value(context: ReadContext, kind: Kind, child: Any) -> Any:
    """Return the Python value of a field.

    Args:
        context: The tokens being read.
        kind: The attribute kind of the field.
        child: A token or a tree.

    Raises:
        SourceError: The value is not of this kind.
    """
    return _FIELDS[kind.spelling](context, kind, child)


def _attribute(context: ReadContext, kind: Kind, child: Any) -> Any:
    from stablehlo_py.syntax.read.attributes import attribute_of

    found = attribute_of(context, child)
    if not kind.contains(found):
        raise context.error(child, f"expected {kind.phrase}, found {found}")
    return found


def _checked(context: ReadContext, kind: Kind, child: Any, *names: str) -> Any:
    """Return a tree if it has one of these names; raise SourceError otherwise."""
    if not isinstance(child, tuple) or child[0] not in names:
        raise context.error(child, f"expected {kind.phrase}")
    return child


def _dims(context: ReadContext, kind: Kind, child: Any) -> Any:
    from stablehlo_py.syntax.read.attributes import dims_of

    return dims_of(context, child)


def _sizes(context: ReadContext, kind: Kind, child: Any) -> Any:
    from stablehlo_py.syntax.read.attributes import integers_of

    return integers_of(context, child)


def _integer(context: ReadContext, kind: Kind, child: Any) -> Any:
    return context.integer(_checked(context, kind, child, "integer_constant")[1])


def _boolean(context: ReadContext, kind: Kind, child: Any) -> Any:
    return _checked(context, kind, child, "true", "false")[0] == "true"


def _float(context: ReadContext, kind: Kind, child: Any) -> Any:
    text = context.text(_checked(context, kind, child, "float_constant", "integer_constant")[1])
    return float_value(context.parser_state, context.start(child), text, None)[0]


def _string(context: ReadContext, kind: Kind, child: Any) -> Any:
    return string_value(context, _checked(context, kind, child, "string_constant")[1])


def _type(context: ReadContext, kind: Kind, child: Any) -> Any:
    from stablehlo_py.syntax.read.types import type_of

    return type_of(context, child)


def _enum(context: ReadContext, kind: Kind, child: Any) -> Any:
    return _attribute(context, kind, child).value


def _struct(context: ReadContext, kind: Kind, child: Any) -> Any:
    assert kind.struct is not None
    if kind.struct.spelling == "sub_axis" and isinstance(child, tuple) and child[0] == "sub_axis":
        _, *sizes = child
        fields = zip(kind.struct.fields, sizes, strict=True)
        return StructAttr(kind.struct.name, tuple((f.name, context.integer(size)) for f, size in fields))
    return struct_of(context, kind.struct.name, _checked(context, kind, child, "struct_body"))


def _list(context: ReadContext, kind: Kind, child: Any) -> Any:
    assert kind.item is not None
    assert kind.item.struct is not None
    name = kind.item.struct.name
    if isinstance(child, int) and not _sizes(context, kind, child):
        return ()
    if isinstance(child, tuple) and child[0] == "struct_list":
        return tuple(struct_of(context, name, body) for body in child[1:])
    return _attribute(context, kind, child).value


# The readers of fields, by the spelling of the kind.
_FIELDS: dict[str, Callable[[ReadContext, Kind, Any], Any]] = {
    "attribute": _attribute,
    "boolean": _boolean,
    "dims": _dims,
    "enum": _enum,
    "float": _float,
    "integer": _integer,
    "list": _list,
    "sizes": _sizes,
    "string": _string,
    "struct": _struct,
    "type": _type,
}


def _bounds(context: ReadContext, definition: StructDef, node: Node) -> StructAttr:
    if definition.spelling != "bounds":
        raise context.error(node, f"expected the fields of #{definition.name}")
    sizes = tuple(None if isinstance(c, tuple) else context.integer(c) for c in node[1:])
    return StructAttr(definition.name, (("bounds", sizes),))


_SIDES = (("input", "bf"), ("kernel", "io"), ("output", "bf"))
_LETTERS = {"b": "batch", "f": "feature", "i": "input_feature", "o": "output_feature"}


def _convolution(context: ReadContext, definition: StructDef, node: Node) -> StructAttr:
    """Read `[b, 0, f]x[0, i, o]->[b, 0, f]`."""
    if definition.spelling != "convolution":
        raise context.error(node, f"expected the fields of #{definition.name}")
    fields: dict[str, Any] = {}
    for (side, letters), labels in zip(_SIDES, node[1:], strict=True):
        spatial, named = _labels(context, labels, letters)
        fields |= {f"{side}_{_LETTERS[letter]}_dimension": position for letter, position in named.items()}
        fields[f"{side}_spatial_dimensions"] = spatial
    return StructAttr(definition.name, tuple((f.name, fields[f.name]) for f in definition.fields))


def _labels(context: ReadContext, node: Node, letters: str) -> tuple[tuple[int, ...], dict[str, int]]:
    """Return the positions of the spatial dimensions 0, 1, ... and of the letters in `[b, 0, 1, f]`."""
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
