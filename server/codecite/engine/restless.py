"""Which files are written all the time: logs that nobody ignores, databases, recordings, whatever their names are."""

from collections.abc import Iterable

APART = 0.3  # seconds: events that follow one another faster tell of one write
LIMIT = 20  # writes that are not forgiven yet: a save a second is still somebody's work for half a minute
FORGIVEN_SECONDS = 6.0  # after which one write is
MOST_KNOWN = 1_000  # files; beyond them those that were quiet for long are forgotten


class RestlessFiles:
    """Counts the writes of each file in a bucket that leaks (the leaky bucket of traffic shaping, as a meter)."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, float]] = {}  # path -> (level, when it was written last)

    def written(self, paths: Iterable[str], now: float) -> frozenset[str]:
        """Note that files were written; return those of them that are restless.

        `now` is in seconds of a clock that does not go back.
        """
        restless = set()
        for path in paths:
            level, last = self._known.get(path, (0.0, float("-inf")))
            level = max(0.0, level - (now - last) / FORGIVEN_SECONDS)
            if now - last >= APART:
                self._known[path] = (min(level + 1, LIMIT + 1), now)
            if level >= LIMIT:
                restless.add(path)
        if len(self._known) > MOST_KNOWN:
            long_ago = now - LIMIT * FORGIVEN_SECONDS
            self._known = {path: seen for path, seen in self._known.items() if seen[1] > long_ago}
        return frozenset(restless)
