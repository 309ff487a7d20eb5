"""Parts of the language server by themselves: names, scopes, sessions, actions, folding, calls, HLO."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types
from marked import marked
from pygls.exceptions import JsonRpcInvalidParams

from stablehlo_py.analysis.op_reference import excerpt, explain, select
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.lsp import (
    actions,
    commands,
    completion,
    diagnostics,
    formatting,
    hlo,
    hover,
    navigation,
    outline,
    semantic_tokens,
    server,
    signatures,
)
from stablehlo_py.lsp import feature as features
from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Session, path_of
from stablehlo_py.lsp.hlo_names import HloNames
from stablehlo_py.lsp.protocol import make_converter
from stablehlo_py.lsp.server import FEATURES

URI = "file:///nowhere/a.mlir"
PLACE = types.TextDocumentIdentifier(URI)


def asked(kind: Any, position: types.Position, **more: Any) -> Any:
    return kind(text_document=PLACE, position=position, **more)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.mlir", "/a/b.mlir"),
        ("file:///a%20b/%C3%A9.mlir", "/a b/\u00e9.mlir"),
        ("file:///C:/a.mlir", "C:/a.mlir"),
        ("file:///c%3A/a.mlir", "c:/a.mlir"),
        ("file:///a", "/a"),
        ("untitled:Untitled-1", ""),
        ("http://host/a.mlir", ""),
        ("", ""),
    ],
)
def test_paths(uri: str, path: str) -> None:
    assert path_of(uri) == path


# Names: <1>, <2>, ... are places of names; a definition is that of the first digit in a row.

RESOLVED = [
    # A later definition in the same region, then one around it.
    ("<1>%a = x\n f {\n <2>%a = y\n use <3>%a\n }\n use <4>%a", {"1": "1", "2": "2", "3": "2", "4": "1"}),
    # The last of two that are visible; a use before any has the first after it.
    ("use <1>%a\n<2>%a = x\n<3>%a = y\nuse <4>%a", {"1": "2", "2": "2", "3": "3", "4": "3"}),
    # A definition in braces is not visible before or behind them.
    ("use <1>%a\nf {\n<2>%a = x\n}\nuse <3>%a", {"1": None, "2": "2", "3": None}),
    ("f {\n<1>%a = x\n}<2>%a", {"1": "1", "2": None}),
    # A use in braces, before a definition behind them.
    ("f {\nuse <1>%a\n}\n<2>%a = x", {"1": "2"}),
    # Aliases are visible everywhere: the last one before a use, else the first.
    ("f {\n<1>#a = 1\n}\nuse <2>#a", {"1": "1", "2": "1"}),
    ("use <1>#a\nf {\n<2>#a = 1\n}\n", {"1": "2"}),
    ("f {\n<1>#a = 1\n}\nuse <2>#a\ng {\n<3>#a = 2\n}\nuse <4>#a", {"2": "1", "4": "3"}),
    # Results, of which one may stand for several values.
    ("<1>%a:2, <2>%b = x\nuse <3>%a#1, <4>%b", {"1": "1", "2": "2", "3": "1", "4": "2"}),
    # Labels of blocks with and without arguments; branches to them.
    ("f {\n<1>^bb(<2>%x: i1):\nbr <3>^bb(<4>%x : i1)\n}", {"1": "1", "2": "2", "3": "1", "4": "2"}),
    ("f {\nbr <1>^b\n<2>^b:\n}", {"1": "2"}),
    # Arguments in parentheses, by a colon or an equals sign.
    ("f(<1>%a: i1) {\nuse <2>%a\n}", {"1": "1", "2": "1"}),
    ("f(<1>%a = <2>%b) {\nuse <3>%a\n}", {"1": "1", "2": None, "3": "1"}),
    ("f(<1>%a = <2>%x, <3>%b = <4>%y) {\n}", {"1": "1", "2": None, "3": "3", "4": None}),
    # Braces of attributes are no region.
    ("f(<1>%a: i1) attributes {x = {y = 1}} {\nuse <2>%a\n}", {"1": "1", "2": "1"}),
    # Aliases in types, attributes and locations.
    ('<1>!t = i1\nuse %a : tuple<<2>!t, i2> {x = [<3>!t, "!t"]}', {"2": "1", "3": "1"}),
    ('<1>#l = loc("x")\nuse loc(fused[<2>#l, "#l"])', {"2": "1"}),
]


@pytest.mark.parametrize(("text", "expected"), RESOLVED)
def test_definitions_of_names(text: str, expected: dict[str, str | None]) -> None:
    """Of programs in no dialect: names are found in tokens."""
    program, places = marked(re.sub(r"<(\d)>", r"<\1>", text))
    document = Document(program)
    offsets = {mark: document.offset(place) for mark, place in places.items()}
    for mark, defined in expected.items():
        name = document.name_at(offsets[mark])
        assert name is not None and name.start == offsets[mark], mark
        found = document.definition(name)
        assert (found and found.start) == (offsets[defined] if defined else None), mark
        assert name.is_definition is (mark == defined), mark


def test_a_name_in_another_module_is_another_one() -> None:
    program, places = marked(
        "func.func @<1>f(%<2>a: i1) { return }\n// -----\nfunc.func @<3>f(%<4>a: i1) { return }"
    )
    document = Document(program)
    assert len(document.parts) == 2
    for mark in "1234":
        (name,) = document.occurrences(document.name_at(document.offset(places[mark])))
        assert document.position(name.start + 1) == places[mark]


def test_a_symbol_that_is_defined_twice_and_one_in_quotes() -> None:
    program, places = marked(
        "func.func private @<1>f()\nfunc.func private @f()\n"
        'func.func private @<2>"a b"()\nfunc.func @g() {\n'
        'call @<3>f() : () -> ()\ncall @<4>"a b"() : () -> ()\nreturn\n}'
    )
    document = Document(program)
    for use, defined in (("3", "1"), ("4", "2")):
        name = document.name_at(document.offset(places[use]))
        found = document.definition(name) if name is not None else None
        assert found is not None and document.position(found.start + 1) == places[defined]


def test_values_of_a_result_behind_twelve_others() -> None:
    types_of_results = ", ".join(["i1"] * 12 + ["i2"])
    document = Document(f'%a:12, %b = "x.y"() : () -> ({types_of_results})')
    for name, expected in zip(document.names, (["i1"] * 12, ["i2"]), strict=True):
        assert [str(value.type) for value in document.values(name)] == expected


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("a", [0]),
        ("", [0]),
        ("a\n// -----\nb", [0, 11]),
        ("a\n// ----- \t\r\nb", [0, 14]),
        ("a\n// -----", [0]),
        ("// -----\n// -----\nb", [0, 9, 18]),
        ("a // -----\nb", [0]),
        (" // -----\nb", [0]),
        ("a\n// ------\nb", [0]),
    ],
)
def test_modules_of_a_document(text: str, starts: list[int]) -> None:
    parts = Document(text).parts
    assert [part.start for part in parts] == starts
    assert [part.end for part in parts] == [*starts[1:], len(text)]


NEW_NAMES = [
    (
        "%",
        ["x", "0", "10", "a.b", "a-b", "$", "_", "-a", ".a"],
        ["", "0a", "a b", "a#1", "%%a", "1.5", "\u00e9 "],
    ),
    ("@", ["f", "_f", "a.b", "a$1"], ["", "1", "0a", "a-b", "a b", "$a", ".a"]),
    ("#", ["loc", "_a", "a-b", "a$1"], ["", "1", "a.b", "a b", "-a"]),
    ("!", ["t", "_a", "a-b"], ["", "1", "a.b"]),
    ("^", ["bb0", "1", "a.b", "a-b"], ["", "0a", "a b"]),
]
EVERY = """#l = loc("x")
!t = tensor<f32>
func.func @f(%v: !t) {
  "a.jump"()[^b] : () -> () loc(#l)
^b:
  return
}
"""


@pytest.mark.parametrize(("sigil", "valid", "invalid"), NEW_NAMES)
def test_new_names(sigil: str, valid: list[str], invalid: list[str]) -> None:
    document = Document(EVERY)
    name = next(name for name in document.names if name.text[0] == sigil)
    place = document.position(name.start)
    for new in valid:
        for given in (new, sigil + new):
            params = asked(types.RenameParams, place, new_name=given)
            found = navigation.rename(Session(), document, params).changes
            assert found is not None
            edits = found[URI]
            assert {edit.new_text for edit in edits} == {new}
            assert {edit.range.start.line for edit in edits} >= {place.line}
            spans = [(document.offset(e.range.start), document.offset(e.range.end)) for e in edits]
            assert {EVERY[a - 1 : b] for a, b in spans} == {name.text}
    for new in invalid:
        with pytest.raises(JsonRpcInvalidParams, match="is not a valid name"):
            navigation.rename(Session(), document, asked(types.RenameParams, place, new_name=new))


def test_a_name_that_is_taken() -> None:
    text = "func.func @f(%a: i1) {\n  return\n}\nfunc.func @g(%b: i1, %c: i1) {\n  return\n}\n"
    document = Document(text)

    def rename(old: str, new: str) -> Any:
        place = document.position(text.index(old))
        return navigation.rename(Session(), document, asked(types.RenameParams, place, new_name=new))

    for old, new, line in (("@f", "g", 4), ("@g", "f", 1), ("%b", "c", 4), ("%c", "b", 4)):
        with pytest.raises(JsonRpcInvalidParams, match=rf"{old[0]}{new} is already defined in line {line}$"):
            rename(old, new)
    assert rename("@f", "f") and rename("%a", "f") and rename("%b", "d")
    with pytest.raises(JsonRpcInvalidParams, match="there is no name here"):
        rename("return", "x")


# Sessions


def test_documents_are_kept() -> None:
    session = Session()
    first = session.document("a", "text", 1)
    assert session.document("a", "text", 1) is first
    assert session.document("a", "text", 2) is not first
    second = session.document("a", "other", 2)
    assert second.text == "other" and session.document("a", "other", 2) is second
    session.close("a")
    session.close("nothing")
    assert session.document("a", "other", 2) is not second
    kept = [session.document(f"{n}", "", 0) for n in range(features._KEPT)]
    assert [session.document(f"{n}", "", 0) for n in range(features._KEPT)] == kept
    session.document("one more", "", 0)
    assert [session.document(f"{n}", "", 0) for n in range(1, features._KEPT)] == kept[1:]
    assert session.document("0", "", 0) is not kept[0]  # that of the longest time ago
    changed = session.document("2", "changed", 1)
    session.document("others", "", 0)
    session.document("more", "", 0)
    assert session.document("2", "changed", 1) is changed


def test_diagnostics_are_published_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several changes once; at once when a document is opened or saved; none of a closed one."""
    registered: dict[str, Any] = {}
    published: list[types.PublishDiagnosticsParams] = []
    fake = SimpleNamespace(
        feature=lambda method: lambda handle: registered.setdefault(method, handle),
        text_document_publish_diagnostics=published.append,
    )
    texts = {URI: DEAD}
    session = Session()
    server._publish_diagnostics(fake, session, lambda uri: session.document(uri, texts[uri], 7))
    monkeypatch.setattr(server, "PAUSE", 0.05)
    params = SimpleNamespace(text_document=PLACE)

    async def change(times: int) -> None:
        changed = registered[types.TEXT_DOCUMENT_DID_CHANGE]
        await asyncio.gather(*[changed(params) for _ in range(times)])

    for times in (1, 3):
        asyncio.run(change(times))
        (found,) = published
        assert (found.uri, found.version, [each.code for each in found.diagnostics]) == (URI, 7, ["dead-op"])
        published.clear()
    for method in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_SAVE):
        registered[method](params)
        assert [each.code for each in published.pop().diagnostics] == ["dead-op"]
    registered[types.TEXT_DOCUMENT_DID_CLOSE](params)
    assert published.pop() == types.PublishDiagnosticsParams(URI, [])

    async def change_and_close() -> None:
        pending = asyncio.ensure_future(registered[types.TEXT_DOCUMENT_DID_CHANGE](params))
        await asyncio.sleep(0)
        registered[types.TEXT_DOCUMENT_DID_CLOSE](params)
        await pending

    asyncio.run(change_and_close())
    assert published == [types.PublishDiagnosticsParams(URI, [])]  # and nothing after the pause


