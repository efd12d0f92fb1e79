"""The settings of a workspace, from the files that may hold them."""

from pathlib import Path

from codecite.adapters.config_files import read_team_table, read_user_table
from codecite.settings import Settings, resolve


def workspace_settings(workspace: Path) -> tuple[Settings, tuple[str, ...]]:
    """Return the resolved settings and one line per problem with them."""
    user, user_problems = read_user_table()
    team, team_problems = read_team_table(workspace)
    settings, problems = resolve(user, team)
    return settings, (*user_problems, *team_problems, *problems)
