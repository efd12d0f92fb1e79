"""What state a workspace is in, said honestly: status for a glance, doctor for a diagnosis."""

import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codecite import __version__
from codecite.answer.text import say
from codecite.engine.diagnosis import Diagnosis
from codecite.engine.git_state import GitState
from codecite.engine.protocol import PROTOCOL
from codecite.engine.results import refusal_json, standing_json
from codecite.engine.scheduler import Scheduler
from codecite.engine.sync import Synchronizer
from codecite.engine.unconfirmed import unconfirmed_json
from codecite.engine.vector_index import VectorIndex
from codecite.model.errors import Unavailable
from codecite.model.texts import Script
from codecite.ports import Clock, Counts, Ledger, Watcher
from codecite.settings import Settings

LONG_JOB_SECONDS = 15 * 60.0  # a job that runs longer is reported
STALE_SECONDS = 2 * 3600.0  # without a success while changes wait: answers are said to be degraded
MOST_JOBS = 10  # lines of the journal in status
MOST_LISTED = 20  # refused files and notes shown in status; `index --json` lists all


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that doctor looked at."""

    name: str
    ok: bool
    detail: str
    mend: str = ""


@dataclass(slots=True)
class Health:
    """Looks at every part of one workspace's engine; changes nothing unless told to repair."""

    workspace: Path
    store: Path
    settings: Settings
    problems: tuple[str, ...]  # of the configuration
    ledger: Ledger
    vectors: VectorIndex
    sync: Synchronizer
    scheduler: Scheduler[None]
    git: GitState
    watcher: Watcher
    clock: Clock
    diagnosis: Diagnosis
    damage: str = ""  # that the ledger was found damaged when it was opened, and what became of it
    last_error: str = ""
    failing_since: float | None = None  # seconds since the epoch: when the first of the failures in a row was

    def failed(self, error: Exception) -> None:
        """Note that an update failed."""
        self.last_error = str(error) or type(error).__name__
        self.failing_since = self.failing_since or self.clock.now()

    def succeeded(self) -> None:
        """Note that one succeeded."""
        self.last_error, self.failing_since = "", None

    def degraded(self, counts: Counts, script: Script = "en") -> list[str]:
        """Return what an answer from a view that counts this cannot see at this moment, one sentence each."""
        said = self._not_read(script)
        running, _ = self.scheduler.state()
        if counts.pending_vectors or counts.outbox:
            said.append(say(script, "no_vectors"))
        elif not self.vectors.opened:
            said.append(say(script, "vectors_unread"))
        if self.vectors.unasked:
            said.append(say(script, "unasked", reason=self.vectors.unasked))
        if self.last_error:
            said.append(say(script, "failed", reason=self.last_error))
        if running is not None and running.age > LONG_JOB_SECONDS:
            said.append(say(script, "long", minutes=running.age / 60))
        if self._stale():
            said.append(
                say(script, "stale", hours=(self.clock.now() - (self.sync.last_success or 0.0)) / 3600)
            )
        return said

    def _not_read(self, script: Script) -> list[str]:
        queue, (_, pending) = self.sync.queue, self.scheduler.state()
        if queue is not None and queue.left():
            return [say(script, "indexing", done=queue.total - queue.left(), total=queue.total)]
        if self.sync.last_success is None:
            return [say(script, "not_finished")]
        if pending is None or self.scheduler.failures:
            return []
        if pending.whole:
            return [say(script, "all_changed")]
        waiting = sum(not self.sync.leaves_out(path) for path in pending.paths)
        if not waiting or pending.patient:
            return []
        return [say(script, "changed" if waiting > 1 else "one_changed", count=waiting)]

    def _stale(self) -> bool:
        last = self.sync.last_success
        return last is not None and any(self.scheduler.state()) and self.clock.now() - last > STALE_SECONDS

    def status(self) -> dict[str, Any]:
        """Return the state of the workspace as JSON."""
        with self.ledger.reader() as reader:
            counts = reader.counts()
            refused = [item.refusal for item in reader.refused()]
            notes = reader.notes()
            unconfirmed = unconfirmed_json(reader)
            sequence, commit = reader.sequence, reader.commit
            jobs = reader.jobs(MOST_JOBS)
        trouble, standing = self.git.told()
        running, pending = self.scheduler.state()
        last_success = self.sync.last_success
        degraded = self.degraded(counts)
        if self.last_error:
            state = "failed"
        elif self._stale():
            state = "degraded"
        elif running is not None or (pending is not None and not pending.patient):
            state = "indexing"
        elif last_success is None:
            state = "empty"
        else:
            state = "degraded" if degraded else "ready"
        queue = self.sync.queue
        return {
            "state": state,
            "workspace": str(self.workspace),
            "store": str(self.store),
            "sequence": sequence,
            "commit": commit,
            "repository": standing_json(standing),
            "files": {
                "indexed": counts.files,
                "refused": counts.refused,
                "skipped": [refusal_json(item) for item in refused[:MOST_LISTED]],
                "notes": [{"path": path, "note": note} for path, note in notes[:MOST_LISTED]],
            },
            "blocks": {
                "total": counts.blocks,
                "definitions": counts.definitions,
                "retained": counts.retained,
            },
            "unconfirmed": unconfirmed,
            "vectors": {
                "embedder": self.vectors.embedder.name,
                "digest": self.vectors.embedder.digest,
                "pending": counts.pending_vectors,
                "outbox": counts.outbox,
                "embedded": counts.embedded_total,
            },
            "queue": {
                "running": list(running.causes) if running else None,
                "running_seconds": round(running.age, 1) if running else 0.0,
                "pending": list(pending.causes) if pending else None,
                "pending_seconds": round(pending.age, 1) if pending else 0.0,
                "due_seconds": round(pending.due, 1) if pending else 0.0,
                "files_left": queue.left() if queue else 0,
                "files_total": queue.total if queue else 0,
            },
            "last_success": last_success,
            "failing": {
                "error": self.last_error,
                "since": self.failing_since,
                "failures": self.scheduler.failures,
            }
            if self.last_error
            else None,
            "jobs": [asdict(job) for job in jobs],
            "watching": not self.watcher.problem,
            "degraded": degraded,
            "problems": [
                *self.problems,
                *filter(
                    None, [self.damage, self.vectors.problem, _git_problem(trouble), self.watcher.problem]
                ),
            ],
            "settings": asdict(self.settings),
            "engine": {
                "pid": os.getpid(),
                "version": __version__,
                "protocol": list(PROTOCOL),
                "python": sys.version.split()[0],
            },
        }

    def doctor(self) -> dict[str, Any]:
        """Check the ledger, the vector store, git, the configuration and the last update; change nothing."""
        wrong = self.ledger.check()
        unequal, mend = self._vectors_check()
        git = _git_problem(self.git.told()[0])
        checks = [
            _check(
                "ledger", "; ".join(wrong), "sound", f"`codecite stop`, remove {self.store}, `codecite index`"
            ),
            _check(
                "vectors",
                unequal,
                "the vector store and the ledger hold the same blocks",
                mend,
            ),
            _check("watcher", self.watcher.problem, "hears of changes", "see the detail"),
            Check("git", ok=True, detail=git or "usable"),
            _check("configuration", "; ".join(self.problems), "valid", "correct the named values"),
            _check("last update", self.last_error, "succeeded", "run `codecite index --wait`"),
        ]
        with self.ledger.reader() as reader:
            seen = {"sequence": reader.sequence, "commit": reader.commit}
        return {"workspace": str(self.workspace), **seen, "checks": [asdict(check) for check in checks]}

    def _vectors_check(self) -> tuple[str, str]:
        """Return what sets the vector store apart from the ledger, "" where nothing does, and the mend."""
        try:
            missing, surplus = self.vectors.differences()
        except Unavailable as error:  # a full disk, say: it must not keep the other checks from being seen
            return error.message, error.mend
        if not missing and not surplus:
            return "", ""
        told = f"{len(missing)} blocks without their vector, {len(surplus)} vectors without a block"
        return told, "run `codecite doctor --repair`"

    def doctor_of(self, path: str, line: int | None) -> dict[str, Any]:
        """Explain one file, or the block at one line of it; the one check is whether it is as it ought to be."""
        found = self.diagnosis.explain(path, line)
        seen = {"sequence": found.pop("sequence"), "commit": found.pop("commit")}
        check = Check(path, found.pop("ok"), found["detail"], found["mend"])
        return {"workspace": str(self.workspace), **seen, "checks": [asdict(check)], "file": found}

    def requeue_differences(self) -> None:
        """Queue what the vector store lacks or has too much; the next sync mends it."""
        self.ledger.requeue(*self.vectors.differences())


def _check(name: str, problem: str, well: str, mend: str) -> Check:
    return Check(name, not problem, problem or well, mend if problem else "")


def _git_problem(trouble: str) -> str:
    if not trouble:
        return ""
    return f"git cannot be used here ({trouble}); files are followed all the same, commits are not"
