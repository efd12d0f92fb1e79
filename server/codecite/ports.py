"""What touches the world, as Protocols. Adapters implement them; stages and services know only these."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

from codecite.model.blocks import Block, Definition, Guarded, Retained
from codecite.model.changes import StoredBlock
from codecite.model.files import FileStamp, Refusal

if TYPE_CHECKING:  # a language server starts in half the time without it, and has no use for vectors
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"  # one row a text, unit length, `Embedder.dimension` columns


class Clock(Protocol):
    """Time, so that tests can hold it."""

    def now(self) -> float:
        """Return seconds since the epoch."""

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""


# --- the work tree ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DirEntry:
    """One name in a directory. `kind` is "file", "directory", "symlink" or "other"; no link is followed."""

    name: str
    kind: str
    size: int  # bytes; 0 for anything but a file
    mtime_ns: int  # 0 for anything but a file
    ctime_ns: int = 0  # the same


class Disk(Protocol):
    """The work tree, read only; paths are relative to its root in POSIX spelling, "" is the root itself."""

    def entries(self, directory: str) -> list[DirEntry]:
        """List a directory in order of names; raise OSError where it cannot be listed."""

    def read(self, path: str, limit: int) -> tuple[FileStamp, bytes]:
        """Read a regular file, at most `limit` + 1 bytes, following no link in any component of the path.

        The stamp is of the very file that was read. Raises OSError: gone, a link, not a regular file, unreadable.
        """


class Watcher(Protocol):
    """Hears of changes in folders of the work tree, on its own thread, and passes on where something happened.

    What it says is a hint and never the truth: events come late, twice, for another name, or not at all. Whoever makes
    one gives it a listener, called with the paths (files or folders, relative to the root) at which something may have
    changed, or with None when events were lost and anything may have.
    """

    def watch(self, folder: str) -> None:
        """Hear of what happens directly in a folder from now on; one that is watched already, or gone, is left alone.

        Called before the folder is listed, so that nothing falls between the two.
        """

    def keep_only(self, folders: Collection[str]) -> None:
        """Stop watching every folder that is not among these."""

    @property
    def problem(self) -> str:
        """Say in one line, with the mend, why part of the tree is not watched; "" when all of it is."""

    def close(self) -> None:
        """Stop watching; the listener is not called after this returned."""


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """Ignore rules from outside the workspace's folders: a folder above, `info/exclude`, the user's own excludes.

    `below` leads from the directory where the rules are anchored down to the workspace: "" when that is the workspace
    itself, `packages/app` when they belong to the directory that holds `packages`. Rules that hold `everywhere` are
    the user's own: they count in every repository below, submodules too.
    """

    below: str
    text: str
    everywhere: bool = False


class Git(Protocol):
    """The little that indexing asks of git. Nothing here fails: without a usable git the answers are empty."""

    def head(self) -> str | None:
        """Return the commit that HEAD names, in hexadecimal, or None."""

    def tracked_although_ignored(self) -> frozenset[str]:
        """Return the files in git's index that its ignore rules would leave out, relative to the workspace."""

    def submodules(self) -> frozenset[str]:
        """Return the paths of the work tree's submodules, relative to the workspace."""

    def in_work_tree(self) -> bool:
        """Say whether the workspace lies in the work tree of a repository that git can use."""

    def outer_ignore_files(self) -> list[IgnoreFile]:
        """Return the ignore rules that reach the workspace from outside it, weakest first."""

    def state_files(self) -> tuple[Path, ...]:
        """Return the files of which one is written when what `fingerprint` names changes; they may not exist."""

    def fingerprint(self) -> str:
        """Name what HEAD and the index hold, those of submodules too, and the ignore rules from outside."""

    def changed_since(self, commit: str) -> frozenset[str]:
        """Return the paths that differ between a commit and HEAD, the whole range at once.

        Raises BadInput where the commit is not known here or there is no repository, Unavailable where git cannot use
        the one that there is.
        """

    def confirms(self, contents: Mapping[str, bytes]) -> frozenset[str]:
        """Return those of these files, by path in the workspace, whose bytes git's index or HEAD holds for them."""


