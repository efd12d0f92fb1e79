"""Runs of lines: every line of a file is given to one leaf, or to the statements between leaves."""

import re
from dataclasses import dataclass
from itertools import groupby

from codecite.detect.outline import Entry
from codecite.detect.source import Source
from codecite.detect.syntax import COMMENT, Token
from codecite.model.blocks import Kind

OUTSIDE = -1  # owner of lines that no leaf claims
_IMPORT_GAP = 4  # lines of other code that a run of imports may have in it

# Lines that only close what others opened, or only part two branches.
_GLUE = re.compile(
    rb"(?:[\[\](){}<>;,\s]|\b(?:end|fi|done|esac|then|do|begin|else|try|finally|ensure)\b:?"
    rb"|</(?:script|style|template)\s*>|#\s*(?:endif|else)\b|\b(?:public|private|protected)\b\s*:?)+"
)

_BLANK = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))


@dataclass(slots=True)
class Run:
    """Lines `first` to `last`, 0-based and inclusive, that become one leaf or, when too long, several."""

    first: int
    last: int
    code_last: int  # last line whose code counts: closing lines of what is around come after it
    kind: Kind
    symbol: str
    name: str
    lead: int  # byte at which the comments that lead the definition end; -1 for none
    parts: bool = False  # made of many statements: split early


def mask_comments(
    source: Source, tokens: list[Token], attributes: list[tuple[int, int]]
) -> tuple[bytes, set[int]]:
    """Blank the comments out; return the bytes and the lines that held nothing but comments or attributes."""
    data = source.data
    comments = [(start, end) for start, end, kind in tokens if kind == COMMENT]
    masked = _blanked(data, comments)
    without = _blanked(masked, attributes) if attributes else masked
    touched: set[int] = set()
    for start, end in [*comments, *attributes]:
        if end > start:
            first = source.line_of(start)
            touched.update(
                range(first, source.line_of(end - 1) + 1) if b"\n" in data[start:end] else (first,)
            )
    only = {line for line in touched if not without[source.starts[line] : source.end_of(line)].strip()}
    return masked, {line for line in only if data[source.starts[line] : source.end_of(line)].strip()}


