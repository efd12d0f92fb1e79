"""What git's hooks do: the engines that run around a folder hear of it, and none is started."""

import subprocess
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.collect.repository import NO_SETTINGS, Repository
from tests.engine.conftest import serving
from tests.engine.events import Events

from codecite.adapters.git_hooks import GitHooks
from codecite.engine.channel import Endpoint
from codecite.engine.client import EngineClient
from codecite.engine.locations import home, store_folder
from codecite.engine.nudge import nudge
from codecite.engine.server import Server
from codecite.model.errors import Unavailable

TOLD = {"git": True, "client": "hook"}


async def test_engines_of_the_folder_around_it_and_in_it_are_told(workspace: Path) -> None:
    folders = [workspace, workspace / "packages", workspace / "packages/app", workspace / "packages-other"]
    async with AsyncExitStack() as stack:
        heard = {}
        for folder in folders:
            folder.mkdir(exist_ok=True)
            await stack.enter_async_context(serving(folder))
            client = await EngineClient.connect(folder, client="test", start=False)
            stack.push_async_callback(client.close)
            client.on_event = heard[folder] = Events()
        assert sorted(await nudge(workspace / "packages")) == folders[:3]
        for folder in folders[:3]:
            assert await heard[folder].named("changed") == TOLD
        assert heard[folders[3]]._queues == {}


async def test_no_engine_is_no_matter_and_none_is_started(workspace: Path) -> None:
    assert await nudge(workspace) == []
    assert list(home().iterdir()) == []
    endpoint = Endpoint("unix:/no/such/socket", "token", 1, (1, 1), "0", str(workspace))
    endpoint.write(store_folder(workspace))  # left behind by one that was killed
    assert await nudge(workspace) == []


async def test_an_engine_that_cannot_be_told_keeps_no_other_from_it(workspace: Path) -> None:
    (inner := workspace / "inner").mkdir()
    async with serving(workspace) as server, serving(inner):
        server.protocol = (99, 99)
        client = await EngineClient.connect(inner, client="test", start=False)
        client.on_event = events = Events()
        with pytest.raises(Unavailable, match="newer version"):
            await nudge(workspace)
        assert await events.named("changed") == TOLD
        await client.close()


async def test_a_commit_reaches_the_engine_whatever_git_says_to_its_hooks(
    server: Server, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in NO_SETTINGS.items():
        monkeypatch.setenv(name, value)
    repository = Repository(workspace).start()
    GitHooks(workspace).install()
    async with await EngineClient.connect(workspace, client="test", start=False) as client:
        client.on_event = events = Events()
        # This loop stands still until git is done: a commit that waited for the engine would never be.
        commit = [
            "git",
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.invalid",
            "commit",
            "--allow-empty",
            "-qm1",
        ]
        for place in ([], [f"--git-dir={workspace / '.git'}", f"--work-tree={workspace}"]):
            where = workspace if not place else tmp_path
            done = subprocess.run(
                [commit[0], *place, *commit[1:]], cwd=where, capture_output=True, timeout=60, check=False
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
            assert await events.named("changed") == TOLD
    assert repository.git("status", "--porcelain") == ""