# --- the ledger ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a block by field, each a string of space-separated terms (see model.terms)."""

    name: str
    parent: str
    path: str
    body: str
    comment: str


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as the ledger holds it."""

    stamp: FileStamp
    sha256: str  # hexadecimal, of the raw bytes
    language: str
    encoding: str
    clean: bool
    lines: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IndexedBlock:
    """A block ready to be written. `embed_key` is "" for one that is never embedded."""

    block: Block
    terms: Terms
    embed_key: str


@dataclass(frozen=True, slots=True)
class FileUpdate:
    """All that one transaction writes of one file.

    `blocks` are all blocks of the file now, in order of lines. Those whose id the file already has are updated in
    place (lines, text, hashes); stored ones that are not among them are removed and leave an audit row.
    """

    record: FileRecord
    blocks: tuple[IndexedBlock, ...]
    definitions: tuple[Definition, ...]
    commit: str | None
    indexed_at: float  # seconds since the epoch
    guarded: Guarded | None = None  # replaces what was kept so; None confirms that what went missing is gone


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What the ledger remembers of a file: enough to tell whether the disk has moved on."""

    stamp: FileStamp
    sha256: str
    clean: bool
    indexed_at: float = 0.0  # seconds since the epoch
    guarded: bool = False  # not clean, and its last clean text is kept


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused file or folder; with the stamp of what was read where its content decided, so that it is read once."""

    refusal: Refusal
    stamp: FileStamp | None = None


@dataclass(frozen=True, slots=True)
class JobRecord:
    """One update of the ledger as the journal has it. A range of commits is compared as a whole, never one by one."""

    number: int
    causes: tuple[str, ...]
    full: bool  # every file was to be read again
    from_commit: str | None  # what the ledger had seen before
    to_commit: str | None  # HEAD when the job began
    began_at: float  # seconds since the epoch
    ended_at: float | None
    outcome: str  # "running", "done", "interrupted", or what made it fail
    files: int  # written by it so far
    blocks: int


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """All that the ledger knows of a file as a whole."""

    record: FileRecord
    commit: str | None  # of HEAD when the file was written
    indexed_at: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class Removal:
    """What a block that was taken out left behind."""

    id: str
    symbol: str
    reason: str
    removed_at: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class RetainedRow:
    """A retained block with what the ledger knows beside it."""

    path: str
    retained: Retained
    since: float  # when it was first missed, in seconds since the epoch
    commit: str | None  # of HEAD at that time


@dataclass(frozen=True, slots=True)
class BlockRow:
    """A stored block with what the ledger knows beside it."""

    block: Block
    embed_key: str
    embedded_by: str | None  # digest of the model; None while the vector is missing or none is wanted
    indexed_at: float
    commit: str | None


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """Where a stored block stands in its file, and what it is. Lines are 1-based and inclusive."""

    id: str
    start_line: int
    end_line: int
    kind: str


@dataclass(frozen=True, slots=True)
class BlockText:
    """A stored block's text and where it stands. Lines are 1-based and inclusive."""

    id: str
    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """One step that the vector store is behind: put this block under this vector, or (vector None) take it out."""

    number: int
    id: str
    path: str
    symbol: str
    kind: str
    vector: "Vectors | None"  # one row, or None to delete


@dataclass(frozen=True, slots=True)
class Counts:
    """How much the ledger holds."""

    files: int
    blocks: int
    definitions: int
    refused: int
    pending_vectors: int  # embed_keys that wait for a vector
    outbox: int
    embedded_total: int  # vectors made over the store's life
    retained: int = 0  # named blocks that went missing from files that do not parse


@dataclass(frozen=True, slots=True)
class KeywordMatch:
    """A block found by full text; a higher score is better."""

    id: str
    path: str
    score: float


