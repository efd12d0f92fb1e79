"""Bring the ledger to what is on disk: look, compare, take in, remove, embed, drain.

One run is one job of the scheduler. It looks at the whole tree, or only where files were seen to change. Vectors follow
when all text is in, since keyword answers serve at once. A run that is cut short is made up for by the next:
what it wrote is as it is on disk, and the rest still differs.
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future

from codecite.collect.changes import reconcile
from codecite.collect.scan import scan, scan_again
from codecite.collect.walk import Scan, ScanRules, Walked
from codecite.engine.block_counts import BlockCounts
from codecite.engine.file_queue import FileQueue
from codecite.engine.guarding import Guarding
from codecite.engine.intake import Intake
from codecite.engine.parse_pool import AHEAD, ParseWorker
from codecite.engine.scheduler import Job
from codecite.engine.vector_index import VectorIndex
from codecite.engine.wire import FileRequest
from codecite.model.changes import ChangeSet
from codecite.model.errors import Cancelled, CodeciteError, Unavailable
from codecite.model.files import folder_of
from codecite.ports import Clock, Disk, Git, Ledger, Refused, StoredFile, Watcher

log = logging.getLogger(__name__)

BEGAN_NOTE = "sync_began_ns"  # when the last whole sync began to read, in nanoseconds since the epoch
MODEL_NOTE = "synced_model"  # whose embedding texts and keys the ledger's blocks carry
JOURNAL_LOOKED_AT = 20  # lines: a full job that is older was done, or will never be

Progress = Callable[[str, int, int, str], None]  # phase, done, total, message


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

    def await_queue(self, job: "Future[None]", timeout: float) -> FileQueue | None:
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

    def run(self, job: Job[None]) -> None:
        """Do one job, with a line in the journal."""
        if job.whole or self.walked is None:
            self._head = self._git.head()  # where it moves, everything is looked at
        commit = self._head
        model_changed = self._ledger.get_meta(MODEL_NOTE) not in {None, self._vectors.embedder.digest}
        full = job.full or model_changed
        done_since = None if full else self._unfinished_full()
        full = full or done_since is not None
        number = self._ledger.begin_job(job.causes, commit, self._clock.now(), full=full)
        try:
            self._bring_up(job, commit, full=full, done_since=done_since)
        except Exception as error:
            self._end_job(number, "interrupted" if isinstance(error, Cancelled) else f"failed: {error}")
            raise
        self._end_job(number, "done")

    def _bring_up(self, job: Job[None], commit: str | None, *, full: bool, done_since: float | None) -> None:
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
        intake = Intake(self._ledger, self._worker, guarding, known, self._clock, self.counts, self._stopping)
        self._take_in(intake, requests, commit, ahead)
        if changes.gone:  # only now: what moved elsewhere is there by this time
            self.counts.removed += self._ledger.remove_files(changes.gone, "file gone")
        unread = {stamp.path for stamp in seen.files} - {request.path for request in requests}
        as_before = [one for one in refused if one.refusal.path in unread]
        left_out = [*map(Refused, seen.refusals), *as_before, *intake.refused]
        self._ledger.set_refused(left_out, seen.folders)
        self._remember(left_out, seen.folders)
        self.counts.embedded += self._vectors.catch_up(
            lambda phase, done, total: self.on_progress(phase, done, total, ""), self._stopping.is_set
        )
        self._check_stop()
        if intake.not_written is not None:
            raise intake.not_written
        self.last_success = self._clock.now()
        if whole:
            self._ledger.set_meta(BEGAN_NOTE, str(began_ns))
            self._ledger.set_meta(MODEL_NOTE, self._vectors.embedder.digest)
        self._ledger.finish_sync(commit, self.last_success, tidy=whole)

    def _look(self, job: Job[None], *, whole: bool) -> Scan:
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

    def _take_in(self, intake: Intake, requests: list[FileRequest], commit: str | None, ahead: int) -> None:
        """Take in every requested file, while questions may see and change the order."""
        queue = FileQueue(requests)

        def progress(path: str) -> None:
            self.on_progress("parse", queue.total - queue.left(), queue.total, path)

        with self._queue_changed:
            self.queue = queue
            self._queue_changed.notify_all()
        try:
            intake.take(queue, commit, ahead, progress)
        finally:
            queue.close()
            self.queue = None

    def _check_stop(self) -> None:
        if self._stopping.is_set():
            raise Cancelled("the engine is leaving")


def _last_success(ledger: Ledger) -> float | None:
    noted = ledger.get_meta("last_success")
    return float(noted) if noted else None
