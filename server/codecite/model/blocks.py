"""Blocks: the leaves that a file falls into, and the definitions that they hold.

A leaf is a contiguous run of whole lines. Every line of an accepted file is in exactly one leaf, so the texts of a
file's leaves, joined in order, are the file. A leaf knows four hashes' worth of identity:

- `text_hash`   of the raw text: for anchors, changes with every keystroke;
- `code_hash`   of the normalised code (no plain comments, no layout; docstrings and doc comments stay);
- `embed_text`  what a model sees: a pure function of kind, own name, language, doc and code, never of the path or
                the enclosing names, so that a moved, re-formatted or re-commented block keeps its vector. Empty for a
                leaf that holds no words: such a leaf is never embedded;
- `id`          `path:symbol:hash`, with an ordinal only where path, symbol and hash all repeat. Opaque: built here,
                never split.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

Kind = Literal[
    "function",
    "method",
    "class",  # the header of a class, struct, trait, interface, enum, module …: up to its first member
    "imports",
    "code",  # statements outside any definition, or between the members of one
    "section",  # a heading of a document and what stands under it
    "config",  # a section of a configuration file
    "text",  # lines of a file with no grammar
]

ID_HASH_LENGTH = 12  # hexadecimal digits: 48 bits tell a file's blocks apart; full hashes stand beside it


@dataclass(frozen=True, slots=True)
class Leaf:
    """A run of whole lines, before it has an id. Lines are 1-based and inclusive."""

    start_line: int
    end_line: int
    symbol: str  # qualified, e.g. "Ledger.close_period" or "Install > Linux"; "" outside any definition
    name: str  # own name, e.g. "close_period"
    kind: Kind
    language: str
    text: str
    code_hash: str  # hexadecimal SHA-256
    text_hash: str  # hexadecimal SHA-256
    embed_text: str
    doc: str  # docstring or leading doc comment, markers stripped
    comments: str  # plain comments, markers stripped


@dataclass(frozen=True, slots=True)
class Block(Leaf):
    """A leaf of a file of the workspace."""

    id: str
    path: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A named thing and exactly where it stands.

    Lines are 1-based; columns are 0-based and count code points of the line's text. The end is exclusive. The
    `name_` position is that of the name itself, which is where an editor jumps.
    """

    symbol: str
    name: str
    kind: str  # function, method, class, interface, enum, struct, trait, module, variable, type, field, heading, key
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    name_line: int
    name_column: int
    signature: str  # first line of the definition without its body, at most 200 characters


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """All that is known of one file's text: leaves in order of lines, definitions, whether the parse was clean."""

    path: str
    language: str
    leaves: tuple[Leaf, ...]
    definitions: tuple[Definition, ...]
    clean: bool  # no error nodes: what vanished from the tree has really vanished
    notes: tuple[str, ...] = ()  # e.g. "conflict markers", "parse gave up after 2 s: indexed as plain lines"


@dataclass(frozen=True, slots=True)
class Retained:
    """A named leaf of a file's last clean text that is gone from a text that does not parse: unconfirmed.

    All fields are those of its block in the clean text.
    """

    id: str
    symbol: str
    name: str
    kind: Kind
    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True)
class Guarded:
    """What is kept beside the blocks of a file that stopped parsing: its last clean text and what went missing."""

    text: str
    retained: tuple[Retained, ...]


def block_ids(path: str, leaves: Iterable[Leaf]) -> list[str]:
    """Give each leaf of a file its id, in order.

    A colon in the path is written `//`, which no path holds, so that no two files can ever give one id.
    """
    seen: dict[str, int] = {}
    ids = []
    place = path.replace(":", "//")
    for leaf in leaves:
        base = f"{place}:{leaf.symbol}:{leaf.code_hash[:ID_HASH_LENGTH]}"
        seen[base] = count = seen.get(base, 0) + 1
        ids.append(base if count == 1 else f"{base}:{count}")
    return ids


def embed_key(model_digest: str, embed_text: str) -> str:
    """Name a vector: equal exactly when the same model would see the same text. 32 hexadecimal digits."""
    return sha256(f"{model_digest}\0{embed_text}".encode()).hexdigest()[:32] if embed_text else ""
