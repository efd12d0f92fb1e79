"""The composition root: which adapter serves which port. Nothing else in the engine names a concrete adapter."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from codecite.adapters.disk import WorkTree
from codecite.adapters.generations import ChromaGenerations
from codecite.adapters.git import GitCommand
from codecite.adapters.hashed_embedder import HashedEmbedder
from codecite.adapters.ledger_opening import open_ledger
from codecite.collect.scan import ScanRules
from codecite.engine.asking import Asking
from codecite.engine.configuration import workspace_settings
from codecite.engine.health import Health
from codecite.engine.last_words import died_inside
from codecite.engine.parse_pool import ParseWorker
from codecite.engine.protocol import Message
from codecite.engine.scheduler import Job, Scheduler
from codecite.engine.services import WorkspaceServices
from codecite.engine.sync import Synchronizer, SyncReport
from codecite.engine.vector_index import VectorIndex
from codecite.engine.versions import own_folder, remove_older
from codecite.model.errors import Cancelled
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
    folder = own_folder(store)
    ledger, damage = open_ledger(folder)
    ledger.set_meta("model", embedder.digest)
    vectors = VectorIndex(
        ledger, embedder, ChromaGenerations(folder, embedder), suspect=died_inside(store, "chromadb")
    )
    worker = ParseWorker(["-m", "codecite.engine.worker", str(workspace), embedder.digest])
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
        remove_older(store)
        return report

    scheduler: Scheduler[SyncReport] = Scheduler(work)

    def mend_vectors() -> None:
        with suppress(Cancelled):  # the engine is leaving: the next one mends them
            scheduler.request("the vector store failed")

    vectors.on_damage = mend_vectors
    health = Health(
        workspace, store, settings, problems, ledger, vectors, sync, scheduler, git, damage=damage
    )
    asking = Asking(workspace, disk, health, clock, settings.max_file_bytes, Searcher())
    return WorkspaceServices(asking, health, broadcast)
