"""What an engine and its clients say to each other: one JSON object a line, in UTF-8.

    request       {"id": 7, "method": "ask", "params": {...}}
    reply         {"id": 7, "result": {...}}  or  {"id": 7, "error": {"code", "message", "mend"}}
    notification  {"method": "progress", "params": {"id": 7, "phase", "done", "total", "message"}}
    cancel        {"method": "cancel", "params": {"id": 7}}

The first request of a connection is `hello {protocol: [lowest, highest], token, client, version}`; the engine
answers `{protocol, version, workspace, store, pid, parent}` with the highest protocol that both sides speak. Where
the ranges do not meet it answers with the code ENGINE_OLDER or CLIENT_OLDER.

Frozen for good, so that any two versions can part in peace: this framing, `hello` and its two refusals, and
`stop {token}`, which is taken in place of `hello` at any protocol.
"""

import json
import threading
from collections.abc import Mapping
from typing import Any, Protocol

from codecite.model.errors import KINDS, CodeciteError

PROTOCOL = (1, 1)  # lowest and highest that this version speaks

Message = dict[str, Any]

LARGEST_FRAME = 64 * 1024 * 1024  # bytes: the blocks of a very large workspace in one reply
LARGEST_GREETING = 64 * 1024  # bytes: what a stranger may make the engine hold before it has shown the token

ENGINE_OLDER = "engine-older"
CLIENT_OLDER = "client-older"
STRANGER = "stranger"  # the token was wrong
INTERNAL = "internal"


class BadFrameError(Exception):
    """What came is not a message, or too large: the connection is of no more use."""


class Services(Protocol):
    """What an engine process offers once it is reachable."""

    async def start(self) -> None:
        """Begin, once the socket is bound; calls wait for the return. Slow imports go off the event loop."""

    async def call(self, method: str, params: Message, session: "Session") -> Message:
        """Carry out one request. Raises CodeciteError for what the user is to read; may be cancelled."""

    def busy(self) -> bool:
        """Say whether work is running or queued that an engine without clients should still finish."""

    async def close(self) -> None:
        """Let go of everything; the process ends next."""


class Session(Protocol):
    """One request as its service sees it. Every method may be called from any thread."""

    @property
    def client(self) -> str:
        """Name that the client gave itself, such as "cli" or "lsp"."""

    @property
    def cancelled(self) -> threading.Event:
        """Set once the client took the request back or is gone: what a thread looks at between two steps."""

    def progress(self, phase: str, done: int, total: int, message: str = "") -> None:
        """Tell the client how far the request is; only the newest of a tenth of a second is sent."""

    def notify(self, method: str, params: Message) -> None:
        """Send this request's client a notification, in order with its other messages."""


# ASCII escapes carry lone surrogates, which file names may hold and UTF-8 may not.
_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as one line. Raises ValueError for NaN, TypeError for what JSON cannot hold."""
    return _ENCODER.encode(message).encode("ascii") + b"\n"


def decode(line: bytes) -> Message:
    """Return the message of one line. Raises BadFrameError when it is not a JSON object."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadFrameError(f"not JSON: {error}") from error
    if not isinstance(message, dict):
        raise BadFrameError("not a JSON object")
    return message


class Frames:
    """Cuts what comes in, in pieces of any size, into messages."""

    def __init__(self, limit: int) -> None:
        self.limit = limit  # bytes in one frame; may be raised once the other side is known
        self._data = bytearray()
        self._searched = 0  # bytes at the front that hold no end of line

    def feed(self, data: bytes) -> None:
        """Take the next piece of the stream."""
        self._data += data

    def next(self) -> Message | None:
        """Return the next whole message, None when more is needed. Raises BadFrameError."""
        end = self._data.find(b"\n", self._searched)
        self._searched = len(self._data) if end < 0 else end
        if self._searched > self.limit:
            raise BadFrameError(f"a frame of more than {self.limit:,} bytes")
        if end < 0:
            return None
        line = bytes(self._data[:end])
        del self._data[: end + 1]
        self._searched = 0
        return decode(line)


def meet(ours: tuple[int, int], theirs: object) -> int | str:
    """Return the highest protocol in both ranges, or which side is older: ENGINE_OLDER or CLIENT_OLDER.

    `ours` is the engine's range, `theirs` what the client sent. Raises BadFrameError when that is not a
    range.
    """
    match theirs:
        case [int(lowest), int(highest)] if lowest <= highest:
            pass
        case _:
            raise BadFrameError(f"not a protocol range: {theirs!r}")
    if lowest > ours[1]:
        return ENGINE_OLDER
    if highest < ours[0]:
        return CLIENT_OLDER
    return min(ours[1], highest)


def error_body(error: CodeciteError) -> Message:
    """Return the `error` of a reply."""
    return {"code": error.code, "message": error.message, "mend": error.mend}


def error_of(body: Message) -> CodeciteError:
    """Return the exception that an `error` stands for; a code of a newer version becomes the general one."""
    kind = KINDS.get(str(body.get("code")), CodeciteError)
    return kind(str(body.get("message", "the engine gave no reason")), str(body.get("mend", "")))
