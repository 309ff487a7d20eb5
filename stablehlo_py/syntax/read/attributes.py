"""Attributes: from the text of an ATTRIBUTE token, or a tree, to `ir.attributes`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from stablehlo_py.ir import attributes as A
from stablehlo_py.ir import types as T
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.types import I64, Type
from stablehlo_py.opset.attribute_conversion import integers_in
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.foreign_dialects import MAY_BE_NEWER
from stablehlo_py.syntax.lalr.full_grammar import DIALECT_NAMES, STRUCT_NAMES
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.lalr.tables import load_tables
from stablehlo_py.syntax.read.context import ReadContext, parse_text, share, shared_attributes
from stablehlo_py.syntax.read.literals import dense_elements, float_value, integer_value
from stablehlo_py.syntax.read.locations import location_of
from stablehlo_py.syntax.read.spacing import spaced_map
from stablehlo_py.syntax.read.strings import string_value, symbol_name
from stablehlo_py.syntax.read.structs import enum, joined_struct, struct
from stablehlo_py.syntax.read.types import type_of

_TRUE, _FALSE, _UNIT = A.BoolAttr(True), A.BoolAttr(False), A.UnitAttr()
_DISTINCT = re.compile(r"distinct\s*\[\s*(\d+)\s*\]\s*<(.*)>", re.DOTALL)
_ARRAY = re.compile(r"array\s*<\s*([\w.]+)\s*(?::([^<>]*))?>")


def attribute_of(context: ReadContext, child: Any) -> Attribute:
    """Read an attribute.

    Args:
        context: The tokens being read.
        child: A token, or a tree of the rule `attribute`.

    Returns:
        The attribute.

    Raises:
        SourceError: The attribute is invalid.
    """
    if type(child) is int:
        return _of_token(context, child)
    reader = _READERS.get(child[0])
    if reader is not None:
        return reader(context, child)
    context.descend(child)
    try:
        if child[0] == "array":
            return A.ArrayAttr(tuple([attribute_of(context, c) for c in child[1:] if c is not None]))
        if child[0] == "op_input_attrs":
            return A.DictAttr.of(dictionary(context, child))
        return A.TypeAttr(type_of(context, child))
    finally:
        context.parser_state.depth -= 1


def dictionary(context: ReadContext, node: Node) -> dict[str, Attribute]:
    """Read `{name = value, ...}`.

    Args:
        context: The tokens being read.
        node: A tree of the rule `dictionary_attribute`.

    Raises:
        SourceError: A value is invalid, or a name occurs twice.
    """
    found: dict[str, Attribute] = {}
    for _, token, value in filter(None, node[1:]):
        name = context.tokens.texts[token]
        if name[0] == '"':
            name = string_value(context, token)
        if name in found:
            raise context.error(token, f"duplicate key '{name}' in dictionary attribute")
        found[name] = _UNIT if value is None else attribute_of(context, value)
    return found


def integers_of(context: ReadContext, child: Any) -> tuple[int | None, ...]:
    """Read a list of integers, in any of its spellings.

    Args:
        context: The tokens being read.
        child: A token or a tree.

    Returns:
        The integers; None for `?`.

    Raises:
        SourceError: The child is not a list of integers.
    """
    if type(child) is int and context.tokens.texts[child][0] == "[":
        return integer_list(context, child)
    if type(child) is tuple and child[0] == "integer_list":
        return tuple([context.integer(c) if isinstance(c, int) else None for c in child[1:] if c is not None])
    attribute = attribute_of(context, child)
    values = integers_in(attribute)
    if values is None:
        raise context.error(child, "expected a list of integers such as [0, 1]")
    return values


def dims_of(context: ReadContext, child: Any) -> tuple[int, ...]:
    """Read a list of known integers, in any of its spellings.

    Args:
        context: The tokens being read.
        child: A token or a tree.

    Raises:
        SourceError: The child is not a list of integers, or has a `?`.
    """
    values = integers_of(context, child)
    if None in values:
        raise context.error(child, "expected integers, found ?")
    return values  # type: ignore[return-value]


def integer_list(context: ReadContext, token: int) -> tuple[int | None, ...]:
    """Return the integers of an INTEGER_LIST token; None for `?`."""
    items = context.tokens.texts[token][1:-1].split(",")
    if items == [""] or not items[0].strip(" \t\r\n"):
        return ()
    return tuple([None if "?" in item else context.integer(token, item) for item in items])


def _of_token(context: ReadContext, token: int) -> Attribute:
    kind = context.tokens.kinds[token]
    if kind == _kinds()["INTEGER_LIST"]:
        values = integer_list(context, token)
        if None in values:
            return _unknown_size(context, token)
        return A.ArrayAttr(tuple(A.IntegerAttr(v, I64) for v in values))  # type: ignore[arg-type]
    if kind == _kinds()["LOCATION"]:
        return A.LocationAttr(location_of(context, token))
    if kind != _kinds()["ATTRIBUTE"]:
        return A.TypeAttr(type_of(context, token))
    state = context.parser_state
    return context.read_once(token, state.attributes, state.own_attributes, _of_text)


def _unknown_size(context: ReadContext, child: Any) -> Attribute:
    raise context.error(child, "an unknown size cannot be an attribute")


def _kinds() -> dict[str, int]:
    return load_tables().terminals


def _of_text(context: ReadContext, token: int, text: str) -> Attribute:
    found = shared_attributes.get(text)
    if found is not None:
        return found
    name = text.partition("<")[0].rstrip()
    if name == "array":
        return _dense_array(context, token, text)
    if name == text and (name[0] == "#" and "." not in name):
        return _alias(context, token, text)
    if text.startswith("distinct"):
        return _distinct(context, token, text)
    if _is_opaque(text, name):
        if name.partition(".")[0] in DIALECT_NAMES - {_SHARDY}:
            raise context.error(token, f"unknown attribute {name}<...>", MAY_BE_NEWER)
        return A.OpaqueAttr(text if name[0] == "#" else spaced_map(text))
    before = context.parser_state.alias_uses
    inner, tree = context.parse_token(token, "attribute")
    made = attribute_of(inner, tree)
    if context.parser_state.alias_uses == before:
        share(shared_attributes, text, made)
    return made


_SHARDY = "#sdy"  # has attributes without a reader
_JOINED_SHARDING = re.compile(
    r"#sdy<\s*(?:axis_ref_list|list_of_axis_ref_lists|manual_axes|all_to_all_param_list)\b"
)


def _is_opaque(text: str, name: str) -> bool:
    """Return True if an attribute has no reader, and is kept as text."""
    if name == _SHARDY:
        return not _JOINED_SHARDING.match(text)
    return name not in STRUCT_NAMES and name not in DIALECT_NAMES


def _alias(context: ReadContext, token: int, name: str) -> Attribute:
    parser_state = context.parser_state
    parser_state.alias_uses += 1
    alias = parser_state.use_alias(name)
    if alias is None:
        raise context.error(token, f"undefined symbol alias id '{name[1:]}'")
    return context.expand_alias(token, alias, attribute_of)


def _distinct(context: ReadContext, token: int, text: str) -> Attribute:
    """Read `distinct[0]<value>`; each number has one value in a program."""
    match = _DISTINCT.fullmatch(text)
    assert match is not None  # by the lexer's pattern
    parser_state, number, value = context.parser_state, int(match[1]), ""
    parser_state.alias_uses += 1
    if match[2].strip() not in ("", "unit"):
        inner, tree = parse_text(match[2], context.start(token) + match.start(2), "attribute", parser_state)
        value = str(attribute_of(inner, tree))
    first = parser_state.distinct.setdefault(number, value)
    if first != value:
        raise context.error(token, f"distinct[{number}] is already defined as {first or 'unit'}")
    return A.OpaqueAttr(f"distinct[{number}]<{value}>")


def _dense_array(context: ReadContext, token: int, text: str) -> Attribute:
    """`array<i64: 1, 2>`."""
    match = _ARRAY.fullmatch(text)
    if match is None or (match[2] is not None and not match[2].strip()):
        raise context.error(token, "expected array<type: value, ...>, or array<type> without values")
    element, body = match[1], match[2] or ""
    inner, tree = parse_text(element, context.start(token) + match.start(1), "type", context.parser_state)
    type = type_of(inner, tree)
    if not isinstance(type, T.FloatType | T.IntegerType) or (
        isinstance(type, T.IntegerType) and (type.signedness or type.width not in (1, 8, 16, 32, 64))
    ):
        raise context.error(token, "expected integer or float type of i1, i8, i16, i32, i64, f32, f64")
    items = [item.strip() for item in body.split(",")] if body.strip() else []
    at, state = context.start(token), context.parser_state
    if isinstance(type, T.FloatType):
        return A.DenseArrayAttr(type, tuple(float_value(state, at, item, type)[0] for item in items))
    if type.width == 1:
        return A.DenseArrayAttr(type, tuple(_boolean(at, item) for item in items))
    return A.DenseArrayAttr(type, tuple(integer_value(state, at, item, type) for item in items))


def _boolean(offset: int, text: str) -> bool:
    if text not in ("true", "false", "0", "1"):
        raise SourceError(offset, f"expected true or false, found '{text}'")
    return text in ("true", "1")


def _integer_constant(context: ReadContext, node: Node) -> Attribute:
    _, token, type_child = node
    text = context.tokens.texts[token]
    type = I64 if type_child is None else type_of(context, type_child)
    if isinstance(type, T.FloatType):
        number, bits = float_value(context.parser_state, context.start(token), text, type)
        return A.FloatAttr(number, type, bits)
    if not isinstance(type, T.IntegerType | T.IndexType):
        raise context.error(token, "integer literal not valid for specified type")
    if len(text) < 8 and type is I64 and text[0] not in "+-" and "x" not in text:
        return A.IntegerAttr(int(text), type)
    value = integer_value(context.parser_state, context.start(token), text, type)
    return A.BoolAttr(value != 0) if type is T.I1 else A.IntegerAttr(value, type)


def _float_constant(context: ReadContext, node: Node) -> Attribute:
    _, token, type_child = node
    type: Type = T.F64 if type_child is None else type_of(context, type_child)
    if not isinstance(type, T.FloatType):
        raise context.error(token, "floating point value not valid for specified type")
    value, bits = float_value(context.parser_state, context.start(token), context.tokens.texts[token], type)
    return A.FloatAttr(value, type, bits)


def _complex_constant(context: ReadContext, node: Node) -> Attribute:
    """Read `(1.0, 0.0) : complex<f32>`, which upstream accepts only as a tensor of rank 0."""
    _, (_, *parts), type_child = node
    type = type_of(context, type_child)
    if not isinstance(type, T.ComplexType):
        raise context.error(type_child, f"expected a complex type, found {type}")
    words = ", ".join([context.text(part) for part in parts])
    expected = f"dense<({words})> : tensor<{type}>"
    tokens = context.tokens
    start = tokens.base + tokens.text.rfind("(", 0, context.start(node) - tokens.base)
    context.parser_state.misspelled(start, f"({words}) : {type}", expected)
    inner, tree = parse_text(expected, start, "attribute", context.parser_state)
    return attribute_of(inner, tree)


def _string_constant(context: ReadContext, node: Node) -> Attribute:
    _, token, type_child = node
    type = None if type_child is None else type_of(context, type_child)
    return A.StringAttr(string_value(context, token), type)


def _tensor_constant(context: ReadContext, node: Node) -> Attribute:
    _, token, type_child = node
    type = type_of(context, type_child)
    key = (context.tokens.texts[token], type)
    found = context.parser_state.constants.get(key)
    if found is None:
        before = context.parser_state.misspelled_count
        found = dense_elements(context, token, type, context.start(type_child))
        if context.parser_state.misspelled_count == before:
            context.parser_state.constants[key] = found
    return found


def _symbol(context: ReadContext, node: Node) -> Attribute:
    root, *nested = [symbol_name(context, token) for token in node[1:]]
    return A.SymbolRefAttr(root, tuple(nested))


_READERS: dict[str, Callable[[ReadContext, Node], Attribute]] = {
    "integer_constant": _integer_constant,
    "float_constant": _float_constant,
    "complex_constant": _complex_constant,
    "string_constant": _string_constant,
    "tensor_constant": _tensor_constant,
    "symbol": _symbol,
    "location": lambda context, node: A.LocationAttr(location_of(context, node)),
    "unknown_size": _unknown_size,
    "true": lambda context, node: _TRUE,
    "false": lambda context, node: _FALSE,
    "unit": lambda context, node: _UNIT,
    "struct": struct,
    "enum": enum,
    "joined_struct": joined_struct,
}
