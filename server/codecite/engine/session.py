"""One request inside the engine, and the word to all clients at once."""

import asyncio
import threading

from codecite.engine.channel import Stream
from codecite.engine.protocol import Message

PROGRESS_SECONDS = 0.1  # between two progress messages of a request: what an eye can follow


class RequestSession:
    """The `Session` that the server hands to services."""

    def __init__(self, stream: Stream, number: int | str, client: str) -> None:
        self.client = client
        self.cancelled = threading.Event()
        self._stream = stream
        self._number = number
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._newest: Message | None = None
        self._due = False  # a flush is on its way
        self._next = 0.0  # loop time before which no further progress goes out
        self._over = False

    def progress(self, phase: str, done: int, total: int, message: str = "") -> None:
        """Tell the client how far the request is; only the newest of a tenth of a second is sent."""
        with self._lock:
            self._newest = {
                "id": self._number,
                "phase": phase,
                "done": done,
                "total": total,
                "message": message,
            }
            if self._due or self._over:
                return
            self._due = True
            self._loop.call_soon_threadsafe(self._flush_when_due)

    def notify(self, method: str, params: Message) -> None:
        """Send this request's client a notification, in order with its other messages."""
        with self._lock:
            if not self._over:
                self._loop.call_soon_threadsafe(self._stream.hint, {"method": method, "params": params})

    def finish(self) -> None:
        """Send the progress that is still held back; later words of threads that run on are dropped."""
        self._flush()
        with self._lock:
            self._over = True

    def _flush_when_due(self) -> None:
        self._loop.call_at(self._next, self._flush)  # a time that has passed means at once

    def _flush(self) -> None:
        with self._lock:
            newest, self._newest, self._due = self._newest, None, False
            over = self._over
        if newest is not None and not over:
            self._next = self._loop.time() + PROGRESS_SECONDS
            self._stream.hint({"method": "progress", "params": newest})


class Hub:
    """Says a thing to every client; any thread may."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._streams: set[Stream] = set()
        self._over = False
        self.met = 0  # clients that ever joined

    def __len__(self) -> int:
        return len(self._streams)

    def join(self, stream: Stream) -> None:
        """Let a client hear; on the event loop."""
        self._streams.add(stream)
        self.met += 1

    def part(self, stream: Stream) -> None:
        """Forget a client; on the event loop."""
        self._streams.discard(stream)

    def broadcast(self, method: str, params: Message) -> None:
        """Send every client a notification."""
        with self._lock:
            if not self._over:
                self._loop.call_soon_threadsafe(self._send, {"method": method, "params": params})

    def close(self) -> None:
        """Say no more: the event loop is about to end."""
        with self._lock:
            self._over = True

    def _send(self, message: Message) -> None:
        for stream in self._streams:
            stream.hint(message)
