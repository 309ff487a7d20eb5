"""The author's comments and blank lines.

A comment precedes the op that follows it, or trails the text on its line. One of the blank lines before an op
or a comment is kept, but none at the start of a region or of the text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from stablehlo_py.ir.core import Module, Operation, Region

Write = Callable[[str], None]
_STEP = 2  # blanks by which ops are indented under the label of their block
_CLOSING = re.compile(r"(?:\s|//[^\n]*)*\}")
_EMPTY = re.compile(r"\{(?:\s|//[^\n]*)*\}")


def _precedes_label(op: Operation) -> bool:
    block = op.parent
    region = block.parent if block is not None and op is block.ops[-1] else None
    return region is not None and block is not region.blocks[-1]


class Comments:
    """The comments and blank lines of a module that are not yet printed, in order.

    Args:
        module: The module.
    """

    def __init__(self, module: Module) -> None:
        self._source = module.source
        self._pending = deque(sorted(module.comments))
        self._line_written = 0  # the last source line written, from which blank lines are counted

    def before(self, offset: int, indent: str, write: Write) -> None:
        """Write the comments before an op or a label, each on its own line, and blank lines.

        Args:
            offset: The offset of the op or label.
            indent: The indentation.
            write: Writes text.
        """
        self._before(offset, indent, write)
        if offset >= 0:
            self._blank_line(offset, write)

    def _before(self, offset: int, indent: str, write: Write) -> None:
        while self._pending and self._pending[0][0] < offset:
            self._blank_line(self._pending[0][0], write)
            write(f"{indent}{self._next()}\n")

    def _blank_line(self, offset: int, write: Write) -> None:
        """Write a blank line if there is one before the line of an offset, unless a region starts there."""
        line = self._line(offset)
        if line <= self._line_written:
            return
        if self._line_written and not self._source.line(line - 1).strip():
            write("\n")
        self._line_written = line

    def on_line_of(self, offset: int, write: Write) -> None:
        """Write the comment at the end of the line of an offset."""
        if self._pending and offset >= 0 and self._line(self._pending[0][0]) == self._line(offset):
            write(f" {self._next()}")

    def after_opening(self, region: Region, write: Write) -> None:
        """Write the comment after a region's opening brace; no blank line follows it."""
        self._line_written = 0
        if not self._pending or region.parent is None:
            return
        firsts = [block.ops[0] for block in region.blocks if block.ops]
        starts = [op.offset for op in firsts if op.end != op.offset]
        offset = self._pending[0][0]
        if offset < (starts[0] if starts else self._end(region)) and self._text_before(offset).endswith("{"):
            write(f" {self._next()}")

    def before_closing(self, region: Region, indent: str, write: Write) -> None:
        """Write the remaining comments before a region's closing brace."""
        self._before(self._end(region), indent, write)

    def after(self, op: Operation, indent: str, write: Write) -> None:
        """Write the remaining comments inside an op, and the one after it on its last line.

        The first is written after the op, the others on their own lines.
        """
        if op.end < 0:
            return
        last_line = self._line(op.end)
        separator = " "
        if _precedes_label(op):
            indent = indent[:-_STEP]
        while self._pending and (
            self._pending[0][0] < op.end or self._line(self._pending[0][0]) == last_line
        ):
            write(separator + self._next())
            separator = "\n" + indent

    def rest(self, write: Write) -> None:
        """Write all remaining comments."""
        while self._pending:
            self._blank_line(self._pending[0][0], write)
            write(self._next() + "\n")

    def _next(self) -> str:
        return self._pending.popleft()[1].rstrip()

    def _line(self, offset: int) -> int:
        return self._source.position(offset)[0]

    def _text_before(self, offset: int) -> str:
        """Return the text before an offset on its line, without trailing spaces."""
        text = self._source.text
        return text[text.rfind("\n", 0, offset) + 1 : offset].rstrip()

    def _end(self, region: Region) -> int:
        """Return the offset of a region's closing brace, after its last op and comments; -1 if unknown."""
        ends = [op.end for block in region.blocks for op in block.ops[-2:] if op.end != op.offset]
        if not ends:  # an implied terminator has no text
            return self._end_of_empty(region)
        found = _CLOSING.match(self._source.text, ends[-1]) if ends[-1] >= 0 else None
        return found.end() if found else -1

    def _end_of_empty(self, region: Region) -> int:
        """Return the offset after the closing brace of a region without text; -1 if unknown."""
        op = region.parent
        if op is None or op.offset < 0:
            return -1
        index = op.regions.index(region)
        before = self._end(op.regions[index - 1]) if index else -1
        found = _EMPTY.search(self._source.text, max(before, op.offset), op.end)
        return found.end() if found else -1
