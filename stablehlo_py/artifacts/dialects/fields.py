"""Field kinds of encodings, each with its reader and its writer."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.ir.attributes import (
    Attribute,
    DictAttr,
    EnumAttr,
    LocationAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
)
from stablehlo_py.ir.bit_patterns import pattern_of, value_of
from stablehlo_py.ir.element_types import ELEMENT_TYPES, bit_width, numpy_dtype
from stablehlo_py.ir.locations import Location
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import FloatType, IndexType, IntegerType, Type

Given = Mapping[str, Any]  # the preceding fields, by name

DYNAMIC = -(1 << 63)  # the size of a dynamic dimension


class _Missing:
    """Stands for a referenced attribute or type that is not yet read."""


MISSING = _Missing()


class Deferred(Exception):
    """A field depends on another one that is not yet read."""


class References(ABC):
    """What the fields of an entry are read from: numbers, and references to attributes and types.

    Attributes:
        at: The position, for faults.
        missing: The positions of referenced entries that are not yet read.
    """

    __slots__ = ()
    at: int
    missing: list[int]

    @abstractmethod
    def byte(self, what: str = "") -> int:
        """Read a byte."""

    @abstractmethod
    def varint(self) -> int:
        """Read a varint."""

    @abstractmethod
    def signed(self) -> int:
        """Read a signed number."""

    @abstractmethod
    def flagged(self) -> tuple[int, bool]:
        """Read a varint with a flag."""

    @abstractmethod
    def count(self, what: str, least: int = 1) -> int:
        """Read the number of items of a list."""

    @abstractmethod
    def attribute(self, index: int) -> Any:
        """Return the attribute or location of an index, or MISSING if it is not yet read."""

    @abstractmethod
    def type(self, index: int) -> Any:
        """Return the type of an index, or MISSING if it is not yet read."""


class Source(Cursor, References):
    """The bytes of an entry of a file, with the tables that its fields refer to."""

    __slots__ = ()

    @abstractmethod
    def string(self) -> str:
        """Read the index of a string; return the string."""

    @abstractmethod
    def resource(self) -> str:
        """Read the index of a resource; return its key."""

    @abstractmethod
    def ordinal(self) -> int:
        """Return a number that no other entry of the file has."""


class Sink(Protocol):
    """The output of an entry; references become indices when everything is numbered."""

    def byte(self, value: int) -> None:
        """Write a byte."""

    def varint(self, value: int) -> None:
        """Write a varint."""

    def signed(self, value: int) -> None:
        """Write a zigzag varint."""

    def raw(self, data: bytes | memoryview) -> None:
        """Write bytes."""

    def string(self, value: str) -> None:
        """Write a reference to a string."""

    def attribute(self, value: Any, flag: bool | None = None) -> None:
        """Write a reference to an attribute, with a flag in the lowest bit if given."""

    def type(self, value: Type) -> None:
        """Write a reference to a type."""

    def resource(self, key: str) -> None:
        """Write a reference to a resource."""


@dataclass(frozen=True, slots=True)
class FieldKind:
    """The encoding of a field: a reader and a writer, which both have access to the preceding fields.

    A reader takes References, or a Source if it reads strings or bytes.
    """

    read: Callable[[Any, Given], Any]
    write: Callable[[Sink, Any, Given], None]


VARINT = FieldKind(lambda s, _: s.varint(), lambda s, v, _: s.varint(v))
SIGNED = FieldKind(lambda s, _: s.signed(), lambda s, v, _: s.signed(v))


def _flag(at: int, value: int) -> bool:
    if value > 1:
        raise Fault(at, f"expected 0 or 1 for a boolean, found {value}")
    return value == 1


BOOL = FieldKind(lambda s, _: _flag(s.at, s.byte()), lambda s, v, _: s.byte(int(v)))
FLAG = FieldKind(lambda s, _: _flag(s.at, s.varint()), lambda s, v, _: s.varint(int(v)))
STRING = FieldKind(lambda s, _: s.string(), lambda s, v, _: s.string(v))
# The number of an attribute that is equal to no other one; it is not stored.
ORDINAL = FieldKind(lambda s, _: s.ordinal(), lambda s, v, _: None)
RESOURCE = FieldKind(lambda s, _: s.resource(), lambda s, v, _: s.resource(v))
TYPE = FieldKind(lambda s, _: s.type(s.varint()), lambda s, v, _: s.type(v))


# References to attributes -----------------------------------------------------------------------------


def _attribute(source: References, index: int) -> Any:
    found = source.attribute(index)
    return LocationAttr(found) if isinstance(found, Location) else found


def _referred(source: References, expected: type, what: str) -> Any:
    """Return the attribute of a reference; raise Fault unless it is of a class."""
    at = source.at
    found = source.attribute(source.varint())
    if found is not MISSING and not isinstance(found, expected):
        raise Fault(at, f"expected a reference to {what}, found {found}")
    return found


def _name(source: References, given: Given) -> Any:
    found = _referred(source, StringAttr, "a string")
    return found if found is MISSING else found.value


def _symbol(source: References, given: Given) -> Any:
    found = _referred(source, SymbolRefAttr, "a symbol")
    return found if found is MISSING else found.root


def _written(sink: Sink, value: Any) -> None:
    sink.attribute(value.value if isinstance(value, LocationAttr) else value)


ATTR = FieldKind(lambda s, _: _attribute(s, s.varint()), lambda s, v, _: _written(s, v))
NAME = FieldKind(_name, lambda s, v, _: s.attribute(StringAttr(v)))
SYMBOL = FieldKind(_symbol, lambda s, v, _: s.attribute(SymbolRefAttr(v)))
LOCATION = FieldKind(lambda s, _: _referred(s, Location, "a location"), lambda s, v, _: s.attribute(v))


def ENUM_VALUE(name: str) -> FieldKind:
    """Return the kind of references to an enumeration's attribute, read as its value."""

    def read(source: References, given: Given) -> Any:
        at, found = source.at, _referred(source, EnumAttr, f"#{name}")
        if found is MISSING:
            return found
        if found.name != name:
            raise Fault(at, f"expected a reference to #{name}, found {found}")
        return found.value

    return FieldKind(read, lambda s, v, _: s.attribute(EnumAttr(name, v)))


