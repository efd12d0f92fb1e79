"""How much a file's role counts for or against it, given what a question asks for."""

from dataclasses import dataclass, field

from codecite.retrieve.paths import PathIndex
from codecite.retrieve.query import Query
from codecite.retrieve.roles import Flag, Role

# (factor, factor when the question asks for that kind of file)
ROLES: dict[Role, tuple[float, float]] = {
    "code": (1.0, 1.0),
    "test": (0.3, 0.6),
    "example": (0.3, 0.7),
    "docs": (0.35, 1.0),
    "config": (0.35, 1.0),
    "translation": (0.2, 0.3),
    "changelog": (0.3, 0.6),
    "other": (0.3, 0.7),
}
FLAGS: dict[Flag, float] = {"vendored": 0.4, "generated": 0.5, "re-export": 0.6}
OLD_VERSION = 0.5
HIDDEN = 0.6
CHANGED = (
    0.4  # documents and configuration in a change request: changes touch them more often than questions do
)
NOT_TESTS = 0.6  # code, when only tests would answer

# Words of a question that name a role's own folders or files, so that its prior is lifted altogether.
_NAMED_BY = {
    "example": frozenset(("benchmark", "bench", "demo", "sampl", "tutori")),
    "translation": frozenset(("local", "translat", "i18n", "l10n")),
    "vendored": frozenset(("vendor",)),
    "generated": frozenset(("generat",)),
}


@dataclass(frozen=True, slots=True)
class Priors:
    """The factors of one question's files."""

    query: Query
    index: PathIndex
    terms: frozenset[str]
    _known: dict[tuple[Role, frozenset[Flag], bool], float] = field(default_factory=dict)

    def of(self, path: str) -> float:
        """Return the factor by which a file's score is multiplied, above 0 and at most 1."""
        where = self.index.places.get(path)
        if where is None:
            return 1.0
        old = path in self.index.old_versions and not self._names_version(path)
        key = (where.role, where.flags, old)
        if key not in self._known:
            self._known[key] = self._factor(where.role, where.flags, old=old)
        return self._known[key]

    def _factor(self, role: Role, flags: frozenset[Flag], *, old: bool) -> float:
        factor = self._of_role(role) * (OLD_VERSION if old else 1.0)
        for flag in flags:
            if not self._named(flag):
                factor *= FLAGS.get(flag, 1.0)
        if "hidden" in flags and "config" not in self.query.asks:
            factor *= HIDDEN
        return factor

    def _of_role(self, role: Role) -> float:
        usual, asked = ROLES[role]
        if self.query.only_tests and role in {"test", "code"}:
            return 1.0 if role == "test" else NOT_TESTS
        if role in self.query.asks or (role == "other" and self.query.asks):
            return asked
        if self._named(role):
            return 1.0
        return max(usual, CHANGED) if self.query.change and role in {"docs", "config"} else usual

    def _named(self, what: str) -> bool:
        return bool(self.terms & _NAMED_BY.get(what, frozenset()))

    def _names_version(self, path: str) -> bool:
        return any(part.lower() in self.terms for part in path.split("/")[:-1])
