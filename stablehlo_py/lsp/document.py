"""The document model: a version of a text, parsed once, with an index from positions to ops and values."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from lsprotocol import types

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.hlo.recognize import is_hlo
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.ir.locations import Source
from stablehlo_py.lsp.hlo_names import HloNames
from stablehlo_py.lsp.names import Name, Scan, resolve, scan
from stablehlo_py.syntax.parser import Recovered, parse_recovering

_SPLIT = re.compile(r"^// -----[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


@dataclass
class Part:
    """A module of a document; several are separated by lines `// -----`.

    Attributes:
        start: The offset of its first character.
        end: The offset after its last character.
        recovered: The result of parsing it. Offsets are those of the document.
    """

    start: int
    end: int
    recovered: Recovered

    @cached_property
    def scan(self) -> Scan:
        """Its names."""
        return scan(self.recovered.tokens)

    @property
    def module(self) -> Module:
        """The module, without the ops that do not parse."""
        return self.recovered.module


class Document:
    """A version of a text.

    Args:
        text: The text.
        name: The path of the file, or its URI.
        version: The number of the version.
    """

    def __init__(self, text: str, name: str = "<document>", version: int = 0) -> None:
        self.text, self.name, self.version = text, name, version
        self.allow_newer = False  # ops newer than this release
        self._definitions: dict[tuple[int, str], dict[int, Name | None]] = {}  # of names, by their offset
        self.diagnosed: tuple[object, list[Diagnostic]] | None = None  # a configuration, and what it reports

    @cached_property
    def is_hlo(self) -> bool:
        """Whether the text is HLO."""
        return is_hlo(self.text)

    @cached_property
    def hlo_names(self) -> HloNames:
        """The names in the text of HLO."""
        return HloNames(self.text)

    # Positions

    @cached_property
    def source(self) -> Source:
        """The text, with its lines."""
        return Source(self.name, self.text)

    @cached_property
    def line_starts(self) -> list[int]:
        """The offsets at which lines start."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def _pairs(self) -> list[int]:
        """The offsets, in UTF-16 units, of the characters that take two units."""
        found = () if self.text.isascii() else _ASTRAL.finditer(self.text)
        return [match.start() + index for index, match in enumerate(found)]

    def _units(self, offset: int) -> int:
        """Convert an offset in characters to one in UTF-16 units."""
        pairs = self._pairs
        return (
            offset + bisect_left(range(len(pairs)), offset, key=lambda i: pairs[i] - i) if pairs else offset
        )

    def position(self, offset: int) -> types.Position:
        """Convert an offset to a position of the protocol, whose columns count UTF-16 units."""
        offset = min(offset, len(self.text))
        row = bisect_right(self.line_starts, offset) - 1
        return types.Position(row, self._units(offset) - self._units(self.line_starts[row]))

    def offset(self, position: types.Position) -> int:
        """Convert a position to an offset; one beyond the end of a line or the text is its end."""
        row: int = position.line
        if row >= len(self.line_starts):
            return len(self.text)
        units = self._units(self.line_starts[row]) + position.character
        before = bisect_left(self._pairs, units)
        inside = before > 0 and self._pairs[before - 1] + 1 == units
        return min(units - before + inside, self.line_end(row))

    def range(self, start: int, end: int) -> types.Range:
        """Convert offsets to a range."""
        return types.Range(self.position(start), self.position(end))

    def line(self, offset: int) -> str:
        """Return the text of the line of an offset."""
        row = bisect_right(self.line_starts, offset) - 1
        return self.text[self.line_starts[row] : self.line_end(row)]

    def line_start(self, offset: int) -> int:
        """Return the offset at which the line of an offset starts."""
        return self.line_starts[bisect_right(self.line_starts, offset) - 1]

    def line_end(self, row: int) -> int:
        """Return the offset at which a line ends, without its terminator."""
        return self.line_starts[row + 1] - 1 if row + 1 < len(self.line_starts) else len(self.text)

    # Contents

    @cached_property
    def parts(self) -> list[Part]:
        """The modules."""
        separators, size = [match.span() for match in _SPLIT.finditer(self.text)], len(self.text)
        bounds = list(pairwise([0, *(end for _, end in separators), size]))
        stops = [*(start for start, _ in separators), size]
        rows = [
            (*row, stop) for row, stop in zip(bounds, stops, strict=True) if row[0] < row[1] or not separators
        ]
        with gc_paused():
            return [self._part(*row) for row in rows]

    def _part(self, start: int, end: int, stop: int) -> Part:
        """Parse a part, of which the separator from `stop` on is no comment."""
        source = self.source.part(start, stop)
        return Part(start, end, parse_recovering(source, True, self.allow_newer))

    @cached_property
    def _part_ends(self) -> list[int]:
        return [part.end for part in self.parts]

    def _part_index(self, offset: int) -> int:
        return min(bisect_right(self._part_ends, offset), len(self.parts) - 1)

    def part_at(self, offset: int) -> Part:
        """Return the module around an offset."""
        return self.parts[self._part_index(offset)]

    @cached_property
    def names(self) -> list[Name]:
        """All names, in order."""
        return [name for part in self.parts for name in part.scan.names]

    @cached_property
    def _name_starts(self) -> list[int]:
        return [name.start for name in self.names]

    @cached_property
    def _by_text(self) -> dict[tuple[int, str], list[Name]]:
        """The names of each module, by their text."""
        found = defaultdict(list)
        for index, part in enumerate(self.parts):
            for name in part.scan.names:
                found[index, name.text].append(name)
        return found

    def name_at(self, offset: int) -> Name | None:
        """Return the name at an offset, or that ends there."""
        index = bisect_right(self._name_starts, offset) - 1
        name = self.names[index] if index >= 0 else None
        return name if name is not None and offset <= name.end else None

    def names_in(self, start: int, end: int) -> Sequence[Name]:
        """Return the names that start between two offsets."""
        return self.names[bisect_left(self._name_starts, start) : bisect_left(self._name_starts, end)]

    def same_text(self, name: Name) -> Sequence[Name]:
        """Return the names in the same module with the same text."""
        return self._by_text.get((self._part_index(name.start), name.text), ())

    def definition(self, name: Name) -> Name | None:
        """Return the definition of a name; None if there is none."""
        if name.text[0] == "@":
            return self.symbol(name)
        index = self._part_index(name.start)
        found = self._definitions.get((index, name.text))
        if found is None:
            found = self._definitions[index, name.text] = resolve(self.same_text(name))
        return found.get(name.start)

    def first_definition(self, text: str, names: Iterable[Name]) -> Name | None:
        """Return the definition that a name of a text would have in place of names; None if none has one."""
        moved = [name._replace(text=text, is_definition=False) for name in names]
        if not moved:
            return None
        if text[0] == "@":
            return self.symbol(moved[0])
        found = resolve(sorted([*self.same_text(moved[0]), *moved]))
        return next(filter(None, (found[name.start] for name in moved)), None)

    def occurrences(self, name: Name) -> list[Name]:
        """Return the definition of a name and all its uses, in order; [] without a definition."""
        definition = self.definition(name)
        if definition is None:
            return []
        return [n for n in self.same_text(name) if self.definition(n) == definition]

    def symbol(self, name: Name) -> Name | None:
        """Return the definition of a symbol: the name in the op that defines it."""
        op = self.symbol_op(name)
        return self.name_of(op, name.text) if op is not None else None

    def name_of(self, op: Operation, text: str) -> Name:
        """Return the first name of a text in an op; an empty one at its start if there is none."""
        missing = Name(op.offset, op.offset, text, True, (0, 0))
        names = self.same_text(missing)
        index = bisect_left(names, op.offset, key=lambda found: found.start)
        return names[index] if index < len(names) and names[index].start < op.end else missing

    def symbol_op(self, name: Name) -> Operation | None:
        """Return the op that defines a symbol."""
        return self._symbols.get((self.part_at(name.start).start, name.text[1:].strip('"')))

    @cached_property
    def _symbols(self) -> dict[tuple[int, str], Operation]:
        found: dict[tuple[int, str], Operation] = {}
        for part in self.parts:
            for op in part.module.walk():
                name = op.python_value("sym_name") if op.offset >= 0 else None
                if isinstance(name, str):
                    found.setdefault((part.start, name), op)
        return found

    # Ops and values

    @cached_property
    def ops(self) -> list[Operation]:
        """The ops of the text, in preorder, without the module ops that it does not spell out."""
        found: list[Operation] = []
        last = -1
        for part in self.parts:
            for op in part.module.walk():
                if op.offset > last:
                    found.append(op)
                    last = op.offset
        return found

    @cached_property
    def _starts(self) -> dict[int, int]:
        return {offset: start for part in self.parts for offset, start in part.scan.starts.items()}

    @cached_property
    def _op_starts(self) -> Sequence[int]:
        return [self.start(op) for op in self.ops]

    def start(self, op: Operation) -> int:
        """Return the offset at which the statement of an op starts: its first result."""
        return self._starts.get(op.offset, op.offset)

    def op_at(self, offset: int) -> Operation | None:
        """Return the innermost op whose statement contains an offset."""
        index = bisect_right(self._op_starts, offset) - 1
        op = self.ops[index] if index >= 0 else None
        while op is not None and (op.offset < 0 or offset > op.end):
            op = op.parent_op
        return op

    @cached_property
    def _values(self) -> dict[int, list[Value]]:
        """The values that the name at an offset defines."""
        found: dict[int, list[Value]] = defaultdict(list)
        for part in self.parts:
            for op in part.module.walk():
                for block in op.blocks if op.regions else ():
                    for argument in block.arguments:
                        if argument.offset >= 0:
                            found[argument.offset].append(argument)
                at = 0
                for start, count in part.scan.results.get(op.offset, ()) if op.results else ():
                    found[start] += op.results[at : at + count]
                    at += count
        return found

    def values(self, name: Name) -> list[Value]:
        """Return the values that a name stands for; [] if it is undefined or its op does not parse."""
        definition = self.definition(name)
        return self._values.get(definition.start, []) if definition is not None else []