@pytest.mark.parametrize(
    ("end", "is_valid"),
    [((2, 5), True), ((2, 6), True), ((3, 0), True), ((2, 4), False), ((1, 9), False)],
)
def test_a_range_may_be_empty_and_not_end_before_it_starts(end: tuple[int, int], is_valid: bool) -> None:
    data = {name: {"line": line, "character": at} for name, (line, at) in (("start", (2, 5)), ("end", end))}
    found = types.Range(types.Position(2, 5), types.Position(*end))
    if is_valid:
        assert make_converter().structure(data, types.Range) == found
    else:
        with pytest.raises(ValueError, match="the range ends at"):
            make_converter().structure(data, types.Range)


def test_names_of_documents() -> None:
    session = Session()
    assert session.document("file:///a%20b/c.mlir", "", 3).name == "/a b/c.mlir"
    found = session.document("untitled:x", "", 3)
    assert (found.name, found.version) == ("untitled:x", 3)


def test_newer_ops(tmp_path: Path) -> None:
    uri = (tmp_path / "a.mlir").as_uri()
    for options, allowed in (
        ({"allowNewer": True}, True),
        ({"allowNewer": 1}, False),
        ({}, False),
        (None, False),
    ):
        session = Session()
        session.configure(options)
        assert session.document(uri, "", 0).allow_newer is allowed
    (tmp_path / "pyproject.toml").write_text("[tool.shlo.verify]\nallow-newer = true\n")
    assert Session().document(uri, "", 0).allow_newer is True


