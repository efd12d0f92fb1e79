"""Search: from a question to ranked blocks, each with the ranks its sources gave it and one line why."""

from collections.abc import Mapping, Sequence
from operator import itemgetter

from codecite.model.hits import Findings, Hit, Source
from codecite.ports import BlockReader
from codecite.retrieve.explain import grounds_of, plan_of, why
from codecite.retrieve.features import Candidate, HeldBlock, gather, read_in
from codecite.retrieve.lift import best_of_role, lift_config
from codecite.retrieve.paths import PathIndex
from codecite.retrieve.priors import Priors
from codecite.retrieve.query import Query, understand
from codecite.retrieve.sources import Looked, Nearest, look_up
from codecite.retrieve.weights import QUESTION, SYMBOL, Weights, rank

FEWEST_READ = 14  # files in front whose rows are read, or as many as are asked for
MOST_BLOCKS = 200  # blocks taken from keyword search; ten for each file in front where that is less
CONFIG_READ = 3  # configuration files that are read beside them


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

        `nearest` begins to look for block ids with the cosine of their vectors to the question's, best first; it is
        asked only where nearness counts, and gives None while vectors are not ready. The best block of each file comes
        first, then further blocks of the same files.
        """
        query = understand(question)
        index = self._index(reader)
        most = min(MOST_BLOCKS, 10 * max(limit, FEWEST_READ))
        looked = look_up(reader, query, index, most, nearest)
        near = reader.block_paths([identity for identity, _ in looked.vectors]) if looked.vectors else {}
        weights = self._symbol if query.symbol and looked.definitions else self._question
        found = gather(query, looked, index, Priors(query, index, looked.terms()), near)
        files = rank((one for one in found if one.path.startswith(path_prefix)), weights)
        front = files[: max(limit, FEWEST_READ)]
        front += [one for one in best_of_role(files, "config", index, CONFIG_READ) if one not in front]
        blocks = reader.blocks([identity for one in front for identity in one.wanted()])
        held = {identity: HeldBlock.of(block) for identity, block in blocks.items()}
        read_in(front, held, looked, index)
        lift_config(front, index)
        front = rank(front, weights)
        _put_first(reader, front[:limit], held)
        hits = _hits(front, held, looked, query, limit)
        roles: dict[str, str] = {hit.path: index.places[hit.path].role for hit in hits}
        return Findings(
            question, hits, grounds_of(query, looked, hits, held, index), plan_of(query, looked), roles
        )

    def _index(self, reader: BlockReader) -> PathIndex:
        kept, key = self._kept, (reader.listed_since, reader.unsaved)
        if kept is None or kept[0] != key:
            kept = self._kept = (key, PathIndex.build(reader.paths(), kept[1] if kept else None))
        return kept[1]


def _put_first(reader: BlockReader, files: Sequence[Candidate], held: dict[str, HeldBlock]) -> None:
    """Put the block of a file's best definition first; where nothing was read, the first that is not all imports."""
    for one in files:
        if first := _first(reader, one, held):
            one.order = [first, *(identity for identity in one.order if identity != first)]
    missing = [one.order[0] for one in files if one.order and one.order[0] not in held]
    if missing:
        held |= {identity: HeldBlock.of(block) for identity, block in reader.blocks(missing).items()}


def _first(reader: BlockReader, one: Candidate, held: Mapping[str, HeldBlock]) -> str | None:
    """Return the id of the block that is to come first, None where the order may stand."""
    if one.definitions:
        best = max(one.definitions, key=itemgetter(1))[0]
        if any(held[identity].block.symbol == best.symbol for identity in one.order):
            return None
        around = (at for at in reader.outline(one.path) if at.start_line <= best.name_line <= at.end_line)
    elif not one.order:
        around = (at for at in reader.outline(one.path) if at.kind != "imports")
    else:
        return None
    return next((at.id for at in around), None)


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
