"""The two configuration files, read as raw tables."""

import tomllib
from pathlib import Path
from typing import Any

import platformdirs


def user_config_file() -> Path:
    """Return where the user's own settings live; the file need not exist."""
    return Path(platformdirs.user_config_dir("codecite", appauthor=False)) / "config.toml"


def read_user_table() -> tuple[dict[str, Any], list[str]]:
    """Return the user's table and one line per problem; a missing file is an empty table."""
    return _read(user_config_file())


def read_team_table(workspace: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the team's table: `codecite.toml`, else `[tool.codecite]` of `pyproject.toml`."""
    table, problems = _read(workspace / "codecite.toml")
    if table or problems:
        return table, problems
    whole, _ = _read(workspace / "pyproject.toml")  # its own tools report what is wrong with it
    tool = whole.get("tool", {})
    own = tool.get("codecite", {}) if isinstance(tool, dict) else {}
    return (own if isinstance(own, dict) else {}), []


def _read(path: Path) -> tuple[dict[str, Any], list[str]]:
    try:
        if path.is_symlink():
            return {}, [f"{path.name} is a symbolic link and is not read"]
        return tomllib.loads(path.read_text(encoding="utf-8")), []
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return {}, [f"{path} cannot be read: {error}"]
