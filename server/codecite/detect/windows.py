"""Text without a grammar: windows of lines, ended where a paragraph ends."""

import re

from codecite.detect.leaves import make_leaf
from codecite.detect.normal import Normal
from codecite.detect.source import Source
from codecite.model.blocks import Kind, Leaf

WINDOW = 60  # lines
_LEAST = 24  # lines below which a window is not ended at a blank line
_LONG_WORD = re.compile(r"[^\s]{120,}")  # no prose and no code: data


def prose(text: str) -> str:
    """Fold a text's white space line by line, and cut runs of data without spaces to a few characters."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return _LONG_WORD.sub(lambda match: match.group()[:40], "\n".join(line for line in lines if line))


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
        candidates = [
            line
            for line in range(first + min(_LEAST, limit - 1), first + limit + 1)
            if source.is_blank(line - 1) and (line > last or not source.is_blank(line))
        ]
        cut = candidates[-1] if candidates else first + limit
        windows.append((first, cut - 1))
        first = cut
    if first <= last:
        windows.append((first, last))
    return windows


def parse_windows(source: Source, language: str, max_leaf_lines: int) -> list[Leaf]:
    """Make a leaf of each window of a file."""
    limit = min(WINDOW, max_leaf_lines)
    return [
        text_leaf(source, lines, language) for lines in window_lines(source, 0, len(source.starts) - 1, limit)
    ]
