"""Text without a grammar: windows of lines, ended where a paragraph ends."""

from codecite.detect.leaves import make_leaf
from codecite.detect.normal import Normal
from codecite.detect.source import Source
from codecite.model.blocks import Kind, Leaf

WINDOW = 60  # lines
_LEAST = 24  # lines below which a window is not ended at a blank line
_LONG_WORD = 120  # characters from which a word is no prose and no code, but data
_KEPT_OF_WORD = 40  # characters kept of such a word
_DATA = frozenset(("gettext",))  # found by their words alone: the fewer leaves the better


def prose(text: str) -> str:
    """Fold a text's white space line by line, and cut runs of data without spaces to a few characters."""
    return "\n".join([line for line in map(_folded, text.splitlines()) if line])


def _folded(line: str) -> str:
    words = line.split()
    folded = " ".join(words)
    if len(folded) < _LONG_WORD:
        return folded
    return " ".join([word if len(word) < _LONG_WORD else word[:_KEPT_OF_WORD] for word in words])


def text_leaf(
    source: Source,
    lines: tuple[int, int],
    language: str,
    *,
    kind: Kind = "text",
    symbol: str = "",
    name: str = "",
) -> Leaf:
    """Make a leaf whose code is its text, white space folded."""
    shown = prose(source.slice_text(*lines))
    normal = Normal(shown.encode(errors="replace"), shown)
    return make_leaf(source, lines, language=language, kind=kind, symbol=symbol, name=name, normal=normal)


def window_lines(source: Source, first: int, last: int, limit: int = WINDOW) -> list[tuple[int, int]]:
    """Cut lines `first` to `last` into windows of at most `limit` lines, preferably after a blank line."""
    windows = []
    while last - first >= limit:
        cut = _cut(source, first + max(1, min(_LEAST, limit - 1)), first + limit)
        windows.append((first, cut - 1))
        first = cut
    if first <= last:
        windows.append((first, last))
    return windows


def _cut(source: Source, least: int, most: int) -> int:
    """Return the last line from `least` to `most` before which a paragraph ends, else `most`."""
    for line in range(most, least - 1, -1):
        if source.is_blank(line - 1) and not source.is_blank(line):
            return line
    return most


def parse_windows(source: Source, language: str, max_leaf_lines: int) -> list[Leaf]:
    """Make a leaf of each window of a file."""
    limit = max_leaf_lines if language in _DATA else min(WINDOW, max_leaf_lines)
    return [
        text_leaf(source, lines, language) for lines in window_lines(source, 0, len(source.starts) - 1, limit)
    ]
