"""A workspace with everything real: disk, parsing worker, ledger, vectors. Only the channel is left out."""

import asyncio
import hashlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from codecite.engine.compose import services
from codecite.engine.services import WorkspaceServices

Json = dict[str, Any]


class Caller:
    """The session of a test: asks for nothing, is told nothing."""

    client = "test"

    def __init__(self) -> None:
        self.cancelled = threading.Event()

    def progress(self, phase: str, done: int, total: int, message: str = "") -> None:
        del phase, done, total, message

    def notify(self, method: str, params: Json) -> None:
        del method, params


class Workspace:
    """A folder and what codecite knows of it."""

    def __init__(self, root: Path, offered: WorkspaceServices) -> None:
        self.root = root
        self.first: Json = {}  # what the first index reported
        self._services = offered

    async def call(self, method: str, **params: Any) -> Json:
        return await self._services.call(method, params, Caller())

    def look_away(self) -> None:
        """From now on only who asks makes the engine look at the disk."""
        self._services._health.watcher.close()

    async def until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        """Wait until something holds that the engine does on its own."""
        async with asyncio.timeout(180):  # a busy machine is no defect
            while not await holds():
                await asyncio.sleep(0.02)

    async def index(self, **params: Any) -> Json:
        """Index and check the invariants that hold after every sync."""
        report = await self.call("index", wait=True, **params)
        await self.check_leaves()
        return report

    async def search(self, query: str, k: int = 10) -> list[Json]:
        return list((await self.call("search", query=query, k=k))["hits"])

    async def ask(self, question: str) -> Json:
        return await self.call("ask", question=question)

    async def blocks(self, path: str | None = None) -> list[Json]:
        found: list[Json] = (await self.call("blocks", path=path))["blocks"]
        return found

    async def symbols(self, path: str) -> list[str]:
        return [block["symbol"] for block in await self.blocks(path)]

    async def skipped(self) -> dict[str, str]:
        report = await self.call("index", wait=True)
        return {item["path"]: item["reason"] for item in report["files"]["skipped"]}

    async def check_leaves(self) -> None:
        """Leaves follow one another without gap or overlap, ids are unique, and no text holds a byte order mark."""
        last: dict[str, int] = {}
        ids = set()
        for block in await self.blocks():
            assert block["start_line"] == last.get(block["path"], 0) + 1, block
            assert block["end_line"] >= block["start_line"], block
            last[block["path"]] = block["end_line"]
            assert "\ufeff" not in block["text"]
            assert block["id"] not in ids
            ids.add(block["id"])

    def write(self, files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)


Open = Callable[[dict[str, str | bytes]], Awaitable[Workspace]]


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Open]:
    """Open workspaces that hold some files and are indexed."""
    async with AsyncExitStack() as stack:

        async def opened(files: dict[str, str | bytes]) -> Workspace:
            name = hashlib.sha256(repr(sorted(files)).encode()).hexdigest()[:8]
            root, store = tmp_path / f"tree-{name}", tmp_path / f"store-{name}"
            root.mkdir()
            store.mkdir(mode=0o700)
            offered = services(root, store, lambda *_: None)
            stack.push_async_callback(offered.close)
            made = Workspace(root, offered)
            made.write(files)
            await offered.start()
            made.first = await made.index()
            return made

        yield opened
