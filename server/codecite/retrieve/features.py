"""What speaks for a file: features between 0 and 1, scaled within one question.

Some are known from the lookups alone (`gather`); what only the stored rows can tell, which words a block really holds
and how its name answers the question, is added for the files in front (`read_in`).
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import nlargest
from operator import itemgetter
from statistics import median

from codecite.model import terms as words_of
from codecite.model.blocks import Block, Definition
from codecite.retrieve.paths import PathIndex
from codecite.retrieve.priors import Priors
from codecite.retrieve.query import Concept, Query, name_forms
from codecite.retrieve.sources import Looked

BEST_BLOCKS = 6  # blocks of a file that its coherence counts
DECAY = 0.6  # each further block counts this much of the one before
BY_PATH = 40  # files taken for their path alone
OTHER_CASE = 0.6  # a definition spelled with other capitals than asked
CAPITALISED = 0.5  # a definition named by a word that is only capitalised
JOINED_NAME = 0.4  # a definition named by adjacent words of the question
_KINDS = {"heading": 0.3, "variable": 0.7, "constant": 0.8, "field": 0.6, "property": 0.7, "method": 0.85}


@dataclass(frozen=True, slots=True)
class HeldBlock:
    """A stored block and the terms it holds: of its text with comments and the names around it, of its own name."""

    block: Block
    terms: frozenset[str]
    name: frozenset[str]
    name_words: tuple[str, ...]

    @classmethod
    def of(cls, block: Block) -> "HeldBlock":
        """Read a block."""
        return cls(
            block,
            frozenset(words_of.terms(f"{block.text}\n{block.symbol}")),
            frozenset(words_of.terms(block.name)),
            tuple(map(words_of.stem, words_of.subwords(block.name))),
        )


# In the order in which a candidate holds them; `weights.Weights` has a field for each.
FEATURES = (
    "block",  # its best block by BM25
    "coherence",  # its best blocks together, each further one counting less
    "path",  # how much of the question its path names
    "stem_share",  # how much of the file's own name is asked for
    "exact_stem",  # its name is a word of the question, or neighbouring ones
    "definition",  # it defines what the question names
    "vector",  # its best block by meaning
    "symbol",  # its best name: how much of it is asked for, times how much of the question it is
    "symbol_cover",  # how much of the question its names hold
    "cover",  # how much of the question its blocks hold
)
_BLOCK, _COHERENCE = 0, 1
_SYMBOL = FEATURES.index("symbol")


@dataclass(slots=True)
class Candidate:
    """A file on its way up or down. Blocks are (id, worth), best first."""

    path: str
    prior: float
    keyword: list[tuple[str, float]] = field(default_factory=list)
    vectors: list[tuple[str, float]] = field(default_factory=list)
    definitions: list[tuple[Definition, float]] = field(default_factory=list)
    features: list[float] = field(default_factory=list)  # by `FEATURES`
    score: float = 0.0
    order: list[str] = field(default_factory=list)  # ids of the blocks that were read, the one to cite first

    def wanted(self) -> list[str]:
        """Return the ids of the blocks that are worth reading."""
        ids = [identity for identity, _ in (*self.keyword[:2], *self.vectors[:1])]
        return list(dict.fromkeys(ids))


def gather(
    query: Query, looked: Looked, index: PathIndex, priors: Priors, near: Mapping[str, str]
) -> list[Candidate]:
    """Return the files that any source found, with the features that need no rows.

    `near` holds the path of each block that a vector found and the ledger still has.
    """
    files = _found(query, looked, priors, near)
    asked = looked.terms()
    total = sum(weight for _, weight in looked.content) or 1.0
    spelled = asked | {concept.text.lower() for concept in query.concepts}
    for one in files:
        place = index.places[one.path]
        coherence, part = 0.0, 1.0
        for _, score in one.keyword[:BEST_BLOCKS]:
            coherence += score * part
            part *= DECAY
        one.features = [
            one.keyword[0][1] if one.keyword else 0.0,
            coherence,
            min(1.0, looked.path_recall.get(one.path, 0.0) / total),
            _share(place.stem_words, asked),
            1.0 if place.stem_name in spelled else 0.0,
            max(value for _, value in one.definitions) if one.definitions else 0.0,
            one.vectors[0][1] if one.vectors else 0.0,
            0.0,
            0.0,
            0.0,
        ]
    for feature in (_BLOCK, _COHERENCE):
        _scale(files, feature)
    return files


def _found(query: Query, looked: Looked, priors: Priors, near: Mapping[str, str]) -> list[Candidate]:
    """Return every file that a source found, with what it found there."""
    files: dict[str, Candidate] = {}

    def file(path: str) -> Candidate:
        found = files.get(path)
        if found is None:
            found = files[path] = Candidate(path, priors.of(path))
        return found

    for match in looked.keyword:
        file(match.path).keyword.append((match.id, match.score))
    certainty = _certainties(query, looked)
    for path, definition in looked.definitions:
        if value := _definition_value(certainty, definition):
            file(path).definitions.append((definition, value))
    for identity, value in _nearness(looked.vectors):
        if identity in near:
            file(near[identity]).vectors.append((identity, value))
    for path, _ in nlargest(BY_PATH, looked.path_recall.items(), key=itemgetter(1)):
        file(path)
    return list(files.values())


def read_in(
    files: Sequence[Candidate], held: Mapping[str, HeldBlock], looked: Looked, index: PathIndex
) -> None:
    """Add the features that the blocks tell, and order each file's blocks, the one to cite first."""
    asked = looked.terms()
    top = max((score for one in files for _, score in one.keyword[:1]), default=0.0) or 1.0
    for one in files:
        place = index.places[one.path]
        terms = set(place.stem | place.parent | place.above)
        named: set[str] = set()
        best_name = 0.0
        keyword, nearness = dict(one.keyword), dict(one.vectors)
        worth: dict[str, float] = {}
        for identity in one.wanted():
            found = held[identity]
            answer = _share(found.name_words, asked)
            if answer:
                answer *= covered(looked.content, found.name)
                named |= found.name
                best_name = max(best_name, answer)
            terms |= found.terms
            defines = max((v for d, v in one.definitions if d.symbol == found.block.symbol), default=0.0)
            words, meaning = keyword.get(identity, 0.0) / top, nearness.get(identity, 0.0)
            worth[identity] = words + 0.5 * answer + 2 * defines + 0.4 * meaning
        one.features[_SYMBOL:] = [best_name, covered(looked.content, named), covered(looked.content, terms)]
        one.order = sorted(worth, key=lambda identity: -worth[identity])
    _scale(files, _SYMBOL)


