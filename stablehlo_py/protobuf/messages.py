"""Messages as data, by a schema in protobuf's language: `message Name { repeated int64 field = 1; }`."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from stablehlo_py.protobuf.wire import DELIMITED, FIXED32, FIXED64, VARINT, Data, WireError, fields, varint

_MOST_NESTED = 100  # messages, as protobuf's own limit


class Field(NamedTuple):
    """A field of a message: its name, its type, and whether it is a list."""

    name: str
    type: str
    is_repeated: bool


class Message(dict[str, Any]):
    """The fields of a message by name. A field that is absent has the default of its type.

    Args:
        defaults: The defaults of all fields.
    """

    __slots__ = ("defaults",)

    def __init__(self, defaults: dict[str, Any]) -> None:
        self.defaults = defaults

    def __missing__(self, name: str) -> Any:
        return self.defaults[name]


_INTEGERS: dict[str, Callable[[int], Any]] = {
    "int32": lambda value: (value + (1 << 31)) % (1 << 32) - (1 << 31),  # the low bits, as C++ reads it
    "int64": lambda value: value - (1 << 64) if value >> 63 else value,
    "uint32": lambda value: value % (1 << 32),
    "uint64": lambda value: value % (1 << 64),
    "bool": bool,
}
_FLOATS = {"float": (FIXED32, struct.Struct("<f")), "double": (FIXED64, struct.Struct("<d"))}
_TOKEN = re.compile(r"message (\w+) \{|enum (\w+) \{|(repeated )?(\w+) (\w+) = (\d+);|(\w+) = (\d+);|\}")


class Schema:
    """The messages and enumerations of a schema.

    Args:
        text: The schema: messages with fields, and enumerations; neither is nested in another.
    """

    def __init__(self, text: str) -> None:
        self.messages: dict[str, dict[int, Field]] = {}
        self.enums: dict[str, dict[int, str]] = {}
        self.defaults: dict[str, dict[str, Any]] = {}
        message: dict[int, Field] = {}
        enum: dict[int, str] = {}
        for found in _TOKEN.finditer(text):
            if found[1]:
                message = self.messages.setdefault(found[1], {})
            elif found[2]:
                enum = self.enums.setdefault(found[2], {})
            elif found[6]:
                message[int(found[6])] = Field(found[5], found[4], bool(found[3]))
            elif found[8]:
                enum[int(found[8])] = found[7]
        for name, rows in self.messages.items():
            self.defaults[name] = {row.name: self._default(row) for row in rows.values()}

    def _default(self, row: Field) -> Any:
        if row.is_repeated:
            return ()
        if row.type in self.enums:
            return self.enums[row.type].get(0, "")
        plain = {"string": "", "bytes": b"", "bool": False, "float": 0.0, "double": 0.0}
        return plain.get(row.type, 0 if row.type in _INTEGERS else None)

    def read(self, name: str, data: Data, start: int = 0, end: int | None = None, depth: int = 0) -> Message:
        """Read a message.

        Args:
            name: Its name in the schema.
            data: The file.
            start: The offset of the message.
            end: The offset after it.
            depth: The number of messages that it is in.

        Returns:
            The fields that the schema has; others are skipped. Fields that are messages are never None
            where they are present.

        Raises:
            WireError: If the range is no such message.
        """
        if depth > _MOST_NESTED:
            raise WireError(start, f"expected at most {_MOST_NESTED} nested messages")
        rows, found = self.messages[name], Message(self.defaults[name])
        for number, wire, at, stop in fields(data, start, len(data) if end is None else end):
            row = rows.get(number)
            if row is None or wire not in self._wires(row):
                continue  # an unknown field, as protobuf says of another wire type too
            if row.is_repeated:
                self._append(found.setdefault(row.name, []), row, data, wire, at, stop, depth)
            else:
                found[row.name] = self._value(row, data, at, stop, depth)
        return found

    def _append(
        self, values: list[Any], row: Field, data: Data, wire: int, at: int, stop: int, depth: int
    ) -> None:
        """Add the value, or the packed values, of a repeated field."""
        if wire != DELIMITED or not self._is_number(row.type):
            values.append(self._value(row, data, at, stop, depth))
        elif row.type in _FLOATS:
            values += self._packed_floats(row.type, data, at, stop)
        else:
            while at < stop:
                value, at = varint(data, at, stop)
                values.append(self._integer(row.type, value, at))

    def _packed_floats(self, type: str, data: Data, at: int, stop: int) -> tuple[float, ...]:
        _, form = _FLOATS[type]
        if (stop - at) % form.size:
            raise WireError(at, f"expected numbers of {form.size} bytes, found {stop - at} bytes")
        return struct.unpack_from(f"<{(stop - at) // form.size}{form.format[-1]}", data, at)

    def _wires(self, row: Field) -> tuple[int, ...]:
        """Return the wire types of a field: of repeated numbers also that of packed ones."""
        if row.type in _FLOATS:
            plain, _ = _FLOATS[row.type]
        else:
            plain = VARINT if self._is_number(row.type) else DELIMITED
        return (plain, DELIMITED) if row.is_repeated else (plain,)

    def _is_number(self, type: str) -> bool:
        return type in _INTEGERS or type in _FLOATS or type in self.enums

    def _integer(self, type: str, value: int, at: int) -> Any:
        if type in _INTEGERS:
            return _INTEGERS[type](value)
        name = self.enums[type].get(value)
        if name is None:
            raise WireError(at, f"expected a number of {type}, found {value}")
        return name

    def _value(self, row: Field, data: Data, at: int, stop: int, depth: int) -> Any:
        """Return the value of a field, which has its wire type."""
        if row.type in _FLOATS:
            return _FLOATS[row.type][1].unpack_from(data, at)[0]
        if self._is_number(row.type):
            return self._integer(row.type, at, stop)
        if row.type in self.messages:
            return self.read(row.type, data, at, stop, depth + 1)
        content = bytes(data[at:stop])
        return _decoded(content, at, row.name) if row.type == "string" else content


def _decoded(content: bytes, at: int, name: str) -> str:
    """Return the text of a string, which protobuf requires to be UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise WireError(
            at + error.start, f"expected {name} in UTF-8, found {content[error.start]:#04x}"
        ) from None
