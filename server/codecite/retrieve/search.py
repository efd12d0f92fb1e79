"""Search: from a question to ranked blocks, each with the ranks its sources gave it and one line why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from codecite.model.hits import Findings, Hit, Source
from codecite.ports import BlockReader
from codecite.retrieve.explain import grounds_of, plan_of, why
from codecite.retrieve.features import Candidate, HeldBlock, gather, read_in
from codecite.retrieve.lift import best_of_role, lift_config
from codecite.retrieve.paths import PathIndex
from codecite.retrieve.priors import Priors
from codecite.retrieve.query import Query, understand
from codecite.retrieve.sources import Looked, look_up
from codecite.retrieve.weights import QUESTION, SYMBOL, Weights, rank

FEWEST_READ = 14  # files in front whose rows are read, or as many as are asked for
MOST_BLOCKS = 200  # blocks taken from keyword search; ten for each file in front where that is less
CONFIG_READ = 3  # configuration files that are read beside them

Nearest = Callable[[], Sequence[tuple[str, float]] | None]


class Searcher:
    """Searches views of one ledger; keeps what the paths say between questions.

    What is kept is replaced as a whole and never changed, so that searches may run side by side.
    """

    def __init__(self, question: Weights = QUESTION, symbol: Weights = SYMBOL) -> None:
        self._question, self._symbol = question, symbol
        self._kept: tuple[object, PathIndex] | None = None  # which view's paths, and what they say

    def find(
        self,
        reader: BlockReader,
        question: str,
        *,
        limit: int,
        nearest: Nearest | None = None,
        path_prefix: str = "",
    ) -> Findings:
        """Rank blocks for a question, at most `limit`, under a path prefix.

        `nearest` gives block ids with the cosine of their vectors to the question's, best first; it is asked only
        where nearness counts, None while vectors are not ready. The best block of each file comes first, then further
        blocks of the same files.
        """
        query = understand(question)
        index = self._index(reader)
        most = min(MOST_BLOCKS, 10 * max(limit, FEWEST_READ))
        looked = look_up(reader, query, index, reader.counts().blocks, most)
        by_name = query.symbol and bool(looked.definitions)
        # Nearness says less than names do, and draws code before documents and configuration that were asked for.
        if nearest is not None and not by_name and not query.asks & {"docs", "config"}:
            looked = replace(looked, vectors=nearest() or ())
        near = reader.block_paths([identity for identity, _ in looked.vectors]) if looked.vectors else {}
        weights = self._symbol if by_name else self._question
        found = gather(query, looked, index, Priors(query, index, looked.terms()), near)
        files = rank((one for one in found if one.path.startswith(path_prefix)), weights)
        front = files[: max(limit, FEWEST_READ)]
        front += [one for one in best_of_role(files, "config", index, CONFIG_READ) if one not in front]
        rows = reader.block_rows([identity for one in front for identity in one.wanted()])
        held = {i: HeldBlock.of(rows[i].block) for one in front for i in one.wanted()}
        read_in(front, held, looked, index)
        lift_config(front, index)
        front = rank(front, weights)
        for one in front[:limit]:
            if one.definitions or not one.order:
                _put_first(reader, one, held)
        hits = _hits(front, held, looked, query, limit)
        roles: dict[str, str] = {hit.path: index.places[hit.path].role for hit in hits}
        return Findings(question, hits, grounds_of(query, looked, hits, index), plan_of(query, looked), roles)

    def _index(self, reader: BlockReader) -> PathIndex:
        kept, key = self._kept, (reader.sequence, reader.unsaved)
        if kept is None or kept[0] != key:
            kept = self._kept = (key, PathIndex.build(reader.paths(), kept[1] if kept else None))
        return kept[1]


def _put_first(reader: BlockReader, one: Candidate, held: dict[str, HeldBlock]) -> None:
    """Put the block of the best definition first; where nothing was read, the first that is not all imports."""
    best = max(one.definitions, key=lambda item: item[1])[0] if one.definitions else None
    if best and any(held[i].block.symbol == best.symbol for i in one.order):
        return
    blocks = [row.block for row in reader.file_blocks(one.path)]
    if best:
        first = next((b for b in blocks if b.start_line <= best.name_line <= b.end_line), None)
    else:
        first = next((b for b in blocks if b.kind != "imports"), None)
    if first:
        held[first.id] = held.get(first.id) or HeldBlock.of(first)
        one.order = [first.id, *(identity for identity in one.order if identity != first.id)]


def _hits(
    files: Sequence[Candidate], held: Mapping[str, HeldBlock], looked: Looked, query: Query, limit: int
) -> tuple[Hit, ...]:
    """List the best block of each file, then further blocks; scores fall along the list."""
    ranks: dict[Source, dict[str, int]] = {
        "vector": {identity: n for n, (identity, _) in enumerate(looked.vectors, 1)},
        "keyword": {match.id: n for n, match in enumerate(looked.keyword, 1)},
    }
    first = [(one, one.order[0]) for one in files if one.order]
    further = [(one, identity) for one in files for identity in one.order[1:]]
    lowest = first[-1][0].score if first else 0.0
    hits = []
    for number, (one, identity) in enumerate([*first, *further][:limit]):
        block = held[identity].block
        sources: dict[Source, int] = {
            source: ids[identity] for source, ids in ranks.items() if identity in ids
        }
        names = sorted({d.symbol for d, _ in one.definitions})
        if block.symbol in names:
            sources["symbol"] = 1
        score = one.score if number < len(first) else min(one.score, lowest)
        hits.append(
            Hit(
                id=identity,
                path=block.path,
                start_line=block.start_line,
                end_line=block.end_line,
                symbol=block.symbol,
                kind=block.kind,
                language=block.language,
                text=block.text,
                score=round(score, 6),
                sources=sources,
                why=why(held[identity], looked, query.script, by_meaning=identity in ranks["vector"]),
            )
        )
    return tuple(hits)
