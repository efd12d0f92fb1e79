"""Why a hit is what it is: what the ledger holds of one file, what the disk holds, and what sets the two apart."""

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from codecite.answer.anchor import occurrences
from codecite.collect.content import examine
from codecite.collect.scan import scan
from codecite.collect.walk import ScanRules
from codecite.engine.results import refusal_json
from codecite.engine.vector_index import VectorIndex
from codecite.model.errors import BadInput
from codecite.model.files import FileStamp, Refusal
from codecite.model.lines import split_lines, strip_line_end
from codecite.ports import BlockRow, DirEntry, Disk, Git, IndexedFile, Ledger, LedgerReader

MOST_REMOVALS = 5  # of the file's blocks, newest first

Verdict = Literal["current", "stale", "ghost", "missing", "refused", "ignored", "unknown"]

_READ_AGAIN = "`codecite doctor --repair` with the same path has it read again"
# What is so, and what to do about it; "" where nothing is to be done.
_SAID: dict[Verdict, tuple[str, str]] = {
    "current": ("the index holds what is on disk", ""),
    "stale": ("the file has changed since it was indexed", _READ_AGAIN),
    "ghost": ("the index holds a file that is not on disk any more", _READ_AGAIN),
    "missing": ("the file is on disk and can be indexed, but is not yet", _READ_AGAIN),
    "refused": ("the file is left out", ""),
    "ignored": ("git's ignore rules leave the file out", ""),
    "unknown": ("neither the index nor the disk has such a file", "check the name of the file"),
}


@dataclass(frozen=True, slots=True)
class _OnDisk:
    """A path as it is on disk. `data` is None where it cannot be read, and `problem` then says why."""

    exists: bool
    stamp: FileStamp | None = None
    data: bytes | None = None
    problem: str = ""

    @property
    def sha256(self) -> str | None:
        return None if self.data is None else sha256(self.data).hexdigest()


@dataclass(slots=True)
class Diagnosis:
    """Explains one file, or one line of it. Reads the disk and the ledger as they are now, and changes nothing."""

    disk: Disk
    git: Git
    rules: ScanRules
    ledger: Ledger
    vectors: VectorIndex

    def explain(self, path: str, line: int | None = None) -> dict[str, Any]:
        """Return what is known of a path of the workspace, and with a line of the block that was indexed there.

        {path, line, head, indexed: {at, commit, sha256, size, lines, language, clean} | null,
        disk: {exists, sha256, size, mtime, problem}, verdict, refusal: {path, reason, detail} | null, ok, detail, mend,
        block: {id, symbol, start_line, end_line, text_matches, stands_at: [first, last] | null, embedded,
        in_vector_store} | null, removed: [{id, reason, removed_at}]}. Times are seconds since the epoch; lines are
        1-based and inclusive, and those of the index: the same that a hit shows. Raises BadInput for a folder
        and for a name that is not UTF-8, which no store can hold.
        """
        if any("\ud800" <= char <= "\udfff" for char in path):
            raise BadInput(f"the name {path!r} is not UTF-8, so it is never indexed", "rename the file")
        seen = self._on_disk(path)
        outcome = self._outcome(path, seen) if seen.exists else None
        with self.ledger.reader() as reader:
            indexed = reader.file_record(path)
            row = _block_at(reader, path, line)
            removed = reader.removals(path, MOST_REMOVALS)
            sequence, commit = reader.sequence, reader.commit
        verdict = _verdict(indexed, seen, outcome)
        block = None if row is None else self._block(row, _text(path, seen.data))
        detail, mend = _SAID[verdict]
        if isinstance(outcome, Refusal):
            detail += f": {outcome.reason} ({outcome.detail})"
        # What is to be left out, or was deleted, is in order once it is out of the index.
        ok = verdict == "current" or (verdict in {"refused", "ignored"} and indexed is None)
        if verdict == "unknown" and removed:
            detail, mend, ok = "the file is gone, from the disk and from the index", "", True
        if indexed is not None and verdict in {"refused", "ignored"}:
            detail += ", yet the index still holds it"
        if block is not None and block["embedded"] and not block["in_vector_store"]:
            detail, ok = f"{detail}, but the vector store lacks the block", False
        return {
            "sequence": sequence,
            "commit": commit,
            "path": path,
            "line": line,
            "head": self.git.head(),
            "indexed": None if indexed is None else _indexed_json(indexed),
            "disk": _disk_json(seen),
            "verdict": verdict,
            "refusal": refusal_json(outcome) if isinstance(outcome, Refusal) else None,
            "ok": ok,
            "detail": detail,
            "mend": mend or ("" if ok else _READ_AGAIN),
            "block": block,
            "removed": [
                {"id": one.id, "reason": one.reason, "removed_at": one.removed_at} for one in removed
            ],
        }

    def _on_disk(self, path: str) -> _OnDisk:
        try:
            stamp, data = self.disk.read(path, self.rules.max_file_bytes)
        except (FileNotFoundError, NotADirectoryError):
            return _OnDisk(exists=False)
        except OSError as error:
            return _OnDisk(exists=True, problem=error.strerror or str(error))
        if len(data) > self.rules.max_file_bytes:
            return _OnDisk(
                exists=True, stamp=stamp, problem=f"larger than {self.rules.max_file_bytes:,} bytes"
            )
        return _OnDisk(exists=True, stamp=stamp, data=data)

    def _outcome(self, path: str, on_disk: _OnDisk) -> Refusal | Literal["accepted", "ignored"]:
        """Return what the next sync makes of a path that is on disk."""
        seen = scan(_TheWayTo(self.disk, path), self.git, self.rules)
        if any(stamp.path == path for stamp in seen.files):
            if on_disk.data is None:
                return Refusal(path, "unreadable", on_disk.problem)
            content = examine(path, on_disk.data)
            return content if isinstance(content, Refusal) else "accepted"
        around = {path, *_folders(path)}
        for refusal in seen.refusals:
            if refusal.path.removesuffix("/") in around or refusal.path == "./":
                return refusal
        if _is_folder(self.disk, path):
            raise BadInput(f"{path} is a folder", "name a file in it")
        return "ignored"

    def _block(self, row: BlockRow, text: str | None) -> dict[str, Any]:
        block = row.block
        now = [strip_line_end(line) for line in split_lines(text or "")]
        wanted = [strip_line_end(line) for line in split_lines(block.text)]
        old = block.start_line - 1
        first = min(occurrences(wanted, now), key=lambda place: (abs(place - old), place), default=None)
        return {
            "id": block.id,
            "symbol": block.symbol,
            "start_line": block.start_line,
            "end_line": block.end_line,
            "text_matches": first == old,
            "stands_at": None if first is None else [first + 1, first + len(wanted)],
            "embedded": row.embedded_by is not None,
            "in_vector_store": self.vectors.holds(block.id),
        }


