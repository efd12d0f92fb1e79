"""A real server and a real engine that is killed, or stopped."""

import os
import signal
import sys
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import Client

from codecite.engine.client import EngineClient

pytestmark = pytest.mark.slow


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    process = await create_subprocess_exec(
        sys.executable, "-m", "codecite.lsp.server", stdin=PIPE, stdout=PIPE
    )
    assert process.stdin
    assert process.stdout
    client = Client(process.stdout, process.stdin.write)
    yield client
    await client.request("shutdown")
    client.notify("exit")
    await process.wait()


def states(client: Client) -> list[str]:
    return [told["state"] for told in client.all_told("codecite/statusChanged")]


async def started(client: Client, folder: Path) -> Any:
    folder.mkdir()
    (folder / "a.py").write_text("def f():\n    return 1\n")
    await client.initialize(folder)
    await client.wait_for(lambda _: "ready" in states(client))
    return (await client.request("codecite/status"))["engine"]["pid"]


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
async def test_a_killed_engine_is_started_again(client: Client, tmp_path: Path) -> None:
    killed = await started(client, tmp_path / "ws")
    os.kill(killed, signal.SIGKILL)
    await client.wait_for(lambda _: "stopped" in states(client))
    await client.wait_for(lambda _: "ready" in states(client)[states(client).index("stopped") :])
    assert (await client.request("codecite/status"))["engine"]["pid"] != killed
    assert any("ended unexpectedly" in told["message"] for told in client.all_told("window/logMessage"))


async def test_a_stopped_engine_stays_stopped_until_it_is_needed(client: Client, tmp_path: Path) -> None:
    stopped = await started(client, tmp_path / "ws")
    other = await EngineClient.connect(tmp_path / "ws", start=False)
    await other.call("stop")
    await other.close()
    await client.wait_for(lambda _: "stopped" in states(client))
    assert not any("ended unexpectedly" in told["message"] for told in client.all_told("window/logMessage"))
    assert (await client.request("codecite/status"))["engine"]["pid"] != stopped


async def test_a_save_is_told_as_indexing_and_ready_again_and_typing_is_not(
    client: Client, tmp_path: Path
) -> None:
    await started(client, tmp_path / "ws")
    uri = (tmp_path / "ws" / "a.py").as_uri()
    before = len(states(client))
    client.notify(
        "textDocument/didOpen",
        {
            "textDocument": {
                "uri": uri,
                "languageId": "python",
                "version": 1,
                "text": "def f():\n    return 1\n",
            }
        },
    )
    for version in range(2, 40):
        client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"text": f"x = {version}\n"}],
            },
        )
    await client.request("codecite/status")
    assert len(states(client)) == before
    (tmp_path / "ws" / "a.py").write_text("def g():\n    return 1\n")
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    await client.wait_for(lambda _: "indexing" in states(client)[before:])
    await client.wait_for(lambda _: states(client)[-1] in ("ready", "degraded"))
    assert len(states(client)) - before <= 8
