"""Guarded deletion: what a file's last clean text says of a text that does not parse.

One open bracket can turn the rest of a file into an error. So while a file is broken, each leaf of its last clean
text that still stands there word for word keeps its identity; the lines between are what the broken parse makes of
them; and a named leaf that is in neither is retained apart, to be told as unconfirmed.

The result follows from the two texts alone, however many broken saves lie between them.

Places are found as patience diff finds them (Bram Cohen's, https://bramcohen.livejournal.com/73318.html): the common
head and tail first, then what there is only one of on either side, then the rest in the room left between those.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from codecite.detect.leaves import digest
from codecite.detect.source import Source
from codecite.detect.windows import text_leaf
from codecite.model.blocks import Definition, Leaf, ParsedFile, Retained, block_ids
from codecite.model.lines import split_lines, strip_line_end

_FREE = -1  # owner of a line on which no leaf of the clean text stands


def guard(text: str, fresh: ParsedFile, before: ParsedFile) -> tuple[ParsedFile, tuple[Retained, ...]]:
    """Give a broken text the leaves and definitions of its last clean one that still stand in it.

    `fresh` is what the parser makes of `text`, `before` what it made of the clean text. Returns the file as it is to
    be indexed, every line in exactly one leaf, and the named leaves of the clean text that it has lost.
    """
    source = Source(text)
    places = _places([strip_line_end(line) for line in source.lines], before.leaves)
    owners = _owners(source, places)
    leaves = tuple(_leaves(source, owners, fresh, before))
    shifts = {index: place.start - place.was for index, place in places.items()}
    definitions = _definitions(source, owners, fresh.definitions, before, shifts)
    merged = replace(fresh, leaves=leaves, definitions=definitions, clean=False)
    return merged, tuple(_lost(merged, before))


# --- where the leaves of the clean text stand -----------------------------------------------------------------------

Core = tuple[str, ...]  # the lines of a leaf without line ends and without the blank ones around it


class Place(NamedTuple):
    """Where the core of a leaf stands: lines `start` to before `stop` of the new text; from `was` in the clean one."""

    start: int
    stop: int
    was: int


class _Room:
    """The lines of the new text, without line ends, and the leaves that were found there."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.places: dict[int, int] = {}  # index of a leaf -> line on which its core starts
        self._lines = lines
        self._taken = bytearray(len(lines))
        self._found: dict[Core, list[int]] = {}
        self._at: dict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(lines):
            self._at[line].append(number)

    def standing(self, core: Core) -> list[int]:
        """Return every line on which a core starts, in order; looked for by the rarest of its lines."""
        if core not in self._found:
            rarest = min(core, key=lambda line: len(self._at.get(line, ())))
            back = core.index(rarest)
            starts = [number - back for number in self._at.get(rarest, ())]
            self._found[core] = [start for start in starts if self._holds(core, start)]
        return self._found[core]

    def take(self, index: int, core: Core, start: int) -> bool:
        """Put a leaf on a line; say whether it stands there and the lines were free."""
        stop = start + len(core)
        if not self._holds(core, start) or any(self._taken[start:stop]):
            return False
        self._taken[start:stop] = b"\1" * len(core)
        self.places[index] = start
        return True

    def _holds(self, core: Core, start: int) -> bool:
        return start >= 0 and tuple(self._lines[start : start + len(core)]) == core


def _places(lines: Sequence[str], leaves: Sequence[Leaf]) -> dict[int, Place]:
    """Return where each leaf that stands in the new text stands, by its index.

    `lines` are without line ends; all lines are counted from 0. No two leaves overlap. A leaf without words, such as
    a closing bracket, is told by what is around it and never looked for.
    """
    found = {index: _core(leaf) for index, leaf in enumerate(leaves) if leaf.embed_text}
    cores = {index: core for index, (_, core) in found.items()}
    starts = {index: start for index, (start, _) in found.items()}
    room = _Room(lines)
    longer = len(lines) - (leaves[-1].end_line if leaves else 0)
    for order, shift in ((list(cores), 0), (list(reversed(cores)), longer)):
        for index in order:
            if index in room.places or not room.take(index, cores[index], starts[index] + shift):
                break
    left = [index for index in cores if index not in room.places]
    times = Counter(cores[index] for index in left)
    for index in left:
        standing = room.standing(cores[index])
        if times[cores[index]] == len(standing) == 1:
            room.take(index, cores[index], standing[0])
    _fill(room, cores, len(lines))
    return {
        index: Place(start, start + len(cores[index]), starts[index]) for index, start in room.places.items()
    }


