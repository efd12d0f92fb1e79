"""The engine's end of the channel: greets, hands requests to the services, knows when it is time to leave."""

import asyncio
import contextlib
import hmac
import logging
import os
import time
from pathlib import Path

from codecite import __version__
from codecite.engine.channel import ENDPOINT_FILE, Endpoint, Stream, listen, new_endpoint
from codecite.engine.locations import LOG_FILE
from codecite.engine.protocol import (
    CLIENT_OLDER,
    ENGINE_OLDER,
    INTERNAL,
    LARGEST_FRAME,
    LARGEST_GREETING,
    PROTOCOL,
    STRANGER,
    BadFrameError,
    Message,
    Services,
    encode,
    error_body,
    meet,
)
from codecite.engine.session import Hub, RequestSession
from codecite.engine.versions import found_damaged
from codecite.model.errors import BadInput, Cancelled, CodeciteError, EngineGone, StoreDamaged

GREETING_SECONDS = 10.0  # for a new connection to say who it is

log = logging.getLogger(__name__)


class Server:
    """Serves one workspace until it is told to leave, or until nobody needs it any more."""

    def __init__(
        self,
        workspace: Path,
        store: Path,
        services: Services,
        hub: Hub,
        *,
        idle_seconds: float,
        protocol: tuple[int, int] = PROTOCOL,
    ) -> None:
        self.workspace = workspace
        self.store = store
        self.hub = hub
        self.protocol = protocol
        self.parent = os.getppid()
        self._services = services
        self._idle_seconds = idle_seconds
        self._connections: set[asyncio.Task[None]] = set()
        self._leaving = asyncio.Event()
        self._why: CodeciteError = EngineGone("the engine is leaving", "try again")
        self._started: asyncio.Task[None] | None = None
        self._listener: asyncio.Server | None = None
        self._mark: tuple[int, int] | None = None  # of the endpoint file
        self.endpoint: Endpoint
        self.failure: CodeciteError | None = None  # what kept the services from starting

    @property
    def why(self) -> CodeciteError | None:
        """Why the server leaves, None while it does not."""
        return self._why if self._leaving.is_set() else None

    def leave(self, why: CodeciteError) -> None:
        """End serving; requests under way are answered with the reason. On the event loop."""
        if not self._leaving.is_set():
            log.info("leaving: %s", why.message)
            self._why = why
            self._leaving.set()

    async def open(self) -> None:
        """Listen, and say where. The caller holds the store's lock."""
        self._listener, address = await listen(self.store, self._connected)
        self.endpoint = new_endpoint(address, self.protocol, self.workspace)
        self.endpoint.write(self.store)
        self._mark = _mark(self.store / ENDPOINT_FILE)

    async def serve(self) -> None:
        """Start the services and serve until it is time to leave."""
        self._started = asyncio.create_task(self._services.start(), name="start services")
        self._started.add_done_callback(self._start_ended)
        interval = min(1.0, max(0.02, self._idle_seconds / 4))
        needed = time.monotonic()
        while not self._leaving.is_set():
            if len(self.hub) or self._services.busy():
                needed = time.monotonic()
            elif time.monotonic() - needed >= self._patience():
                self.leave(EngineGone("the engine left: nobody needed it"))
            if (lost := self._lost_footing()) is not None:
                self.leave(EngineGone(lost, "try again: an engine starts anew"))
            if found_damaged(self.store):
                self.leave(StoreDamaged(f"the store {self.store} is damaged", "try again: it is built anew"))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(interval):
                    await self._leaving.wait()

    async def close(self) -> None:
        """Take no more clients, answer the present ones, and close the services."""
        self._leaving.set()
        if self._listener is not None:
            self._listener.close()
            with contextlib.suppress(OSError):  # what stays is replaced by the next engine
                if _mark(self.store / ENDPOINT_FILE) == self._mark:
                    (self.store / ENDPOINT_FILE).unlink()
                if self.endpoint.socket is not None:
                    self.endpoint.socket.unlink()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        if self._started is not None:
            self._started.cancel()
            await asyncio.gather(self._started, return_exceptions=True)
        await self._services.close()
        self.hub.close()

    async def call(self, method: str, params: Message, session: RequestSession) -> Message:
        """Carry out one request of a greeted client."""
        if method == "ping":
            return {}
        if method == "stop":
            self.leave(EngineGone(f"the engine was stopped by {session.client}"))
            return {"stopped": True}
        assert self._started is not None
        await asyncio.shield(self._started)
        return await self._services.call(method, params, session)

    def _start_ended(self, started: asyncio.Task[None]) -> None:
        if started.cancelled() or (error := started.exception()) is None:
            return
        log.error("the services could not start", exc_info=error)
        if not isinstance(error, CodeciteError):
            error = EngineGone(
                f"the engine could not start: {_one_line(error)}", f"see {self.store / LOG_FILE}"
            )
        self.failure = error
        self.leave(error)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        # Cancelled is how `close` ends it; streams of Python 3.11 would report that as a failure.
        with contextlib.suppress(asyncio.CancelledError):
            await _Connection(self, Stream(reader, writer, LARGEST_GREETING)).run()

    def _patience(self) -> float:
        """Return how many seconds to wait for clients; the one that started this engine is on its way."""
        return self._idle_seconds if self.hub.met else max(self._idle_seconds, GREETING_SECONDS)

    def _lost_footing(self) -> str | None:
        """Return why no client can find this engine any more, while its lock would keep others away."""
        if not self.store.is_dir():
            return f"the store {self.store} was removed while its engine ran"
        if _mark(self.store / ENDPOINT_FILE) != self._mark:
            return f"{self.store / ENDPOINT_FILE} was removed while its engine ran"
        if (socket := self.endpoint.socket) is not None and not socket.exists():
            return f"the socket {socket} was removed while its engine ran"
        return None


