"""Engines as processes: one for a workspace, started on demand, gone without a trace."""

import asyncio
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from tests.engine.events import Events
from tests.engine.small_services import PROGRAM

from codecite.engine.channel import ENDPOINT_FILE, Endpoint
from codecite.engine.client import LINK_LOST, EngineClient
from codecite.engine.launch import reach, stop
from codecite.engine.locations import LOG_FILE, socket_path, store_folder, store_path
from codecite.engine.lock import acquire
from codecite.model.errors import BadInput, EngineGone, StoreLocked, Unavailable

Command = tuple[str, ...]
MakeEvents = Callable[[], Events]

CLIENT = """
import asyncio, sys
from pathlib import Path
from codecite.engine.client import EngineClient

async def main():
    engine = await EngineClient.connect(Path(sys.argv[1]), client="other", command=sys.argv[2:])
    print(engine.engine["pid"], flush=True)
    await engine.call("wait")

asyncio.run(main())
"""


def other_client(workspace: Path, command: Command) -> "subprocess.Popen[str]":
    """Start a client in a process of its own; it prints the engine's pid and waits."""
    return subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(workspace), *command], stdout=subprocess.PIPE, text=True
    )


def said_pid(client: "subprocess.Popen[str]") -> int:
    assert client.stdout is not None
    return int(client.stdout.readline())


async def ended(*pids: int) -> None:
    """Wait until these processes are gone."""
    processes = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, 20)
    assert not alive


def engines() -> set[int]:
    """Return the engine processes that run below this one."""
    return {
        process.pid
        for process in psutil.Process().children(recursive=True)
        if process.status() != psutil.STATUS_ZOMBIE and process.cmdline()[1:2] == [str(PROGRAM)]
    }


async def test_clients_that_start_at_once_share_one_engine(workspace: Path, command: Command) -> None:
    others = [other_client(workspace, command) for _ in range(2)]
    mine = await asyncio.gather(*(EngineClient.connect(workspace, command=command) for _ in range(3)))
    pids = {client.engine["pid"] for client in mine} | {said_pid(client) for client in others}
    assert len(pids) == 1
    for client in mine:
        await client.close()
    for other in others:
        other.kill()
        other.communicate()


async def test_an_engine_that_was_outrun_is_ended(workspace: Path, command: Command) -> None:
    """Else it would find the lock free, and live, when the winner is stopped."""
    late = asyncio.create_task(EngineClient.connect(workspace, command=(*command, "--broken", "late")))
    for _ in iter(lambda: bool(engines()), True):
        await asyncio.sleep(0)
    winner = await EngineClient.connect(workspace, command=command)
    async with winner, await late as loser:
        assert loser.engine["pid"] == winner.engine["pid"]
        assert engines() == {winner.engine["pid"]}


async def test_a_killed_client_is_nothing_to_the_others(
    workspace: Path, command: Command, events: MakeEvents
) -> None:
    async with await EngineClient.connect(workspace, command=command) as mine:
        mine.on_event = heard = events()
        other = other_client(workspace, command)
        await heard.named("waiting")
        other.kill()
        other.communicate()
        assert await heard.named("cancelled") == {"client": "other"}
        assert await mine.call("ping") == {}


async def test_the_next_call_after_a_killed_engine_starts_another(
    workspace: Path, command: Command, events: MakeEvents
) -> None:
    async with await EngineClient.connect(workspace, command=command) as client:
        client.on_event = heard = events()
        first = psutil.Process(client.engine["pid"])
        store = store_path(workspace)
        first.kill()
        await heard.named(LINK_LOST)
        assert (store / ENDPOINT_FILE).exists()  # what a killed engine leaves behind is in nobody's way
        if sys.platform != "win32":
            assert socket_path(store).exists()
        assert await client.call("echo", {"n": 1}) == {"n": 1, "client": "cli"}
        assert client.engine["pid"] != first.pid


async def test_a_call_that_finds_the_engine_gone_starts_another(workspace: Path, command: Command) -> None:
    """Nobody has read the end of the connection yet when the request is sent."""
    async with await EngineClient.connect(workspace, command=command) as client:
        first = psutil.Process(client.engine["pid"])
        first.kill()
        first.wait()
        assert await client.call("ping") == {}
        assert client.engine["pid"] != first.pid


@pytest.mark.skipif(sys.platform == "win32", reason="the service kills itself with SIGKILL")
async def test_an_engine_that_dies_over_a_request(workspace: Path, command: Command) -> None:
    async with await EngineClient.connect(workspace, command=command) as client:
        first = client.engine["pid"]
        assert (await client.call("search", {"mark": "one"}))["pid"] != first
        with pytest.raises(EngineGone, match="while it worked on `destroy`"):
            await client.call("destroy", {"mark": "two"})
        assert await client.call("ping") == {}


