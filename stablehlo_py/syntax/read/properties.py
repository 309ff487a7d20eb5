"""Attributes that an op's definition lists, apart from those that it does not."""

from __future__ import annotations

import re
from functools import cache

from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DenseElementsAttr, OpaqueAttr, StringAttr
from stablehlo_py.ir.types import I1, I32, I64
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.syntax.read.attributes import MOST_INTEGERS, plain_integers

_FLAGS = re.compile("<([^<>]*)>")
_EMPTY, _NO_FLAGS = StringAttr(""), OpaqueAttr("#arith.overflow<none>")


def inherent(
    attributes: dict[str, Attribute], properties: dict[str, Attribute], definition: OpDef
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The attributes that remain, and the properties, where `{...}` may have held some of them."""
    kinds = definition.property_kinds
    if attributes:
        properties = properties | {name: value for name, value in attributes.items() if name in kinds}
        attributes = {name: value for name, value in attributes.items() if name not in kinds}
    for name, value in _stated_defaults(definition.name):
        properties.setdefault(name, value)
    for name, value in properties.items():
        if type(value) is DenseElementsAttr and kinds.get(name, "").startswith("array<"):
            properties[name] = modern(value, kinds[name])
        elif type(value) is OpaqueAttr and kinds.get(name) == "overflow flags":
            properties[name] = OpaqueAttr(_FLAGS.sub(_in_order, value.text))
    return attributes, properties


def _in_order(flags: re.Match[str]) -> str:
    """`<nsw, nuw>`, whatever their order was."""
    return f"<{', '.join(sorted(word.strip() for word in flags[1].split(',')))}>"


@cache
def _stated_defaults(name: str) -> tuple[tuple[str, Attribute], ...]:
    """What MLIR fills in when it reads an op: strings that are empty by default, and that no flag is set."""
    definition = lookup(name)
    attrs = definition.attrs if definition else ()
    found = [(attr.property, _EMPTY) for attr in attrs if attr.default == '""']
    return (*found, *((attr.property, _NO_FLAGS) for attr in attrs if attr.kind == "overflow flags"))


def old_spelling(
    attributes: dict[str, Attribute], properties: dict[str, Attribute], definition: OpDef, is_generic: bool
) -> str:
    """What in an op's attributes, before `inherent`, is as earlier releases printed it; "" for nothing."""
    kinds = definition.property_kinds
    for name, value in (*properties.items(), *attributes.items()):
        if type(value) is DenseElementsAttr and kinds.get(name, "").startswith("array<"):
            return f"{name} = dense<...> is array<...> today"
    moved = sorted(kinds.keys() & attributes.keys()) if is_generic else []
    return f"{', '.join(moved)} in {{...}} of a generic op: in <{{...}}> today" if moved else ""


def modern(value: DenseElementsAttr, kind: str) -> Attribute:
    """An array where earlier releases printed a constant, `dense<[1]> : tensor<1xi64>`."""
    if kind == "array<bool>":
        is_list = value.type.element_type is I1 and value.type.rank == 1
        is_short = (value.type.size or 0) <= MOST_INTEGERS
        return DenseArrayAttr(I1, tuple(value.value.tolist())) if is_list and is_short else value
    integers = plain_integers(value)
    return value if integers is None else DenseArrayAttr(I32 if kind == "array<i32>" else I64, integers)
