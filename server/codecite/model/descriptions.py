"""What is known of a name that somebody points at: where it is defined, and where it is mentioned."""

from dataclasses import dataclass
from typing import Literal

from codecite.model.hits import Citation

# Why one definition is meant: the place pointed at is its own; the class, the function or the file around the place
# holds it; the receiver names its class or module; an import of the file does; nothing else in the workspace is called
# so.
Reason = Literal["itself", "scope", "receiver", "import", "only"]
# What the description may lack: the index is not complete, its last update failed, unsaved text was not read in time.
Lack = Literal["building", "failing", "unread"]


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition: its block as it stands now, the focus on its name, and what the index says of it."""

    citation: Citation
    kind: str  # see `Definition.kind`
    signature: str
    doc: str  # docstring or leading doc comment; "" where there is none


@dataclass(frozen=True, slots=True)
class Mentions:
    """Where a name stands, but for its definitions: how often, in how many files, and the best places of each role.

    `complete` is False where there are more than were counted. Citations have the focus on the name.
    """

    places: int
    files: int
    complete: bool
    code: tuple[Citation, ...]
    tests: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """What is known of the name at a place. `column` and `length` say where it stands in its line, in code points.

    With a `reason`, `definitions` holds the one that is meant; without, the likeliest of the `total` that may be. Where
    `receiver_unknown`, that one is meant only if the receiver is of the workspace. `imported_from` is the module that
    the file takes the name from, where that tells nothing of the definitions.
    """

    name: str
    column: int
    length: int
    reason: Reason | None
    total: int
    definitions: tuple[Defined, ...]
    mentions: Mentions | None
    receiver_unknown: bool
    imported_from: str
    lacks: tuple[Lack, ...]
    workspace: str
    sequence: int
    commit: str | None


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A definition found by its name, where it stands now. `rank` is the lower, the better its name fits.

    Lines are 1-based, columns 0-based and in code points; `text` is the line without its end.
    """

    name: str
    symbol: str
    kind: str  # see `Definition.kind`
    path: str
    line: int
    column: int
    text: str
    rank: tuple[int, ...]
