"""The server: registers the features, keeps the documents, and publishes diagnostics."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from stablehlo_py.lsp import (
    actions,
    commands,
    completion,
    formatting,
    hover,
    navigation,
    outline,
    semantic_tokens,
    signatures,
)
from stablehlo_py.lsp.diagnostics import find_diagnostics, to_protocol
from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Feature, Session, path_of
from stablehlo_py.lsp.hlo import HANDLERS
from stablehlo_py.lsp.protocol import Protocol, Server, make_converter

PAUSE = 0.1  # seconds without a change after which a document is checked
_MODULES = (actions, completion, formatting, hover, navigation, outline, semantic_tokens, signatures)
FEATURES: Iterable[Feature] = tuple([feature for module in _MODULES for feature in module.FEATURES])


def make_server(version: str) -> Any:
    """Make a language server.

    Args:
        version: The version of the package.

    Returns:
        A `pygls` server; `start_io()` and `start_tcp(host, port)` run it.
    """
    server = Server("shlo", version, protocol_cls=Protocol, converter_factory=make_converter)
    session = Session(lambda text: _warn(server, text))
    server.protocol.on_options = session.configure

    def current(uri: str) -> Document:
        try:
            text = server.workspace.get_text_document(uri)
            if text.version is None and not Path(path_of(uri)).is_file():
                raise JsonRpcInvalidParams(f"{uri} is not open, and not a file")
            return session.document(uri, text.source, text.version or 0)
        except (OSError, ValueError) as error:
            raise JsonRpcInvalidParams(f"{uri} cannot be read: {error}") from None

    for feature in FEATURES:
        register = server.feature(feature.method, feature.options)
        register(_handler(feature, session, current))
    _publish_diagnostics(server, session, current)
    _register_commands(server, current)
    return server


def _register_commands(server: Any, current: Callable[[str], Document]) -> None:
    """Register the commands of code lenses and code actions; their results are also shown as messages."""

    def show(text: str) -> str:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
        return text

    def run(uri: str, function: str) -> str:
        return show(commands.run(current(uri), function))

    def explain(code: str) -> str:
        return show(commands.explain_code(code))

    server.command(actions.RUN)(server.thread()(run))
    server.command(actions.EXPLAIN)(explain)


def _handler(feature: Feature, session: Session, current: Callable[[str], Document]) -> Callable[[Any], Any]:
    def handle(params: Any) -> Any:
        place = getattr(params, "text_document", None) or params.item  # of the call hierarchy
        document = current(place.uri)
        if document.is_hlo:
            answer = HANDLERS.get(feature.method)
            return answer(session, document, params) if answer is not None else None
        return feature.answer(session, document, params)

    return handle


def _publish_diagnostics(server: Any, session: Session, current: Callable[[str], Document]) -> None:
    """Register the notifications about documents, which publish diagnostics after a pause."""
    changes: dict[str, int] = {}

    def publish(uri: str) -> None:
        document = current(uri)
        found = [to_protocol(document, diagnostic) for diagnostic in find_diagnostics(session, document)]
        params = types.PublishDiagnosticsParams(uri, found, document.version)
        server.text_document_publish_diagnostics(params)

    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        change = changes[uri] = changes.get(uri, 0) + 1
        await asyncio.sleep(PAUSE)
        if changes.get(uri) == change:
            publish(uri)

    def opened(params: types.DidOpenTextDocumentParams) -> None:
        publish(params.text_document.uri)

    def saved(params: types.DidSaveTextDocumentParams) -> None:
        publish(params.text_document.uri)  # the configuration may have changed

    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        changes.pop(uri, None)
        session.close(uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(opened)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(changed)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(saved)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)


def _warn(server: Any, text: str) -> None:
    server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, text))
