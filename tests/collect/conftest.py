"""Real git repositories, without anybody's git configuration."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.collect.repository import NO_SETTINGS, Repository


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Git as it comes, for the tests and for the code that they test."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in NO_SETTINGS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def make(tmp_path: Path) -> Callable[[str], Repository]:
    """Make an empty directory below the test's own, not yet a repository."""
    return lambda name: Repository(tmp_path / name)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty repository without a commit."""
    return Repository(tmp_path / "repository").start()
