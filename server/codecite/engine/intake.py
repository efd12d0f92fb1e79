"""Take files in: have the worker read each, and write what it makes of them to the ledger.

Files are written several a transaction as they are parsed, so that a question may be answered from those that are
there. Whatever ails one file (a parser that hangs or crashes, a text that is half typed or not there yet, a value that
the store does not take) costs that file and no other.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping

from codecite.engine.block_counts import BlockCounts
from codecite.engine.file_queue import FileQueue
from codecite.engine.guarding import Guarding
from codecite.engine.parse_pool import ParseWorker, WorkerFailure
from codecite.engine.wire import FileReply, FileRequest
from codecite.model.changes import StoredBlock
from codecite.model.errors import Cancelled, NotWritten
from codecite.model.files import Refusal
from codecite.ports import Clock, FileUpdate, Ledger, Refused, StoredFile

log = logging.getLogger(__name__)

BATCH_BLOCKS = 1_500  # a transaction of about 0.2 s
BATCH_SECONDS = 1.0  # how long a parsed file waits at most for company
HURRIED_SECONDS = 0.2  # the same while a question waits
EMPTY_SECONDS = 1.0  # after which a file that was found empty is read again: many tools truncate, then write


class Intake:
    """Takes in the files of one sync; `known` is what the ledger held of them when it began.

    `refused` are those that were refused for what they hold, and `not_written` the first failure to write one: it is to
    be raised when all else is done.
    """

    def __init__(
        self,
        ledger: Ledger,
        worker: ParseWorker,
        guarding: Guarding,
        known: Mapping[str, StoredFile],
        clock: Clock,
        counts: BlockCounts,
        stopping: threading.Event,
    ) -> None:
        self.refused: list[Refused] = []
        self.not_written: NotWritten | None = None
        self._ledger = ledger
        self._worker = worker
        self._guarding = guarding
        self._known = known
        self._clock = clock
        self._counts = counts
        self._stopping = stopping

    def take(self, queue: FileQueue, commit: str | None, ahead: int, progress: Callable[[str], None]) -> None:
        """Read and write every file of the queue, so many ahead; `progress` is told the path of each.

        Raises Cancelled when told to stop, and what ails the store.
        """
        batch = _Batch(self._ledger, self._clock, queue)
        for reply in self._replies(queue, ahead):
            if self._stopping.is_set():
                raise Cancelled("the engine is leaving")
            if reply.record is not None:
                self._counts.note(self._stored(reply.path), [item.block for item in reply.blocks])
                update = FileUpdate(
                    record=reply.record,
                    blocks=reply.blocks,
                    definitions=reply.definitions,
                    commit=commit,
                    indexed_at=self._clock.now(),
                    guarded=reply.guarded,
                )
                batch.add(update, reply.embed_texts or {})
            else:
                self._note(reply)
                queue.done([reply.path])
            progress(reply.path)
        batch.flush()
        self.not_written = batch.not_written

    def _note(self, reply: FileReply) -> None:
        """Note that a file was refused, is gone, or holds what the ledger knows."""
        path, known = reply.path, self._known.get(reply.path)
        if reply.refusal is not None:
            self.refused.append(Refused(reply.refusal, reply.stamp))
        if reply.refusal is not None or reply.gone:
            if known is not None:
                why = reply.refusal.reason if reply.refusal else "file gone"
                self._counts.removed += self._ledger.remove_files([path], why)
        elif reply.stamp is not None and (known is None or known.stamp != reply.stamp):
            self._ledger.restamp([reply.stamp])

    def _stored(self, path: str) -> list[StoredBlock]:
        if path not in self._known:
            return []
        with self._ledger.reader() as reader:
            return reader.stored_blocks(path)

    def _replies(self, queue: FileQueue, ahead: int) -> Iterator[FileReply]:
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
                continue
            read = FileReply.from_json(reply)
            if self._emptied(read):
                emptied.append(FileRequest(path, request["known"]))
            else:
                yield from self._guarding.passed(read)
        for request, reply in self._worker.map(request.to_json() for request in failed):
            if isinstance(reply, WorkerFailure):
                detail = f"reading it failed twice ({reply.reason})"
                yield FileReply(request["path"], refusal=Refusal(request["path"], "unreadable", detail))
            else:
                yield from self._guarding.passed(FileReply.from_json(reply), plain=True)
        if emptied:
            self._stopping.wait(EMPTY_SECONDS)
            for _, reply in self._worker.map(request.to_json() for request in emptied):
                if not isinstance(reply, WorkerFailure):  # what fails now is looked at again by a later sync
                    yield from self._guarding.passed(FileReply.from_json(reply))
        yield from self._guarding.rest(self._worker.map)

    def _emptied(self, read: FileReply) -> bool:
        known = self._known.get(read.path)
        return (
            known is not None
            and known.stamp.size > 0
            and read.record is not None
            and not read.record.stamp.size
        )


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
