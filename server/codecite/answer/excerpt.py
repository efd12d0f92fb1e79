"""Choose the few lines of a block that show best why it is evidence."""

from collections.abc import Mapping, Sequence

from codecite.model.terms import terms

LONGEST, SHORTEST = 6, 3  # lines
NAME_BONUS = 0.5  # the line of the definition's name counts this much of all that is asked


def choose(lines: Sequence[str], weights: Mapping[str, float], name_line: int | None) -> range:
    """Return which lines to show, as 0-based indices; `name_line` is that of the defining name.

    The window is the one that holds most of what is asked, each term once; among equals the first. Lines at its ends
    that add nothing are left out, down to three.
    """
    held = [{term for term in terms(line) if term in weights} for line in lines]
    bonus = NAME_BONUS * sum(weights.values()) or 1.0

    def worth(window: range) -> float:
        found: set[str] = set().union(*(held[i] for i in window))
        return sum(weights[term] for term in found) + (bonus if name_line in window else 0.0)

    size = min(LONGEST, len(lines))
    best = max((range(start, start + size) for start in range(len(lines) - size + 1)), key=worth)
    while len(best) > SHORTEST:
        trimmed = max(best[1:], best[:-1], key=worth)
        if worth(trimmed) < worth(best):
            break
        best = trimmed
    return best
