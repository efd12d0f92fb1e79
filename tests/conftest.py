"""Every test has surroundings of its own and leaves nothing running behind."""

import asyncio
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import psutil
import pytest

from codecite.engine.launch import end_engine
from codecite.engine.locations import home

hypothesis.settings.register_profile("untimed", deadline=None)  # a busy machine is no defect
hypothesis.settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store home and a runtime folder for this test; engines that it started are stopped, leaks fail it.

    The folder is a short one: the socket in it has a limited path.
    """
    folder = Path(tempfile.mkdtemp(prefix="cc-"))
    for name in ("home", "run", "config"):
        (folder / name).mkdir(mode=0o700)
    monkeypatch.setenv("CODECITE_HOME", str(folder / "home"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder / "run"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("CODECITE_IDLE_SECONDS", "60")
    threads = set(threading.enumerate())
    processes = set(psutil.Process().children(recursive=True))
    yield folder
    for store in (home() / "workspaces").glob("*"):
        asyncio.run(end_engine(store))
    shutil.rmtree(folder)
    left = [f"thread {thread.name}" for thread in _alive_threads(threads)]
    left += [f"process {' '.join(command)}" for command in _ended_processes(processes)]
    assert not left, f"the test left behind: {left}"


def _alive_threads(before: set[threading.Thread]) -> list[threading.Thread]:
    started = [thread for thread in threading.enumerate() if thread not in before]
    for thread in started:
        thread.join(timeout=5)
    return [thread for thread in started if thread.is_alive()]


def _ended_processes(before: set[psutil.Process]) -> list[list[str]]:
    """Wait for the processes that a test started, end those that stay, and return their command lines."""
    started = [child for child in psutil.Process().children(recursive=True) if child not in before]
    _, staying = psutil.wait_procs(started, timeout=5)
    commands = []
    for process in staying:
        commands.append(process.cmdline())
        process.kill()
    return commands
