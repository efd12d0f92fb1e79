"""The outline of a file: definitions inside definitions, their qualified names, and which are leaves."""

import re
from dataclasses import dataclass

from codecite.detect.source import Source
from codecite.detect.syntax import Found, Syntax
from codecite.model.blocks import Kind

FUNCTIONS = frozenset(("function", "method", "closure"))
CLASSES = frozenset(("class", "struct", "interface", "enum", "trait", "impl", "module"))
VALUES = frozenset(("variable", "constant", "type", "property", "field"))
_ONLY_WORDS = re.compile(rb"[\w \t\f\v]*")  # `pub` may stand before what a grammar calls the definition
_UNNAMED = "anonymous"
_OWN_LEAF = 8  # lines from which a variable or a type alias is a leaf of its own
_DEEPEST = (
    40  # levels of nesting that leaves and qualified names follow: deeper ones cost time and help nobody
)
_LOCAL_CLASS = 12  # lines from which a class inside a function is one


@dataclass(slots=True)
class Entry:
    """A definition in its place. Lines are 0-based; `first` includes comments and attributes that lead it."""

    found: Found
    parent: int  # index of the definition around it, -1 for none
    symbol: str
    first: int
    own: int  # line on which the definition itself starts, decorators included
    last: int
    local: bool  # inside a function
    depth: int = 0  # how many definitions and nameless functions are around
    leaf: bool = False
    kind: Kind = "code"  # of the leaf


def outline(source: Source, syntax: Syntax, leading: set[int]) -> list[Entry]:
    """Nest the definitions and choose the leaves; `leading` are lines of only comments or attributes."""
    unnamed = [Found(_UNNAMED, start, end, start, -1, "", start) for start, end in syntax.anonymous]
    everything = [*syntax.found, *unnamed]
    everything.sort(key=lambda found: (found.start, -found.end, found.kind == _UNNAMED))
    entries: list[Entry] = []
    stack: list[int] = []
    for found in everything:
        while stack and entries[stack[-1]].found.end < found.end:
            stack.pop()
        while stack and entries[stack[-1]].found.end <= found.start:
            stack.pop()
        if stack and _is_twin(entries[stack[-1]].found, found):
            stack.pop()
        parent = stack[-1] if stack else -1
        outer = entries[parent] if stack else None
        own = source.line_of(found.start)
        entry = Entry(
            found,
            parent,
            _symbol(found, outer),
            _with_leading(source, found.start, own, leading),
            own,
            source.line_of(max(found.start, found.end - 1)),
            local=outer is not None
            and (outer.local or outer.found.kind in FUNCTIONS or outer.found.kind == _UNNAMED),
        )
        entry.depth = outer.depth + 1 if outer else 0
        if entry.depth < _DEEPEST:
            _choose(entry, outer)
        stack.append(len(entries))
        entries.append(entry)
    _keep_overloads(entries)
    return entries


def _is_twin(one: Found, other: Found) -> bool:
    """Say whether one declaration gives two names, as in `int total, count;`."""
    return (one.start, one.end) == (other.start, other.end) and one.kind == other.kind


def _symbol(found: Found, outer: Entry | None) -> str:
    around = outer.symbol if outer else ""
    if outer and outer.depth >= _DEEPEST:
        return around
    own = f"{found.owner}.{found.name}" if found.owner else found.name
    return f"{around}.{own}" if around and own else around or own


def _with_leading(source: Source, start: int, line: int, leading: set[int]) -> int:
    if not _ONLY_WORDS.fullmatch(source.data, source.starts[line], start):
        return line
    while line - 1 in leading:
        line -= 1
    return line


def _choose(entry: Entry, outer: Entry | None) -> None:
    """Decide whether a definition is a leaf of its own; the one around it has been decided before."""
    kind = entry.found.kind
    around = outer.found.kind if outer else ""
    lines = entry.last - entry.own + 1
    if kind in FUNCTIONS:
        is_method = kind == "method" or entry.found.owner or (around in CLASSES and around != "module")
        entry.kind = "method" if is_method else "function"
        entry.leaf = _function_is_leaf(entry, outer)
    elif kind == "markup":
        entry.leaf = outer is None
    elif kind == "macro":
        entry.kind = "function"
        entry.leaf = lines >= _OWN_LEAF
    elif kind in CLASSES:
        entry.kind = "class"
        entry.leaf = not entry.local or lines >= _LOCAL_CLASS
    elif kind in VALUES and not entry.local:
        entry.kind = "class" if kind == "type" else "code"
        entry.leaf = lines >= _OWN_LEAF and around not in VALUES and around not in CLASSES
    if entry.leaf and outer and outer.kind == "code" and outer.found.kind in VALUES:
        outer.leaf = True


def _function_is_leaf(entry: Entry, outer: Entry | None) -> bool:
    if entry.found.body < 0:
        return False
    if outer and outer.found.kind in CLASSES:
        return outer.leaf or not entry.local
    return entry.found.kind == "function" or not entry.local


def _keep_overloads(entries: list[Entry]) -> None:
    """Make signatures without a body leaves where the definition that implements them follows."""
    following: dict[int, Entry] = {}
    for entry in reversed(entries):
        after = following.get(entry.parent)
        if entry.found.kind in FUNCTIONS and entry.found.body < 0 and after and after.symbol == entry.symbol:
            entry.leaf = after.leaf
        if entry.found.kind != _UNNAMED:
            following[entry.parent] = entry
