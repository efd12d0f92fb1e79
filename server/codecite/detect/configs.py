"""Configuration: one leaf for each top-level section or key, small neighbours together."""

import re
from collections.abc import Callable

from codecite.detect.leaves import make_leaf
from codecite.detect.normal import Normal
from codecite.detect.source import Source
from codecite.detect.windows import WINDOW, prose, window_lines
from codecite.model.blocks import Definition, Leaf

_OWN_LEAF = 4  # lines from which a section is a leaf of its own
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|//[^\n]*|/\*.*?\*/', re.DOTALL)
_JSON_COLON = re.compile(r"\s*:")
_YAML_KEY = re.compile(
    r"^(?:'([^'\n]+)'|\"([^\"\n]+)\"|([^\s#'\"\-\[{&*!%@`][^:#\n]*?|-[^\s:#\n][^:#\n]*?)):(?=[\s]|$)"
)
_TABLE = re.compile(r"^[ \t]*\[+[ \t]*([^\]\n]+?)[ \t]*\]+")
_PROPERTY = re.compile(r"^([\w.\-]+)[ \t]*[=:]")
_COMMENT_LINE = re.compile(r"^[ \t]*[#;].*$", re.MULTILINE)

Section = tuple[int, int, str]  # 0-based line and column of a key, and the key


def parse_config(source: Source, language: str, max_leaf_lines: int) -> tuple[list[Leaf], list[Definition]]:
    """Make the leaves and the table of top-level keys of a JSON, YAML, TOML or INI file."""
    sections = _FINDERS[language](source)
    limit = min(WINDOW, max_leaf_lines)
    leaves = [
        _leaf(source, lines, language, key)
        for first, last, key in _grouped(source, sections, limit)
        for lines in window_lines(source, first, last, limit)
    ]
    ends = [*(line for line, _, _ in sections[1:]), len(source.lines)][: len(sections)]
    return leaves, [_definition(source, *section, end) for section, end in zip(sections, ends, strict=True)]


def _grouped(source: Source, sections: list[Section], limit: int) -> list[tuple[int, int, str]]:
    """Return runs of lines with the key that they stand for, "" for several or none."""
    last_line = len(source.lines) - 1
    if last_line < limit and not any(_is_table(source, line) for line, _, _ in sections):
        return [(0, last_line, "")]
    if not sections:
        return [(0, last_line, "")]
    starts = [_with_comments(source, line) for line, _, _ in sections]
    ends = [start - 1 for start in starts[1:]] + [last_line]
    groups: list[tuple[int, int, str]] = [(0, starts[0] - 1, "")] if starts[0] > 0 else []
    for (start, end), (_, _, key) in zip(zip(starts, ends, strict=True), sections, strict=True):
        if end < start:
            continue
        small = end - start + 1 < _OWN_LEAF
        if small and groups and groups[-1][2] == "" and end - groups[-1][0] < limit:
            groups[-1] = (groups[-1][0], end, "")
        else:
            groups.append((start, end, "" if small else key))
    return groups


def _is_table(source: Source, line: int) -> bool:
    return source.lines[line].lstrip().startswith("[")


def _with_comments(source: Source, line: int) -> int:
    while line > 0 and source.lines[line - 1].lstrip().startswith(("#", ";", "//")):
        line -= 1
    return line


def _leaf(source: Source, lines: tuple[int, int], language: str, key: str) -> Leaf:
    text = source.slice_text(*lines)
    comments: list[str] = []
    if language != "json":
        comments = _COMMENT_LINE.findall(text)
        text = _COMMENT_LINE.sub("", text)
    shown = prose(text)
    hashed = _layout(text) if language == "yaml" else shown
    normal = Normal(
        hashed.encode(errors="replace"),
        shown,
        comments=tuple(line.encode(errors="replace") for line in comments),
    )
    return make_leaf(source, lines, language=language, kind="config", symbol=key, name=key, normal=normal)


def _layout(text: str) -> str:
    lines = (line.rstrip() for line in re.split(r"\r\n|\r|\n", text))
    return "\n".join(line for line in lines if line)


def _definition(source: Source, line: int, column: int, key: str, end: int) -> Definition:
    text = source.lines[line].rstrip("\r\n")
    return Definition(
        symbol=key,
        name=key,
        kind="key",
        start_line=line + 1,
        start_column=0,
        end_line=max(end, line + 1),
        end_column=len(source.lines[max(end, line + 1) - 1].rstrip("\r\n")),
        name_line=line + 1,
        name_column=column,
        signature=text.strip()[:200],
    )


def _json_sections(source: Source) -> list[Section]:
    found: list[Section] = []
    depth = line = offset = 0
    for match in _JSON_TOKEN.finditer(source.text):
        text = match.group()
        if text in "{[":
            depth += 1
        elif text in "}]":
            depth -= 1
        elif depth == 1 and text[0] == '"' and _JSON_COLON.match(source.text, match.end()):
            while offset + len(source.lines[line]) <= match.start():
                offset += len(source.lines[line])
                line += 1
            found.append((line, match.start() + 1 - offset, text[1:-1]))
    return found


def _by_line(*patterns: re.Pattern[str]) -> Callable[[Source], list[Section]]:
    def find(source: Source) -> list[Section]:
        found: list[Section] = []
        for number, line in enumerate(source.lines):
            for pattern in patterns:
                if match := pattern.match(line):
                    group = next(index for index, text in enumerate(match.groups(), 1) if text)
                    found.append((number, match.start(group), match.group(group)))
                    break
        return found

    return find


def _ini_sections(source: Source) -> list[Section]:
    tables = _by_line(_TABLE)(source)
    return tables or _by_line(_PROPERTY)(source)


_FINDERS: dict[str, Callable[[Source], list[Section]]] = {
    "json": _json_sections,
    "yaml": _by_line(_YAML_KEY),
    "toml": _ini_sections,
    "ini": _ini_sections,
}
