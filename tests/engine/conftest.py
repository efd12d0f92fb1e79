"""A workspace, and engines with small services: in a process of their own, or in the test's own loop."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.engine.events import Events
from tests.engine.small_services import PROGRAM, SmallServices

from codecite.engine.locations import store_folder
from codecite.engine.server import Server
from codecite.engine.session import Hub


@pytest.fixture
def workspace(surroundings: Path) -> Path:
    """An empty folder to serve."""
    folder = surroundings / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def command() -> tuple[str, ...]:
    """What starts a small engine; more of the program's options may follow."""
    return (sys.executable, str(PROGRAM))


@pytest.fixture
async def server(workspace: Path) -> AsyncIterator[Server]:
    """A server that runs in the test's own event loop."""
    async with serving(workspace) as server:
        yield server


@asynccontextmanager
async def serving(workspace: Path) -> AsyncIterator[Server]:
    """Run a server with small services in this event loop."""
    store = store_folder(workspace)
    hub = Hub()
    server = Server(workspace, store, SmallServices(store, hub.broadcast), hub, idle_seconds=60)
    await server.open()
    running = asyncio.create_task(server.serve())
    try:
        yield server
    finally:
        await server.close()
        await running


@pytest.fixture
def events() -> Callable[[], Events]:
    """Make a recorder of notifications, to be a client's `on_event`."""
    return Events
