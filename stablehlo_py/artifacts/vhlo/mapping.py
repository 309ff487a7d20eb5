"""Attributes of a VHLO op to those of its StableHLO op, and back, by the kinds of the properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stablehlo_py.artifacts.vhlo.defaults import TOGETHER, is_default
from stablehlo_py.artifacts.vhlo.forms import Form, flattened
from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    UnitAttr,
)
from stablehlo_py.opset.definition import OpDef
from stablehlo_py.opset.kinds import Kind, kind_of
from stablehlo_py.opset.structures import Field, StructDef

Attributes = dict[str, Attribute]


def to_stablehlo(definition: OpDef, form: Form, stored: Mapping[str, Attribute]) -> Attributes:
    """The properties of a StableHLO op from what a form of its VHLO op stores. Raises ValueError."""
    name = definition.name
    given = {key: value for key, value in stored.items() if not is_default(name, key, value)}
    together = TOGETHER.get(name, ())
    if any(key in given for key in together):
        given.update({key: stored[key] for key in together if key in stored})
    found: Attributes = {}
    for key, kind in definition.property_kinds.items():
        flat = flattened(definition, key)
        value = _structure(*flat, given) if flat is not None else _property(kind, given.get(key))
        if value is not None:
            found[key] = value
    return found


def _property(kind: Kind, value: Attribute | None) -> Attribute | None:
    """A property of a kind, from how VHLO stores it; None if it is absent."""
    match value:
        case BoolAttr() if kind.name == "unit":
            return UnitAttr() if value.value else None
        case StringAttr() if kind.name == "symbol":
            return SymbolRefAttr(value.value)
        case ArrayAttr() if kind.item is not None:
            return ArrayAttr(tuple([_property(kind.item, item) or item for item in value.value]))
    return value


def _structure(
    struct: StructDef, names: Mapping[str, str], given: Mapping[str, Attribute]
) -> Attribute | None:
    """A structure from the attributes that hold its fields; None if there are none of them."""
    if not any(name in given for name in names.values()):
        return None
    fields = [(field, given.get(names.get(field.name, ""))) for field in struct.fields]
    return StructAttr(struct.name, tuple([(field.name, _value(field, value)) for field, value in fields]))


def _value(field: Field, value: Attribute | None) -> Any:
    """The value of a structure's field, from the attribute that holds it. Raises ValueError."""
    kind = kind_of(field.kind_name)
    if value is None:
        return kind.initial if field.default is None else field.default
    current = kind.current(value)
    if not kind.contains(current):
        raise ValueError(f"expected {kind.phrase} for {field.name}, found {value}")
    return kind.to_python(current)
