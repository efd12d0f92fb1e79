"""A client's end of one connection to an engine: greeting, requests that overlap, what arrives unasked."""

import asyncio
import itertools
import logging
from collections.abc import Callable

from codecite import __version__
from codecite.engine import protocol as protocols
from codecite.engine.channel import Endpoint, Stream, dial
from codecite.engine.protocol import BadFrameError, Message, error_of
from codecite.model.errors import Unavailable

OnProgress = Callable[[Message], None]
OnEvent = Callable[[str, Message], None]

log = logging.getLogger(__name__)

LINK_LOST = "link-lost"  # the event that tells a client's own `on_event` that its engine went away


class LinkLostError(Exception):
    """The connection ended. `delivered` says whether the engine may have seen the request."""

    def __init__(self, *, delivered: bool) -> None:
        super().__init__("the connection to the engine ended")
        self.delivered = delivered


class EngineOlderError(Exception):
    """An engine listens that speaks only protocols from before this version."""


class Link:
    """An open connection whose greeting succeeded; `engine` is what the engine said of itself."""

    def __init__(self, stream: Stream, engine: Message, on_event: OnEvent) -> None:
        self.engine = engine
        self._stream = stream
        self._on_event = on_event
        self._ids = itertools.count(1)
        self._waiting: dict[int, tuple[asyncio.Future[Message], OnProgress | None]] = {}
        self._lost = False
        self._reader = asyncio.create_task(self._read(), name="engine link")

    @classmethod
    async def open(
        cls, endpoint: Endpoint, client: str, protocol: tuple[int, int], on_event: OnEvent
    ) -> "Link | None":
        """Connect and greet; None when nobody is there, or not the engine that wrote the endpoint.

        Raises EngineOlderError for an engine too old to talk to, Unavailable for one that is too new.
        """
        hello = {"protocol": protocol, "token": endpoint.token, "client": client, "version": __version__}
        stream = await _dial(endpoint)
        if stream is None:
            return None
        greeted = False
        try:
            reply = await _ask(stream, "hello", hello)
            greeted = reply is not None and "result" in reply
        finally:
            if not greeted:
                await stream.close()
        if reply is None:
            return None
        if greeted:
            return cls(stream, reply["result"], on_event)
        match reply["error"]["code"]:
            case protocols.STRANGER:
                return None
            case protocols.ENGINE_OLDER:
                raise EngineOlderError
            case protocols.CLIENT_OLDER:
                raise Unavailable(
                    f"the running engine is of a newer version ({endpoint.version}; this is {__version__})",
                    "update codecite here, or run `codecite stop` with the newer version",
                )
        raise error_of(reply["error"])

    @property
    def lost(self) -> bool:
        """Whether the connection has ended."""
        return self._lost

    async def request(self, method: str, params: Message, on_progress: OnProgress | None = None) -> Message:
        """Return the result of a request; cancelling this cancels it in the engine.

        Raises what the engine answered, and LinkLostError when the connection ends before the answer.
        """
        await asyncio.sleep(0)  # lets an end of the connection that is known to the system be known here
        if self._lost:
            raise LinkLostError(delivered=False)
        number = next(self._ids)
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer, on_progress
        try:
            try:
                await self._stream.send({"id": number, "method": method, "params": params})
            except ConnectionError as error:
                self._lost = True  # the reader may not have heard yet, and nobody is to try this link again
                raise LinkLostError(delivered=False) from error
            return await answer
        except asyncio.CancelledError:
            self._stream.hint({"method": "cancel", "params": {"id": number}})
            raise
        finally:
            del self._waiting[number]

    async def close(self) -> None:
        """End the connection; the engine drops what is still running for it."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
        await self._stream.close()

    async def _read(self) -> None:
        try:
            while (message := await self._stream.receive()) is not None:
                self._take(message)
        except BadFrameError as error:
            log.warning("the engine was not understood: %s", error)
        finally:
            self._lost = True
            for answer, _ in self._waiting.values():
                if not answer.done():
                    answer.set_exception(LinkLostError(delivered=True))
            self._on_event(LINK_LOST, {})

    def _take(self, message: Message) -> None:
        """Hand a message to whom it belongs; callbacks run from the loop, where raising harms nobody else."""
        loop = asyncio.get_running_loop()
        params = message.get("params", {})
        if "id" in message:
            answer, _ = self._waiting.get(message["id"], (None, None))
            if answer is None or answer.done():
                return  # taken back meanwhile
            if "error" in message:
                answer.set_exception(error_of(message["error"]))
            else:
                answer.set_result(message["result"])
        elif message.get("method") == "progress":
            _, on_progress = self._waiting.get(params.pop("id"), (None, None))
            if on_progress is not None:
                loop.call_soon(on_progress, params)
        else:
            loop.call_soon(self._on_event, message["method"], params)


async def ask_to_stop(endpoint: Endpoint) -> None:
    """Tell an engine of any version to end; returns once it agreed or was not there."""
    stream = await _dial(endpoint)
    if stream is not None:
        try:
            await _ask(stream, "stop", {"token": endpoint.token})
        finally:
            await stream.close()


async def _dial(endpoint: Endpoint) -> Stream | None:
    try:
        return await dial(endpoint)
    except OSError:
        return None


async def _ask(stream: Stream, method: str, params: Message) -> Message | None:
    """Send a base request and return its whole reply, None when the other side hung up."""
    try:
        await stream.send({"id": 0, "method": method, "params": params})
        return await stream.receive()
    except (ConnectionError, BadFrameError):
        return None
