"""The layout of a file: its header, its sections, and the contents of the small ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, repeat
from typing import NamedTuple

from stablehlo_py.artifacts.bytecode.cursor import Cursor, Data
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.artifacts.recognize import MAGIC

NEWEST = 6

STRING, DIALECT, ATTR_TYPE, ATTR_TYPE_OFFSET, IR, RESOURCE, RESOURCE_OFFSET, DIALECT_VERSIONS, PROPERTIES = (
    range(9)
)
NAMES = (
    "String",
    "Dialect",
    "AttrType",
    "AttrTypeOffset",
    "IR",
    "Resource",
    "ResourceOffset",
    "DialectVersions",
    "Properties",
)
# The parts that follow the name and location of an operation, as bits.
HAS_ATTRIBUTES, HAS_RESULTS, HAS_OPERANDS, HAS_SUCCESSORS, HAS_REGIONS, HAS_ORDERS, HAS_PROPERTIES = (
    1 << bit for bit in range(7)
)
_ALIGNED = 0x80
_BLOB, _BOOL, _TEXT = range(3)  # kinds of resources


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a file: the version of its bytecode, and its producer."""

    version: int
    producer: str


@dataclass(frozen=True, slots=True)
class OpName:
    """An entry of the table of op names. `registered`: whether the op was registered in the producer."""

    name: str
    registered: bool


class Entry(NamedTuple):
    """The position of an attribute or type in the file; assembly text unless `is_encoded`."""

    dialect: str
    at: int
    end: int
    is_encoded: bool


_new_entry = partial(tuple.__new__, Entry)  # faster than `Entry._make`


@dataclass(slots=True)
class Layout:
    """The tables of a file."""

    header: Header
    sections: dict[int, Cursor]
    strings: Strings
    dialects: list[str] = field(default_factory=list)
    op_names: list[OpName] = field(default_factory=list)
    attributes: list[Entry] = field(default_factory=list)
    types: list[Entry] = field(default_factory=list)
    resources: dict[str, bytes | memoryview] = field(default_factory=dict)
    alignments: dict[str, int] = field(default_factory=dict)
    resource_keys: list[str] = field(default_factory=list)
    properties: list[tuple[int, int]] = field(default_factory=list)


class Strings:
    """The string table, decoded lazily.

    Args:
        section: The string section.
    """

    def __init__(self, section: Cursor) -> None:
        count = section.count("strings")
        sizes = section.varints(count)
        at = section.end
        self._data = section.data
        self._ends: list[tuple[int, int]] = []
        for size in sizes:  # in reverse order
            if size < 1 or size > at - section.at:
                have = at - section.at
                raise Fault(section.at, f"expected a string of {size} bytes, found {have} more bytes")
            self._ends.append((at - size, at - 1))
            at -= size
        self._ends.reverse()
        if at != section.at:
            raise Fault(section.at, f"{at - section.at} bytes belong to no string")
        self._found: list[str | None] = [None] * count

    def __len__(self) -> int:
        return len(self._found)

    def next(self, cursor: Cursor) -> str:
        """Read the index of a string; return the string. Bytes that are not UTF-8 are surrogate escapes."""
        at = cursor.at
        return self.get(cursor.varint(), at)

    def get(self, index: int, at: int) -> str:
        """Return the string of an index.

        Args:
            index: The index.
            at: The offset of the index, for faults.
        """
        if index >= len(self._found):
            raise Fault(at, f"expected the index of one of {len(self._found)} strings, found {index}")
        found = self._found[index]
        if found is None:
            start, end = self._ends[index]
            found = self._found[index] = str(self._data[start:end], "utf-8", "surrogateescape")
        return found


def read_layout(data: Data) -> Layout:
    """Return the tables of a file; raise Fault for an invalid one."""
    cursor = Cursor(data)
    header = read_header(cursor)
    sections = _sections(cursor, header.version)
    layout = Layout(header, sections, Strings(sections[STRING]))
    _read_dialects(layout)
    _read_entries(layout)
    if RESOURCE in sections:
        _read_resources(layout)
    if PROPERTIES in sections:
        _read_properties(layout)
    return layout


def read_header(cursor: Cursor) -> Header:
    """Read the magic number, the version and the producer."""
    if bytes(cursor.take(len(MAGIC), "the magic number")) != MAGIC:
        raise Fault(0, "expected MLIR bytecode, which begins with the bytes 4D 4C EF 52")
    at = cursor.at
    version = cursor.varint()
    if version > NEWEST:
        raise Fault(at, f"bytecode version {version} is newer than {NEWEST}, the newest that can be read")
    return Header(version, cursor.text("the producer's name"))