def test_the_configuration_of_a_project(tmp_path: Path) -> None:
    told: list[str] = []
    session, inner = Session(told.append), tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    document = Document("", str(inner / "x.mlir"))
    assert not session.project(document).verify.strict
    config = tmp_path / "pyproject.toml"
    config.write_text("[tool.shlo.verify]\nstrict = true\n")
    assert session.project(document).verify.strict
    config.write_text("[tool.shlo.verify]\nstrict = 5\n")
    os.utime(config, ns=(1, 1))
    for _ in range(2):
        assert not session.project(document).verify.strict
    assert len(told) == 1 and "strict" in told[0]
    config.write_text("[tool.shlo.verify]\nstrictly = true\n")
    os.utime(config, ns=(2, 2))
    session.project(document)
    assert len(told) == 2 and "strictly" in told[1]


# Diagnostics and actions

DEAD = "func.func @f(%x: tensor<2xf32>) {\n  %0 = stablehlo.tanh %x : tensor<2xf32>\n  return\n}\n"


def reported(text: str) -> tuple[Session, Document, list[types.Diagnostic]]:
    session, document = Session(), Document(text, "/nowhere/a.mlir")
    found = diagnostics.find_diagnostics(session, document)
    return session, document, [diagnostics.to_protocol(document, each) for each in found]


@pytest.mark.parametrize(
    ("code", "tag"),
    [
        ("lint.dead-op", types.DiagnosticTag.Unnecessary),
        ("lint.deprecated-op", types.DiagnosticTag.Deprecated),
        ("lint.chlo-op", None),
        ("add.C1", None),
        ("parse", None),
    ],
)
def test_tags(code: str, tag: types.DiagnosticTag | None) -> None:
    assert diagnostics._tag(code) is tag


def test_what_is_missing_may_be_in_what_does_not_parse() -> None:
    """Uses of what a wrong line may define are no errors; others remain, and lint is silent."""
    text = DEAD.replace("  return", "  %1 = = 2\n  %2 = stablehlo.abs %1 : tensor<2xf32>\n  return")
    assert [each.code for each in reported(text)[2]] == ["parse"]
    wrong = text.replace(
        "stablehlo.tanh %x : tensor", '"stablehlo.tanh"(%x) : (tensor<2xf32>) -> tensor'
    ).replace("-> tensor<2x", "-> tensor<3x")
    assert [each.code for each in reported(wrong)[2]] == ["parse", "tanh.C1"]
    assert [each.code for each in reported(DEAD)[2]] == ["dead-op"]


def test_severities_and_data() -> None:
    _, document, (found,) = reported(DEAD)
    assert (found.severity, found.source, found.code) == (types.DiagnosticSeverity.Warning, "shlo", "dead-op")
    assert found.data is not None and found.data["code"] == "lint.dead-op"
    assert (
        document.text[document.offset(found.range.start) : document.offset(found.range.end)]
        == "stablehlo.tanh"
    )
    _, _, (found,) = reported("func.func private @f(tensor<2xi7>)")
    assert found.severity == types.DiagnosticSeverity.Warning
    _, document, _ = reported(DEAD)
    found = diagnostics.to_protocol(document, Diagnostic("error", "internal", "m", 0, 0))  # no place
    assert found.range == types.Range(types.Position(0, 0), types.Position(0, 0))
    _, _, (found, *_) = reported("func.func @f() {")
    assert (found.severity, found.code) == (types.DiagnosticSeverity.Error, "parse")


FIX = "source.fixAll.shlo"


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (None, {"quickfix", FIX}),
        (["quickfix"], {"quickfix"}),
        (["source"], {FIX}),
        (["source.fixAll"], {FIX}),
        ([FIX], {FIX}),
        (["source.fixAll.other"], set()),
        (["refactor"], set()),
        ([], set()),
        (["refactor", "quickfix", "source"], {"quickfix", FIX}),
    ],
)
def test_kinds_of_actions(only: list[str] | None, kinds: set[str]) -> None:
    session, document, found = reported(DEAD)
    context = types.CodeActionContext(diagnostics=found, only=only)
    place = found[0].range
    made = actions.code_actions(session, document, types.CodeActionParams(PLACE, place, context))
    assert {str(getattr(each.kind, "value", each.kind)) for each in made} == kinds


def test_actions_for_diagnostics_of_others() -> None:
    session, document, (found,) = reported(DEAD)
    found.source = "another"
    context = types.CodeActionContext(diagnostics=[found], only=["quickfix"])
    assert actions.code_actions(session, document, types.CodeActionParams(PLACE, found.range, context)) == []


