"""HLO text in the language server, through a client."""

from __future__ import annotations

import pytest
from editor import Client, client, started  # noqa: F401 (fixtures)
from lsprotocol import types

TEXT = """HloModule m

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b), metadata={op_name="a/add"}
}

ENTRY %main (a: f32[4]) -> f32[] {
  %a = f32[4]{0} parameter(0)
  %zero = f32[] constant(0)
  ROOT %sum = f32[] reduce(%a, %zero), dimensions={0}, to_apply=%add
}
"""


def at(uri: str, line: int, column: int, kind: type = types.DefinitionParams) -> object:
    return kind(types.TextDocumentIdentifier(uri), types.Position(line, column))


def place(found: types.Location | types.DocumentHighlight) -> tuple[int, int, int]:
    start, end = found.range.start, found.range.end
    return start.line, start.character, end.character


def test_wrong_shapes_and_syntax_while_typing(client: Client) -> None:
    uri = client.open(TEXT, "a.hlo")
    assert client.diagnostics(uri) == []
    client.change(uri, TEXT.replace("dimensions={0}", "dimensions={}"))
    (found,) = client.diagnostics(uri)
    assert (found.range.start.line, found.range.start.character, found.code) == (11, 8, "hlo.shape")
    client.change(uri, TEXT.replace("%zero = f32[]", "%zero = f31[]"))
    (found,) = client.diagnostics(uri)
    assert (found.range.start.line, found.range.start.character) == (10, 10)


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        (11, 28, (9, 3, 4)),  # %a of the entry
        (5, 23, (3, 3, 4)),  # %a of the computation
        (11, 65, (2, 1, 4)),  # to_apply=%add
        (5, 19, None),  # the opcode
        (5, 48, None),  # in a string
        (0, 3, None),
    ],
)
def test_definitions(client: Client, line: int, column: int, expected: tuple[int, int, int] | None) -> None:
    uri = client.open(TEXT, "a.hlo")
    found = client.ask(types.TEXT_DOCUMENT_DEFINITION, at(uri, line, column))
    assert (place(found[0]) if found else None) == expected


def test_uses(client: Client) -> None:
    uri = client.open(TEXT, "a.hlo")
    document, position = types.TextDocumentIdentifier(uri), types.Position(9, 3)
    params = types.ReferenceParams(types.ReferenceContext(include_declaration=False), document, position)
    found = client.ask(types.TEXT_DOCUMENT_REFERENCES, params)
    assert [place(each) for each in found] == [(8, 13, 14), (11, 28, 29)]  # in the signature, too
    found = client.ask(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, at(uri, 2, 2, types.DocumentHighlightParams))
    assert [place(each) for each in found] == [(2, 1, 4), (11, 65, 68)]


@pytest.mark.parametrize(
    ("line", "column", "text"),
    [
        (11, 20, "StableHLO: `stablehlo.reduce`"),
        (11, 33, "%zero = f32[] constant(0)"),
        (5, 8, "ROOT %c = f32[] add(%a, %b)\n"),
    ],
)
def test_hover(client: Client, line: int, column: int, text: str) -> None:
    uri = client.open(TEXT, "a.hlo")
    found = client.ask(types.TEXT_DOCUMENT_HOVER, at(uri, line, column, types.HoverParams))
    assert text in found.contents.value


def test_the_outline_and_what_hlo_has_not(client: Client) -> None:
    uri = client.open(TEXT.rstrip(), "a.hlo")
    document = types.TextDocumentIdentifier(uri)
    found = client.ask(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(document))
    places = [(each.range.start, each.range.end) for each in found]
    assert [(a.line, a.character, b.line, b.character) for a, b in places] == [(2, 1, 6, 1), (8, 7, 12, 1)]
    assert [each.name for each in found] == ["add", "main"]
    params = types.SemanticTokensParams(document)
    assert client.ask(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, params) is None
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)
    assert (
        client.ask(types.TEXT_DOCUMENT_FORMATTING, types.DocumentFormattingParams(document, options)) is None
    )
