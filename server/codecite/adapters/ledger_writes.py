"""The steps that the ledger's transactions are made of. Each takes the writer's connection inside a transaction."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from codecite.model.blocks import Definition, Guarded
from codecite.model.files import folder_of
from codecite.ports import FileUpdate, IndexedBlock, Terms

UNUSED_VECTORS = 50_000  # vectors of no block that are kept, or twice the used ones where that is more
AUDIT_ROWS = 100_000  # the oldest beyond it are forgotten
JOB_ROWS = 200  # the same for the journal


class StoredRow(NamedTuple):
    """A block's row, as much as deciding what changed needs."""

    number: int
    start_line: int
    end_line: int
    text_hash: str
    embed_key: str
    kind: str
    language: str


class TermChanges:
    """What a transaction does to the full text of blocks, written in one go at its end.

    FTS5 writes out what it has gathered as a segment, to be merged later, whenever a statement opens a savepoint, as
    the upsert of each file does; all at once is one segment a transaction, and half the time of a first index.
    """

    def __init__(self) -> None:
        self._stale: list[int] = []  # rows of the table
        self._fresh: dict[int, Terms] = {}  # not in the table yet

    def put(self, number: int, terms: Terms) -> None:
        """Give a block that has none its full text."""
        self._fresh[number] = terms

    def drop(self, number: int) -> None:
        """Take the full text of a block out."""
        if self._fresh.pop(number, None) is None:
            self._stale.append(number)

    def write(self, db: sqlite3.Connection) -> None:
        """Bring the table to it, after all that the transaction does to files and blocks."""
        db.executemany("DELETE FROM block_terms WHERE rowid = ?", [(number,) for number in self._stale])
        db.executemany(
            "INSERT INTO block_terms (rowid, name, parent, path, body, comment) VALUES (?, ?, ?, ?, ?, ?)",
            [
                (number, terms.name, terms.parent, terms.path, terms.body, terms.comment)
                for number, terms in self._fresh.items()
            ],
        )


def write_record(db: sqlite3.Connection, update: FileUpdate) -> int:
    """Write what is known of a file as a whole; return its number, the same as long as the file is there."""
    record = update.record
    row = db.execute(
        """
        INSERT INTO files (path, folder, size, mtime_ns, ctime_ns, sha256, language, encoding, clean, lines, notes,
            head, indexed_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (path) DO UPDATE SET
            size = excluded.size, mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns,
            sha256 = excluded.sha256, language = excluded.language, encoding = excluded.encoding,
            clean = excluded.clean, lines = excluded.lines, notes = excluded.notes, head = excluded.head,
            indexed_at = excluded.indexed_at
        RETURNING number
        """,
        (record.stamp.path, folder_of(record.stamp.path), record.stamp.size, record.stamp.mtime_ns,
         record.stamp.ctime_ns, record.sha256, record.language, record.encoding, record.clean, record.lines,
         json.dumps(record.notes, ensure_ascii=False), update.commit, update.indexed_at),
    ).fetchone()  # fmt: skip
    db.execute("DELETE FROM refusals WHERE path = ?", (record.stamp.path,))  # a file is accepted or refused
    file: int = row[0]
    return file


def stored_rows(db: sqlite3.Connection, file: int) -> dict[str, StoredRow]:
    """Return the rows of a file's blocks by id."""
    rows = db.execute(
        "SELECT id, number, start_line, end_line, text_hash, embed_key, kind, language FROM blocks WHERE file = ?",
        (file,),
    )
    return {identity: StoredRow(*values) for identity, *values in rows}


def insert_blocks(
    db: sqlite3.Connection, file: int, items: Sequence[IndexedBlock], full_text: TermChanges
) -> None:
    """Write blocks that the file did not have."""
    if not items:
        return
    first = db.execute("SELECT coalesce(max(number), 0) + 1 FROM blocks").fetchone()[0]
    numbered = list(enumerate(items, first))
    db.executemany(
        "INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (number, item.block.id, file, item.block.start_line, item.block.end_line, item.block.symbol,
             item.block.name, item.block.kind, item.block.language, item.block.code_hash, item.block.text_hash,
             item.embed_key)
            for number, item in numbered
        ],
    )  # fmt: skip
    db.executemany(
        "INSERT INTO block_texts VALUES (?, ?, ?, ?)",
        [(number, item.block.text, item.block.doc, item.block.comments) for number, item in numbered],
    )
    for number, item in numbered:
        full_text.put(number, item.terms)


def update_block(
    db: sqlite3.Connection, before: StoredRow, item: IndexedBlock, full_text: TermChanges
) -> None:
    """Bring a block that kept its id to what it is now, touching no more than what differs."""
    block = item.block
    if before.text_hash != block.text_hash:
        db.execute(
            "UPDATE block_texts SET text = ?, doc = ?, comments = ? WHERE number = ?",
            (block.text, block.doc, block.comments, before.number),
        )
        full_text.drop(before.number)
        full_text.put(before.number, item.terms)
    after = StoredRow(
        before.number,
        block.start_line,
        block.end_line,
        block.text_hash,
        item.embed_key,
        block.kind,
        block.language,
    )
    if after != before:
        db.execute(
            "UPDATE blocks SET start_line = ?, end_line = ?, text_hash = ?, embed_key = ?, kind = ?, language = ?"
            " WHERE number = ?",
            (*after[1:], before.number),
        )


