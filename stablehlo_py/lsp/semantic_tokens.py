"""Semantic tokens: what each token of a text is, for colouring."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from lsprotocol import types

from stablehlo_py.ir.core import BlockArgument
from stablehlo_py.lsp.document import Document, Part
from stablehlo_py.lsp.feature import Feature, Session
from stablehlo_py.opset.definition import lookup

_KINDS = (
    "comment",
    "string",
    "number",
    "variable",
    "parameter",
    "function",
    "type",
    "keyword",
    "operator",
    "property",
    "macro",
    "label",
    "method",
)
_MODIFIERS = ("declaration",)
_TYPE = re.compile(
    r"(?:tensor|complex|tuple|memref|vector)\s*<|\(|!|[su]?i\d+\Z|bf16\Z|f\d+|index\Z|token\Z|none\Z"
)
_NUMBER = re.compile(r"[-+]?\d|\[|dense|sparse")
_SIGILS = {"^": "label", "@": "function", "#": "macro", "!": "type"}
Span = tuple[int, int, str, bool]  # start, end, kind, whether it is a declaration


def semantic_tokens(
    session: Session, document: Document, params: types.SemanticTokensParams
) -> types.SemanticTokens:
    """Return the tokens of a document, encoded as the protocol says."""
    data: list[int] = []
    row = column = 0
    for start, end, kind, declares in sorted(_spans(document)):
        for first, last in _lines(document.text, start, end):
            place = document.position(first)
            length = document.position(last).character - place.character
            delta = place.character - column if place.line == row else place.character
            data += [place.line - row, delta, length, _KINDS.index(kind), int(declares)]
            row, column = place.line, place.character
    return types.SemanticTokens(data)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split a span at the ends of lines, which tokens of the protocol do not cross."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if stop > start:
            yield start, stop
        start = stop + 1


def _spans(document: Document) -> Iterator[Span]:
    for part in document.parts:
        comments = [(offset, offset + len(text)) for offset, text in part.module.comments]
        yield from ((start, end, "comment", False) for start, end in comments)
        for start, end, kind, declares in _tokens(document, part):
            yield from ((*piece, kind, declares) for piece in _outside(start, end, comments))


def _outside(start: int, end: int, comments: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Split a span at the comments in it; spans of the protocol do not overlap."""
    for place in range(bisect_left(comments, (start, 0)), len(comments)):
        first, last = comments[place]
        if first >= end:
            break
        yield start, first
        start = last
    yield start, end


def _tokens(document: Document, part: Part) -> Iterator[Span]:
    tokens = part.recovered.tokens
    names = {name.start: name for name in part.scan.names}
    for index, text in enumerate(tokens.texts[:-1]):
        start, end = tokens.start(index), tokens.end(index)
        name = names.get(start)
        if name is not None:
            values = document.values(name) if text[0] == "%" else []
            is_argument = any(isinstance(value, BlockArgument) for value in values)
            kind = _SIGILS.get(text[0]) or ("parameter" if is_argument else "variable")
            yield start, name.end, kind, name.is_definition
        elif found := _kind(text, tokens.texts[index + 1]):
            yield start, end, found, False


def _kind(text: str, after: str) -> str:
    """Return the kind of a token that is no name; "" for punctuation."""
    if text.startswith('"'):
        return "method" if lookup(text[1:-1]) else "string"
    if _TYPE.match(text) and text != "(":
        return "type"
    if _NUMBER.match(text) and text != "[":
        return "number"
    if text in ("->", "=", "::"):
        return "operator"
    if text.startswith("loc("):
        return "comment"
    if not (text[0].isalpha() or text[0] in "_#"):
        return ""
    if lookup(text):
        return "method"
    return "property" if after == "=" else "macro" if text[0] == "#" else "keyword"


FEATURES = (
    Feature(
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        semantic_tokens,
        types.SemanticTokensLegend(list(_KINDS), list(_MODIFIERS)),
    ),
)
