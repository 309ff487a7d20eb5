"""Features of the language server through a client: navigation, completion, actions, formatting, ..."""

from __future__ import annotations

import re
from typing import Any

import pytest
from editor import Client, client, started  # noqa: F401 (fixtures)
from lsprotocol import types
from marked import marked
from pygls.exceptions import JsonRpcException

CALLS = """#loc<1>1 = loc("m.py":1:1)
module {
  func.func @main(%<2>x: tensor<4xf32>) -> tensor<4xf32> {
    %<3>0:2 = call @<4>pair(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %1 = stablehlo.add %0#0, %<5>0#1 : tensor<4xf32> loc(#loc<6>1)
    return %1 : tensor<4xf32>
  }
  func.func private @<7>pair(%<8>x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    return %x, %x : tensor<4xf32>, tensor<4xf32>
  }
}
"""
WHILE = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%<1>i = %x) : tensor<i32>
    cond {
      %c = stablehlo.compare  LT, %i, %<2>i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %<3>c = stablehlo.add %i, %i : tensor<i32>
      stablehlo.return %<4>c : tensor<i32>
    }
  return %r : tensor<i32>
}
"""


def at(uri: str, place: types.Position) -> dict[str, Any]:
    return {"text_document": types.TextDocumentIdentifier(uri), "position": place}


def words(text: str, found: list[Any]) -> list[tuple[int, str]]:
    """Line and text of ranges."""
    lines = text.split("\n")
    ranges = [getattr(each, "range", each) for each in found]
    return sorted((r.start.line, lines[r.start.line][r.start.character : r.end.character]) for r in ranges)


@pytest.mark.parametrize(
    ("program", "mark", "line", "name"),
    [
        (CALLS, "4", 7, "@pair"),
        (CALLS, "5", 3, "%0"),
        (CALLS, "6", 0, "#loc1"),
        (WHILE, "2", 1, "%i"),
        (WHILE, "4", 6, "%c"),
    ],
)
def test_definition(client: Client, program: str, mark: str, line: int, name: str) -> None:
    text, places = marked(program)
    uri = client.open(text)
    found = client.ask(types.TEXT_DOCUMENT_DEFINITION, types.DefinitionParams(**at(uri, places[mark])))
    assert words(text, found) == [(line, name)]


@pytest.mark.parametrize(
    ("program", "mark", "expected"),
    [
        (CALLS, "2", [(2, "%x"), (3, "%x")]),
        (CALLS, "8", [(7, "%x"), (8, "%x"), (8, "%x")]),
        (CALLS, "3", [(3, "%0"), (4, "%0"), (4, "%0")]),
        (CALLS, "7", [(3, "@pair"), (7, "@pair")]),
        (CALLS, "1", [(0, "#loc1"), (4, "#loc1")]),
        (WHILE, "1", [(1, "%i"), (3, "%i"), (3, "%i"), (6, "%i"), (6, "%i")]),
        (WHILE, "3", [(6, "%c"), (7, "%c")]),
    ],
)
def test_references_and_highlights(client: Client, program: str, mark: str, expected: list[Any]) -> None:
    text, places = marked(program)
    uri = client.open(text)
    place = at(uri, places[mark])
    context = types.ReferenceContext(include_declaration=True)
    params = types.ReferenceParams(context=context, **place)
    assert words(text, client.ask(types.TEXT_DOCUMENT_REFERENCES, params)) == expected
    shown = client.ask(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, types.DocumentHighlightParams(**place))
    assert words(text, shown) == expected


def applied(text: str, edits: list[types.TextEdit]) -> str:
    """The text with edits, from the last one on."""
    starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        first = min(starts[edit.range.start.line] + edit.range.start.character, len(text))
        last = min(starts[edit.range.end.line] + edit.range.end.character, len(text))
        text = text[:first] + edit.new_text + text[last:]
    return text


@pytest.mark.parametrize(
    ("mark", "new", "count"), [("3", "%both", 3), ("5", "both", 3), ("4", "two", 2), ("1", "#file", 2)]
)
def test_rename(client: Client, mark: str, new: str, count: int) -> None:
    text, places = marked(CALLS)
    uri = client.open(text)
    params = types.RenameParams(new_name=new, **at(uri, places[mark]))
    edit = client.ask(types.TEXT_DOCUMENT_RENAME, params)
    changed = applied(text, edit.changes[uri])
    client.change(uri, changed)
    assert client.diagnostics(uri) == []
    assert len(re.findall(rf"[%@#]{new.lstrip('%#')}\b", changed)) == count


@pytest.mark.parametrize(("mark", "new"), [("3", "x"), ("2", "a b"), ("4", "main")])
def test_a_rename_that_would_change_the_program(client: Client, mark: str, new: str) -> None:
    text, places = marked(CALLS)
    uri = client.open(text)
    with pytest.raises(JsonRpcException):
        client.ask(types.TEXT_DOCUMENT_RENAME, types.RenameParams(new_name=new, **at(uri, places[mark])))


def test_outline_and_folding(client: Client) -> None:
    text, _ = marked(WHILE)
    uri = client.open(text)
    document = types.TextDocumentIdentifier(uri)
    (main,) = client.ask(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(document))
    assert (main.name, main.detail, [child.name for child in main.children]) == ("@main", "func.func", ["%r"])
    found = client.ask(types.TEXT_DOCUMENT_FOLDING_RANGE, types.FoldingRangeParams(document))
    assert [(fold.start_line, fold.end_line) for fold in found] == [(0, 9), (2, 4), (5, 7)]


def test_calls(client: Client) -> None:
    text, places = marked(CALLS)
    uri = client.open(text)
    params = types.CallHierarchyPrepareParams(**at(uri, places["4"]))
    (pair,) = client.ask(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, params)
    assert pair.name == "@pair"
    incoming = types.CallHierarchyIncomingCallsParams(pair)
    (call,) = client.ask(types.CALL_HIERARCHY_INCOMING_CALLS, incoming)
    assert (call.from_.name, words(text, list(call.from_ranges))) == ("@main", [(3, "@pair")])
    outgoing = types.CallHierarchyOutgoingCallsParams(call.from_)
    (back,) = client.ask(types.CALL_HIERARCHY_OUTGOING_CALLS, outgoing)
    assert back.to.name == "@pair"


def test_semantic_tokens(client: Client) -> None:
    text, _ = marked(WHILE)
    text = "// first\n" + text
    uri = client.open(text)
    params = types.SemanticTokensParams(types.TextDocumentIdentifier(uri))
    data = client.ask(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, params).data
    legend = client.capabilities.semantic_tokens_provider.legend.token_types
    lines, found, row, column = text.split("\n"), set(), 0, 0
    for at in range(0, len(data), 5):
        down, across, length, kind, _ = data[at : at + 5]
        row, column = row + down, across if down else column + across
        found.add((lines[row][column : column + length], legend[kind]))
    assert found >= {
        ("// first", "comment"),
        ("func.func", "method"),
        ("@main", "function"),
        ("%x", "parameter"),
        ("%i", "parameter"),
        ("%c", "variable"),
        ("tensor<i32>", "type"),
        ("stablehlo.compare", "method"),
        ("LT", "keyword"),
    }


def complete(client: Client, text: str) -> dict[str, types.CompletionItem]:
    text, places = marked(text)
    uri = client.open(text)
    params = types.CompletionParams(**at(uri, places["1"]))
    return {item.label: item for item in client.ask(types.TEXT_DOCUMENT_COMPLETION, params).items}


FUNCTION = """func.func @main(%x: tensor<4xf32>, %y: tensor<5xi1>) -> tensor<4xf32> {{
{}
  return %x : tensor<4xf32>
}}
"""


@pytest.mark.parametrize(
    ("statement", "labels", "absent"),
    [
        ("  %0 = stablehlo.tan<1>", ["stablehlo.tanh", "stablehlo.transpose"], ["%x"]),
        ("  %0 = stablehlo.tanh %<1>", ["%x", "%y"], ["%0", "stablehlo.tanh"]),
        ("  %0 = stablehlo.compare  <1>", ["LT", "comparison_direction", "%x"], []),
        ("  %0 = stablehlo.tanh %x : <1>", ["tensor<4xf32>", "tensor<5xi1>", "bf16"], ["%x"]),
        ("  %0 = call @<1>", ["@main"], ["%x"]),
        ('  %0 = "stablehlo.<1>', ["stablehlo.add"], []),
    ],
)
def test_completion(client: Client, statement: str, labels: list[str], absent: list[str]) -> None:
    found = complete(client, FUNCTION.format(statement))
    assert set(labels) <= set(found)
    assert not set(absent) & set(found)


def test_completion_shows_types(client: Client) -> None:
    found = complete(client, FUNCTION.format("  %0 = stablehlo.tanh %<1>"))
    assert (found["%x"].detail, found["%y"].detail) == ("tensor<4xf32>", "tensor<5xi1>")


def test_signature_help(client: Client) -> None:
    text, places = marked(FUNCTION.format("  %0 = stablehlo.dot_general %x, <1>"))
    uri = client.open(text)
    help = client.ask(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpParams(**at(uri, places["1"])))
    (signature,) = help.signatures
    start, end = signature.parameters[help.active_parameter].label
    assert signature.label[start:end] == "%rhs"


HINTED = """!t = tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.add %0, %x : !t
  return %1 : tensor<4xf32>
}
"""


def test_inlay_hints(client: Client) -> None:
    uri = client.open(HINTED)
    whole = types.Range(types.Position(0, 0), types.Position(20, 0))
    params = types.InlayHintParams(types.TextDocumentIdentifier(uri), whole)
    hints = client.ask(types.TEXT_DOCUMENT_INLAY_HINT, params)
    assert [(hint.position.line, hint.position.character, hint.label) for hint in hints] == [
        (3, 23, ": tensor<4xf32>"),
        (3, 27, ": tensor<4xf32>"),
    ]


def actions(client: Client, text: str, **context: Any) -> tuple[str, list[types.CodeAction]]:
    uri = client.open(text)
    found = client.diagnostics(uri)
    place = found[0].range if found else types.Range(types.Position(0, 0), types.Position(0, 0))
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(uri), place, types.CodeActionContext(diagnostics=found, **context)
    )
    return uri, list(client.ask(types.TEXT_DOCUMENT_CODE_ACTION, params))


DEAD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
"""


