"""The language server answers every malformed request with an error, and goes on."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from editor import COMMAND

TEXT = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
INVALID_PARAMS, INVALID_REQUEST, NOT_FOUND, EARLY, NOT_JSON = -32602, -32600, -32601, -32002, -32700
START, END = {"line": 1, "character": 2}, {"line": 2, "character": 9}
RANGE = {"start": START, "end": END}
UNIT = {"tabSize": 2, "insertSpaces": True}
DIAGNOSTIC = {"range": RANGE, "message": "did you mean %x?", "source": "shlo", "code": "add.C1"}


def requests(uri: str) -> dict[str, dict[str, Any]]:
    """Valid parameters of every request, without what is optional."""
    document = {"textDocument": {"uri": uri}}
    place = {**document, "position": START}
    item = {"name": "@main", "kind": 12, "uri": uri, "range": RANGE, "selectionRange": RANGE}
    return {
        "textDocument/hover": place,
        "textDocument/definition": place,
        "textDocument/references": {**place, "context": {"includeDeclaration": True}},
        "textDocument/documentHighlight": place,
        "textDocument/prepareRename": place,
        "textDocument/rename": {**place, "newName": "other"},
        "textDocument/completion": place,
        "textDocument/signatureHelp": place,
        "textDocument/prepareCallHierarchy": place,
        "callHierarchy/incomingCalls": {"item": item},
        "callHierarchy/outgoingCalls": {"item": item},
        "textDocument/documentSymbol": document,
        "textDocument/foldingRange": document,
        "textDocument/semanticTokens/full": document,
        "textDocument/codeLens": document,
        "textDocument/inlayHint": {**document, "range": RANGE},
        "textDocument/formatting": {**document, "options": UNIT},
        "textDocument/rangeFormatting": {**document, "range": RANGE, "options": UNIT},
        "textDocument/codeAction": {**document, "range": RANGE, "context": {"diagnostics": [DIAGNOSTIC]}},
        "workspace/executeCommand": {"command": "shlo.explain", "arguments": ["add.C1"]},
    }


class Raw:
    """A server, and the messages that it is sent."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process, self.last = process, 0
        self.logged: list[str] = []

    def send(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def receive(self) -> dict[str, Any]:
        """The next message that is no notification."""
        assert self.process.stdout is not None
        while True:
            length = 0
            while line := self.process.stdout.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message: dict[str, Any] = json.loads(self.process.stdout.read(length))
            if "id" in message:
                return message
            if message["method"] == "window/logMessage":
                assert message["params"]["type"] == 1, "an error"
                self.logged.append(message["params"]["message"])

    def ask(self, method: str, *params: Any) -> dict[str, Any]:
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method}
        self.send(json.dumps(message | ({"params": params[0]} if params else {})).encode())
        answer = self.receive()
        assert answer["id"] == self.last
        return answer

    def fails(self, method: str, *params: Any) -> int:
        """The code of the error response; its text is for users."""
        answer = self.ask(method, *params)
        assert "error" in answer, (method, params, answer)
        assert answer["error"]["message"]
        assert "Traceback" not in json.dumps(answer)
        return int(answer["error"]["code"])


@contextmanager
def serving(folder: Path) -> Iterator[Raw]:
    """A server, which writes nothing to its standard error and ends as it is told to."""
    with (folder / "stderr").open("wb") as errors:
        pipe = subprocess.PIPE
        process = subprocess.Popen([*COMMAND, "lsp"], stdin=pipe, stdout=pipe, stderr=errors, cwd=folder)
        server = Raw(process)
        yield server
        server.ask("shutdown", None)
        server.notify("exit", None)
        assert process.wait(300) == 0
        process.communicate()
    assert (folder / "stderr").read_text() == ""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    """An initialized server."""
    with serving(tmp_path_factory.mktemp("server")) as server:
        server.ask("initialize", {"capabilities": {}, "processId": None, "rootUri": None})
        server.notify("initialized", {})
        yield server


@pytest.fixture
def raw(shared: Raw, uri: str) -> Raw:
    """The server, which has opened a document."""
    document = {"uri": uri, "languageId": "mlir", "version": 5, "text": TEXT}
    shared.notify("textDocument/didOpen", {"textDocument": document})
    return shared


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "a.mlir").as_uri()


