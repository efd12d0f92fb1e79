"""A file's text as the parser needs it: UTF-8 bytes, each line of the editor ended by LF."""

import re
from bisect import bisect_right
from itertools import accumulate

from codecite.model.lines import split_lines

_NO_CONTROLS = bytes.maketrans(b"\x00\x01\x02", b"   ")  # normalising marks its places with them
_SURROGATE = re.compile("[\ud800-\udfff]")


class Source:
    """A text, its lines as they stand, and the same lines as UTF-8 bytes that end in LF.

    Grammars count rows by LF and some trip over CR, so what is parsed and normalised is `data`: lines and columns
    are those of the text, byte offsets are not. Line numbers here are 0-based.
    """

    __slots__ = ("_ascii", "data", "lines", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = split_lines(text)
        self._ascii = text.isascii()
        # A lone surrogate is no character and cannot be encoded.
        encodable = text if self._ascii else _SURROGATE.sub("\ufffd", text)
        data = encodable.encode().translate(_NO_CONTROLS)
        self.data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data
        sizes = map(len, self.data.splitlines(keepends=True))
        self.starts = list(accumulate(sizes, initial=0))[: len(self.lines)]

    def line_of(self, byte: int) -> int:
        """Return the line that holds a byte; the end of the data is on the last line."""
        return bisect_right(self.starts, byte, 1) - 1

    def column(self, byte: int, line: int) -> int:
        """Return the column of a byte on its line, in code points."""
        if self._ascii:
            return byte - self.starts[line]
        return len(self.data[self.starts[line] : byte].decode(errors="replace"))

    def end_of(self, line: int) -> int:
        """Return the byte at which a line, its end included, ends."""
        return self.starts[line + 1] if line + 1 < len(self.starts) else len(self.data)

    def slice_text(self, first: int, last: int) -> str:
        """Return the text of lines `first` to `last`, exactly as in the file."""
        return "".join(self.lines[first : last + 1])

    def is_blank(self, line: int) -> bool:
        """Say whether a line holds nothing but white space."""
        return not self.lines[line].strip()
