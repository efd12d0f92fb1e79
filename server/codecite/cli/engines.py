"""Where the command line gets its engines from: the one place that knows the engine's client."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from codecite.engine import launch, locations, nudge
from codecite.engine.client import EngineClient

Step = Mapping[str, Any]  # progress: `phase`, `done` of `total` (0 while it is unknown), `message`


class Engine(Protocol):
    """An open channel to the engine of one workspace."""

    async def call(
        self, method: str, params: dict[str, Any], *, on_progress: Callable[[Step], None] | None = None
    ) -> dict[str, Any]:
        """Return the result of a method; cancelling takes the request back. Raises `CodeciteError`."""

    async def close(self) -> None:
        """Let go of the channel; the engine stays as long as it has work or clients."""


class Engines(Protocol):
    """The engines of this machine and user, one for each workspace."""

    def workspace_of(self, start: Path) -> Path:
        """Return the workspace that a folder belongs to."""

    async def connect(self, workspace: Path) -> Engine:
        """Connect to a workspace's engine, starting it where none runs."""

    async def stop(self, workspace: Path) -> bool:
        """End a workspace's engine and return when it is gone; say whether there was one."""

    async def nudge(self, folder: Path) -> list[Path]:
        """Tell the engines that run for a folder, one around it or one in it that git has moved; start none."""


class LocalEngines:
    """The real ones."""

    def workspace_of(self, start: Path) -> Path:
        """See `Engines`."""
        return locations.workspace_of(start)

    async def connect(self, workspace: Path) -> Engine:
        """See `Engines`."""
        return await EngineClient.connect(workspace, client="cli", start=True)

    async def stop(self, workspace: Path) -> bool:
        """See `Engines`."""
        return await launch.stop(workspace)

    async def nudge(self, folder: Path) -> list[Path]:
        """See `Engines`."""
        return await nudge.nudge(folder)
