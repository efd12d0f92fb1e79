"""Views of the ledger: each one is a read transaction, so that it sees one sequence however long it is used."""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from codecite.adapters.ledger_schema import translated
from codecite.model.blocks import Block, Definition, Retained
from codecite.model.changes import StoredBlock
from codecite.model.errors import BadInput
from codecite.model.files import FileStamp, Refusal
from codecite.ports import (
    BlockPlace,
    BlockRow,
    BlockText,
    Counts,
    FileRecord,
    IndexedFile,
    JobRecord,
    KeywordMatch,
    OutboxEntry,
    Refused,
    Removal,
    RetainedRow,
    StoredFile,
    Vectors,
)

VECTOR_TYPE = np.dtype("<f2")  # half precision: half the size, and no ranking on unit vectors changes by it
COMMIT_NOTE = "commit"
_FILES = (
    "SELECT path, size, mtime_ns, ctime_ns, sha256, clean, indexed_at, guards.file IS NOT NULL"
    " FROM files LEFT JOIN guards ON guards.file = files.number"
)
_REFUSED = "SELECT path, reason, detail, size, mtime_ns, ctime_ns FROM refusals"
_IN_FOLDERS = " WHERE folder IN (SELECT value FROM json_each(?))"
_FILES_IN = _FILES + _IN_FOLDERS
_REFUSED_IN = _REFUSED + _IN_FOLDERS
# Nothing of `embeddings`: then SQLite leaves the join with it out, which takes half the time.
_BLOCKS = (
    "SELECT start_line, end_line, symbol, name, kind, language, text, code_hash, text_hash, doc, comments, id, path"
    " FROM block_rows WHERE id IN (SELECT value FROM json_each(?))"
)
_QUERY_ERRORS = ("fts5: ", "unterminated string", "no such column")  # how SQLite says that a query is not one


def as_list(items: Iterable[str]) -> str:
    """Pass any number of strings as one parameter, to be read by `json_each`."""
    return json.dumps(list(items), ensure_ascii=False)


def refused_rows(db: sqlite3.Connection, folders: Collection[str] | None) -> list[Refused]:
    """Return the refused files that stand directly in these folders, or all of them, in order of paths."""
    rows = db.execute(_REFUSED) if folders is None else db.execute(_REFUSED_IN, (as_list(folders),))
    found = [
        Refused(Refusal(path, reason, detail), FileStamp(path, *stamp) if stamp[0] is not None else None)
        for path, reason, detail, *stamp in rows
    ]
    return sorted(found, key=lambda item: item.refusal.path)


@dataclass(slots=True)
class Tally:
    """What views of one sequence have counted: it cannot change, and counting takes milliseconds."""

    frequencies: dict[str, int] = field(default_factory=dict)
    counts: Counts | None = None


class Tallies:
    """The tally of the newest sequence that a view was opened at, shared by its views."""

    def __init__(self) -> None:
        self._newest = (-1, Tally())

    def of(self, sequence: int) -> Tally:
        """Return the tally of a sequence, to be read and added to; those of earlier ones are dropped."""
        if self._newest[0] < sequence:
            self._newest = (sequence, Tally())
        counted_at, tally = self._newest
        return tally if counted_at == sequence else Tally()


