"""Bring the ledger to what is on disk: scan, compare, read, parse, write, embed, drain.

One run is one job of the scheduler. It looks at the whole tree, or only where files were seen to change. Files are
written several a transaction as they are parsed, so a question may be answered from those that are there; vectors
follow when all text is in, since keyword answers serve at once. A run that is cut short is made up for by the next:
what it wrote is as it is on disk, and the rest still differs.
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from dataclasses import dataclass, field, fields

from codecite.collect.changes import reconcile
from codecite.collect.scan import Scan, ScanRules, Walked, scan, scan_again
from codecite.detect.compare import compare
from codecite.engine.file_queue import FileQueue
from codecite.engine.guarding import Guarding
from codecite.engine.parse_pool import AHEAD, ParseWorker, WorkerFailure
from codecite.engine.scheduler import Job
from codecite.engine.vector_index import VectorIndex
from codecite.engine.wire import FileReply, FileRequest
from codecite.model.changes import ChangeSet, StoredBlock
from codecite.model.errors import Cancelled, CodeciteError, NotWritten, Unavailable
from codecite.model.files import Refusal, folder_of
from codecite.ports import Clock, Disk, FileRecord, FileUpdate, Git, Ledger, Refused, StoredFile, Watcher

log = logging.getLogger(__name__)

BEGAN_NOTE = "sync_began_ns"  # when the last whole sync began to read, in nanoseconds since the epoch
MODEL_NOTE = "synced_model"  # whose embedding texts and keys the ledger's blocks carry
BATCH_BLOCKS = 1_500  # a transaction of about 0.2 s
BATCH_SECONDS = 1.0  # how long a parsed file waits at most for company
HURRIED_SECONDS = 0.2  # the same while a question waits
EMPTY_SECONDS = 1.0  # after which a file that was found empty is read again: many tools truncate, then write
JOURNAL_LOOKED_AT = 20  # lines: a full job that is older was done, or will never be

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
    refused: list[Refused] = field(default_factory=list)  # for what they hold


class Synchronizer:
    """Runs syncs one at a time; `queue` is the running one's, for questions that cannot wait."""

    def __init__(
        self,
        disk: Disk,
        git: Git,
        ledger: Ledger,
        vectors: VectorIndex,
        worker: ParseWorker,
        rules: ScanRules,
        clock: Clock,
        watcher: Watcher,
    ) -> None:  # fmt: skip
        self.last_success = _last_success(ledger)
        self.counts = BlockCounts()  # of all runs: who waited for two of them wants to know what both did
        self.queue: FileQueue | None = None
        self.on_progress: Progress = lambda *_: None
        self.walked: Walked | None = None  # by this process; None until it has looked at the whole tree once
        self.left_out: dict[str, set[str]] = {}  # refused files by folder, as the last run knew them
        self.attended: Mapping[str, object] = {}  # files that are open in an editor: read first
        self._disk = disk
        self._git = git
        self._ledger = ledger
        self._vectors = vectors
        self._worker = worker
        self._rules = rules
        self._clock = clock
        self._watcher = watcher
        self._head: str | None = None
        self._looking = False
        self._stopping = threading.Event()
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

    def concerns(self, path: str) -> bool:
        """Say whether a change at a path may matter; while a sync looks at the tree, one anywhere may.

        Folders are watched before they are listed, so of a new one is heard before `walked` has it.
        """
        return self._looking or self.walked is None or self.walked.concerns(path)

    def leaves_out(self, path: str) -> bool:
        """Say whether a file was refused when it was last looked at."""
        return path in self.left_out.get(folder_of(path), ())

    def ignores(self, path: str) -> bool:
        """Say whether the ignore rules, as far as they have been read, leave a file out that may not be there."""
        return self.walked is not None and self.walked.ignores(path)

    def stop(self) -> None:
        """Make a running sync end soon; what it has written stays."""
        self._stopping.set()
        self._worker.close()

    def run(self, job: Job[SyncReport]) -> SyncReport:
        """Do one job, with a line in the journal, and return what it did."""
        if job.whole or self.walked is None:
            self._head = self._git.head()  # where it moves, everything is looked at
        report = SyncReport(commit=self._head)
        model_changed = self._ledger.get_meta(MODEL_NOTE) not in {None, self._vectors.embedder.digest}
        full = job.full or model_changed
        done_since = None if full else self._unfinished_full()
        full = full or done_since is not None
        number = self._ledger.begin_job(job.causes, report.commit, self._clock.now(), full=full)
        try:
            self._bring_up(job, report, full=full, done_since=done_since)
        except Exception as error:
            self._end_job(number, "interrupted" if isinstance(error, Cancelled) else f"failed: {error}")
            raise
        self._end_job(number, "done")
        return report

    def _bring_up(
        self, job: Job[SyncReport], report: SyncReport, *, full: bool, done_since: float | None
    ) -> None:
        began_ns = int(self._clock.now() * 1e9)
        seen = self._look(job, whole=full)
        with self._ledger.reader() as reader:
            known = reader.files(seen.folders)
            refused = reader.refused(seen.folders)
        whole = seen.folders is None
        began = self._ledger.get_meta(BEGAN_NOTE)
        changes = reconcile(
            known,
            seen,
            refused=[item.stamp for item in refused if item.stamp is not None],
            named=job.paths,
            full=full,
            done_since=done_since,
            read_since_ns=int(began) if began else None,
        )
        # Somebody who waits, or has nothing to ask yet, gets both cores; what follows edits keeps to one.
        ahead = AHEAD if job.asked or self.last_success is None else 1
        guarding = Guarding(self._disk, self._git, self._ledger, self._rules.max_file_bytes, known)
        requests = guarding.with_confirmed(self._requests(changes, known, full=full), changes.gone)
        self._read(requests, known, guarding, report, ahead)
        if changes.gone:  # only now: what moved elsewhere is there by this time
            self.counts.removed += self._ledger.remove_files(changes.gone, "file gone")
        unread = {stamp.path for stamp in seen.files} - {request.path for request in requests}
        as_before = [one for one in refused if one.refusal.path in unread]
        left_out = [*map(Refused, seen.refusals), *as_before, *report.refused]
        self._ledger.set_refused(left_out, seen.folders)
        self._remember(left_out, seen.folders)
        self.counts.embedded += self._vectors.catch_up(
            lambda phase, done, total: self.on_progress(phase, done, total, ""), self._stopping.is_set
        )
        self._check_stop()
        if report.not_written is not None:
            raise report.not_written
        self.last_success = self._clock.now()
        if whole:
            self._ledger.set_meta(BEGAN_NOTE, str(began_ns))
            self._ledger.set_meta(MODEL_NOTE, self._vectors.embedder.digest)
        self._ledger.finish_sync(report.commit, self.last_success, tidy=whole)

    def _look(self, job: Job[SyncReport], *, whole: bool) -> Scan:
        """Look at the whole tree, or where the job's files are if that is enough; have what was walked watched."""
        self._looking = True
        try:
            seen = None
            if self.walked is not None and not (whole or job.whole):
                seen = scan_again(self._disk, self._rules, self.walked, job.paths, self._watcher.watch)
            if seen is None:
                self.on_progress("scan", 0, 0, "looking at the files")
                seen = scan(self._disk, self._git, self._rules, self._watcher.watch)
            self.walked = seen.walked
        except OSError as error:
            raise Unavailable(f"the workspace cannot be listed: {error.strerror}") from error
        finally:
            self._looking = False
        self._watcher.keep_only(seen.walked.watched)
        return seen

    def _remember(self, refused: Iterable[Refused], folders: Collection[str] | None) -> None:
        """Note which files are left out of these folders, or of all."""
        now: dict[str, set[str]] = {}
        for item in refused:
            now.setdefault(folder_of(item.refusal.path), set()).add(item.refusal.path)
        before = {} if folders is None else dict(self.left_out)
        for folder in folders or ():
            before.pop(folder, None)
        self.left_out = before | now

    def _unfinished_full(self) -> float | None:
        """Return when a full job began that was cut short and that no later one made up for; it is resumed."""
        with self._ledger.reader() as reader:
            jobs = [job for job in reader.jobs(JOURNAL_LOOKED_AT) if job.full]
        began = None
        for job in jobs:  # the newest first
            if job.outcome == "done":
                break
            began = job.began_at
        return began

    def _end_job(self, number: int, outcome: str) -> None:
        try:
            self._ledger.end_job(number, outcome, self._clock.now())
        except CodeciteError:  # the store that made the job fail; the next job closes the line
            log.exception("the journal was not written")

    def _requests(
        self, changes: ChangeSet, known: Mapping[str, StoredFile], *, full: bool
    ) -> list[FileRequest]:
        """Return what to read, files that are open in an editor first."""
        hashes = {} if full else {path: stored.sha256 for path, stored in known.items()}
        requests = [FileRequest(stamp.path, hashes.get(stamp.path, "")) for stamp in changes.candidates]
        attended = self.attended
        return sorted(requests, key=lambda request: request.path not in attended)

    def _read(
        self,
        requests: list[FileRequest],
        known: Mapping[str, StoredFile],
        guarding: Guarding,
        report: SyncReport,
        ahead: int,
    ) -> None:
        """Read and write every requested file."""
        queue = FileQueue(requests)
        with self._queue_changed:
            self.queue = queue
            self._queue_changed.notify_all()
        batch = _Batch(self._ledger, self._clock, queue)
        try:
            for reply in self._replies(queue, known, guarding, ahead):
                self._check_stop()
                if reply.refusal is not None:
                    report.refused.append(Refused(reply.refusal, reply.stamp))
                if (reply.refusal is not None or reply.gone) and reply.path in known:
                    why = reply.refusal.reason if reply.refusal else "file gone"
                    self.counts.removed += self._ledger.remove_files([reply.path], why)
                elif reply.record is not None:
                    self._count(reply, known.keys(), self.counts)
                    batch.add(self._update(reply, reply.record, report.commit), reply.embed_texts or {})
                    continue
                elif reply.stamp is not None and reply.refusal is None:
                    stored = known.get(reply.path)
                    if stored is None or stored.stamp != reply.stamp:
                        self._ledger.restamp([reply.stamp])
                queue.done([reply.path])
                self.on_progress("parse", queue.total - queue.left(), queue.total, reply.path)
            batch.flush()
            report.not_written = batch.not_written
        finally:
            queue.close()
            self.queue = None

    def _replies(
        self, queue: FileQueue, known: Mapping[str, StoredFile], guarding: Guarding, ahead: int
    ) -> Iterator[FileReply]:
        """Ask the worker for each file; one that its parser hangs or crashes on is asked for again as plain lines.

        A file that is empty and was not is asked for again after a while.
        """
        failed: list[FileRequest] = []
        emptied: list[FileRequest] = []
        for request, reply in self._worker.map((request.to_json() for request in queue), ahead):
            path = request["path"]
            if isinstance(reply, WorkerFailure):
                log.warning("parser failed on %r: %s", path, reply.reason)
                failed.append(FileRequest(path, request["known"], plain=True))
            else:
                read = FileReply.from_json(reply)
                if read.record and not read.record.stamp.size and path in known and known[path].stamp.size:
                    emptied.append(FileRequest(path, request["known"]))
                else:
                    yield from guarding.passed(read)
        for request, reply in self._worker.map(request.to_json() for request in failed):
            if isinstance(reply, WorkerFailure):
                detail = f"reading it failed twice ({reply.reason})"
                yield FileReply(request["path"], refusal=Refusal(request["path"], "unreadable", detail))
            else:
                yield from guarding.passed(FileReply.from_json(reply), plain=True)
        if emptied:
            self._stopping.wait(EMPTY_SECONDS)
            for _, reply in self._worker.map(request.to_json() for request in emptied):
                if not isinstance(reply, WorkerFailure):  # what fails now is looked at again by a later sync
                    yield from guarding.passed(FileReply.from_json(reply))
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
        if self._stopping.is_set():
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
