"""HLO text in the language server: diagnostics, definitions, uses, hover and the outline."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lsprotocol import types

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.hlo.opcodes import opcodes
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.hlo.texts import without_metadata
from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Session
from stablehlo_py.lsp.hlo_names import HloNames

_LONGEST = 400  # characters of a definition


def find_hlo_diagnostics(document: Document) -> list[Diagnostic]:
    """Return the errors of a text: those of the parser, otherwise wrong shapes."""
    try:
        return parse_hlo(document.text, document.name).verify()
    except ParseError as error:
        return list(error.diagnostics)


def _word(document: Document, params: Any) -> tuple[HloNames, re.Match[str] | None]:
    names = document.hlo_names
    return names, names.word_at(document.offset(params.position))


def _definition(session: Session, document: Document, params: Any) -> list[types.Location] | None:
    names, word = _word(document, params)
    found = names.definition(word) if word is not None else None
    return [types.Location(params.text_document.uri, document.range(*found))] if found is not None else None


def _references(session: Session, document: Document, params: Any) -> list[types.Location]:
    names, word = _word(document, params)
    spans = names.uses(word) if word is not None else []
    defined = names.definition(word) if word is not None else None
    shown = [span for span in spans if params.context.include_declaration or span != defined]
    return [types.Location(params.text_document.uri, document.range(*span)) for span in shown]


def _highlights(session: Session, document: Document, params: Any) -> list[types.DocumentHighlight]:
    names, word = _word(document, params)
    spans = names.uses(word) if word is not None else []
    return [types.DocumentHighlight(document.range(*span)) for span in spans]


def _hover(session: Session, document: Document, params: Any) -> types.Hover | None:
    names, word = _word(document, params)
    if word is None:
        return None
    if names.is_opcode(word):
        text = _of_opcode(word[1])
    elif (found := names.definition(word)) is not None:
        text = f"```\n{without_metadata(document.line(found[0]))[:_LONGEST]}\n```"
    else:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(content, document.range(word.start(1), word.end()))


def _of_opcode(name: str) -> str:
    row = opcodes()[name]
    parts = [f"**{name}**", f"StableHLO: `{row.op}`" if row.op else "No op of StableHLO is equal."]
    if row.attributes:
        parts.append(f"Attributes: {', '.join(f'`{each}`' for each in row.attributes)}")
    return "\n\n".join([*parts, *([row.differences] if row.differences else [])])


def _symbols(session: Session, document: Document, params: Any) -> list[types.DocumentSymbol]:
    places = document.hlo_names.computations
    ends = [*(start for start, _ in places[1:]), len(document.text)]
    found = []
    for (start, name), end in zip(places, ends, strict=True):
        last = document.text.rfind("}", start, end)
        found.append(
            types.DocumentSymbol(
                name=name,
                kind=types.SymbolKind.Function,
                range=document.range(start, max(last + 1, start + len(name))),
                selection_range=document.range(start, start + len(name)),
            )
        )
    return found


HANDLERS: dict[str, Callable[[Session, Document, Any], Any]] = {
    types.TEXT_DOCUMENT_DEFINITION: _definition,
    types.TEXT_DOCUMENT_REFERENCES: _references,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: _highlights,
    types.TEXT_DOCUMENT_HOVER: _hover,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: _symbols,
}
