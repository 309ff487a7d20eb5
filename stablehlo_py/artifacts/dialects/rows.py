"""Rows: the encodings of attributes and types, as a code and fields in order.

One walk over a row's fields reads an entry, another one writes it; `fields` has the kinds of fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects.fields import FieldKind, References
from stablehlo_py.ir.attributes import EnumAttr, IntegerAttr, StructAttr
from stablehlo_py.ir.element_types import OLDEST
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import I32, Type
from stablehlo_py.opset.kinds import fields_of, make_struct
from stablehlo_py.opset.structures import ENUMS, STRUCTS, Field, StructDef

Fields = dict[str, FieldKind]


class NoEncoding(Exception):
    """A value that a dialect cannot encode."""


@dataclass(frozen=True, slots=True)
class Row:
    """The encoding of one kind of attribute or type.

    Attributes:
        code: The number of the kind in its dialect.
        key: A class of `ir`, the name of a structure or enumeration, or one type.
        fields: The kinds of the fields by name, in order.
        make: Returns the value from the fields by name.
        split: Returns the fields of a value.
        fits: Whether the row can encode a value of the key.
        older: The layouts of earlier releases under the same code.
        mnemonic: The name in VHLO's text.
        since: The version of VHLO that introduced it.
        what: The name in messages about versions, if not that of the key.
        text: The form of its fields in VHLO's text, as `vhlo.text` has it.
    """

    code: int
    key: type | str | Type
    fields: Fields
    make: Callable[..., Any]
    split: Callable[[Any], Mapping[str, Any]]
    fits: Callable[[Any], bool] = lambda value: True
    older: tuple[Fields, ...] = ()
    mnemonic: str = ""
    since: str = OLDEST
    what: str = ""
    text: str = ""

    @property
    def layouts(self) -> tuple[Fields, ...]:
        """The layouts of all releases, the newest first."""
        return (self.fields, *self.older) if self.older else (self.fields,)

    def read(self, source: References, fields: Fields) -> Any:
        """Return the value of a layout's fields; MISSING if it refers to one that is not yet read."""
        given: dict[str, Any] = {}
        for name, kind in fields.items():
            given[name] = kind.read(source, given)
        return F.MISSING if source.missing else self.make(**given)


def row(code: int, key: type, /, **options: Any) -> Row:
    """Return the row of a class.

    Args:
        code: The code.
        key: The class; fields are named as its own unless `make` is given.
        **options: The kinds of fields by name, and attributes of `Row`.
    """
    own = {name: options.pop(name) for name in _OPTIONS & options.keys()}
    make = own.pop("make", key)
    split = own.pop("split", lambda value: {name: getattr(value, name) for name in options})
    return Row(code, key, options, make, split, **own)


_OPTIONS = {"make", "split", "fits", "older", "mnemonic", "since", "what", "text"}


def constant(code: int, type: Type, mnemonic: str = "", since: str = OLDEST) -> Row:
    """Return the row of one type, without fields."""
    return Row(code, type, {}, lambda: type, lambda value: {}, mnemonic=mnemonic, since=since)


def enum(code: int, name: str, *, first: int = 0, mnemonic: str = "", since: str = OLDEST) -> Row:
    """Return the row of an enumeration: the number of a value, counted from `first`."""
    definition = ENUMS[name]

    def make(value: str) -> EnumAttr | IntegerAttr:
        is_number = definition.spelling == "integer"
        return IntegerAttr(definition.values.index(value), I32) if is_number else EnumAttr(name, value)

    return Row(
        code,
        name,
        {"value": F.member(definition.values, first)},
        make,
        lambda attribute: {"value": attribute.value},
        lambda attribute: attribute.value in definition.values,
        mnemonic=mnemonic,
        since=since,
    )


_FIELDS: Mapping[str, FieldKind] = {
    "i64": F.SIGNED,
    "array<i64>": F.DIMS,
    "sizes": F.SIZES,
    "bool": F.BOOL,
    "f64": F.DOUBLE,
    "string": F.STRING,
    "type": F.TYPE,
    "any": F.ATTR,
    "array of string": F.listed(F.NAME),
}


def _field(field: Field) -> FieldKind:
    """Return the default encoding of a structure's field."""
    if field.kind_name in _FIELDS:
        return _FIELDS[field.kind_name]
    if field.kind_name.startswith("enum "):
        return F.ENUM_VALUE(field.kind_name.removeprefix("enum "))
    return F.ATTRS if field.kind_name.startswith("array of ") else F.ATTR


def _checked(definition: StructDef, made: StructAttr) -> StructAttr:
    """Return the structure if its nested structures have the kinds of its fields; else raise ValueError."""
    for field, kind in fields_of(definition):
        inner, value = kind.item or kind, made[field.name]
        if inner.struct is None or value is None:
            continue
        if not all(map(inner.contains, value if kind.item else (value,))):
            raise ValueError(f"expected {kind.phrase} for {field.name} of #{definition.name}")
    return made


def struct(
    code: int, name: str, /, *, without: tuple[str, ...] = (), older: tuple[str, ...] = (), **options: Any
) -> Row:
    """Return the row of a structure, with its fields in order.

    Args:
        code: The code.
        name: The structure.
        without: Fields that are not encoded, and have their defaults.
        older: Fields that an older layout does not have.
        **options: The kinds of fields by name, and attributes of `Row`.
    """
    texts = {key: options.pop(key) for key in ("mnemonic", "since", "what", "text") if key in options}
    definition = STRUCTS[name]
    layout = {
        field.name: options.get(field.name) or _field(field)
        for field in definition.fields
        if field.name not in without
    }
    absent = {field.name: field.default or () for field in definition.fields if field.name in without}
    short = {field: kind for field, kind in layout.items() if field not in older}
    return Row(
        code,
        name,
        layout,
        lambda **given: _checked(definition, make_struct(definition, absent | given)),
        lambda value: dict(value.fields),
        lambda value: all(value[name] == absent[name] for name in without),
        (short,) if older else (),
        **texts,
    )
