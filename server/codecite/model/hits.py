"""What retrieval returns: ranked blocks, with the ranks that each source gave them and one line why."""

from dataclasses import dataclass, field
from typing import Literal

from codecite.model.texts import Script

Source = Literal["vector", "keyword", "symbol"]
State = Literal["fresh", "moved", "changed", "gone"]  # how a citation differs from the index, the worst last


@dataclass(frozen=True, slots=True)
class Hit:
    """A block that answers a query. Lines are 1-based and inclusive; `score` falls along a list, its unit is free."""

    id: str
    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    language: str
    text: str
    score: float
    sources: dict[Source, int]  # 1-based rank in each source that found it
    why: str


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search could see."""

    files: int
    blocks: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Ranked hits, best first, and what the search could not see (`degraded`, one sentence each)."""

    query: str
    hits: tuple[Hit, ...]
    searched: Searched
    degraded: tuple[str, ...]
    workspace: str
    sequence: int
    commit: str | None


@dataclass(frozen=True, slots=True)
class Grounds:
    """How well an index can answer a question, in the question's own words.

    `weights` holds every term looked for with how much it tells (its rarity in this index times its part in the
    question); `words` the word of the question that each stands for. `coverage` is the largest share of the question's
    weight, 0 to 1, that the found blocks of one file hold.
    """

    weights: dict[str, float]
    words: dict[str, str]
    identifiers: tuple[str, ...]  # names that the question gives as code
    resolved: tuple[str, ...]  # those of them that a definition or a file of the workspace bears
    coverage: float
    unknown: float  # share of the question's words that no block holds
    script: Script
    verbatim: tuple[
        str, ...
    ] = ()  # literals of the question, such as `/orders/{id}`, that a found block holds


@dataclass(frozen=True, slots=True)
class Findings:
    """Ranked blocks, best first, what they were found by, and how well the index can answer the question."""

    question: str
    hits: tuple[Hit, ...]
    grounds: Grounds
    plan: dict[str, object]  # how the question was understood, for the log
    roles: dict[str, str]  # what part the file of each hit plays: code, test, docs, config …


@dataclass(frozen=True, slots=True)
class Focus:
    """Where a cited definition's name stands: 1-based line, 0-based column and length in code points."""

    line: int
    column: int
    length: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered piece of evidence: whole lines of a file as they stand now, and whether they are what was indexed."""

    n: int
    id: str
    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    language: str
    text: str
    score: float
    why: str
    state: State
    indexed_at: float  # seconds since the epoch
    commit: str | None
    excerpt_start: int = 0  # first line of the few that show best why this is evidence; 1-based
    excerpt: str = ""  # whole lines, starting at `excerpt_start`
    focus: Focus | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of an answer and the numbers of the citations that carry it."""

    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question. `text` carries the marks `[n]`; `abstained` when there is no evidence."""

    question: str
    text: str
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    abstained: bool
    degraded: tuple[str, ...]
    generator: str  # "evidence" when no model took part
    log_id: str
    workspace: str
    sequence: int
    commit: str | None
    searched: Searched = field(default_factory=lambda: Searched(0, 0))
