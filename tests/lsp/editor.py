"""A client of the language server: the server is a process of its own, as in an editor."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

COMMAND = [sys.executable, "-c", "from stablehlo_py.cli.main import main; main()"]


class Client:
    """Opens documents and sends requests; synchronous, for short tests."""

    def __init__(self, loop: asyncio.AbstractEventLoop, client: LanguageClient, folder: Path) -> None:
        self.loop, self.client, self.folder = loop, client, folder
        self.versions: dict[str, int] = {}
        self.capabilities = types.ServerCapabilities()

    def wait(self, work: Awaitable[Any]) -> Any:
        return self.loop.run_until_complete(asyncio.wait_for(work, 120))

    def open(self, text: str, name: str = "a.mlir") -> str:
        uri = (self.folder / name).as_uri()
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, "mlir", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str) -> None:
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """What the server reports next."""
        self.client.diagnostics.pop(uri, None)

        async def published() -> None:
            while uri not in self.client.diagnostics:
                await self.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)

        self.wait(published())
        return list(self.client.diagnostics[uri])

    def ask(self, method: str, params: Any) -> Any:
        return self.wait(self.client.protocol.send_request_async(method, params))


@pytest.fixture(scope="session")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One server for all tests."""
    loop = asyncio.new_event_loop()
    client = make_test_lsp_client()
    folder = tmp_path_factory.mktemp("lsp")
    session = Client(loop, client, folder)

    async def start() -> None:
        await client.start_io(*COMMAND, "lsp")
        capabilities = types.ClientCapabilities()
        result = await client.initialize_session(
            types.InitializeParams(capabilities=capabilities, root_uri=folder.as_uri())
        )
        session.capabilities = result.capabilities

    session.wait(start())
    yield session
    session.wait(client.shutdown_session())
    session.wait(client.stop())
    loop.close()


@pytest.fixture
def client(started: Client, tmp_path: Path) -> Client:
    """The client; its files are in a folder of the test."""
    started.folder = tmp_path
    return started
