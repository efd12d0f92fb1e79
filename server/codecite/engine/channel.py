"""The channel: how a client finds the engine's ear, and frames over a stream.

An engine listens on a Unix socket, or where there is none on a free port of the loopback. `engine.json` in
the store says where, together with a random token; only this user can read it, so knowing the token is proof
of being that user on every platform.
"""

import asyncio
import contextlib
import json
import os
import secrets
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from codecite import __version__
from codecite.engine.locations import socket_path
from codecite.engine.protocol import LARGEST_FRAME, Frames, Message, encode
from codecite.model.errors import StoreLocked

ENDPOINT_FILE = "engine.json"

_CHUNK = 256 * 1024  # bytes a read
_MOST_UNREAD = (
    8 * 1024 * 1024
)  # bytes: a client that leaves more than this unread gets no further notifications
_REPLACE_TRIES = 100
_FLUSH_SECONDS = 1.0

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an engine listens and what it expects to hear."""

    address: str  # "unix:PATH" or "tcp:HOST:PORT"
    token: str
    pid: int
    protocol: tuple[int, int]
    version: str
    workspace: str = ""  # the folder that is served; engines of before there were hooks do not say

    @classmethod
    def read(cls, store: Path) -> "Endpoint | None":
        """Return what the store's endpoint file says, None when there is none or it is broken.

        Raises StoreLocked when it is not ours to read.
        """
        try:
            data = json.loads((store / ENDPOINT_FILE).read_text(encoding="utf-8"))
            lowest, highest = data["protocol"]
            workspace = str(data.get("workspace", ""))
            return cls(
                data["address"],
                data["token"],
                int(data["pid"]),
                (lowest, highest),
                data["version"],
                workspace,
            )
        except PermissionError as error:
            if sys.platform == "win32":
                return None  # it is being replaced at this moment
            raise StoreLocked(f"the store {store} belongs to another user") from error
        except (OSError, ValueError, KeyError, TypeError):
            return None  # an engine writes it whole; anything else is for the next engine to replace

    def write(self, store: Path) -> None:
        """Put the file in place whole, mode 0600; for the holder of the lock."""
        fresh = store / f"{ENDPOINT_FILE}.new"
        with os.fdopen(
            os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
        ) as file:
            json.dump(asdict(self), file)
        for _ in range(_REPLACE_TRIES):
            with contextlib.suppress(PermissionError):  # Windows, while a client reads the old one
                fresh.replace(store / ENDPOINT_FILE)
                return
            time.sleep(0.01)
        raise StoreLocked(f"{store / ENDPOINT_FILE} is held open", "end the program that holds it")

    @property
    def socket(self) -> Path | None:
        """The socket's path, None for an endpoint without one."""
        kind, _, place = self.address.partition(":")
        return Path(place) if kind == "unix" else None


class Stream:
    """Messages over a pair of asyncio streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limit: int) -> None:
        self._reader = reader
        self._writer = writer
        self.frames = Frames(limit)

    async def receive(self) -> Message | None:
        """Return the next message, None at the end of the stream. Raises BadFrameError."""
        while (message := self.frames.next()) is None:
            try:
                data = await self._reader.read(_CHUNK)
            except ConnectionError:
                return None
            if not data:
                return None
            self.frames.feed(data)
        return message

    async def send(self, message: Message) -> None:
        """Send a message and wait until the other side keeps up. Raises ConnectionError when it is gone."""
        await self.send_frame(encode(message))

    async def send_frame(self, frame: bytes) -> None:
        """Send what `encode` made of a message; like `send`."""
        self._writer.write(frame)
        await self._writer.drain()

    def hint(self, message: Message) -> None:
        """Send a message that may be lost: one for a side that is gone or does not read is dropped."""
        transport = self._writer.transport
        if not transport.is_closing() and transport.get_write_buffer_size() < _MOST_UNREAD:
            self._writer.write(encode(message))

    async def close(self) -> None:
        """Close both directions; what was sent still goes out if the other side reads it within a second."""
        self._writer.close()
        with contextlib.suppress(ConnectionError):  # the other side may have been faster
            try:
                async with asyncio.timeout(_FLUSH_SECONDS):
                    await self._writer.wait_closed()
            except TimeoutError:
                self._writer.transport.abort()


async def listen(store: Path, serve: Serve) -> tuple[asyncio.Server, str]:
    """Listen for clients of a store's engine, whose lock the caller holds; return the server and its address.

    The process's umask must keep others out: the socket takes its mode from it.
    """
    if sys.platform != "win32":
        path = socket_path(store)
        path.unlink(missing_ok=True)  # left by an engine that was killed: we hold the lock, so it is dead
        return await asyncio.start_unix_server(serve, path, backlog=128), f"unix:{path}"
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=128)
    return server, f"tcp:127.0.0.1:{server.sockets[0].getsockname()[1]}"


def new_endpoint(address: str, protocol: tuple[int, int], workspace: Path) -> Endpoint:
    """Return an endpoint of this process with a fresh token (256 bits)."""
    return Endpoint(address, secrets.token_urlsafe(32), os.getpid(), protocol, __version__, str(workspace))


async def dial(endpoint: Endpoint) -> Stream:
    """Connect to where an endpoint says. Raises OSError when nobody listens there."""
    if sys.platform != "win32" and endpoint.socket is not None:
        reader, writer = await asyncio.open_unix_connection(endpoint.socket)
    else:
        _, host, port = endpoint.address.split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
    return Stream(reader, writer, LARGEST_FRAME)
