"""JSON-RPC: every request is answered, a malformed one with an error."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any
from urllib.parse import unquote

from attrs import fields_dict
from cattrs import Converter, transform_error
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import (
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    lsp_method,
)

_BROKEN = (ValueError, RecursionError)  # of a body: no JSON, no UTF-8, nested too deeply

# An error response says what is wrong; the log of pygls would repeat it on standard error, with a traceback.
logging.getLogger("pygls").addHandler(logging.NullHandler())


def make_converter() -> Any:
    """Make the converter of messages, which converts no scalar to another type."""
    converter: Any = Converter()
    for scalar in (int, str, bool):
        converter.register_structure_hook(scalar, _strict)
    get_converter(converter)
    converter.register_structure_hook(JsonRPCResponseMessage, lambda data, cls: cls(**data))
    structure = converter.get_structure_hook(types.Range)

    def structure_range(data: Any, cls: type) -> types.Range:
        found: types.Range = structure(data, cls)
        if found.end < found.start:
            raise ValueError(f"the range ends at {found.end}, before it starts at {found.start}")
        return found

    converter.register_structure_hook(types.Range, structure_range)
    return converter


def _strict(data: Any, cls: type) -> Any:
    scalar = cls if not issubclass(cls, Enum) else int if issubclass(cls, int) else str
    if type(data) is not scalar:
        raise TypeError(f"expected {scalar.__name__}, found {type(data).__name__}")
    return data if cls is scalar else cls(data)


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, which checks whole messages and refuses those that are malformed.

    Attributes:
        on_options: Takes the initialization options of the client.
    """

    on_options: Callable[[Any], None] = staticmethod(lambda options: None)

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave an object as it is: `handle_message` converts whole messages."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle a message; answer a malformed request with an error, and log a malformed notification."""
        try:
            structured = self._structured(message)
        except JsonRpcException as error:
            self.refuse(message, error)
        else:
            if structured is not None:
                super().handle_message(structured)

    def _structured(self, message: Any) -> Any:
        """Convert a message; None for a notification that nothing handles."""
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            raise JsonRpcInvalidRequest('expected an object with "jsonrpc": "2.0"')
        is_request = "id" in message
        if is_request and type(message["id"]) not in (int, str):
            raise JsonRpcInvalidRequest("expected a string or an integer as id")
        if "method" in message:
            expected = self._message_type(message["method"], is_request)
        elif "error" in message:
            expected = types.ResponseErrorMessage
        else:
            expected = self._result_types.pop(message.get("id", ""), None) or JsonRPCResponseMessage
        try:
            return self._converter.structure(message, expected) if expected is not None else None
        except Exception as error:
            raise JsonRpcInvalidParams("; ".join(transform_error(error, path="message"))) from error

    def _message_type(self, method: Any, is_request: bool) -> Any:
        """Return the type of a request or notification; None for a notification that nothing handles."""
        if not isinstance(method, str):
            raise JsonRpcInvalidRequest("expected a string as method")
        is_handled = method in {*self.fm.builtin_features, *self.fm.features, types.CANCEL_REQUEST}
        is_early = self._workspace is None and method not in (types.INITIALIZE, types.EXIT)
        if not is_request and (is_early or not is_handled):
            return None
        if is_request and self._shutdown:
            raise JsonRpcInvalidRequest("the server is shut down")
        if is_early:
            raise JsonRpcServerNotInitialized("expected the request initialize first")
        if self._workspace is not None and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("the server is initialized already")
        if not is_handled:
            raise JsonRpcMethodNotFound.of(method)
        found: Any = self.get_message_type(method)
        if is_request != ("id" in fields_dict(found)):
            raise JsonRpcInvalidRequest(f"{method} is a {'notification' if is_request else 'request'}")
        return found

    def refuse(self, message: Any, error: JsonRpcException) -> None:
        """Answer a malformed request with an error; log a malformed notification or response."""
        is_object = isinstance(message, dict)
        if is_object and not ("id" in message and "method" in message):
            self.log(f"{message.get('method', 'a message')} is ignored: {error.message}")
            return
        found = message["id"] if is_object else None
        id = found if type(found) in (int, str) else None
        body = {"jsonrpc": self.VERSION, "id": id, "error": {"code": error.code, "message": error.message}}
        self._send_data(body)

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        """Send a response; an error without the traceback that pygls puts into its data."""
        if error is not None:
            error.data = None
        super()._send_response(msg_id, result, error)

    def log(self, text: str) -> None:
        """Log what is wrong with a notification or a response, which have no response."""
        self._server.window_log_message(types.LogMessageParams(types.MessageType.Error, text))

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Any:
        """Start; positions are in UTF-16 units, whatever else the client supports."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        self.on_options(params.initialization_options)
        return (yield from super().lsp_initialize(params))

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Any:
        """Execute a command; arguments that are left out are none."""
        params.arguments = params.arguments or []
        return (yield from super().lsp_workspace__execute_command(params))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        """Change a document that is open, and older than the change."""
        changed = params.text_document
        known = self.workspace.text_documents.get(unquote(changed.uri))
        if known is None or known.version is None:
            self.log(f"a change is ignored: {changed.uri} is not open")
        elif changed.version < known.version:
            self.log(f"a change is ignored: {changed.uri} has version {known.version}, not {changed.version}")
        else:
            yield from super().lsp_text_document__did_change(params)


class Server(LanguageServer):
    """The server of pygls, which reports what it cannot read to the client."""

    protocol: Protocol

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Answer a body that is no JSON; report the failure of a notification."""
        if isinstance(error, _BROKEN):
            self.protocol.refuse(None, JsonRpcParseError(f"the message is not valid JSON: {error}"))
        else:
            super().report_server_error(error, source)
