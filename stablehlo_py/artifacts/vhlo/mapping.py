"""Attributes of a VHLO op to those of its StableHLO op, and back, by the kinds of the properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stablehlo_py.artifacts.vhlo.defaults import TOGETHER, is_default
from stablehlo_py.artifacts.vhlo.forms import Form, flattened
from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    IntegerAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
)
from stablehlo_py.ir.types import I1, I64
from stablehlo_py.opset.definition import OpDef
from stablehlo_py.opset.kinds import STRUCTS

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


def _property(kind: str, value: Attribute | None) -> Attribute | None:
    """A property of a kind, from how VHLO stores it; None if it is absent."""
    match value:
        case DenseElementsAttr() if kind.startswith("array<") and value.type.rank == 1:
            element = I1 if kind == "array<bool>" else I64
            return DenseArrayAttr(element, tuple(value.value.tolist()))
        case BoolAttr() if kind == "unit":
            return UnitAttr() if value.value else None
        case StringAttr() if kind == "symbol":
            return SymbolRefAttr(value.value)
        case ArrayAttr() if kind == "array of symbol":
            return ArrayAttr(tuple([_property("symbol", item) or item for item in value.value]))
    return value


def _structure(struct: str, names: Mapping[str, str], given: Mapping[str, Attribute]) -> Attribute | None:
    """A structure from the attributes that hold its fields; None if there are none of them."""
    if not any(name in given for name in names.values()):
        return None
    fields = []
    for field in STRUCTS[struct].fields:
        value = given.get(names.get(field.name, ""))
        fields.append((field.name, _field(field.kind, value)))
    return StructAttr(struct, tuple(fields))


_ABSENT: Mapping[str, Any] = {"dims": (), "i64": 0, "bool": False}


def _field(kind: str, value: Attribute | None) -> Any:
    """A structure's field from the attribute that holds it. Raises ValueError for one of another kind."""
    match kind, value:
        case "dims", DenseElementsAttr():
            return tuple(np.broadcast_to(value.value, value.type.shape).tolist())  # type: ignore[arg-type]
        case "i64", IntegerAttr():
            return value.value
        case "bool", BoolAttr():
            return value.value
        case "type", TypeAttr():
            return value.value
        case _, None if kind in _ABSENT:
            return _ABSENT[kind]
    raise ValueError(f"expected a value of kind {kind}, found {value}")