def test_what_can_be_fixed() -> None:
    """No fixes in a program that does not parse, or in one of several."""

    def titles(text: str) -> list[str]:
        session, document, found = reported(text)
        context = types.CodeActionContext(diagnostics=found)
        params = types.CodeActionParams(PLACE, found[0].range, context)
        return [each.title for each in actions.code_actions(session, document, params)]

    assert titles(DEAD) == ["Fix all dead-op", "Suppress dead-op here", "Explain dead-op", "Fix all problems"]
    assert titles(f"{DEAD}// -----\n{DEAD}")[:2] == ["Suppress dead-op here", "Explain dead-op"]
    assert titles(DEAD + "= =\n") == []
    narrow = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf64> {\n"
    narrow += "  %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xf16>\n"
    narrow += (
        "  %1 = stablehlo.convert %0 : (tensor<2xf16>) -> tensor<2xf64>\n  return %1 : tensor<2xf64>\n}\n"
    )
    found = titles(narrow)
    assert found and not [title for title in found if title.startswith("Fix")]


def test_explanations() -> None:
    """Lines have at most 100 characters."""
    assert commands.explain_code("lint.dead-op").startswith("## dead-op (D101)")
    for code in ("transpose.C3", "dot_general.C12", "reshape.C2", "abs.C2"):
        op, label = code.split(".")
        data = explain(op)
        assert data is not None
        assert commands.explain_code(code) == excerpt(data, select(data, label), 100)
    for code in ("lint.nothing", "transpose.C99", "nothing.C1", "", "dead-op"):
        assert commands.explain_code(code) == f"there is no description of {code}"


def test_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """On random inputs from one seed, in a process of at most a minute, of which both streams are shown."""
    asked: list[Any] = []

    def started(command: list[str], **options: Any) -> Any:
        asked.append((command[1:], options))
        return subprocess.CompletedProcess(command, 1, b" out\n", b"err\xff\n")

    monkeypatch.setattr(commands.subprocess, "run", started)
    assert commands.run(Document(DEAD), "f") == "out\nerr\ufffd"
    arguments = ["-m", "stablehlo_py", "run", "-", "--entry", "f", "--random", "0"]
    assert asked == [(arguments, {"input": DEAD.encode(), "capture_output": True, "timeout": 60})]

    def late(command: list[str], **options: Any) -> Any:
        raise subprocess.TimeoutExpired(command, 60)

    monkeypatch.setattr(commands.subprocess, "run", late)
    assert commands.run(Document(DEAD), "f") == "@f did not finish within 60 seconds"


# Formatting


def test_edits_of_lines() -> None:
    old = "a\nb\nc\nd\n"

    def changes(new: str, text: str = old) -> list[tuple[int, int, int, int, str]]:
        found = formatting.edits(Document(text), new)
        return [
            (e.range.start.line, e.range.start.character, e.range.end.line, e.range.end.character, e.new_text)
            for e in found
        ]

    assert changes(old) == []
    assert changes("a\nB\nc\nd\n") == [(1, 0, 2, 0, "B\n")]
    assert changes("x\na\nb\nc\nd\n") == [(0, 0, 0, 0, "x\n")]
    assert changes("a\nb\nc\nd\ne\n") == [(4, 0, 4, 0, "e\n")]
    assert changes("a\nb\n") == [(2, 0, 4, 0, "")]
    assert changes("a\nb\n", "a\nbc") == [(1, 0, 1, 2, "b\n")]


@pytest.mark.parametrize(
    ("first", "last", "lines"), [(0, 0, [0]), (1, 1, []), (2, 2, [2]), (0, 2, [0, 2]), (3, 9, [])]
)
def test_formatting_of_lines(first: int, last: int, lines: list[int]) -> None:
    """The lines 1 and 3 are not as they should be."""
    text = "func.func  @f(%x: tensor<2xf32>) {\n  %0 = stablehlo.tanh %x : tensor<2xf32>\n    return\n}\n"
    place = types.Range(types.Position(first, 0), types.Position(last, 1))
    params = types.DocumentRangeFormattingParams(PLACE, place, types.FormattingOptions(2, True))
    found = formatting.format_range(Session(), Document(text), params)
    assert found is not None and [each.range.start.line for each in found] == lines


def formatted_lines(text: str, first: int, last: int) -> list[tuple[int, int]]:
    """The first and last lines of the edits that format lines."""
    place = types.Range(types.Position(first, 3), types.Position(last, 1))
    params = types.DocumentRangeFormattingParams(PLACE, place, types.FormattingOptions(2, True))
    found = formatting.format_range(Session(), Document(text), params)
    return [(each.range.start.line, each.range.end.line) for each in found or ()]


@pytest.mark.parametrize(
    ("first", "last", "expected"), [(2, 2, []), (3, 3, [(3, 3)]), (4, 9, [(4, 4)]), (0, 4, [(3, 3), (4, 4)])]
)
def test_formatting_of_lines_before_which_others_are_put(
    first: int, last: int, expected: list[tuple[int, int]]
) -> None:
    text = "func.func @f() {\n  return\n}\n// -----\nfunc.func @g() {\n  return\n}\n"
    assert formatted_lines(text, first, last) == expected


@pytest.mark.parametrize(("line", "expected"), [(0, [(0, 2)]), (1, [(0, 2)]), (2, [])])
def test_formatting_of_one_of_several_lines_of_an_edit(line: int, expected: list[tuple[int, int]]) -> None:
    assert formatted_lines("func.func  @f() {\n    return\n}\n", line, line) == expected


def test_a_text_that_would_be_another_program_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = formatting.format_module

    def wrong(module: Any, **options: Any) -> str:
        return printed(module, **options).replace("tanh", "sine") if options else printed(module)

    monkeypatch.setattr(formatting, "format_module", wrong)
    text = "func.func @f(%x: tensor<f32>) {\n  %0 = stablehlo.tanh %x : tensor<f32>\n  return\n}\n"
    session = Session()
    assert formatting.formatted(session, Document(text)) is None
    other = text.replace("tanh", "abs")
    assert formatting.formatted(session, Document(other)) == other
    assert formatting.formatted(session, Document(f"{other}// -----\n{text}")) is None


def test_formatting_of_several_modules() -> None:
    one, two = "func.func @f() {\n  return\n}\n", "func.func @g() {\n  return\n}\n"
    text = f"{one.replace('  return', 'return')}// -----\n{two}"
    assert formatting.formatted(Session(), Document(text)) == f"{one}\n// -----\n\n{two}"
    assert formatting.formatted(Session(), Document(f"{one}// -----\n= =")) is None


# The outline


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("// a\n// b\n", [(0, 1, "comment")]),
        ("// a\n", []),
        ("// a\n\n// b\n", []),
        ("x\n  // a\n\t// b\n// c\ny", [(1, 3, "comment")]),
        ("#a = 1\n#b = 2\n", [(0, 1, "region")]),
        ("!a = i1\n!b = i1\n!c = i1", [(0, 2, "region")]),
        ("f() {\n  g() {\n    h()\n  }\n}\n", [(0, 3, "region"), (1, 2, "region")]),
        ("f() {\n}\n", []),
        ("f() {\n  g()\n}\n", [(0, 1, "region")]),
        ("f() { g() }\n", []),
    ],
)
def test_folding(text: str, expected: list[tuple[int, int, str]]) -> None:
    found = outline.folding(Session(), Document(text), types.FoldingRangeParams(PLACE))
    assert (
        sorted((f.start_line, f.end_line, str(getattr(f.kind, "value", f.kind))) for f in found) == expected
    )


