"""Measure how the index follows a tree: `python tests/bench/following.py TREE [--saves 40] [--files 5000]`.

On a copy of the tree, with a real engine and real events of the file system:

- a function is added to a file that is written in place, written anew and renamed over the old one, and taken out again:
  how long from the end of the write until a search has the new text (or has it no more), and how much was embedded;
- a branch that differs in many files is switched to and back: how long that takes to settle, how long `status` and
  `search` take meanwhile, what memory it needs, and whether the result equals a fresh index.

The engine waits for a pause of 0.3 s before it looks (`engine.following.QUIET_SECONDS`); times are given from the write
and, as "after", from the end of that pause. How much a chain of commits embeds is measured by committing, see
docs/benchmarks.md.
"""

import argparse
import asyncio
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # a script's own folder is all that Python adds

from tests.bench.killing import stopped

from codecite.engine.client import EngineClient
from codecite.engine.following import QUIET_SECONDS

LONGEST_WAIT = 60.0  # seconds for a save to be found
POLL_SECONDS = 0.02  # between two searches: a finer look would be most of the load
LONGEST_SETTLE = 1_800.0
TEXTS = {".css", ".html", ".js", ".md", ".po", ".py", ".rst", ".txt"}
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"]


def in_place(path: Path, text: str) -> None:
    """Write over the file."""
    path.write_text(text, encoding="utf-8")