class SqliteLedgerReader:
    """A view; see `ports.LedgerReader`. `release` takes the connection back when the view is left."""

    def __init__(
        self,
        db: sqlite3.Connection,
        path: Path,
        tallies: Tallies,
        release: Callable[[sqlite3.Connection], None],
    ) -> None:
        self._db = db
        self._path = path
        self._release = release
        with translated(path):
            db.execute("BEGIN")
            # The transaction takes its snapshot at its first read, so this read is what pins the view.
            self._sequence: int
            self._listed_since: int
            self._sequence, self._listed_since = db.execute(
                "SELECT sequence, listed_since FROM state"
            ).fetchone()
        self._tally = tallies.of(self._sequence)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")
        self._release(self._db)

    @property
    def sequence(self) -> int:
        """Number of the last transaction that this view sees."""
        return self._sequence

    @property
    def commit(self) -> str | None:
        """Commit of HEAD when the last sync finished."""
        row = self._one("SELECT value FROM meta WHERE key = ?", COMMIT_NOTE)
        return row[0] if row else None

    @property
    def unsaved(self) -> frozenset[str]:
        """Paths of no file of the ledger: there are none in its own views."""
        return frozenset()

    @property
    def listed_since(self) -> int:
        """Number of the last transaction that brought a path or took one away."""
        return self._listed_since

    def counts(self) -> Counts:
        """Count what the ledger holds."""
        if self._tally.counts is None:
            self._tally.counts = self._counted()
        return self._tally.counts

    def _counted(self) -> Counts:
        row = self._one(
            """
            SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM blocks), (SELECT count(*) FROM definitions),
                (SELECT count(*) FROM refusals), (SELECT count(*) FROM pending), (SELECT count(*) FROM outbox),
                embedded_total, (SELECT count(*) FROM retained)
            FROM state
            """
        )
        return Counts(*row)

    def files(self, folders: Collection[str] | None = None) -> dict[str, StoredFile]:
        """Return the accepted files that stand directly in these folders, or all of them, by path."""
        rows = self._all(_FILES) if folders is None else self._all(_FILES_IN, as_list(folders))
        return {
            path: StoredFile(
                FileStamp(path, size, mtime_ns, ctime_ns), sha256, bool(clean), indexed_at, bool(guarded)
            )
            for path, size, mtime_ns, ctime_ns, sha256, clean, indexed_at, guarded in rows
        }

    def refused(self, folders: Collection[str] | None = None) -> list[Refused]:
        """Return the refused files that stand directly in these folders, or all of them, in order of paths."""
        with translated(self._path):
            return refused_rows(self._db, folders)

    def jobs(self, limit: int) -> list[JobRecord]:
        """Return the last jobs of the journal, the newest first."""
        rows = self._all(
            "SELECT number, causes, full, from_commit, to_commit, began_at, ended_at, outcome, files, blocks"
            " FROM jobs ORDER BY number DESC LIMIT ?",
            limit,
        )
        return [
            JobRecord(number, tuple(json.loads(causes)), bool(full), *rest)
            for number, causes, full, *rest in rows
        ]

    def file_record(self, path: str) -> IndexedFile | None:
        """Return what is known of an accepted file, None for any other path."""
        row = self._one(
            "SELECT size, mtime_ns, ctime_ns, sha256, language, encoding, clean, lines, notes, head, indexed_at"
            " FROM files WHERE path = ?",
            path,
        )
        if row is None:
            return None
        size, mtime_ns, ctime_ns, sha256, language, encoding, clean, lines, notes, head, indexed_at = row
        stamp = FileStamp(path, size, mtime_ns, ctime_ns)
        record = FileRecord(stamp, sha256, language, encoding, bool(clean), lines, tuple(json.loads(notes)))
        return IndexedFile(record, head, indexed_at)

    def removals(self, path: str, limit: int) -> list[Removal]:
        """Return the blocks of a path that were taken out last, newest first."""
        rows = self._all(
            "SELECT id, symbol, reason, removed_at FROM audit WHERE path = ? ORDER BY number DESC LIMIT ?",
            path,
            limit,
        )
        return [Removal(*row) for row in rows]

    def notes(self) -> list[tuple[str, str]]:
        """Return what was noted of accepted files: (path, note), in order of paths."""
        rows = self._all("SELECT path, notes FROM files WHERE notes <> '[]' ORDER BY path")
        return [(path, note) for path, notes in rows for note in json.loads(notes)]

    def paths(self) -> list[str]:
        """Return the paths of all accepted files, sorted."""
        return [path for (path,) in self._all("SELECT path FROM files ORDER BY path")]

    def block_rows(self, ids: Sequence[str]) -> dict[str, BlockRow]:
        """Fetch blocks by id; an unknown id is left out. `embed_text` is not kept: it reads back empty."""
        rows = self._all(
            "SELECT * FROM block_rows WHERE id IN (SELECT value FROM json_each(?))", as_list(ids)
        )
        return {row.block.id: row for row in map(_block_row, rows)}

    def blocks(self, ids: Sequence[str]) -> dict[str, Block]:
        """Fetch blocks by id, `embed_text` empty; an unknown id is left out."""
        return {block.id: block for block in map(_block, self._all(_BLOCKS, as_list(ids)))}

    def block_paths(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the path of each block, by id; an unknown id is left out."""
        return dict(
            self._all(
                "SELECT blocks.id, files.path FROM blocks JOIN files ON files.number = blocks.file"
                " WHERE blocks.id IN (SELECT value FROM json_each(?))",
                as_list(ids),
            )
        )

    def file_blocks(self, path: str | None = None) -> list[BlockRow]:
        """Fetch the blocks of a file in order of lines, or of all files in order of paths."""
        if path is None:
            rows = self._all("SELECT * FROM block_rows ORDER BY path, start_line")
        else:
            rows = self._all("SELECT * FROM block_rows WHERE path = ? ORDER BY start_line", path)
        return list(map(_block_row, rows))

    def outline(self, path: str) -> list[BlockPlace]:
        """Return where the blocks of a file stand, in order of lines, without reading their texts."""
        rows = self._all(
            "SELECT id, start_line, end_line, kind FROM blocks"
            " WHERE file = (SELECT number FROM files WHERE path = ?) ORDER BY start_line",
            path,
        )
        return [BlockPlace(*row) for row in rows]

    def match_blocks(self, query: str, limit: int, within: str = "") -> list[KeywordMatch]:
        """Rank blocks by BM25 for a query in FTS5 syntax over name, parent, path, body, comment.

        `within` is matched first and only what it finds is scored; the `+` keeps SQLite from asking for one row at a
        time. Raises BadInput for a query that is not in that syntax.
        """
        return self._match(
            """
            SELECT blocks.id, files.path, -found.score
            FROM (
                SELECT rowid, bm25(block_terms, 3.0, 1.2, 1.5, 1.0, 0.6) AS score FROM block_terms
                WHERE block_terms MATCH ?1
                    AND (?2 = '' OR +rowid IN (SELECT rowid FROM block_terms WHERE block_terms MATCH ?2))
                ORDER BY score LIMIT ?3
            ) AS found
            JOIN blocks ON blocks.number = found.rowid
            JOIN files ON files.number = blocks.file
            ORDER BY found.score, blocks.id
            """,
            query,
            within,
            limit,
        )

    def blocks_holding(self, terms: Sequence[str], limit: int) -> list[BlockText]:
        """Return blocks that hold every one of these terms, in any field: at most `limit`, in order of writing."""
        quoted = " AND ".join('"' + term.replace('"', '""') + '"' for term in terms)
        rows = self._all(
            """
            SELECT blocks.id, files.path, start_line, end_line, symbol, kind, text
            FROM (SELECT rowid FROM block_terms WHERE block_terms MATCH ? LIMIT ?) AS found
            JOIN blocks ON blocks.number = found.rowid
            JOIN block_texts ON block_texts.number = found.rowid
            JOIN files ON files.number = blocks.file
            """,
            quoted,
            limit,
        )
        return [BlockText(*row) for row in rows]

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many blocks each term occurs, in any field; 0 for one that occurs nowhere."""
        known = self._tally.frequencies
        if new := [term for term in terms if term not in known]:
            found = self._all(
                "SELECT term, doc FROM block_vocabulary WHERE term IN (SELECT value FROM json_each(?))",
                as_list(new),
            )
            known |= dict.fromkeys(new, 0) | dict(found)
        return {term: known[term] for term in terms}

    def mean_length(self) -> float:
        """Return the number of terms, over all fields, that a block holds on average; 0.0 without blocks.

        FTS5 keeps the sums for its own ranking in row 1 of its data (FTS5_AVERAGES_ROWID in SQLite's fts5_index.c):
        the number of rows, then the tokens of each column, as varints. Counting them would read the whole index.
        """
        row = self._one("SELECT block FROM block_terms_data WHERE id = 1")
        blocks, *tokens = _varints(row[0]) if row and row[0] else (0,)
        return sum(tokens) / blocks if blocks else 0.0

    def definitions_named(self, names: Sequence[str]) -> list[tuple[str, Definition]]:
        """Find definitions whose own or qualified name is one of these, compared without case."""
        folded = as_list({name.casefold() for name in names})
        rows = self._all(
            """
            SELECT * FROM definition_rows
            WHERE folded_name IN (SELECT value FROM json_each(?1))
                OR folded_symbol IN (SELECT value FROM json_each(?1))
            ORDER BY path, place
            """,
            folded,
        )
        return [(row[0], _definition(row)) for row in rows]

    def file_definitions(self, path: str) -> list[Definition]:
        """Return the definitions of a file in order of lines."""
        return [
            _definition(row)
            for row in self._all("SELECT * FROM definition_rows WHERE path = ? ORDER BY place", path)
        ]

    def blocks_at(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], BlockText]:
        """Return the block that holds a line, by (path, line); a place that none holds is left out."""
        rows = self._all(
            """
            SELECT wanted.value ->> 1, blocks.id, files.path, start_line, end_line, symbol, kind, text
            FROM json_each(?) AS wanted
            JOIN files ON files.path = wanted.value ->> 0
            JOIN blocks ON blocks.file = files.number
                AND wanted.value ->> 1 BETWEEN blocks.start_line AND blocks.end_line
            JOIN block_texts ON block_texts.number = blocks.number
            """,
            json.dumps(list(places)),
        )
        return {(path, line): BlockText(identity, path, *rest) for line, identity, path, *rest in rows}

    def names(self) -> list[tuple[str, bool]]:
        """Return every own name of definitions once, and whether none that has it is code (headings, keys)."""
        rows = self._all("SELECT name, min(kind IN ('heading', 'key')) FROM definitions GROUP BY name")
        return [(name, bool(apart)) for name, apart in rows]

    def stamps(self, paths: Collection[str]) -> dict[str, FileStamp]:
        """Return what these files looked like on disk when they were read, by path; unknown ones are left out."""
        rows = self._all(
            "SELECT path, size, mtime_ns, ctime_ns FROM files WHERE path IN (SELECT value FROM json_each(?))",
            as_list(paths),
        )
        return {row[0]: FileStamp(*row) for row in rows}

    def clean_text(self, path: str) -> str | None:
        """Return a file's last text that parsed cleanly, None where there was none since it was last confirmed."""
        row = self._one(
            "SELECT clean, text FROM files LEFT JOIN guards ON guards.file = files.number WHERE path = ?",
            path,
        )
        if row is None:
            return None
        clean, kept = row
        if not clean:
            return None if kept is None else str(kept)
        return "".join(text for (text,) in self._all(_TEXTS, path))

    def retained(self, limit: int) -> list[RetainedRow]:
        """Return retained blocks, at most `limit`, in order of paths and lines."""
        rows = self._all("SELECT * FROM retained_rows ORDER BY path, start_line LIMIT ?", limit)
        return list(map(_retained_row, rows))

    def retained_named(self, names: Sequence[str]) -> list[RetainedRow]:
        """Find retained blocks whose own or qualified name is one of these, compared without case."""
        rows = self._all(
            """
            SELECT * FROM retained_rows
            WHERE folded_name IN (SELECT value FROM json_each(?1))
                OR folded_symbol IN (SELECT value FROM json_each(?1))
            ORDER BY path, start_line
            """,
            as_list({name.casefold() for name in names}),
        )
        return list(map(_retained_row, rows))

    def stored_blocks(self, path: str) -> list[StoredBlock]:
        """Return what comparison needs of a file's blocks, in order of lines."""
        rows = self._all(
            """
            SELECT id, start_line, end_line, text_hash, code_hash, embed_key
            FROM blocks WHERE file = (SELECT number FROM files WHERE path = ?) ORDER BY start_line
            """,
            path,
        )
        return [StoredBlock(*row) for row in rows]

    def ids(self) -> set[str]:
        """Return the ids of all blocks that have a vector of the model in use."""
        return {identity for (identity,) in self._all("SELECT id FROM vector_rows")}

    def pending_texts(self, limit: int) -> list[tuple[str, str]]:
        """Return (embed_key, embedding text) of vectors that are still to be made, oldest first."""
        return self._all("SELECT embed_key, text FROM pending ORDER BY number LIMIT ?", limit)

    def queued(self) -> set[str]:
        """Return the ids that the outbox holds."""
        return {identity for (identity,) in self._all("SELECT id FROM outbox")}

    def outbox(self, limit: int) -> list[OutboxEntry]:
        """Return the next steps for the vector store, in order: one an id, what the ledger says of it now."""
        return self._entries(self._all("SELECT number, id FROM outbox ORDER BY number LIMIT ?", limit))

    def entries(self, ids: Sequence[str]) -> list[OutboxEntry]:
        """Return what the vector store is to hold of these ids, numbered from 0; vector None for what it is not to."""
        return self._entries(list(enumerate(ids)))

    def _entries(self, steps: Sequence[tuple[int, str]]) -> list[OutboxEntry]:
        rows = self._all(
            "SELECT id, path, symbol, kind, vector FROM vector_rows WHERE id IN (SELECT value FROM json_each(?))",
            as_list(identity for _, identity in steps),
        )
        held = {
            identity: (path, symbol, kind, _vector(vector)) for identity, path, symbol, kind, vector in rows
        }
        return [OutboxEntry(number, identity, *held.get(identity, _GONE)) for number, identity in steps]

    def _all(self, sql: str, *parameters: str | int) -> list[Any]:
        with translated(self._path):
            return self._db.execute(sql, parameters).fetchall()

    def _one(self, sql: str, *parameters: str | int) -> Any:
        with translated(self._path):
            return self._db.execute(sql, parameters).fetchone()

    def _match(self, sql: str, query: str, *parameters: str | int) -> list[KeywordMatch]:
        try:
            return [KeywordMatch(*row) for row in self._all(sql, query, *parameters)]
        except sqlite3.OperationalError as error:
            if any(sign in str(error) for sign in _QUERY_ERRORS):
                raise BadInput(f"not a full-text query: {query!r} ({error})") from error
            raise


