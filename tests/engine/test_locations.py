"""Where stores and sockets are, who may see them, and which workspace a path belongs to."""

import os
import stat
import sys
from pathlib import Path

import pytest

from codecite.engine.locations import (
    LONGEST_SOCKET_PATH,
    home,
    private_folder,
    socket_path,
    store_folder,
    store_path,
    workspace_of,
)
from codecite.model.errors import BadInput, StoreLocked

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and owners of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
def test_a_store_is_private_from_the_start(workspace: Path) -> None:
    old = os.umask(0)
    try:
        store = store_folder(workspace)
        socket = socket_path(store)
    finally:
        os.umask(old)
    assert {mode(folder) for folder in (home() / "workspaces", store, socket.parent)} == {0o700}


@posix
def test_a_looser_mode_is_tightened(workspace: Path) -> None:
    store = store_folder(workspace)
    store.chmod(0o755)
    assert mode(store_folder(workspace)) == 0o700


@posix
def test_a_link_in_place_of_a_folder_is_refused(workspace: Path, tmp_path: Path) -> None:
    store = store_path(workspace)
    store.parent.mkdir()
    store.symlink_to(tmp_path)
    with pytest.raises(StoreLocked, match="link"):
        store_folder(workspace)


@posix
def test_another_users_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: theirs.stat().st_uid + 1)
    with pytest.raises(StoreLocked, match="another user"):
        private_folder(theirs)


@posix
def test_every_spelling_of_a_workspace_has_one_store(workspace: Path, tmp_path: Path) -> None:
    (workspace / "sub").mkdir()
    (tmp_path / "link").symlink_to(workspace)
    spellings = [workspace, workspace / "sub" / "..", tmp_path / "link"]
    assert len({store_path(spelling) for spelling in spellings}) == 1


@pytest.mark.parametrize("name", ["plain", "with space", "漢字", "..dots", "x" * 200, "a:b"])
def test_store_names_are_readable_and_differ(tmp_path: Path, name: str) -> None:
    here, there = tmp_path / "here" / name, tmp_path / "there" / name
    assert store_path(here) != store_path(there)
    assert store_path(here).parent == home() / "workspaces"
    assert len(os.fsencode(store_path(here).name)) < 200


def test_a_workspace_that_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a folder"):
        store_folder(tmp_path / "nothing")


@posix
def test_a_long_runtime_folder_is_passed_over(
    workspace: Path, surroundings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = surroundings / ("x" * 100)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    path = socket_path(store_folder(workspace))
    assert len(os.fsencode(path)) <= LONGEST_SOCKET_PATH
    assert not path.is_relative_to(long)


def test_homes_do_not_share_a_socket(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = socket_path(store_path(workspace))
    monkeypatch.setenv("CODECITE_HOME", str(tmp_path))
    assert socket_path(store_path(workspace)) != one


@pytest.mark.parametrize(
    ("stores", "repositories", "start", "found"),
    [
        ([], [], "a/b", "a/b"),
        ([], ["a"], "a/b/c", "a"),
        ([], ["a", "a/b"], "a/b/c", "a/b"),
        (["a"], ["a/b"], "a/b/c", "a"),
        (["a", "a/b"], [], "a/b/c", "a/b"),
        (["a/b/c"], ["a"], "a/b", "a"),
    ],
)
def test_the_workspace_of_a_path(
    workspace: Path, stores: list[str], repositories: list[str], start: str, found: str
) -> None:
    (workspace / "a" / "b" / "c").mkdir(parents=True)
    for name in stores:
        store_folder(workspace / name)
    for name in repositories:
        (workspace / name / ".git").mkdir()
    (workspace / start / "file.py").touch()
    expected = Path(os.path.realpath(workspace / found))
    assert workspace_of(workspace / start) == expected
    assert workspace_of(workspace / start / "file.py") == expected


def test_a_linked_work_tree_is_a_repository(workspace: Path) -> None:
    (workspace / "sub").mkdir()
    (workspace / ".git").write_text("gitdir: elsewhere\n")
    assert workspace_of(workspace / "sub") == Path(os.path.realpath(workspace))


def test_the_workspace_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        workspace_of(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("git", "own"),
    [
        ("gitdir: ../../.git/worktrees/feat\n", True),
        ("gitdir: ../../.git/modules/sub/worktrees/feat\n", True),
        ("gitdir: ../../.git/modules/sub\n", False),
        ("gitdir: ../../.git/worktrees/feat/modules/sub\n", False),
        (None, True),
    ],
    ids=["work tree", "work tree of a submodule", "submodule", "submodule of a work tree", "nested clone"],
)
def test_a_store_around_what_it_does_not_hold_is_passed_by(
    workspace: Path, git: str | None, own: bool
) -> None:
    inner = workspace / "trees" / "inner"
    (inner / "src").mkdir(parents=True)
    (workspace / ".git").mkdir()
    if git is None:
        (inner / ".git").mkdir()
    else:
        (inner / ".git").write_text(git)
    store_folder(workspace)
    assert workspace_of(inner / "src") == Path(os.path.realpath(inner if own else workspace))
