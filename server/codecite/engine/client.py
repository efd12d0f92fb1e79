"""The engine as every front end sees it: connect, call, hear of events.

The engine is found where one runs and started where none does. One that ends in the middle of a request is
started again and asked again, once, if the request may be repeated.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from codecite.engine.channel import ENDPOINT_FILE
from codecite.engine.launch import COMMAND, reach
from codecite.engine.link import LINK_LOST, Link, LinkLostError, OnEvent, OnProgress
from codecite.engine.locations import LOG_FILE, identity, store_path
from codecite.engine.protocol import PROTOCOL, Message
from codecite.model.errors import EngineGone

# Methods that only read, or bring the store to the same state however often they run.
REPEATABLE = frozenset(
    {"anchor", "ask", "blocks", "changed", "eval", "impact", "index", "log", "ping", "search", "status"}
)

__all__ = ["LINK_LOST", "REPEATABLE", "EngineClient"]


class EngineClient:
    """A connection to the engine of one workspace that outlives the engine.

    `on_event(method, params)` is called on the event loop for each notification of the engine, and with
    LINK_LOST {died} when the engine went away; the next call finds or starts another. One that leaves in good order
    takes its endpoint file away first, so where that is left the engine `died`.
    """

    def __init__(
        self,
        workspace: Path,
        *,
        client: str,
        start: bool,
        command: Sequence[str] = COMMAND,
        protocol: tuple[int, int] = PROTOCOL,
    ) -> None:
        self.workspace = identity(workspace)
        self.on_event: OnEvent | None = None
        self._client = client
        self._start = start
        self._command = command
        self._protocol = protocol
        self._link: Link | None = None
        self._reaching = asyncio.Lock()
        self._closed = False

    @classmethod
    async def connect(
        cls,
        workspace: Path,
        *,
        client: str = "cli",
        start: bool = True,
        command: Sequence[str] = COMMAND,
        protocol: tuple[int, int] = PROTOCOL,
    ) -> Self:
        """Connect to the engine of a workspace folder; with `start`, start it where none runs.

        `client` names the front end in the engine's log. `command` is what starts an engine, completed with
        `--workspace DIR`. Raises EngineGone when none runs and none is to be or can be started, StoreLocked
        when the store is in other hands, Unavailable when the engine is of an incompatible version.
        """
        engine = cls(workspace, client=client, start=start, command=command, protocol=protocol)
        await engine._connected()
        return engine

    @property
    def engine(self) -> Message:
        """What the engine said of itself: {protocol, version, workspace, store, pid, parent}."""
        assert self._link is not None
        return self._link.engine

    async def call(
        self, method: str, params: Message | None = None, *, on_progress: OnProgress | None = None
    ) -> Message:
        """Return the result of a request to the engine.

        `on_progress` gets {phase, done, total, message} on the event loop. Cancelling the task takes the
        request back. Raises the CodeciteError that the engine answered, EngineGone when the engine ended
        meanwhile (after a second try, for REPEATABLE methods), and what `connect` raises.
        """
        try:
            return await self._attempt(method, params or {}, on_progress)
        except LinkLostError as lost:
            if self._closed or (lost.delivered and method not in REPEATABLE):
                raise self._gone(method) from lost
        try:
            return await self._attempt(method, params or {}, on_progress)
        except LinkLostError as lost:
            raise self._gone(method) from lost

    async def close(self) -> None:
        """End the connection; the engine stays for others, and leaves by itself when idle."""
        self._closed = True
        if self._link is not None:
            await self._link.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _attempt(self, method: str, params: Message, on_progress: OnProgress | None) -> Message:
        return await (await self._connected()).request(method, params, on_progress)

    async def _connected(self) -> Link:
        async with self._reaching:
            if self._closed:
                raise EngineGone("this connection to the engine was closed")
            if self._link is None or self._link.lost:
                if self._link is not None:
                    await self._link.close()
                self._link = await reach(
                    self.workspace,
                    client=self._client,
                    protocol=self._protocol,
                    on_event=self._tell,
                    command=self._command if self._start else None,
                )
            return self._link

    def _tell(self, method: str, params: Message) -> None:
        if self.on_event is not None and not self._closed:
            if method == LINK_LOST:
                params = {"died": (store_path(self.workspace) / ENDPOINT_FILE).exists()}
            self.on_event(method, params)

    def _gone(self, method: str) -> EngineGone:
        log = store_path(self.workspace) / LOG_FILE
        return EngineGone(f"the engine ended while it worked on `{method}`", f"try again; {log} may say why")
