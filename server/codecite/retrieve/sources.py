"""Ask the ledger a question in its three ways: by word, by name and path, by meaning."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from codecite.model.blocks import Definition
from codecite.ports import BlockReader, KeywordMatch
from codecite.retrieve.paths import PathIndex
from codecite.retrieve.query import Concept, Query, match_any, match_two, name_forms

ENOUGH = 1_500  # matches up to which every block that holds any term is scored
COMMON = 0.1  # a term in a larger share of the blocks, and in more than `ENOUGH`, tells little and costs most
FEWEST = 2  # terms that are to be left
RARE = 400  # blocks that hold a term up to which each of them is scored

# Begins to look for the blocks nearest in meaning; what it returns waits for them: (id, cosine) pairs, or None.
Nearest = Callable[[], Callable[[], Sequence[tuple[str, float]] | None]]


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked for, with weights, and what each source found, best first.

    A concept's weight is its part in the question times its rarity. `content` are the question's words themselves,
    `concepts` those and the joined words that exist; `guesses` are identifiers that the latter may be. `unknown` is the
    share of `content` that no block holds.
    """

    content: tuple[tuple[Concept, float], ...]
    concepts: tuple[tuple[Concept, float], ...]
    guesses: tuple[str, ...]
    unknown: float
    keyword: Sequence[KeywordMatch]
    definitions: Sequence[tuple[str, Definition]]
    path_recall: Mapping[str, float]
    vectors: Sequence[tuple[str, float]]

    def terms(self) -> frozenset[str]:
        """Return every term that was looked for."""
        return frozenset(term for concept, _ in self.concepts for term in concept.terms)


def rarity(blocks: int, frequency: int) -> float:
    """Return the inverse document frequency of BM25 (Robertson and Zaragoza 2009), always above 0."""
    return log(1 + (blocks - frequency + 0.5) / (frequency + 0.5))


def look_up(
    reader: BlockReader, query: Query, index: PathIndex, most: int, nearest: Nearest | None = None
) -> Looked:
    """Run every lookup of one question; `most` is how many blocks are taken from keyword search.

    `nearest` is begun only where nearness counts, and before keyword search, so that both may run side by side.
    """
    blocks = reader.counts().blocks
    asked = [
        replace(one, terms=(*one.terms, *(t for term in one.terms for t in index.longer(term))))
        for one in query.concepts
    ]
    frequencies = reader.document_frequencies([t for one in (*asked, *query.joined) for t in one.terms])
    content = tuple(_weighted(asked, frequencies, blocks))
    known = (
        Concept(joined.text, tuple(term for term in joined.terms if frequencies.get(term)), joined.weight)
        for joined in query.joined
    )
    joined = tuple(_weighted((concept for concept in known if concept.terms), frequencies, blocks))
    concepts = (*content, *joined)
    terms = _telling(concepts, frequencies, blocks)
    anything = match_any(terms)
    many = sum(frequencies[term] for term in terms) > ENOUGH
    within = match_two(terms, frequencies, RARE) if many else ""
    guesses = tuple(form for concept, _ in joined for form in _as_identifiers(concept))
    forms = [form for name in (*query.identifiers, *query.names) for form in name_forms(name)]
    sought = list(dict.fromkeys([*forms, *guesses]))
    definitions = reader.definitions_named(sought) if sought else ()
    # Nearness says less than names do, and draws code before documents and configuration that were asked for.
    by_meaning = not (query.symbol and definitions) and not query.asks & {"docs", "config"}
    vectors = nearest() if nearest is not None and by_meaning else None
    return Looked(
        content=content,
        concepts=concepts,
        guesses=guesses,
        unknown=_unknown(asked, frequencies),
        keyword=reader.match_blocks(anything, most, within) if anything else (),
        definitions=definitions,
        path_recall=index.recall((concept.terms, weight) for concept, weight in concepts),
        vectors=(vectors() if vectors else None) or (),
    )


def _telling(
    concepts: Iterable[tuple[Concept, float]], frequencies: Mapping[str, int], blocks: int
) -> list[str]:
    """Return the terms worth matching: those that occur, the most common left out where rarer ones are enough."""
    found = {
        term: frequencies[term] for concept, _ in concepts for term in concept.terms if frequencies.get(term)
    }
    telling = [term for term, frequency in found.items() if frequency <= max(ENOUGH, blocks * COMMON)]
    return telling if len(telling) >= FEWEST else list(found)


def _unknown(concepts: Sequence[Concept], frequencies: Mapping[str, int]) -> float:
    missing = [concept for concept in concepts if not any(frequencies.get(term) for term in concept.terms)]
    return len(missing) / len(concepts) if concepts else 0.0


def _weighted(
    concepts: Iterable[Concept], frequencies: Mapping[str, int], blocks: int
) -> Iterable[tuple[Concept, float]]:
    for concept in concepts:
        common = max(frequencies.get(term, 0) for term in concept.terms)
        yield concept, concept.weight * rarity(blocks, common)


def _as_identifiers(joined: Concept) -> list[str]:
    """Spell neighbouring words as code does: `error handlers` -> errorhandler, error_handlers, error_handler."""
    snake = "_".join(joined.text.lower().split())
    return list(dict.fromkeys([*joined.terms, snake, snake.removesuffix("s")]))