@pytest.mark.parametrize("before", ["", "// first\n"])
def test_outline_of_a_module_that_is_written(before: str) -> None:
    text = (
        before
        + """module @m {
  func.func @f(%a: tensor<i1>) -> tensor<i1> {
    %b, %c = "x.y"(%a) ({
      "x.z"() : () -> ()
    }) : (tensor<i1>) -> (tensor<i1>, tensor<i1>)
    "x.w"() ({
      "x.z"() : () -> ()
    }) : () -> ()
    return %b : tensor<i1>
  }
}
"""
    )
    document, kinds = Document(text), types.SymbolKind
    (module,) = outline.symbols(Session(), document, types.DocumentSymbolParams(PLACE))
    assert (module.name, module.detail, module.kind) == ("@m", "builtin.module", kinds.Module)
    assert module.range == document.range(len(before), len(text) - 1)
    assert module.selection_range == document.range(len(before), len(before) + len("module"))
    assert module.children is not None
    (function,) = module.children
    assert (function.name, function.detail, function.kind) == ("@f", "func.func", kinds.Function)
    assert function.children is not None
    found = [(each.name, each.detail, each.kind) for each in function.children]
    assert found == [("%b, %c", "x.y", kinds.Operator), ("x.w", "x.w", kinds.Operator)]
    assert [each.children for each in function.children] == [[], []]
    place = function.children[0].range
    assert document.text[document.offset(place.start) : document.offset(place.end)].startswith("%b, %c = ")


CALLS = """func.func @a() {
  func.call @b() : () -> ()
  func.call @c() : () -> ()
  func.call @b() : () -> ()
  return
}
func.func private @b() {
  func.call @c() : () -> ()
  return
}
func.func private @c() { return }
"""


def test_what_clients_are_told() -> None:
    """The options with which features are registered."""
    told = {feature.method: feature.options for feature in FEATURES if feature.options is not None}
    rename = told.pop(types.TEXT_DOCUMENT_RENAME)
    assert rename == types.RenameOptions(prepare_provider=True)
    assert told.pop(types.TEXT_DOCUMENT_COMPLETION).trigger_characters == ["%", "@", "#", "!", "^", ".", '"']
    assert told.pop(types.TEXT_DOCUMENT_SIGNATURE_HELP).trigger_characters == [" ", ",", "("]
    assert told.pop(types.TEXT_DOCUMENT_CODE_ACTION).code_action_kinds == ["quickfix", FIX]
    assert list(told) == [types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL]
    legend = told[types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL]
    assert legend.token_modifiers == ["declaration"]
    assert [legend.token_types[at] for at in (0, 3, 5, -1)] == ["comment", "variable", "function", "method"]


def test_calls_of_functions() -> None:
    document, session = Document(CALLS), Session()

    def item(name: str) -> types.CallHierarchyItem:
        place = document.position(CALLS.index(f"@{name}() {{") + 1)
        found = outline.prepare_calls(session, document, asked(types.CallHierarchyPrepareParams, place))
        assert found is not None
        return found[0]

    def shown(calls: list[Any], name: str) -> list[tuple[str, list[tuple[int, int]]]]:
        return [
            (getattr(call, name).name, [(r.start.line, r.start.character) for r in call.from_ranges])
            for call in calls
        ]

    def incoming(name: str) -> Any:
        params = types.CallHierarchyIncomingCallsParams(item(name))
        return shown(outline.incoming_calls(session, document, params), "from_")

    def outgoing(name: str) -> Any:
        params = types.CallHierarchyOutgoingCallsParams(item(name))
        return shown(outline.outgoing_calls(session, document, params), "to")

    assert incoming("a") == [] and outgoing("c") == []
    assert incoming("b") == [("@a", [(1, 12), (3, 12)])]
    assert incoming("c") == [("@a", [(2, 12)]), ("@b", [(7, 12)])]
    assert outgoing("a") == [("@b", [(1, 12), (3, 12)]), ("@c", [(2, 12)])]
    assert outgoing("b") == [("@c", [(7, 12)])]
    inside = types.Position(2, 3)  # at no name: the function around it
    found = outline.prepare_calls(session, document, asked(types.CallHierarchyPrepareParams, inside))
    assert found is not None and found[0].name == "@a"
    assert found[0].kind == types.SymbolKind.Function and found[0].uri == URI


def test_the_item_of_a_function_in_generic_form_is_its_op() -> None:
    head = '"func.func"() <{function_type = () -> (), sym_name = "f"}>'
    document = Document(f'{head} ({{\n  "func.return"() : () -> ()\n}}) : () -> ()')
    params = asked(types.CallHierarchyPrepareParams, types.Position(1, 4))
    (item,) = outline.prepare_calls(Session(), document, params) or ()
    assert (item.name, item.selection_range) == ("@f", document.range(0, len('"func.func"')))


# Completion


@pytest.mark.parametrize(
    ("before", "op"),
    [
        ("  %0 = stablehlo.add %a", "stablehlo.add"),
        ('  %0 = "stablehlo.add"(', "stablehlo.add"),
        ("  stablehlo.custom_call @f", "stablehlo.custom_call"),
        ("  return %a", "func.return"),
        ("  %0 = call @f", "func.call"),
        ("module {", "builtin.module"),
        ("  %0 = ", None),
        ("  %0 = stablehlo.nothing", None),
        ("  // stablehlo.add", None),
    ],
)
def test_the_op_of_a_statement(before: str, op: str | None) -> None:
    found = completion.statement_op(before)
    assert (found and found.name) == op


SCOPED = """func.func @f(%a: i1) {
  %b = "x.y"() : () -> i1
  "x.y"() ({
    %c = "x.z"() : () -> i1
    "x.u"(<1>) : () -> ()
  }) : () -> ()
  %d, %e = "x.v"(<2>) : () -> (i1, i1)
  %f:2 = "x.v"(<3>) : () -> (i1, i1)
  "x.v"(<4>) : () -> ()
  %g = "x.y"() ({
    %h = "x.y"() ({
      "x.u"(<5>) : () -> ()
    }) : () -> i1
    "x.y"() ({
      "x.u"(<6>) : () -> ()
    }) : () -> ()
  }) {k = 1} : () -> i1
  "x.y"() ({
    "x.u"(<7>
"""


@pytest.mark.parametrize(
    ("mark", "names"),
    [
        ("1", ["%c", "%b", "%a"]),
        ("2", ["%b", "%a"]),
        ("3", ["%e", "%d", "%b", "%a"]),
        ("4", ["%f", "%e", "%d", "%b", "%a"]),
        ("5", ["%f", "%e", "%d", "%b", "%a"]),
        ("6", ["%h", "%f", "%e", "%d", "%b", "%a"]),
        ("7", ["%g", "%f", "%e", "%d", "%b", "%a"]),
    ],
)
def test_names_that_are_visible(mark: str, names: list[str]) -> None:
    """The last first; those that the statement itself defines are not."""
    text, places = marked(SCOPED)
    document = Document(text)
    found = list(completion._names(document, document.offset(places[mark]), "%"))
    assert [each.label for each in found] == names
    assert [each.sort_text for each in found] == [f"{rank:06}" for rank in range(len(names))]


