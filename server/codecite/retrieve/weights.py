"""How much each feature of a file counts."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from codecite.retrieve.features import Candidate


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the features of `features`; chosen by measurement, one repository left out at a time."""

    block: float = 0.6  # its best block by BM25
    coherence: float = 0.5  # its best blocks together, each further one counting less
    file: float = 0.45  # its path and all its names by BM25
    path: float = 1.3  # how much of the question its path names
    stem_share: float = 0.45  # how much of the file's own name is asked for
    exact_stem: float = 0.3  # its name is a word of the question, or neighbouring ones
    symbol: float = 0.5  # its best name: how much of it is asked for, how much of the question it is
    symbol_cover: float = 0.3  # how much of the question its names hold
    cover: float = 0.3  # how much of the question its blocks hold
    definition: float = 0.5  # it defines what the question names
    vector: float = 0.4  # its best block by meaning


QUESTION = Weights()
SYMBOL = Weights(block=1.0, coherence=0.3, file=0.5, path=0.5, exact_stem=1.0, definition=2.0, vector=0.0)
_NAMES = tuple(field.name for field in fields(Weights))


def rank(files: Iterable[Candidate], weights: Weights) -> list[Candidate]:
    """Score files by their features and priors; best first, ties in order of paths."""
    counted = [(name, getattr(weights, name)) for name in _NAMES]
    ranked = []
    for one in files:
        found = one.features
        one.score = one.prior * sum(weight * found.get(name, 0.0) for name, weight in counted)
        ranked.append(one)
    return sorted(ranked, key=lambda one: (-one.score, one.path))