def test_actions_for_a_finding_of_lint(client: Client) -> None:
    uri, found = actions(client, DEAD)
    by_title = {action.title: action for action in found}
    assert set(by_title) == {
        "Fix all dead-op",
        "Suppress dead-op here",
        "Explain dead-op",
        "Fix all problems",
    }
    assert "tanh" not in applied(DEAD, by_title["Fix all dead-op"].edit.changes[uri])
    suppressed = applied(DEAD, by_title["Suppress dead-op here"].edit.changes[uri])
    assert "tensor<4xf32>  // shlo: ignore[dead-op]\n" in suppressed
    client.change(uri, suppressed)
    assert client.diagnostics(uri) == []
    params = types.ExecuteCommandParams("shlo.explain", arguments=["lint.dead-op"])
    assert "## dead-op (D101)" in client.ask(types.WORKSPACE_EXECUTE_COMMAND, params)


def test_fixes_on_save(client: Client) -> None:
    _, found = actions(client, DEAD, only=["source.fixAll"])
    assert [action.title for action in found] == ["Fix all problems"]


@pytest.mark.parametrize(
    ("statement", "fixed"),
    [
        ("  %0 = stablehlo.tanh %lhz : tensor<4xf32>", "%lhs"),
        (
            '  %0 = "stablehlo.transpos"(%lhs) <{permutation = array<i64: 0>}> : (tensor<4xf32>)'
            " -> tensor<4xf32>",
            '"stablehlo.transpose"',
        ),
    ],
)
def test_did_you_mean(client: Client, statement: str, fixed: str) -> None:
    text = FUNCTION.format(statement).replace("%x", "%lhs").replace("return %lhs", "return %0")
    uri, found = actions(client, text)
    action = next(each for each in found if each.title.startswith("Change to"))
    changed = applied(text, action.edit.changes[uri])
    assert fixed in changed
    client.change(uri, changed)
    assert client.diagnostics(uri) == []


