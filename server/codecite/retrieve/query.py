"""Understand a question: what words it looks for, what names and paths it gives, what kind of thing it asks for.

Any string is a question. What comes out is data for lookups; `match_any` writes it in FTS5 syntax with every term
quoted, so nothing in a question can be read as an operator.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from codecite.model import terms as words_of
from codecite.model.texts import Script
from codecite.retrieve.glossary import translate
from codecite.retrieve.vocabulary import ASKS, CHANGE_VERBS, IN_NAMES, ONLY_TESTS, STOP

LONGEST_QUESTION = 4_000  # characters read: a pasted issue is cut, its first lines say most
MOST_CONCEPTS = 24  # words looked for, the first ones
WEAK = 0.4  # weight of a leading verb of change
JOINED = 0.6  # weight of adjacent words written as one

_BACKQUOTED = re.compile(r"`+([^`\n]{1,200})`+")
_QUOTED = re.compile(r"(?<!\w)['\"“‘]([\w.:/#$-]{2,100})['\"”’](?!\w)")
# One word, or words joined the way code joins them: a.b, a::b, a->b, a#b, a\b, $a, @a/b.
_TOKEN = re.compile(r"[@$]?\w+(?:(?:\.|::|->|#|\\|/|-(?=\w))\w+)*(?:\(\))?")
_PATH = re.compile(r"[\w@.+-]+(?:/[\w@.+-]+)+|\.?[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5}\b")
_ROUTE = re.compile(r"(?<![\w.:/])/\w[\w<>{}:.-]*(?:/[\w<>{}:.-]+)*")  # /orders/{id}, an absolute path
_LATIN = re.compile(r"\b(?:e\.g|i\.e|etc|vs)\.?(?!\w)", re.IGNORECASE)
_SPLIT_NAME = re.compile(r"\.|::|->|#|\\|/")
_INNER_CASE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")
_CODE_LIKE = re.compile(r"\w_\w|^_|\(\)$|\w(?:\.|::|->|#|\\)\w|^[@$]")


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing that a question looks for: as it was written, and the terms any of which would meet it."""

    text: str
    terms: tuple[str, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Query:
    """A question, understood.

    `concepts` are the content words in order; `joined` are adjacent words written as one ("from json" -> fromjson).
    `identifiers` are names given as code; `names` adds capitalised words, which may be names; both as written.
    `asks` holds the roles of files that the question asks for by a word; `symbol` says that it is nothing but a name,
    `change` that it reads like a change request or a commit subject, `only_tests` that nothing but tests would answer.
    """

    question: str
    concepts: tuple[Concept, ...]
    joined: tuple[Concept, ...]
    identifiers: tuple[str, ...]
    names: tuple[str, ...]
    paths: tuple[str, ...]
    asks: frozenset[str]
    symbol: bool
    change: bool
    only_tests: bool
    script: Script

    def terms(self) -> tuple[str, ...]:
        """Return every term of the concepts and the joined words, each once, in order."""
        return tuple(dict.fromkeys(t for c in (*self.concepts, *self.joined) for t in c.terms))


def quoted(term: str) -> str:
    """Write a term as an FTS5 string: whatever it holds is text."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def match_any(terms: Iterable[str], columns: Iterable[str] = ()) -> str:
    """Write an FTS5 query for any of the terms, in all columns or in these; "" when there is no term."""
    alternatives = " OR ".join(quoted(term) for term in terms if term.strip("\0 "))
    where = " ".join(columns)
    return f"{{{where}}} : ({alternatives})" if where and alternatives else alternatives


def match_two(terms: Sequence[str], frequencies: Mapping[str, int], rare: int) -> str:
    """Write an FTS5 query for what holds a rare term, or two of the others.

    Of blocks that hold one common word alone there are too many to score, and hardly one is ever among the best
    (measured on 58,000 blocks: half the time, all of the first 100 kept). "" where it would leave nothing out.
    """
    ordered = sorted(terms, key=lambda term: frequencies.get(term, 0))
    alone = [term for term in ordered if frequencies.get(term, 0) <= rare]
    common = ordered[len(alone) :]
    if len(common) < 2:
        return ""
    pairs = [f"({quoted(term)} AND ({match_any(common[:n])}))" for n, term in enumerate(common) if n]
    return " OR ".join([*map(quoted, alone), *pairs])


def understand(question: str) -> Query:
    """Read a question."""
    text = _LATIN.sub(" ", question[:LONGEST_QUESTION])
    plain = question[:LONGEST_QUESTION].strip()
    raw = words_of.words(text)
    change = _is_change(raw)
    identifiers, names = _names(text)
    concepts = _concepts(raw, change=change)
    is_name = bool(plain) and len(plain.split()) == 1 and not words_of.is_cjk(plain[0])
    asked = frozenset(role for role, signs in ASKS.items() if any(w.lower() in signs for w in _signs(raw)))
    return Query(
        question=question,
        concepts=tuple(concepts)[:MOST_CONCEPTS],
        joined=tuple(_joined(raw))[: 2 * MOST_CONCEPTS],
        identifiers=tuple(dict.fromkeys([*identifiers, plain.strip("`'\"")] if is_name else identifiers)),
        names=tuple(dict.fromkeys(names)),
        paths=tuple(dict.fromkeys(m.group().strip(".") for m in _PATH.finditer(text) if len(m.group()) > 3)),
        asks=asked,
        symbol=is_name
        or (bool(identifiers) and all(t in identifiers for t in plain.replace("`", "").split())),
        change=change,
        only_tests=not change and any(word.lower() in ONLY_TESTS for word in raw),
        script="zh" if any(words_of.is_cjk(word) for word in raw) else "en",
    )


def name_forms(name: str) -> list[str]:
    """Return the spellings under which a written name may be defined: `a::b()` -> a::b, a.b, b."""
    bare = name.strip("`'\"").removesuffix("()").lstrip("@$.").strip()
    parts = [part for part in _SPLIT_NAME.split(bare) if part]
    if not parts:
        return []
    return list(dict.fromkeys([bare, ".".join(parts), parts[-1]]))


def _is_change(raw: list[str]) -> bool:
    """Say whether it opens with a verb of change, perhaps after a scope: "docs: fix …", "CI: drop …"."""
    return any(word.lower() in CHANGE_VERBS for word in raw[:2])


def _names(text: str) -> tuple[list[str], list[str]]:
    """Return (names given as code, those and words that are capitalised inside a sentence)."""
    identifiers = [m.group(1).strip() for m in (*_BACKQUOTED.finditer(text), *_QUOTED.finditer(text))]
    identifiers = [name for name in identifiers if name and not re.search(r"\s", name)]
    identifiers += _ROUTE.findall(text)
    names = list(identifiers)
    for number, match in enumerate(_TOKEN.finditer(text)):
        token = match.group()
        if _CODE_LIKE.search(token) or _INNER_CASE.search(token):
            identifiers.append(token)
            names.append(token)
        elif number and token[0].isupper() and not token.isupper() and token.lower() not in STOP:
            names.append(token)
    return identifiers, names


def _signs(raw: list[str]) -> Iterator[str]:
    """Yield the words that may ask for a kind of file: a run of Chinese gives its pieces."""
    for word in raw:
        if words_of.is_cjk(word):
            yield from (piece for piece, _ in translate(word))
        else:
            yield word


def _concepts(raw: list[str], *, change: bool) -> Iterator[Concept]:
    seen: set[tuple[str, ...]] = set()
    for concept in _all_concepts(raw, change=change):
        if concept.terms and concept.terms not in seen:
            seen.add(concept.terms)
            yield concept


def _all_concepts(raw: list[str], *, change: bool) -> Iterator[Concept]:
    content = [word for word in raw if words_of.is_cjk(word) or word.lower() not in STOP]
    for number, word in enumerate(content or raw):  # a question of function words alone is taken at its word
        if words_of.is_cjk(word):
            yield from _chinese(word)
            continue
        weight = WEAK if change and number < 2 and word.lower() in CHANGE_VERBS and len(content) > 1 else 1.0
        for term in words_of.terms(word):
            yield Concept(word, (term,), weight)


def _chinese(run: str) -> Iterator[Concept]:
    for piece, english in translate(run):
        pairs = words_of.terms(piece)
        if english is None:
            for pair in pairs:
                yield Concept(pair, (pair,))
        elif english:
            yield Concept(piece, tuple(dict.fromkeys([*(words_of.stem(word) for word in english), *pairs])))


def _joined(raw: list[str]) -> Iterator[Concept]:
    """Yield neighbouring words as the one identifier they may be; whether it exists is for the index to say."""
    runs: list[tuple[str, tuple[str, ...]]] = []
    for word in raw:
        if words_of.is_cjk(word):
            runs += [(piece, english) for piece, english in translate(word) if english]
        else:
            compound = "".join(words_of.subwords(word))
            runs.append((word, tuple(dict.fromkeys([compound, _singular(compound)]))))
    for size in (2, 3):
        for start in range(len(runs) - size + 1):
            window = runs[start : start + size]
            stops = [text.lower() for text, _ in window if text.lower() in STOP]
            if len(stops) == size or not IN_NAMES.issuperset(stops):
                continue
            forms = tuple(
                dict.fromkeys("".join(choice) for choice in product(*(words for _, words in window)))
            )
            yield Concept(" ".join(text for text, _ in window), forms, JOINED)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
