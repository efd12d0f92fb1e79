"""Find names as people type them: `gq`, `getq`, `getQuery` and `Manager.get` all find `Manager.get_queryset`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from codecite.model.terms import subwords

SHORT = 2  # letters: so few stand in order in almost any name, so they have to begin it or its words
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
        folded = name.lower()
        if folded == self.name:
            return (0 if name == self.typed else 1), 0
        if folded.startswith(self.name):
            return 2, len(name)
        words = subwords(name)
        if "".join(word[0] for word in words).startswith(self.name.replace("_", "")):
            return 3, len(name)
        squeezed, wanted = "".join(words), self.name.replace("_", "")
        if wanted and squeezed.startswith(wanted):
            return 3, len(name)
        if any(word.startswith(self.name) for word in words):
            return 4, len(name)
        if len(self.name) <= SHORT:
            return None
        if self.name in folded or (wanted and wanted in squeezed):
            return 5, len(name)
        return (6, len(name)) if stands_in_order(self.name, folded) else None

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


@dataclass(slots=True)
class Names:
    """Every name of one state of a ledger, searched as a whole. `apart` marks those that are none of code."""

    names: Sequence[tuple[str, bool]]
    _text: str = field(init=False)

    def __post_init__(self) -> None:
        self.names = [item for item in self.names if len(item[0]) <= LONGEST_NAME and "\n" not in item[0]]
        self._text = "\n".join(name.lower().replace("\n", " ") for name, _ in self.names)

    def matching(self, query: NameQuery) -> list[tuple[Rank, str]]:
        """Return the names that fit, best first, those that are none of code last."""
        found = []
        for name, apart in self._candidates(query.name):
            rank = query.rank(name)
            if rank is not None:
                found.append(((int(apart), *rank), name))
        return sorted(found)

    def _candidates(self, letters: str) -> Iterator[tuple[str, bool]]:
        """Yield the names in which the letters stand in order; the pattern does in C what a loop does slowly."""
        between = "".join(f"[^\\n{re.escape(one)}]*{re.escape(one)}" for one in letters)
        pattern = re.compile(rf"^{between}[^\n]*", re.MULTILINE)
        line, at = 0, 0
        for match in pattern.finditer(self._text):
            line += self._text.count("\n", at, match.start())
            at = match.start()
            yield self.names[line]
