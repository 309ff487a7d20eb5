"""Reader of the IR section: operations, blocks and regions, with values by number."""

from __future__ import annotations

from dataclasses import dataclass

from stablehlo_py.artifacts.bytecode.cursor import Cursor, Data
from stablehlo_py.artifacts.bytecode.entries import Entries
from stablehlo_py.artifacts.bytecode.names import OpReader, op_reader
from stablehlo_py.artifacts.bytecode.sections import (
    HAS_ATTRIBUTES,
    HAS_OPERANDS,
    HAS_ORDERS,
    HAS_PROPERTIES,
    HAS_REGIONS,
    HAS_RESULTS,
    HAS_SUCCESSORS,
    IR,
    Layout,
    read_layout,
    read_section,
)
from stablehlo_py.artifacts.bytecode.use_orders import StoredOrder, apply_orders, read_orders
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.artifacts.vhlo.mixed import CAST, erase_casts
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, Region, Value
from stablehlo_py.ir.locations import UNKNOWN
from stablehlo_py.ir.types import NoneType

MAX_REGIONS = 64  # maximum depth of nested regions
_MASK = (1 << 7) - 1
MAX_COPY = 1 << 20  # bytes of a file that are copied where it is a part of another one


def read_bytecode(data: memoryview, allow_unregistered: bool = False, allow_newer: bool = False) -> Module:
    """Return the module of a bytecode file.

    Args:
        data: The file.
        allow_unregistered: Whether ops of unknown dialects are accepted.
        allow_newer: Whether undefined ops of known dialects are, too.

    Raises:
        Fault: The file is invalid.
    """
    file = _fastest(data)
    layout = read_layout(file)
    op = _Reader(layout, Entries(layout, file), (allow_unregistered, allow_newer)).module()
    if "vhlo" in layout.dialects and any(op_name.name == CAST for op_name in layout.op_names):
        erase_casts(op)
    module = Module(op)
    module.resources = layout.resources
    module.resource_alignments = layout.alignments
    return module


def _fastest(data: memoryview) -> Data:
    """Return a file as `bytes` where possible, which are read faster than a view and cannot change."""
    whole = data.obj
    if isinstance(whole, bytes) and len(whole) == len(data):
        return whole
    return bytes(data) if len(data) <= MAX_COPY or not data.readonly else data


@dataclass(slots=True)
class _Scope:
    """The values of an isolated region by number; None for a value that is not yet defined."""

    values: list[Value | None]
    next: int = 0


