"""Telling the engines that already run around a folder that git has moved there; what git's hooks do."""

from pathlib import Path

from codecite.engine.channel import Endpoint
from codecite.engine.client import EngineClient
from codecite.engine.locations import home, identity
from codecite.model.errors import CodeciteError, EngineGone


async def nudge(folder: Path) -> list[Path]:
    """Call `changed` with `{"git": true}` on every engine that serves the folder, one around it or one in it.

    Starts none. Returns the workspaces that were told; raises the first error of an engine that runs and could not be
    told, when all others were. What is in the environment for git's sake (GIT_DIR and the like) plays no part.
    """
    place = identity(folder)
    told = []
    failed: CodeciteError | None = None
    for workspace in _served():
        if not (workspace.is_relative_to(place) or place.is_relative_to(workspace)):
            continue
        try:
            async with await EngineClient.connect(workspace, client="hook", start=False) as engine:
                await engine.call("changed", {"git": True})
            told.append(workspace)
        except EngineGone:  # it left meanwhile, or was killed and left its endpoint behind
            continue
        except CodeciteError as error:
            failed = failed or error
    if failed is not None:
        raise failed
    return told


def _served() -> list[Path]:
    """Return the workspaces that engines of this user say they serve; some of these may be gone."""
    endpoints = map(Endpoint.read, sorted(home().glob("workspaces/*")))
    return [Path(endpoint.workspace) for endpoint in endpoints if endpoint and endpoint.workspace]