@dataclass(frozen=True, slots=True)
class _TheWayTo:
    """The work tree with every folder empty but for those on the way to a path, so that a walk decides on that alone.

    A `.git` is left as it is: the walk looks there for where repositories begin.
    """

    disk: Disk
    path: str

    def entries(self, directory: str) -> list[DirEntry]:
        """List a directory on the way; nothing for any other."""
        on_the_way = not directory or directory in _folders(self.path)
        return self.disk.entries(directory) if on_the_way or directory.rpartition("/")[2] == ".git" else []

    def read(self, path: str, limit: int) -> tuple[FileStamp, bytes]:
        """Read a file; see `ports.Disk`."""
        return self.disk.read(path, limit)


def _verdict(indexed: IndexedFile | None, seen: _OnDisk, outcome: Refusal | str | None) -> Verdict:
    if not seen.exists:
        return "ghost" if indexed else "unknown"
    if isinstance(outcome, Refusal):
        return "refused"
    if outcome == "ignored":
        return "ignored"
    if indexed is None:
        return "missing"
    return "current" if seen.sha256 == indexed.record.sha256 else "stale"


def _block_at(reader: LedgerReader, path: str, line: int | None) -> BlockRow | None:
    if line is None:
        return None
    rows = reader.file_blocks(path)
    return next((row for row in rows if row.block.start_line <= line <= row.block.end_line), None)


def _text(path: str, data: bytes | None) -> str | None:
    content = None if data is None else examine(path, data)
    return None if content is None or isinstance(content, Refusal) else content.text


def _folders(path: str) -> Collection[str]:
    """Return every folder above a path, the workspace itself left out."""
    names = path.split("/")
    return {"/".join(names[:depth]) for depth in range(1, len(names))}


def _is_folder(disk: Disk, path: str) -> bool:
    try:
        disk.entries(path)
    except OSError:
        return False
    return True


def _indexed_json(indexed: IndexedFile) -> dict[str, Any]:
    record = indexed.record
    return {
        "at": indexed.indexed_at,
        "commit": indexed.commit,
        "sha256": record.sha256,
        "size": record.stamp.size,
        "lines": record.lines,
        "language": record.language,
        "clean": record.clean,
    }


def _disk_json(seen: _OnDisk) -> dict[str, Any]:
    return {
        "exists": seen.exists,
        "sha256": seen.sha256,
        "size": seen.stamp.size if seen.stamp else None,
        "mtime": seen.stamp.mtime_ns / 1e9 if seen.stamp else None,
        "problem": seen.problem,
    }
