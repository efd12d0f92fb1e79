"""Hold a citation against a file's text as it is now, so that its lines are right when it is shown.

Lines are compared without their ends, since an editor and the disk may differ in those and in nothing else.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from codecite.model.hits import Citation, Focus, State
from codecite.model.lines import split_lines, strip_line_end

_WORSE = get_args(State)


def anchor(citation: Citation, current_text: str | None) -> Citation:
    """Return the citation as it stands in a file's text, None for a file that is not there.

    - the same lines hold the same text: fresh;
    - the text stands elsewhere, once: moved there; several times: moved to the place nearest to the old lines;
    - it stands nowhere: changed. Where the line that names the definition is still there, the range follows it and
      text and excerpt are what stands there now; else they stay as indexed, the range inside the file;
    - the file is not there or is empty: gone.

    Of a citation that was anchored before, the state joins both steps: the worse one, but what was gone and is there
    again is as it is now.
    """
    now = _anchored(citation, current_text)
    if citation.state == "gone":
        return now
    return replace(now, state=max(citation.state, now.state, key=_WORSE.index))


def _anchored(citation: Citation, current_text: str | None) -> Citation:
    lines = split_lines(current_text) if current_text is not None else []
    if not lines:
        return replace(citation, state="gone")
    now = [strip_line_end(line) for line in lines]
    wanted = [strip_line_end(line) for line in split_lines(citation.text)]
    places = occurrences(wanted, now)
    old = citation.start_line - 1
    if old in places:
        return replace(citation, state="fresh")
    if places:
        return _shifted(
            citation, min(places, key=lambda place: (abs(place - old), place)) - old, lines, "moved"
        )
    return _changed(citation, wanted, now, lines)


def line_now(line: int, text: str, lines: Sequence[str]) -> int | None:
    """Return where a line with this text stands, the place nearest to the old one; None where it stands nowhere."""
    places = [at for at, one in enumerate(lines, 1) if strip_line_end(one) == text]
    return min(places, key=lambda at: (abs(at - line), at), default=None)


def occurrences(wanted: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Return the 0-based lines at which all the wanted lines stand in a row."""
    if not wanted:
        return []
    size = len(wanted)
    last = len(lines) - size
    return [i for i in range(last + 1) if lines[i] == wanted[0] and list(lines[i : i + size]) == list(wanted)]


def _changed(citation: Citation, wanted: Sequence[str], now: Sequence[str], lines: Sequence[str]) -> Citation:
    old = citation.start_line - 1
    naming = citation.focus.line - citation.start_line if citation.focus else 0
    name_line = wanted[naming] if naming < len(wanted) else ""
    places = [i for i, line in enumerate(now) if line == name_line] if name_line.strip() else []
    if places:
        nearest = min(places, key=lambda place: (abs(place - naming - old), place))
        return _shifted(citation, max(0, nearest - naming) - old, lines, "changed")
    start = min(citation.start_line, len(lines))
    end = min(citation.end_line, len(lines))
    excerpt_start = min(citation.excerpt_start, len(lines))
    return replace(
        citation, state="changed", start_line=start, end_line=end, excerpt_start=excerpt_start, focus=None
    )


def _shifted(
    citation: Citation, by: int, lines: Sequence[str], state: Literal["moved", "changed"]
) -> Citation:
    """Move a citation by a number of lines and show what stands there."""
    start = citation.start_line + by
    end = min(citation.end_line + by, len(lines))
    first = min(max(citation.excerpt_start + by, start), end)
    count = len(split_lines(citation.excerpt))
    return replace(
        citation,
        state=state,
        start_line=start,
        end_line=end,
        text="".join(lines[start - 1 : end]),
        excerpt_start=first if citation.excerpt_start else 0,
        excerpt="".join(lines[first - 1 : min(first - 1 + count, end)]),
        focus=_shifted_focus(citation.focus, by, len(lines)),
    )


def _shifted_focus(focus: Focus | None, by: int, count: int) -> Focus | None:
    if focus is None or not 1 <= focus.line + by <= count:
        return None
    return replace(focus, line=focus.line + by)
