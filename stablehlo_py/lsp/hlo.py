"""HLO text in the language server: diagnostics, definitions, uses, hover and the outline.

Names are found in the text itself, so that they are known where it does not parse.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import Any

from lsprotocol import types

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.hlo.opcodes import opcodes
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Session

_BLANK = r"[ \t]*"
_INSTRUCTION = re.compile(rf"^{_BLANK}(?:ROOT[ \t]+)?%?([A-Za-z_][\w.\-]*){_BLANK}=[ \t]", re.MULTILINE)
_COMPUTATION = re.compile(
    rf"^(?:ENTRY[ \t]+)?%?([A-Za-z_][\w.\-]*){_BLANK}(?:\([^\n]*)?\{{{_BLANK}$", re.MULTILINE
)
_WORD = re.compile(r"%?([A-Za-z_][\w.\-]*)")
_METADATA = re.compile(r', metadata=\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}')
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LONGEST = 400  # characters of a definition
Span = tuple[int, int]


class HloNames:
    """The names in a text of HLO.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.computations = [(match.start(1), match[1]) for match in _COMPUTATION.finditer(text)]
        self._starts = [start for start, _ in self.computations]

    @cached_property
    def instructions(self) -> dict[tuple[int, str], Span]:
        """The names of definitions, by the number of the computation and name; the first of several."""
        found: dict[tuple[int, str], Span] = {}
        for match in _INSTRUCTION.finditer(self.text):
            found.setdefault((self.computation_at(match.start(1)), match[1]), match.span(1))
        return found

    @cached_property
    def _strings(self) -> list[Span]:
        return [match.span() for match in _STRING.finditer(self.text)]

    def computation_at(self, offset: int) -> int:
        """Return the number of the computation around an offset; -1 before the first one."""
        return bisect_right(self._starts, offset) - 1

    def word_at(self, offset: int) -> re.Match[str] | None:
        """Return the word at an offset, or that ends there."""
        start = self.text.rfind("\n", 0, offset) + 1
        words = _WORD.finditer(self.text, start, self.text.find("\n", offset) % (len(self.text) + 1))
        return next((word for word in words if word.start() <= offset <= word.end()), None)

    def is_opcode(self, word: re.Match[str]) -> bool:
        """Test whether a word is an opcode: one before a parenthesis."""
        return self.text[word.end() : word.end() + 1] == "(" and word[1] in opcodes()

    def definition(self, word: re.Match[str]) -> Span | None:
        """Return where the instruction or computation with a name is defined."""
        if self.is_opcode(word) or self._is_quoted(word.start()):
            return None
        found = self.instructions.get((self.computation_at(word.start()), word[1]))
        if found is not None:
            return found
        return next(((s, s + len(name)) for s, name in self.computations if name == word[1]), None)

    def uses(self, word: re.Match[str]) -> list[Span]:
        """Return the places of the name that a word is, its definition among them, in order."""
        defined = self.definition(word)
        if defined is None:
            return []
        pattern = re.compile(rf"(?<![\w.\-]){re.escape(word[1])}(?![\w.\-])")
        found = []
        for match in pattern.finditer(self.text):
            each = _WORD.match(self.text, match.start())
            if each is not None and self.definition(each) == defined and not self._is_key(match.end()):
                found.append(match.span())
        return found

    def _is_key(self, end: int) -> bool:
        """Test whether a word is the name of an attribute: one with `=` right after it."""
        return self.text[end : end + 1] == "="

    def _is_quoted(self, offset: int) -> bool:
        index = bisect_right(self._strings, (offset, len(self.text))) - 1
        return index >= 0 and offset < self._strings[index][1]


def find_hlo_diagnostics(document: Document) -> list[Diagnostic]:
    """Return the errors of a text: those of the parser, otherwise wrong shapes."""
    try:
        return parse_hlo(document.text, document.name).verify()
    except ParseError as error:
        return list(error.diagnostics)


def _names(document: Document) -> HloNames:
    return document.extra(HloNames)


def _word(document: Document, params: Any) -> tuple[HloNames, re.Match[str] | None]:
    names = _names(document)
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
        text = f"```\n{_METADATA.sub('', document.line(found[0])).strip()[:_LONGEST]}\n```"
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
    places = _names(document).computations
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
