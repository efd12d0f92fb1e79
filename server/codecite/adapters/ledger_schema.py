"""The ledger's tables, how a connection to them is opened, and what SQLite's failures mean to people.

    files --< blocks --  block_texts          whole text, apart, so that lines can move without rewriting it
      |         |-  block_terms               full text of blocks; rowid = blocks.number
      |         `-  embed_key -- embeddings   vectors outlive their blocks: a branch switch back costs no model call
      |                      `- pending       texts of the keys that wait for a vector
      |--< definitions
      |--- guards        last clean text of a file that stopped parsing
      `--< retained      its named blocks that went missing: in no other table, found by nothing but their names
    outbox    ids whose row in the vector store may differ from what the ledger says
    audit     blocks that went, and why
    refusals  files that are not indexed, and why; with the stamp of those that were read to know it
    jobs      the journal: what was asked for, between which commits, how far it came, how it ended
    state     one row: the sequence, bumped by every writing transaction
    meta      the store's own notes; `model` names the embedding model in use

Terms come ready made (`model.terms`), so the tokenizer is the one that splits at ASCII blanks and punctuation only:
`unicode61` would cut a word at each character that is newer than its tables. The full-text tables keep their own copy
of the terms, since SQLite before 3.43 cannot delete from a contentless table without being told what it held.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from codecite.model.errors import StoreDamaged, StoreLocked, Unavailable

SCHEMA_VERSION = 2  # a store with another version is never opened: it gets a folder of its own
FILE_NAME = "ledger.sqlite3"
BUSY_SECONDS = 10.0
CHECKPOINT_PAGES = (
    8_000  # 32 MB of log: one file after the other changes the same pages of the indexes by hash
)
READER_CACHE_KIB = 16_000  # what a question reads stays; a mapped file would save no more and count as memory

SCHEMA = """
CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    sequence INTEGER NOT NULL,
    listed_since INTEGER NOT NULL,  -- sequence of the last transaction that brought a file or took one away
    embedded_total INTEGER NOT NULL
);
INSERT INTO state VALUES (1, 0, 0, 0);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE files (
    number INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    folder TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    language TEXT NOT NULL,
    encoding TEXT NOT NULL,
    clean INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    notes TEXT NOT NULL,  -- a JSON array of strings
    head TEXT,  -- commit of HEAD when the file was written
    indexed_at REAL NOT NULL
);
CREATE INDEX files_by_folder ON files (folder);
CREATE TRIGGER file_brought AFTER INSERT ON files BEGIN UPDATE state SET listed_since = sequence + 1; END;
CREATE TRIGGER file_taken AFTER DELETE ON files BEGIN UPDATE state SET listed_since = sequence + 1; END;
CREATE TABLE refusals (
    path TEXT PRIMARY KEY,
    folder TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    size INTEGER,  -- of what was read, where that decided
    mtime_ns INTEGER,
    ctime_ns INTEGER
) WITHOUT ROWID;
CREATE INDEX refusals_by_folder ON refusals (folder);
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY,
    causes TEXT NOT NULL,  -- a JSON array of strings
    full INTEGER NOT NULL,
    from_commit TEXT,
    to_commit TEXT,
    began_at REAL NOT NULL,
    ended_at REAL,
    outcome TEXT NOT NULL,
    files INTEGER NOT NULL,
    blocks INTEGER NOT NULL
);

CREATE TABLE blocks (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    file INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    symbol TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    code_hash TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    embed_key TEXT NOT NULL
);
CREATE INDEX blocks_by_file ON blocks (file);
CREATE INDEX blocks_by_key ON blocks (embed_key);
CREATE TABLE block_texts (
    number INTEGER PRIMARY KEY,
    text TEXT NOT NULL,
    doc TEXT NOT NULL,
    comments TEXT NOT NULL
);
CREATE VIRTUAL TABLE block_terms USING fts5(
    name, parent, path, body, comment, tokenize = ascii
);
CREATE VIRTUAL TABLE block_vocabulary USING fts5vocab(block_terms, row);

CREATE TABLE definitions (
    file INTEGER NOT NULL,
    place INTEGER NOT NULL,
    symbol TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    start_column INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    end_column INTEGER NOT NULL,
    name_line INTEGER NOT NULL,
    name_column INTEGER NOT NULL,
    signature TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    folded_symbol TEXT NOT NULL,
    PRIMARY KEY (file, place)
) WITHOUT ROWID;
CREATE INDEX definitions_by_name ON definitions (folded_name);
CREATE INDEX definitions_by_symbol ON definitions (folded_symbol);