_GONE = ("", "", "", None)
_TEXTS = """
    SELECT text FROM blocks JOIN block_texts ON block_texts.number = blocks.number
    WHERE file = (SELECT number FROM files WHERE path = ?) ORDER BY start_line
"""


def _varints(data: bytes) -> list[int]:
    """Read SQLite's variable-length integers, seven bits a byte, the highest first; none here has nine bytes."""
    found, value = [], 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            found.append(value)
            value = 0
    return found


def _vector(blob: bytes) -> Vectors:
    return np.frombuffer(blob, VECTOR_TYPE).astype(np.float32).reshape(1, -1)


def _definition(row: tuple[Any, ...]) -> Definition:
    return Definition(*row[1:11])


def _retained_row(row: tuple[Any, ...]) -> RetainedRow:
    return RetainedRow(row[0], Retained(*row[1:8]), since=row[8], commit=row[9])


def _block(row: tuple[Any, ...]) -> Block:
    (start, end, symbol, name, kind, language, text, code_hash, text_hash, doc, comments,
     identity, path) = row  # fmt: skip
    return Block(
        start_line=start, end_line=end, symbol=symbol, name=name, kind=kind, language=language, text=text,
        code_hash=code_hash, text_hash=text_hash, embed_text="", doc=doc, comments=comments, id=identity, path=path,
    )  # fmt: skip


def _block_row(row: tuple[Any, ...]) -> BlockRow:
    *block, embed_key, model, indexed_at, head = row
    return BlockRow(_block(tuple(block)), embed_key, model, indexed_at, head)
