"""Grammars, parsers and queries, made once a process; and the one way in which this package parses.

Facts that shape this module (tree-sitter 0.26): a deadline is only honoured when the source is given as a
callback; a parser that was stopped must be reset; `QueryCursor` with a progress callback crashes the process.
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import cast

from tree_sitter import Language, Node, Parser, Query, QueryCursor, Range, Tree
from tree_sitter_language_pack import SupportedLanguage, get_language

from codecite.detect.generic import generic_query
from codecite.detect.languages import COMPONENTS, GENERIC, PARSED

_CHUNK = 1 << 16  # bytes handed to the parser at a time
_ECMA = ("ecmascript",)
# Query files that make up a language's queries, where it is not simply the one of its own name.
_LAYERS = {
    "javascript": (*_ECMA, "javascript"),
    "typescript": (*_ECMA, "typescript"),
    "tsx": (*_ECMA, "typescript"),
    "cpp": ("c", "cpp"),
}
_HELPERS = frozenset(("json",))  # grammars that structure a file but define no symbols


class ParseTimeoutError(Exception):
    """The deadline passed before a tree was there."""


@cache
def _language(name: str) -> Language:
    if name not in PARSED | GENERIC | COMPONENTS | _HELPERS:
        raise ValueError(f"{name} is not on the list of tested grammars")
    return get_language(cast("SupportedLanguage", name))


@cache
def _parser(name: str) -> Parser:
    return Parser(_language(name))


def parse_tree(
    language: str, data: bytes, expired: Callable[[], bool], ranges: list[tuple[int, int]] | None = None
) -> Tree:
    """Parse UTF-8 bytes, or only some byte ranges of them with positions that stay those of the whole.

    Raises ParseTimeoutError once `expired` says so.
    """
    parser = _parser(language)
    parser.included_ranges = [_range(data, start, end) for start, end in ranges or ()]
    try:
        return parser.parse(
            lambda offset, _point: data[offset : offset + _CHUNK],
            progress_callback=lambda _offset, _error: expired(),
        )
    except ValueError as error:
        parser.reset()
        raise ParseTimeoutError from error


def _range(data: bytes, start: int, end: int) -> Range:
    return Range(_point(data, start), _point(data, end), start, end)


def _point(data: bytes, byte: int) -> tuple[int, int]:
    return data.count(b"\n", 0, byte), byte - (data.rfind(b"\n", 0, byte) + 1)


def query_matches(language: str, root: Node) -> list[tuple[int, dict[str, list[Node]]]]:
    """Return each match of a language's query, in the order in which they start: pattern number, captures by name.

    One query and one walk for definitions and tokens alike: the walk costs as much as all that it finds.
    """
    return QueryCursor(_query(language)).matches(root)


@cache
def _query(language: str) -> Query:
    grammar = _language(language)
    if language not in PARSED:
        return Query(grammar, generic_query(language))
    folder = files("codecite.detect") / "queries"
    layers = _LAYERS.get(language, (language,))
    texts = [(folder / f"{layer}.scm").read_text("utf-8") for layer in layers]
    return Query(grammar, "\n".join(texts))