CREATE TABLE guards (file INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE retained (
    file INTEGER NOT NULL,
    id TEXT NOT NULL,
    symbol TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    text TEXT NOT NULL,
    since REAL NOT NULL,
    head TEXT,  -- commit of HEAD at that time
    folded_name TEXT NOT NULL,
    folded_symbol TEXT NOT NULL,
    PRIMARY KEY (file, id)
) WITHOUT ROWID;

CREATE TABLE embeddings (
    number INTEGER PRIMARY KEY,
    embed_key TEXT NOT NULL UNIQUE,
    model TEXT NOT NULL,
    vector BLOB  -- little-endian half precision; NULL where the model sees nothing in the text
);
CREATE TABLE pending (number INTEGER PRIMARY KEY, embed_key TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE outbox (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE);
CREATE TABLE audit (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    reason TEXT NOT NULL,
    removed_at REAL NOT NULL
);

CREATE VIEW block_rows AS
    SELECT blocks.start_line, blocks.end_line, blocks.symbol, blocks.name, blocks.kind, blocks.language,
        block_texts.text, blocks.code_hash, blocks.text_hash, block_texts.doc, block_texts.comments,
        blocks.id, files.path, blocks.embed_key, embeddings.model, files.indexed_at, files.head
    FROM blocks
    JOIN block_texts ON block_texts.number = blocks.number
    JOIN files ON files.number = blocks.file
    LEFT JOIN embeddings ON embeddings.embed_key = blocks.embed_key AND embeddings.vector IS NOT NULL;
CREATE VIEW vector_rows AS  -- what the vector store is to hold: vectors of the model in use, of any while none is noted
    SELECT blocks.id, files.path, blocks.symbol, blocks.kind, embeddings.vector
    FROM blocks
    JOIN files ON files.number = blocks.file
    JOIN embeddings ON embeddings.embed_key = blocks.embed_key
    WHERE embeddings.vector IS NOT NULL
        AND embeddings.model = coalesce((SELECT value FROM meta WHERE key = 'model'), embeddings.model);
CREATE VIEW definition_rows AS
    SELECT files.path, symbol, name, kind, start_line, start_column, end_line, end_column, name_line, name_column,
        signature, place, folded_name, folded_symbol
    FROM definitions JOIN files ON files.number = definitions.file;
CREATE VIEW retained_rows AS
    SELECT files.path, id, symbol, name, kind, start_line, end_line, text, since, retained.head,
        folded_name, folded_symbol
    FROM retained JOIN files ON files.number = retained.file;
CREATE VIEW unused_embeddings AS
    SELECT number FROM embeddings
    WHERE NOT EXISTS (SELECT 1 FROM blocks WHERE blocks.embed_key = embeddings.embed_key);
"""

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_UNWRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR)
_TRY_AGAIN = "try again: the next engine sets it aside and builds it again from the files"
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def damage_note(path: Path) -> Path:
    """Return the file whose presence says that damage was found in a ledger while it was in use."""
    return path.with_suffix(".damaged")


def open_note(path: Path) -> Path:
    """Return the file that is there while a ledger is open for writing."""
    return path.with_suffix(".open")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn those failures of SQLite that a user can mend into errors that say how; the rest are defects.

    Damage is noted beside the ledger, so that it is not opened again; see `ledger_opening`.
    """
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the primary code
        if code == sqlite3.SQLITE_FULL:
            raise Unavailable(
                f"no space left for the store at {path.parent}", "free some disk space"
            ) from error
        if code in _DAMAGED:
            with suppress(OSError):  # on a disk that takes nothing, the next start has to find it again
                damage_note(path).touch(mode=0o600)
            raise StoreDamaged(f"the store at {path} is damaged ({error})", _TRY_AGAIN) from error
        if code in _UNWRITABLE:
            mend = "check the folder's owner, its permissions and its disk"
            raise Unavailable(f"the store at {path} cannot be used ({error})", mend) from error
        if code in _BUSY:
            raise StoreLocked(f"another process holds the store at {path}", "run `codecite stop`") from error
        raise


def connect_writer(path: Path) -> sqlite3.Connection:
    """Open the ledger for writing, creating it, readable by its owner alone, where it is not there.

    Commits are durable against the death of the process at any point (write-ahead log, synchronous=NORMAL); a loss
    of power may take the last ones back, never half of one.

    Raises StoreDamaged for one in which damage was noted or is found: in the header and the schema after an orderly
    end, anywhere in the file after another.
    """
    if damage_note(path).exists():
        raise StoreDamaged(f"the store at {path} was found damaged while it was in use", _TRY_AGAIN)
    ended_badly = open_note(path).exists()
    with translated(path):
        try:
            path.touch(mode=0o600)
            open_note(path).touch(mode=0o600)
        except OSError as error:
            mend = "check the folder's owner, its permissions and its disk"
            raise Unavailable(f"the store at {path} cannot be used ({error.strerror})", mend) from error
        db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _prepare(db, path, whole=ended_badly)
        except BaseException:
            db.close()
            raise
        return db


def _prepare(db: sqlite3.Connection, path: Path, *, whole: bool) -> None:
    """Set a connection up, and create the tables where there are none or check what is there."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA cache_size = -8000")  # KiB
    db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT")
    elif version != SCHEMA_VERSION:
        mend = f"delete {path.parent}: it is built again from the files"
        raise Unavailable(f"the store at {path} has schema {version}, not {SCHEMA_VERSION}", mend)
    elif whole and (wrong := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise StoreDamaged(f"the store at {path} is damaged ({wrong})", _TRY_AGAIN)


def connect_reader(path: Path) -> sqlite3.Connection:
    """Open an existing ledger for reading."""
    with translated(path):
        uri = f"{path.absolute().as_uri()}?mode=ro"
        db = sqlite3.connect(
            uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        db.execute(f"PRAGMA cache_size = -{READER_CACHE_KIB}")
        return db
