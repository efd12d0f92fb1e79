"""What a command costs: CPU seconds, wall seconds and memory of its whole process tree, daemons that it leaves included.

CPU of the command itself comes from `wait4`, which counts the children that it reaped. Every other process of the tree
is found by looking at the children of those already known, about ten times a second: one that the command starts as a
daemon is seen while the command lives and followed afterwards. Such a process counts with its own time and with that
of the children that it reaped, up to the moment at which the tree is at rest, since work that is only put off is work.
A process that is shorter than a look and is reaped by nobody of the tree is missed; neither the programs measured here
nor their runtimes start such ones.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

LOOK_SECONDS = 0.1
REST_SECONDS = 0.5  # at rest: in so long ...
REST_CPU = 0.011  # ... no more than one tick of the clock
LONGEST_REST = 120.0  # seconds; a tree that never rests is measured up to here

MEMORY = "PSS" if sys.platform == "linux" else "RSS"
"""What memory is the sum of: shared pages counted once where the system can tell, else resident pages."""

# Where the times of reaped children are known, a process that ended is counted through its parent.
_PARENTS_COUNT = sys.platform == "linux"


@dataclass(frozen=True, slots=True)
class Job:
    """A command to measure; `env` is put over this process's own."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    timeout: float = 1_800.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run cost. Memory in bytes, as MEMORY says, the highest sum that was seen."""

    cpu_seconds: float
    wall_seconds: float  # until the command itself ended
    memory: int  # of the whole tree
    left_memory: int  # of the tree without the command itself: its daemon and what that started
    rested_after: float  # seconds from the end of the command until the tree was at rest
    left: tuple[int, ...]  # processes that it left running
    parts: dict[str, float]  # CPU seconds of the command and of each kind of process besides it
    stdout: str


class RunError(Exception):
    """A command that did not do its work; the text is what it said."""


def measure(job: Job) -> Usage:
    """Run a command to its end and to the rest of what it leaves. Raises RunError when it exits with an error."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.monotonic()
        child = subprocess.Popen(
            job.argv,
            cwd=job.cwd,
            env={**os.environ, **job.env},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        watch = _Watch(child.pid)
        killer = threading.Timer(job.timeout, child.kill)
        watch.start()
        killer.start()
        try:
            own = _wait(child, watch)
            wall = time.monotonic() - started
        finally:
            killer.cancel()
        watch.command_ended()
        rested = watch.rest()
        out.seek(0)
        err.seek(0)
        said = out.read().decode("utf-8", "replace")
        if child.returncode:
            words = (err.read().decode("utf-8", "replace") + said).strip().splitlines()
            raise RunError(f"`{' '.join(job.argv)}` ended with {child.returncode}: {' / '.join(words[-6:])}")
    parts = {"command": own, **watch.parts()}
    return Usage(
        sum(parts.values()), wall, watch.memory, watch.left_memory, rested, watch.left(), parts, said
    )


def _wait(child: "subprocess.Popen[bytes]", watch: "_Watch") -> float:
    """Wait for the command and return its CPU seconds with those of the children that it reaped."""
    if sys.platform == "win32":
        child.wait()
        return watch.last_seen(child.pid)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


@dataclass(slots=True)
class _Seen:
    process: psutil.Process
    parent: int
    name: str = ""
    cpu_seconds: float = 0.0  # its own
    reaped_seconds: float = 0.0  # of the children that it waited for
    ended: bool = False
    counted_by_parent: bool = False


class _Watch:
    """Follows a process tree from its root, on a thread of its own while the command runs."""

    def __init__(self, root: int) -> None:
        self.memory = 0
        self.left_memory = 0
        self._root = root
        self._root_runs = True
        self._seen: dict[int, _Seen] = {root: _Seen(psutil.Process(root), 0)}
        self._strangers = set(psutil.pids()) - {root}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="process watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def command_ended(self) -> None:
        """Stop following; the command has been waited for."""
        self._stop.set()
        self._thread.join()
        self._look()  # what has ended by now was waited for by the command
        self._root_runs = False

    def rest(self) -> float:
        """Return the seconds after which nothing that was left behind used the processor any more."""
        began = time.monotonic()
        before = -1.0
        while (waited := time.monotonic() - began) < LONGEST_REST:
            for _ in range(round(REST_SECONDS / LOOK_SECONDS)):
                self._look()
                if all(seen.ended for pid, seen in self._seen.items() if pid != self._root):
                    return time.monotonic() - began
                time.sleep(LOOK_SECONDS)
            now = sum(self.parts().values())
            if now - before <= REST_CPU:
                return waited
            before = now
        return waited

    def parts(self) -> dict[str, float]:
        """Return what the processes besides the command used, by name, as far as nobody else of the tree counts it."""
        parts: dict[str, float] = {}
        for pid, seen in self._seen.items():
            if pid != self._root and not seen.counted_by_parent:
                children = f"ended children of {seen.name}"
                parts[seen.name] = parts.get(seen.name, 0.0) + seen.cpu_seconds
                parts[children] = parts.get(children, 0.0) + seen.reaped_seconds
        return parts

    def left(self) -> tuple[int, ...]:
        """Return the processes that the command left running."""
        return tuple(pid for pid, seen in self._seen.items() if pid != self._root and not seen.ended)

    def last_seen(self, pid: int) -> float:
        return self._seen[pid].cpu_seconds

    def _follow(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            self._look()

    def _look(self) -> None:
        self._find_children()
        total = left = 0
        for pid, seen in self._seen.items():
            if seen.ended or (pid == self._root and not self._root_runs):
                continue
            try:
                if not seen.process.is_running() or seen.process.status() == psutil.STATUS_ZOMBIE:
                    raise psutil.NoSuchProcess(pid)
                times = seen.process.cpu_times()
                seen.cpu_seconds = times.user + times.system
                if _PARENTS_COUNT:
                    seen.reaped_seconds = times.children_user + times.children_system
                size = _memory(seen.process)
                seen.name = _name(seen.process.cmdline()) or seen.name  # a new process still has its parent's
            except psutil.Error:
                seen.ended = pid != self._root
                seen.counted_by_parent = _PARENTS_COUNT and self._runs(seen.parent)
                continue
            total += size
            left += size if pid != self._root else 0
        self.memory = max(self.memory, total)
        self.left_memory = max(self.left_memory, left)

    def _find_children(self) -> None:
        """Look at the parents of the processes that are new since the last look."""
        pids = set(psutil.pids())
        self._strangers &= pids
        for pid in sorted(pids - self._strangers - self._seen.keys()):
            try:
                process = psutil.Process(pid)
                parent = process.ppid()
            except psutil.Error:
                continue
            if parent in self._seen:
                self._seen[pid] = _Seen(process, parent)
            else:
                self._strangers.add(pid)

    def _runs(self, pid: int) -> bool:
        if pid == self._root:
            return self._root_runs
        seen = self._seen.get(pid)
        return seen is not None and not seen.ended


def _memory(process: psutil.Process) -> int:
    if MEMORY == "PSS":
        return int(process.memory_full_info().pss)
    return int(process.memory_info().rss)


def _name(command: list[str]) -> str:
    """Return the module or the program that a command line runs."""
    if "-m" in command[1:-1]:
        return command[command.index("-m", 1) + 1]
    return Path(command[0]).name if command else ""
