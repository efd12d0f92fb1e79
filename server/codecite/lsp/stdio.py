"""Standard input and output as the protocol's own stream, kept from everybody else in this process."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

_CHUNK = 65_536  # bytes a read


def claim() -> tuple[int, BinaryIO]:
    """Take standard input and output away and return them, for this caller alone.

    From then on `print`, a library that writes to descriptor 1, and child processes reach standard error
    instead, and reading standard input finds its end.
    """
    while (nothing := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass  # a standard descriptor was closed: nobody else shall get its number
    source, sink = os.dup(0), os.dup(1)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    sys.stdout = sys.stderr
    return source, os.fdopen(sink, "wb")


def pump(source: int, reader: asyncio.StreamReader, at_end: Callable[[], None]) -> None:
    """Feed a descriptor to a reader from a thread of its own, until its end; then call `at_end` there.

    A thread, since not every system can wait for a pipe and a file in the event loop; a daemon, since a read
    that waits cannot be interrupted. The end is seen even while the loop is busy.
    """
    loop = asyncio.get_running_loop()

    def feed() -> None:
        data = b"-"
        while data:
            try:
                data = os.read(source, _CHUNK)
            except OSError:
                data = b""
            try:
                loop.call_soon_threadsafe(*((reader.feed_data, data) if data else (reader.feed_eof,)))
            except RuntimeError:
                return  # the loop has ended
        at_end()

    threading.Thread(target=feed, name="standard input", daemon=True).start()


class Writer:
    """Writes messages whole, until the client closes its end: then `gone` is called."""

    def __init__(self, sink: BinaryIO, gone: Callable[[], None]) -> None:
        self._sink = sink
        self._gone: Callable[[], None] | None = gone

    def write(self, data: bytes) -> None:
        """Write one message."""
        if self._gone is None:
            return
        try:
            self._sink.write(data)
            self._sink.flush()
        except (OSError, ValueError):
            gone, self._gone = self._gone, None
            gone()

    def close(self) -> None:
        """Let the descriptor be: it ends with the process."""
