"""What a parse tells of a file: tokens that normalising must know, and the definitions as they stand.

A tree is large (tens of bytes of memory for each byte of source), so it is read once, by a query that runs in C,
and dropped before anything is made of it.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from codecite.detect.grammars import parse_tree, query_matches
from codecite.detect.languages import GENERIC

# Kinds of token, in the order in which they win where they start together.
OPEN, CLOSE, DOCSTRING, COMMENT, STRING = range(5)

_RANK = {
    "function": 0,
    "method": 0,
    "closure": 1,
    "macro": 1,
}  # of two definitions of one name, the lower stays
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
_SPACE = re.compile(r"\s+")
_SEPARATOR = re.compile(r"->|[<>]|::?|\\|\.|\boperator\b")
_LEADING_NAME = re.compile(r"operator\b.*|[~#$@]*[\w$]+(?:-[\w$]+)*[?!=]?", re.DOTALL)


@dataclass(slots=True)
class Found:
    """A definition in bytes. `head` is where it starts itself, `start` where decorators or `export` do."""

    kind: str
    start: int
    end: int
    head: int
    body: int  # where the body starts; -1 for none
    name: str
    name_start: int
    owner: str = ""  # what qualifies it besides the definitions around it: a receiver, `Class::`


_CUTTABLE = 48  # rows from which a node may have to be cut

# (start, end, kind); for CLOSE the second number is where the scope opened.
Token = tuple[int, int, int]


@dataclass(slots=True)
class Syntax:
    """Tokens and definitions of a file, both in order of bytes, and whether the tree had errors."""

    tokens: list[Token] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    anonymous: list[tuple[int, int]] = field(default_factory=list)  # spans of functions without a name
    imports: list[tuple[int, int]] = field(default_factory=list)
    attributes: list[tuple[int, int]] = field(default_factory=list)
    statements: dict[int, int] = field(default_factory=dict)  # 0-based line on which one starts -> depth
    clean: bool = True
    broken: int = 0  # bytes inside errors, where the language's queries capture them


def read_syntax(
    language: str, data: bytes, expired: Callable[[], bool], ranges: list[tuple[int, int]] | None = None
) -> Syntax:
    """Parse and read the tree; positions are bytes of `data`. Raises ParseTimeoutError."""
    root = parse_tree(language, data, expired, ranges).root_node
    syntax = Syntax(statements=_statements(root, data), clean=not root.has_error)
    spans: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    wrappers: dict[tuple[int, int], tuple[int, int]] = {}
    by_name: dict[int, Found] = {}
    for _, captures in query_matches(language, root):
        if "name" in captures:
            _keep(by_name, _found(captures, data))
        elif "wrapped" in captures:
            wrappers[captures["wrapped"][0].byte_range] = captures["wrapper"][0].byte_range
        else:
            for name, nodes in captures.items():
                spans[name].append(nodes[0].byte_range)
    syntax.tokens = _tokens(spans)
    syntax.imports = spans["import"]
    syntax.attributes = spans["attribute"]
    syntax.anonymous = spans["anonymous"]
    syntax.broken = sum(end - start for start, end in spans["error"])
    generic = language in GENERIC
    for found in by_name.values():
        if wrappers:
            found.start, found.end = _wrapped((found.start, found.end), wrappers)
        if generic:
            found.body = max(found.body, found.name_start)
    syntax.found = sorted(by_name.values(), key=lambda found: (found.start, -found.end, found.name_start))
    return syntax


def _statements(root: Node, data: bytes) -> dict[int, int]:
    """Find the lines at which long nodes may be cut: where their parts start, and how deep."""
    found: dict[int, int] = {}
    # Rows are counted in the bytes: asking a node for its points costs more than all else here.
    pending = [(root, data.count(b"\n", 0, root.start_byte), 0)]
    while pending:
        node, row, depth = pending.pop()
        previous = node.start_byte
        if data.count(b"\n", previous, node.end_byte) < _CUTTABLE:
            continue
        first_of_file = depth == 0
        for child in node.children:
            start, end = child.byte_range
            between = data.count(b"\n", previous, start)
            row += between
            if (between or first_of_file) and child.is_named:
                found[row] = min(depth, found.get(row, depth))
            first_of_file = False
            inside = data.count(b"\n", start, end)
            if inside >= _CUTTABLE:
                pending.append((child, row, depth + 1))
            row += inside
            previous = end
    return found


def _tokens(spans: Mapping[str, list[tuple[int, int]]]) -> list[Token]:
    """Sort tokens and drop those inside another one, such as a string inside an interpolation."""
    tokens = [(start, COMMENT, end) for start, end in spans["comment"]]
    tokens += [(start, STRING, end) for start, end in spans["string"]]
    tokens += [(start, STRING, end) for start, end in spans["keep"]]
    tokens += [(start, DOCSTRING, end) for start, end in spans["docstring"]]
    tokens += [(start, OPEN, start) for start, _ in spans["scope"]]
    tokens += [(end, CLOSE, start) for start, end in spans["scope"]]
    tokens.sort()
    kept: list[Token] = []
    reached = 0
    for start, kind, end in tokens:
        if start >= reached:
            kept.append((start, end, kind))
            if kind >= DOCSTRING:
                reached = end
    return kept


def _keep(by_name: dict[int, Found], found: Found) -> None:
    """Keep of two definitions of one name the one that says more."""
    known = by_name.get(found.name_start)
    if known is None or known.body < 0 <= found.body or _RANK.get(found.kind, 2) < _RANK.get(known.kind, 2):
        by_name[found.name_start] = found


def _wrapped(span: tuple[int, int], wrappers: dict[tuple[int, int], tuple[int, int]]) -> tuple[int, int]:
    while span in wrappers and wrappers[span] != span:
        span = wrappers[span]
    return span


def _found(captures: dict[str, list[Node]], data: bytes) -> Found:
    kind, node = _defined(captures)
    start, end = node.byte_range
    name_start, name_end = captures["name"][0].byte_range
    body = -1
    if "body" in captures:
        # In some grammars the body is a sibling of what it belongs to.
        body, body_end = captures["body"][0].byte_range
        end = max(end, body_end)
    name = data[name_start:name_end].decode(errors="replace")
    owner = ""
    if "owner" in captures:
        owner = plain_name(data[slice(*captures["owner"][0].byte_range)].decode(errors="replace"))
    elif not name.isidentifier():
        owner, name, name_start = _qualified(name, name_start, kind)
    return Found(kind, start, end, start, body, name, name_start, owner)


def _defined(captures: dict[str, list[Node]]) -> tuple[str, Node]:
    for key, nodes in captures.items():
        if key.startswith("definition."):
            return key[11:], nodes[0]
    raise ValueError(f"a pattern names what it does not define: {list(captures)}")


def _qualified(text: str, start: int, kind: str) -> tuple[str, str, int]:
    """Split what qualifies a name from the name, and move the start to the name itself."""
    if text[:1] in "\"'`" and text[-1:] == text[:1]:
        return "", text[1:-1], start + 1
    if kind == "impl":
        return "", plain_name(text), start
    at = _last_part(text)
    name = _LEADING_NAME.match(text, at)
    if name is None:
        return "", _SPACE.sub(" ", text), start
    owner = plain_name(text[:at].strip(":.#\\ ")) if at else ""
    return (
        owner.removesuffix(".prototype"),
        _SPACE.sub(" ", name.group()).rstrip(),
        start + len(text[:at].encode()),
    )


def _last_part(text: str) -> int:
    """Return where the last part of a qualified name starts: `a::B<c::D>::e` -> that of e."""
    depth = last = 0
    for match in _SEPARATOR.finditer(text):
        mark = match.group()
        if mark == "operator":
            return match.start() if depth == 0 else last
        if mark == "<":
            depth += 1
        elif mark == ">":
            depth -= 1
        elif depth == 0:
            last = match.end()
    return last


def plain_name(text: str) -> str:
    """Return the name in a type or qualifier: `*Ring[T]` -> Ring, `a::B<C>` -> a.B."""
    while (shorter := _TEMPLATE_ARGUMENTS.sub("", text)) != text:
        text = shorter
    text = text.partition("[")[0].partition("<")[0].replace("::", ".").replace("->", ".").replace("\\", ".")
    return _SPACE.sub("", text).strip("*&(). ") or text.strip()


def before(tokens: list[Token], byte: int) -> int:
    """Return the index of the first token that starts at or after a byte."""
    return bisect_left(tokens, (byte,))
