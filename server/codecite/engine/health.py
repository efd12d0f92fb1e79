"""What state a workspace is in, said honestly: status for a glance, doctor for a diagnosis."""

import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codecite import __version__
from codecite.adapters.git import GitCommand
from codecite.engine.protocol import PROTOCOL
from codecite.engine.results import refusal_json
from codecite.engine.scheduler import Scheduler
from codecite.engine.sync import Synchronizer, SyncReport
from codecite.engine.unconfirmed import unconfirmed_json
from codecite.engine.vector_index import VectorIndex
from codecite.ports import Ledger
from codecite.settings import Settings

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
    scheduler: Scheduler[SyncReport]
    git: GitCommand
    last_error: str = ""

    def degraded(self) -> list[str]:
        """Return what answers cannot see at this moment, one sentence each."""
        said = []
        with self.ledger.reader() as reader:
            counts = reader.counts()
        queue = self.sync.queue
        if queue is not None and queue.left():
            said.append(f"indexing is under way: {queue.total - queue.left()} of {queue.total} files read")
        elif self.sync.last_success is None:
            said.append("the first index has not finished")
        if counts.pending_vectors or counts.outbox or not self.vectors.opened:
            said.append("vectors are being built: answered by keyword and symbol")
        if self.last_error:
            said.append(f"the last update failed: {self.last_error}")
        return said

    def status(self) -> dict[str, Any]:
        """Return the state of the workspace as JSON."""
        with self.ledger.reader() as reader:
            counts = reader.counts()
            refusals = reader.refusals()
            notes = reader.notes()
            unconfirmed = unconfirmed_json(reader)
            sequence, commit = reader.sequence, reader.commit
        running, pending = self.scheduler.state()
        last_success = self.sync.last_success
        degraded = self.degraded()
        if self.last_error:
            state = "failed"
        elif running is not None:
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
            "files": {
                "indexed": counts.files,
                "refused": counts.refused,
                "skipped": [refusal_json(item) for item in refusals[:MOST_LISTED]],
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
                "running": running,
                "pending": pending,
                "files_left": queue.left() if queue else 0,
                "files_total": queue.total if queue else 0,
            },
            "last_success": last_success,
            "degraded": degraded,
            "problems": [*self.problems, *filter(None, [self.git.problem()])],
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
        missing, surplus = self.vectors.differences()
        git = self.git.problem()
        checks = [
            _check(
                "ledger", "; ".join(wrong), "sound", f"`codecite stop`, remove {self.store}, `codecite index`"
            ),
            _check(
                "vectors",
                f"{len(missing)} blocks without their vector, {len(surplus)} vectors without a block"
                if missing or surplus
                else "",
                "the vector store and the ledger hold the same blocks",
                "run `codecite doctor --repair`",
            ),
            Check("git", ok=True, detail=f"{git}; indexing goes on without it" if git else "usable"),
            _check("configuration", "; ".join(self.problems), "valid", "correct the named values"),
            _check("last update", self.last_error, "succeeded", "run `codecite index --wait`"),
        ]
        with self.ledger.reader() as reader:
            seen = {"sequence": reader.sequence, "commit": reader.commit}
        return {"workspace": str(self.workspace), **seen, "checks": [asdict(check) for check in checks]}

    def requeue_differences(self) -> None:
        """Queue what the vector store lacks or has too much; the next sync mends it."""
        self.ledger.requeue(*self.vectors.differences())


def _check(name: str, problem: str, well: str, mend: str) -> Check:
    return Check(name, not problem, problem or well, mend if problem else "")