# HLO

HLO = """HloModule m

%f.1 (a: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  ROOT %b-1 = f32[] add(%a, %a), metadata={op_name="a %a \\" %a"}, a=3
}

ENTRY main {
  x = f32[] parameter(0)
  ROOT y = f32[] call(x), to_apply=%f.1
}
"""
SPANS = {
    "a": [("a: f32", 0), ("%a = ", 1), ("%a, ", 1), ("%a), ", 1)],
    "b-1": [("%b-1 =", 1)],
    "f.1": [("%f.1 (", 1), ("%f.1\n", 1)],
    "x": [("x = ", 0), ("x), to", 0)],
    "y": [("y = ", 0)],
}


def test_names_of_hlo() -> None:
    names = HloNames(HLO)
    assert [(name, HLO[start:].partition(" ")[0]) for start, name in names.computations] == [
        ("f.1", "f.1"),
        ("main", "main"),
    ]
    for name, places in SPANS.items():
        spans = [(HLO.index(text) + skip, HLO.index(text) + skip + len(name)) for text, skip in places]
        for start, end in spans:
            sigil = HLO[start - 1] == "%"
            for offset in (start - sigil, start, end):
                word = names.word_at(offset)
                assert word is not None and word[1] == name, (name, offset)
                if HLO[start:].startswith("a: "):
                    continue  # in a signature, of which the instruction is in the computation
                assert names.uses(word) == spans, (name, offset)
                assert names.definition(word) in spans


def test_an_instruction_that_is_defined_twice_is_the_first() -> None:
    text = "ENTRY main {\n  %a = f32[] constant(0)\n  %a = f32[] constant(1)\n  ROOT %b = f32[] negate(%a)\n}"
    word = HloNames(text).word_at(text.index("(%a") + 1)
    assert word is not None and HloNames(text).definition(word) == (16, 17)


@pytest.mark.parametrize(
    ("text", "word", "is_opcode"),
    [("add(%a, %a)", "add", True), ("parameter(0)", "parameter", True), ("f32[] add", "f32", False)],
)
def test_opcodes(text: str, word: str, is_opcode: bool) -> None:
    found = HloNames(HLO).word_at(HLO.index(text))
    assert found is not None and found[1] == word
    assert HloNames(HLO).is_opcode(found) is is_opcode


def test_what_is_no_name_in_hlo() -> None:
    names = HloNames(HLO)
    for text, skip in (('"a %a', 1), ("%a \\", 0), ('%a"', 0), ("metadata", 0)):
        word = names.word_at(HLO.index(text) + skip)
        assert word is not None and names.definition(word) is None and names.uses(word) == [], text
    assert names.word_at(HLO.index("\n\n") + 1) is None
    assert HloNames("ROOT %c = f32[] add(%a, %a)").word_at(22)[1] == "a"  # in a line without an end
    start = HLO.index("\nENTRY") + 1
    assert [names.word_at(start + at)[0] for at in (0, 5)] == ["ENTRY"] * 2
    assert [
        names.computation_at(HLO.index(text)) for text in ("HloM", "f.1 (", "ROOT %b", "main", "ROOT y")
    ] == [
        -1,
        0,
        0,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("abc", 0, 3, ["abc"]),
        ("ab\ncd\n\ne", 0, 8, ["ab", "cd", "e"]),
        ("\nab\n", 0, 4, ["ab"]),
        ("ab\ncd", 1, 4, ["b", "c"]),
        ("ab\ncd", 2, 2, []),
    ],
)
def test_tokens_do_not_cross_lines(text: str, start: int, end: int, expected: list[str]) -> None:
    assert [text[first:last] for first, last in semantic_tokens._lines(text, start, end)] == expected


def test_ops_without_a_form_of_their_own_are_offered_in_quotes_alone() -> None:
    bare, quoted = ({item.label: item for item in completion._ops(flag)} for flag in (False, True))
    assert set(bare) < set(quoted)
    assert {"stablehlo.add", "stablehlo.reduce", "chlo.erf"} < set(bare)
    assert "stablehlo.sort" in quoted and "stablehlo.sort" not in bare
    assert quoted["stablehlo.dot"].detail == "use stablehlo.dot_general"
    assert quoted["stablehlo.add"].detail is None and quoted["stablehlo.add"].tags is None


def completed(text: str) -> list[types.CompletionItem]:
    """What is offered at <1>."""
    text, places = marked(text)
    found = completion.complete(Session(), Document(text), asked(types.CompletionParams, places["1"]))
    return list(found.items)


FIRST = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n"
REDUCE = """func.func @g(%b: tensor<4xf32>, %c: tensor<f32>) {
  %r = stablehlo.reduce(%b init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%p: tensor<f32>, %q: tensor<f32>) {
    %s = stablehlo.add %<IN> : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %<BEHIND> : tensor<f32>
}
"""
ARGUMENTS = {  # a text, and the arguments that are offered in it
    f"{FIRST}func.func @g(%b: f32) {{\n  %0 = stablehlo.abs %<1>\n}}\n": "%b",
    "func.func private @f(%a: f32)\nfunc.func @g(%b: f32)\n    attributes {x} {\n  return %<1>\n}\n": "%b",
    "func.func @f(\n    %a: f32 {x = 1 : i32},\n    %b: f32\n) {\n  return %<1>\n}\n": "%b %a",
    "func.func @f(%a: f32,\n    %b: f32) -> (\n    f32 {x = #y.z<z>}) {\n  return %<1>\n}\n": "%b %a",
    REDUCE.replace("<IN>", "<1>").replace("%<BEHIND>", "%r"): "%q %p %c %b",
    REDUCE.replace("<BEHIND>", "<1>").replace("%<IN>", "%p, %q"): "%c %b",
    f"{FIRST}func.func @g(%b: f32) {{\n^bb1(%d: f32):\n  return %<1>\n}}\n": "%d %b",
    f'{FIRST}"x.y"() ({{\n^bb1(%d: f32):\n  "x.z"(%<1>)\n}}) : () -> ()\n': "%d",
}


@pytest.mark.parametrize("text", ARGUMENTS)
def test_the_arguments_of_a_region_are_offered_in_it(text: str) -> None:
    names = {f"%{letter}" for letter in "abcdpq"}
    assert [item.label for item in completed(text) if item.label in names] == ARGUMENTS[text].split()


UNFINISHED = "func.func @f(%a: tensor<4xf32>) {\n  %b = stablehlo.tanh %a : tensor<4xf32>\n"