def atomic(path: Path, text: str) -> None:
    """Write another file and rename it."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


async def saves(engine: EngineClient, tree: Path, count: int, seed: int) -> None:
    """Save again and again, and print how soon each way of saving is found."""
    files = [path for path in sorted(tree.rglob("*.py")) if 500 < path.stat().st_size < 60_000]
    chance = random.Random(seed)
    ways: dict[str, Callable[[Path, str], None]] = {"save in place": in_place, "atomic save": atomic}
    taken: dict[str, list[float]] = {name: [] for name in (*ways, "function deleted", "file deleted")}
    embedded = []
    for number in range(count):
        for way, write in ways.items():
            path, name = chance.choice(files), f"marker_{number}_{way.split()[0]}"
            before = path.read_text(encoding="utf-8")
            made = (await engine.call("status"))["vectors"]["embedded"]
            write(path, f"{before}\n\ndef {name}(value):\n    return value + {number}\n")
            taken[way].append(await _until(engine, name, there=True))
            await _quiet(engine)
            embedded.append((await engine.call("status"))["vectors"]["embedded"] - made)
            write(path, before)
            taken["function deleted"].append(await _until(engine, name, there=False))
            await _quiet(engine)
        made_up = chance.choice(files).with_name(f"made_up_{number}.py")
        made_up.write_text(f"def only_here_{number}():\n    return {number}\n")
        await _until(engine, f"only_here_{number}", there=True)
        await _quiet(engine)
        made_up.unlink()
        taken["file deleted"].append(await _until(engine, f"only_here_{number}", there=False))
        await _quiet(engine)
    for way, seconds in taken.items():
        print(
            f"{way:18} {_quantiles(seconds)}   after {_quantiles([one - QUIET_SECONDS for one in seconds])}"
        )
    print(f"blocks embedded a save: {statistics.mean(embedded):.2f} ({min(embedded)} to {max(embedded)})")


async def _until(engine: EngineClient, name: str, *, there: bool) -> float:
    """Search until a function of this name is found, or is not; return the seconds since the call."""
    began = time.monotonic()
    while time.monotonic() - began < LONGEST_WAIT:
        hits = (await engine.call("search", {"query": name, "k": 3}))["hits"]
        if any(f"def {name}(" in hit["text"] for hit in hits) is there:
            return time.monotonic() - began
        await asyncio.sleep(POLL_SECONDS)
    raise SystemExit(f"{name} was not {'found' if there else 'forgotten'} within {LONGEST_WAIT:g} s")


async def _quiet(engine: EngineClient) -> dict[str, Any]:
    """Wait until nothing runs or waits; return the status."""
    began = time.monotonic()
    while time.monotonic() - began < LONGEST_SETTLE:
        status = await engine.call("status")
        if status["queue"]["running"] is None is status["queue"]["pending"]:
            return status
        await asyncio.sleep(0.02)
    raise SystemExit(f"not settled within {LONGEST_SETTLE:g} s")


async def switch(engine: EngineClient, tree: Path, branch: str, files: int) -> None:
    """Switch to a branch and ask all the while; print how that went."""
    pid = (await engine.call("status"))["engine"]["pid"]
    made = (await engine.call("status"))["vectors"]["embedded"]
    cpu = _cpu(pid)
    began = time.monotonic()
    _git(tree, "checkout", "--quiet", branch)
    switched = time.monotonic() - began
    times: dict[str, list[float]] = {"status": [], "search": []}
    memory, started, idle = 0, False, 0
    while time.monotonic() - began < LONGEST_SETTLE and idle < 5:
        for method, params in (
            ("status", {}),
            ("search", {"query": "where is the request handled", "k": 10}),
        ):
            asked = time.monotonic()
            reply = await engine.call(method, params)
            times[method].append(time.monotonic() - asked)
            if method == "status":
                busy = reply["queue"]["running"] is not None or reply["queue"]["pending"] is not None
                started |= busy
                idle = 0 if busy or (not started and time.monotonic() - began < 5) else idle + 1
        memory = max(memory, _memory(pid))
        await asyncio.sleep(0.05)
    seconds = time.monotonic() - began
    made = (await engine.call("status"))["vectors"]["embedded"] - made
    print(
        f"switch to {branch}: {files} files differ, git took {switched:.1f} s, settled after {seconds:.1f} s"
        f" ({_cpu(pid) - cpu:.1f} s of CPU), {made} blocks embedded, at most {memory >> 20} MiB"
    )
    for method, taken in times.items():
        print(f"  {method} meanwhile {_quantiles(taken)} ({len(taken)} times)")


def _branches(tree: Path, files: int) -> int:
    """Make a repository of the tree, and a branch `other` that differs in so many files; stay on `main`."""
    _git(tree, "init", "--quiet", "--initial-branch=main")
    _git(tree, "add", "--all")
    _git(tree, "commit", "--quiet", "-m", "first")
    _git(tree, "checkout", "--quiet", "-b", "other")
    every = (path for path in tree.rglob("*") if path.suffix in TEXTS and ".git" not in path.parts)
    changed = sorted(every, key=lambda path: (path.suffix != ".py", path))[:files]
    for number, path in enumerate(changed):
        code = f"\n\ndef on_the_other_branch_{number}():\n    return {number}\n"
        with path.open("a", encoding="utf-8") as file:
            file.write(code if path.suffix == ".py" else f"\non the other branch {number}\n")
    _git(tree, "commit", "--quiet", "--all", "-m", "second")
    _git(tree, "checkout", "--quiet", "main")
    return len(changed)


async def _blocks(tree: Path) -> list[tuple[Any, ...]]:
    async with await EngineClient.connect(tree, client="bench", start=True) as engine:
        await engine.call("index", {"wait": True})
        blocks = (await engine.call("blocks"))["blocks"]
    names = ("id", "start_line", "end_line", "text", "embed_key", "embedded_by")
    return sorted(tuple(block[name] for name in names) for block in blocks)


def _git(tree: Path, *arguments: str) -> None:
    subprocess.run([*GIT, *arguments], cwd=tree, check=True, stdout=subprocess.DEVNULL)


def _processes(pid: int) -> list[psutil.Process]:
    engine = psutil.Process(pid)
    return [engine, *engine.children(recursive=True)]


def _memory(pid: int) -> int:
    total = 0
    for process in _processes(pid):
        try:
            full = process.memory_full_info()
        except psutil.NoSuchProcess:
            continue
        total += getattr(full, "pss", full.rss)
    return total


def _cpu(pid: int) -> float:
    times = [process.cpu_times() for process in _processes(pid)]
    return sum(one.user + one.system for one in times)


def _quantiles(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return f"p50 {statistics.median(ordered) * 1000:4.0f} ms  p95 {p95 * 1000:4.0f} ms  max {ordered[-1] * 1000:4.0f} ms"


async def _measure(tree: Path, options: argparse.Namespace) -> bool:
    files = _branches(tree, options.files)
    async with await EngineClient.connect(tree, client="bench", start=True) as engine:
        index = await engine.call("index", {"wait": True})
        print(f"{index['files']['indexed']:,} files, {index['blocks']['total']:,} blocks", flush=True)
        while (await _quiet(engine))["degraded"]:
            await asyncio.sleep(0.1)
        await saves(engine, tree, options.saves, options.seed)
        sys.stdout.flush()
        await switch(engine, tree, "other", files)
        await switch(engine, tree, "main", files)
        await switch(engine, tree, "other", files)
    live = await _blocks(tree)
    await stopped(tree)
    os.environ["CODECITE_HOME"] = f"{os.environ['CODECITE_HOME']}-fresh"
    fresh = await _blocks(tree)
    await stopped(tree)
    print(f"equal to a fresh index: {live == fresh} ({len(live):,} blocks)")
    return live == fresh


def main() -> int:
    """Measure and print; 1 when the settled index is not a fresh one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--saves", type=int, default=40)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["CODECITE_HOME"] = str(Path(scratch, "home"))
        tree = Path(scratch, "tree")
        shutil.copytree(options.tree, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        return int(not asyncio.run(_measure(tree, options)))


if __name__ == "__main__":
    sys.exit(main())