class BlockReader(Protocol):
    """What a question reads: one consistent view of blocks and definitions, with or without unsaved text over them."""

    @property
    def sequence(self) -> int:
        """Number of the last transaction that this view sees."""

    @property
    def commit(self) -> str | None:
        """Commit of HEAD when the last sync finished."""

    @property
    def unsaved(self) -> frozenset[str]:
        """Paths that this view shows although no file of the ledger has them; empty but for views with unsaved text.

        Two views with the same ones and the same `listed_since` show the same paths.
        """

    @property
    def listed_since(self) -> int:
        """Number of the last transaction that brought a path or took one away."""

    def counts(self) -> Counts:
        """Count what the ledger holds."""

    def paths(self) -> list[str]:
        """Return the paths of all accepted files, sorted."""

    def block_rows(self, ids: Sequence[str]) -> dict[str, BlockRow]:
        """Fetch blocks by id; an unknown id is left out."""

    def blocks(self, ids: Sequence[str]) -> dict[str, Block]:
        """Fetch blocks by id without what the ledger knows beside them; an unknown id is left out."""

    def block_paths(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the path of each block, by id; an unknown id is left out."""

    def file_blocks(self, path: str | None = None) -> list[BlockRow]:
        """Fetch the blocks of a file in order of lines, or of all files in order of paths."""

    def outline(self, path: str) -> list[BlockPlace]:
        """Return where the blocks of a file stand, in order of lines, without reading their texts."""

    def match_blocks(self, query: str, limit: int, within: str = "") -> list[KeywordMatch]:
        """Rank blocks by BM25 for a query in FTS5 syntax over the columns name, parent, path, body, comment.

        With `within`, a second query, only blocks that match both are scored: finding blocks is cheap and scoring them
        is not.
        """

    def blocks_holding(self, terms: Sequence[str], limit: int) -> list[BlockText]:
        """Return blocks that hold every one of these terms, in any field: at most `limit`, unranked, which is cheap."""

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many blocks each term occurs, in any field."""

    def definitions_named(self, names: Sequence[str]) -> list[tuple[str, Definition]]:
        """Find definitions whose own or qualified name is one of these, compared without case: (path, definition)."""

    def file_definitions(self, path: str) -> list[Definition]:
        """Return the definitions of a file in order of lines."""

    def blocks_at(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], BlockText]:
        """Return the block that holds a line, by (path, line); a place that none holds is left out."""


class LedgerReader(BlockReader, Protocol):
    """One consistent view of the ledger, used by one thread and closed by leaving it as a context manager."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *exc_info: object) -> None: ...

    def names(self) -> list[tuple[str, bool]]:
        """Return every own name of definitions once, and whether none that has it is code (headings, keys)."""

    def stamps(self, paths: Collection[str]) -> dict[str, FileStamp]:
        """Return what these files looked like on disk when they were read, by path; unknown ones are left out."""

    def files(self, folders: Collection[str] | None = None) -> dict[str, StoredFile]:
        """Return the accepted files that stand directly in these folders, or all of them, by path."""

    def refused(self, folders: Collection[str] | None = None) -> list[Refused]:
        """Return the refused files that stand directly in these folders, or all of them, in order of paths."""

    def jobs(self, limit: int) -> list[JobRecord]:
        """Return the last jobs of the journal, the newest first."""

    def file_record(self, path: str) -> IndexedFile | None:
        """Return what is known of an accepted file, None for any other path."""

    def removals(self, path: str, limit: int) -> list[Removal]:
        """Return the blocks of a path that were taken out last, newest first."""

    def notes(self) -> list[tuple[str, str]]:
        """Return what was noted while reading or parsing accepted files: (path, note)."""

    def mean_length(self) -> float:
        """Return the number of terms, over all fields, that a block holds on average; 0.0 without blocks."""

    def clean_text(self, path: str) -> str | None:
        """Return a file's last text that parsed cleanly, None where there was none since it was last confirmed."""

    def retained(self, limit: int) -> list[RetainedRow]:
        """Return retained blocks, at most `limit`, in order of paths and lines."""

    def retained_named(self, names: Sequence[str]) -> list[RetainedRow]:
        """Find retained blocks whose own or qualified name is one of these, compared without case."""

    def stored_blocks(self, path: str) -> list[StoredBlock]:
        """Return what comparison needs of a file's blocks, in order of lines."""

    def ids(self) -> set[str]:
        """Return the ids of all blocks that have a vector of the model in use (the note `model`; any, without one)."""

    def pending_texts(self, limit: int) -> list[tuple[str, str]]:
        """Return (embed_key, embedding text) of vectors that are still to be made, oldest first."""

    def queued(self) -> set[str]:
        """Return the ids that the outbox holds."""

    def outbox(self, limit: int) -> list[OutboxEntry]:
        """Return the next steps for the vector store, in order."""

    def entries(self, ids: Sequence[str]) -> list[OutboxEntry]:
        """Return what the vector store is to hold of these ids, numbered from 0; vector None for what it is not to."""