class _Connection:
    """One client: the greeting, then requests that overlap."""

    def __init__(self, server: Server, stream: Stream) -> None:
        self._server = server
        self._stream = stream
        self._client = "?"
        self._running: dict[int | str, tuple[asyncio.Task[None], RequestSession]] = {}

    async def run(self) -> None:
        """Serve until either side ends it; nothing that a client sends reaches further than this."""
        try:
            async with asyncio.timeout(GREETING_SECONDS):
                greeted = await self._greet()
            if greeted:
                self._stream.frames.limit = LARGEST_FRAME
                log.info("%s connected", self._client)
                while (message := await self._stream.receive()) is not None:
                    self._take(message)
        except BadFrameError as error:
            log.warning("connection of %s closed: %s", self._client, error)
        except (TimeoutError, ConnectionError) as error:
            log.info("connection of %s ended: %r", self._client, error)
        finally:
            self._server.hub.part(self._stream)
            for task, session in self._running.values():
                session.cancelled.set()
                task.cancel()
            await asyncio.gather(*(task for task, _ in self._running.values()), return_exceptions=True)
            await self._stream.close()

    async def _greet(self) -> bool:
        """Answer base requests until a `hello` succeeds; say whether one did."""
        while (message := await self._stream.receive()) is not None:
            number, method, params = _request(message)
            token = params.get("token")
            if not isinstance(token, str) or not hmac.compare_digest(
                token.encode("utf-8", "replace"), self._server.endpoint.token.encode()
            ):
                log.warning("a connection with a wrong token was refused")
                await self._refuse(number, STRANGER, "this is not the engine's token")
                return False
            if method == "stop":
                await self._stream.send({"id": number, "result": {"stopped": True}})
                self._server.leave(EngineGone("the engine was stopped"))
                return False
            if method != "hello":
                raise BadFrameError(f"{method!r} before hello")
            met = meet(self._server.protocol, params.get("protocol"))
            if isinstance(met, int):
                if self._server.why is not None:
                    return False  # whoever comes while the engine leaves is better served by the next one
                self._client = str(params.get("client", "?"))[:80]
                self._server.hub.join(self._stream)  # from here on somebody needs this engine
                await self._stream.send({"id": number, "result": self._introduction(met)})
                return True
            older = {ENGINE_OLDER: "the running engine is too old", CLIENT_OLDER: "this client is too old"}
            await self._refuse(number, met, f"{older[met]}: the engine's version is {__version__}")
        return False

    def _introduction(self, protocol: int) -> Message:
        return {
            "protocol": protocol,
            "version": __version__,
            "workspace": str(self._server.workspace),
            "store": str(self._server.store),
            "pid": self._server.endpoint.pid,
            "parent": self._server.parent,
        }

    async def _refuse(self, number: int | str, code: str, message: str) -> None:
        await self._stream.send({"id": number, "error": {"code": code, "message": message, "mend": ""}})

    def _take(self, message: Message) -> None:
        if "id" not in message:
            if message.get("method") == "cancel":
                self._cancel(message.get("params"))
            return  # a notification of a newer version harms nobody
        number, method, params = _request(message)
        if number in self._running:
            raise BadFrameError(f"a second request with the id {number!r}")
        session = RequestSession(self._stream, number, self._client)
        task = asyncio.create_task(self._answer(number, method, params, session), name=f"{method} {number}")
        self._running[number] = task, session
        task.add_done_callback(lambda _: self._running.pop(number))

    def _cancel(self, params: object) -> None:
        match params:
            case {"id": int() | str() as number} if number in self._running:
                task, session = self._running[number]
                session.cancelled.set()
                task.cancel()

    async def _answer(self, number: int | str, method: str, params: Message, session: RequestSession) -> None:
        try:
            frame = encode({"id": number, "result": await self._server.call(method, params, session)})
            if len(frame) > LARGEST_FRAME:
                frame = _failure(
                    number, BadInput("the result is too large to send", "ask for less at a time")
                )
        except asyncio.CancelledError:
            if isinstance(self._server.why, StoreDamaged):
                return
            frame = _failure(number, self._server.why or Cancelled(f"`{method}` was taken back"))
        except StoreDamaged as error:
            self._server.leave(error)
            return  # no reply: the end of the connection sends the client to the next engine, which builds it anew
        except CodeciteError as error:
            frame = _failure(number, error)
        except Exception as error:
            log.exception("%s failed", method)  # a defect of one request must not end the others
            mend = f"see {self._server.store / LOG_FILE}"
            body = {"code": INTERNAL, "message": f"internal error: {_one_line(error)}", "mend": mend}
            frame = encode({"id": number, "error": body})
        session.finish()
        with contextlib.suppress(ConnectionError):  # whoever asked may be gone
            await self._stream.send_frame(frame)


def _request(message: Message) -> tuple[int | str, str, Message]:
    number, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if not isinstance(number, int | str) or not isinstance(method, str) or not isinstance(params, dict):
        raise BadFrameError("not a request")
    return number, method, params


def _failure(number: int | str, error: CodeciteError) -> bytes:
    return encode({"id": number, "error": error_body(error)})


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _mark(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from a later one of the same name, None when it is gone."""
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_ino, seen.st_mtime_ns