def remove_blocks(
    db: sqlite3.Connection, numbers: Sequence[int], reason: str, at: float, full_text: TermChanges
) -> None:
    """Take blocks out of every table, each leaving an audit row; those with a vector are queued to be taken out."""
    if not numbers:
        return
    gone = json.dumps(list(numbers))
    db.execute(
        """
        INSERT INTO audit (id, path, symbol, reason, removed_at)
        SELECT blocks.id, files.path, blocks.symbol, ?, ?
        FROM blocks JOIN files ON files.number = blocks.file
        WHERE blocks.number IN (SELECT value FROM json_each(?)) ORDER BY files.path, blocks.start_line
        """,
        (reason, at, gone),
    )
    db.execute(
        """
        REPLACE INTO outbox (id)
        SELECT blocks.id FROM blocks JOIN embeddings ON embeddings.embed_key = blocks.embed_key
        WHERE embeddings.vector IS NOT NULL AND blocks.number IN (SELECT value FROM json_each(?))
        ORDER BY blocks.number
        """,
        (gone,),
    )
    for number in numbers:
        full_text.drop(number)
    each = [(number,) for number in numbers]
    db.executemany("DELETE FROM block_texts WHERE number = ?", each)
    db.executemany("DELETE FROM blocks WHERE number = ?", each)


def want_vectors(db: sqlite3.Connection, items: Sequence[IndexedBlock], texts: Mapping[str, str]) -> None:
    """See to the vectors of blocks whose key is new to them: queue those that exist, note the others as pending.

    Raises ValueError for a key that has neither a vector nor a text.
    """
    queued = []
    for item in items:
        key = item.embed_key
        if not key:
            continue
        known = db.execute("SELECT vector IS NOT NULL FROM embeddings WHERE embed_key = ?", (key,)).fetchone()
        if known is None:
            if key in texts:
                db.execute("INSERT OR IGNORE INTO pending (embed_key, text) VALUES (?, ?)", (key, texts[key]))
            elif db.execute("SELECT 1 FROM pending WHERE embed_key = ?", (key,)).fetchone() is None:
                raise ValueError(f"{item.block.id}: no vector yet and no text to make it from")
        elif known[0]:
            queued.append(item.block.id)
    queue(db, queued)


def forget_pending(db: sqlite3.Connection, keys: Iterable[str]) -> None:
    """Stop waiting for those of these keys that no block has any more."""
    db.executemany(
        "DELETE FROM pending WHERE embed_key = ?1 AND NOT EXISTS (SELECT 1 FROM blocks WHERE embed_key = ?1)",
        [(key,) for key in keys if key],
    )


def queue(db: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Have the vector store's rows of these ids looked at again; an id that waits already moves to the end."""
    db.executemany("REPLACE INTO outbox (id) VALUES (?)", [(identity,) for identity in ids])


def write_definitions(db: sqlite3.Connection, file: int, definitions: Sequence[Definition]) -> None:
    """Replace the definitions of a file, in the order given."""
    db.execute("DELETE FROM definitions WHERE file = ?", (file,))
    db.executemany(
        "INSERT INTO definitions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (file, place, item.symbol, item.name, item.kind, item.start_line, item.start_column, item.end_line,
             item.end_column, item.name_line, item.name_column, item.signature, item.name.casefold(),
             item.symbol.casefold())
            for place, item in enumerate(definitions)
        ],
    )  # fmt: skip


def write_guard(
    db: sqlite3.Connection, file: int, guarded: Guarded | None, commit: str | None, at: float
) -> None:
    """Replace what is kept of a file beside its blocks; what was retained before stays as old as it is."""
    retained = guarded.retained if guarded else ()
    db.execute("DELETE FROM guards WHERE file = ?", (file,))
    db.execute(
        "DELETE FROM retained WHERE file = ? AND id NOT IN (SELECT value FROM json_each(?))",
        (file, json.dumps([item.id for item in retained])),
    )
    if guarded is None:
        return
    db.execute("INSERT INTO guards VALUES (?, ?)", (file, guarded.text))
    db.executemany(
        """
        INSERT INTO retained VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (file, id) DO UPDATE SET
            start_line = excluded.start_line, end_line = excluded.end_line, text = excluded.text
        """,
        [
            (file, item.id, item.symbol, item.name, item.kind, item.start_line, item.end_line, item.text, at, commit,
             item.name.casefold(), item.symbol.casefold())
            for item in retained
        ],
    )  # fmt: skip


def prune(db: sqlite3.Connection) -> None:
    """Drop the oldest vectors that no block uses, beyond what a branch switch back may want, and old audit rows."""
    total = db.execute("SELECT count(*) FROM embeddings").fetchone()[0]
    unused = db.execute("SELECT count(*) FROM unused_embeddings").fetchone()[0]
    surplus = unused - max(UNUSED_VECTORS, 2 * (total - unused))
    if surplus > 0:
        db.execute(
            "DELETE FROM embeddings WHERE number IN (SELECT number FROM unused_embeddings ORDER BY number LIMIT ?)",
            (surplus,),
        )
    db.execute("DELETE FROM audit WHERE number <= (SELECT max(number) FROM audit) - ?", (AUDIT_ROWS,))
    db.execute("DELETE FROM jobs WHERE number <= (SELECT max(number) FROM jobs) - ?", (JOB_ROWS,))
