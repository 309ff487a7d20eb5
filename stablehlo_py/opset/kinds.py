"""Attribute kinds: one record for each kind, from which everything about it is derived.

A definition names a kind: one of `KINDS`, `enum NAME` or `struct NAME` (see `opset.structures`), `array of
KIND`, or alternatives joined by ` or `. `kind_of("array<i64>")` returns the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DenseResourceAttr,
    DictAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    OpaqueAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
)
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import F32, F64, I1, I32, I64, INDEX, UI64, FunctionType, Type
from stablehlo_py.opset import attribute_conversion as convert
from stablehlo_py.opset.structures import (
    ENUMS,
    FASTMATH,
    OVERFLOW,
    STRUCTS,
    EnumDef,
    Field,
    FlagSet,
    StructDef,
)

Spelling = Literal[
    "attribute",  # in full, with its type: `1 : i64`
    "integer",
    "boolean",
    "float",
    "string",
    "symbol",
    "type",
    "dims",  # `[0, 1]`
    "sizes",  # `[0, ?]`
    "enum",
    "struct",
    "list",
]


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """The storage, spelling and conversion of an attribute kind.

    Attributes:
        name: The name in definitions.
        phrase: The phrase in messages, such as "a 64-bit integer".
        contains: Tests whether an attribute is of the kind.
        from_python: Creates the attribute of a Python value; raises TypeError, ValueError or OverflowError.
        sort: The sort in formulas, as in signatures, such as "List[Int]"; "Any" if formulas only test for
                presence.
        spelling: The syntax where the kind is implied: in pretty forms and structures.
        to_python: Returns the Python value of an attribute, also of another kind.
        initial: The Python value of a field of a structure that is created without it.
        absent: The Python value if the op does not have the attribute.
        filled_in: The attribute that MLIR adds to a parsed op without it.
        current: Converts an earlier spelling of an attribute to the current one.
        item: The kind of the elements of an array.
        alternatives: The alternative kinds.
        enum: The row of an enumeration.
        struct: The row of a structure.
    """

    name: str
    phrase: str
    contains: Callable[[Attribute], bool]
    from_python: Callable[[Any], Attribute]
    sort: str = "Any"
    spelling: Spelling = "attribute"
    to_python: Callable[[Any], Any] = convert.python_value
    initial: Any = None
    absent: Any = None
    filled_in: Attribute | None = None
    current: Callable[[Attribute], Attribute] = lambda attribute: attribute
    item: Kind | None = None
    alternatives: tuple[Kind, ...] = ()
    enum: EnumDef | None = None
    struct: StructDef | None = None

    def make(self, value: Any, name: str) -> Attribute:
        """Convert a Python value to an attribute; return an attribute unchanged.

        Args:
            value: The value.
            name: The name of the input in messages.

        Returns:
            The attribute.

        Raises:
            ValueError: If the value is not of the kind.
        """
        if isinstance(value, Attribute):
            return value
        for kind in self.alternatives or (self,):
            try:
                made = kind.from_python(value)
            except (TypeError, ValueError, OverflowError):
                continue
            if kind.contains(made):
                return made
        raise ValueError(f"{name} must be {self.phrase}, not {value!r}")

    def leaves(self) -> Iterator[Kind]:
        """Yield the nested kinds of items and alternatives; the kind itself if it has none."""
        inner = (self.item,) if self.item else self.alternatives
        for kind in inner:
            yield from kind.leaves()
        if not inner:
            yield self


def _is_a(form: type[Attribute]) -> Callable[[Attribute], bool]:
    return lambda a: isinstance(a, form)


def _is_integer(type: Type, least: int | None = None) -> Callable[[Attribute], bool]:
    return lambda a: isinstance(a, IntegerAttr) and a.type is type and (least is None or a.value >= least)


def _is_float(type: Type) -> Callable[[Attribute], bool]:
    return lambda a: isinstance(a, FloatAttr) and a.type is type


def _is_dense_array(element: Type) -> Callable[[Attribute], bool]:
    return lambda a: isinstance(a, DenseArrayAttr) and a.element_type is element


def _is_elements(element: Type, rank: int | None = None) -> Callable[[Attribute], bool]:
    return lambda a: (
        isinstance(a, DenseElementsAttr)
        and a.type.element_type is element
        and (rank is None or a.type.rank == rank)
    )


# Tuples, since a union is made anew each time that it is written.
_DENSE = (DenseElementsAttr, DenseResourceAttr)
_NUMBERS = (IntegerAttr, FloatAttr, BoolAttr)
_TYPED = (*_NUMBERS, *_DENSE)


def _has_type(attribute: Attribute) -> bool:
    known = isinstance(attribute, _TYPED)
    return known or getattr(attribute, "type", None) is not None


def _integer(name: str, phrase: str, type: Type, least: int | None = None) -> Kind:
    contains = _is_integer(type, least)
    return Kind(name, phrase, contains, convert.integer_of(type), "Int", "integer", initial=0)


def _integers(name: str, element: Type) -> Kind:
    def current(attribute: Attribute) -> Attribute:
        """Convert a constant as printed by earlier releases, `dense<[1]> : tensor<1xi64>`, to an array."""
        integers = convert.integers_in(attribute) if isinstance(attribute, DenseElementsAttr) else None
        return attribute if integers is None else DenseArrayAttr(element, integers)

    return Kind(
        name,
        f"{name[:-1]}: ...>",
        _is_dense_array(element),
        convert.integers_of(element),
        "List[Int]",
        "dims",
        convert.flat_list,
        initial=(),
        current=current,
    )


def _current_booleans(attribute: Attribute) -> Attribute:
    match attribute:
        case DenseElementsAttr(type=type) if type.element_type is I1 and type.rank == 1:
            if (type.size or 0) <= convert.MOST_INTEGERS:
                return DenseArrayAttr(I1, tuple(attribute.value.tolist()))
    return attribute


def _flags(name: str, of: FlagSet, is_filled_in: bool = True) -> Kind:
    prefix = f"#{of.name}<"

    def contains(attribute: Attribute) -> bool:
        return isinstance(attribute, OpaqueAttr) and attribute.text.startswith(prefix)

    def current(attribute: Attribute) -> Attribute:
        """Return the attribute as MLIR prints it: each flag once, in order."""
        if not isinstance(attribute, OpaqueAttr) or not contains(attribute):
            return attribute
        words = [word.strip() for word in attribute.text.removeprefix(prefix).rstrip("> ").split(",")]
        return OpaqueAttr(of.text(words)) if set(words) <= set(of.words) else attribute

    filled_in = OpaqueAttr(of.text(())) if is_filled_in else None
    return Kind(name, f"{prefix}...>", contains, _no_python_value, filled_in=filled_in, current=current)


def _no_python_value(value: object) -> Attribute:
    raise TypeError(f"expected an attribute, got {value!r}")


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("any", "an attribute", lambda a: True, convert.any_attribute),
        Kind(
            "number",
            "a number",
            lambda a: isinstance(a, _NUMBERS),
            convert.any_attribute,
            "Float",
        ),
        Kind("typed", "an attribute with a type", _has_type, convert.elements, "Array"),
        Kind("unit", "unit", _is_a(UnitAttr), convert.unit, "Bool", absent=False),
        Kind("bool", "a boolean", _is_a(BoolAttr), convert.boolean, "Bool", "boolean", initial=False),
        _integer("i32", "a 32-bit integer", I32),
        _integer("i32 >= 0", "a 32-bit integer of at least 0", I32, 0),
        _integer("i32 > 0", "a 32-bit integer greater than 0", I32, 1),
        _integer("i64", "a 64-bit integer", I64),
        _integer("i64 >= 0", "a 64-bit integer of at least 0", I64, 0),
        _integer("i64 > 0", "a 64-bit integer greater than 0", I64, 1),
        _integer("ui64", "a 64-bit unsigned integer", UI64),
        Kind("f32", "a 32-bit float", _is_float(F32), convert.float_of(F32), "Float", "float"),
        Kind("f64", "a 64-bit float", _is_float(F64), convert.float_of(F64), "Float", "float"),
        Kind("string", "a string", _is_a(StringAttr), convert.any_attribute, "Str", "string"),
        Kind(
            "symbol",
            "a symbol such as @name",
            lambda a: isinstance(a, SymbolRefAttr) and not a.nested,
            convert.symbol,
            "Str",
            "symbol",
        ),
        Kind("type", "a type", _is_a(TypeAttr), convert.any_attribute, "Type", "type"),
        Kind(
            "function type",
            "a type",
            lambda a: isinstance(a, TypeAttr) and isinstance(a.value, FunctionType),
            convert.any_attribute,
            "Type",
            "type",
        ),
        Kind("array", "an array", _is_a(ArrayAttr), convert.any_attribute),
        Kind("dict", "a dictionary", _is_a(DictAttr), convert.any_attribute),
        _integers("array<i64>", I64),
        _integers("array<i32>", I32),
        Kind(
            "array<bool>",
            "array<i1: ...>",
            _is_dense_array(I1),
            convert.booleans,
            "List[Bool]",
            to_python=convert.flat_list,
            current=_current_booleans,
        ),
        Kind(
            "sizes",
            "a list of sizes, ? for an unknown one",
            _is_dense_array(I64),
            convert.sizes,
            "List[Int]",
            "sizes",
            convert.known_sizes,
            initial=(),
        ),
        Kind(
            "elements",
            "a dense constant",
            lambda a: isinstance(a, _DENSE),
            convert.elements,
            "Array",
        ),
        Kind("elements i64", "a dense constant of type i64", _is_elements(I64), convert.elements, "Array"),
        Kind(
            "layout",
            "a 1-dimensional dense constant of type index",
            _is_elements(INDEX, rank=1),
            convert.layout,
            "Array",
        ),
        _flags("overflow flags", OVERFLOW),
        _flags("fastmath flags", FASTMATH),
        _flags("optional fastmath flags", FASTMATH, is_filled_in=False),
        Kind("location", "a location", lambda a: isinstance(a, LocationAttr), _no_python_value),
    )
}


@cache
def kind_of(text: str) -> Kind:
    """Return the kind with a name.

    Args:
        text: The name, as in definitions.

    Returns:
        The kind.

    Raises:
        ValueError: If the name is unknown.
    """
    if " or " in text:
        return _either(text, tuple([kind_of(part) for part in text.split(" or ")]))
    word, _, name = text.partition(" ")
    if word == "enum" and name in ENUMS:
        return _enum_kind(text, ENUMS[name])
    if word == "struct" and name in STRUCTS:
        return _struct_kind(text, STRUCTS[name])
    if text.startswith("array of "):
        return _array_kind(text, kind_of(text.removeprefix("array of ")))
    if text in KINDS:
        return KINDS[text]
    raise ValueError(f"unknown attribute kind {text!r}")


@cache
def fields_of(struct: StructDef) -> tuple[tuple[Field, Kind], ...]:
    """Return the fields of a structure, in order, each with its kind."""
    return tuple([(field, kind_of(field.kind_name)) for field in struct.fields])


def make_struct(definition: StructDef, values: Mapping[str, Any]) -> StructAttr:
    """Create a structured attribute.

    Args:
        definition: The structure.
        values: The Python values of its fields.

    Returns:
        The attribute.

    Raises:
        ValueError: If a field without an initial value is missing.
    """
    made = [(f.name, _field(definition, f, kind, values.get(f.name))) for f, kind in fields_of(definition)]
    return StructAttr(definition.name, tuple(made))


def _field(struct: StructDef, field: Field, kind: Kind, value: Any) -> Any:
    if value is not None:
        return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
    if field.optional:
        return field.default
    if kind.initial is None:
        raise ValueError(f"#{struct.name} requires {field.name}")
    return kind.initial


def _either(name: str, kinds: tuple[Kind, ...]) -> Kind:
    sorts = {kind.sort for kind in kinds} - {"Any"}

    def to_python(attribute: Any) -> Any:
        of = next((kind for kind in kinds if kind.contains(attribute)), kinds[0])
        return of.to_python(attribute)

    return Kind(
        name,
        " or ".join(kind.phrase for kind in kinds),
        lambda a: any(kind.contains(a) for kind in kinds),
        _no_python_value,
        sorts.pop() if len(sorts) == 1 else "Any",
        to_python=to_python,
        alternatives=kinds,
    )


def _array_kind(name: str, item: Kind) -> Kind:
    def to_python(attribute: Any) -> Any:
        if isinstance(attribute, ArrayAttr):
            return tuple([item.to_python(value) for value in attribute.value])
        return convert.python_value(attribute)

    return Kind(
        name,
        f"an array, each {item.phrase}",
        lambda a: isinstance(a, ArrayAttr) and all(map(item.contains, a.value)),
        lambda value: ArrayAttr(tuple([item.make(x, "it") for x in value])),
        f"List[{item.sort}]",
        "list",
        to_python,
        item=item,
    )


def _struct_kind(name: str, struct: StructDef) -> Kind:
    return Kind(
        name,
        f"#{struct.name}<...>",
        lambda a: isinstance(a, StructAttr) and a.name == struct.name,
        lambda value: make_struct(struct, value),
        spelling="struct",
        struct=struct,
    )


def _enum_kind(name: str, enum: EnumDef) -> Kind:
    values = ", ".join(enum.values)
    kind = Kind(
        name,
        f"one of {values}",
        lambda a: isinstance(a, EnumAttr) and a.name == enum.name and a.value in enum.values,
        lambda value: EnumAttr(enum.name, value),
        "Str",
        "enum",
        initial=enum.values[0],
        enum=enum,
    )
    if enum.spelling != "integer":
        return kind
    count = len(enum.values)

    def to_python(attribute: Any) -> Any:
        value = convert.python_value(attribute)
        is_case = isinstance(attribute, IntegerAttr) and 0 <= value < count
        return enum.values[value] if is_case else value

    return replace(
        kind,
        phrase=f"a 32-bit integer in 0..{count - 1} ({values})",
        contains=lambda a: isinstance(a, IntegerAttr) and a.type is I32 and a.value in range(count),
        from_python=lambda value: IntegerAttr(
            enum.values.index(value) if isinstance(value, str) else int(value), I32
        ),
        to_python=to_python,
    )
