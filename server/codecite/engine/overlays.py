"""Unsaved text: what an editor shows of a file counts in place of what is on disk, and is never written anywhere.

It is parsed in a worker of its own, since native parsers hang and crash and no question may wait for a running sync.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate

from codecite.collect.names import refuse_name
from codecite.engine.overlaid_reader import OverlaidFile
from codecite.engine.parse_pool import ParseWorker, WorkerFailure
from codecite.engine.wire import FileReply, FileRequest
from codecite.model.errors import Unavailable
from codecite.model.lines import split_lines, strip_line_end
from codecite.ports import Disk, LedgerReader

log = logging.getLogger(__name__)

PARSE_SECONDS = 3.0  # for one overlay: a question waits for it
WORKER_IDLE_SECONDS = 300.0  # its start is most of the wait, and who edits asks now and then
KEPT = 64  # files whose last overlay is remembered parsed; more than a request may hold


@dataclass(frozen=True, slots=True)
class Overlay:
    """The text of a file as an editor shows it; the path is spelled as the store spells it."""

    path: str
    text: str

    @classmethod
    def of(cls, path: str, text: str) -> "Overlay":
        """Make one of any text, read as the disk is: no byte order mark, no NUL, no half of a surrogate pair."""
        whole = text
        if not text.isascii():
            whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return cls(path, whole.lstrip("\ufeff").replace("\0", " "))


@dataclass(frozen=True, slots=True)
class Laid:
    """The overlays that take part in one question, and a sentence for each that should and cannot."""

    files: Mapping[str, OverlaidFile]
    problems: tuple[str, ...] = ()


class Overlays:
    """Parses overlays and remembers the newest of each file. Safe to call from any thread.

    `ignored` says whether the ignore rules leave a path out.
    """

    def __init__(self, worker: ParseWorker, disk: Disk, ignored: Callable[[str], bool]) -> None:
        self._worker = worker
        self._disk = disk
        self._ignored = ignored
        self._parsing = threading.Lock()  # of `_worker`
        self._keeping = threading.Lock()  # of `_kept`
        # By path: digest of the text, and what was parsed of it or why there is nothing.
        self._kept: OrderedDict[str, tuple[bytes, OverlaidFile | str]] = OrderedDict()
        self._ahead = ThreadPoolExecutor(1, thread_name_prefix="unsaved text")  # parses for who did not wait

    def lay(self, ledger: LedgerReader, overlays: Sequence[Overlay], patience: float | None = None) -> Laid:
        """Parse what differs from the ledger; with `patience`, for so many seconds: the parse goes on for the next one.

        Left out without a word: text that the ledger holds already, and files that the index leaves out saved as
        well. An overlay that cannot be parsed, or whose text would be refused, leaves the ledger's state standing.
        """
        wanted = [(one, ledger.clean_text(one.path) or "") for one in self._wanted(ledger, overlays)]
        try:
            outcomes = self._parsed(wanted) if patience is None else self._parsed_within(patience, wanted)
        except TimeoutError:
            return Laid({}, ("unsaved text was not read in time",))
        except Unavailable as error:
            return Laid({}, (f"unsaved text was not read: {error.message}",))
        return Laid(
            {path: found for path, found in outcomes.items() if isinstance(found, OverlaidFile)},
            tuple(
                f"the unsaved text of {path} was not read: {found}"
                for path, found in outcomes.items()
                if isinstance(found, str)
            ),
        )

    def close(self) -> None:
        """End the worker; a question that waits for it ends with Cancelled."""
        self._worker.close()
        self._ahead.shutdown(cancel_futures=True)

    def _wanted(self, ledger: LedgerReader, overlays: Sequence[Overlay]) -> Iterator[Overlay]:
        unknown = []
        for one in overlays:
            stored = ledger.file_blocks(one.path)
            if not stored:
                unknown.append(one)
            elif not same_lines("".join(row.block.text for row in stored), one.text):
                yield one
        if unknown:
            empty, refused = ledger.files().keys(), {item.refusal.path for item in ledger.refused()}
            for one in unknown:
                if one.text and (one.path in empty or self._may_be_indexed(one.path, refused)):
                    yield one

    def _may_be_indexed(self, path: str, refused: AbstractSet[str]) -> bool:
        """Say whether a file that the ledger does not have would be indexed once saved, as far as one can tell."""
        folders = accumulate(path.split("/")[:-1], lambda above, name: f"{above}/{name}")
        if refuse_name(path) or path in refused or any(f"{folder}/" in refused for folder in folders):
            return False
        try:
            self._disk.read(path, 0)
        except FileNotFoundError:
            pass  # it was never saved
        except OSError:
            return False  # a link, or below one
        return not self._ignored(path)

    def _parsed(self, overlays: Sequence[tuple[Overlay, str]]) -> dict[str, OverlaidFile | str]:
        """Parse each beside the last clean text of its file: one that is half typed keeps what still stands."""
        digests = {one.path: sha256(f"{one.text}\0{before}".encode()).digest() for one, before in overlays}
        found = self._remembered(digests)
        if len(found) < len(digests):
            with self._parsing:
                found = self._remembered(digests)  # another question may have brought some meanwhile
                missing = [(one, before) for one, before in overlays if one.path not in found]
                for path, outcome in self._outcomes(missing):
                    found[path] = outcome
                    self._remember(path, digests[path], outcome)
        return found

    def _parsed_within(
        self, patience: float, overlays: Sequence[tuple[Overlay, str]]
    ) -> dict[str, OverlaidFile | str]:
        return self._ahead.submit(self._parsed, overlays).result(patience) if overlays else {}

    def _outcomes(self, overlays: Sequence[tuple[Overlay, str]]) -> Iterable[tuple[str, OverlaidFile | str]]:
        requests = (
            FileRequest(one.path, "", text=one.text, before=before or None).to_json()
            for one, before in overlays
        )
        for request, reply in self._worker.map(requests):
            if isinstance(reply, WorkerFailure):
                log.warning("parser failed on unsaved text of %r: %s", request["path"], reply.reason)
                yield request["path"], f"its parser failed ({reply.reason})"
                continue
            parsed = FileReply.from_json(reply)
            if parsed.refusal is not None:
                yield parsed.path, f"{parsed.refusal.reason}: {parsed.refusal.detail}"
            else:
                yield parsed.path, OverlaidFile.of(parsed.blocks, parsed.definitions)

    def _remembered(self, digests: Mapping[str, bytes]) -> dict[str, OverlaidFile | str]:
        with self._keeping:
            known = {path: kept for path in digests if (kept := self._kept.get(path)) is not None}
            return {path: outcome for path, (digest, outcome) in known.items() if digest == digests[path]}

    def _remember(self, path: str, digest: bytes, outcome: OverlaidFile | str) -> None:
        with self._keeping:
            self._kept.pop(path, None)
            self._kept[path] = (digest, outcome)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)


def same_lines(one: str, other: str) -> bool:
    """Say whether two texts differ in nothing but their line ends."""
    if one == other:
        return True
    first, second = ([strip_line_end(line) for line in split_lines(text)] for text in (one, other))
    return first == second