# Combinations -----------------------------------------------------------------------------------------


def listed(kind: FieldKind) -> FieldKind:
    """Return the kind of a tuple: a count, and that many values of a kind."""

    def read(source: References, given: Given) -> tuple[Any, ...]:
        return tuple([kind.read(source, given) for _ in range(source.count("items"))])

    def write(sink: Sink, value: Sequence[Any], given: Given) -> None:
        sink.varint(len(value))
        for item in value:
            kind.write(sink, item, given)

    return FieldKind(read, write)


def optional(kind: FieldKind, presence: FieldKind) -> FieldKind:
    """Return the kind of an optional value: `presence` encodes a boolean, then the value. Absent is None."""

    def read(source: References, given: Given) -> Any:
        return kind.read(source, given) if presence.read(source, given) else None

    def write(sink: Sink, value: Any, given: Given) -> None:
        presence.write(sink, value is not None, given)
        if value is not None:
            kind.write(sink, value, given)

    return FieldKind(read, write)


def wrapped(kind: FieldKind, wrap: Callable[[Any], Any], unwrap: Callable[[Any], Any]) -> FieldKind:
    """Return a kind whose value has another form in the IR.

    Args:
        kind: The encoded kind.
        wrap: From the encoded value to that of the IR.
        unwrap: From the value of the IR to the encoded one.
    """
    return FieldKind(
        lambda s, given: wrap(kind.read(s, given)), lambda s, v, given: kind.write(s, unwrap(v), given)
    )


def mesh_reference(kind: FieldKind, mesh: str) -> FieldKind:
    """An attribute that is a mesh, of the structure `mesh`, or the symbol of one."""

    def read(source: References, given: Given) -> Any:
        at, found = source.at, kind.read(source, given)
        is_mesh = isinstance(found, StructAttr) and found.name == mesh
        if found is MISSING or is_mesh or isinstance(found, SymbolRefAttr):
            return found
        raise Fault(at, f"expected #{mesh}<...> or the symbol of a mesh, found {found}")

    return FieldKind(read, kind.write)


def member(values: Sequence[str], first: int = 0) -> FieldKind:
    """Return the kind of the number of one of the values, counted from `first`."""

    def read(source: References, given: Given) -> str:
        at = source.at
        number = source.varint()
        if not first <= number < first + len(values):
            choices = ", ".join([f"{n} ({value})" for n, value in enumerate(values, first)])
            raise Fault(at, f"expected one of {choices}, found {number}")
        return values[number - first]

    return FieldKind(read, lambda s, v, _: s.varint(values.index(v) + first))


def _optional_reference(source: References, given: Given) -> Any:
    index, present = source.flagged()
    return _attribute(source, index) if present else None


def _write_optional_reference(sink: Sink, value: Any, given: Given) -> None:
    if value is None:
        sink.varint(0)
    else:
        sink.attribute(value, flag=True)


def _optional_number(source: References, given: Given) -> int | None:
    value, present = source.flagged()
    return value if present else None


