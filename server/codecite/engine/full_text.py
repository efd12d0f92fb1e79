"""Full text over a few blocks in memory, matched and ranked as SQLite's FTS5 does it.

What is not written to the ledger has to be found beside what is. So the queries are those of `retrieve.query`, the
formula and its constants are those of FTS5's bm25() (https://sqlite.org/fts5.html#the_bm25_function), and the weights
of the fields are those of the ledger's own search.
"""

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import log

from codecite.model.errors import BadInput
from codecite.ports import Terms

WEIGHTS = {"name": 3.0, "parent": 1.2, "path": 1.5, "body": 1.0, "comment": 0.6}
K1, B = 1.2, 0.75
LEAST_IDF = 1e-6  # of a term that half of all blocks hold, or more

Holds = Callable[[AbstractSet[str]], bool]  # whether a block with these terms matches

_TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|[()]|\w+)')


@dataclass(frozen=True, slots=True)
class Counted:
    """The terms of one block: the weighted number of each, summed over the fields, and how many there are."""

    weights: Mapping[str, float]
    length: int

    @classmethod
    def of(cls, terms: Terms) -> "Counted":
        """Count the terms of a block."""
        weights: dict[str, float] = {}
        length = 0
        for field, weight in WEIGHTS.items():
            held = getattr(terms, field).split()
            length += len(held)
            for term in held:
                weights[term] = weights.get(term, 0.0) + weight
        return cls(weights, length)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 needs to know of all blocks: their number, their mean length in terms, how many hold each term."""

    blocks: int
    mean_length: float
    frequencies: Mapping[str, int]

    def score(self, block: Counted) -> float:
        """Return the BM25 score of a block for the terms of `frequencies`, higher for a better one."""
        longer = block.length / self.mean_length if self.mean_length else 1.0
        saturation = K1 * (1 - B + B * longer)
        score = 0.0
        for term, frequency in self.frequencies.items():
            if weight := block.weights.get(term, 0.0):
                score += _idf(self.blocks, frequency) * weight * (K1 + 1) / (weight + saturation)
        return score


def _idf(blocks: int, frequency: int) -> float:
    odds = (blocks - frequency + 0.5) / (frequency + 0.5)
    return max(log(odds), LEAST_IDF) if odds > 0 else LEAST_IDF


@dataclass(frozen=True, slots=True)
class TermQuery:
    """A query for terms: strings of one term each, joined by OR and AND, in parentheses."""

    terms: tuple[str, ...]
    matches: Holds

    @classmethod
    def read(cls, query: str) -> "TermQuery":
        """Read a query in FTS5 syntax. Raises BadInput for anything that `retrieve.query` does not write."""
        return _Parser(query).query()


class _Parser:
    """OR binds weaker than AND, as in FTS5."""

    def __init__(self, query: str) -> None:
        self._query = query
        self._tokens = _TOKEN.findall(query)
        self._at = 0
        self._terms: dict[str, None] = {}

    def query(self) -> TermQuery:
        matches = self._any()
        if self._at < len(self._tokens) or _TOKEN.sub("", self._query).strip():
            raise self._bad()
        return TermQuery(tuple(self._terms), matches)

    def _any(self) -> Holds:
        parts = [self._all()]
        while self._taken("OR"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else lambda held: any(part(held) for part in parts)

    def _all(self) -> Holds:
        parts = [self._one()]
        while self._taken("AND"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else lambda held: all(part(held) for part in parts)

    def _one(self) -> Holds:
        if self._taken("("):
            inner = self._any()
            if not self._taken(")"):
                raise self._bad()
            return inner
        if self._at == len(self._tokens) or not self._tokens[self._at].startswith('"'):
            raise self._bad()
        term = self._tokens[self._at][1:-1].replace('""', '"')
        self._at += 1
        self._terms[term] = None
        return lambda held: term in held

    def _taken(self, token: str) -> bool:
        found = self._at < len(self._tokens) and self._tokens[self._at] == token
        self._at += found
        return found

    def _bad(self) -> BadInput:
        return BadInput(f"not a query for terms: {self._query!r}")
