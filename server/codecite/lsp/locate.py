"""Where a citation is in the editor: its place in the text as it is now, in the client's units."""

from collections.abc import Mapping, Sequence
from typing import Any

from codecite.lsp.engines import Json
from codecite.lsp.positions import Encoding, to_units, width
from codecite.model.lines import split_lines, strip_line_end


def located(
    citation: Mapping[str, Any], uri: str, encoding: Encoding, document: Sequence[str] | None = None
) -> Json:
    """Return the citation with an LSP `location` (its whole lines) and, where it has a focus, a `selection`.

    `document` holds the lines of the file where it is open. Where it is not, the engine has just held the
    citation against the disk, so its own text gives the lengths of the lines, unless it says that they changed:
    then the range ends at the start of the next line. Where nothing of it is left, both are null.
    """
    first, last = citation["start_line"], citation["end_line"]
    lines = split_lines(citation["text"]) if document is None else document[first - 1 : last]
    if citation["state"] == "gone" or not lines:
        return {**citation, "location": None, "selection": None}
    known = document is not None or citation["state"] != "changed"
    end = (last, width(strip_line_end(lines[-1]), encoding)) if known else (last + 1, 0)
    return {
        **citation,
        "location": {"uri": uri, "range": _range((first, 0), end)},
        "selection": _selection(citation["focus"], lines, first, encoding),
    }


def _selection(
    focus: Mapping[str, int] | None, lines: Sequence[str], first: int, encoding: Encoding
) -> Json | None:
    if focus is None or not 0 <= focus["line"] - first < len(lines):
        return None
    line, column = strip_line_end(lines[focus["line"] - first]), focus["column"]
    start, end = (to_units(line, at, encoding) for at in (column, column + focus["length"]))
    return _range((focus["line"], start), (focus["line"], end))


def _range(start: tuple[int, int], end: tuple[int, int]) -> Json:
    """Make an LSP range of two places, each a 1-based line and a column in the client's units."""
    return {
        name: {"line": line - 1, "character": at} for name, (line, at) in (("start", start), ("end", end))
    }
