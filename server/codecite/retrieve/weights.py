"""How much each feature of a file counts."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import mul

from codecite.retrieve.features import FEATURES, Candidate


@dataclass(frozen=True, slots=True)
class Weights:
    """A weight for each of `FEATURES`; chosen by measurement, one repository left out at a time."""

    block: float = 1.2
    coherence: float = 0.4
    path: float = 1.0
    stem_share: float = 0.45
    exact_stem: float = 0.6
    definition: float = 0.5
    vector: float = 0.4
    symbol: float = 0.25
    symbol_cover: float = 0.3
    cover: float = 0.4


QUESTION = Weights()
SYMBOL = Weights(block=1.0, coherence=0.3, path=0.5, exact_stem=1.0, definition=3.0, vector=0.0, cover=0.3)


def rank(files: Iterable[Candidate], weights: Weights) -> list[Candidate]:
    """Score files by their features and priors; best first, ties in order of paths."""
    counted = [getattr(weights, name) for name in FEATURES]
    ranked = list(files)
    for one in ranked:
        one.score = one.prior * sum(map(mul, counted, one.features))
    return sorted(ranked, key=lambda one: (-one.score, one.path))