class Ledger(Protocol):
    """The truth: one writer, any number of views. Every writing call is one transaction, durable when it returns."""

    def reader(self) -> LedgerReader:
        """Open a view of the present state."""

    def write_file(self, update: FileUpdate, embed_texts: Mapping[str, str]) -> None:
        """Write one file. `embed_texts` holds the text of each embed_key that may have no vector yet."""

    def write_files(self, updates: Sequence[tuple[FileUpdate, Mapping[str, str]]]) -> None:
        """Write several files, as `write_file` does each, in one transaction: a third cheaper by the dozen.

        Raises NotWritten, naming them, for files that cannot be written; all others of the call are.
        """

    def restamp(self, stamps: Sequence[FileStamp]) -> None:
        """Note that these files have another size or time on disk but the content that the ledger knows."""

    def remove_files(self, paths: Sequence[str], reason: str) -> int:
        """Take files and their blocks out, each block leaving an audit row; return how many blocks went."""

    def set_refused(self, refused: Sequence[Refused], folders: Collection[str] | None = None) -> None:
        """Replace the refused files that stand directly in these folders, or all of them."""

    def begin_job(self, causes: Sequence[str], commit: str | None, at: float, *, full: bool) -> int:
        """Open a line of the journal and return its number; one that was left open is closed as interrupted."""

    def end_job(self, number: int, outcome: str, at: float) -> None:
        """Close a line of the journal."""

    def clear_jobs(self) -> None:
        """Empty the journal: nothing is resumed."""

    def put_vectors(self, model: str, keys: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors, and queue every block that waited for one of them for the vector store."""

    def settle_outbox(self, up_to: int) -> None:
        """Drop the steps numbered up to this one: the vector store has them."""

    def requeue(self, ids: Sequence[str], gone: Sequence[str]) -> None:
        """Queue blocks to be put again, and ids to be taken out, after the vector store was seen to differ."""

    def finish_sync(self, commit: str | None, at: float, *, tidy: bool = True) -> None:
        """Note that the ledger holds everything that was on disk, at which commit and when; `tidy` drops old rows."""

    def get_meta(self, key: str) -> str | None:
        """Return a value of the store's own notes, such as the model in use."""

    def set_meta(self, key: str, value: str) -> None:
        """Write one of the store's own notes."""

    def check(self) -> list[str]:
        """Return what is wrong with the ledger's integrity; empty when nothing is."""

    def close(self) -> None:
        """Close it; views must be closed before."""


# --- vectors ---------------------------------------------------------------------------------------------------------


class Embedder(Protocol):
    """A model that turns texts into vectors. `digest` changes whenever the same text would give another vector."""

    @property
    def name(self) -> str:
        """Name shown to people."""

    @property
    def digest(self) -> str:
        """Name of the exact model and its parameters."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed pieces of code or prose, one row each, unit length or zero."""

    def embed_query(self, text: str) -> Vectors:
        """Embed a question: one row."""


class VectorStore(Protocol):
    """Vectors under block ids. Derived: whatever it lacks or has too much can be mended from the ledger."""

    def upsert(self, entries: Sequence[OutboxEntry]) -> None:
        """Put entries that have a vector; a repeated id takes the last."""

    def delete(self, ids: Sequence[str]) -> None:
        """Take ids out; unknown ones do not matter."""

    def query(self, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        """Return the ids nearest to one vector with their cosine similarity, best first."""

    def ids(self) -> set[str]:
        """Return all ids."""

    def close(self) -> None:
        """Let go of the store."""


class VectorGenerations(Protocol):
    """Vector stores by number, one of them in use. A new one is filled beside it, since the library reuses no slots."""

    def open(self, number: int) -> VectorStore:
        """Open a generation, empty where it is new; raise VectorsDamaged where it cannot be used."""

    def survived(self, number: int) -> None:
        """Note that the process outlived opening a generation, reading and asking it, whether or not that worked."""

    def unused(self) -> int:
        """Return a number that no folder has."""

    def set_aside(self, number: int) -> Path:
        """Keep a damaged generation under another name, the last such only; return where it is."""

    def keep_only(self, number: int) -> None:
        """Delete every generation but one and what an unfinished one left; what was set aside stays."""
