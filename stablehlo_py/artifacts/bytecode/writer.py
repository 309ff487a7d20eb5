"""Writer of bytecode: sections and numbers in LLVM's order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from stablehlo_py.artifacts.bytecode import sections as S
from stablehlo_py.artifacts.bytecode.emitter import Emitter, Piece
from stablehlo_py.artifacts.bytecode.numbering import DISCARDABLE, Keys, Numbered, Numbering, Reference
from stablehlo_py.artifacts.bytecode.use_orders import Creation, UseOrders
from stablehlo_py.artifacts.dialects.registry import NoEncoding
from stablehlo_py.artifacts.faults import Unwritable
from stablehlo_py.artifacts.recognize import MAGIC
from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DictAttr
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, OpResult, Region, Value
from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.ir.locations import Location, UnknownLoc

PROPERTIES_SINCE = 5
ELIDED_LOCATIONS_SINCE = 4
ORDERS_SINCE = 3
NESTED_REGIONS_SINCE = 2
FLAGGED_DIALECTS_SINCE = 1
_DEFAULT_ALIGNMENT = 4
_BUILTIN = "builtin"


@dataclass(slots=True)
class Slot:
    """A property that an op may have: its value, or None."""

    name: str
    value: Attribute | None
    may_be_absent: bool


@dataclass(slots=True)
class Stored:
    """The encoding of an operation: its name, dialects, attributes and properties."""

    name: str
    dialects: str
    registered: bool
    attributes: dict[str, Attribute]
    slots: list[Slot]
    segments: dict[str, DenseArrayAttr]
    downgraded: bool = False  # to the form of an older version


class Entries(NamedTuple):
    """The entries of an operation: of its name, location, attributes, properties and result types."""

    name: Numbered
    location: Numbered
    dictionary: Numbered | None
    values: list[Numbered]
    types: list[Numbered]


Store = Callable[[Operation], Stored]
Locate = Callable[[Operation | BlockArgument], Location]


def write_bytecode(
    module: Module,
    version: int,
    producer: str,
    store: Store,
    locate: Locate,
    *,
    is_mixed: bool = False,
    creation: Creation = "converted",
) -> list[Piece]:
    """Return a module as bytecode, in pieces: large constants are views of the module's.

    Args:
        module: The module.
        version: The version of the bytecode, 0 to 6.
        producer: The producer in the header.
        store: Returns the encoding of an operation.
        locate: Returns the location of an operation or argument.
        is_mixed: Whether attributes that VHLO has no form of are encoded in their own dialects.
        creation: How the uses of values were created.
    """
    with gc_paused():
        return _Writer(module, version, producer, store, locate, is_mixed, creation).file()


class _Writer:
    """Writer of one module: all entries are numbered, then written."""

    def __init__(
        self,
        module: Module,
        version: int,
        producer: str,
        store: Store,
        locate: Locate,
        is_mixed: bool,
        creation: Creation,
    ) -> None:
        self._module = module
        self._version = version
        self._producer = producer
        self._locate = locate
        self._numbers = Numbering(Keys(is_mixed))
        self._entries_of: dict[Operation, Entries] = {}
        self._locations: dict[BlockArgument, tuple[Location, Numbered]] = {}
        self._block_numbers: dict[Block, int] = {}
        self._strings: dict[str, int] = {}
        self._properties: dict[bytes, int] = {}
        self._stored: dict[Operation, Stored] = {op: store(op) for op in module.walk()}
        self._isolated = isolated_ops(module)
        downgraded = {op for op, stored in self._stored.items() if stored.downgraded}
        self._orders = UseOrders(module, creation, downgraded)
        self._values: dict[Value, int] = {}
        self._counts: dict[Region, int] = {}

    def file(self) -> list[Piece]:
        """Return the pieces of the file."""
        self._number_all()
        file = Emitter()
        file.raw(MAGIC)
        file.varint(self._version)
        file.text(self._producer)
        file.section(S.DIALECT, self._dialects())
        offsets, entries = self._entries()
        file.section(S.ATTR_TYPE_OFFSET, offsets)
        file.section(S.ATTR_TYPE, entries)
        program = Emitter()
        program.flagged(1, False)
        self._operation(self._module.op, program)
        file.section(S.IR, program)
        offsets, entries = self._resources()
        file.section(S.RESOURCE_OFFSET, offsets)
        file.section(S.RESOURCE, entries)
        file.section(S.STRING, self._string_table())
        if self._version >= PROPERTIES_SINCE:
            file.section(S.PROPERTIES, self._property_table())
        return file.pieces

    # Numbers

    def _number_all(self) -> None:
        """Number the operations: those of a region before those nested in them, the last region first."""
        self._number(self._module.op)
        pending = [(region, 0) for region in self._module.op.regions]
        while pending:
            region, first = pending.pop()
            last = self._number_region(region, first)
            for block in region.blocks:
                for op in block.ops:
                    start = 0 if op in self._isolated else last
                    pending += [(inner, start) for inner in op.regions]
        self._numbers.finish()

    def _number_region(self, region: Region, first: int) -> int:
        """Number the direct contents of a region; return the number of the next value."""
        value, owner = first, region.parent
        assert owner is not None
        for index, block in enumerate(region.blocks):
            self._block_numbers[block] = index
            for argument in block.arguments:
                self._values[argument] = value
                value += 1
            self._number_arguments(owner, block)
            for op in block.ops:
                for number, result in enumerate(op.results, value):
                    self._values[result] = number
                value += len(op.results)
                self._number(op)
        self._counts[region] = value - first
        return value

    def _number_arguments(self, owner: Operation, block: Block) -> None:
        dialects = self._stored[owner].dialects
        try:
            for argument in block.arguments:
                location = self._locate(argument)
                self._locations[argument] = location, self._numbers.attribute("", location)
                self._numbers.type(dialects, argument.type)
        except NoEncoding as error:
            raise Unwritable(owner, str(error)) from None

    def _number(self, op: Operation) -> None:
        try:
            self._number_parts(op)
        except NoEncoding as error:
            raise Unwritable(op, str(error)) from None

    def _number_parts(self, op: Operation) -> None:
        stored, numbers = self._stored[op], self._numbers
        name = numbers.op_name(stored.name, stored.registered)
        types = [numbers.type(stored.dialects, result.type) for result in op.results]
        attributes = self._attributes(stored)
        dictionary = None
        if attributes:
            key = DISCARDABLE if stored.dialects else ""
            dictionary = numbers.attribute(key, DictAttr.of(attributes))
        held = _values_of(stored, self._version) if self._version >= PROPERTIES_SINCE else ()
        values = [numbers.attribute(stored.dialects, value) for value in held]
        location = numbers.attribute("", self._locate(op))
        self._entries_of[op] = Entries(name, location, dictionary, values, types)

    def _attributes(self, stored: Stored) -> dict[str, Attribute]:
        """Return the attributes of an op that are not properties in this version."""
        if self._version >= PROPERTIES_SINCE:
            return stored.attributes
        given = {slot.name: slot.value for slot in stored.slots if slot.value is not None}
        together = given.pop("", None)  # the properties of an op without a definition
        if isinstance(together, DictAttr):
            given |= dict(together.items)
        return {**given, **stored.segments, **stored.attributes}

    # Sections

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def _dialects(self) -> Emitter:
        section, numbers = Emitter(), self._numbers
        section.varint(len(numbers.dialects))
        for name in numbers.dialects:
            if self._version >= FLAGGED_DIALECTS_SINCE:
                section.flagged(self._string(name), False)
            else:
                section.varint(self._string(name))
        if self._version >= ELIDED_LOCATIONS_SINCE:
            section.varint(len(numbers.op_names))
        for entry in _grouped(numbers.op_names.values(), section):
            if self._version >= PROPERTIES_SINCE:
                section.flagged(self._string(entry.name), entry.registered)
            else:
                section.varint(self._string(entry.name))
        return section

    def _entries(self) -> tuple[Emitter, Emitter]:
        """Return the offsets of attributes and types, and their bytes."""
        offsets, entries, numbers = Emitter(), Emitter(), self._numbers
        offsets.varint(len(numbers.attributes))
        offsets.varint(len(numbers.types))
        for table in (numbers.attributes, numbers.types):
            for entry in _grouped(table.values(), offsets):
                start = len(entries)
                for part in entry.parts:
                    self._part(part, entries)
                offsets.flagged(len(entries) - start, entry.is_encoded)
        return offsets, entries

    def _part(self, part: Piece | Reference, entries: Emitter) -> None:
        if not isinstance(part, Reference):
            entries.raw(part)
        elif part.kind == "string":
            entries.varint(self._string(part.target))
        elif part.kind == "resource":
            entries.varint(self._numbers.resources[part.target])
        else:
            table = self._numbers.attributes if part.kind == "attribute" else self._numbers.types
            number = table[part.target].number
            entries.varint(number if part.flag is None else number << 1 | part.flag)

    def _resources(self) -> tuple[Emitter, Emitter]:
        """Return the offsets of resources, and their bytes."""
        offsets, data, module = Emitter(), Emitter(), self._module
        offsets.varint(0)
        keys = self._numbers.resources
        if keys:
            offsets.varint(self._numbers.dialects[_BUILTIN])
            offsets.varint(len(keys))
        for key in keys:
            start = len(data)
            blob = module.resources.get(key)
            if blob is not None:
                alignment = module.resource_alignments.get(key, _DEFAULT_ALIGNMENT)
                data.varint(alignment)
                data.varint(len(blob))
                data.align(alignment)
                data.raw(memoryview(blob))
            offsets.varint(self._string(key))
            offsets.varint(len(data) - start)
            offsets.byte(0)
        return offsets, data

    def _string_table(self) -> Emitter:
        section = Emitter()
        texts = [text.encode("utf-8", "surrogateescape") + b"\0" for text in self._strings]
        section.varint(len(texts))
        for text in reversed(texts):
            section.varint(len(text))
        for text in texts:
            section.raw(text)
        return section

    def _property_table(self) -> Emitter:
        section = Emitter()
        section.varint(len(self._properties))
        for blob in self._properties:
            section.varint(len(blob))
            section.raw(blob)
        return section

    # Operations

    def _operation(self, op: Operation, out: Emitter) -> None:
        name, location, dictionary, values, types = self._entries_of[op]
        out.varint(name.number)
        place, mask = len(out.data), 0
        out.byte(0)
        out.varint(location.number)
        if dictionary is not None:
            mask |= S.HAS_ATTRIBUTES
            out.varint(dictionary.number)
        blob = self._blob(self._stored[op], iter(values))
        if blob is not None:
            mask |= S.HAS_PROPERTIES
            out.varint(self._properties.setdefault(blob, len(self._properties)))
        if op.results:
            mask |= S.HAS_RESULTS
            _write_list([type.number for type in types], out)
        if op.operands:
            mask |= S.HAS_OPERANDS
            _write_list([self._values[operand] for operand in op.operands], out)
        if op.successors:
            mask |= S.HAS_SUCCESSORS
            _write_list([self._block_numbers[block] for block in op.successors], out)
        if self._version >= ORDERS_SINCE and self._orders.write(op.results, out):
            mask |= S.HAS_ORDERS
        if op.regions:
            mask |= S.HAS_REGIONS
            self._regions(op, op in self._isolated, out)
        out.data[place] = mask

    def _blob(self, stored: Stored, values: Iterator[Numbered]) -> bytes | None:
        """Return the properties of an op, None if it has none to write."""
        if self._version < PROPERTIES_SINCE or not (stored.slots or stored.segments):
            return None
        blob = Emitter()
        for slot in stored.slots:
            if slot.value is None:
                blob.varint(0)
                continue
            number = next(values).number
            blob.varint(number << 1 | 1 if slot.may_be_absent else number)
        for sizes in stored.segments.values():
            if self._version > PROPERTIES_SINCE:
                _write_sparse(sizes.value, blob)
            else:
                blob.varint(next(values).number)
        return bytes(blob.data)

    def _regions(self, op: Operation, isolated: bool, out: Emitter) -> None:
        out.flagged(len(op.regions), isolated)
        nested = isolated and self._version >= NESTED_REGIONS_SINCE
        inside = Emitter() if nested else out
        for region in op.regions:
            self._region(region, inside, self._stored[op].dialects)
        if nested:
            out.section(S.IR, inside)

    def _region(self, region: Region, out: Emitter, dialects: str) -> None:
        out.varint(len(region.blocks))
        if not region.blocks:
            return
        out.varint(self._counts[region])
        for block in region.blocks:
            out.flagged(len(block.ops), bool(block.arguments))
            if block.arguments:
                self._arguments(block, out, dialects)
            for op in block.ops:
                self._operation(op, out)

    def _arguments(self, block: Block, out: Emitter, dialects: str) -> None:
        numbers = self._numbers
        out.varint(len(block.arguments))
        for argument in block.arguments:
            location, entry = self._locations[argument]
            has_location = not isinstance(location, UnknownLoc)
            number = numbers.types[dialects, argument.type].number
            if self._version >= ELIDED_LOCATIONS_SINCE:
                out.flagged(number, has_location)
            else:
                out.varint(number)
            if has_location or self._version < ELIDED_LOCATIONS_SINCE:
                out.varint(entry.number)
        if self._version >= ORDERS_SINCE:
            place = len(out.data)
            out.byte(0)
            if self._orders.write(block.arguments, out):
                out.data[place] = S.HAS_ORDERS


def isolated_ops(module: Module) -> set[Operation]:
    """Return the operations whose regions use no value from outside."""
    found = {op for op in module.walk() if op.regions}
    for op in module.walk():
        for value in op.operands:
            home, region = _region_of(value), op.parent.parent if op.parent else None
            while region is not None and region is not home and region.parent is not None:
                found.discard(region.parent)
                region = region.parent.parent.parent if region.parent.parent else None
    return found


def _region_of(value: Value) -> Region | None:
    """Return the region that defines a value."""
    block = value.op.parent if isinstance(value, OpResult) else getattr(value, "block", None)
    return block.parent if block is not None else None


def _grouped(entries: Iterable[Numbered], out: Emitter) -> Iterator[Numbered]:
    """Yield entries in order; write the dialect and size of each group of one dialect before it."""
    for dialect, group in groupby(entries, key=lambda entry: entry.dialect):
        members = list(group)
        out.varint(dialect)
        out.varint(len(members))
        yield from members


def _values_of(stored: Stored, version: int) -> Iterator[Any]:
    """Yield the attributes that an op's properties refer to."""
    for slot in stored.slots:
        if slot.value is not None:
            yield slot.value
    if version == PROPERTIES_SINCE:
        yield from stored.segments.values()


def _write_list(numbers: Sequence[int], out: Emitter) -> None:
    out.varint(len(numbers))
    for number in numbers:
        out.varint(number)


def _write_sparse(values: Sequence[int], out: Emitter) -> None:
    """Write a list of numbers, as pairs of value and index if most are 0."""
    used = [(value, index) for index, value in enumerate(values) if value]
    if len(used) > len(values) // 2:
        out.flagged(len(values), False)
        for value in values:
            out.varint(value)
        return
    out.flagged(len(used), True)
    if used:
        bits = used[-1][1].bit_length()
        out.varint(bits)
        for value, index in used:
            out.varint(value << bits | index)
