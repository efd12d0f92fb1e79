"""Lift configuration where it answers better than code, whatever words a question uses for it.

"build with node 26" names no configuration, yet no code holds its words. Evidence is what the text says, apart from
names, paths and priors: half the best block, half the share of the question that the blocks hold.
"""

from collections.abc import Sequence

from codecite.retrieve.features import FEATURES, Candidate
from codecite.retrieve.paths import PathIndex
from codecite.retrieve.roles import Role

CLEARLY = 1.15  # how much more evidence configuration must have than code
_BLOCK, _COVER = FEATURES.index("block"), FEATURES.index("cover")


def best_of_role(files: Sequence[Candidate], role: Role, index: PathIndex, count: int) -> list[Candidate]:
    """Return the files of a role that hold the best blocks, whatever their priors."""
    of_role = [one for one in files if index.places[one.path].role == role]
    return sorted(of_role, key=lambda one: -one.features[_BLOCK])[:count]


def lift_config(files: Sequence[Candidate], index: PathIndex) -> None:
    """Take the priors off configuration files when the best of them clearly says more than the best code."""
    by_role: dict[Role, float] = {}
    for one in files:
        role = index.places[one.path].role
        by_role[role] = max(by_role.get(role, 0.0), one.features[_BLOCK] / 2 + one.features[_COVER] / 2)
    if by_role.get("config", 0.0) >= CLEARLY * by_role.get("code", 0.0):
        for one in files:
            if index.places[one.path].role == "config":
                one.prior = 1.0
