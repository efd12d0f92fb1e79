"""A client that is connected to the real server, in this process, over a scripted engine."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.lsp.client import Client
from tests.lsp.scripted import ScriptedEngine, citation, script

from codecite.lsp.wiring import build


class _Pipe:
    """The server's end for writing, as a pipe to the client."""

    def __init__(self, to: asyncio.StreamReader) -> None:
        self._to = to

    def write(self, data: bytes) -> None:
        self._to.feed_data(data)

    def close(self) -> None:
        self._to.feed_eof()


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """Connect; at the end the client hangs up and everything must come to an end."""
    to_server, to_client = asyncio.StreamReader(), asyncio.StreamReader()
    pipe = _Pipe(to_client)
    session = build(ScriptedEngine, lambda _: None)
    serving = asyncio.create_task(session.converse(to_server, pipe))
    client = Client(to_client, to_server.feed_data)
    yield client
    to_server.feed_eof()
    await serving
    await session.close()
    pipe.close()
    await client.finished()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder whose engine cites a function f in a.py."""
    return script(tmp_path / "ws", citation(1, "a.py", ["def f():\n", "    return 1\n"]))
