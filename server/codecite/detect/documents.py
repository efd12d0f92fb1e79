"""Documents: one leaf for each heading and what stands under it, found line by line."""

import re
from dataclasses import dataclass
from html import unescape

from codecite.detect.leaves import make_leaf
from codecite.detect.normal import Normal
from codecite.detect.source import Source
from codecite.detect.windows import WINDOW, prose, text_leaf, window_lines
from codecite.model.blocks import Definition, Kind, Leaf

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r"^ {0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*(?:[ \t]#+)?[ \t]*$")
_SETEXT = re.compile(r"^ {0,3}(=+|-{2,})[ \t]*$")
_NO_TITLE = re.compile(r"^(?:\s{4,}|\t|\s*$|[ ]{0,3}(?:[>|#]|[-*+][ \t]|\d+[.)][ \t]))")
_ADORNMENT = re.compile(r"^([=\-`:.'\"~^_*+#<>])\1{2,}[ \t]*$")
_ADORNING = frozenset("=-`:.'\"~^_*+#<>")
_HTML_HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>|</?[A-Za-z][^<>]*>", re.IGNORECASE | re.DOTALL)
_SEPARATOR = " > "


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: the 0-based line on which its section starts, line and column of its title, its level."""

    line: int
    title_line: int
    column: int
    level: int
    title: str


def parse_document(source: Source, language: str, max_leaf_lines: int) -> tuple[list[Leaf], list[Definition]]:
    """Make the leaves and the table of headings of a Markdown, reStructuredText, HTML or text document."""
    headings = _FINDERS.get(language, _rst_headings)(source)
    if language == "text" and len(headings) < 2:
        headings = []
    paths = _paths(headings)
    limit = min(WINDOW, max_leaf_lines)
    kind: Kind = "section" if headings or language != "text" else "text"
    leaves = [
        _leaf(
            source, lines, language, kind, (paths[index], headings[index].title) if index >= 0 else ("", "")
        )
        for (first, last), index in _sections(source, headings)
        for lines in window_lines(source, first, last, limit)
    ]
    ends = [heading.line for heading in headings[1:]] + [len(source.lines)]
    table = [_definition(source, *row) for row in zip(headings, paths, ends, strict=False)]
    return leaves, table


def _sections(source: Source, headings: list[Heading]) -> list[tuple[tuple[int, int], int]]:
    """Pair the lines of each section with the index of its heading, -1 for what comes before the first.

    A heading with nothing under it but the next heading belongs to the section of that one.
    """
    starts = [(0, -1)] if not headings or headings[0].line > 0 else []
    starts += [(heading.line, index) for index, heading in enumerate(headings)]
    kept: list[tuple[int, int]] = []
    pending: int | None = None
    for position, (line, index) in enumerate(starts):
        begin = line if pending is None else pending
        follows = starts[position + 1][0] if position + 1 < len(starts) else len(source.lines)
        body = (
            headings[index].title_line + (2 if _is_underlined(source, headings[index]) else 1)
            if index >= 0
            else line
        )
        empty = all(source.is_blank(at) for at in range(min(body, follows), follows))
        if (
            empty
            and position + 1 < len(starts)
            and (index < 0 or headings[starts[position + 1][1]].level > headings[index].level)
        ):
            pending = begin
            continue
        kept.append((begin, index))
        pending = None
    ends = [line - 1 for line, _ in kept[1:]] + [len(source.lines) - 1]
    return [((line, end), index) for (line, index), end in zip(kept, ends, strict=True)]


def _is_underlined(source: Source, heading: Heading) -> bool:
    after = source.lines[heading.title_line + 1] if heading.title_line + 1 < len(source.lines) else ""
    return bool(_ADORNMENT.match(after.rstrip("\r\n")) or _SETEXT.match(after.rstrip("\r\n")))


def _paths(headings: list[Heading]) -> list[str]:
    paths: list[str] = []
    stack: list[Heading] = []
    for heading in headings:
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        paths.append(_SEPARATOR.join(above.title for above in stack))
    return paths


def _leaf(
    source: Source, lines: tuple[int, int], language: str, kind: Kind, heading: tuple[str, str]
) -> Leaf:
    path, title = heading
    if language != "html":
        return text_leaf(source, lines, language, kind=kind, symbol=path, name=title)
    text = source.slice_text(*lines)
    normal = Normal(prose(text).encode(errors="replace"), prose(_TAG.sub(" ", text)))
    return make_leaf(source, lines, language=language, kind=kind, symbol=path, name=title, normal=normal)


def _definition(source: Source, heading: Heading, path: str, end: int) -> Definition:
    return Definition(
        symbol=path,
        name=heading.title,
        kind="heading",
        start_line=heading.line + 1,
        start_column=0,
        end_line=end,
        end_column=len(source.lines[end - 1].rstrip("\r\n")),
        name_line=heading.title_line + 1,
        name_column=heading.column,
        signature=heading.title[:200],
    )


def _markdown_headings(source: Source) -> list[Heading]:
    found: list[Heading] = []
    fence = ""
    lines = [line.rstrip("\r\n") for line in source.lines]
    start = _front_matter_end(lines)
    for number in range(start, len(lines)):
        line = lines[number]
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark.group(1)
            elif mark.group(1).startswith(fence):
                fence = ""
            continue
        if fence:
            continue
        if match := _ATX.match(line):
            found.append(Heading(number, number, match.start(2), len(match.group(1)), match.group(2)))
        elif number > start and (match := _SETEXT.match(line)) and not _NO_TITLE.match(lines[number - 1]):
            title = lines[number - 1].strip()
            column = len(lines[number - 1]) - len(lines[number - 1].lstrip())
            found.append(Heading(number - 1, number - 1, column, 1 if match.group(1)[0] == "=" else 2, title))
    return found


def _front_matter_end(lines: list[str]) -> int:
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next(
        (number + 1 for number in range(1, len(lines)) if lines[number].rstrip() in ("---", "...")), 0
    )


def _rst_headings(source: Source) -> list[Heading]:
    found: list[Heading] = []
    levels: list[tuple[str, bool]] = []
    lines = [line.rstrip() for line in source.lines]
    for number in range(1, len(lines)):
        if lines[number][:1] not in _ADORNING:
            continue
        mark = _ADORNMENT.match(lines[number])
        title = lines[number - 1]
        if (
            not mark
            or not title.strip()
            or _ADORNMENT.match(title)
            or len(lines[number]) < len(title.strip())
        ):
            continue
        over = number >= 2 and lines[number - 2] == lines[number]
        if title[:1].isspace() and not over:
            continue
        style = (mark.group(1), over)
        if style not in levels:
            levels.append(style)
        column = len(title) - len(title.lstrip())
        found.append(
            Heading(
                number - 2 if over else number - 1, number - 1, column, levels.index(style) + 1, title.strip()
            )
        )
    return found


def _html_headings(source: Source) -> list[Heading]:
    found: list[Heading] = []
    line = offset = 0
    for match in _HTML_HEADING.finditer(source.text):
        title = " ".join(unescape(_TAG.sub(" ", match.group(2))).split())
        while line + 1 < len(source.lines) and offset + len(source.lines[line]) <= match.start():
            offset += len(source.lines[line])
            line += 1
        if title and (not found or found[-1].line < line):
            found.append(Heading(line, line, match.start() - offset, int(match.group(1)), title))
    return found


_FINDERS = {
    "markdown": _markdown_headings,
    "rst": _rst_headings,
    "html": _html_headings,
    "text": _rst_headings,
}