def leaves(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all members, inner and outer ones."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in pairs:
        yield (*path, key)
        yield from leaves(value, (*path, key))


def changed(params: Any, path: tuple[Any, ...], *value: Any) -> Any:
    """Parameters with another value at a path, or without one."""
    found = copy.deepcopy(params)
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    if value:
        inner[path[-1]] = value[0]
    else:
        del inner[path[-1]]
    return found


WRONG = {int: (-1, 1.5, 2.0, "1", True, [], 2**40), str: (-1, 1.5, True, [], {}), bool: (-1, 0, "true", [])}
OPTIONAL = {"code", "source", "arguments"}  # of those above


@pytest.mark.parametrize("method", requests(""))
def test_malformed_parameters(raw: Raw, uri: str, method: str) -> None:
    params = requests(uri)[method]
    assert "result" in raw.ask(method, params)
    assert raw.fails(method) == INVALID_PARAMS
    for wrong in (None, 5, "text", [], {}):
        assert raw.fails(method, wrong) == INVALID_PARAMS
    for path in leaves(params):
        value = params
        for key in path:
            value = value[key]
        if OPTIONAL.intersection(path) or isinstance(path[-1], int):
            continue
        assert raw.fails(method, changed(params, path)) == INVALID_PARAMS
        for wrong in (None, *WRONG.get(type(value), (5, "text"))):
            assert raw.fails(method, changed(params, path, wrong)) == INVALID_PARAMS
    assert "result" in raw.ask(method, params)


@pytest.mark.parametrize("method", requests(""))
def test_places_outside_of_the_document(raw: Raw, uri: str, method: str) -> None:
    params = requests(uri)[method]
    for path in leaves(params):
        if path[-1] == "line":  # beyond the end: as at the end
            for line in (3, 4, 5, 1000, 2**31 - 1):
                far = changed(params, path[:-1], {"line": line, "character": 2**31 - 1})
                answer = raw.ask(method, far)
                is_reversed = path[-2] == "start" and line > END["line"]
                assert is_reversed == ("error" in answer) or method == "textDocument/rename"
        if path[-1] in ("range", "selectionRange"):
            wrong = changed(params, path, {"start": END, "end": START})
            assert raw.fails(method, wrong) == INVALID_PARAMS
        if path[-1] == "uri":
            for name in (
                "file:///nowhere/b.mlir",
                "",
                "%",
                "http://[",
                "untitled:b",
                "file:///%00",
                "a\ud800",
            ):
                assert raw.fails(method, changed(params, path, name)) == INVALID_PARAMS


def test_diagnostics_of_an_older_version(raw: Raw, uri: str) -> None:
    params = requests(uri)["textDocument/codeAction"]
    for place in (RANGE, {"start": {"line": 99, "character": 0}, "end": {"line": 99, "character": 9}}):
        for code in ("lint.dead-op", "lint.nothing", "nothing", 5, "add.C99"):
            for data in (None, {}, {"code": code}, {"code": 5}, "data", [1], 5):
                old = {**DIAGNOSTIC, "range": place, "code": code, "data": data}
                asked = changed(params, ("context", "diagnostics", 0), old)
                assert "result" in raw.ask("textDocument/codeAction", asked)


def test_arguments_of_commands(raw: Raw, uri: str) -> None:
    for command in ("shlo.explain", "shlo.run", "shlo.nothing"):
        for wrong in (None, [], [5], [None], ["a", "b", "c"], "text", {}, [uri, 5], [5, "main"]):
            params = {"command": command, "arguments": wrong}
            assert raw.fails("workspace/executeCommand", params) == INVALID_PARAMS
        assert raw.fails("workspace/executeCommand", {"command": command}) == INVALID_PARAMS


def test_malformed_notifications_are_ignored(raw: Raw, uri: str) -> None:
    def change(version: Any, *changes: Any, uri: Any = uri) -> None:
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}
        raw.notify("textDocument/didChange", params)

    def hover() -> Any:
        return raw.ask("textDocument/hover", requests(uri)["textDocument/hover"])["result"]

    shown = hover()
    assert "%0: tensor<4xf32>" in shown["contents"]["value"]
    broken = {"text": ""}
    for version in (4, -1, 1.5, "6", None):
        change(version, broken)
    change(6, broken, uri="file:///nowhere/b.mlir")
    hover()
    ignored = "a change is ignored:"
    assert raw.logged[0] == f"{ignored} {uri} has version 5, not 4"
    assert raw.logged[-1] == f"{ignored} file:///nowhere/b.mlir is not open"
    assert all(each.startswith("textDocument/didChange is ignored: ") for each in raw.logged[2:-1])
    raw.logged.clear()
    for wrong in (5, None, {}, {"text": 5}, {"range": {"start": END, "end": START}, "text": "x"}):
        change(6, wrong)
    for place in (-1, 1.5, "1", None):
        change(6, {"range": {"start": {"line": place, "character": 0}, "end": END}, "text": "x"})
    for method in ("didOpen", "didChange", "didClose", "didSave"):
        for params in (None, 5, "text", [], {}, {"textDocument": None}, {"textDocument": {"uri": 5}}):
            raw.notify(f"textDocument/{method}", params)
    raw.notify("textDocument/didClose", {"textDocument": {"uri": "file:///nowhere/b.mlir"}})
    raw.notify("$/cancelRequest", {"id": 9999})
    raw.notify("$/cancelRequest", {"id": None})
    raw.notify("unknown/notification", {"type_name": 5})
    assert hover() == shown
    assert len(raw.logged) == 37
    change(6, {"text": TEXT.replace("4xf32", "5xf32")})
    assert "%0: tensor<5xf32>" in hover()["contents"]["value"]
    change(6, {"text": TEXT.replace("4xf32", "6xf32")})  # no older one
    assert "%0: tensor<6xf32>" in hover()["contents"]["value"]