@pytest.mark.parametrize(
    ("text", "offered", "absent"),
    [
        # At the end of a text, of which braces are not closed.
        (f"{UNFINISHED}  %c = stablehlo.tanh %<1>", ["%b", "%a"], ["%c"]),
        (f"{UNFINISHED}  %c = stablehlo.tanh <1>", ["%b", "%a"], ["%c", "tensor<4xf32>"]),
        ("%a = x\n%b = stablehlo.tanh <1>", ["%a"], ["%b"]),
        (f'{UNFINISHED}}}\nfunc.func @g() {{\n  "x.y"(%<1>', [], ["%b"]),
        # Types behind a colon, an arrow, a comma or a parenthesis that follow one.
        ("func.func @f(%a: i1) {\n  return %a : <1>\n}", ["bf16"], ["%a"]),
        ("func.func @f(%a: i1) {\n  return %a, <1>\n}", ["%a"], ["i1", "bf16"]),
        ("func.func @f(%a: i1) {\n  return %a : i1, <1>\n}", ["bf16"], ["%a"]),
        ('func.func @f(%a: i1) {\n  %b = "stablehlo.not"(%a) : (<1>\n}', ["bf16"], ["%a"]),
        ('func.func @f(%a: i1) {\n  %b = "stablehlo.not"(%a) : (i1) -> <1>\n}', ["bf16"], ["%a"]),
        ('func.func @f(%a: i1) {\n  %b = "stablehlo.not"(<1>\n}', ["%a"], ["bf16"]),
        ("func.func @f(%a: i1) {\n  %b = call @f::@g(<1>\n}", ["%a"], ["bf16"]),
        # Each attribute once, also one that has several inputs as its fields.
        ("%c = stablehlo.dot_general <1>", ["dot_dimension_numbers", "precision_config"], []),
        # Symbols, blocks and aliases: all of the text, but for the one that is typed.
        ("func.func @f() { return }\nfunc.func @<1>g() { return }", ["@f"], ["@g"]),
        ("func.func @f() {\n  cf.br ^<1>\n^b(%a: i1):\n  return\n}", ["^b"], ["%a", "^"]),
        ("#a = 1\n#b = 2\n#c = #<1>", ["#b", "#a"], ["@a"]),
        ("!t = i1\n!u = i2\n!<1>v = i3", ["!u", "!t"], ["!v"]),
    ],
)
def test_what_is_offered(text: str, offered: list[str], absent: list[str]) -> None:
    labels = [each.label for each in completed(text)]
    assert [each for each in labels if each in offered] == offered
    assert not {*absent} & {*labels}


def test_types_that_are_offered() -> None:
    """The twenty that are most frequent in the text, then the element types."""
    arguments = ", ".join(f"%a{n}: tensor<{n}xf32>" for n in range(1, 26))
    text = f"func.func @f({arguments}) {{\n  %b = stablehlo.tanh %a7 : tensor<7xf32>\n"
    items = completed(text + "  %c = stablehlo.tanh %a1 : tensor<1xf32>\n  return %a1 : <1>\n}")
    sizes = [1, 7, *(n for n in range(2, 21) if n != 7)]
    assert [each.label for each in items[:21]] == [*(f"tensor<{n}xf32>" for n in sizes), "i1"]
    assert [each.sort_text for each in items] == [f"{rank:06}" for rank in range(len(items))]


def test_a_diagnostic_without_data_or_with_a_rule_that_cannot_be_suppressed() -> None:
    session, document, (found,) = reported(DEAD)

    def titles(code: Any, data: Any) -> list[str]:
        one = types.Diagnostic(found.range, "m", code=code, source="shlo", data=data)
        context = types.CodeActionContext([one], only=["quickfix"])
        params = types.CodeActionParams(PLACE, found.range, context)
        return [each.title for each in actions.code_actions(session, document, params)]

    for data in (None, 5, {}, {"code": "add.C1"}):
        assert titles("add.C1", data) == ["Explain add.C1"]
    assert titles("add.C1", {"code": "lint.dead-op"})[1:] == ["Suppress dead-op here", "Explain dead-op"]
    rule = min(actions.CANNOT_SUPPRESS)
    assert titles(f"lint.{rule}", None) == [f"Explain {rule}"]
    assert titles("lint.nothing", None) == ["Explain nothing"]
    assert titles("dead-op", None) == [] == titles(5, None)


