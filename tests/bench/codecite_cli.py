"""codecite itself as the benchmarks run it: the real command line, a fresh store each time."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from tests.bench.contestant import Contestant, Run
from tests.bench.measuring import Job, RunError

from codecite.engine.client import EngineClient

COMMAND = (sys.executable, "-m", "codecite.cli.main")
READY_SECONDS = 120.0  # for vectors to be ready after an index that has waited for them
FOUND_SECONDS = 60.0  # to give a cold start up
WARM_UPS = 5


@dataclass(frozen=True, slots=True)
class Warm:
    """Searches in an engine that has finished its work."""

    milliseconds: list[float]  # each from the call to the reply, over one connection
    cpu_milliseconds: float  # of the engine, the mean for one search: what a busy machine does not stretch
    degraded: list[str]


class Codecite(Contestant):
    """The program of this checkout; `warm` gathers the searches after each run."""

    name = "codecite"
    note = "code, documents and configuration; the built-in embedder"

    def __init__(self, questions: Sequence[str]) -> None:
        self.questions = questions
        self.warm: list[Warm] = []

    @contextmanager
    def job(self, tree: Path, scratch: Path) -> Iterator[Job]:
        """Give the command that indexes a tree into a store that is not there yet; its engine is stopped afterwards."""
        with store(tree, scratch / "home") as env:
            yield Job([*COMMAND, "--workspace", str(tree), "index", "--wait", "--json"], scratch, env)

    def after(self, run: Run) -> str:
        """Check that the engine was measured, time warm searches, and say what was indexed."""
        home = run.scratch / "home"
        os.environ["CODECITE_HOME"] = str(home)  # the client that the warm searches go through reads it
        try:
            pid, warm = asyncio.run(_warm_searches(run.tree, self.questions))
        finally:
            del os.environ["CODECITE_HOME"]
        if pid not in run.usage.left:
            raise RunError(f"the engine (process {pid}) was not among those measured: {run.usage.left}")
        self.warm.append(warm)
        report = json.loads(run.usage.stdout)
        return f"{report['files']['indexed']:,} files, {report['blocks']['total']:,} blocks"


@contextmanager
def store(tree: Path, home: Path) -> Iterator[dict[str, str]]:
    """Give the environment of a store of its own; the engine that came to serve it is stopped at the end."""
    env = {"CODECITE_HOME": str(home)}
    try:
        yield env
    finally:
        said = subprocess.run(
            [*COMMAND, "--workspace", str(tree), "stop", "--json"],
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            check=False,
        )
        if said.returncode:
            print(f"`codecite stop` ended with {said.returncode}: {said.stderr.strip()}", file=sys.stderr)


def cold_start(tree: Path, home: Path, symbol: str, path: str) -> tuple[float | None, int]:
    """Search for a symbol from nothing until the right file comes first.

    Returns the wall seconds since the first search was started, None when it never came, and how many searches.
    """
    with store(tree, home) as env:
        command = [*COMMAND, "--workspace", str(tree), "search", symbol, "--json"]
        started = time.monotonic()
        tries = 0
        while time.monotonic() - started < FOUND_SECONDS:
            tries += 1
            said = subprocess.run(
                command,
                env={**os.environ, **env},
                capture_output=True,
                text=True,
                encoding="utf-8",
                check=False,
            )
            took = time.monotonic() - started
            if said.returncode not in (0, 1):
                raise RunError(
                    f"`codecite search {symbol}` ended with {said.returncode}: {said.stderr.strip()}"
                )
            hits: list[dict[str, Any]] = json.loads(said.stdout)["hits"]
            if hits and hits[0]["path"] == path:
                return took, tries
        return None, tries


async def _warm_searches(tree: Path, questions: Sequence[str]) -> tuple[int, Warm]:
    """Return the engine's process and the times of the questions, asked one after the other."""
    async with await EngineClient.connect(tree, client="bench", start=False) as engine:
        deadline = time.monotonic() + READY_SECONDS
        while (status := await engine.call("status"))["degraded"] or status["queue"]["running"]:
            if time.monotonic() > deadline:
                break
            await asyncio.sleep(0.2)
        degraded: set[str] = set(status["degraded"])
        for question in questions[:WARM_UPS]:
            await engine.call("search", {"query": question, "k": 10})
        pid = int(status["engine"]["pid"])
        before = _cpu_seconds(pid)
        times = []
        for question in questions[WARM_UPS:]:
            began = time.perf_counter()
            result = await engine.call("search", {"query": question, "k": 10})
            times.append((time.perf_counter() - began) * 1000)
            degraded.update(result["degraded"])
        spent = (_cpu_seconds(pid) - before) * 1000 / max(1, len(times))
        return pid, Warm(times, spent, sorted(degraded))


def _cpu_seconds(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system
