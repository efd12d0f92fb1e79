"""The composition root: which adapter serves which port. Nothing else in the engine names a concrete adapter."""

import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from codecite.adapters.disk import WorkTree
from codecite.adapters.generations import ChromaGenerations
from codecite.adapters.git import GitCommand
from codecite.adapters.hashed_embedder import HashedEmbedder
from codecite.adapters.ledger_opening import open_ledger
from codecite.adapters.watcher import watch_tree
from codecite.collect.walk import ScanRules
from codecite.engine.asking import Asking
from codecite.engine.configuration import workspace_settings
from codecite.engine.diagnosis import Diagnosis
from codecite.engine.following import Follower
from codecite.engine.git_state import GitState
from codecite.engine.health import Health
from codecite.engine.last_words import died_inside
from codecite.engine.locations import home
from codecite.engine.overlays import PARSE_SECONDS, Overlays
from codecite.engine.parse_pool import ParseWorker
from codecite.engine.protocol import Message
from codecite.engine.scheduler import Job, Scheduler
from codecite.engine.services import WorkspaceServices
from codecite.engine.sync import Synchronizer
from codecite.engine.vector_index import VectorIndex
from codecite.engine.versions import own_folder, remove_older
from codecite.model.errors import Cancelled
from codecite.retrieve.search import Searcher

WORKER_IDLE_SECONDS = (
    600.0  # a save is parsed in milliseconds by a worker that is there, and starting one takes 0.5 s
)
_GLOB, _ESCAPED = re.compile(r"[\\*?\[]"), r"\\\g<0>"  # what patterns read otherwise than as itself


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> float:
        """Return seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""
        return time.monotonic()


def _own_folders(workspace: Path, store: Path) -> Iterator[str]:
    """Yield the patterns that keep this store and those of others out of the index, where they are in the workspace."""
    root = workspace.resolve()
    for folder in (store.resolve(), home().resolve()):
        if folder != root and folder.is_relative_to(root):
            name = folder.relative_to(root).as_posix()
            yield f"/{_GLOB.sub(_ESCAPED, name)}/"


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
    program = ["-m", "codecite.engine.worker", str(workspace), embedder.digest]
    worker = ParseWorker(program, idle_seconds=WORKER_IDLE_SECONDS)
    unsaved = ParseWorker(program, deadline=PARSE_SECONDS, idle_seconds=WORKER_IDLE_SECONDS)
    rules = ScanRules(
        excludes=(*settings.excludes, *_own_folders(workspace, store)),
        max_file_bytes=settings.max_file_bytes,
        fold_case=sys.platform in {"darwin", "win32"},
    )

    def heard(paths: Sequence[str] | None) -> None:
        follower.heard(paths)

    watcher = watch_tree(workspace, heard)
    sync = Synchronizer(disk, git, ledger, vectors, worker, rules, clock, watcher)

    def work(job: Job[None]) -> None:
        try:
            sync.run(job)
        except Cancelled:
            raise
        except Exception as error:
            health.failed(error)
            raise
        health.succeeded()
        remove_older(store)

    def changed() -> None:
        offered.announce()

    scheduler: Scheduler[None] = Scheduler(work, clock, changed)
    state = GitState(git, clock)
    follower: Follower = Follower(state, scheduler, sync, clock)

    def mend_vectors() -> None:
        with suppress(Cancelled):  # the engine is leaving: the next one mends them
            scheduler.hint("the vector store failed", (), 0.0)

    vectors.on_damage = mend_vectors
    diagnosis = Diagnosis(disk, git, rules, ledger, vectors)
    health: Health = Health(
        workspace,
        store,
        settings,
        problems,
        ledger,
        vectors,
        sync,
        scheduler,
        state,
        watcher,
        clock,
        diagnosis,
        damage,
    )
    overlays = Overlays(unsaved, disk, sync.ignores)
    asking = Asking(workspace, disk, health, clock, settings.max_file_bytes, Searcher(), overlays)
    offered: WorkspaceServices = WorkspaceServices(asking, health, follower, git, broadcast)
    return offered