def test_fixes_of_a_program_with_newer_ops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they are accepted; rules that fix nothing are not tried."""
    tried: list[Any] = []

    def fixed(text: str, settings: Any, name: str, **options: Any) -> Any:
        tried.append((settings.select, settings.allow_newer, name, options))
        return fix(text, settings, name, **options)

    fix = actions.fix
    monkeypatch.setattr(actions, "fix", fixed)
    text = DEAD.replace("  return", '  "stablehlo.newer"() : () -> ()\n  return')
    for allowed in (False, True):
        document = Document(text, "/nowhere/a.mlir")
        document.allow_newer = allowed
        place = document.range(0, 0)
        rules = [
            types.Diagnostic(place, "m", code=f"lint.{name}", source="shlo")
            for name in ("dead-op", "chlo-op")
        ]
        params = types.CodeActionParams(PLACE, place, types.CodeActionContext(rules))
        found = [each.title for each in actions.code_actions(Session(), document, params)]
        assert [each for each in found if each.startswith("Fix")] == (
            ["Fix all dead-op", "Fix all problems"] if allowed else []
        )
    assert [select for select, *_ in tried] == [("dead-op",), tried[1][0]]
    assert {each[1:3] for each in tried} == {(True, "/nowhere/a.mlir")}


def test_functions_that_run() -> None:
    text = '"func.func"() <{sym_name = "f", function_type = () -> ()}> : () -> ()\n'
    text += "func.func private @g() { return }\nfunc.func @h()\nmodule @m {}\n  func.func @run() { return }\n"
    document = Document(text)
    (lens,) = actions.code_lenses(Session(), document, types.CodeLensParams(PLACE))
    assert lens.range == document.range(text.rindex("func.func"), text.rindex("func.func"))
    assert lens.command == types.Command("Run on random inputs", "shlo.run", arguments=[URI, "run"])


def test_diagnostics_of_another_configuration(tmp_path: Path) -> None:
    """They are found once for each."""
    session, document = Session(), Document(DEAD, str(tmp_path / "a.mlir"))
    found = diagnostics.find_diagnostics(session, document)
    assert [each.code for each in found] == ["lint.dead-op"]
    assert diagnostics.find_diagnostics(session, document) is found
    (tmp_path / "pyproject.toml").write_text('[tool.shlo.lint]\nignore = ["dead-op"]\n')
    assert diagnostics.find_diagnostics(session, document) == []


def test_lint_beside_constants_without_their_data() -> None:
    """They are errors, which do not hide what lint finds."""
    text = DEAD.replace(
        "  return", "  %1 = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>\n  return"
    )
    codes = [each.code for each in reported(text)[2]]
    assert "elided" in codes and "dead-op" in codes


@pytest.mark.parametrize(
    ("text", "after", "kind"),
    [
        ('"stablehlo.add"', "(", "method"),
        ('"text"', ",", "string"),
        ("tensor<2xf32>", ",", "type"),
        ("(i1) -> i1", "{", "type"),
        ("(", "%a", ""),
        ("si32", ",", "type"),
        ("f8E4M3FN", ",", "type"),
        ("index", ",", "type"),
        ("indices", "=", "property"),
        ("-5", ",", "number"),
        ("[1, 2]", ",", "number"),
        ("[", "%a", ""),
        ("dense<1>", ":", "number"),
        *((text, "x", "operator") for text in ("->", "=", "::")),
        ("loc(unknown)", "\n", "comment"),
        ("stablehlo.add", "%a", "method"),
        ("dims", "=", "property"),
        ("_a", "=", "property"),
        ("dims", ",", "keyword"),
        ("#stablehlo<precision HIGH>", ",", "macro"),
        ("#a<1>", "=", "property"),
        (":", "i1", ""),
    ],
)
def test_kinds_of_tokens(text: str, after: str, kind: str) -> None:
    assert semantic_tokens._kind(text, after) == kind


def test_comments_split_tokens() -> None:
    """From 10 to 30: a comment before, two in it, one at its end, and one behind."""
    comments = [(2, 5), (12, 15), (20, 22), (30, 33), (40, 41)]
    assert [*semantic_tokens._outside(10, 30, comments)] == [(10, 12), (15, 20), (22, 30)]
    assert [*semantic_tokens._outside(12, 16, comments)] == [(12, 12), (15, 16)]
    assert [*semantic_tokens._outside(50, 60, comments)] == [(50, 60)]


@pytest.mark.parametrize("length", [400, 401])
def test_how_much_of_a_definition_is_shown(length: int) -> None:
    """Of a line or of the head of a function, 400 characters."""
    line = f'#a = "{"x" * (length - 7)}"'
    head = f"func.func @{'f' * (length - 13)}()"

    def shown(text: str, place: types.Position) -> str:
        found = hover.hover(Session(), Document(text), asked(types.HoverParams, place))
        assert found is not None and isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    assert (len(line), len(head)) == (length, length)
    assert shown(f"  {line}\nuse #a", types.Position(1, 4)) == f"```mlir\n{line[:400]}\n```"
    text = f"{head} {{\n  return\n}}"
    assert shown(text, types.Position(0, 12)) == f"```mlir\n{head[:400]}\n```"
    name = "a" * (length - len(" = f32[] constant(0)"))
    line = f"{name} = f32[] constant(0)"
    text = f"HloModule m\n\nENTRY main {{\n{line}\nROOT b = f32[] negate({name})\n}}\n"
    found = hlo._hover(Session(), Document(text), asked(types.HoverParams, types.Position(4, 25)))
    assert found is not None and isinstance(found.contents, types.MarkupContent)
    assert found.contents.value == f"```\n{line[:400]}\n```"


@pytest.mark.parametrize(
    ("statement", "inputs", "active"),
    [
        ("%0 = stablehlo.add ", ["%lhs", "%rhs"], 0),
        ("%0 = stablehlo.add %x,", ["%lhs", "%rhs"], 1),
        ("%0 = stablehlo.add %x, %x, %x", ["%lhs", "%rhs"], 1),
        ('%0, %1 = "stablehlo.add"(%x', ["%lhs", "%rhs"], 0),
        ("%0 = ", None, None),
        ("%0 = a.b %x", None, None),
    ],
)
def test_signatures(statement: str, inputs: list[str] | None, active: int | None) -> None:
    """The input that is written: that of the last comma behind the op's name."""
    text = f"func.func @f(%x: tensor<2xf32>) {{\n  {statement}"
    place = Document(text).position(len(text))
    found = signatures.signature_help(Session(), Document(text), asked(types.SignatureHelpParams, place))
    if inputs is None:
        assert found is None
        return
    assert found is not None
    (signature,) = found.signatures
    assert (found.active_signature, found.active_parameter, signature.active_parameter) == (0, active, active)
    spans = [each.label for each in signature.parameters or ()]
    assert [signature.label[span[0] : span[1]] for span in spans][: len(inputs)] == inputs


def test_descriptions_of_opcodes(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {
        "a": SimpleNamespace(op="x.a", attributes=("p", "q"), differences="It differs."),
        "b": SimpleNamespace(op="", attributes=(), differences=""),
    }
    monkeypatch.setattr(hlo, "opcodes", lambda: rows)
    assert hlo._of_opcode("a") == "**a**\n\nStableHLO: `x.a`\n\nAttributes: `p`, `q`\n\nIt differs."
    assert hlo._of_opcode("b") == "**b**\n\nNo op of StableHLO is equal."


def test_tokens_of_several_lines_are_one_in_each_line() -> None:
    """Line and column from the token before, length and kind; the last line of a token ends it."""
    text = (
        "func.func @f() {\n  %c = stablehlo.constant dense<[1,\n 22,\n\n 3]> : tensor<3xi32>\n  return\n}\n"
    )
    document = Document(text)
    params = SimpleNamespace(text_document=types.TextDocumentIdentifier(URI))
    data = semantic_tokens.semantic_tokens(None, document, params).data  # type: ignore[arg-type]
    lines, row, column, found = text.split("\n"), 0, 0, []
    for down, right, length, _, _ in zip(*[iter(data)] * 5, strict=True):
        row, column = row + down, right + (0 if down else column)
        assert column + length <= len(lines[row])
        found.append(lines[row][column : column + length])
    assert [each for each in found if re.search("[123]", each)] == [
        "dense<[1,",
        " 22,",
        " 3]>",
        "tensor<3xi32>",
    ]


def test_an_op_that_takes_a_value_twice_is_one_use() -> None:
    text = """func.func @f(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %x, %x : tensor<i32>
  return %0 : tensor<i32>
}
"""
    document = Document(text)
    params = types.HoverParams(types.TextDocumentIdentifier(URI), document.position(text.index("%x")))
    found = hover.hover(None, document, params)  # type: ignore[arg-type]
    assert found is not None and "argument 0 of `func.func`, 1 use" in str(found.contents)
    assert "1 uses" not in str(found.contents)
