"""Ignore rules: the same answers as git's, on chosen and on generated rules and trees."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecite.collect.ignore import IgnoreRules
from codecite.ports import IgnoreFile


def git(root: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(
        ["git", "-c", "core.ignoreCase=false", *arguments],
        cwd=root, input=stdin, capture_output=True, check=False,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
    ).stdout  # fmt: skip


def ignored_by_git(repository: Path, root: Path, paths: Iterable[str]) -> set[bytes]:
    """Ask git which of the paths it ignores, with `root` as its work tree."""
    asked = "\0".join(paths).encode() + b"\0"
    where = [f"--git-dir={repository / '.git'}", f"--work-tree={root}"]
    answer = git(root, *where, "check-ignore", "-z", "--stdin", "--no-index", stdin=asked)
    return set(answer.split(b"\0")[:-1])


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ignore")
    git(root, "init", "--quiet")
    return root


# (rules, path, is it ignored); a path that ends in "/" is a directory
CASES = [
    ("a", "a", True),
    ("a", "d/a", True),
    ("a", "a/b", True),
    ("/a", "d/a", False),
    ("d/a", "x/d/a", False),
    ("a/", "a", False),
    ("a/", "a/", True),
    ("a/", "d/a/", True),
    ("#a", "#a", False),
    ("\\#a", "#a", True),
    ("\\!a", "!a", True),
    ("!a", "!a", False),
    ("a  ", "a", True),
    ("a\\ ", "a ", True),
    ("a\\  ", "a ", True),
    ("a\t", "a\t", True),
    ("a\r\nb\r", "b", True),
    ("\ufeffa", "a", True),
    ("a\\", "a", False),
    ("a\\", "a\\", False),
    ("\\a", "a", True),
    ("*.py", "x.py", True),
    ("*.py", "d/.py", True),
    ("*", "a", True),
    ("*\n!a", "a", False),
    ("d/*", "d/a", True),
    ("d/*", "d/e/a", True),
    ("/*/a", "d/a", True),
    ("/*/a", "d/e/a", False),
    ("**/a", "a", True),
    ("**/a", "d/e/a", True),
    ("d/**", "d/", False),
    ("d/**", "d/e/a", True),
    ("d/**/a", "d/a", True),
    ("d/**/a", "d/e/f/a", True),
    ("d**/a", "d/a", True),
    ("d**/a", "dd/e/a", True),
    ("*d**/a", "d/e/a", False),
    ("d/**\\/a", "d/a", False),
    ("d/**\\/a", "d/e/a", True),
    ("d/***/a", "d/e/f/a", True),
    ("a**b", "axb", True),
    ("a**b", "ab", True),
    ("?", "é", False),
    ("??", "é", True),
    ("[é]", "é", False),
    ("[a-c]", "b", True),
    ("[!a-c]", "d", True),
    ("[^a-c]", "b", False),
    ("[]a]", "]", True),
    ("[!]a]", "]", False),
    ("[a-]", "-", True),
    ("[--0]", "0", True),
    ("[a\\]]", "]", True),
    ("[a", "[a", False),
    ("[[:digit:]x]", "7", True),
    ("[[:upper:]]", "a", False),
    ("[[:nothing:]a]", "a", False),
    ("[[:a]", "a", True),
    ("[a-[:digit:]]", "b]", False),
    ("d[/]a", "d/a", False),
    ("d[!x]a", "d/a", False),
    ("/d?a", "d/a", False),
    ("a\n!a\na", "a", True),
    ("d\n!d/a", "d/a", True),
    ("d/*\n!d/a", "d/a", False),
    ("d/*\n!d/a", "d/b", True),
    ("/", "a", False),
    ("//", "a", False),
    ("a//", "a/", False),
    ("!", "a", False),
    ("", "a", False),
    ("a\nb", "a\nb", False),
    ("a?b", "a\nb", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "path", "expected"), CASES)
def test_case_as_git_decides_it(
    tmp_path: Path, repository: Path, text: str, path: str, expected: bool
) -> None:
    place = tmp_path / path
    (place if path.endswith("/") else place.parent).mkdir(parents=True, exist_ok=True)
    if not path.endswith("/"):
        place.touch()
    path = path.rstrip("/")
    (tmp_path / ".gitignore").write_bytes(text.encode())
    assert (path.encode() in ignored_by_git(repository, tmp_path, [path])) is expected, "git says otherwise"

    rules = IgnoreRules()
    rules.add("", text.encode())
    assert rules.ignored(path, is_dir=place.is_dir()) is expected


NAMES = ["a", "b", "ab", "a.b", "A", "[a]", "a b", "é", "-", "]", "a]"]
TOKENS = [
    "a",
    "b",
    "ab",
    "A",
    ".",
    "é",
    "/",
    "/",
    "*",
    "**",
    "**/",
    "/**",
    "?",
    "\\",
    "\\/",
    " ",
    "-",
    "!",
    "]",
]
CLASSES = [
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-z]",
    "[]a]",
    "[[:alpha:]]",
    "[![:digit:]b]",
    "[[:x:]]",
    "[",
    "[\\]]",
    "[a-\\c]",
]
PATTERNS = st.lists(st.sampled_from(TOKENS + CLASSES), max_size=6).map("".join)
LINES = st.tuples(
    st.sampled_from(["", "", "!", "/"]), PATTERNS, st.sampled_from(["", "", "/", " ", "\r"])
).map("".join)
TEXTS = st.lists(LINES, min_size=1, max_size=6).map("\n".join)
PLACES = st.sampled_from(["", "a", "ab", "a/b", "a/a", "a/b/a"])


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bool]]:
    """A directory with every name in it as a file or a directory, three levels deep; which paths are directories."""
    root = tmp_path_factory.mktemp("tree")
    paths: dict[str, bool] = {}
    folders = [""]
    for depth in range(3):
        inner = []
        for folder in folders:
            for number, name in enumerate(NAMES):
                path = f"{folder}/{name}" if folder else name
                paths[path] = is_dir = depth < 2 and number < 3
                if is_dir:
                    inner.append(path)
                    (root / path).mkdir()
                else:
                    (root / path).touch()
        folders = inner
    return root, paths


@settings(max_examples=60, deadline=None)
@given(files=st.dictionaries(PLACES, TEXTS, min_size=1, max_size=3))
def test_generated_rules_decide_as_git_does(
    repository: Path, tree: tuple[Path, dict[str, bool]], files: dict[str, str]
) -> None:
    root, paths = tree
    rules = IgnoreRules()
    written = []
    for place, text in sorted(files.items()):
        if paths.get(place, place == "") and not (place and rules.ignored(place, is_dir=True)):
            written.append(root / place / ".gitignore")
            written[-1].write_bytes(text.encode())
            rules.add(place, text.encode())
    try:
        theirs = ignored_by_git(repository, root, paths)
    finally:
        for file in written:
            file.unlink()
    assert {path for path, is_dir in paths.items() if rules.ignored(path, is_dir=is_dir)} == {
        name.decode() for name in theirs
    }


def test_deeper_files_overrule_and_an_ignored_directory_stays_shut() -> None:
    rules = IgnoreRules()
    rules.add("", b"vendor/\n*.log\nshut/\n")
    rules.add("a", b"!vendor\n")
    rules.add("a/b", b"!keep.log\n")
    said = {path: rules.ignored(path, is_dir=False) for path in [
        "b/vendor/v.py", "a/vendor/v.py", "a/x.log", "a/b/keep.log", "a/b/c/keep.log", "shut/keep.log",
    ]}  # fmt: skip
    assert said == {
        "b/vendor/v.py": True,
        "a/vendor/v.py": False,
        "a/x.log": True,
        "a/b/keep.log": False,
        "a/b/c/keep.log": False,
        "shut/keep.log": True,
    }


def test_rules_from_outside_are_anchored_above_the_workspace() -> None:
    outer = [IgnoreFile("pkg/app", "/pkg/app/out\n*.tmp\n"), IgnoreFile("app", "app/gen\n!keep.tmp\n")]
    rules = IgnoreRules(outer=outer)
    rules.add("", b"!gen\n")
    assert rules.ignored("out/x", is_dir=False)
    assert not rules.ignored("sub/out/x", is_dir=False)
    assert rules.ignored("sub/x.tmp", is_dir=False)
    assert not rules.ignored("keep.tmp", is_dir=False)  # the nearer file decides
    assert not rules.ignored("gen/x", is_dir=False)  # and the workspace's own is nearer still


def test_rules_of_a_repository_inside_know_nothing_above_it() -> None:
    rules = IgnoreRules("libs/sub", [IgnoreFile("", "/top\n*.swp\n", everywhere=True)])
    rules.add("libs/sub", b"/build\n")
    assert rules.ignored("libs/sub/build/x", is_dir=False)
    assert rules.ignored("libs/sub/top", is_dir=False)
    assert rules.ignored("libs/sub/d/e.swp", is_dir=False)
    assert not rules.ignored("libs/sub/libs", is_dir=True)


def test_case_is_folded_only_when_asked() -> None:
    for fold in (False, True):
        rules = IgnoreRules(fold_case=fold)
        rules.add("", b"Build/\n")
        assert rules.ignored("build", is_dir=True) is fold


def test_bytes_that_are_no_utf8_match_as_bytes() -> None:
    rules = IgnoreRules()
    rules.add("", b"caf\xe9*\n")
    assert rules.ignored(b"caf\xe9.py".decode("utf-8", "surrogateescape"), is_dir=False)


HOSTILE = [
    "a*" * 40 + "b",
    "**/a/" * 40 + "b",
    "**\\/a*a*a/" * 30 + "b",
    "*" * 5000 + "b",
    "[" * 5000,
    "?" * 5000,
]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_hostile_patterns_do_not_hang(pattern: str) -> None:
    """They would never end if the stars were left to backtrack."""
    rules = IgnoreRules()
    rules.add("", f"{pattern}\n".encode())
    assert not rules.ignored("a" * 250, is_dir=False)
    assert rules.verdict("a/" * 200 + "a", is_dir=False) is None
