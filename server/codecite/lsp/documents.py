"""The documents that the client has open, as it sees them: lines end at LF, CRLF and CR, nowhere else.

pygls keeps documents too, but splits their lines where editors do not (form feed, U+2028 and others), so that
an edit lands on the wrong line. Its copy is switched off (see protocol.py); this is the only one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lsprotocol import types

from codecite.lsp.positions import Encoding, to_column
from codecite.lsp.uris import path_key, to_path
from codecite.model.lines import split_lines, strip_line_end

Change = types.TextDocumentContentChangeEvent


@dataclass(slots=True)
class Document:
    """An open file: the client's spelling of its URI, its version, and its text by lines, line ends kept.

    `edited` is 0 until it is edited, then higher the later it was edited last, among all documents.
    """

    uri: str
    version: int | None
    _lines: list[str] = field(default_factory=list)
    edited: int = 0

    @classmethod
    def of(cls, uri: str, version: int | None, text: str) -> "Document":
        """Make a document of a text."""
        return cls(uri, version, split_lines(text))

    @property
    def lines(self) -> Sequence[str]:
        """The lines as they stand in the editor, line ends kept; a last line end begins no further line."""
        return self._lines

    @property
    def text(self) -> str:
        """The whole text as it stands in the editor."""
        return "".join(self._lines)

    def apply(self, change: Change, encoding: Encoding) -> None:
        """Apply one change: a range, its columns in the client's units, or the whole text."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            first, second = (
                self._clamp(change.range.start, encoding),
                self._clamp(change.range.end, encoding),
            )
            self._replace(*min(first, second), *max(first, second), change.text)
        else:
            self._lines = split_lines(change.text)

    def _clamp(self, position: types.Position, encoding: Encoding) -> tuple[int, int]:
        """Return the line's index and the code point in it; beyond the last line is the end of the text."""
        if position.line >= len(self._lines):
            return len(self._lines), 0
        return position.line, to_column(
            strip_line_end(self._lines[position.line]), position.character, encoding
        )

    def _replace(self, start: int, start_column: int, end: int, end_column: int, text: str) -> None:
        """Splice whole lines: those of the range are joined with the new text and split again."""
        head = self._lines[start][:start_column] if start < len(self._lines) else ""
        tail = self._lines[end][end_column:] if end < len(self._lines) else ""
        joined = head + text + tail
        # A neighbour without a line end, or whose CR meets a LF, becomes part of what is split again.
        if start and (not self._lines[start - 1].endswith(("\r", "\n")) or joined.startswith("\n")):
            start -= 1
            joined = self._lines[start] + joined
        self._lines[start : end + 1] = split_lines(joined)


class Documents:
    """The open documents by the key of their path; whatever is not plainly a file is left alone."""

    def __init__(self) -> None:
        self._by_key: dict[str, Document] = {}
        self._edits = 0

    def __len__(self) -> int:
        return len(self._by_key)

    def __iter__(self) -> Iterator[tuple[str, Document]]:
        """Yield each document with its key."""
        return iter(tuple(self._by_key.items()))

    def open(self, uri: str, version: int | None, text: str) -> None:
        """Take in a document that the client opened."""
        if key := key_of(uri):
            self._by_key[key] = Document.of(uri, version, text)

    def change(self, uri: str, version: int | None, changes: Iterable[Change], encoding: Encoding) -> None:
        """Apply the changes in order; a document that was never opened is left alone."""
        document = self.get(key_of(uri))
        if document is None:
            return
        for change in changes:
            document.apply(change, encoding)
        document.version = version
        self._edits += 1
        document.edited = self._edits

    def close(self, uri: str) -> None:
        """Forget a document: the disk counts again."""
        self._by_key.pop(key_of(uri) or "", None)

    def get(self, key: str | None) -> Document | None:
        """Return the document open under this key, if any."""
        return self._by_key.get(key) if key else None


def key_of(uri: str) -> str | None:
    """Return the key of the file that a URI names, or None where it is not plainly a file."""
    path = to_path(uri)
    return path_key(path) if path is not None else None
