"""Every feature answers about damaged programs, at every kind of position."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from stablehlo_py.lsp.diagnostics import find_diagnostics, to_protocol
from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Session
from stablehlo_py.lsp.server import FEATURES

URI = "file:///nowhere/a.mlir"
PIECES = [
    "%",
    "@",
    "#loc",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "\n",
    '"',
    "stablehlo.add",
    ":",
    "=",
    ",",
    "tensor<",
    "^bb0",
]


def damaged(text: str, draw: random.Random) -> str:
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(text))
        match draw.randrange(3):
            case 0:
                text = text[:at] + text[at + draw.randint(1, 30) :]
            case 1:
                text = text[:at] + draw.choice(PIECES) + text[at:]
            case _:
                text = text[:at]
    return text or " "


def ask_everything(document: Document, session: Session, draw: random.Random) -> None:
    found = [to_protocol(document, each) for each in find_diagnostics(session, document)]
    lines = document.text.split("\n")
    for diagnostic in found:
        assert diagnostic.range.start.line < len(lines)
        assert diagnostic.range.end.character <= len(lines[diagnostic.range.end.line])
    for _ in range(4):
        row = draw.randrange(len(lines))
        place = types.Position(row, draw.randint(0, len(lines[row])))
        for feature in FEATURES:
            try:
                feature.handle(session, document, params(place, found))
            except JsonRpcException:
                assert feature.method == types.TEXT_DOCUMENT_RENAME


def params(place: types.Position, found: list[types.Diagnostic]) -> Any:
    """What any request may ask for."""

    class Params:
        text_document = types.TextDocumentIdentifier(URI)
        position = place
        range = types.Range(types.Position(0, 0), place)
        new_name = "other"
        options = types.FormattingOptions(2, True)
        item = types.CallHierarchyItem("@f", types.SymbolKind.Function, URI, range, range)

        class context:
            include_declaration = True
            diagnostics = found
            only = None

    return Params()


@pytest.mark.parametrize("name", ["mlp.mlir", "programs/while_newton.mlir"])
def test_every_feature_answers_about_damaged_programs(name: str, testdata: Path) -> None:
    path = testdata / name
    text = (path if path.exists() else sorted((testdata / "programs").glob("*.mlir"))[0]).read_text()[:6000]
    draw = random.Random(7)
    for version in range(25):
        changed = damaged(text, draw)
        ask_everything(Document(changed, "/nowhere/a.mlir", version), Session(), draw)


@pytest.mark.slow
def test_every_value_of_the_programs_is_resolved(testdata: Path) -> None:
    for path in sorted(testdata.rglob("*.mlir")):
        document = Document(path.read_text(), str(path))
        if all(part.recovered.is_complete for part in document.parts):
            values = [name for name in document.names if name.text[0] == "%"]
            assert [name for name in values if not document.values(name)] == []