async def test_an_engine_leaves_when_nobody_needs_it(
    workspace: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECITE_IDLE_SECONDS", "0.1")
    client = await EngineClient.connect(workspace, command=command)
    process = psutil.Process(client.engine["pid"])
    await client.close()
    assert await asyncio.to_thread(process.wait, 20) == 0
    store = store_path(workspace)
    assert not (store / ENDPOINT_FILE).exists()
    if sys.platform != "win32":
        assert not socket_path(store).exists()


async def test_an_engine_stays_for_its_work(
    workspace: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECITE_IDLE_SECONDS", "0.05")
    client = await EngineClient.connect(workspace, command=command)
    process = psutil.Process(client.engine["pid"])
    await client.call("work")
    await client.close()
    await asyncio.to_thread(process.wait, 20)
    assert (store_path(workspace) / "finished").exists()


async def test_stopping_leaves_no_process_behind(workspace: Path, command: Command) -> None:
    client = await EngineClient.connect(workspace, command=command)
    worker = (await client.call("parse"))["worker"]
    assert psutil.pid_exists(worker)
    assert await stop(workspace)
    await ended(client.engine["pid"], worker)
    assert not await stop(workspace)
    assert "ERROR" not in (store_path(workspace) / LOG_FILE).read_text()
    await client.close()


async def test_a_killed_engine_takes_its_worker_along(workspace: Path, command: Command) -> None:
    client = await EngineClient.connect(workspace, command=command)
    worker = (await client.call("parse"))["worker"]
    psutil.Process(client.engine["pid"]).kill()
    await ended(client.engine["pid"], worker)
    await client.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_an_engine_tidily(
    workspace: Path, command: Command, number: signal.Signals
) -> None:
    async with await EngineClient.connect(workspace, command=command) as client:
        process = psutil.Process(client.engine["pid"])
        process.send_signal(number)
        assert await asyncio.to_thread(process.wait, 20) == 0
        assert Endpoint.read(store_path(workspace)) is None


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
async def test_everything_of_an_engine_is_private(workspace: Path, command: Command) -> None:
    async with await EngineClient.connect(workspace, command=command) as client:
        await client.call("parse")
        store = store_path(workspace)
        paths = [store, *store.rglob("*"), socket_path(store), socket_path(store).parent]
        loose = [path for path in paths if stat.S_IMODE(path.lstat().st_mode) & 0o077]
        assert len(paths) > 5
        assert not loose


async def test_keys_and_folder_of_a_client_are_not_inherited(
    workspace: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = ["OPENAI_API_KEY", "HF_TOKEN", "some_token", "DB_PASSWORD", "AWS_SECRET"]
    for name in keys:
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("HARMLESS", "1")
    async with await EngineClient.connect(workspace, command=command) as client:
        seen = await client.call("environment")
    assert "HARMLESS" in seen["names"]
    assert not set(keys) & set(seen["names"])
    assert Path(seen["folder"]) == store_path(workspace)


@pytest.mark.parametrize("what", ["store", "endpoint", "socket"])
async def test_an_engine_that_lost_its_footing_leaves(
    workspace: Path, command: Command, events: MakeEvents, what: str
) -> None:
    store = store_path(workspace)
    async with await EngineClient.connect(workspace, command=command) as client:
        client.on_event = heard = events()
        process = psutil.Process(client.engine["pid"])
        asked = asyncio.create_task(client.call("wait"))
        await heard.named("waiting")
        if what == "store":
            shutil.rmtree(store)
        else:
            {"endpoint": store / ENDPOINT_FILE, "socket": socket_path(store)}[what].unlink()
        with pytest.raises(EngineGone, match="was removed while its engine ran"):
            await asked
        await asyncio.to_thread(process.wait, 20)
        assert await client.call("echo") == {"client": "cli"}
        assert client.engine["pid"] != process.pid


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("import", "the engine could not start: ImportError: no module named granite"),
        ("store", "the ledger is of another age"),
        ("silent", "the engine could not start: "),
    ],
)
async def test_an_engine_that_cannot_start_says_why(
    workspace: Path, command: Command, broken: str, message: str
) -> None:
    with pytest.raises(Unavailable) as caught:
        await EngineClient.connect(workspace, command=(*command, "--broken", broken))
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message


async def test_services_that_cannot_start_answer_the_call_and_end_the_engine(
    workspace: Path, command: Command
) -> None:
    async with await EngineClient.connect(workspace, command=(*command, "--broken", "start")) as client:
        pid = client.engine["pid"]
        calls = [asyncio.create_task(client.call("echo")) for _ in range(3)]
        assert await client.call("ping") == {}
        (store_path(workspace) / "begin").touch()
        for call in calls:
            with pytest.raises(Unavailable, match="vectors are of stone"):
                await call
        await ended(pid)


async def test_services_that_fail_before_any_call_answer_the_connecting_client(
    workspace: Path, command: Command
) -> None:
    (store_folder(workspace) / "begin").touch()
    with pytest.raises(Unavailable, match="vectors are of stone"):
        async with await EngineClient.connect(workspace, command=(*command, "--broken", "start")) as client:
            await client.call("echo")


async def test_a_store_in_other_hands(workspace: Path, command: Command) -> None:
    lock = acquire(store_folder(workspace))
    assert lock is not None
    with pytest.raises(StoreLocked, match="does not answer"):
        await reach(workspace, client="cli", on_event=lambda *_: None, command=command, patience=0.3)
    with pytest.raises(StoreLocked):
        await stop(workspace, patience=0.3)
    lock.release()


async def test_a_workspace_that_is_not_there(workspace: Path, command: Command) -> None:
    with pytest.raises(BadInput, match="not a folder"):
        await EngineClient.connect(workspace / "nothing", command=command)


def test_the_real_engine_is_what_starts_by_default() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "codecite.engine.process", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--workspace" in shown.stdout
