"""Say why a block was found, how a question was understood, and how well the index can answer it at all."""

from collections.abc import Mapping, Sequence

from codecite.model.hits import Grounds, Hit
from codecite.retrieve.features import HeldBlock, covered
from codecite.retrieve.paths import PathIndex
from codecite.retrieve.query import Query, name_forms
from codecite.retrieve.sources import Looked

MOST_WORDS = 5  # words named in one line
_REASONS = {  # by the script of the question
    "en": {
        "defines": "defines `{}`",
        "matched": "matched {}",
        "path": "path",
        "meaning": "similar meaning",
        "and": ", ",
    },
    "zh": {
        "defines": "定义 `{}`",
        "matched": "命中 {}",
        "path": "路径相符",
        "meaning": "含义相近",
        "and": "、",
    },
}
SHORTEST_LITERAL = 4  # characters of a literal that says something by standing there
FILES_COUNTED = 5  # best files whose blocks may cover a question


def why(found: HeldBlock, looked: Looked, script: str, *, by_meaning: bool) -> str:
    """Say in one line why a block was found: what it defines, which words it holds, whether its path counted."""
    say = _REASONS[script]
    reasons = []
    block = found.block
    if block.name and block.kind in {"function", "method", "class"}:
        reasons.append(say["defines"].format(block.symbol or block.name))
    met = [(w, concept.text) for concept, w in looked.concepts if not found.terms.isdisjoint(concept.terms)]
    words = list(dict.fromkeys(text for _, text in sorted(met, key=lambda item: -item[0])))[:MOST_WORDS]
    if words:
        reasons.append(say["matched"].format(say["and"].join(words)))
    if block.path in looked.path_recall:
        reasons.append(say["path"])
    if by_meaning:
        reasons.append(say["meaning"])
    return ("；" if script == "zh" else "; ").join(reasons)


def grounds_of(
    query: Query, looked: Looked, hits: Sequence[Hit], held: Mapping[str, HeldBlock], index: PathIndex
) -> Grounds:
    """Measure how much of a question the found blocks hold, and which of its names resolve."""
    by_file: dict[str, set[str]] = {}
    for hit in hits:
        if hit.path in by_file or len(by_file) < FILES_COUNTED:
            place = index.places[hit.path]
            terms = by_file.setdefault(hit.path, set(place.stem | place.parent | place.above))
            terms |= held[hit.id].terms
    defined = {name.lower() for _, d in looked.definitions for name in (d.name, d.symbol)}
    resolved = [
        name for name in query.identifiers if any(form.lower() in defined for form in name_forms(name))
    ]
    resolved += [path for path in query.paths if path in index.places]
    literals = [
        name for name in query.identifiers if len(name) >= SHORTEST_LITERAL and not name.isidentifier()
    ]
    return Grounds(
        weights={term: weight for concept, weight in looked.concepts for term in concept.terms},
        words={term: concept.text for concept, _ in looked.concepts for term in concept.terms},
        identifiers=query.identifiers,
        resolved=tuple(dict.fromkeys(resolved)),
        coverage=max((covered(looked.content, terms) for terms in by_file.values()), default=0.0),
        unknown=looked.unknown,
        verbatim=tuple(name for name in literals if any(name in hit.text for hit in hits)),
        script=query.script,
    )


def plan_of(query: Query, looked: Looked) -> dict[str, object]:
    """Describe how a question was understood, for the retrieval log."""
    return {
        "terms": {concept.text: [*concept.terms, round(weight, 2)] for concept, weight in looked.concepts},
        "identifiers": list(query.identifiers),
        "paths": list(query.paths),
        "asks": sorted(query.asks),
        "kind": "symbol" if query.symbol else "change" if query.change else "question",
        "found": {
            "keyword": len(looked.keyword),
            "symbol": len(looked.definitions),
            "vector": len(looked.vectors),
        },
    }