class _Reader:
    """Reader of the operations of one file."""

    def __init__(self, layout: Layout, entries: Entries, allowed: tuple[bool, bool]) -> None:
        self._version = layout.header.version
        self._entries = entries
        self._section = layout.sections[IR]
        self._properties = layout.properties
        self._names: list[OpReader | None] = [None] * len(layout.op_names)
        self._layout = layout
        self._allowed = allowed
        self._depth = 0
        self._orders: list[StoredOrder] = []

    def module(self) -> Operation:
        """Return the single top-level operation of the file."""
        top = Region([Block()])
        cursor = self._section
        scope = _Scope([])
        at = cursor.at
        self._block(cursor, top.block, top, scope)
        cursor.finish("the IR")
        if len(top.block.ops) != 1 or top.block.ops[0].name != "builtin.module":
            raise Fault(at, "expected one builtin.module around the whole program")
        (module,) = top.block.ops
        if len(module.regions) != 1 or len(module.regions[0].blocks) != 1:
            raise Fault(at, "expected a builtin.module of one region with one block")
        module.parent = None
        if "vhlo" not in self._layout.dialects:  # whose uses a conversion creates again
            apply_orders(self._orders, module)
        return module

    # Blocks and regions

    def _regions(self, cursor: Cursor, op: Operation, scope: _Scope) -> None:
        count, isolated = cursor.flagged()
        if count > cursor.end - cursor.at:
            raise Fault(cursor.at, f"{count} regions do not fit into the remaining bytes")
        if self._depth >= MAX_REGIONS:
            raise Fault(cursor.at, f"more than {MAX_REGIONS} regions within one another")
        nested = isolated and self._version >= 2
        if nested:
            at = cursor.at
            number, cursor = read_section(cursor)
            if number != IR:
                raise Fault(at, f"expected a section of the number {IR} for isolated regions, found {number}")
        self._depth += 1
        op.regions = tuple(
            [self._region(cursor, op, _Scope([]) if isolated else scope) for _ in range(count)]
        )
        self._depth -= 1
        if nested:
            cursor.finish("isolated regions")

    def _region(self, cursor: Cursor, op: Operation, scope: _Scope) -> Region:
        blocks = cursor.count("blocks")
        region = Region([Block() for _ in range(blocks)])
        region.parent = op
        if not blocks:
            return region
        base, at = len(scope.values), cursor.at
        scope.values += [None] * cursor.count("values")
        outer, scope.next = scope.next, base
        for block in region.blocks:
            self._block(cursor, block, region, scope)
        if scope.next != len(scope.values):
            count = len(scope.values) - base
            raise Fault(at, f"a region states {count} values and defines {scope.next - base}")
        del scope.values[base:]
        scope.next = outer
        return region

    def _block(self, cursor: Cursor, block: Block, region: Region, scope: _Scope) -> None:
        at = cursor.at
        count, has_arguments = cursor.flagged()
        if has_arguments:
            self._arguments(cursor, block, scope)
        if count > cursor.end - cursor.at:
            raise Fault(at, f"{count} operations do not fit into the remaining bytes")
        ops = block.ops
        for _ in range(count):
            op = self._operation(cursor, region, scope)
            op.parent = block
            ops.append(op)

    def _arguments(self, cursor: Cursor, block: Block, scope: _Scope) -> None:
        count = cursor.count("arguments")
        has_location = True
        found = []
        for index in range(count):
            if self._version >= 4:
                at = cursor.at
                type_index, has_location = cursor.flagged()
                type = self._entries.type_at(type_index, at)
            else:
                type = self._entries.type(cursor)
            location = self._entries.location(cursor) if has_location else UNKNOWN
            argument = BlockArgument(type, block, index, None, location)
            self._define(argument, scope, cursor.at)
            found.append(argument)
        block.arguments = tuple(found)
        if self._version >= 3 and cursor.byte("whether uses are ordered"):
            self._orders += read_orders(cursor, found)

    # Operations

    def _operation(self, cursor: Cursor, region: Region, scope: _Scope) -> Operation:
        entries, start = self._entries, cursor.at
        name = self._name(cursor)
        at = cursor.at
        mask = cursor.byte("what an operation has")
        if mask & ~_MASK:
            raise Fault(at, f"expected the parts of an operation, found 0x{mask:02X}")
        location = entries.location(cursor)
        attributes = cursor.varint() if mask & HAS_ATTRIBUTES else -1
        properties = cursor.varint() if mask & HAS_PROPERTIES else -1
        given, inherent = name.attributes(attributes, properties, start)
        types = entries.types(cursor) if mask & HAS_RESULTS else ()
        operands = _operands(cursor, scope.values) if mask & HAS_OPERANDS else ()
        successors = self._successors(cursor, region) if mask & HAS_SUCCESSORS else ()
        op = Operation(name.name(region), operands, types, inherent, given, (), successors, location)
        if mask & HAS_ORDERS:
            self._orders += read_orders(cursor, op.results)
        for result in op.results:
            self._define(result, scope, start)
        if mask & HAS_REGIONS:
            self._regions(cursor, op, scope)
        return op

    def _name(self, cursor: Cursor) -> OpReader:
        at = cursor.at
        index = cursor.varint()
        if index >= len(self._names):
            raise Fault(at, f"expected the index of one of {len(self._names)} op names, found {index}")
        found = self._names[index]
        if found is None:
            name = self._layout.op_names[index]
            found = op_reader(name, self._layout, self._entries, *self._allowed, at=at)
            self._names[index] = found
        return found

    def _successors(self, cursor: Cursor, region: Region) -> list[Block]:
        found = []
        for _ in range(cursor.count("successors")):
            at = cursor.at
            number = cursor.varint()
            if number >= len(region.blocks):
                raise Fault(at, f"expected the number of one of {len(region.blocks)} blocks, found {number}")
            found.append(region.blocks[number])
        return found

    # Values

    def _define(self, value: Value, scope: _Scope, at: int) -> None:
        number = scope.next
        if number >= len(scope.values):
            raise Fault(at, f"more values are defined than the {len(scope.values)} that the region states")
        early = scope.values[number]
        scope.values[number] = value
        scope.next = number + 1
        if early is not None:
            early.replace_all_uses(value)


class _Undefined(Value):
    """A placeholder for a value that is used before its definition is read."""


def _operands(cursor: Cursor, values: list[Value | None]) -> list[Value]:
    """Read the numbers of values; return the values."""
    operands: list[Value] = []
    at = cursor.at
    for number in cursor.numbers("operands"):
        if number >= len(values):
            raise Fault(at, f"expected the number of one of {len(values)} values, found {number}")
        found = values[number]
        if found is None:
            found = values[number] = _Undefined(NoneType())
        operands.append(found)
    return operands