UGLY = """func.func @main(%x:tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.tanh %x:tensor<4xf32> // keep
  return %0:tensor<4xf32>
}
"""
PRETTY = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32> // keep
  return %0 : tensor<4xf32>
}
"""


def test_formatting(client: Client) -> None:
    uri = client.open(UGLY)
    document, options = types.TextDocumentIdentifier(uri), types.FormattingOptions(2, True)
    edits = client.ask(types.TEXT_DOCUMENT_FORMATTING, types.DocumentFormattingParams(document, options))
    assert applied(UGLY, edits) == PRETTY
    line = types.Range(types.Position(1, 0), types.Position(1, 5))
    params = types.DocumentRangeFormattingParams(document, line, options)
    changed = applied(UGLY, client.ask(types.TEXT_DOCUMENT_RANGE_FORMATTING, params))
    assert changed.split("\n")[1] == PRETTY.split("\n")[1]
    client.change(uri, UGLY.replace("tanh %x", "tanh"))
    assert (
        client.ask(types.TEXT_DOCUMENT_FORMATTING, types.DocumentFormattingParams(document, options)) is None
    )


def test_a_function_runs_on_random_inputs(client: Client) -> None:
    uri = client.open(PRETTY)
    params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    (lens,) = client.ask(types.TEXT_DOCUMENT_CODE_LENS, params)
    command = lens.command
    shown = client.ask(
        types.WORKSPACE_EXECUTE_COMMAND,
        types.ExecuteCommandParams(command.command, arguments=command.arguments),
    )
    assert "tensor<4xf32>" in shown


RESULTS = """func.func @main(%x: tensor<4xf32>) -> tensor<2xi32> {
  %<1>a:2, %<2>b = "a.op"(%<3>x) : (tensor<4xf32>) -> (tensor<1xf32>, tensor<2xf32>, tensor<3xf32>)
  "a.use"(%<4>a#1, %<5>b, %a#0) : (tensor<2xf32>, tensor<3xf32>, tensor<1xf32>) -> ()
  %c = "a.use"(%b) : (tensor<3xf32>) -> tensor<2xi32>
  return %<6>c : tensor<2xi32>
}
"""


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("1", ["%a: tensor<1xf32>", "result of `a.op` in line 2, 1 use\n", "%a: tensor<2xf32>"]),
        ("2", ["%b: tensor<3xf32>", "result of `a.op` in line 2, 2 uses"]),
        ("3", ["%x: tensor<4xf32>", "argument 0 of `func.func`, 1 use"]),
        ("5", ["%b: tensor<3xf32>", "result of `a.op` in line 2, 2 uses"]),
        ("6", ["%c: tensor<2xi32>", "result of `a.use` in line 4, 1 use"]),
    ],
)
def test_hover_over_several_results(client: Client, mark: str, expected: list[str]) -> None:
    text, places = marked(RESULTS)
    uri = client.open(text)
    found = client.ask(types.TEXT_DOCUMENT_HOVER, types.HoverParams(**at(uri, places[mark])))
    shown = found.contents.value + "\n"
    assert [shown.count(each) > 0 for each in expected] == [True] * len(expected), shown
    assert shown.count("tensor<") == sum("tensor<" in each for each in expected)


def test_only_public_functions_with_a_body_run_on_random_inputs(client: Client) -> None:
    text, _ = marked(CALLS)
    uri = client.open(text)
    document = types.TextDocumentIdentifier(uri)
    (lens,) = client.ask(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensParams(document))
    assert list(lens.command.arguments) == [uri, "main"]
    assert lens.range == types.Range(types.Position(2, 2), types.Position(2, 2))
