"""Which handler answers which message."""

from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types

from codecite.lsp import lifecycle, notifications
from codecite.lsp.commands import COMMANDS, execute
from codecite.lsp.engines import Json, MakeEngine
from codecite.lsp.errors import answering
from codecite.lsp.hover import hover
from codecite.lsp.params import work_done_token
from codecite.lsp.protocol import Server
from codecite.lsp.requests import REQUESTS, Request
from codecite.lsp.session import Session
from codecite.lsp.symbols import workspace_symbol

_NOTIFICATIONS: dict[str, Callable[[Session, Any], None]] = {
    types.INITIALIZE: lifecycle.initialize,  # pygls answers it when this has returned
    types.INITIALIZED: lifecycle.initialized,
    types.SHUTDOWN: lifecycle.shutdown,  # likewise
    types.EXIT: lifecycle.leave,
    types.TEXT_DOCUMENT_DID_OPEN: notifications.did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: notifications.did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: notifications.did_close,
    types.TEXT_DOCUMENT_DID_SAVE: notifications.did_save,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: notifications.did_change_watched_files,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: notifications.did_change_folders,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: notifications.work_done_progress_cancel,
}

_STANDARD: dict[str, Callable[[Session, Any], Awaitable[Any]]] = {
    types.TEXT_DOCUMENT_HOVER: hover,
    types.WORKSPACE_SYMBOL: workspace_symbol,
}


def build(make_engine: MakeEngine, watch_parent: Callable[[int], None]) -> Session:
    """Return a session whose server has every handler in place, ready to be given a stream."""
    server = Server()
    session = Session(server, make_engine, watch_parent)
    server.protocol.gate = lambda method: _refusal(session, method)
    for method, notified in _NOTIFICATIONS.items():
        server.feature(method)(_bound(session, notified))
    for method, asked in _STANDARD.items():
        server.feature(method)(answering(_standard(session, asked)))
    for name, request in REQUESTS.items():
        server.feature(f"codecite/{name}")(answering(_custom(session, request)))
    for command in COMMANDS:
        server.command(command)(
            _custom(session, COMMANDS[command])
        )  # for the list of capabilities; run by the next
    server.feature(types.WORKSPACE_EXECUTE_COMMAND)(answering(_command(session)))
    return session


def _bound(session: Session, handle: Callable[[Session, Any], None]) -> Callable[[Any], None]:
    def notified(params: Any) -> None:
        handle(session, params)

    return notified


def _standard(
    session: Session, asked: Callable[[Session, Any], Awaitable[Any]]
) -> Callable[[Any], Awaitable[Any]]:
    async def requested(params: Any) -> Any:
        return await asked(session, params)

    return requested


def _custom(session: Session, request: Request) -> Callable[[Any], Awaitable[Json]]:
    async def requested(params: Any) -> Json:
        return await request(session, params, work_done_token(params))

    return requested


def _command(session: Session) -> Callable[[types.ExecuteCommandParams], Awaitable[Json]]:
    async def commanded(params: types.ExecuteCommandParams) -> Json:
        return await execute(session, params)

    return commanded


def _refusal(session: Session, method: str) -> types.ResponseError | None:
    if session.shut_down:
        return types.ResponseError(types.ErrorCodes.InvalidRequest, "the server was shut down")
    if session.greeted == (method == types.INITIALIZE):
        return (
            types.ResponseError(types.ErrorCodes.InvalidRequest, "the server is initialized already")
            if session.greeted
            else types.ResponseError(
                types.ErrorCodes.ServerNotInitialized, "the server is not initialized yet"
            )
        )
    return None
