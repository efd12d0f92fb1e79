"""Find definitions by what somebody types of their names, where they stand now."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice

from codecite.answer.anchor import line_now
from codecite.engine.asking import Asking
from codecite.engine.overlaid_reader import OverlaidFile
from codecite.engine.overlays import Overlay
from codecite.engine.view import View
from codecite.model.blocks import Definition
from codecite.model.descriptions import NamedPlace
from codecite.model.lines import split_lines, strip_line_end
from codecite.ports import LedgerReader
from codecite.retrieve.names import NameQuery, Names, Rank
from codecite.retrieve.naming import NO_CODE
from codecite.retrieve.roles import place

PATIENCE_SECONDS = 0.03  # for unsaved text and for new names: who types a name asks again with each letter
BATCH = 40  # names whose definitions are fetched at once
MOST_NAMES = 400  # names looked at where something has to stand around them
_Found = tuple[Rank, str, Definition]  # its path between


@dataclass(slots=True)
class SymbolSearch:
    """Finds definitions of one workspace by name. Blocks; runs on a thread."""

    asking: Asking
    _known: tuple[int, Names] | None = field(default=None, init=False)  # of which sequence of the ledger
    _reading: ThreadPoolExecutor = field(
        default_factory=partial(ThreadPoolExecutor, 1, thread_name_prefix="names"), init=False
    )

    def close(self) -> None:
        """End the thread that reads names."""
        self._reading.shutdown()

    def find(self, text: str, limit: int, overlays: Sequence[Overlay] = ()) -> list[NamedPlace]:
        """Return the definitions that fit what was typed, best first; names of documents and settings come last."""
        query = NameQuery.of(text)
        if query is None:
            return []
        with self.asking.health.ledger.reader() as ledger:
            view, _ = self.asking.view(ledger, overlays, PATIENCE_SECONDS)
            found = list(islice(self._found(ledger, query, view.overlaid), 2 * limit))
            found += _unsaved(query, view.overlaid)
            found.sort(key=_order)
            return list(islice(_as_now(ledger, view, found), limit))

    def _found(
        self, ledger: LedgerReader, query: NameQuery, laid: Mapping[str, OverlaidFile]
    ) -> Iterator[_Found]:
        """Yield what the ledger holds, in the order of names, but for files that another text is laid over."""
        matching = self._names(ledger).matching(query)[:MOST_NAMES]
        for at in range(0, len(matching), BATCH):
            ranks = {name: rank for rank, name in matching[at : at + BATCH]}
            named = ledger.definitions_named(list(ranks))
            batch = [
                (ranks[one.name], path, one)
                for path, one in named
                if one.name in ranks and path not in laid and query.fits_around(one.symbol, path)
            ]
            yield from sorted(batch, key=_order)

    def _names(self, ledger: LedgerReader) -> Names:
        """Return the names of this state of the ledger, or those of the last one while these are still being read."""
        known = self._known
        if known is not None and known[0] == ledger.sequence:
            return known[1]
        read = self._reading.submit(self._read)
        try:
            return read.result(None if known is None else PATIENCE_SECONDS)
        except TimeoutError:
            assert known is not None
            return known[1]

    def _read(self) -> Names:
        with self.asking.health.ledger.reader() as ledger:
            if self._known is None or self._known[0] != ledger.sequence:
                self._known = ledger.sequence, Names(ledger.names())
            return self._known[1]


def _unsaved(query: NameQuery, laid: Mapping[str, OverlaidFile]) -> Iterator[_Found]:
    for path, file in laid.items():
        for one in file.definitions:
            rank = query.rank(one.name)
            if rank is not None and query.fits_around(one.symbol, path):
                yield (int(one.kind in NO_CODE), *rank), path, one


def _order(found: _Found) -> tuple[Rank, bool, str, int]:
    rank, path, one = found
    apart, *fit = rank
    rank = (max(apart, int(one.kind in NO_CODE)), *fit)
    return rank, not _is_code(path), path, one.name_line


@lru_cache(maxsize=20_000)
def _is_code(path: str) -> bool:
    return place(path).role == "code"


def _as_now(ledger: LedgerReader, view: View, found: Sequence[_Found]) -> Iterator[NamedPlace]:
    """Yield what is still there, on the line on which it stands now."""
    blocks = view.reader.blocks_at([(path, one.name_line) for _, path, one in found])
    stamps = ledger.stamps({path for _, path, _ in found})
    changed: dict[str, list[str] | None] = {}  # by path: the lines of a file that is not what was indexed
    for rank, path, one in found:
        block = blocks.get((path, one.name_line))
        if block is None:
            continue
        text = strip_line_end(split_lines(block.text)[one.name_line - block.start_line])
        if path not in changed:
            same = view.present.is_as(path, stamps.get(path))
            changed[path] = None if same else split_lines(view.present.text(path) or "")
        lines = changed[path]
        line = one.name_line if lines is None else line_now(one.name_line, text, lines)
        if line is not None:
            yield NamedPlace(one.name, one.symbol, one.kind, path, line, one.name_column, text, rank)
