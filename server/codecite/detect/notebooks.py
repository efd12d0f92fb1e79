"""Notebooks: the sources of the cells count, at the lines of the file that hold them; outputs do not."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from tree_sitter import Node

from codecite.detect.code import style_of
from codecite.detect.grammars import parse_tree
from codecite.detect.leaves import code_leaf, digest, make_leaf
from codecite.detect.normal import Normal
from codecite.detect.recover import read_recovering
from codecite.detect.runs import Run
from codecite.detect.source import Source
from codecite.detect.syntax import Syntax
from codecite.detect.windows import window_lines
from codecite.model.blocks import Definition, Leaf

_MAGIC = re.compile(rb"^[ \t]*[%!?][^\n]*", re.MULTILINE)
_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Piece:
    """One JSON string of a cell's source: where it starts (after its quote), its raw and its real text."""

    start: int
    raw: str
    text: str


def parse_notebook(
    source: Source, max_leaf_lines: int, expired: Callable[[], bool]
) -> tuple[list[Leaf], list[Definition], bool]:
    """Take a notebook apart: leaves, definitions of its Python cells, whether it is sound JSON.

    Raises ParseTimeoutError.
    """
    root = parse_tree("json", source.data, expired).root_node
    leaves: list[Leaf] = []
    definitions: list[Definition] = []
    reached = 0
    for cell_type, node in _cell_sources(root, source):
        pieces = _pieces(node, source)
        if not any(piece.text.strip() for piece in pieces):
            continue
        first, last = source.line_of(node.start_byte), source.line_of(node.end_byte - 1)
        text = "".join(piece.text for piece in pieces)
        inner = Source(text)
        syntax = (
            read_recovering("python", _MAGIC.sub(_blank, inner.data), expired)
            if cell_type == "code"
            else Syntax()
        )
        definitions += _definitions(source, inner, syntax, pieces)
        if first < reached:
            continue  # a second cell on one line: the line has its leaf
        leaves += _silent(source, reached, first - 1, max_leaf_lines)
        leaves.append(_cell_leaf(source, (first, last), inner, cell_type, syntax))
        reached = last + 1
    leaves += _silent(source, reached, len(source.lines) - 1, max_leaf_lines)
    return leaves, definitions, not root.has_error


def _blank(match: re.Match[bytes]) -> bytes:
    return b" " * len(match.group())


def _members(node: Node | None, source: Source) -> dict[str, Node]:
    """Return the values of a JSON object by key; nothing for any other node."""
    if node is None or node.type != "object":
        return {}
    found = {}
    for pair in node.named_children:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is not None and value is not None:
            found[_decoded(source.data[slice(*key.byte_range)])] = value
    return found


def _decoded(raw: bytes) -> str:
    try:
        value = json.loads(raw, strict=False)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""


def _cell_sources(root: Node, source: Source) -> list[tuple[str, Node]]:
    top = _members(next(iter(root.named_children), None), source)
    cells = top.get("cells")
    found = []
    for cell in cells.named_children if cells is not None else []:
        members = _members(cell, source)
        kind = members.get("cell_type")
        if kind is not None and "source" in members:
            found.append((_decoded(source.data[slice(*kind.byte_range)]), members["source"]))
    return found


def _pieces(node: Node, source: Source) -> list[_Piece]:
    strings = (
        [node]
        if node.type == "string"
        else [child for child in node.named_children if child.type == "string"]
    )
    pieces = []
    for string in strings:
        raw = source.data[slice(*string.byte_range)]
        pieces.append(_Piece(string.start_byte + 1, raw[1:-1].decode(errors="replace"), _decoded(raw)))
    return pieces


def _cell_leaf(source: Source, lines: tuple[int, int], inner: Source, cell_type: str, syntax: Syntax) -> Leaf:
    language = "python" if cell_type == "code" else "markdown"
    names = [found.name for found in syntax.found if found.kind in ("function", "class")]
    name = names[0] if len(names) == 1 else ""
    end = len(inner.lines) - 1
    run = Run(0, end, end, "code" if cell_type == "code" else "section", name, name, -1)
    leaf = code_leaf(inner, run, syntax.tokens, language, style_of(language))
    text = source.slice_text(*lines)
    return replace(leaf, start_line=lines[0] + 1, end_line=lines[1] + 1, text=text, text_hash=digest(text))


def _silent(source: Source, first: int, last: int, max_leaf_lines: int) -> list[Leaf]:
    """Make leaves of outputs and metadata: lines like any other, but with nothing to embed."""
    return [
        make_leaf(source, lines, language="notebook", kind="text", normal=Normal(_bytes(source, lines), ""))
        for lines in window_lines(source, first, last, max_leaf_lines)
    ]


def _bytes(source: Source, lines: tuple[int, int]) -> bytes:
    return source.data[source.starts[lines[0]] : source.end_of(lines[1])]


def _definitions(source: Source, inner: Source, syntax: Syntax, pieces: list[_Piece]) -> list[Definition]:
    found = []
    for item in syntax.found:
        start, end = (_position(source, inner, pieces, byte) for byte in (item.start, item.end - 1))
        name_line, name_column = _position(source, inner, pieces, item.name_start)
        line = inner.line_of(item.head)
        found.append(
            Definition(
                symbol=item.name,
                name=item.name,
                kind=item.kind,
                start_line=start[0] + 1,
                start_column=start[1],
                end_line=end[0] + 1,
                end_column=end[1] + 1,
                name_line=name_line + 1,
                name_column=name_column,
                signature=inner.lines[line].strip().rstrip(":")[:200],
            )
        )
    return found


def _position(source: Source, inner: Source, pieces: list[_Piece], byte: int) -> tuple[int, int]:
    """Map a byte of a cell's source to the 0-based line and column of the file that hold it."""
    offset = len(inner.data[:byte].decode(errors="replace"))
    for piece in pieces:
        if offset < len(piece.text) or piece is pieces[-1]:
            raw = "".join(
                unit.group() for unit, _ in zip(_ESCAPE.finditer(piece.raw), range(offset), strict=False)
            )
            at = piece.start + len(raw.encode(errors="replace"))
            line = source.line_of(at)
            return line, source.column(at, line)
        offset -= len(piece.text)
    return 0, 0
