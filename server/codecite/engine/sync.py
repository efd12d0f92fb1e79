"""Bring the ledger to what is on disk: scan, compare, read, parse, write, embed, drain.

One run is one job of the scheduler. Files are written one transaction each as they are parsed, so a question may be
answered from those that are there; vectors follow when all text is in, since keyword answers serve at once.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from dataclasses import dataclass, fields
from pathlib import Path

from codecite.collect.changes import reconcile
from codecite.collect.scan import ScanRules, scan
from codecite.detect.compare import compare
from codecite.engine.file_queue import FileQueue
from codecite.engine.guarding import Guarding
from codecite.engine.parse_pool import ParseWorker, WorkerFailure
from codecite.engine.scheduler import Job
from codecite.engine.vector_index import VectorIndex
from codecite.engine.wire import FileReply, FileRequest
from codecite.model.changes import StoredBlock
from codecite.model.errors import Cancelled, NotWritten
from codecite.model.files import Refusal
from codecite.ports import Clock, Disk, FileRecord, FileUpdate, Git, Ledger

log = logging.getLogger(__name__)

BEGAN_NOTE = "sync_began_ns"  # when the last whole sync began to read, in nanoseconds since the epoch
MODEL_NOTE = "synced_model"  # whose embedding texts and keys the ledger's blocks carry
BATCH_BLOCKS = 1_500  # a transaction of about 0.2 s
BATCH_SECONDS = 1.0  # how long a parsed file waits at most for company
HURRIED_SECONDS = 0.2  # the same while a question waits

Progress = Callable[[str, int, int, str], None]  # phase, done, total, message


@dataclass(slots=True)
class BlockCounts:
    """What became of blocks."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    embedded: int = 0

    def since(self, earlier: "BlockCounts") -> "BlockCounts":
        """Return what came after an earlier count."""
        return BlockCounts(*(getattr(self, one.name) - getattr(earlier, one.name) for one in fields(self)))


@dataclass(slots=True)
class SyncReport:
    """How one run went."""

    commit: str | None = None
    not_written: NotWritten | None = None  # the first such failure; raised when all else is done