def test_malformed_messages(raw: Raw, uri: str) -> None:
    def code(body: str | bytes) -> tuple[Any, int]:
        raw.send(body.encode() if isinstance(body, str) else body)
        answer = raw.receive()
        return answer["id"], answer["error"]["code"]

    for body in ("{", "hello", b"\xff\xfe", "[" * 100_000, '{"jsonrpc": "2.0", "id": 1, '):
        assert code(body) == (None, NOT_JSON)
    for body in ("[]", "5", "null", "{}".replace("{}", '"text"')):
        assert code(body) == (None, INVALID_REQUEST)
    assert code('{"id": 7, "method": "shutdown"}') == (7, INVALID_REQUEST)
    for id in ("null", "1.5", "[]", "{}", "true"):
        assert code(f'{{"jsonrpc": "2.0", "id": {id}, "method": "shutdown"}}') == (None, INVALID_REQUEST)
    assert code('{"jsonrpc": "2.0", "id": 7, "method": 5}') == (7, INVALID_REQUEST)
    assert raw.fails("unknown/request") == NOT_FOUND
    assert raw.fails("unknown/request", {"jsonrpc": "2.0", "id": 5}) == NOT_FOUND
    assert raw.fails("textDocument/didOpen", {}) == INVALID_REQUEST
    assert raw.fails("initialize", {"capabilities": {}}) == INVALID_REQUEST
    for answer in (
        {"id": 5},
        {"id": 5, "result": 5},
        {"id": 5, "error": 5},
        {"id": 5, "error": {"code": "x"}},
    ):
        raw.send(json.dumps({"jsonrpc": "2.0", **answer}).encode())
    raw.notify("textDocument/hover", requests(uri)["textDocument/hover"])
    assert "result" in raw.ask("textDocument/hover", requests(uri)["textDocument/hover"])


def test_requests_before_initialize_and_after_shutdown(tmp_path: Path) -> None:
    params = requests((tmp_path / "a.mlir").as_uri())["textDocument/hover"]
    with serving(tmp_path) as raw:
        assert raw.fails("textDocument/hover", params) == EARLY
        assert raw.fails("shutdown", None) == EARLY
        for wrong in (None, 5, {}, {"capabilities": 5}, {"capabilities": {"general": 5}}):
            assert raw.fails("initialize", wrong) == INVALID_PARAMS
        utf8 = {"general": {"positionEncodings": ["utf-8", "utf-16"]}}
        asked = {"capabilities": utf8, "processId": None, "rootUri": None}
        assert raw.ask("initialize", asked)["result"]["capabilities"]["positionEncoding"] == "utf-16"
        assert raw.ask("shutdown", None)["result"] is None
        assert raw.fails("textDocument/hover", params) == INVALID_REQUEST


@pytest.mark.parametrize("options", [{"allowNewer": True}, 5])
def test_an_initialization_option_accepts_newer_ops(tmp_path: Path, options: object) -> None:
    text = 'func.func @main() {\n  %0 = "stablehlo.brand_new"() : () -> tensor<f32>\n  return\n}\n'
    document = {"uri": (tmp_path / "a.mlir").as_uri(), "languageId": "mlir", "version": 1, "text": text}
    with serving(tmp_path) as raw:
        asked = {"capabilities": {}, "processId": None, "rootUri": None, "initializationOptions": options}
        raw.ask("initialize", asked)
        raw.notify("initialized", {})
        raw.notify("textDocument/didOpen", {"textDocument": document})
        style = {"tabSize": 2, "insertSpaces": True}
        asked = {"textDocument": {"uri": document["uri"]}, "options": style}
        edits = raw.ask("textDocument/formatting", asked)["result"]
    assert (edits is not None) == (options == {"allowNewer": True})  # a program with errors is not formatted


@pytest.mark.slow
def test_messages_that_end_early(tmp_path: Path) -> None:
    for sent in (b"Content-Length: 100\r\n\r\n{}", b"Content-Length: x\r\n\r\n{}"):
        done = subprocess.run([*COMMAND, "lsp"], input=sent, capture_output=True, timeout=300, cwd=tmp_path)
        assert b"Traceback" not in done.stderr
