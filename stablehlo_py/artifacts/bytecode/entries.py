"""The table of attributes and types, read lazily and without recursion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stablehlo_py.artifacts.bytecode.cursor import Cursor, Data
from stablehlo_py.artifacts.bytecode.locations import sound_locations
from stablehlo_py.artifacts.bytecode.sections import Entry, Layout
from stablehlo_py.artifacts.dialects.fields import MISSING, Deferred, Source
from stablehlo_py.artifacts.dialects.registry import ATTRIBUTES, TYPES, refusal
from stablehlo_py.artifacts.dialects.rows import Row
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.ir.attributes import Attribute, LocationAttr
from stablehlo_py.ir.locations import DeferredLocation, Location
from stablehlo_py.ir.types import Type

MAX_DEPTH = 200  # of nested attributes, types or locations
LEAST_MAX_SIZE = 100_000  # of nested attributes, types or locations, counting repeated uses


class Entries:
    """The attributes and types of a file. An index past the attributes is that of a type.

    Args:
        layout: The tables of the file.
        data: The file.

    Attributes:
        attributes: The number of attributes.
        values: The attributes, locations and types that are read; MISSING for others.
        ordinals: The numbers of the attributes that are equal to no other one, by position.
    """

    def __init__(self, layout: Layout, data: Data) -> None:
        self.strings = layout.strings
        self.resource_keys = layout.resource_keys
        self.data = data
        self._entries = [*layout.attributes, *layout.types]
        self.attributes = len(layout.attributes)
        self.values: list[Any] = [MISSING] * len(self._entries)
        self._extents: list[tuple[int, int]] = [(1, 1)] * len(self._entries)
        self._max_size = max(LEAST_MAX_SIZE, len(data))
        self._sound = sound_locations(layout, data)
        self._decode = self._get
        self.ordinals: dict[int, int] = {}

    def attribute(self, cursor: Cursor) -> Attribute:
        """Read the index of an attribute; return the attribute."""
        at = cursor.at
        return self.attribute_at(cursor.varint(), at)

    def attribute_at(self, index: int, at: int) -> Attribute:
        """Return the attribute of an index.

        Args:
            index: The index.
            at: The offset of the index, for faults.
        """
        found = self._get(self.attribute_index(index, at))
        return LocationAttr(found) if isinstance(found, Location) else found

    def location(self, cursor: Cursor) -> Location | DeferredLocation:
        """Read the index of a location; return the location, or a call that decodes it."""
        at = cursor.at
        index = cursor.varint()
        if index < self.attributes and self._sound[index]:
            return DeferredLocation(self._decode, index)
        found = self._get(self.attribute_index(index, at))
        if not isinstance(found, Location):
            raise Fault(at, f"expected a location, found the attribute {found}")
        return found

    def type(self, cursor: Cursor) -> Type:
        """Read the index of a type; return the type."""
        at = cursor.at
        return self.type_at(cursor.varint(), at)

    def types(self, cursor: Cursor) -> list[Type]:
        """Read a list of indices of types; return the types."""
        at = cursor.at
        return [self.type_at(index, at) for index in cursor.numbers("types")]

    def type_at(self, index: int, at: int) -> Type:
        """Return the type of an index.

        Args:
            index: The index.
            at: The offset of the index, for faults.
        """
        position = index + self.attributes
        found: Any = self.values[position] if position < len(self.values) else MISSING
        made: Type = self._get(self.type_index(index, at)) if found is MISSING else found
        return made

    def attribute_index(self, index: int, at: int) -> int:
        """Return the position of an attribute in the table; raise Fault for an invalid index."""
        if index >= self.attributes:
            raise Fault(at, f"expected the index of one of {self.attributes} attributes, found {index}")
        return index

    def type_index(self, index: int, at: int) -> int:
        """Return the position of a type in the table; raise Fault for an invalid index."""
        count = len(self._entries) - self.attributes
        if index >= count:
            raise Fault(at, f"expected the index of one of {count} types, found {index}")
        return index + self.attributes

    def _get(self, index: int) -> Any:
        found = self.values[index]
        return self._resolve(index) if found is MISSING else found

    def _resolve(self, root: int) -> Any:
        """Read an entry, after all entries that it refers to."""
        source = EntrySource(self)  # one for each, as threads may decode locations at the same time
        if not self._read(root, source):
            return self.values[root]
        pending, open_entries = [root], set[int]()
        while pending:
            index = pending[-1]
            missing = self._read(index, source) if self.values[index] is MISSING else []
            if not missing:
                pending.pop()
                continue
            open_entries.add(index)
            if not open_entries.isdisjoint(missing):
                raise Fault(self._entries[index].at, "an attribute or type is defined in terms of itself")
            pending += missing
        return self.values[root]

    def _read(self, index: int, source: EntrySource) -> list[int]:
        """Read an entry; if it refers to entries that are not yet read, return those instead."""
        entry = self._entries[index]
        if not entry.is_encoded:
            value = self._from_text(entry, is_type=index >= self.attributes)
        else:
            source.open(entry)
            value = self._decoded(source, entry, (TYPES if index >= self.attributes else ATTRIBUTES))
            if value is MISSING:
                return source.missing
            self._bound(index, entry, source.used)
        if index >= self.attributes:
            _check_type(entry, value)
        self.values[index] = value
        return []

    def _decoded(self, source: EntrySource, entry: Entry, rows: Mapping[str, Mapping[int, Row]]) -> Any:
        at = source.at
        code = source.varint()
        row = rows.get(entry.dialect, {}).get(code)
        if row is None:
            what = "type" if rows is TYPES else "attribute"
            raise Fault(at, f"the {what} with code {code} of the dialect {entry.dialect} is unknown")
        start, first = source.at, None
        for fields in row.layouts:
            if first is not None:
                source.restart(start)
            try:
                value = row.read(source, fields)
                if source.at < source.end:
                    source.finish(f"an entry of the dialect {entry.dialect}")
                return value
            except Deferred:
                return MISSING
            except Fault as fault:
                first = first or fault
            except (TypeError, ValueError, OverflowError) as error:
                raise Fault(at, f"expected a valid entry of the dialect {entry.dialect}: {error}") from None
        assert first is not None
        raise first

    def _bound(self, index: int, entry: Entry, used: list[int]) -> None:
        """Record the depth and the size of the expanded entry; raise Fault beyond the limits."""
        if not used:
            return
        depth = size = 0
        for inner in used:
            inner_depth, inner_size = self._extents[inner]
            depth = max(depth, inner_depth)
            size += inner_size
        depth, size = depth + 1, size + 1
        if depth > MAX_DEPTH:
            raise Fault(entry.at, f"more than {MAX_DEPTH} attributes, types or locations within one another")
        if size > self._max_size:
            raise Fault(entry.at, f"an attribute or type expands to more than {self._max_size} others")
        self._extents[index] = depth, size

    def _from_text(self, entry: Entry, is_type: bool) -> Any:
        """Return the value of an entry that is stored as assembly text."""
        from stablehlo_py.syntax.parser import parse_attribute, parse_type

        cursor = Cursor(self.data, entry.at, entry.end)
        text = cursor.text("the text of a type" if is_type else "the text of an attribute")
        cursor.finish("the text of a type or attribute")
        try:
            return parse_type(text) if is_type else parse_attribute(text)
        except ParseError as error:
            what = "type" if is_type else "attribute"
            found = error.diagnostics[0].message
            raise Fault(entry.at, f"expected the text of a valid {what}, found {text!r}: {found}") from None


def _check_type(entry: Entry, type: Type) -> None:
    """Raise Fault for a type that the C++ parser rejects."""
    if fault := refusal(type):
        raise Fault(entry.at, fault)


class EntrySource(Source):
    """The bytes of entries, read one after the other."""

    __slots__ = ("_entries", "missing", "used")

    def __init__(self, entries: Entries) -> None:
        super().__init__(entries.data, 0, 0)
        self._entries = entries
        self.missing: list[int] = []
        self.used: list[int] = []

    def open(self, entry: Entry) -> None:
        """Go to the start of an entry."""
        self.end = entry.end
        self.restart(entry.at)

    def restart(self, at: int) -> None:
        """Go back to `at`, forgetting what was read from there on."""
        self.at = at
        self.used, self.missing = [], []

    def attribute(self, index: int) -> Any:
        """Return the attribute of an index, or MISSING."""
        entries = self._entries
        return self._refer(index if index < entries.attributes else entries.attribute_index(index, self.at))

    def type(self, index: int) -> Any:
        """Return the type of an index, or MISSING."""
        return self._refer(self._entries.type_index(index, self.at))

    def _refer(self, index: int) -> Any:
        self.used.append(index)
        found = self._entries.values[index]
        if found is MISSING:
            self.missing.append(index)
        return found

    def string(self) -> str:
        """Read the index of a string; return the string."""
        return self._entries.strings.next(self)

    def resource(self) -> str:
        """Read the index of a resource; return its key."""
        at = self.at
        index, keys = self.varint(), self._entries.resource_keys
        if index >= len(keys):
            raise Fault(at, f"expected the index of one of {len(keys)} resources, found {index}")
        return keys[index]

    def ordinal(self) -> int:
        """Return the number of the entry among those that ask for one."""
        return self._entries.ordinals.setdefault(self.at, len(self._entries.ordinals))
