"""The workspace folders, each with its engine, which is reached when first needed."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

from codecite.engine.link import LINK_LOST
from codecite.lsp.engines import Engine, Json, MakeEngine, OnEvent, OnProgress
from codecite.lsp.uris import is_within, path_key, to_path
from codecite.model.errors import Cancelled

RESTARTED = "restarted"  # the event that says that another engine took the place of one that went away


class Folder:
    """One folder as the client named it. `path` is native, `key` is what files are compared by."""

    def __init__(self, uri: str, path: str, make_engine: MakeEngine, on_event: OnEvent) -> None:
        self.uri = uri
        self.path = path
        self.key = path_key(path)
        self.name = Path(path).name or path
        self._make_engine = make_engine
        self._on_event = on_event
        self._engine: Engine | None = None
        self._calls: set[asyncio.Task[Json]] = set()
        self._lost = False  # the engine went away, and nobody has asked anything since
        self._closed = False
        self._up = False

    @property
    def up(self) -> bool:
        """Whether the engine has answered and has not gone away since: a call would start none."""
        return self._up and not self._closed

    def key_of(self, relative: str) -> str:
        """Return the key of a file of this folder, given its path in the folder."""
        return f"{self.key.rstrip('/')}/{relative}"

    def relative(self, key: str) -> str:
        """Return the path in the folder of one of its files, given its key."""
        return key[len(self.key.rstrip("/")) + 1 :]

    async def call(self, method: str, params: Json, on_progress: OnProgress | None = None) -> Json:
        """Ask the engine, which is started where none runs. Raises CodeciteError."""
        if self._closed:
            raise Cancelled("the folder was closed in the editor")
        if self._engine is None:
            self._engine = self._make_engine(Path(self.path))
            self._engine.on_event = self._heard
        call = asyncio.ensure_future(self._engine.call(method, params, on_progress=on_progress))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        try:
            result = await call
        except asyncio.CancelledError:
            if self._closed:
                raise Cancelled("the folder was closed in the editor") from None
            raise
        self._up = True
        if self._lost:
            self._lost = False
            self._on_event(RESTARTED, {})
        return result

    async def close(self) -> None:
        """Stop what is being done for this folder and let go of its engine."""
        self._closed = True
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        if self._engine is not None:
            await self._engine.close()

    def _heard(self, method: str, params: Json) -> None:
        if method == LINK_LOST:
            self._lost, self._up = True, False
        self._on_event(method, params)


class Folders:
    """The open folders. A file belongs to the innermost one that holds it."""

    def __init__(self) -> None:
        self._by_key: dict[str, Folder] = {}

    def __iter__(self) -> Iterator[Folder]:
        return iter(tuple(self._by_key.values()))

    def __bool__(self) -> bool:
        return bool(self._by_key)

    def add(self, uri: str, make: Callable[[str, str], Folder]) -> Folder | None:
        """Open a folder, made by `make(uri, path)`; return None if it is open already or not one of files."""
        path = to_path(uri)
        if path is None or path_key(path) in self._by_key:
            return None
        folder = make(uri, path)
        self._by_key[folder.key] = folder
        return folder

    def remove(self, uri: str) -> Folder | None:
        """Close a folder; return it if it was open."""
        path = to_path(uri)
        return self._by_key.pop(path_key(path), None) if path is not None else None

    def get(self, path: str) -> Folder | None:
        """Return the open folder with this native path, if there is one."""
        return self._by_key.get(path_key(path))

    def __contains__(self, folder: Folder) -> bool:
        return self._by_key.get(folder.key) is folder

    def holding(self, key: str | None) -> list[Folder]:
        """Return the folders that hold a file, the innermost first."""
        held = [folder for folder in self if key is not None and is_within(key, folder.key)]
        return sorted(held, key=lambda folder: len(folder.key), reverse=True)

    def owner(self, key: str | None) -> Folder | None:
        """Return the innermost folder that holds a file, if any does."""
        return next(iter(self.holding(key)), None)
