"""Raw tables become settings; what a repository may not set, it cannot."""

from pathlib import Path
from typing import Any

import pytest

from codecite.adapters.config_files import read_team_table
from codecite.settings import Settings, resolve


def test_tables_lie_over_the_defaults_and_excludes_add_up() -> None:
    settings, problems = resolve(
        {"idle_seconds": 60, "excludes": ["*.tmp"], "unknown": 1},
        {"max_leaf_lines": 100, "excludes": ["data/"]},
    )
    assert problems == ()
    assert settings == Settings(idle_seconds=60.0, max_leaf_lines=100, excludes=("*.tmp", "data/"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("idle_seconds", -1),
        ("idle_seconds", "soon"),
        ("max_file_bytes", True),
        ("max_leaf_lines", 0),
        ("excludes", "x"),
        ("excludes", [1]),
    ],
)
def test_an_invalid_value_is_named_and_its_default_kept(name: str, value: Any) -> None:
    settings, problems = resolve({name: value}, {})
    assert settings == Settings()
    assert len(problems) == 1
    assert name in problems[0]


def test_a_repository_cannot_set_what_is_the_users() -> None:
    settings, problems = resolve({}, {"idle_seconds": 1, "parse_seconds": 100})
    assert settings == Settings()
    assert [name for name in ("idle_seconds", "parse_seconds") if any(name in said for said in problems)]
    assert len(problems) == 2


def test_the_teams_table_comes_from_its_own_file_or_from_pyproject(tmp_path: Path) -> None:
    assert read_team_table(tmp_path) == ({}, [])
    (tmp_path / "pyproject.toml").write_text('[tool.codecite]\nexcludes = ["a"]\n')
    assert read_team_table(tmp_path) == ({"excludes": ["a"]}, [])
    (tmp_path / "codecite.toml").write_text('excludes = ["b"]\n')
    assert read_team_table(tmp_path) == ({"excludes": ["b"]}, [])
    (tmp_path / "codecite.toml").write_text("excludes = [")
    table, problems = read_team_table(tmp_path)
    assert table == {}
    assert "codecite.toml" in problems[0]
    (tmp_path / "codecite.toml").unlink()
    (tmp_path / "codecite.toml").symlink_to(tmp_path / "pyproject.toml")
    assert read_team_table(tmp_path)[0] == {}
