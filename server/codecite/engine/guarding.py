"""Guarded deletion in a sync: which broken files are read a second time, beside their last clean text.

A file that stopped parsing is most often half typed, so what it lost is not believed yet (detect.guard). It is
believed when git has the very same bytes, in its index or in HEAD: then what stands in the file is meant.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from codecite.engine.parse_pool import Json, WorkerFailure
from codecite.engine.wire import FileReply, FileRequest
from codecite.ports import Disk, Git, Ledger, StoredFile

log = logging.getLogger(__name__)

Worker = Callable[[Iterable[Json]], Iterator[tuple[Json, Json | WorkerFailure]]]  # as ParseWorker.map

ASKED_AT_ONCE = 64  # broken files whose replies are held for one question to git


@dataclass(frozen=True, slots=True)
class _First:
    """What came of reading a broken file the first time."""

    reply: FileReply
    sha256: str
    plain: bool


class Guarding:
    """Decides for the files of one sync; `known` is what the ledger held of them when it began."""

    def __init__(
        self, disk: Disk, git: Git, ledger: Ledger, max_file_bytes: int, known: Mapping[str, StoredFile]
    ) -> None:
        self._disk = disk
        self._git = git
        self._ledger = ledger
        self._limit = max_file_bytes
        self._known = known
        self._unsure: list[_First] = []  # git has not been asked yet
        self._again: dict[str, _First] = {}  # to be read a second time

    def with_confirmed(self, requests: Sequence[FileRequest], gone: Collection[str]) -> list[FileRequest]:
        """Add those guarded files that git has come to hold as they were read: they are to be read afresh."""
        guarded = {
            path: stored.sha256 for path, stored in self._known.items() if stored.guarded and path not in gone
        }
        confirmed = self._confirmed(guarded)
        others = [request for request in requests if request.path not in confirmed]
        return [*others, *(FileRequest(path, "") for path in sorted(confirmed))]

    def passed(self, reply: FileReply, *, plain: bool = False) -> Iterator[FileReply]:
        """Take a reply (`plain` as in its request); yield those that count as they are: this one or earlier ones."""
        stored = self._known.get(reply.path)
        if (
            reply.record is None
            or reply.record.clean
            or stored is None
            or not (stored.clean or stored.guarded)
        ):
            yield reply
            return
        self._unsure.append(_First(reply, reply.record.sha256, plain))
        if len(self._unsure) >= ASKED_AT_ONCE:
            yield from self._settled()

    def rest(self, worker: Worker) -> Iterator[FileReply]:
        """Yield the replies that are still owed: what is not confirmed is read again, beside its last clean text.

        Where that fails, what came of the first reading counts.
        """
        yield from self._settled()
        for request, outcome in worker(request.to_json() for request in self._requests()):
            first = self._again.pop(request["path"])
            if isinstance(outcome, WorkerFailure):
                log.warning("could not guard %r: %s", request["path"], outcome.reason)
                yield first.reply
            else:
                yield FileReply.from_json(outcome)

    def _settled(self) -> Iterator[FileReply]:
        held, self._unsure = self._unsure, []
        confirmed = self._confirmed({first.reply.path: first.sha256 for first in held})
        for first in held:
            if first.reply.path in confirmed:
                yield first.reply
            else:
                self._again[first.reply.path] = first

    def _requests(self) -> Iterator[FileRequest]:
        for path, first in list(self._again.items()):
            with self._ledger.reader() as reader:
                before = reader.clean_text(path)
            yield FileRequest(path, "", plain=first.plain, before=before)

    def _confirmed(self, digests: Mapping[str, str]) -> Collection[str]:
        """Return those files that git holds, given the SHA-256 of what was read of them."""
        contents = {}
        for path, digest in digests.items():
            try:
                _, data = self._disk.read(path, self._limit)
            except OSError:  # gone meanwhile: the next sync will say so
                continue
            if sha256(data).hexdigest() == digest:
                contents[path] = data
        return self._git.confirms(contents)
