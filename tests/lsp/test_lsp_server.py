"""The language server through a client: documents, diagnostics, hover."""

from __future__ import annotations

import pytest
from editor import Client, client, started  # noqa: F401 (fixtures)
from lsprotocol import types
from marked import marked

GOOD = """func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %<1>0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
"""


def summary(found: list[types.Diagnostic]) -> list[tuple[int, int, str]]:
    return [(d.range.start.line, d.range.start.character, str(d.code)) for d in found]


def test_diagnostics_of_verify_while_typing(client: Client) -> None:
    text, _ = marked(GOOD)
    uri = client.open(text)
    assert client.diagnostics(uri) == []
    client.change(uri, text.replace("[1, 0]", "[0, 1]"))
    (found,) = client.diagnostics(uri)
    assert summary([found]) == [(1, 7, "transpose.C3")]
    assert found.severity == types.DiagnosticSeverity.Error
    assert "dim(result, [0]) is [3]" in found.message or "[2, 3]" in found.message
    client.change(uri, text)
    assert client.diagnostics(uri) == []


def test_diagnostics_where_one_op_does_not_parse(client: Client) -> None:
    broken = """func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, : tensor<2xf32>
  %1 = stablehlo.tanh %0 : tensor<2xf32>
  %2 = "stablehlo.reshape"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
"""
    uri = client.open(broken)
    assert summary(client.diagnostics(uri)) == [(1, 25, "parse"), (3, 7, "reshape.C2")]


def test_diagnostics_of_lint_as_the_project_says(client: Client) -> None:
    dead = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
"""
    uri = client.open(dead)
    (found,) = client.diagnostics(uri)
    assert summary([found]) == [(1, 7, "dead-op")]
    assert list(found.tags or []) == [types.DiagnosticTag.Unnecessary]
    (client.folder / "pyproject.toml").write_text('[tool.shlo.lint]\nignore = ["dead-op"]\n')
    client.change(uri, dead + "\n")
    assert client.diagnostics(uri) == []


def test_columns_count_utf16_units(client: Client) -> None:
    text = 'func.func @main() {\n  %0 = "x.\U0001f600é"() {a = %b} : () -> ()\n  return\n}\n'
    uri = client.open(text)
    found = client.diagnostics(uri)
    assert found
    line = text.split("\n")[1]
    for diagnostic in found:
        if diagnostic.range.start.line == 1:
            assert diagnostic.range.end.character <= len(line.encode("utf-16-le")) // 2


def test_several_modules(client: Client) -> None:
    text, _ = marked(GOOD)
    uri = client.open(f"{text}// -----\n{text.replace('[1, 0]', '[0, 1]')}")
    assert summary(client.diagnostics(uri)) == [(6, 7, "transpose.C3")]


def hover(client: Client, uri: str, place: types.Position) -> str:
    params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
    found = client.ask(types.TEXT_DOCUMENT_HOVER, params)
    return found.contents.value if found else ""


HOVERED = """#loc1 = loc("model.py":7:3)
#loc2 = loc("f"("m.py":4:2))
module {
  func.func @main(%<1>x: tensor<2x3xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.<2>transpose %<3>x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<3x2xf32> loc(#loc2)
    %1 = call @<4>f(%<5>0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc(#<6>loc1)
    return %1 : tensor<3x2xf32>
  }
  func.func private @f(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
    return %x : tensor<3x2xf32>
  }
}
"""


@pytest.mark.parametrize(
    ("mark", "texts"),
    [
        ("1", ["%x: tensor<2x3xf32>", "argument 0 of `func.func`", "1 use"]),
        ("2", ["**stablehlo.transpose**", "specification", "dim", "from m.py:4:2 (f)"]),
        ("3", ["%x: tensor<2x3xf32>"]),
        ("4", ["func.func private @f(%x: tensor<3x2xf32>)"]),
        ("5", ["%0: tensor<3x2xf32>", "result of `stablehlo.transpose` in line 5", "from m.py:4:2 (f)"]),
        ("6", ['#loc1 = loc("model.py":7:3)']),
    ],
)
def test_hover(client: Client, mark: str, texts: list[str]) -> None:
    text, places = marked(HOVERED)
    uri = client.open(text)
    shown = hover(client, uri, places[mark])
    for part in texts:
        assert part in shown


def test_a_closed_document_has_no_diagnostics(client: Client) -> None:
    uri = client.open("func.func @main(")
    assert client.diagnostics(uri)
    client.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert client.diagnostics(uri) == []
