"""The document model: a version of a text, parsed once, with an index from positions to ops and values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from lsprotocol import types

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.locations import Source
from stablehlo_py.lsp.names import Name, Scan, scan
from stablehlo_py.syntax.parser import Recovered, parse_recovering

_SPLIT = re.compile(r"^// -----[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_NOT_NEWLINE = re.compile(r"[^\n]")


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
        self.diagnosed: tuple[object, list[Diagnostic]] | None = None  # a configuration, and what it reports

    # Positions

    @cached_property
    def source(self) -> Source:
        """The text, with its lines."""
        return Source(self.name, self.text)

    @cached_property
    def line_starts(self) -> list[int]:
        """The offsets at which lines start."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def position(self, offset: int) -> types.Position:
        """Convert an offset to a position of the protocol, whose columns count UTF-16 units."""
        row = bisect_right(self.line_starts, offset) - 1
        before = self.text[self.line_starts[row] : offset]
        return types.Position(row, len(before) if before.isascii() else _units(before))

    def offset(self, position: types.Position) -> int:
        """Convert a position to an offset; one beyond the end of a line or the text is its end."""
        row: int = position.line
        column: int = position.character
        if row >= len(self.line_starts):
            return len(self.text)
        start = self.line_starts[row]
        last = row + 1 == len(self.line_starts)
        end = len(self.text) if last else self.line_starts[row + 1] - 1
        line = self.text[start:end]
        if line.isascii():
            return min(start + column, end)
        units = 0
        for index, character in enumerate(line):
            if units >= column:
                return start + index
            units += _units(character)
        return end

    def range(self, start: int, end: int) -> types.Range:
        """Convert offsets to a range."""
        return types.Range(self.position(start), self.position(end))

    def line(self, offset: int) -> str:
        """Return the text of the line of an offset."""
        return self.text[self.line_start(offset) :].partition("\n")[0]

    def line_start(self, offset: int) -> int:
        """Return the offset at which the line of an offset starts."""
        return self.line_starts[bisect_right(self.line_starts, offset) - 1]

    # Contents

    @cached_property
    def parts(self) -> list[Part]:
        """The modules."""
        bounds = [0, *(match.end() for match in _SPLIT.finditer(self.text)), len(self.text)]
        pairs = list(pairwise(bounds))
        return [self._part(start, end) for start, end in pairs if start < end or len(pairs) == 1]

    def _part(self, start: int, end: int) -> Part:
        # Blanks in place of what precedes keep the offsets.
        text = _NOT_NEWLINE.sub(" ", self.text[:start]) + self.text[start:end]
        recovered = parse_recovering(Source(self.name, text), allow_unregistered=True)
        return Part(start, end, recovered)

    def part_at(self, offset: int) -> Part:
        """Return the module around an offset."""
        return next((part for part in self.parts if offset < part.end), self.parts[-1])

    @cached_property
    def names(self) -> list[Name]:
        """All names, in order."""
        return [name for part in self.parts for name in part.scan.names]

    @cached_property
    def _name_starts(self) -> list[int]:
        return [name.start for name in self.names]

    @cached_property
    def _by_text(self) -> dict[str, list[Name]]:
        found = defaultdict(list)
        for name in self.names:
            found[name.text].append(name)
        return found

    def name_at(self, offset: int) -> Name | None:
        """Return the name at an offset, or that ends there."""
        index = bisect_right(self._name_starts, offset) - 1
        name = self.names[index] if index >= 0 else None
        return name if name is not None and offset <= name.end else None

    def same_text(self, name: Name) -> Iterator[Name]:
        """Yield the names in the same module with the same text."""
        part = self.part_at(name.start)
        return (n for n in self._by_text[name.text] if part.start <= n.start < part.end)

    def definition(self, name: Name) -> Name | None:
        """Return the definition of a name; None if there is none."""
        if name.text[0] == "@":
            return self.symbol(name)
        defined = [n for n in self.same_text(name) if n.is_definition]
        visible = [n for n in defined if n.scope[0] <= name.start < n.scope[1]] or [
            n for n in defined if n.text[0] in "#!"
        ]
        before = [n for n in visible if n.start <= name.start]
        return before[-1] if before else next(iter(visible), None)

    def occurrences(self, name: Name) -> list[Name]:
        """Return the definition of a name and all its uses, in order; [] without a definition."""
        definition = self.definition(name)
        if definition is None:
            return []
        return [n for n in self.same_text(name) if self.definition(n) == definition]

    def symbol(self, name: Name) -> Name | None:
        """Return the definition of a symbol: the name in the op that defines it."""
        op = self.symbol_op(name)
        if op is None:
            return None
        inside = [n for n in self.same_text(name) if op.offset <= n.start < op.end]
        return inside[0] if inside else Name(op.offset, op.offset, name.text, True, (0, 0))

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


def _units(text: str) -> int:
    """Count UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)
