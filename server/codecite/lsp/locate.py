"""Where a citation is in the editor: its place in the text as it is now, in the client's units."""

from collections.abc import Mapping
from typing import Any

from codecite.lsp.answers import Json
from codecite.lsp.positions import Encoding, to_units, width
from codecite.model.lines import split_lines, strip_line_end


def located(citation: Mapping[str, Any], uri: str, encoding: Encoding) -> Json:
    """Return the citation with an LSP `location` (its whole lines) and, where it has a focus, a `selection`.

    The citation must say what stands in the file now: its text gives the lengths of the lines. Where nothing
    of it stands any more, both are null.
    """
    lines = [strip_line_end(line) for line in split_lines(citation["text"])]
    first = citation["start_line"]
    if citation["state"] == "gone" or not lines:
        return {**citation, "location": None, "selection": None}
    whole = _range(first, 0, first + len(lines) - 1, width(lines[-1], encoding))
    return {
        **citation,
        "location": {"uri": uri, "range": whole},
        "selection": _selection(citation["focus"], lines, first, encoding),
    }


def _selection(
    focus: Mapping[str, int] | None, lines: list[str], first: int, encoding: Encoding
) -> Json | None:
    if focus is None or not 0 <= focus["line"] - first < len(lines):
        return None
    line, column = lines[focus["line"] - first], focus["column"]
    start, end = (to_units(line, at, encoding) for at in (column, column + focus["length"]))
    return _range(focus["line"], start, focus["line"], end)


def _range(line: int, character: int, end_line: int, end_character: int) -> Json:
    """Make an LSP range of 1-based lines."""
    return {
        "start": {"line": line - 1, "character": character},
        "end": {"line": end_line - 1, "character": end_character},
    }