def covered(concepts: Iterable[tuple[Concept, float]], terms: AbstractSet[str]) -> float:
    """Return the share of the concepts' weight that the terms meet, 0 to 1."""
    total = met = 0.0
    for concept, weight in concepts:
        total += weight
        if not terms.isdisjoint(concept.terms):
            met += weight
    return met / total if total else 0.0


def _share(words: Sequence[str], asked: AbstractSet[str]) -> float:
    return len([word for word in words if word in asked]) / len(words) if words else 0.0


def _certainties(query: Query, looked: Looked) -> dict[str, float]:
    """Return how surely each spelling names what is asked for, as written and without case."""
    found: dict[str, float] = {}
    for names, certainty in (
        (looked.guesses, JOINED_NAME),
        (query.names, CAPITALISED),
        (query.identifiers, 1.0),
    ):
        for form in (form for name in names for form in name_forms(name)):
            folded = certainty if names is looked.guesses else certainty * OTHER_CASE
            found[form.lower()] = max(found.get(form.lower(), 0.0), folded)
            found[form] = max(found.get(form, 0.0), certainty)
    return found


def _definition_value(certainty: Mapping[str, float], definition: Definition) -> float:
    """Return how well a definition answers to a name in the question, 0 to 1."""
    spellings = (definition.name, definition.symbol, definition.name.lower(), definition.symbol.lower())
    return max(certainty.get(spelling, 0.0) for spelling in spellings) * _KINDS.get(definition.kind, 1.0)


def _nearness(vectors: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Spread cosines over 0 to 1: what is no nearer than the median of what was found says nothing."""
    if not vectors:
        return []
    middle = median(cosine for _, cosine in vectors)
    reach = max(cosine for _, cosine in vectors) - middle
    return [(identity, max(0.0, (cosine - middle) / reach) if reach else 0.0) for identity, cosine in vectors]


def _scale(files: Sequence[Candidate], feature: int) -> None:
    most = max((one.features[feature] for one in files), default=0.0)
    if most > 0:
        for one in files:
            one.features[feature] /= most
