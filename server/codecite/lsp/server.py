"""Run the language server on standard input and output, or for debugging on a port of the loopback.

Imports that may print wait until the protocol's stream is safe from them.
"""

import asyncio
import logging
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from codecite.lsp import head_start, lifetime, stdio
from codecite.model.errors import Unavailable

if TYPE_CHECKING:
    from pygls.io_ import AsyncWriter, Writer

    from codecite.lsp.engines import Engine, MakeEngine
    from codecite.lsp.session import Session

log = logging.getLogger(__name__)


def main(tcp_port: int | None = None, *, make_engine: "MakeEngine | None" = None) -> int:
    """Serve one client until it leaves or dies, and return the exit code: 0 only after `shutdown`.

    `make_engine(workspace)` gives the connection to a folder's engine; the real one is the default. The
    process ends at most two seconds after the client went, even if something still hangs. Raises Unavailable
    when the port is taken.
    """
    source, sink = stdio.claim()
    _configure_logging()
    if tcp_port is not None:
        serving = _serve_tcp(tcp_port, make_engine or _engine)
    else:
        first = head_start.take(source) if make_engine is None else b""
        serving = _serve_stdio(source, sink, first, make_engine or _engine)
    try:
        return asyncio.run(serving)
    except KeyboardInterrupt:
        return 1


async def _serve_stdio(source: int, sink: BinaryIO, first: bytes, make_engine: "MakeEngine") -> int:
    from codecite.lsp.wiring import build  # noqa: PLC0415 - see above

    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()

    def client_gone() -> None:
        lifetime.end_soon(session.exit_code)
        loop.call_soon_threadsafe(reader.feed_eof)

    session = build(make_engine, lambda process_id: lifetime.watch(process_id, client_gone))
    reader.feed_data(first)
    stdio.pump(source, reader, at_end=lambda: lifetime.end_soon(session.exit_code))
    return await _serve(session, reader, stdio.Writer(sink, client_gone))


async def _serve_tcp(port: int, make_engine: "MakeEngine") -> int:
    from codecite.lsp.wiring import build  # noqa: PLC0415 - see above

    connected: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    try:
        server = await asyncio.start_server(lambda *ends: connected.put_nowait(ends), "127.0.0.1", port)
    except OSError as error:
        what = f"port {port} of the loopback cannot be used: {error.strerror}"
        raise Unavailable(what, "choose another") from error
    log.warning("listening on 127.0.0.1:%d", server.sockets[0].getsockname()[1])
    reader, writer = await connected.get()
    server.close()
    try:
        return await _serve(build(make_engine, lambda _: None), reader, writer)
    finally:
        writer.close()


async def _serve(session: "Session", reader: asyncio.StreamReader, writer: "AsyncWriter | Writer") -> int:
    asyncio.get_running_loop().set_exception_handler(lambda _, context: log.error("%s", context["message"]))
    await session.converse(reader, writer)
    lifetime.end_soon(session.exit_code)
    await session.close()
    return session.exit_code()


def _engine(workspace: Path) -> "Engine":
    from codecite.engine.client import EngineClient  # noqa: PLC0415 - see above

    return EngineClient(workspace, client="lsp", start=True)


class _OneLine(logging.Formatter):
    """A line an event: what an editor shows of a server's log is no place for tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message and, for an exception, its kind and where it was raised."""
        line = " ".join(f"codecite: {record.getMessage()}".split())
        kind, error, trace = record.exc_info or (None, None, None)
        if kind is None:
            return line
        frame = traceback.extract_tb(trace)[-1:]
        where = f" at {Path(frame[0].filename).name}:{frame[0].lineno}" if frame else ""
        return f"{line} ({kind.__name__}: {error}{where})"


def _configure_logging() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    # pygls logs whole messages, the user's code among them, even as errors; what matters of them we say
    # ourselves.
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)


if __name__ == "__main__":
    sys.exit(main())
