"""A question that comes before the first sync is done: read first what it is about.

Nobody should wait for a whole repository to be parsed to learn where one function is. The files that are still waiting
are searched as bytes for the question's own words, and those that hold most of them (a rare word counting more than a
common one, a definition more than a mention) are parsed next.
"""

import math
import re
from collections.abc import Sequence

from codecite.engine.file_queue import FileQueue
from codecite.model.terms import is_cjk, subwords, words
from codecite.ports import Disk

PREFERRED_FILES = 48  # about a second of parsing
PEEK_BYTES = 262_144  # of each waiting file
DEFINING = rb"(?:def|class|func|fn|function|interface|struct|enum|trait|type|module|impl)\s+(?:\([^)]*\)\s*)?"
_MANY = 12  # words of a question that are looked for, the longest ones


def prefer_matching(question: str, queue: FileQueue, disk: Disk) -> list[str]:
    """Move the waiting files that hold the question's words to the front; return their paths, best first."""
    wanted = _needles(question)
    if not wanted:
        return []
    found: dict[str, dict[bytes, float]] = {}
    for path in queue.waiting():
        try:
            _, data = disk.read(path, PEEK_BYTES)
        except OSError:
            continue  # the sync itself says what became of it
        folded = data.lower()
        lower_path = path.lower().encode()
        held = {
            word: 1.0 + 3.0 * bool(defined.search(folded)) + (word in lower_path)
            for word, defined in wanted.items()
            if word in folded or word in lower_path
        }
        if held:
            found[path] = held
    if not found:
        return []
    total = len(found)
    frequency = {word: sum(word in held for held in found.values()) for word in wanted}

    def score(path: str) -> float:
        return sum(strength * math.log(1 + total / frequency[word]) for word, strength in found[path].items())

    best = sorted(found, key=lambda path: (-score(path), path))[:PREFERRED_FILES]
    queue.promote(best)
    return best


def _needles(question: str) -> dict[bytes, re.Pattern[bytes]]:
    """Return the words to look for, lower-cased as bytes, each with the pattern of its definition."""
    distinct: Sequence[str] = sorted({word.lower() for word in words(question)}, key=len, reverse=True)
    chosen = [word for word in distinct if is_cjk(word) or len(word) > 2 or len(subwords(word)) > 1][:_MANY]
    encoded = [word.encode() for word in chosen]
    return {word: re.compile(DEFINING + re.escape(word) + rb"\b") for word in encoded}
