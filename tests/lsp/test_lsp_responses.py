"""Whole responses for one document: ranges are shown as their line and the text that they cover.

What `responses.json` has was read beside the document and the protocol; so is what a change of it adds.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import attrs
from editor import Client, client, started  # noqa: F401 (fixtures)
from lsprotocol import types

EXPECTED = json.loads(Path(__file__).with_name("responses.json").read_text(encoding="utf-8"))
TEXT, WRONG = Path(__file__).with_name("responses.mlir").read_text(encoding="utf-8").split("// -----\n")
FUNCTION = "func.func @main(%x: tensor<2xf32>, %y: tensor<i1>) -> tensor<2xf32> {"
STATEMENTS = (
    "%0 = stablehlo.comp",
    "%0 = stablehlo.compare ",
    "%0 = stablehlo.compare LT, %x, ",
    "%0 = stablehlo.dot_general %x, %x, ",
    "%0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], precision = [",
    "%0 = stablehlo.tanh %x : ",
    "%0 = stablehlo.tanh %x : tensor<2x",
    "%0 = call @",
    '%0 = "chlo.a',
    "%0 = ",
)
LABELS = re.compile(
    r"%\w+|@\w+|tensor<.*>|bf16|LT|HIGH|comparison_direction|precision\w*|stablehlo.comp\w*|chlo.as\w*"
)


class Shown:
    """Responses as plain data."""

    def __init__(self, text: str, uri: str) -> None:
        self.lines, self.uri = text.split("\n"), uri

    def __call__(self, value: Any) -> Any:
        if isinstance(value, types.Range):
            return self.range(value)
        if isinstance(value, types.Position):
            return f"{value.line}:{self.units(value.line)[: 2 * value.character].decode('utf-16-le')}|"
        if attrs.has(type(value)):
            fields = {field.name: getattr(value, field.name) for field in attrs.fields(type(value))}
            return {name: self(each) for name, each in fields.items() if each is not None}
        if isinstance(value, list | tuple):
            return [self(each) for each in value]
        if isinstance(value, dict):
            return {self(name): self(each) for name, each in value.items()}
        if isinstance(value, str):
            return value.replace(self.uri, "URI") if self.uri else value
        return value if value is None or isinstance(value, bool | int) else str(getattr(value, "name", value))

    def units(self, line: int) -> bytes:
        return (self.lines[line] if line < len(self.lines) else "").encode("utf-16-le")

    def range(self, found: types.Range) -> str:
        start, end = found.start, found.end
        if start.line == end.line:
            text = self.units(start.line)[2 * start.character : 2 * end.character].decode("utf-16-le")
            return f"{start.line}:{start.character} {text}"
        return f"{start.line}:{start.character}-{end.line}:{end.character}"


def words(data: list[int], legend: types.SemanticTokensLegend, text: str) -> list[str]:
    """Semantic tokens with their kinds."""
    lines, found, row, column = text.split("\n"), [], 0, 0
    for place in range(0, len(data), 5):
        down, across, length, kind, modifiers = data[place : place + 5]
        row, column = row + down, across if down else column + across
        word = lines[row].encode("utf-16-le")[2 * column : 2 * (column + length)].decode("utf-16-le")
        found.append(f"{row}:{column} {word} {legend.token_types[kind]} {modifiers}")
    return found


def places() -> list[tuple[int, int]]:
    """The first and last positions of words of the document."""
    found = []
    for row, line in enumerate(TEXT.split("\n")):
        column = 0
        for word in line.split(" "):
            units = len(word.encode("utf-16-le")) // 2
            found += [(row, column + at) for at in (0, units)] if word else []
            column += units + 1
    return found


def at_places(client: Client, uri: str, method: str, make: Any) -> list[list[Any]]:
    """The different answers at the words, each with its positions."""
    show, found = Shown(TEXT, uri), defaultdict(list)
    for row, column in places():
        place = {"text_document": types.TextDocumentIdentifier(uri), "position": types.Position(row, column)}
        if answer := client.ask(method, make(**place)):
            found[json.dumps(show(answer), ensure_ascii=False)].append(f"{row}:{column}")
    return [[" ".join(at), json.loads(answer)] for answer, at in found.items()]


def of_document(client: Client, text: str) -> dict[str, Any]:
    """The answers to requests for a document as a whole."""
    uri = client.open(text)
    diagnostics = client.diagnostics(uri)
    show, document = Shown(text, uri), types.TextDocumentIdentifier(uri)
    whole = types.Range(types.Position(0, 0), types.Position(len(text.split("\n")), 0))
    context = types.CodeActionContext(diagnostics=diagnostics)
    asked = {
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: types.DocumentSymbolParams(document),
        types.TEXT_DOCUMENT_FOLDING_RANGE: types.FoldingRangeParams(document),
        types.TEXT_DOCUMENT_CODE_LENS: types.CodeLensParams(document),
        types.TEXT_DOCUMENT_INLAY_HINT: types.InlayHintParams(document, whole),
        types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionParams(document, whole, context),
    }
    answers = {method: show(client.ask(method, params)) for method, params in asked.items()}
    tokens = client.ask(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, types.SemanticTokensParams(document))
    legend = client.capabilities.semantic_tokens_provider.legend
    return {"diagnostics": show(diagnostics), "tokens": words(tokens.data, legend, text), **answers}


def completions(client: Client) -> dict[str, Any]:
    """Items after the start of a statement, of a few labels."""
    found = {}
    for start in STATEMENTS:
        text = f"{FUNCTION}\n  {start}\n  return %x : tensor<2xf32>\n}}\n"
        uri = client.open(text)
        place = types.Position(1, 2 + len(start))
        params = types.CompletionParams(types.TextDocumentIdentifier(uri), place)
        items = client.ask(types.TEXT_DOCUMENT_COMPLETION, params).items
        for item in items:
            item.documentation = None
        found[start] = [Shown(text, uri)(item) for item in items if LABELS.fullmatch(item.label)]
    return found


def responses(client: Client) -> dict[str, Any]:
    context = types.ReferenceContext(include_declaration=False)
    uri = client.open(TEXT)
    asked = {
        types.TEXT_DOCUMENT_HOVER: types.HoverParams,
        types.TEXT_DOCUMENT_DEFINITION: types.DefinitionParams,
        types.TEXT_DOCUMENT_REFERENCES: partial(types.ReferenceParams, context=context),
        types.TEXT_DOCUMENT_PREPARE_RENAME: types.PrepareRenameParams,
        types.TEXT_DOCUMENT_SIGNATURE_HELP: types.SignatureHelpParams,
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: types.CallHierarchyPrepareParams,
    }
    found = {method: at_places(client, uri, method, make) for method, make in asked.items()}
    of_documents = {"valid": of_document(client, TEXT), "wrong": of_document(client, WRONG)}
    shown = {"capabilities": Shown("", "")(client.capabilities), "completions": completions(client)}
    return dict(json.loads(json.dumps(found | of_documents | shown)))


def test_responses(client: Client) -> None:
    found = responses(client)
    assert set(found) == set(EXPECTED)
    for name, expected in EXPECTED.items():
        assert found[name] == expected, name
