"""Looking again where something happened sees what looking at everything sees."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.collect.repository import Repository

from codecite.adapters.disk import WorkTree
from codecite.adapters.git import GitCommand
from codecite.collect.scan import scan, scan_again
from codecite.collect.walk import Scan, ScanRules

RULES = ScanRules(excludes=("/left/",), max_file_bytes=100)


# Each step returns where a watcher would see something.
def write(root: Path, path: str, text: str) -> set[str]:
    here = root / path
    here.parent.mkdir(parents=True, exist_ok=True)
    if here.is_symlink() or not here.is_dir():
        here.unlink(missing_ok=True)
        here.write_text(text)
    return {path}


def delete(root: Path, path: str, _: object) -> set[str]:
    (root / path).unlink(missing_ok=True)
    return {path}


def delete_folder(root: Path, path: str, _: object) -> set[str]:
    shutil.rmtree(root / path, ignore_errors=True)
    return {path}


def move_folder(root: Path, path: str, to: str) -> set[str]:
    here, target = root / path, root / to
    if here.is_dir() and not target.exists() and not f"{to}/".startswith(f"{path}/"):
        target.parent.mkdir(parents=True, exist_ok=True)
        here.rename(target)
    return {path, to}


def put(root: Path, path: str, text: str) -> set[str]:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    return {path}


def begin_repository(root: Path, path: str, _: object) -> set[str]:
    bare(root, f"{path}/.git", None)
    return {f"{path}/.git"}


def mark(root: Path, path: str, _: object) -> set[str]:
    return put(root, f"{path}/pyvenv.cfg", "home = /\n")


def bare(root: Path, path: str, _: object) -> set[str]:
    for part in ("objects", "refs"):
        (root / path / part).mkdir(parents=True, exist_ok=True)
    put(root, f"{path}/HEAD", "ref: refs/heads/main\n")
    return {f"{path}/HEAD", f"{path}/objects", f"{path}/refs"}


def link(root: Path, path: str, _: object) -> set[str]:
    (root / "link.py").unlink(missing_ok=True)
    (root / "link.py").symlink_to(root / path)
    return {"link.py"}


Step = Callable[[Path, str, Any], set[str]]
PATHS = st.sampled_from(
    [
        "a.py",
        "b.log",
        "src/a.py",
        "src/deep/c.py",
        "src/deep/er/d.py",
        "lib/e.py",
        "left/f.py",
        "node_modules/m/i.js",
    ]
)
FOLDERS = st.sampled_from(["src", "src/deep", "lib", "left", "fresh/new"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just(write), PATHS, st.sampled_from(["x\n", "longer\n", "y" * 200])),
        st.tuples(st.just(delete), PATHS, st.none()),
        st.tuples(st.just(delete_folder), FOLDERS, st.none()),
        st.tuples(st.just(move_folder), FOLDERS, FOLDERS),
        st.tuples(st.just(put), st.sampled_from([".gitignore", "src/.gitignore"]), st.sampled_from(["*.log\n", "deep/\n", ""])),
        st.tuples(st.just(begin_repository), FOLDERS, st.none()),
        st.tuples(st.just(mark), FOLDERS, st.none()),
        st.tuples(st.just(bare), FOLDERS, st.none()),
        st.tuples(st.just(link), PATHS, st.none()),
    ),
    max_size=4,
)  # fmt: skip


def merged(before: Scan, again: Scan) -> Scan:
    """Put what was seen again in the place of what was known of the same folders."""
    assert again.folders is not None
    looked = again.folders

    def folder(path: str) -> str:
        return path.rstrip("/").rpartition("/")[0]

    files = [stamp for stamp in before.files if folder(stamp.path) not in looked] + again.files
    refusals = [one for one in before.refusals if folder(one.path) not in looked] + again.refusals
    return Scan(
        sorted(files, key=lambda one: one.path),
        sorted(refusals, key=lambda one: one.path),
        None,
        again.walked,
    )


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(STEPS, min_size=1, max_size=4))
def test_it_equals_a_whole_scan(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[list[tuple[Step, str, Any]]]
) -> None:
    root = tmp_path_factory.mktemp("again")
    for path in ("a.py", "src/a.py", "src/deep/c.py", "lib/e.py"):
        write(root, path, "x\n")
    disk, git = WorkTree(root), GitCommand(root)
    known = scan(disk, git, RULES)
    for steps in rounds:
        paths = set().union(*(do(root, path, more) for do, path, more in steps)) if steps else set()
        again = scan_again(disk, RULES, known.walked, paths)
        whole = scan(disk, git, RULES)
        now = whole if again is None else merged(known, again)
        assert now.files == whole.files
        assert now.refusals == whole.refusals
        assert now.walked.folders.keys() == whole.walked.folders.keys()
        assert now.walked.shut == whole.walked.shut
        known = now
    shutil.rmtree(root)


@pytest.mark.parametrize(
    ("paths", "listed"),
    [
        (["src/a.py"], {"src"}),
        (["src"], {"", "src", "src/deep"}),
        (["src/deep/new/x.py"], {"src/deep"}),
        (["build/out.o"], {""}),
        ([".gitignore"], None),
        (["lib/.gitignore", "a.py"], None),
        (["lib/.git"], None),
        (["src/pyvenv.cfg"], None),
        ([], set()),
    ],
)
def test_only_the_folders_that_tell_are_listed(
    repository: Repository, paths: list[str], listed: set[str] | None
) -> None:
    repository.write("a.py", "src/a.py", "src/deep/c.py", "lib/e.py")
    first = repository.scan()
    entered: list[str] = []
    again = scan_again(WorkTree(repository.root), ScanRules(), first.walked, paths, entered.append)
    assert (None if again is None else again.folders) == listed
    if listed is not None:
        assert set(entered) == listed


def test_an_ignore_file_that_changed_unheard_is_noticed_beside_it(repository: Repository) -> None:
    repository.write("a.py", "b.py")
    first = repository.scan()
    repository.put(".gitignore", "b.py\n")
    assert scan_again(WorkTree(repository.root), ScanRules(), first.walked, ["a.py"]) is None


def test_every_folder_is_entered_before_it_is_listed(repository: Repository) -> None:
    repository.write("a.py", "src/deep/c.py", "node_modules/m/i.js")
    entered: list[str] = []
    disk = WorkTree(repository.root)
    seen = scan(disk, GitCommand(repository.root), ScanRules(), entered.append)
    assert set(entered) == set(seen.walked.folders) == {"", "src", "src/deep"}
