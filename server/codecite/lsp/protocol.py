"""pygls, bent where it would fail or lie: the one place that knows its insides.

- Parameters of our own requests arrive as the JSON they are, not as named tuples that rename keys.
- A request that cannot be read, comes too early or after `shutdown` is answered with an error, not left open.
- pygls's own handlers for documents, notebooks, folders, commands and `exit` are taken out, since ours
  replace them: its documents split lines where editors do not and raise on a second spelling of a URI, its
  folders are added before others are removed, its commands are not cancelled, its `exit` ends the process
  from inside a callback.
"""

from collections.abc import Callable
from typing import Any

import cattrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    default_converter,
)
from pygls.protocol.json_rpc import RPCMessage, RPCRequest

from codecite import __version__

REPLACED = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.WORKSPACE_EXECUTE_COMMAND,
    types.EXIT,
)

_UNREADABLE = JsonRPCNotification(
    "$/unreadable", "2.0", None
)  # nobody handles it, and nothing is said about it


class Protocol(LanguageServerProtocol):
    """Answers every request once. `gate(method)` returns why a request cannot be served now, or None."""

    def __init__(self, server: LanguageServer, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self.gate: Callable[[str], types.ResponseError | None] = lambda _: None
        for method in REPLACED:
            del self.fm.builtin_features[method]

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return the message that JSON stands for; a request that is malformed is answered here."""
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "method" in data and "id" in data:
                what = f"the parameters of {data['method']} are not what the protocol says"
                self._refuse(data["id"], types.ResponseError(types.ErrorCodes.InvalidParams, what))
            return _UNREADABLE

    def handle_message(self, message: RPCMessage) -> None:
        """Hand a message to its handler, or refuse it."""
        if isinstance(message, RPCRequest) and (error := self.gate(message.method)):
            self._refuse(message.id, error)
        else:
            super().handle_message(message)

    def _refuse(self, msg_id: int | str, error: types.ResponseError) -> None:
        self._send_response(msg_id, error=error)


class Server(LanguageServer):
    """pygls's server, silent about itself: what a user should hear is said by the handlers."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__("codecite", __version__, protocol_cls=Protocol, converter_factory=_converter)

    def report_server_error(
        self, error: Exception, source: type[PyglsError] | type[JsonRpcException]
    ) -> None:
        """Show nothing: a request is answered with its error, and the rest means something to us alone."""


def _converter() -> cattrs.Converter:
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]  # untyped in pygls
    converter.register_structure_hook(
        JsonRPCRequestMessage,
        lambda data, _: JsonRPCRequestMessage(
            data["id"], data["method"], data["jsonrpc"], data.get("params")
        ),
    )
    converter.register_structure_hook(
        JsonRPCNotification,
        lambda data, _: JsonRPCNotification(data.get("method", ""), data["jsonrpc"], data.get("params")),
    )
    converter.register_structure_hook(
        JsonRPCResponseMessage,
        lambda data, _: JsonRPCResponseMessage(data["id"], data["jsonrpc"], data.get("result")),
    )
    return converter
