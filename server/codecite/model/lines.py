"""Lines as editors count them, and columns as clients count them."""

import re
from bisect import bisect_right
from io import StringIO

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def split_lines(text: str) -> list[str]:
    """Split at LF, CRLF and CR only, line ends kept; `"".join` gives the text back.

    `str.splitlines` also splits at form feeds, U+2028 and others, where editors do not. A text that ends in a
    line end has no further, empty line; an empty text has none at all.
    """
    return StringIO(
        text, newline=""
    ).readlines()  # universal line ends, kept: three times as fast as a pattern


def line_starts(text: str) -> list[int]:
    """Return the offset in characters at which each line of `split_lines(text)` starts."""
    return [match.start() for match in _LINE.finditer(text)]


def line_at(starts: list[int], offset: int) -> int:
    """Return the 1-based line that holds an offset, given the ascending offsets at which lines start."""
    return max(1, bisect_right(starts, offset))


def strip_line_end(line: str) -> str:
    """Return the line without its LF, CRLF or CR."""
    return line.rstrip("\r\n")
