"""VHLO to StableHLO: the properties of a StableHLO op from the attributes of a VHLO op, by kind."""

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
    """Return the properties of a StableHLO op.

    Args:
        definition: The definition of the op.
        form: The form of its VHLO op.
        stored: The attributes of the VHLO op.

    Raises:
        ValueError: An attribute has an unexpected kind.
    """
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
    """Return a property of a kind from its form in VHLO; None if it is absent."""
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
    """Return a structure from the attributes of its fields; None if there are none of them."""
    if not any(name in given for name in names.values()):
        return None
    fields = [(field, given.get(names.get(field.name, ""))) for field in struct.fields]
    return StructAttr(struct.name, tuple([(field.name, _value(field, value)) for field, value in fields]))


def _value(field: Field, value: Attribute | None) -> Any:
    """Return the value of a structure's field from its attribute; raise ValueError for another kind."""
    kind = kind_of(field.kind_name)
    if value is None:
        absent = kind.initial if field.default is None else field.default
        if absent is None and not field.optional:
            raise ValueError(f"expected {kind.phrase} for {field.name}, as for the fields beside it")
        return absent
    current = kind.current(value)
    if not kind.contains(current):
        raise ValueError(f"expected {kind.phrase} for {field.name}, found {value}")
    return kind.to_python(current)