class Synchronizer:
    """Runs syncs one at a time; `queue` is the running one's, for questions that cannot wait."""

    def __init__(
        self,
        workspace: Path,
        disk: Disk,
        git: Git,
        ledger: Ledger,
        vectors: VectorIndex,
        worker: ParseWorker,
        rules: ScanRules,
        clock: Clock,
    ) -> None:  # fmt: skip
        self.workspace = workspace
        self.last_success = _last_success(ledger)
        self.counts = BlockCounts()  # of all runs: who waited for two of them wants to know what both did
        self.queue: FileQueue | None = None
        self.on_progress: Progress = lambda *_: None
        self._disk = disk
        self._git = git
        self._ledger = ledger
        self._vectors = vectors
        self._worker = worker
        self._rules = rules
        self._clock = clock
        self._stopping = False
        self._queue_changed = threading.Condition()

    def await_queue(self, job: "Future[SyncReport]", timeout: float) -> FileQueue | None:
        """Wait until the running sync knows what to read; None when it ends or the time is over before that."""
        job.add_done_callback(lambda _: self._wake())
        with self._queue_changed:
            self._queue_changed.wait_for(lambda: self.queue is not None or job.done(), timeout)
            return self.queue

    def _wake(self) -> None:
        with self._queue_changed:
            self._queue_changed.notify_all()

    def stop(self) -> None:
        """Make a running sync end soon; what it has written stays."""
        self._stopping = True
        self._worker.close()

    def run(self, job: Job[SyncReport]) -> SyncReport:
        """Do one job and return what it did."""
        began_ns = int(self._clock.now() * 1e9)
        report = SyncReport(commit=self._git.head())
        self.on_progress("scan", 0, 0, "looking at the files")
        seen = scan(self._disk, self._git, self._rules)
        with self._ledger.reader() as reader:
            known = reader.files()
        full = job.full or self._ledger.get_meta(MODEL_NOTE) not in {None, self._vectors.embedder.digest}
        began = self._ledger.get_meta(BEGAN_NOTE)
        changes = reconcile(known, seen, full=full, read_since_ns=int(began) if began else None)
        if changes.gone:
            self.counts.removed += self._ledger.remove_files(changes.gone, "file gone")
        hashes = {} if full else {path: stored.sha256 for path, stored in known.items()}
        requests = [FileRequest(stamp.path, hashes.get(stamp.path, "")) for stamp in changes.candidates]
        guarding = Guarding(self._disk, self._git, self._ledger, self._rules.max_file_bytes, known)
        requests = guarding.with_confirmed(requests, changes.gone)
        refused = self._read(requests, known.keys(), guarding, report)
        self._ledger.set_refusals(sorted([*seen.refusals, *refused], key=lambda refusal: refusal.path))
        self.counts.embedded += self._vectors.catch_up(
            lambda phase, done, total: self.on_progress(phase, done, total, ""), lambda: self._stopping
        )
        self._check_stop()
        if report.not_written is not None:
            raise report.not_written
        self.last_success = self._clock.now()
        self._ledger.set_meta(BEGAN_NOTE, str(began_ns))
        self._ledger.set_meta(MODEL_NOTE, self._vectors.embedder.digest)
        self._ledger.finish_sync(report.commit, self.last_success)
        return report

    def _read(
        self, requests: list[FileRequest], known: AbstractSet[str], guarding: Guarding, report: SyncReport
    ) -> list[Refusal]:
        """Read and write every requested file; return those that were refused for what they hold."""
        refused: list[Refusal] = []
        queue = FileQueue(requests)
        with self._queue_changed:
            self.queue = queue
            self._queue_changed.notify_all()
        batch = _Batch(self._ledger, self._clock, queue)
        try:
            for reply in self._replies(queue, guarding):
                self._check_stop()
                if reply.refusal is not None:
                    refused.append(reply.refusal)
                if (reply.refusal is not None or reply.gone) and reply.path in known:
                    why = reply.refusal.reason if reply.refusal else "file gone"
                    self.counts.removed += self._ledger.remove_files([reply.path], why)
                elif reply.record is not None:
                    self._count(reply, known, self.counts)
                    batch.add(self._update(reply, reply.record, report.commit), reply.embed_texts or {})
                    continue
                elif reply.stamp is not None and reply.refusal is None:
                    self._ledger.restamp([reply.stamp])
                queue.done([reply.path])
                self.on_progress("parse", queue.total - queue.left(), queue.total, reply.path)
            batch.flush()
            report.not_written = batch.not_written
            return refused
        finally:
            queue.close()
            self.queue = None

    def _replies(self, queue: FileQueue, guarding: Guarding) -> Iterator[FileReply]:
        """Ask the worker for each file; one that its parser hangs or crashes on is asked for again as plain lines."""
        failed: list[FileRequest] = []
        for request, reply in self._worker.map(request.to_json() for request in queue):
            if isinstance(reply, WorkerFailure):
                log.warning("parser failed on %r: %s", request["path"], reply.reason)
                failed.append(FileRequest(request["path"], request["known"], plain=True))
            else:
                yield from guarding.passed(FileReply.from_json(reply))
        for request, reply in self._worker.map(request.to_json() for request in failed):
            if isinstance(reply, WorkerFailure):
                detail = f"reading it failed twice ({reply.reason})"
                yield FileReply(request["path"], refusal=Refusal(request["path"], "unreadable", detail))
            else:
                yield from guarding.passed(FileReply.from_json(reply), plain=True)
        yield from guarding.rest(self._worker.map)

    def _update(self, reply: FileReply, record: FileRecord, commit: str | None) -> FileUpdate:
        return FileUpdate(
            record=record,
            blocks=reply.blocks,
            definitions=reply.definitions,
            commit=commit,
            indexed_at=self._clock.now(),
            guarded=reply.guarded,
        )

    def _count(self, reply: FileReply, known: AbstractSet[str], counts: BlockCounts) -> None:
        """Count what becomes of a file's blocks."""
        stored: list[StoredBlock] = []
        if reply.path in known:
            with self._ledger.reader() as reader:
                stored = reader.stored_blocks(reply.path)
        delta = compare(stored, [item.block for item in reply.blocks])
        # A block whose code changed is one removed and one added, under two ids: people call that one change.
        replaced = min(len(delta.added), len(delta.removed))
        counts.changed += replaced + len(delta.retouched)
        counts.added += len(delta.added) - replaced
        counts.removed += len(delta.removed) - replaced
        counts.moved += len(delta.moved)

    def _check_stop(self) -> None:
        if self._stopping:
            raise Cancelled("the engine is leaving")


def _last_success(ledger: Ledger) -> float | None:
    noted = ledger.get_meta("last_success")
    return float(noted) if noted else None


class _Batch:
    """Files on their way into the ledger: several a transaction, since each transaction costs a full-text segment."""

    def __init__(self, ledger: Ledger, clock: Clock, queue: FileQueue) -> None:
        self.not_written: NotWritten | None = None
        self._ledger = ledger
        self._clock = clock
        self._queue = queue
        self._updates: list[tuple[FileUpdate, Mapping[str, str]]] = []
        self._blocks = 0
        self._since = clock.monotonic()

    def add(self, update: FileUpdate, embed_texts: Mapping[str, str]) -> None:
        """Take a file; write what has come together once it is enough or has waited long enough."""
        self._updates.append((update, embed_texts))
        self._blocks += len(update.blocks)
        patience = HURRIED_SECONDS if self._queue.hurried else BATCH_SECONDS
        if self._blocks >= BATCH_BLOCKS or self._clock.monotonic() - self._since >= patience:
            self.flush()

    def flush(self) -> None:
        """Write what has come together; a file that the ledger cannot take keeps no later one out."""
        if self._updates:
            try:
                self._ledger.write_files(self._updates)
            except NotWritten as error:
                log.exception("the store did not take a file")
                self.not_written = self.not_written or error
            self._queue.done([update.record.stamp.path for update, _ in self._updates])
        self._updates, self._blocks, self._since = [], 0, self._clock.monotonic()
