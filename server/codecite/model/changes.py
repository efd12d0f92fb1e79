"""Changes: what was seen to change on disk, and what that means block by block."""

from dataclasses import dataclass

from codecite.model.files import FileStamp


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Files that may have changed since the ledger last saw them, and files that are gone."""

    candidates: tuple[FileStamp, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredBlock:
    """What the ledger remembers of a block, enough to compare with a new parse of its file."""

    id: str
    start_line: int
    end_line: int
    text_hash: str
    code_hash: str
    embed_key: str  # "" for one that is never embedded


@dataclass(frozen=True, slots=True)
class BlockDelta:
    """The difference between a file's stored blocks and its leaves now.

    `kept`, `moved` and `retouched` share an id with a stored block: same lines and text; same text on other lines;
    other text with the same normalised code (comments, layout). `added` and `removed` do not.
    Indices count the new leaves.
    """

    kept: tuple[int, ...]
    moved: tuple[int, ...]
    retouched: tuple[int, ...]
    added: tuple[int, ...]
    removed: tuple[str, ...]
