"""What the paths of a workspace say, kept between questions: roles, and which files a word's path terms name.

A `PathIndex` is a value: it is built from a list of paths, reusing what another one knew of the same paths, and never
changes. So searches that run side by side may share one.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from codecite.retrieve.roles import Place, old_version_folders, place

STEM, PARENT, ABOVE = 1.0, 0.5, 0.2  # how much a word says that names the file, its folder, a folder above
LONG, ENDING, FEW = (
    6,
    3,
    4,
)  # characters of a term that may be completed, and of its ending; completions that are few
COMMON = 0.5  # a term in more than this share of all paths tells none apart


@dataclass(frozen=True, slots=True)
class PathIndex:
    """Paths by what they say. `postings` maps a term to (path, how much it says) pairs."""

    places: Mapping[str, Place]
    postings: Mapping[str, Sequence[tuple[str, float]]]
    vocabulary: Sequence[str]  # the terms of `postings`, sorted
    old_versions: frozenset[str]  # paths in a `vN` folder that has a newer sibling

    @classmethod
    def build(cls, paths: Iterable[str], known: "PathIndex | None" = None) -> "PathIndex":
        """Index paths; those that `known` holds are not read again."""
        before: Mapping[str, Place] = known.places if known else {}
        places = {path: before.get(path) or place(path) for path in paths}
        if known and places.keys() == before.keys():
            return known
        postings: dict[str, list[tuple[str, float]]] = {}
        for path, where in places.items():
            levels = dict.fromkeys(where.above, ABOVE)
            levels |= dict.fromkeys(where.parent, PARENT)
            levels |= dict.fromkeys(where.stem, STEM)
            for term, level in levels.items():
                postings.setdefault(term, []).append((path, level))
        older = tuple(f"{folder}/" for folder in old_version_folders(places))
        return cls(
            places,
            postings,
            sorted(postings),
            frozenset(path for path in places if older and path.startswith(older)),
        )

    def longer(self, term: str) -> tuple[str, ...]:
        """Return the path terms that a long term begins, such as `autodetector` for `autodetect`, if they are few.

        A stemmer leaves the doer and the deed apart, and files are named after the doer.
        """
        if len(term) < LONG:
            return ()
        start = bisect_right(self.vocabulary, term)
        found = list(takewhile(lambda one: one.startswith(term), self.vocabulary[start : start + FEW + 1]))
        return tuple(one for one in found if len(one) <= len(term) + ENDING) if len(found) <= FEW else ()

    def recall(self, concepts: Iterable[tuple[Iterable[str], float]]) -> dict[str, float]:
        """Return by path the weight of the concepts, (terms, weight) each, that it names, if any."""
        found: dict[str, float] = {}
        limit = max(8, int(len(self.places) * COMMON))
        for terms, weight in concepts:
            best: dict[str, float] = {}
            for term in terms:
                named = self.postings.get(term, ())
                if len(named) > limit:
                    continue
                for path, level in named:
                    if level > best.get(path, 0.0):
                        best[path] = level
            for path, level in best.items():
                found[path] = found.get(path, 0.0) + weight * level
        return found
