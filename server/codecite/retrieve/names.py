"""Find names as people type them: `gq`, `getq`, `getQuery` and `Manager.get` all find `Manager.get_queryset`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from codecite.model.terms import subwords

SHORT = 2  # letters: so few stand in order in almost any name, so they have to begin it or its words
ENOUGH = 150  # names after which those that fit less well are not looked for
LONGEST_NAME = 200  # characters: longer ones are prose
_SEPARATORS = re.compile(r"(?:::|[.#/>:\s])+")

Rank = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NameQuery:
    """What was typed: the name itself, and what has to stand around it, the outermost first. All in lower case."""

    name: str
    around: tuple[str, ...] = ()
    typed: str = ""  # the name in the case that it was typed in

    @classmethod
    def of(cls, text: str) -> "NameQuery | None":
        """Read a query; None where no name is in it."""
        parts = [part for part in _SEPARATORS.split(text.strip()) if part]
        if not parts:
            return None
        return cls(parts[-1].lower(), tuple(part.lower() for part in parts[:-1]), parts[-1])

    def rank(self, name: str) -> Rank | None:
        """Say how well a name fits, the lower the better; None where it does not."""
        folded, shape = name.lower(), _shape(name)
        wanted = self.name.replace("_", "") or self.name
        long = len(self.name) > SHORT
        fits = (
            name == self.typed,
            folded == self.name,
            folded.startswith(self.name),
            shape.initials.startswith(wanted) or shape.squeezed.startswith(wanted),
            any(word.startswith(self.name) for word in shape.words),
            long and (self.name in folded or wanted in shape.squeezed),
            long and stands_in_order(self.name, folded),
        )
        return (fits.index(True), len(name)) if True in fits else None

    def fits_around(self, symbol: str, path: str) -> bool:
        """Say whether what has to stand around a definition does: in its qualified name or its path, in order."""
        around = f"{path}/{symbol}".lower()
        at = 0
        for part in self.around:
            at = around.find(part, at) + len(part)
            if at < len(part):
                return all(stands_in_order(one, around) for one in self.around)
        return True


def stands_in_order(letters: str, text: str) -> bool:
    """Say whether the letters stand in a text in this order, others between them."""
    rest = iter(text)
    return all(letter in rest for letter in letters)


@dataclass(frozen=True, slots=True)
class _Shape:
    """The words of a name, run together, and their first letters; all in lower case."""

    words: tuple[str, ...]
    squeezed: str
    initials: str


@lru_cache(maxsize=60_000)  # the names of a large workspace: all but a few are the same after each save
def _shape(name: str) -> _Shape:
    words = tuple(subwords(name))
    return _Shape(words, "".join(words), "".join(word[0] for word in words))


@dataclass(slots=True)
class Names:
    """Every name of one state of a ledger, searched as a whole. `apart` marks those that are none of code."""

    names: Sequence[tuple[str, bool]]
    _text: str = field(init=False)
    _initials: str = field(init=False)

    def __post_init__(self) -> None:
        known = (item for item in self.names if len(item[0]) <= LONGEST_NAME and "\n" not in item[0])
        # Of names that fit alike the shortest is best, so that a step may end when it has found enough.
        self.names = sorted(known, key=lambda item: (item[1], len(item[0]), item[0]))
        self._text = "\n".join(name.lower() for name, _ in self.names)
        self._initials = "\n".join(_shape(name).initials for name, _ in self.names)

    def matching(self, query: NameQuery) -> list[tuple[Rank, str]]:
        """Return the names that fit, best first, those that are none of code last; of very many, the best only."""
        found: dict[int, tuple[Rank, str]] = {}
        for pattern, text in self._steps(query.name):
            for line in _lines(pattern, text):
                name, apart = self.names[line]
                if line not in found and (rank := query.rank(name)) is not None:
                    found[line] = (int(apart), *rank), name
                if len(found) >= ENOUGH:
                    return sorted(found.values())
        return sorted(found.values())

    def _steps(self, letters: str) -> Iterator[tuple[re.Pattern[str], str]]:
        """Yield what to look for, and in which text, the best fits first; patterns do in C what a loop does slowly."""
        literal = re.escape(letters)
        yield re.compile(rf"^{literal}", re.MULTILINE), self._text
        yield re.compile(rf"^{literal}", re.MULTILINE), self._initials
        if len(letters) > SHORT:
            yield re.compile(literal), self._text
            between = "".join(rf"[^\n{re.escape(one)}]*{re.escape(one)}" for one in letters)
            yield re.compile(rf"^{between}", re.MULTILINE), self._text


def _lines(pattern: re.Pattern[str], text: str) -> Iterable[int]:
    """Yield the lines in which a pattern matches, counted from 0."""
    line, at = 0, 0
    for match in pattern.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield line
