"""The ledger in SQLite: one writer, any number of views, every writing call one transaction.

Three rules make it cheap to follow a work tree:

- a block whose id, text and place stand costs one comparison; one that only moved, two integers;
- vectors are kept by `embed_key` and outlive their blocks, so that nothing is embedded twice;
- the outbox lists ids, not steps: what the vector store is to hold is looked up when it is read, so replaying any
  part of it any number of times, in any state, ends at what the ledger says.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from codecite.adapters.ledger_check import problems
from codecite.adapters.ledger_reader import (
    COMMIT_NOTE,
    VECTOR_TYPE,
    SqliteLedgerReader,
    Tallies,
    as_list,
    refused_rows,
)
from codecite.adapters.ledger_schema import (
    FILE_NAME,
    SCHEMA_VERSION,
    connect_reader,
    connect_writer,
    open_note,
    translated,
)
from codecite.adapters.ledger_writes import (
    TermChanges,
    forget_pending,
    insert_blocks,
    prune,
    queue,
    remove_blocks,
    stored_rows,
    update_block,
    want_vectors,
    write_definitions,
    write_guard,
    write_record,
)
from codecite.model.errors import NotWritten
from codecite.model.files import FileStamp, folder_of
from codecite.ports import FileUpdate, Refused, Vectors

__all__ = ["SCHEMA_VERSION", "SqliteLedger"]

LAST_SUCCESS_NOTE = "last_success"  # seconds since the epoch, as text
INTERRUPTED = "interrupted"
MODEL_NOTE = "model"  # what questions are answered with
IDLE_READERS = 4  # connections kept open for the next view
# What writing raises for what a file holds. What ails the disk or the store is a CodeciteError by then.
_AILS_A_FILE = (sqlite3.Error, ValueError, OverflowError)
_SHOWN = 3  # files named in one line


class SqliteLedger:
    """See `ports.Ledger`. Safe to call from any thread; views are for one thread each."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = folder / FILE_NAME
        self._lock = threading.RLock()
        self._pool = threading.Lock()  # of `_idle` and `_closed`
        self._db = connect_writer(self._path)
        self._idle: list[sqlite3.Connection] = []
        self._tallies = Tallies()
        self._closed = False

    def reader(self) -> SqliteLedgerReader:
        """Open a view of the present state."""
        with self._pool:  # not the writer's lock: views never wait for a transaction
            db = self._idle.pop() if self._idle else None
        db = db or connect_reader(self._path)
        return SqliteLedgerReader(db, self._path, self._tallies, self._take_back)

    def _take_back(self, db: sqlite3.Connection) -> None:
        with self._pool:
            if self._closed or len(self._idle) >= IDLE_READERS:
                db.close()
            else:
                self._idle.append(db)

    @contextmanager
    def _transaction(self, *, bookkeeping: bool = False) -> Iterator[sqlite3.Connection]:
        """Write as one; the sequence moves on unless it is mere bookkeeping, which no question can see."""
        with self._lock, translated(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                if not bookkeeping:
                    self._db.execute("UPDATE state SET sequence = sequence + 1")
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # SQLite itself takes back what ran out of disk
                    self._db.execute("ROLLBACK")
                raise

    # --- files and blocks -----------------------------------------------------------------------------------

    def write_file(self, update: FileUpdate, embed_texts: Mapping[str, str]) -> None:
        """Write one file. `embed_texts` holds the text of each embed_key that may have no vector yet."""
        self.write_files([(update, embed_texts)])

    def write_files(self, updates: Sequence[tuple[FileUpdate, Mapping[str, str]]]) -> None:
        """Write several files in one transaction: by the dozen, a third cheaper than one by one.

        A file that cannot be written (a text that is missing, a value that SQLite does not take: a defect) does not
        take the others with it: each is written in a transaction of its own, and NotWritten names those that failed.
        What ails the disk or the store is raised at once, and nothing is written.
        """
        try:
            self._write(updates)
        except _AILS_A_FILE:
            self._write_one_by_one(updates)

    def _write_one_by_one(self, updates: Sequence[tuple[FileUpdate, Mapping[str, str]]]) -> None:
        failed: list[tuple[str, Exception]] = []
        for one in updates:
            try:
                self._write([one])
            except _AILS_A_FILE as error:
                failed.append((one[0].record.stamp.path, error))
        if failed:
            shown = "; ".join(f"{path} ({error})" for path, error in failed[:_SHOWN])
            more = f" and {len(failed) - _SHOWN} more" if len(failed) > _SHOWN else ""
            raise NotWritten(f"not written to the store: {shown}{more}") from failed[0][1]

    def _write(self, updates: Sequence[tuple[FileUpdate, Mapping[str, str]]]) -> None:
        with self._transaction() as db:
            full_text = TermChanges()
            for update, embed_texts in updates:
                _write_file(db, update, embed_texts, full_text)
            full_text.write(db)
            db.execute(
                "UPDATE jobs SET files = files + ?, blocks = blocks + ? WHERE ended_at IS NULL",
                (len(updates), sum(len(update.blocks) for update, _ in updates)),
            )

    def restamp(self, stamps: Sequence[FileStamp]) -> None:
        """Note that these files have another size or time on disk but the content that the ledger knows."""
        if not stamps:
            return
        with self._transaction(bookkeeping=True) as db:
            db.executemany(
                "UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ? WHERE path = ?",
                [(stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.path) for stamp in stamps],
            )

    def remove_files(self, paths: Sequence[str], reason: str) -> int:
        """Take files and their blocks out, each block leaving an audit row; return how many blocks went."""
        with self._transaction() as db:
            sought = "SELECT number FROM files WHERE path IN (SELECT value FROM json_each(?))"
            each = db.execute(sought, (as_list(paths),)).fetchall()
            rows: list[tuple[int, str]] = []
            for file in each:
                rows += db.execute("SELECT number, embed_key FROM blocks WHERE file = ?", file).fetchall()
            full_text = TermChanges()
            remove_blocks(db, [number for number, _ in rows], reason, time.time(), full_text)
            forget_pending(db, {key for _, key in rows})
            db.executemany("DELETE FROM definitions WHERE file = ?", each)
            db.executemany("DELETE FROM guards WHERE file = ?", each)
            db.executemany("DELETE FROM retained WHERE file = ?", each)
            db.executemany("DELETE FROM files WHERE number = ?", each)
            full_text.write(db)
            return len(rows)

    def set_refused(self, refused: Sequence[Refused], folders: Collection[str] | None = None) -> None:
        """Replace the refused files directly in these folders, or all of them; the last word on a path counts."""
        wanted = {item.refusal.path: item for item in refused}
        with self._lock, translated(self._path):
            before = {item.refusal.path: item for item in refused_rows(self._db, folders)}
            if wanted == before:
                return
            with self._transaction() as db:
                stale = [(path,) for path, item in before.items() if wanted.get(path) != item]
                db.executemany("DELETE FROM refusals WHERE path = ?", stale)
                db.executemany(
                    "REPLACE INTO refusals VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [_refused_row(item) for path, item in wanted.items() if before.get(path) != item],
                )

    # --- vectors --------------------------------------------------------------------------------------------

    def put_vectors(self, model: str, keys: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors, and queue every block that waited for one of them for the vector store.

        A zero row says that the model sees nothing in the text: the key no longer waits, and its blocks stay out of
        the vector store. Raises ValueError for another shape than one row a key, or a value that is not finite.
        """
        if vectors.ndim != 2 or len(vectors) != len(keys) or not np.isfinite(vectors).all():
            raise ValueError(
                f"{len(keys)} keys, but vectors of shape {vectors.shape}, or not all of them finite"
            )
        blobs = [row.tobytes() if row.any() else None for row in vectors.astype(VECTOR_TYPE)]
        with self._transaction() as db:
            db.executemany(
                "INSERT INTO embeddings (embed_key, model, vector) VALUES (?, ?, ?)"
                " ON CONFLICT (embed_key) DO UPDATE SET model = excluded.model, vector = excluded.vector",
                [(key, model, blob) for key, blob in zip(keys, blobs, strict=True)],
            )
            db.executemany("DELETE FROM pending WHERE embed_key = ?", [(key,) for key in keys])
            db.execute(
                "REPLACE INTO outbox (id) SELECT id FROM blocks"
                " WHERE embed_key IN (SELECT value FROM json_each(?)) ORDER BY number",
                (as_list(key for key in keys if key),),
            )
            db.execute("UPDATE state SET embedded_total = embedded_total + ?", (len(keys),))

    def settle_outbox(self, up_to: int) -> None:
        """Drop the steps numbered up to this one: the vector store has them."""
        with self._transaction() as db:
            db.execute("DELETE FROM outbox WHERE number <= ?", (up_to,))

    def requeue(self, ids: Sequence[str], gone: Sequence[str]) -> None:
        """Queue blocks to be put again, and ids to be taken out, after the vector store was seen to differ."""
        with self._transaction() as db:
            queue(db, [*ids, *gone])

    # --- the store's own notes ------------------------------------------------------------------------------

    def begin_job(self, causes: Sequence[str], commit: str | None, at: float, *, full: bool) -> int:
        """Open a line of the journal and return its number; one that was left open is closed as interrupted."""
        with self._transaction(bookkeeping=True) as db:
            db.execute("UPDATE jobs SET outcome = ?, ended_at = ? WHERE ended_at IS NULL", (INTERRUPTED, at))
            seen = db.execute("SELECT value FROM meta WHERE key = ?", (COMMIT_NOTE,)).fetchone()
            row = db.execute(
                "INSERT INTO jobs (causes, full, from_commit, to_commit, began_at, outcome, files, blocks)"
                " VALUES (?, ?, ?, ?, ?, 'running', 0, 0) RETURNING number",
                (json.dumps(list(causes), ensure_ascii=False), full, seen and seen[0], commit, at),
            ).fetchone()
            return int(row[0])

    def end_job(self, number: int, outcome: str, at: float) -> None:
        """Close a line of the journal."""
        with self._transaction(bookkeeping=True) as db:
            db.execute("UPDATE jobs SET outcome = ?, ended_at = ? WHERE number = ?", (outcome, at, number))

    def clear_jobs(self) -> None:
        """Empty the journal: nothing is resumed."""
        with self._transaction(bookkeeping=True) as db:
            db.execute("DELETE FROM jobs")

    def finish_sync(self, commit: str | None, at: float, *, tidy: bool = True) -> None:
        """Note that the ledger holds everything that was on disk, at which commit and when; `tidy` drops old rows."""
        with self._transaction(bookkeeping=commit == self.get_meta(COMMIT_NOTE)) as db:
            db.execute("DELETE FROM meta WHERE key = ?", (COMMIT_NOTE,))
            notes = [(LAST_SUCCESS_NOTE, repr(at)), *([(COMMIT_NOTE, commit)] if commit else [])]
            db.executemany("REPLACE INTO meta VALUES (?, ?)", notes)
            if tidy:
                prune(db)

    def get_meta(self, key: str) -> str | None:
        """Return a value of the store's own notes, such as the model in use."""
        with self._lock, translated(self._path):
            row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            return row[0] if row else None

    def set_meta(self, key: str, value: str) -> None:
        """Write one of the store's own notes. `model` names the model in use: only its vectors count."""
        if self.get_meta(key) != value:
            with self._transaction(bookkeeping=key != MODEL_NOTE) as db:
                db.execute("REPLACE INTO meta VALUES (?, ?)", (key, value))

    def check(self) -> list[str]:
        """Return what is wrong with the ledger's integrity; empty when nothing is. Seconds on a large store."""
        with self._lock, translated(self._path):
            return problems(self._db)

    def close(self) -> None:
        """Close it; views must be closed before."""
        with self._lock, self._pool:
            self._closed = True
            for db in self._idle:
                db.close()
            self._idle.clear()
            self._db.close()
            open_note(self._path).unlink(missing_ok=True)


def _refused_row(item: Refused) -> tuple[object, ...]:
    refusal, stamp = item.refusal, item.stamp
    seen = (stamp.size, stamp.mtime_ns, stamp.ctime_ns) if stamp else (None, None, None)
    return (refusal.path, folder_of(refusal.path), refusal.reason, refusal.detail, *seen)


def _write_file(
    db: sqlite3.Connection, update: FileUpdate, embed_texts: Mapping[str, str], full_text: TermChanges
) -> None:
    file = write_record(db, update)
    stored = stored_rows(db, file)
    now = {item.block.id for item in update.blocks}
    gone = [row for identity, row in stored.items() if identity not in now]
    added = [item for item in update.blocks if item.block.id not in stored]
    kept = [(stored[item.block.id], item) for item in update.blocks if item.block.id in stored]
    rekeyed = [(row, item) for row, item in kept if row.embed_key != item.embed_key]
    remove_blocks(db, [row.number for row in gone], "replaced", update.indexed_at, full_text)
    for row, item in kept:
        update_block(db, row, item, full_text)
    insert_blocks(db, file, added, full_text)
    want_vectors(db, [*added, *(item for _, item in rekeyed)], embed_texts)
    # Under its old key a block may have a row in the vector store even if it has no vector now.
    queue(db, [item.block.id for _, item in rekeyed])
    forget_pending(db, {row.embed_key for row in [*gone, *(row for row, _ in rekeyed)]})
    write_definitions(db, file, update.definitions)
    write_guard(db, file, update.guarded, update.commit, update.indexed_at)