def _sections(cursor: Cursor, version: int) -> dict[int, Cursor]:
    found: dict[int, Cursor] = {}
    while not cursor.is_done:
        at = cursor.at
        number, section = read_section(cursor)
        if number in found:
            raise Fault(at, f"a second {NAMES[number]} section")
        found[number] = section
    required = [STRING, DIALECT, ATTR_TYPE, ATTR_TYPE_OFFSET, IR] + [PROPERTIES] * (version >= 5)
    missing = [NAMES[number] for number in required if number not in found]
    if (RESOURCE in found) != (RESOURCE_OFFSET in found):
        missing.append(NAMES[RESOURCE_OFFSET if RESOURCE in found else RESOURCE])
    if missing:
        raise Fault(cursor.end, f"expected more sections: {', '.join(missing)}")
    return found


def read_section(cursor: Cursor) -> tuple[int, Cursor]:
    """Read a section: return its number and a cursor over its data."""
    at = cursor.at
    first = cursor.byte("a section")
    number = first & ~_ALIGNED
    if number >= len(NAMES):
        raise Fault(at, f"expected a section, whose number is below {len(NAMES)}, found {number}")
    size = cursor.varint()
    if first & _ALIGNED:
        cursor.align(cursor.varint())
    return number, cursor.part(size, f"the {NAMES[number]} section")


def _read_dialects(layout: Layout) -> None:
    section, version = layout.sections[DIALECT], layout.header.version
    for _ in range(section.count("dialects")):
        if version == 0:
            layout.dialects.append(layout.strings.next(section))
            continue
        at = section.at
        index, has_version = section.flagged()
        layout.dialects.append(layout.strings.get(index, at))
        if has_version:
            read_section(section)
    if version >= 4:
        section.count("op names")
    while not section.is_done:
        dialect = _dialect(layout, section)
        for _ in range(section.count("op names")):
            layout.op_names.append(_op_name(layout, section, dialect))


def _dialect(layout: Layout, cursor: Cursor) -> str:
    at = cursor.at
    index = cursor.varint()
    if index >= len(layout.dialects):
        raise Fault(at, f"expected the index of one of {len(layout.dialects)} dialects, found {index}")
    return layout.dialects[index]


def _op_name(layout: Layout, section: Cursor, dialect: str) -> OpName:
    at = section.at
    index = section.varint()
    registered = True  # as older versions do not say
    if layout.header.version >= 5:
        index, registered = index >> 1, bool(index & 1)
    return OpName(f"{dialect}.{layout.strings.get(index, at)}", registered)


def _read_entries(layout: Layout) -> None:
    section, data = layout.sections[ATTR_TYPE_OFFSET], layout.sections[ATTR_TYPE]
    at = section.at
    counts = (section.varint(), section.varint())
    if sum(counts) > section.end - section.at:
        message = f"{counts[0]} attributes and {counts[1]} types do not fit into the remaining"
        raise Fault(at, f"{message} {section.end - section.at} bytes")
    position = data.at
    for count, entries in zip(counts, (layout.attributes, layout.types), strict=True):
        while len(entries) < count:
            dialect = _dialect(layout, section)
            at = section.at
            sizes = section.numbers("entries")
            ends = [*accumulate([size >> 1 for size in sizes], initial=position)]
            if ends[-1] > data.end:
                message = f"entries of {ends[-1] - position} bytes do not fit into the remaining"
                raise Fault(at, f"{message} {data.end - position} bytes of the AttrType section")
            flags = [size & 1 == 1 for size in sizes]
            entries += map(_new_entry, zip(repeat(dialect), ends[:-1], ends[1:], flags, strict=False))
            position = ends[-1]
        if len(entries) > count:
            raise Fault(section.at, f"expected {count} entries, found {len(entries)}")
    section.finish("the offsets of attributes and types")


def _read_resources(layout: Layout) -> None:
    offsets, data = layout.sections[RESOURCE_OFFSET], layout.sections[RESOURCE]
    for _ in range(offsets.count("groups of resources")):
        layout.strings.next(offsets)
        _read_group(layout, offsets, data, [])
    while not offsets.is_done:
        _dialect(layout, offsets)
        _read_group(layout, offsets, data, layout.resource_keys)


def _read_group(layout: Layout, offsets: Cursor, data: Cursor, keys: list[str]) -> None:
    """The resources of a dialect or of another group, whose keys are added to `keys`."""
    for _ in range(offsets.count("resources", 3)):
        key = layout.strings.next(offsets)
        size = offsets.varint()
        at = offsets.at
        kind = offsets.byte("the kind of a resource")
        if kind > _TEXT:
            raise Fault(at, f"expected the kind of a resource, 0 to {_TEXT}, found {kind}")
        part = data.part(size, f"the resource {key}")
        keys.append(key)
        if size and kind == _BLOB:
            alignment, length = part.varint(), part.varint()
            part.align(alignment)
            layout.resources[key] = part.take(length, f"the resource {key}")
            layout.alignments[key] = alignment
            part.finish(f"the resource {key}")


def _read_properties(layout: Layout) -> None:
    section = layout.sections[PROPERTIES]
    for _ in range(section.count("properties")):
        part = section.part(section.varint(), "the properties of an op")
        layout.properties.append((part.at, part.end))
    section.finish("the properties")