TYPES = listed(TYPE)
ATTRS = listed(ATTR)
DIMS = listed(SIGNED)
SIZES = wrapped(
    DIMS,
    lambda sizes: tuple([None if size == DYNAMIC else size for size in sizes]),
    lambda sizes: [DYNAMIC if size is None else size for size in sizes],
)
OPTIONAL_ATTR = FieldKind(_optional_reference, _write_optional_reference)
OPTIONAL_NUMBER = FieldKind(_optional_number, lambda s, v, _: s.varint(0 if v is None else v << 1 | 1))


def _read_items(source: References, given: Given) -> Any:
    """Read names and values of a dictionary, which is sorted by name."""
    items = [(_name(source, given), ATTR.read(source, given)) for _ in range(source.count("entries", 2))]
    return () if source.missing else DictAttr.of(dict(items)).items


def _write_items(sink: Sink, items: Sequence[tuple[str, Attribute]], given: Given) -> None:
    sink.varint(len(items))
    for name, value in items:
        NAME.write(sink, name, given)
        _written(sink, value)


ITEMS = FieldKind(_read_items, _write_items)


# Numbers of a type that another field states --------------------------------------------------------


def known(given: Given, field: str) -> Any:
    """An earlier field. Raises Deferred where it is still to be read."""
    if given[field] is MISSING:
        raise Deferred
    return given[field]


def _bits(source: References, width: int) -> int:
    """Read the bits of an integer of a known width."""
    if width <= 8:
        return source.byte() & ((1 << width) - 1)
    if width <= 64:
        return source.signed() & ((1 << width) - 1)
    words = [source.signed() & ((1 << 64) - 1) for _ in range(source.count("words"))]
    return sum(word << (64 * n) for n, word in enumerate(words)) & ((1 << width) - 1)


def _write_bits(sink: Sink, bits: int, width: int) -> None:
    if width <= 8:
        sink.byte(bits)
    elif width <= 64:
        sink.signed(_extended(bits, 64))  # without the sign of the narrower number
    else:
        words = [bits >> at & ((1 << 64) - 1) for at in range(0, width, 64)]
        while len(words) > 1 and words[-1] == 0:
            words.pop()
        sink.varint(len(words))
        for word in words:
            sink.signed(_extended(word, 64))


def _extended(bits: int, width: int) -> int:
    """Return bits as a signed number."""
    return bits - (1 << width) if bits >> (width - 1) & 1 else bits


def _width(source: References, type: Any) -> int:
    if isinstance(type, IntegerType):
        return type.width
    if isinstance(type, IndexType):
        return 64
    raise Fault(source.at, f"expected an integer of an integer type, found one of {type}")


def _read_integer(source: References, given: Given) -> int:
    type = known(given, "type")
    width = _width(source, type)
    bits = _bits(source, width)
    return bits if getattr(type, "signedness", "") == "u" else _extended(bits, width)


def _write_integer(sink: Sink, value: int, given: Given) -> None:
    width = bit_width(given["type"])
    _write_bits(sink, value & ((1 << width) - 1), width)


INTEGER = FieldKind(_read_integer, _write_integer)


def _read_float_bits(source: References, given: Given) -> int:
    type = known(given, "type")
    try:
        return _bits(source, bit_width(type))
    except (TypeError, ValueError):
        raise Fault(source.at, f"expected a number of a floating-point type, found one of {type}") from None


FLOAT_BITS = FieldKind(_read_float_bits, lambda s, v, given: _write_bits(s, v, bit_width(given["type"])))
DOUBLE = FieldKind(
    lambda s, _: float(struct.unpack("<d", _bits(s, 64).to_bytes(8, "little"))[0]),
    lambda s, v, _: _write_bits(s, int.from_bytes(struct.pack("<d", v), "little"), 64),
)


def float_of_bits(bits: int, type: FloatType) -> tuple[float, int | None]:
    """Return the number of a bit pattern in a type, and the pattern if the number does not determine it."""
    if not ELEMENT_TYPES[type].numpy:
        return value_of(bits, type)
    dtype = numpy_dtype(type)
    with np.errstate(invalid="ignore"):  # of a signaling NaN
        value = float(np.array(bits, f"u{dtype.itemsize}").view(dtype).astype(np.float64))
    return value, bits if value != value else None


def bits_of_float(value: float, type: FloatType) -> int:
    """Return the bit pattern of a number in a floating-point type."""
    if not ELEMENT_TYPES[type].numpy:
        return pattern_of(value, type)
    dtype = numpy_dtype(type)
    return int(np.array(value, np.float64).astype(dtype).view(f"u{dtype.itemsize}")) & (
        (1 << bit_width(type)) - 1
    )
