"""How well a ranking meets the targets of a case: the usual figures of information retrieval, from 0 to 1.

A target is met by a ranked item of the same path and, where both have lines, one that shares a line with it.
Only the best rank of each target counts:

- HitRate@n   1 when some target is met at rank n or better, else 0;
- Recall@5    the share of targets that are met at rank 5 or better;
- MRR         1 / the best rank over the whole list, 0 when no target is met (mean reciprocal rank);
- NDCG@10     an item is worth 1 when it is the first to meet some target, discounted by log2(rank + 1);
              the sum is divided by that of the ideal list, min(10, targets) such items
              (Järvelin and Kekäläinen 2002).

A figure over many cases is their mean. A case without targets says that nothing is to be found; no ranking
meets that, so such a case is counted apart and enters no mean.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

METRICS = ("HitRate@1", "HitRate@3", "HitRate@5", "Recall@5", "MRR", "NDCG@10")
DEPTH = 10  # ranks that NDCG looks at

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Span:
    """A file, or a run of its lines: 1-based, inclusive; None for the whole file."""

    path: str
    start_line: int | None = None
    end_line: int | None = None

    def meets(self, other: "Span") -> bool:
        """Say whether the two are of one file and, where both have lines, share a line."""
        if self.path != other.path:
            return False
        if (
            self.start_line is None
            or self.end_line is None
            or other.start_line is None
            or other.end_line is None
        ):
            return True
        return self.start_line <= other.end_line and other.start_line <= self.end_line


@dataclass(frozen=True, slots=True)
class Case:
    """A question and what answers it."""

    id: str
    query: str
    category: str  # "" for none
    relevant: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Mean figures of a set of cases."""

    cases: int  # those that have targets
    figures: Figures


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the cases that both hold."""

    before: Summary
    after: Summary
    better: tuple[str, ...]  # ids of cases whose NDCG@10 rose
    worse: tuple[str, ...]


def score(ranked: Sequence[Span], relevant: Sequence[Span]) -> Figures:
    """Return the figures of one case; `relevant` must not be empty."""
    ranks = [rank for target in relevant if (rank := _first_rank(ranked, target)) is not None]
    best = min(ranks, default=None)
    gain = sum(1 / log2(rank + 1) for rank in set(ranks) if rank <= DEPTH)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(DEPTH, len(relevant)) + 1))
    return {
        **{f"HitRate@{n}": float(best is not None and best <= n) for n in (1, 3, 5)},
        "Recall@5": sum(rank <= 5 for rank in ranks) / len(relevant),
        "MRR": 1 / best if best is not None else 0.0,
        "NDCG@10": gain / ideal,
    }


def summarise(cases: Iterable[Case], runs: Mapping[str, Sequence[Span]]) -> Summary:
    """Return the mean figures of the cases that have targets; a case without a run found nothing."""
    rows = [score(runs.get(case.id, ()), case.relevant) for case in cases if case.relevant]
    means = {name: sum(row[name] for row in rows) / len(rows) if rows else 0.0 for name in METRICS}
    return Summary(len(rows), means)


def by_category(cases: Iterable[Case], runs: Mapping[str, Sequence[Span]]) -> dict[str, Summary]:
    """Return a summary for each category that has targets, in order of names."""
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.category and case.relevant:
            groups[case.category].append(case)
    return {name: summarise(groups[name], runs) for name in sorted(groups)}


def compare(
    cases: Iterable[Case], before: Mapping[str, Sequence[Span]], after: Mapping[str, Sequence[Span]]
) -> Comparison:
    """Compare two runs over the cases with targets that both hold."""
    shared = [case for case in cases if case.relevant and case.id in before and case.id in after]
    better, worse = [], []
    for case in shared:
        old, new = (score(runs[case.id], case.relevant)["NDCG@10"] for runs in (before, after))
        if new > old:
            better.append(case.id)
        elif new < old:
            worse.append(case.id)
    return Comparison(summarise(shared, before), summarise(shared, after), tuple(better), tuple(worse))


def _first_rank(ranked: Sequence[Span], target: Span) -> int | None:
    return next((rank for rank, item in enumerate(ranked, 1) if item.meets(target)), None)
