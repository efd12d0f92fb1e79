"""The one way from a file's text to its leaves and definitions."""

import re
from collections.abc import Callable

from codecite.detect.code import parse_code
from codecite.detect.components import parse_component
from codecite.detect.configs import parse_config
from codecite.detect.documents import parse_document
from codecite.detect.grammars import ParseTimeoutError
from codecite.detect.languages import COMPONENTS, CONFIGS, DOCUMENTS, GENERIC, PARSED
from codecite.detect.notebooks import parse_notebook
from codecite.detect.source import Source
from codecite.detect.windows import parse_windows
from codecite.model.blocks import Definition, Leaf, ParsedFile

_CONFLICT = re.compile(rb"^(?:<{7}|\|{7}|={7}|>{7})(?: [^\n]*)?$", re.MULTILINE)


def never() -> bool:
    """Say that no deadline has passed."""
    return False


def parse(
    path: str,
    text: str,
    language: str,
    *,
    max_leaf_lines: int = 256,
    expired: Callable[[], bool] = never,
) -> ParsedFile:
    """Take a file apart.

    `text` is decoded, without byte order mark. `expired` is asked again and again while the parser runs; once
    it says True the file is taken as plain lines, and a note says so.
    """
    source = Source(text)
    if not source.lines:
        return ParsedFile(path, language, (), (), clean=True)
    notes: list[str] = []
    conflicts = _blank_conflicts(source)
    if conflicts:
        notes.append(f"conflict markers at line {conflicts[0]}")
    try:
        leaves, definitions, clean = _dispatch(source, language, max_leaf_lines, expired)
    except ParseTimeoutError:
        notes.append("parse gave up: indexed as plain lines")
        leaves, definitions, clean = parse_windows(source, language, max_leaf_lines), [], False
    return ParsedFile(
        path, language, tuple(leaves), tuple(definitions), clean and not conflicts, tuple(notes)
    )


def _dispatch(
    source: Source, language: str, max_leaf_lines: int, expired: Callable[[], bool]
) -> tuple[list[Leaf], list[Definition], bool]:
    if language in PARSED or language in GENERIC:
        return parse_code(source, language, max_leaf_lines, expired)
    if language in COMPONENTS:
        return parse_component(source, language, max_leaf_lines, expired)
    if language == "notebook":
        return parse_notebook(source, max_leaf_lines, expired)
    if language in DOCUMENTS:
        return *parse_document(source, language, max_leaf_lines), True
    if language in CONFIGS:
        return *parse_config(source, language, max_leaf_lines), True
    return parse_windows(source, language, max_leaf_lines), [], True


def _blank_conflicts(source: Source) -> list[int]:
    """Blank the lines that mark a merge conflict, and return their 1-based numbers; both sides stay code."""
    data = source.data
    if b"<<<<<<<" not in data or b">>>>>>>" not in data:
        return []
    marks = list(_CONFLICT.finditer(data))
    if not {b"<", b"=", b">"} <= {mark.group()[:1] for mark in marks}:
        return []
    source.data = _CONFLICT.sub(_spaces, data)
    return [source.line_of(mark.start()) + 1 for mark in marks]


def _spaces(match: re.Match[bytes]) -> bytes:
    return b" " * len(match.group())
