"""Settings: raw tables become resolved values; an invalid value is reported by name and its default kept.

Two files exist. The user's own (`codecite/config.toml` in the platform's configuration folder) may set everything here.
A team's (`codecite.toml`, or `[tool.codecite]` in `pyproject.toml`, at the top of the workspace) may set only what
`TEAM_MAY_SET` names: nothing that runs, sends or listens is ever taken from a repository.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

TEAM_MAY_SET = frozenset({"excludes", "max_leaf_lines", "max_file_bytes"})


@dataclass(frozen=True, slots=True)
class Settings:
    """Resolved settings of one workspace."""

    idle_seconds: float = 300.0  # an engine without clients or work leaves after this long
    max_file_bytes: int = 1_048_576  # larger files are refused as "too-large"
    max_leaf_lines: int = 256  # longer leaves are split at statements
    parse_seconds: float = 5.0  # a file that takes longer to parse is indexed as plain lines
    excludes: tuple[str, ...] = ()  # patterns in the syntax of .gitignore, beside the repository's own


_LIMITS: dict[str, tuple[float, float]] = {
    "idle_seconds": (0.1, 86_400 * 7),
    "max_file_bytes": (1_024, 64 * 1_048_576),
    "max_leaf_lines": (16, 4_096),
    "parse_seconds": (0.1, 120),
}


def resolve(user: Mapping[str, Any], team: Mapping[str, Any]) -> tuple[Settings, tuple[str, ...]]:
    """Lay the team's table over the user's over the defaults; return the settings and one line per problem.

    A team's `excludes` add to the user's; for every other name the team's value wins, since it describes the
    repository and not the machine.
    """
    problems: list[str] = []
    settings = _apply(Settings(), user, "the user's configuration", problems)
    allowed = {name: value for name, value in team.items() if name in TEAM_MAY_SET}
    problems += [
        f"`{name}` in the repository's configuration is left out: only the user's own file may set it"
        for name in team
        if name not in TEAM_MAY_SET and name in {field.name for field in fields(Settings)}
    ]
    shared = _apply(settings, allowed, "the repository's configuration", problems)
    if "excludes" in allowed:
        shared = replace(shared, excludes=settings.excludes + shared.excludes)
    return shared, tuple(problems)


def _apply(settings: Settings, table: Mapping[str, Any], where: str, problems: list[str]) -> Settings:
    known = {field.name for field in fields(Settings)}
    changed: dict[str, Any] = {}
    for name, value in table.items():
        if name not in known:
            continue  # a newer version's setting, or another tool's table
        resolved = _valid(name, value)
        if resolved is None:
            problems.append(
                f"`{name} = {value!r}` in {where} is not valid; using {getattr(settings, name)!r}"
            )
        else:
            changed[name] = resolved
    return replace(settings, **changed)


def _valid(name: str, value: object) -> float | int | tuple[str, ...] | None:
    """Return the value in its proper type, or None when it is not one."""
    if name == "excludes":
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    low, high = _LIMITS[name]
    if not low <= value <= high:
        return None
    return int(value) if name.startswith("max_") else float(value)
