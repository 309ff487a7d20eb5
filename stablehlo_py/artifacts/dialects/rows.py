"""A row says how one kind of attribute or type is encoded: its code, and its fields in order.

One walk over a row's fields reads an entry, another writes it; what a field is made of is in `fields`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects.fields import FieldKind, Source
from stablehlo_py.ir.attributes import EnumAttr, IntegerAttr, StructAttr
from stablehlo_py.ir.types import I32, Type
from stablehlo_py.opset.kinds import fields_of, make_struct
from stablehlo_py.opset.structures import ENUMS, STRUCTS, Field, StructDef

Fields = dict[str, FieldKind]


@dataclass(frozen=True, slots=True)
class Row:
    """The encoding of one kind of attribute or type.

    `key` is what the row is about: a class of `ir`, the name of a structure or enumeration, or one type.
    `make` gives the value from the fields by name, `split` the fields of a value, `fits` says which of the
    key's values the row can hold. `older` are layouts that earlier releases wrote under the same code.
    `mnemonic` and `since` are VHLO's: how its text spells the value, and the version that introduced it.
    """

    code: int
    key: type | str | Type
    fields: Fields
    make: Callable[..., Any]
    split: Callable[[Any], Mapping[str, Any]]
    fits: Callable[[Any], bool] = lambda value: True
    older: tuple[Fields, ...] = ()
    mnemonic: str = ""
    since: str = "0.9.0"

    def read(self, source: Source, fields: Fields) -> Any:
        """The value that a layout's fields hold; MISSING where it refers to one that is not yet read."""
        given: dict[str, Any] = {}
        for name, kind in fields.items():
            given[name] = kind.read(source, given)
        return F.MISSING if source.missing else self.make(**given)


def row(code: int, key: type, /, **options: Any) -> Row:
    """A row of a class: fields are keywords, and the names of the class's own unless `make` is given."""
    own = {name: options.pop(name) for name in _OPTIONS & options.keys()}
    make = own.pop("make", key)
    split = own.pop("split", lambda value: {name: getattr(value, name) for name in options})
    return Row(code, key, options, make, split, **own)


_OPTIONS = {"make", "split", "fits", "older", "mnemonic", "since"}


def constant(code: int, type: Type, mnemonic: str = "", since: str = "0.9.0") -> Row:
    """A row of one type, without fields."""
    return Row(code, type, {}, lambda: type, lambda value: {}, mnemonic=mnemonic, since=since)


def enum(code: int, name: str, *, first: int = 0, mnemonic: str = "", since: str = "0.9.0") -> Row:
    """A row of an enumeration: the number of a value, counted from `first`."""
    definition = ENUMS[name]
    value = F.member(definition.values, first)
    if definition.spelling == "integer":
        return Row(
            code,
            name,
            {"value": value},
            lambda value: IntegerAttr(definition.values.index(value), I32),
            lambda attribute: {"value": attribute.value},
            mnemonic=mnemonic,
            since=since,
        )
    return Row(
        code,
        name,
        {"value": value},
        lambda value: EnumAttr(name, value),
        lambda attribute: {"value": attribute.value},
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
    """How a structure's field is encoded unless its row says otherwise."""
    if field.kind_name in _FIELDS:
        return _FIELDS[field.kind_name]
    if field.kind_name.startswith("enum "):
        return F.ENUM_VALUE(field.kind_name.removeprefix("enum "))
    return F.ATTRS if field.kind_name.startswith("array of ") else F.ATTR


def _checked(definition: StructDef, made: StructAttr) -> StructAttr:
    """The structure, if the structures inside it are those that its fields are for. Raises ValueError."""
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
    """A row of a structure, with its fields in order; keywords replace their kinds.

    Fields in `without` are not encoded and have their defaults; an older layout has none of those in `older`.
    """
    texts = {key: options.pop(key) for key in ("mnemonic", "since") if key in options}
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
