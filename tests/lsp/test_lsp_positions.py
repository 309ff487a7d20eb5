"""Positions count UTF-16 units: behind characters that take two units, at both ends of names and ops."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from editor import Client, client, started  # noqa: F401 (fixtures)
from lsprotocol import types

from stablehlo_py.lsp.document import Document

# Lines have characters of two units before names, and a block is a successor.
PROGRAM = """func.func @main(%x: tensor<2xf32> {a.b = "\U0001f600"}, %y: tensor<2xf32>) -> tensor<2xf32> {
  "a.\U0001f600"() {c = "\U0001f600\U0001f600"} : () -> () "a.jump"()[^next] : () -> ()
^next: // \U0001f600
  %0 = "a.\U0001f600"(%x) : (tensor<2xf32>) -> tensor<2xf32> %1 = stablehlo.add %0, %y : tensor<2xf32>
  "a.\U0001f600"() : () -> () %2 = call @helper(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
func.func private @helper(%x: tensor<2xf32>) -> tensor<2xf32> {
  "a.\U0001f600"() : () -> () return %x : tensor<2xf32>
}
"""


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, in units."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset), units(text[start:offset])


def span(text: str, start: int, end: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return place(text, start), place(text, end)


def of(range: types.Range) -> tuple[tuple[int, int], tuple[int, int]]:
    return (range.start.line, range.start.character), (range.end.line, range.end.character)


TEXTS = (
    "",
    "a",
    "a\n",
    "\n\na",
    "\U0001f600",
    "a\U0001f600\U0001f600b\n\U0001f600\nc\U0001f600",
    "é\r\n\U0001f600x",
    PROGRAM,
)


@pytest.mark.parametrize("text", TEXTS)
def test_every_offset_has_a_position(text: str) -> None:
    document = Document(text)
    for offset in range(len(text) + 1):
        found = document.position(offset)
        assert (found.line, found.character) == place(text, offset)
        assert document.offset(found) == offset
    assert of(document.range(0, len(text))) == span(text, 0, len(text))
    assert document.position(len(text) + 5) == document.position(len(text))


@pytest.mark.parametrize("text", TEXTS)
def test_positions_outside_of_the_text(text: str) -> None:
    document = Document(text)
    ends = [match.start() for match in re.finditer(r"\n|\Z", text)]
    for row, end in enumerate(ends):
        assert document.offset(types.Position(row, 10_000)) == end
        assert document.line_end(row) == end
    for row in (len(ends), len(ends) + 1, 10_000):  # from the line after the last
        for column in (0, 5):
            assert document.offset(types.Position(row, column)) == len(text)


def test_a_position_inside_of_a_character_is_its_start_or_end() -> None:
    text = "a\U0001f600b\U0001f600"
    assert [Document(text).offset(types.Position(0, column)) for column in range(7)] == [0, 1, 2, 2, 3, 4, 4]


def test_lines() -> None:
    document = Document("ab\n\ncd")
    assert [document.line(offset) for offset in range(7)] == ["ab", "ab", "ab", "", "cd", "cd", "cd"]
    assert [document.line_start(offset) for offset in range(7)] == [0, 0, 0, 3, 4, 4, 4]


# Through a client

SCOPES = (0, PROGRAM.index("func.func private"), len(PROGRAM))


def occurrences(name: str, offset: int) -> list[int]:
    """The offsets of a name: of a value or block, in its function."""
    whole = name[0] == "@"
    start, end = next((a, b) for a, b in pairwise(SCOPES) if a <= offset < b)
    found = [match.start() for match in re.finditer(re.escape(name) + r"\b", PROGRAM)]
    return [at for at in found if whole or start <= at < end]


NAMES = [(match[0], match.start()) for match in re.finditer(r"[%@^]\w+", PROGRAM)]


def at(uri: str, offset: int) -> dict[str, Any]:
    return {
        "text_document": types.TextDocumentIdentifier(uri),
        "position": types.Position(*place(PROGRAM, offset)),
    }


@pytest.fixture
def uri(client: Client) -> str:
    return client.open(PROGRAM)


def test_names_at_both_ends(client: Client, uri: str) -> None:
    assert len(NAMES) == 17
    for name, start in NAMES:
        everywhere = occurrences(name, start)
        first = everywhere[-1] if name == "^next" or name == "@helper" else everywhere[0]
        for offset in (start, start + 1, start + len(name)):
            params = at(uri, offset)
            found = client.ask(types.TEXT_DOCUMENT_DEFINITION, types.DefinitionParams(**params))
            found = found if isinstance(found, list) else [found]
            assert [of(each.range) for each in found] == [span(PROGRAM, first, first + len(name))], (
                name,
                offset,
            )
            shown = client.ask(
                types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, types.DocumentHighlightParams(**params)
            )
            expected = [span(PROGRAM, other, other + len(name)) for other in everywhere]
            assert [of(each.range) for each in shown] == expected, (name, offset)


def test_a_name_does_not_reach_beyond_its_ends(client: Client, uri: str) -> None:
    for name, start in NAMES:
        for offset in (start - 1, start + len(name) + 1):
            if any(a <= offset <= a + len(other) for other, a in NAMES):
                continue
            params = types.DefinitionParams(**at(uri, offset))
            assert not client.ask(types.TEXT_DOCUMENT_DEFINITION, params), (name, offset)


def test_rename_with_columns_behind_pairs(client: Client, uri: str) -> None:
    start = PROGRAM.index("%1 =")
    params = types.RenameParams(new_name="%sum", **at(uri, start + 2))
    edits = client.ask(types.TEXT_DOCUMENT_RENAME, params).changes[uri]
    expected = [span(PROGRAM, offset + 1, offset + 2) for offset in occurrences("%1", start)]
    assert sorted(of(edit.range) for edit in edits) == expected
    assert {edit.new_text for edit in edits} == {"sum"}


def test_tokens_are_where_their_text_is(client: Client, uri: str) -> None:
    params = types.SemanticTokensParams(types.TextDocumentIdentifier(uri))
    data = client.ask(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, params).data
    provider = client.capabilities.semantic_tokens_provider
    legend = provider.legend.token_types
    lines, found, row, column = PROGRAM.split("\n"), [], 0, 0
    for index in range(0, len(data), 5):
        down, across, length, kind, modifiers = data[index : index + 5]
        row, column = row + down, across if down else column + across
        line = lines[row].encode("utf-16-le")
        text = line[2 * column : 2 * (column + length)].decode("utf-16-le")
        found.append((row, text, legend[kind], bool(modifiers)))
    assert [each[1:] for each in found if each[0] == 1] == [
        ('"a.\U0001f600"', "string", False),
        ("c", "property", False),
        ("=", "operator", False),
        ('"\U0001f600\U0001f600"', "string", False),
        ("() -> ()", "type", False),
        ('"a.jump"', "string", False),
        ("^next", "label", False),
        ("() -> ()", "type", False),
    ]
    assert [each[1:] for each in found if each[0] == 2] == [
        ("^next", "label", True),
        ("// \U0001f600", "comment", False),
    ]
    names = [each[1:] for each in found if each[1][0] == "%"]
    assert names == [
        ("%x", "parameter", True),
        ("%y", "parameter", True),
        ("%0", "variable", True),
        ("%x", "parameter", False),
        ("%1", "variable", True),
        ("%0", "variable", False),
        ("%y", "parameter", False),
        ("%2", "variable", True),
        ("%1", "variable", False),
        ("%2", "variable", False),
        ("%x", "parameter", True),
        ("%x", "parameter", False),
    ]


def test_outline_with_ranges(client: Client, uri: str) -> None:
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    found = client.ask(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, params)
    first, second, end = SCOPES
    assert [each.name for each in found] == ["@main", "@helper"]
    assert [of(each.range) for each in found] == [
        span(PROGRAM, first, second - 1),
        span(PROGRAM, second, end - 1),
    ]
    assert [each.kind for each in found] == [types.SymbolKind.Function] * 2
    for each in found:
        start = PROGRAM.index("func.func", first if each.name == "@main" else second)
        assert of(each.selection_range) == span(PROGRAM, start, start + len("func.func"))


def test_calls_with_ranges(client: Client, uri: str) -> None:
    call = PROGRAM.index("@helper")
    params = types.CallHierarchyPrepareParams(**at(uri, call))
    (helper,) = client.ask(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, params)
    name = PROGRAM.index("@helper", call + 1)
    assert of(helper.selection_range) == span(PROGRAM, name, name + len("@helper"))
    assert of(helper.range) == span(PROGRAM, SCOPES[1], SCOPES[2] - 1)
    incoming = client.ask(types.CALL_HIERARCHY_INCOMING_CALLS, types.CallHierarchyIncomingCallsParams(helper))
    assert [of(each) for each in incoming[0].from_ranges] == [span(PROGRAM, call, call + len("@helper"))]


def test_hover_covers_the_name(client: Client, uri: str) -> None:
    start = PROGRAM.index("stablehlo.add")
    for offset in (start, start + len("stablehlo.add")):
        found = client.ask(types.TEXT_DOCUMENT_HOVER, types.HoverParams(**at(uri, offset)))
        assert of(found.range) == span(PROGRAM, start, start + len("stablehlo.add"))


def test_diagnostics_where_the_op_is(client: Client) -> None:
    text = PROGRAM.replace("stablehlo.add %0, %y", "stablehlo.add %0, %none", 1)
    uri = client.open(text)
    (found,) = client.diagnostics(uri)
    start = text.index("%none")
    assert of(found.range) == span(text, start, start + len("%none"))
