"""Inherent attributes (properties) of an op, and discardable ones."""

from __future__ import annotations

from functools import cache

from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr, OpaqueAttr, StringAttr
from stablehlo_py.opset.definition import OpDef, lookup

_EMPTY = StringAttr("")
_RESPELLED = (DenseElementsAttr, OpaqueAttr)  # attributes in an earlier spelling


def split_properties(
    attributes: dict[str, Attribute], properties: dict[str, Attribute], definition: OpDef
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """Separate an op's inherent attributes, its properties, from its discardable ones.

    Args:
        attributes: The attributes in `{...}`, which may include inherent ones.
        properties: The properties in `<{...}>`, or of a pretty form.
        definition: The op's definition.

    Returns:
        The discardable attributes, and the properties with the defaults that MLIR stores.
    """
    kinds = definition.property_kinds
    if attributes:
        properties = properties | {name: value for name, value in attributes.items() if name in kinds}
        attributes = {name: value for name, value in attributes.items() if name not in kinds}
    for name, value in _stated_defaults(definition.name):
        properties.setdefault(name, value)
    for name, value in properties.items():
        if type(value) in _RESPELLED and name in kinds:
            properties[name] = kinds[name].current(value)
    return attributes, properties


@cache
def _stated_defaults(name: str) -> tuple[tuple[str, Attribute], ...]:
    """Return the defaults that MLIR stores when it reads an op: empty strings and false flags."""
    definition = lookup(name)
    attrs = definition.attrs if definition else ()
    found = [(attr.property, _EMPTY) for attr in attrs if attr.default == '""']
    return (*found, *((a.property, a.kind.filled_in) for a in attrs if a.kind.filled_in is not None))


def old_spelling(
    attributes: dict[str, Attribute], properties: dict[str, Attribute], definition: OpDef, is_generic: bool
) -> str:
    """Describe the first old spelling in an op's attributes.

    Args:
        attributes: The attributes, before `split_properties`.
        properties: The properties, before `split_properties`.
        definition: The op's definition.
        is_generic: Whether the op is in generic form.

    Returns:
        The description, or "".
    """
    kinds = definition.property_kinds
    for name, value in (*properties.items(), *attributes.items()):
        if type(value) is DenseElementsAttr and name in kinds and kinds[name].current(value) is not value:
            return f"old spelling {name} = dense<...>; use array<...>"
    moved = sorted(kinds.keys() & attributes.keys()) if is_generic else []
    return f"old spelling {', '.join(moved)} in {{...}} of a generic op; use <{{...}}>" if moved else ""