def _blanked(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    blanked = bytearray(data)
    for start, end in spans:
        blanked[start:end] = data[start:end].translate(_BLANK)
    return bytes(blanked)


def runs(source: Source, masked: bytes, entries: list[Entry], imports: list[tuple[int, int]]) -> list[Run]:
    """Give each line to the leaf that owns it and return the runs in order; together they are all lines."""
    owners = _paint(source, entries)
    glue = _settle(source, masked, owners, entries)
    found: list[Run] = []
    seen: set[int] = set()
    for owner, first, stop in _stretches(owners):
        code_last = last = stop - 1
        while code_last > first and (code_last in glue or source.is_blank(code_last)):
            code_last -= 1
        is_class = owner != OUTSIDE and entries[owner].kind == "class"
        while is_class and code_last > first and _is_glue(source, masked, code_last):
            code_last -= 1
        if owner == OUTSIDE:
            found += _outside(source, masked, first, last, code_last, imports if not seen else [])
        else:
            found.append(_owned(entries[owner], first, last, code_last, again=owner in seen))
        seen.add(owner)
    return found


def _stretches(owners: list[int]) -> list[tuple[int, int, int]]:
    """Return the stretches of lines of one owner, in order: the owner, the first line, the line after the last."""
    found = []
    first = 0
    for owner, group in groupby(owners):
        stop = first + len(list(group))
        found.append((owner, first, stop))
        first = stop
    return found


def _owned(entry: Entry, first: int, last: int, code_last: int, *, again: bool) -> Run:
    kind: Kind = "code" if again and entry.kind == "class" else entry.kind
    lead = -1 if again else entry.found.head
    return Run(first, last, code_last, kind, entry.symbol, entry.found.name, lead)


def _paint(source: Source, entries: list[Entry]) -> list[int]:
    """Let each leaf take its lines, outer ones first; a line that two share stays with the first of them."""
    owners = [OUTSIDE] * len(source.starts)
    for index, entry in enumerate(entries):
        if not entry.leaf:
            continue
        first = entry.first
        above = _leaf_above(entries, entry)
        opening = entries[above].own if above >= 0 else -1
        while first <= entry.last and (owners[first] != above or first == opening):
            first += 1
        if first <= entry.last:
            owners[first : entry.last + 1] = [index] * (entry.last + 1 - first)
    return owners


def _leaf_above(entries: list[Entry], entry: Entry) -> int:
    parent = entry.parent
    while parent >= 0 and not entries[parent].leaf:
        parent = entries[parent].parent
    return parent


def _settle(source: Source, masked: bytes, owners: list[int], entries: list[Entry]) -> set[int]:
    """Move lines without code of their own to a neighbour; return those among them that only close something.

    Blank lines follow the line above. Closing lines after the last member go to that member. Comments apart
    from any code go to the member below, or where there is none to the one above.
    """
    glue: set[int] = set()
    for owner, first, stop in _stretches(owners):
        previous = owners[first - 1] if first else OUTSIDE
        if first and _is_inside(entries, previous, owner):
            cut = first
            while cut < stop and _is_glue(source, masked, cut):
                cut += 1
            _hand_over(source, masked, owners, (first, cut, stop), (previous, owner), entries, glue)
    for _, first, stop in _stretches(owners)[1:]:
        for line in range(first, stop):
            if not source.is_blank(line):
                break
            owners[line] = owners[first - 1]
    return glue


def _is_glue(source: Source, masked: bytes, line: int) -> bool:
    return _GLUE.fullmatch(masked[source.starts[line] : source.end_of(line)]) is not None


def _hand_over(
    source: Source,
    masked: bytes,
    owners: list[int],
    lines: tuple[int, int, int],
    between: tuple[int, int],
    entries: list[Entry],
    glue: set[int],
) -> None:
    start, cut, stop = lines
    previous, owner = between
    closing = [
        line for line in range(start, cut) if masked[source.starts[line] : source.end_of(line)].strip()
    ]
    last_glue = closing[-1] if closing else start - 1
    for line in range(start, last_glue + 1):
        owners[line] = previous
    glue.update(range(start, last_glue + 1) if closing else ())
    if cut < stop:
        return  # the comments and blanks in between stand before code of the same owner
    following = owners[stop] if stop < len(owners) else OUTSIDE
    heir = following if stop < len(owners) and _is_inside(entries, following, owner) else previous
    for line in range(last_glue + 1, stop):
        if heir == following and heir != previous and source.is_blank(line) and owners[line - 1] == previous:
            owners[line] = previous
        else:
            owners[line] = heir


def _is_inside(entries: list[Entry], inner: int, outer: int) -> bool:
    if inner == outer:
        return False
    while inner >= 0:
        inner = _leaf_above(entries, entries[inner])
        if inner == outer:
            return True
    return False


def _outside(
    source: Source, masked: bytes, first: int, last: int, code_last: int, imports: list[tuple[int, int]]
) -> list[Run]:
    """Split the lines outside any leaf into a head of imports and the code after it."""
    end = _imports_end(source, masked, first, last, imports)
    found = []
    if end >= first:
        while end < last and source.is_blank(end + 1):
            end += 1
        found.append(Run(first, end, min(end, code_last), "imports", "", "", -1))
    if end < last:
        found.append(Run(end + 1, last, max(code_last, end + 1), "code", "", "", -1, parts=True))
    return found


def _imports_end(source: Source, masked: bytes, first: int, last: int, imports: list[tuple[int, int]]) -> int:
    """Return the last line of the imports that stand together at the top, or the line before `first`."""
    end = first - 1
    for start_byte, end_byte in imports:
        start_line = source.line_of(start_byte)
        end_line = source.line_of(max(start_byte, end_byte - 1))
        if end_line <= end:
            continue
        if start_line > last:
            break
        between = range(end + 1, start_line)
        code = [line for line in between if masked[source.starts[line] : source.end_of(line)].strip()]
        if len(code) > _IMPORT_GAP and not _is_docstring(source, code[0], code[-1]):
            break
        end = min(end_line, last)
    return end


def _is_docstring(source: Source, first: int, last: int) -> bool:
    head = source.lines[first].lstrip()
    return head.startswith(('"""', "'''", 'r"""')) and source.lines[last].rstrip().endswith(('"""', "'''"))
