"""Rendering of diagnostics with their source line, as text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from stablehlo_py.diagnostics.diagnostic import Diagnostic

Paint = Callable[..., str]
"""Styles text: `paint(text, fg="red", bold=True)`."""

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
_WORD = re.compile(r'[\w.$%@^#!"-]+')
_ELLIPSIS = "..."
_INDENT = "  "
_MANY = 4  # characters per cell: lines longer than that are cut without measuring them


def unstyled(text: str, **_: object) -> str:
    """Return the text without style."""
    return text


def diagnostic_text(
    name: str, diagnostic: Diagnostic, line: str = "", width: int = 100, paint: Paint = unstyled
) -> str:
    """Render a diagnostic as `name:line:column: severity: message`, the underlined source line, and notes.

    Args:
        name: The name of the file.
        diagnostic: The diagnostic.
        line: Its source line.
        width: The line width, in cells.
        paint: Styles text.

    Returns:
        The text, without a newline at the end.
    """
    position = f"{name}:{diagnostic.line}:{diagnostic.column}" if diagnostic.line else name
    severity = paint(f"{diagnostic.severity}:", fg=_COLOURS[diagnostic.severity], bold=True)
    rows = [f"{paint(position + ':', bold=True)} {severity} {_one_line(diagnostic.message)}"]
    if line.strip() and diagnostic.column:
        source, marker = excerpt(line, diagnostic.column, diagnostic.end_column, width - len(_INDENT))
        rows += [_INDENT + source, _INDENT + paint(marker, fg="green", bold=True)]
    rows += [_INDENT + row for note in diagnostic.notes for row in note.splitlines()]
    return "\n".join(rows)


def _one_line(text: str) -> str:
    return text.replace("\n", "\\n")


def underlined(line: str, diagnostic: Diagnostic) -> int:
    """Return the column after the underlined text: the diagnostic's end column, or the end of the word."""
    return _end(line, diagnostic.column, diagnostic.end_column) + 1


def _end(line: str, column: int, end_column: int) -> int:
    """Return the end of the underlined text, as an index from 0."""
    start = min(column - 1, len(line))
    if end_column > column:
        return min(end_column - 1, len(line))
    word = _WORD.match(line, start)
    return word.end() if word else start + 1


def excerpt(line: str, column: int, end_column: int, width: int) -> tuple[str, str]:
    """Cut a source line to `width` cells around a column; return it with its underline."""
    start = min(column - 1, len(line))
    end = _end(line, column, end_column)
    first, last = 0, len(line)
    is_long = last > _MANY * width or _cells(line) > width
    if is_long:
        first = max(0, min(start - width // 3, last - width + 2 * len(_ELLIPSIS)))
    before = (_ELLIPSIS if first else "") + line[first:start]
    if is_long:
        last = start + _fitting(line[start : start + width], width - len(_ELLIPSIS) - _cells(before))
    tail = _ELLIPSIS if last < len(line) else ""
    marker = " " * _cells(before) + "^" + "~" * max(0, _cells(line[start : min(end, last)]) - 1)
    return _printable(before + line[start:last]) + tail, marker


def _fitting(text: str, cells: int) -> int:
    """Count the leading characters that fit into a number of cells."""
    for count, char in enumerate(text):
        cells -= _cells(char)
        if cells < 0:
            return count
    return len(text)


def escaped(text: str) -> str:
    """Escape what a terminal would obey: control and bidirectional characters, and undecodable bytes.

    Newlines and tabs are kept.
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _escape(c) for c in text)


def _escape(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"  # a byte that is not UTF-8
    return char.encode("unicode_escape").decode("ascii")


def _printable(text: str) -> str:
    """Expand tabs, and replace control characters."""
    return "".join(
        " " * 4 if c == "\t" else c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def _cells(text: str) -> int:
    """Return the width of a text in terminal cells."""
    return sum(_cell_width(c) for c in _printable(text))


def _cell_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def counted(count: int, noun: str) -> str:
    """Format a count with its noun: `1 error`, `2 errors`, `1,200 ops`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def line_ranges(lines: Iterable[int], most: int = 8) -> str:
    """Return `line 3`, or `lines 3, 5-9 and 12`: up to a number of ranges, and how many lines follow."""
    ranges: list[list[int]] = []
    for line in sorted(set(lines)):
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    shown = [f"{first}-{last}" if last > first else str(first) for first, last in ranges[:most]]
    rest = sum(last - first + 1 for first, last in ranges[most:])
    shown += [f"{rest:,} more"] if rest else []
    text = " and ".join([part for part in (", ".join(shown[:-1]), shown[-1]) if part]) if shown else "none"
    return f"line {text}" if len(shown) == 1 and "-" not in text else f"lines {text}"
