"""The server as a process: what it prints, and that it ends however its editor leaves (P05)."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest
from tests.lsp.client import PATIENCE, Client, Json, opened
from tests.lsp.scripted import script

SERVER = [sys.executable, str(Path(__file__).with_name("scripted.py"))]
PIPE = asyncio.subprocess.PIPE


class Launched:
    """A server process and the client at its pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self.process = process
        self.input = process.stdin
        self.client = Client(process.stdout, process.stdin.write)
        self._said = asyncio.create_task(process.stderr.read())

    async def end(self) -> int:
        """Wait for the end and return the exit code."""
        async with asyncio.timeout(PATIENCE):
            code = await self.process.wait()
        await self.client.finished()
        return code

    async def said(self) -> str:
        """Return what it wrote to standard error, which no traceback may be in."""
        text = (await self._said).decode()
        assert "Traceback" not in text
        return text


@pytest.fixture
async def server() -> AsyncIterator[Launched]:
    launched = Launched(await asyncio.create_subprocess_exec(*SERVER, stdin=PIPE, stdout=PIPE, stderr=PIPE))
    yield launched
    if launched.process.returncode is None:
        launched.process.kill()
    await launched.end()
    await launched.said()


def shutdown_then_exit(server: Launched) -> None:
    server.client.start("shutdown")
    server.client.notify("exit")


def exit_alone(server: Launched) -> None:
    server.client.notify("exit")


def close_input(server: Launched) -> None:
    server.input.close()


ENDS = [(shutdown_then_exit, 0), (exit_alone, 1), (close_input, 1)]


@pytest.mark.parametrize(("leave", "code"), ENDS)
async def test_ends_in_the_middle_of_work(
    server: Launched, tmp_path: Path, leave: Callable[[Launched], None], code: int
) -> None:
    await server.client.initialize(script(tmp_path / "ws", index_waits=True))
    server.client.start("codecite/ask", {"question": "wait", "workDoneToken": 1})
    await server.client.told("$/progress")
    leave(server)
    assert await server.end() == code


async def test_ends_before_it_was_initialized(server: Launched, workspace: Path) -> None:
    greeting: Json = {"processId": None, "rootUri": workspace.as_uri(), "capabilities": {}}
    await server.client.request("initialize", greeting)
    server.input.close()
    assert await server.end() == 1


async def test_ends_with_the_process_that_started_it(server: Launched, workspace: Path) -> None:
    editor = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=PIPE)
    await server.client.initialize(workspace, processId=editor.pid)
    await server.client.told("codecite/statusChanged")
    editor.kill()
    await editor.wait()
    assert await server.end() == 1  # though its input is still open


async def test_a_process_that_cannot_be_seen_is_not_waited_for(server: Launched, workspace: Path) -> None:
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await ended.wait()
    await server.client.initialize(workspace, processId=ended.pid)
    assert (await server.client.request("codecite/ask", {"question": "f?"}))["citations"]


@pytest.mark.skipif(sys.platform == "win32", reason="there, the pipes of a killed process close otherwise")
def test_ends_when_the_client_is_killed() -> None:
    """The client is a process of its own that holds the server's pipes and is killed with -9."""
    code = (
        "import subprocess, time\n"
        f"server = subprocess.Popen({SERVER!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "print(server.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as editor:
        assert editor.stdout
        server = psutil.Process(int(editor.stdout.readline()))
        editor.kill()
    _, alive = psutil.wait_procs([server], timeout=PATIENCE)
    assert not alive


async def test_a_port_of_the_loopback_serves_one_client(workspace: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *SERVER, "0", stderr=PIPE, stdout=asyncio.subprocess.DEVNULL
    )
    assert process.stderr
    said = (await process.stderr.readline()).decode()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(said.rsplit(":", 1)[1]))
    client = Client(reader, writer.write)
    await client.initialize(workspace)
    assert (await client.request("codecite/ask", {"question": "f?"}))["citations"]
    client.start("shutdown")
    client.notify("exit")
    assert await process.wait() == 0
    await client.finished()
    writer.close()


async def test_standard_output_is_the_protocols_alone(server: Launched, workspace: Path) -> None:
    """The engine prints at every call; the client fails on anything that is not a message."""
    await server.client.initialize(workspace)
    await server.client.request("codecite/ask", {"question": "f?"})
    shutdown_then_exit(server)
    assert await server.end() == 0
    assert "a library that prints" in await server.said()


async def test_what_the_client_sends_is_never_logged(server: Launched, workspace: Path) -> None:
    await server.client.initialize(workspace)
    file = (workspace / "a.py").as_uri()
    server.client.notify("textDocument/didOpen", opened(file, "my secret code"))
    server.client.notify(
        "textDocument/didChange", {"textDocument": {"uri": file}, "contentChanges": "my secret"}
    )
    for question in ("fail", "broken"):
        await server.client.error("codecite/ask", {"question": question, "context": "my secret code"})
    server.input.write(b"Content-Length: 12\r\n\r\n{my secret}\r\n")
    shutdown_then_exit(server)
    assert await server.end() == 0
    assert "secret" not in await server.said()
