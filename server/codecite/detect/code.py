"""Code: from a text and its language's grammar to leaves and definitions."""

import re
from collections.abc import Callable

from codecite.detect.leaves import code_leaf
from codecite.detect.normal import Layout, Style
from codecite.detect.outline import FUNCTIONS, Entry, outline
from codecite.detect.recover import read_recovering
from codecite.detect.runs import mask_comments, runs
from codecite.detect.source import Source
from codecite.detect.split import split_runs
from codecite.detect.syntax import Found, Syntax
from codecite.model.blocks import Definition, Leaf

_BROKEN = re.compile(r"(?<=[(\[]) |,? (?=[)\]])")  # what is left of line breaks inside of parentheses
_SIGNATURE = 200  # characters
_LINE_END = ord("\n")
_UNTABLED = frozenset(("anonymous", "impl", "markup"))
_TABLE_KINDS = {"closure": "function", "prototype": "declaration", "namespace": "module"}

_QUOTES = frozenset(("python", "javascript", "typescript", "tsx", "vue", "svelte", "astro"))
_LEADING_DOCS = frozenset(
    ["go", "ruby", "bash", "c", "cpp", "lua", "luau", "elixir", "r", "julia", "zig", "fish", "powershell"]
)
_FREE = frozenset(
    [
        "python",
        "javascript",
        "typescript",
        "tsx",
        "go",
        "rust",
        "java",
        "c",
        "cpp",
        "csharp",
        "php",
        "css",
        "scss",
        "cuda",
        "glsl",
        "sql",
        "vue",
        "svelte",
        "astro",
    ]
)
_INDENT = frozenset(["gdscript", "starlark", "haskell", "elm", "make"])


def style_of(language: str) -> Style:
    """Return how a language writes what normalising has to know."""
    layout: Layout = "free" if language in _FREE else "indent" if language in _INDENT else "lines"
    return Style(layout, folds_quotes=language in _QUOTES, leading_comment_is_doc=language in _LEADING_DOCS)


def parse_code(
    source: Source,
    language: str,
    max_leaf_lines: int,
    expired: Callable[[], bool],
) -> tuple[list[Leaf], list[Definition], bool]:
    """Parse and take apart: leaves, definitions, and whether the parse was clean. Raises ParseTimeoutError."""
    syntax = read_recovering(language, source.data, expired)
    leaves, definitions = take_apart(source, language, syntax, max_leaf_lines)
    return leaves, definitions, syntax.clean


def take_apart(
    source: Source, language: str, syntax: Syntax, max_leaf_lines: int
) -> tuple[list[Leaf], list[Definition]]:
    """Make the leaves and the symbol table of a file whose syntax is known."""
    masked, leading = mask_comments(source, syntax.tokens, syntax.attributes)
    entries = outline(source, syntax, leading)
    whole = runs(source, masked, entries, syntax.imports)
    parts = split_runs(source, whole, syntax.statements, leading, max_leaf_lines)
    style = style_of(language)
    leaves = [code_leaf(source, run, syntax.tokens, language, style) for run in parts]
    return leaves, [
        _definition(source, masked, entry) for entry in entries if entry.found.kind not in _UNTABLED
    ]


def _definition(source: Source, masked: bytes, entry: Entry) -> Definition:
    found = entry.found
    own, last = entry.own, entry.last
    name_line = (
        own if found.start <= found.name_start < source.end_of(own) else source.line_of(found.name_start)
    )
    return Definition(
        symbol=entry.symbol,
        name=found.name,
        kind=_table_kind(entry),
        start_line=own + 1,
        start_column=source.column(found.start, own),
        end_line=last + 1,
        end_column=source.column(_trimmed_end(source, found), last),
        name_line=name_line + 1,
        name_column=source.column(found.name_start, name_line),
        signature=_signature(masked, found),
    )


def _table_kind(entry: Entry) -> str:
    kind = entry.found.kind
    return entry.kind if kind in FUNCTIONS else _TABLE_KINDS.get(kind, kind)


def _trimmed_end(source: Source, found: Found) -> int:
    end = found.end
    while end > found.start + 1 and source.data[end - 1] == _LINE_END:
        end -= 1
    return end


def _signature(data: bytes, found: Found) -> str:
    bodied = found.body > found.name_start
    stop = found.body if bodied else found.end
    text = data[found.head : min(stop, found.head + 4 * _SIGNATURE)].decode(errors="replace")
    if not bodied:
        text = text.partition("\n")[0]
    line = _BROKEN.sub("", " ".join(text.split()))
    line = line.rstrip("{:=").rstrip().removesuffix("=>").rstrip()
    return line if len(line) <= _SIGNATURE else f"{line[: _SIGNATURE - 1]}…"
