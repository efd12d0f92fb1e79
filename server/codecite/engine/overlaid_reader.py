"""A view of the ledger in which some files read as they stand in an editor, or are not there at all.

The ledger knows nothing of it: what it holds of these files is left out of every answer, and what was parsed of the
other text is put in its place. Vectors are not made for that text, so only blocks that both have are found by them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from codecite.engine.full_text import Counted, Statistics, TermQuery
from codecite.model import terms as words_of
from codecite.model.blocks import Block, Definition
from codecite.ports import (
    BlockPlace,
    BlockRow,
    BlockText,
    Counts,
    IndexedBlock,
    KeywordMatch,
    LedgerReader,
)

NEVER = 0.0  # `indexed_at` of a block in a file that was never indexed


@dataclass(frozen=True, slots=True)
class OverlaidFile:
    """A file as it reads in its other text: blocks in order of lines, the terms of each, definitions."""

    blocks: tuple[IndexedBlock, ...] = ()
    counted: tuple[Counted, ...] = ()
    definitions: tuple[Definition, ...] = ()

    @classmethod
    def of(cls, blocks: Sequence[IndexedBlock], definitions: Sequence[Definition]) -> "OverlaidFile":
        """Take what was parsed of a text."""
        return cls(tuple(blocks), tuple(Counted.of(item.terms) for item in blocks), tuple(definitions))


NOTHING = OverlaidFile()  # of a file that is to be left out


class OverlaidReader:
    """See `ports.BlockReader`; for one thread, as the view that it wraps. That one is to be closed by who opened it.

    `files` are by path. What describes the store itself (files by stamp,
    refusals, notes, comparison, vectors to be made) is the ledger's, unchanged.
    """

    def __init__(self, ledger: LedgerReader, files: Mapping[str, OverlaidFile]) -> None:
        self._ledger = ledger
        self._files = files
        self._stored = {path: ledger.file_blocks(path) for path in files}
        self._hidden = sum(map(len, self._stored.values()))
        self._rows = {
            row.block.id: row for path, file in files.items() for row in _rows(file, self._stored[path])
        }
        bare = {path for path, rows in self._stored.items() if not rows}
        self._unsaved = frozenset(bare.difference(ledger.paths()) if bare else ())

    @property
    def sequence(self) -> int:
        """Number of the last transaction that this view sees."""
        return self._ledger.sequence

    @property
    def commit(self) -> str | None:
        """Commit of HEAD when the last sync finished."""
        return self._ledger.commit

    @property
    def unsaved(self) -> frozenset[str]:
        """Paths that this view shows although no file of the ledger has them."""
        return self._unsaved

    @property
    def listed_since(self) -> int:
        """Number of the last transaction that brought a path or took one away."""
        return self._ledger.listed_since

    def indexed_text(self, path: str) -> str | None:
        """Return the text that the ledger holds of an overlaid file, None for a file that it does not have."""
        stored = self._stored.get(path, [])
        return None if path in self._unsaved else "".join(row.block.text for row in stored)

    # --- what reads otherwise -------------------------------------------------------------------------------

    def counts(self) -> Counts:
        """Count what this view shows."""
        counts = self._ledger.counts()
        return replace(
            counts,
            files=counts.files + len(self._unsaved),
            blocks=counts.blocks + len(self._rows) - self._hidden,
            definitions=counts.definitions
            + sum(
                len(file.definitions) - len(self._ledger.file_definitions(path))
                for path, file in self._files.items()
            ),
        )

    def paths(self) -> list[str]:
        """Return the paths of all files that the ledger or an overlay has, sorted."""
        return sorted({*self._ledger.paths(), *self._unsaved}) if self._unsaved else self._ledger.paths()

    def block_rows(self, ids: Sequence[str]) -> dict[str, BlockRow]:
        """Fetch blocks by id; an unknown id is left out."""
        found = {
            identity: row
            for identity, row in self._ledger.block_rows(ids).items()
            if row.block.path not in self._files
        }
        return found | {identity: self._rows[identity] for identity in ids if identity in self._rows}

    def blocks(self, ids: Sequence[str]) -> dict[str, Block]:
        """Fetch blocks by id; an unknown id is left out."""
        found = self._ledger.blocks(ids)
        return {i: block for i, block in found.items() if block.path not in self._files} | {
            i: self._rows[i].block for i in ids if i in self._rows
        }

    def block_paths(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the path of each block, by id; an unknown id is left out."""
        found = self._ledger.block_paths(ids)
        return {i: path for i, path in found.items() if path not in self._files} | {
            i: self._rows[i].block.path for i in ids if i in self._rows
        }

    def file_blocks(self, path: str | None = None) -> list[BlockRow]:
        """Fetch the blocks of a file in order of lines, or of all files in order of paths."""
        if path is None:
            kept = [row for row in self._ledger.file_blocks() if row.block.path not in self._files]
            both = [*kept, *self._rows.values()]
            return sorted(both, key=lambda row: (row.block.path, row.block.start_line))
        file = self._files.get(path)
        if file is None:
            return self._ledger.file_blocks(path)
        return [self._rows[item.block.id] for item in file.blocks]

    def outline(self, path: str) -> list[BlockPlace]:
        """Return where the blocks of a file stand, in order of lines."""
        file = self._files.get(path)
        if file is None:
            return self._ledger.outline(path)
        return [
            BlockPlace(one.id, one.start_line, one.end_line, one.kind)
            for one in (item.block for item in file.blocks)
        ]

    def match_blocks(self, query: str, limit: int, within: str = "") -> list[KeywordMatch]:
        """Rank blocks as `ports.BlockReader` says; `query` and `within` are of the kind that `TermQuery` reads.

        Blocks of overlays are scored with the ledger's own statistics, as those beside them were; a term that the
        ledger does not have is as rare as the overlays make it.
        """
        stored = self._ledger.match_blocks(query, limit + self._hidden, within)
        found = [match for match in stored if match.path not in self._files]
        found += self._matching(TermQuery.read(query), TermQuery.read(within) if within else None)
        return sorted(found, key=lambda match: (-match.score, match.id))[:limit]

    def _matching(self, query: TermQuery, within: TermQuery | None) -> list[KeywordMatch]:
        held = self._ledger.document_frequencies(query.terms)
        known = {term: held[term] or self._frequency(term) for term in query.terms}
        statistics = Statistics(self._ledger.counts().blocks, self._ledger.mean_length(), known)
        return [
            KeywordMatch(item.block.id, path, statistics.score(counted))
            for path, file in self._files.items()
            for item, counted in zip(file.blocks, file.counted, strict=True)
            if query.matches(counted.weights.keys())
            and (within is None or within.matches(counted.weights.keys()))
        ]

    def blocks_holding(self, terms: Sequence[str], limit: int) -> list[BlockText]:
        """Return blocks that hold every one of these terms, in any field: at most `limit`, unranked."""
        own = [
            BlockText(one.id, path, one.start_line, one.end_line, one.symbol, one.kind, one.text)
            for path, file in self._files.items()
            for one, counted in (
                (item.block, held) for item, held in zip(file.blocks, file.counted, strict=True)
            )
            if counted.weights.keys() >= set(terms)
        ]
        stored = self._ledger.blocks_holding(terms, limit + self._hidden)
        return [*own, *(one for one in stored if one.path not in self._files)][:limit]

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many blocks each term occurs, in any field."""
        stored = [_stored_terms(row) for rows in self._stored.values() for row in rows]
        return {
            term: max(0, frequency - sum(term in held for held in stored)) + self._frequency(term)
            for term, frequency in self._ledger.document_frequencies(terms).items()
        }

    def _frequency(self, term: str) -> int:
        return sum(term in counted.weights for file in self._files.values() for counted in file.counted)

    def definitions_named(self, names: Sequence[str]) -> list[tuple[str, Definition]]:
        """Find definitions whose own or qualified name is one of these, compared without case."""
        folded = {name.casefold() for name in names}
        found = [
            (path, one) for path, one in self._ledger.definitions_named(names) if path not in self._files
        ]
        found += [
            (path, one)
            for path, file in self._files.items()
            for one in file.definitions
            if one.name.casefold() in folded or one.symbol.casefold() in folded
        ]
        return sorted(found, key=lambda item: item[0])

    def file_definitions(self, path: str) -> list[Definition]:
        """Return the definitions of a file in order of lines."""
        file = self._files.get(path)
        return self._ledger.file_definitions(path) if file is None else list(file.definitions)

    def blocks_at(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], BlockText]:
        """Return the block that holds a line, by (path, line); a place that none holds is left out."""
        stored = self._ledger.blocks_at([place for place in places if place[0] not in self._files])
        own = {
            (path, line): BlockText(
                one.id, path, one.start_line, one.end_line, one.symbol, one.kind, one.text
            )
            for path, line in places
            for one in (item.block for item in self._files.get(path, NOTHING).blocks)
            if one.start_line <= line <= one.end_line
        }
        return stored | own


def _rows(file: OverlaidFile, stored: Sequence[BlockRow]) -> list[BlockRow]:
    """Return the blocks of an overlay as rows: they were indexed when their file was."""
    at, commit = (stored[0].indexed_at, stored[0].commit) if stored else (NEVER, None)
    return [BlockRow(item.block, item.embed_key, None, at, commit) for item in file.blocks]


def _stored_terms(row: BlockRow) -> frozenset[str]:
    """Return the terms that a stored block is found by: those of its path alone where it says nothing else."""
    block = row.block
    path, comments = words_of.terms(block.path), words_of.terms(block.comments)
    text = words_of.terms(f"{block.symbol}\n{block.doc}\n{block.text}")
    wordless = not block.doc and set(text) <= set(comments)
    return frozenset(path if wordless else [*path, *comments, *text])