def _fill(room: _Room, cores: dict[int, Core], end: int) -> None:
    """Put leaves that could stand in several places into the first one between the neighbours they had."""
    stops = {}
    for index in reversed(cores):
        stops[index] = end = room.places.get(index, end)
    cursor = 0
    for index, core in cores.items():
        if index not in room.places:
            standing = room.standing(core)
            for start in standing[bisect_left(standing, cursor) :]:
                if start + len(core) > stops[index] or room.take(index, core, start):
                    break
        if index in room.places:
            cursor = room.places[index] + len(core)


def _core(leaf: Leaf) -> tuple[int, Core]:
    """Return the 0-based line of its file on which the core of a leaf starts, and the core."""
    lines = [strip_line_end(line) for line in split_lines(leaf.text)]
    first, last = 0, len(lines)
    while not lines[first].strip():
        first += 1
    while not lines[last - 1].strip():
        last -= 1
    return leaf.start_line - 1 + first, tuple(lines[first:last])


# --- leaves of the new text -----------------------------------------------------------------------------------------


def _owners(source: Source, places: dict[int, Place]) -> list[int]:
    """Return for each line the index of the leaf of the clean text that it belongs to, or _FREE.

    Blank lines belong to what is above them, as in a clean parse; at the top of the file to the first leaf.
    """
    owners = [_FREE] * len(source.lines)
    for index, place in places.items():
        owners[place.start : place.stop] = [index] * (place.stop - place.start)
    for line in range(1, len(owners)):
        if owners[line] == _FREE and source.is_blank(line):
            owners[line] = owners[line - 1]
    head = next((line for line in range(len(owners)) if not source.is_blank(line)), 0)
    owners[:head] = owners[head : head + 1] * head
    return owners


def _leaves(source: Source, owners: Sequence[int], fresh: ParsedFile, before: ParsedFile) -> Iterator[Leaf]:
    """Yield the leaves in order of lines. Where one of the broken parse is cut, its name stays where it is written."""
    names = {(item.symbol, item.name_line - 1) for item in fresh.definitions}
    line = 0
    for leaf in fresh.leaves:
        # Lines of the clean text's leaves may reach beyond the fresh leaf in which they start.
        while line < leaf.end_line:
            owner = owners[line]
            last = line
            limit = leaf.end_line if owner == _FREE else len(owners)
            while last + 1 < limit and owners[last + 1] == owner:
                last += 1
            if owner != _FREE:
                yield _moved(before.leaves[owner], source, line, last)
            elif (line + 1, last + 1) == (leaf.start_line, leaf.end_line):
                yield leaf
            elif any((leaf.symbol, each) in names for each in range(line, last + 1)):
                yield text_leaf(
                    source, (line, last), leaf.language, kind=leaf.kind, symbol=leaf.symbol, name=leaf.name
                )
            else:
                yield text_leaf(source, (line, last), leaf.language, kind="code")
            line = last + 1


def _moved(leaf: Leaf, source: Source, first: int, last: int) -> Leaf:
    text = source.slice_text(first, last)
    return replace(leaf, start_line=first + 1, end_line=last + 1, text=text, text_hash=digest(text))


# --- definitions of the new text ------------------------------------------------------------------------------------


def _definitions(
    source: Source,
    owners: Sequence[int],
    fresh: Sequence[Definition],
    before: ParsedFile,
    shifts: dict[int, int],
) -> tuple[Definition, ...]:
    """Take those of the clean text where its leaves stand, moved with them, and those of the broken parse elsewhere."""
    starts = [leaf.start_line for leaf in before.leaves]

    def leaf_of(line: int) -> int:
        return bisect_right(starts, line) - 1

    found = [item for item in fresh if owners[item.name_line - 1] == _FREE]
    found += [
        _shifted(item, source, by, shifts.get(leaf_of(item.end_line), by))
        for item in before.definitions
        if (by := shifts.get(leaf_of(item.name_line))) is not None
    ]
    found.sort(key=lambda item: (item.start_line, item.start_column, -item.end_line, -item.end_column))
    return tuple(found)


def _shifted(item: Definition, source: Source, by: int, ends_by: int) -> Definition:
    """Move a definition; an end that has lost its line is put where there is one."""
    start = max(1, item.start_line + by)
    end = min(max(start, item.end_line + ends_by), len(source.lines))
    return replace(
        item,
        start_line=start,
        end_line=end,
        end_column=min(item.end_column, len(strip_line_end(source.lines[end - 1]))),
        name_line=item.name_line + by,
    )


def _lost(now: ParsedFile, before: ParsedFile) -> Iterator[Retained]:
    live = {leaf.symbol for leaf in now.leaves} | {item.symbol for item in now.definitions}
    for identity, leaf in zip(block_ids(before.path, before.leaves), before.leaves, strict=True):
        if leaf.symbol and leaf.symbol not in live:
            yield Retained(
                identity, leaf.symbol, leaf.name, leaf.kind, leaf.start_line, leaf.end_line, leaf.text
            )
