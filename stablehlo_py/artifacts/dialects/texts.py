"""Types and attributes from their text."""

from __future__ import annotations

from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.types import Type


def type_of(text: str) -> Type:
    """Return the type of a text."""
    from stablehlo_py.syntax.parser import parse_type

    return parse_type(text)


def attribute_of(text: str) -> Attribute:
    """Return the attribute of a text."""
    from stablehlo_py.syntax.parser import parse_attribute

    return parse_attribute(text)
