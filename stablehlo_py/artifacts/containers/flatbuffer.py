"""Reader of flatbuffers by a schema that is data: for each table, its fields' names and types by number.

A type is `u8`, `u16`, `u32`, `bool`, `string`, `bytes`, the name of a table, or a list of one, such as
`[u32]`. Offsets between tables only go forward. Visited tables are counted, so that shared tables cannot take
more time than the file is long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.artifacts.faults import Fault

Schema = Mapping[str, tuple[tuple[str, str], ...]]
MAX_DEPTH = 64  # of nested tables
_SIZES = {"bool": 1, "u8": 1, "u16": 2, "u32": 4}


class FlatbufferReader:
    """A reader of the tables of one buffer.

    Args:
        data: The buffer.
        schema: The fields of each table.
    """

    def __init__(self, data: memoryview, schema: Schema) -> None:
        self._data = data
        self._schema = schema
        self._left = len(data)  # limit on visited tables

    def root(self, table: str) -> dict[str, Any]:
        """Return the root table; raise Fault for an invalid one."""
        return self._table(self._offset(0), table, 0)

    def _number(self, at: int, size: int) -> int:
        return int.from_bytes(Cursor(self._data, at).take(size, "a number"), "little")

    def _offset(self, at: int) -> int:
        """Return the position that the offset at a position refers to."""
        target = at + self._number(at, 4)
        if not at < target <= len(self._data) - 4:
            raise Fault(at, f"expected an offset into the {len(self._data)} bytes of the file")
        return target

    def _table(self, at: int, name: str, depth: int) -> dict[str, Any]:
        """Return the fields of a table by name; None for absent ones."""
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            raise Fault(at, f"more than {MAX_DEPTH} tables within one another, or more than there are bytes")
        back = self._number(at, 4)
        vtable = at - (back - (1 << 32) if back >> 31 else back)
        if not 0 <= vtable <= len(self._data) - 4:
            raise Fault(at, f"expected the offset of the fields of a table {name}")
        size = self._number(vtable, 2)
        found: dict[str, Any] = {}
        for number, (field, type) in enumerate(self._schema[name]):
            slot = 4 + 2 * number
            place = self._number(vtable + slot, 2) if slot + 2 <= size else 0
            found[field] = self._value(at + place, type, depth) if place else None
        return found

    def _value(self, at: int, type: str, depth: int) -> Any:
        if type in _SIZES:
            number = self._number(at, _SIZES[type])
            return bool(number) if type == "bool" else number
        target = self._offset(at)
        if type == "string":
            return str(self._vector(target, 1), "utf-8", "surrogateescape")
        if type == "bytes":
            return self._vector(target, 1)
        if type.startswith("["):
            return self._list(target, type[1:-1], depth)
        return self._table(target, type, depth + 1)

    def _vector(self, at: int, item: int) -> memoryview:
        """Return the bytes of a vector, which starts with its length."""
        return Cursor(self._data, at + 4).take(self._number(at, 4) * item, "a vector")

    def _list(self, at: int, item: str, depth: int) -> list[Any]:
        size = _SIZES.get(item, 4)
        count = len(self._vector(at, size)) // size
        return [self._value(at + 4 + size * index, item, depth) for index in range(count)]
