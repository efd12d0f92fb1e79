"""Which definition is meant by a name at a place: told by the file, the scope, the receiver and the imports.

No types are known here. What is singled out is what the text says; of the rest it is said how many there are, so that
nothing wrong is ever said with confidence.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from codecite.model.blocks import Definition
from codecite.model.descriptions import Reason
from codecite.retrieve.imports import ENTRIES, SCRIPTS, Imports, fit
from codecite.retrieve.pointing import Word
from codecite.retrieve.roles import place as place_of
from codecite.retrieve.surroundings import looks_like_code

NO_CODE = frozenset(("heading", "key"))
_MEMBERS = frozenset(("method", "field"))
_CLASSES = frozenset(("class", "interface", "enum", "struct", "trait", "module", "type"))
_SELF = frozenset(("self", "this", "cls", "Self", "static"))
_FAMILIES = {
    **dict.fromkeys(SCRIPTS, "script"),
    **dict.fromkeys(("c", "cpp", "objc", "cuda"), "c"),
    **dict.fromkeys(("java", "kotlin", "scala", "groovy"), "jvm"),
}
# Where a bare name never means a member, and where one from another file has to be imported by name.
_BARE_IS_FREE = SCRIPTS | {"python", "go", "rust", "lua", "luau", "julia"}
_IMPORTED_BY_NAME = SCRIPTS | {"python"}


@dataclass(frozen=True, slots=True)
class Named:
    """A definition and the file that holds it."""

    path: str
    language: str
    definition: Definition

    @property
    def symbol(self) -> str:
        """Its qualified name."""
        return self.definition.symbol

    @property
    def around(self) -> str:
        """The qualified name of what it is defined in, "" for the file itself."""
        return self.symbol[: -len(self.definition.name)].rstrip(".")

    @property
    def is_member(self) -> bool:
        """Whether it is reached through a class or an object."""
        return self.definition.kind in _MEMBERS


@dataclass(frozen=True, slots=True)
class Here:
    """The place that is pointed at.

    `enclosing` are the definitions of its file that hold its line, the outermost first; `prose` says that
    it is in a comment, a string or a document.
    """

    path: str
    language: str
    line: int
    prose: bool
    imports: Imports
    text: str = ""
    enclosing: Sequence[Definition] = ()

    def assigns(self, name: str) -> bool:
        """Say whether the file gives `self` or `this` an attribute of this name, which is no definition."""
        return re.search(rf"\b(?:self|this)\.{re.escape(name)}\s*(?::[^=\n]*)?=(?!=)", self.text) is not None

    def target(self, word: Word) -> str:
        """Return what a name is called where it is defined: imports rename."""
        there = "" if word.member else self.imports.modules.get(word.name, ("", ""))[1]
        return there or word.name


@dataclass(frozen=True, slots=True)
class Choice:
    """The definitions that may be meant, the likeliest first; one alone, and why it, where there is a `reason`."""

    reason: Reason | None
    found: Sequence[Named]
    receiver_unknown: bool = False
    imported_from: str = ""


@dataclass(slots=True)
class Chooser:
    """Chooses for one word. `is_known` says whether the workspace defines a name."""

    word: Word
    here: Here
    is_known: Callable[[str], bool]
    _usable: list[Named] = field(default_factory=list, init=False)

    def choose(self, candidates: Iterable[Named]) -> Choice | None:
        """Choose among the definitions of the name that the word has; None where nothing should be said."""
        found = list(candidates)
        speaking = self.word.member or self.word.called or self.word.quoted or looks_like_code(self.word.name)
        if self.here.prose and not speaking:
            return None
        if own := [one for one in found if self._is_itself(one)]:
            return None if own[0].definition.kind == "heading" else Choice("itself", own[:1])
        self._usable = [one for one in found if one.definition.kind not in NO_CODE and self._is_kin(one)]
        if not self._usable:
            return None
        if self.word.member:
            return self._of_receiver()
        return self._likely(self._usable) if self.here.prose else self._bare()

    # --- a name by itself -----------------------------------------------------------------------------------

    def _bare(self) -> Choice | None:
        language = self.here.language
        free = [one for one in self._usable if not (one.is_member and language in _BARE_IS_FREE)]
        if near := [one for one in free if one.path == self.here.path and self._is_in_scope(one)]:
            innermost = max(len(one.around) for one in near)
            near = [one for one in near if len(one.around) == innermost]
            return Choice("scope", near) if len(near) == 1 else self._likely(near)
        away = [one for one in free if one.path != self.here.path]
        if language in _BARE_IS_FREE:
            away = [one for one in away if not one.around or language == "rust"]
        if (imported := self.here.imports.modules.get(self.word.name)) is not None:
            return self._imported(away, imported[0], named=bool(imported[1]))
        imports = self.here.imports
        if language == "go":
            folder = posixpath.dirname(self.here.path)
            away = [one for one in away if posixpath.dirname(one.path) == folder]
        elif language in _IMPORTED_BY_NAME and not imports.whole and (imports.any or language == "python"):
            return None
        return self._likely(away)

    def _imported(self, away: Sequence[Named], module: str, *, named: bool) -> Choice | None:
        if best := self._of_module(away, module):
            return Choice("import", best) if len(best) == 1 else self._likely(best)
        if not named or not away:
            return None
        return Choice(None, self._ranked(away), imported_from=module)

    # --- a name behind a receiver ---------------------------------------------------------------------------

    def _of_receiver(self) -> Choice | None:
        receiver = self.word.receiver
        members = [one for one in self._usable if one.is_member or one.around]
        if not receiver or receiver[-1] in _SELF or receiver[-1] == "super":
            return self._of_self(members)
        last = receiver[-1]
        for tail in dict.fromkeys((".".join((*receiver, self.word.name)), f"{last}.{self.word.name}")):
            if exact := [one for one in self._usable if f".{one.symbol}".endswith(f".{tail}")]:
                return self._exact(exact, last)
        if receiver[0] in self.here.imports.modules:
            return self._of_import(members)
        if self.here.language != "python":
            module_like = [one for one in self._usable if not one.around and _stem(one) == last]
            if len(module_like) == 1:
                return Choice("receiver", module_like)
        return self._unsure(members)

    def _of_self(self, members: Sequence[Named]) -> Choice | None:
        """Choose for `self.name`, or for what is taken from something without a name."""
        own = self._of_own_class() if self.word.receiver[-1:] != ("super",) else []
        if not own and self.word.receiver and self.here.assigns(self.word.name):
            return None
        return Choice("receiver", own) if len(own) == 1 else self._unsure(own or members)

    def _of_import(self, members: Sequence[Named]) -> Choice | None:
        first, *rest = self.word.receiver
        module, there = self.here.imports.modules[first]
        free = [one for one in self._usable if not one.around]
        if best := self._of_module(free, ".".join(filter(None, (module, there, *rest)))):
            return Choice("import", best) if len(best) == 1 else self._likely(best)
        return self._unsure(members) if there and self.is_known(there) else None

    def _of_own_class(self) -> list[Named]:
        for outer in reversed(self.here.enclosing):
            if outer.kind in _CLASSES:
                wanted = f"{outer.symbol}.{self.word.name}"
                return [one for one in self._usable if (one.path, one.symbol) == (self.here.path, wanted)]
        return []

    def _exact(self, exact: Sequence[Named], receiver: str) -> Choice | None:
        if len(exact) > 1 and (imported := self.here.imports.modules.get(receiver)):
            exact = self._of_module(exact, imported[0]) or exact
        elif same := [one for one in exact if one.path == self.here.path]:
            exact = same
        return Choice("receiver", exact) if len(exact) == 1 else self._likely(exact, only=False)

    # --- what they share ------------------------------------------------------------------------------------

    def _is_itself(self, one: Named) -> bool:
        at = one.definition
        return (
            one.path == self.here.path
            and at.name_line == self.here.line
            and at.name_column <= self.word.column < at.name_column + max(1, len(at.name))
        )

    def _is_kin(self, one: Named) -> bool:
        return self.here.prose or _family(one.language) == _family(self.here.language)

    def _is_in_scope(self, one: Named) -> bool:
        around = one.around
        return not around or any(
            outer.symbol == around or outer.symbol.startswith(f"{around}.") for outer in self.here.enclosing
        )

    def _of_module(self, candidates: Sequence[Named], module: str) -> list[Named]:
        """Return those that best fit a module's name, none where none does."""
        fits = [(fit(one.path, module, self.here.path), one) for one in candidates]
        best = max((fit for fit, _ in fits), default=0)
        return [one for fit, one in fits if fit == best and fit]

    def _likely(self, found: Sequence[Named], *, only: bool = True) -> Choice | None:
        if not found:
            return None
        return Choice("only" if only and len(found) == 1 else None, self._ranked(found))

    def _unsure(self, members: Sequence[Named]) -> Choice | None:
        if place_of(self.here.path).role != "test":
            members = [one for one in members if place_of(one.path).role != "test"]
        choice = self._likely(members)
        return choice and Choice(choice.reason, choice.found, receiver_unknown=True)

    def _ranked(self, found: Sequence[Named]) -> list[Named]:
        here = self.here.path.split("/")

        def order(one: Named) -> tuple[bool, bool, int, str, int]:
            path = one.path.split("/")
            shared = next((n for n, (a, b) in enumerate(zip(here, path, strict=False)) if a != b), len(path))
            role = place_of(one.path).role
            return one.path != self.here.path, role != "code", -shared, one.path, one.definition.name_line

        return sorted(found, key=order)


def _family(language: str) -> str:
    return _FAMILIES.get(language, language)


def _stem(one: Named) -> str:
    folder, _, name = one.path.rpartition("/")
    stem = name.split(".", 1)[0]
    return folder.rpartition("/")[2] if stem in ENTRIES or one.language == "go" else stem
