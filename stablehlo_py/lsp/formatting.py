"""Formatting of documents and ranges, as `shlo fmt` does."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from stablehlo_py.diagnostics.alignment import align
from stablehlo_py.ir.locations import Source
from stablehlo_py.lsp.document import Document, Part
from stablehlo_py.lsp.feature import Feature, Session
from stablehlo_py.syntax.parser import parse_recovering
from stablehlo_py.syntax.printer import format_module

_SEPARATOR = "// -----\n"


def format_document(
    session: Session, document: Document, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    """Return the edits that format a document; None if it has syntax errors."""
    text = formatted(session, document)
    return list(edits(document, text)) if text is not None else None


def format_range(
    session: Session, document: Document, params: types.DocumentRangeFormattingParams
) -> list[types.TextEdit] | None:
    """Return the edits that format the lines of a range."""
    text = formatted(session, document)
    if text is None:
        return None
    first, last = types.Position(params.range.start.line, 0), params.range.end.line
    found = [each for each in edits(document, text) if each.range.start.line <= last]
    return [each for each in found if each.range.start >= first or each.range.end > first]


def formatted(session: Session, document: Document) -> str | None:
    """Return the formatted text of a document; None if a module does not parse or would change."""
    options = session.project(document).fmt
    texts = [_format(part, options.generic, options.canonical) for part in document.parts]
    if not all(texts):
        return None
    return f"\n{_SEPARATOR}\n".join([text or "" for text in texts]).strip("\n") + "\n"


def _format(part: Part, generic: bool, canonical: bool) -> str | None:
    if part.recovered.diagnostics:
        return None
    text = format_module(part.module, generic=generic, canonical=canonical)
    again = parse_recovering(Source("<formatted>", text), True, allow_newer=True)
    if again.diagnostics or format_module(again.module) != format_module(part.module):
        return None
    return text


def edits(document: Document, text: str) -> Iterator[types.TextEdit]:
    """Yield the edits of whole lines that change a document to a text."""
    old, new = document.text.splitlines(keepends=True), text.splitlines(keepends=True)
    for is_equal, first, last, start, end in align(old, new):
        if not is_equal:
            place = types.Range(_line(document, old, first), _line(document, old, last))
            yield types.TextEdit(place, "".join(new[start:end]))


def _line(document: Document, lines: list[str], row: int) -> types.Position:
    """Return the start of a line; the end of the text after the last one."""
    return types.Position(row, 0) if row < len(lines) else document.position(len(document.text))


FEATURES = (
    Feature(types.TEXT_DOCUMENT_FORMATTING, format_document),
    Feature(types.TEXT_DOCUMENT_RANGE_FORMATTING, format_range),
)
