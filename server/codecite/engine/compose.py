"""The composition root: which adapter serves which port. Nothing else in the engine names a concrete adapter."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from codecite.adapters.chroma_vectors import ChromaVectors
from codecite.adapters.disk import WorkTree
from codecite.adapters.git import GitCommand
from codecite.adapters.hashed_embedder import HashedEmbedder
from codecite.adapters.sqlite_ledger import SCHEMA_VERSION, SqliteLedger
from codecite.collect.scan import ScanRules
from codecite.engine.asking import Asking
from codecite.engine.configuration import workspace_settings
from codecite.engine.health import Health
from codecite.engine.overlays import PARSE_SECONDS, WORKER_IDLE_SECONDS, Overlays
from codecite.engine.parse_pool import ParseWorker
from codecite.engine.protocol import Message
from codecite.engine.scheduler import Job, Scheduler
from codecite.engine.services import WorkspaceServices
from codecite.engine.sync import Synchronizer, SyncReport
from codecite.engine.vector_index import VectorIndex
from codecite.retrieve.search import Searcher


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> float:
        """Return seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""
        return time.monotonic()


def _own_folder(workspace: Path, store: Path) -> tuple[str, ...]:
    """Return the pattern that keeps the store out of its own index, where it lies inside the workspace."""
    root = workspace.resolve()
    return (
        (f"/{store.resolve().relative_to(root).as_posix()}/",) if store.resolve().is_relative_to(root) else ()
    )


def services(workspace: Path, store: Path, broadcast: Callable[[str, Message], None]) -> WorkspaceServices:
    """Build what the engine of one workspace offers, on the store folder that it owns."""
    settings, problems = workspace_settings(workspace)
    clock = SystemClock()
    disk = WorkTree(workspace)
    git = GitCommand(workspace)
    embedder = HashedEmbedder()
    folder = store / f"v{SCHEMA_VERSION}"  # an incompatible schema gets a folder of its own
    folder.mkdir(mode=0o700, exist_ok=True)
    ledger = SqliteLedger(folder)
    ledger.set_meta("model", embedder.digest)
    vectors = VectorIndex(ledger, embedder, lambda: ChromaVectors(folder / "chroma", embedder))
    program = ["-m", "codecite.engine.worker", str(workspace), embedder.digest]
    worker = ParseWorker(program)
    rules = ScanRules(
        excludes=(*settings.excludes, *_own_folder(workspace, store)),
        max_file_bytes=settings.max_file_bytes,
        fold_case=sys.platform in {"darwin", "win32"},
    )
    sync = Synchronizer(workspace, disk, git, ledger, vectors, worker, rules, clock)

    def work(job: Job[SyncReport]) -> SyncReport:
        try:
            report = sync.run(job)
        except Exception as error:
            health.last_error = str(error)
            raise
        health.last_error = ""
        return report

    scheduler: Scheduler[SyncReport] = Scheduler(work)
    health = Health(workspace, store, settings, problems, ledger, vectors, sync, scheduler, git)
    unsaved = ParseWorker(program, deadline=PARSE_SECONDS, idle_seconds=WORKER_IDLE_SECONDS)
    overlays = Overlays(unsaved, disk, lambda: sync.last_success)
    asking = Asking(workspace, disk, health, clock, settings.max_file_bytes, Searcher(), overlays)
    return WorkspaceServices(asking, health, broadcast)
