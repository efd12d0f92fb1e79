"""Git's hooks: what is put in runs, what was there stays, and taking it out leaves no trace."""

import os
import select
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.collect.repository import NO_SETTINGS, Repository

from codecite.adapters.git_hooks import HOOKS, GitHooks, Hook
from codecite.model.errors import BadInput, CodeciteError, Unavailable

ODD = 'it\'s a "b" $c `d` é 漢'


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in NO_SETTINGS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / ODD).start().write("a.py")
    made.commit()
    return made


class Nudges:
    """Stands in for the nudge: each run writes a line into a pipe, and `next` waits for it."""

    def __init__(self, folder: Path) -> None:
        self.pipe = folder / "nudges's pipe"
        os.mkfifo(self.pipe)
        self.end = os.open(self.pipe, os.O_RDWR)
        self._read = b""
        write = "import os, sys; open(sys.argv[1], 'wb', 0).write(os.fsencode(os.getcwd()) + b'\\n')"
        self.command = (sys.executable, "-c", write, str(self.pipe))

    def next(self) -> Path:
        """Wait for one nudge; two that come together are told apart."""
        while b"\n" not in self._read:
            assert select.select([self.end], [], [], 20)[0], "no nudge came"
            self._read += os.read(self.end, 4096)
        line, _, self._read = self._read.partition(b"\n")
        return Path(os.fsdecode(line))

    def during(self, *command: str, cwd: Path) -> list[Path]:
        """Run a command and return the nudges of it and of all that it left running behind it."""
        alive, held = os.pipe()  # nobody writes into it: it ends when the last who inherited it has
        subprocess.run(command, cwd=cwd, pass_fds=(held,), capture_output=True, check=True)
        os.close(held)
        assert select.select([alive], [], [], 20)[0], "a nudge did not end"
        os.close(alive)
        found = []
        while self._read or select.select([self.end], [], [], 0)[0]:
            found.append(self.next())
        return found

    def close(self) -> None:
        os.close(self.end)


@pytest.fixture
def nudges(tmp_path: Path) -> Iterator[Nudges]:
    made = Nudges(tmp_path)
    yield made
    made.close()


def states(hooks: list[Hook]) -> dict[str, tuple[str, str]]:
    return {hook.name: (hook.state, hook.reason) for hook in hooks}


def hook_file(repository: Repository, name: str, content: str | bytes, mode: int = 0o755) -> Path:
    path = repository.put(f".git/hooks/{name}", content)
    path.chmod(mode)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
class TestRuns:
    def test_each_hook_nudges_where_the_work_tree_begins(
        self, repository: Repository, nudges: Nudges
    ) -> None:
        GitHooks(repository.root, nudges.command).install()
        (repository.root / "sub").mkdir()
        within = Repository(repository.root / "sub")
        within.git("commit", "--quiet", "--allow-empty", "--message=two")
        assert nudges.next() == repository.root
        within.git("commit", "--quiet", "--allow-empty", "--amend", "--message=three")
        assert [nudges.next(), nudges.next()] == [repository.root] * 2  # post-commit and post-rewrite
        within.git("checkout", "--quiet", "-b", "other", "HEAD~1")
        assert nudges.next() == repository.root
        within.git("merge", "--quiet", "main")
        assert nudges.next() == repository.root

    def test_a_linked_work_tree_nudges_for_itself(self, repository: Repository, nudges: Nudges) -> None:
        repository.git("worktree", "add", "--quiet", "../linked")
        linked = Repository(repository.root.parent / "linked")
        assert {hook.path.parent for hook in GitHooks(linked.root, nudges.command).install()} == {
            repository.root / ".git/hooks"
        }
        linked.git("commit", "--quiet", "--allow-empty", "--message=two")
        assert nudges.next() == linked.root

    def test_a_rebase_is_told_once(self, repository: Repository, nudges: Nudges) -> None:
        repository.git("branch", "base")
        for path in ("b.py", "c.py", "d.py"):
            repository.write(path).commit()
        repository.git("checkout", "--quiet", "base")
        repository.write("e.py").commit()
        GitHooks(repository.root, nudges.command).install()
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
        told = nudges.during("git", *identity, "rebase", "base", "main", cwd=repository.root)
        assert told == [repository.root]

    def test_an_existing_hook_runs_and_its_status_counts(
        self, repository: Repository, nudges: Nudges
    ) -> None:
        script = '#!/bin/sh -e\ncat >"$1.seen"; echo "$0 $#" >>"$1.seen"\nexit 3\n'
        path = hook_file(repository, "post-rewrite", script)
        GitHooks(repository.root, nudges.command).install()
        place = repository.root / "told"
        done = subprocess.run(
            [path, str(place), "two"],
            input=b"old new\n",
            cwd=repository.root,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"")
        assert Path(f"{place}.seen").read_text(encoding="utf-8") == f"old new\n{path} 2\n"
        assert nudges.next() == repository.root

    def test_a_nudge_that_fails_or_is_gone_is_nothing_to_git(self, repository: Repository) -> None:
        for command in (("/no/such/python",), ("/bin/sh", "-c", "echo noise; echo noise >&2; exit 9")):
            GitHooks(repository.root, command).install()
            done = subprocess.run(
                [repository.root / ".git/hooks/post-commit"],
                cwd=repository.root,
                capture_output=True,
                check=False,
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_installing_twice_changes_nothing_and_removing_leaves_nothing(repository: Repository) -> None:
    folder = repository.root / ".git/hooks"
    before = {path: path.read_bytes() for path in folder.iterdir()}
    hooks = GitHooks(repository.root)
    assert states(hooks.install()) == dict.fromkeys(HOOKS, ("installed", ""))
    installed = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    assert all(os.access(folder / name, os.X_OK) for name in HOOKS)
    assert states(hooks.install()) == dict.fromkeys(HOOKS, ("kept", "present"))
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()} == installed
    assert states(hooks.remove()) == dict.fromkeys(HOOKS, ("removed", ""))
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert states(hooks.remove()) == dict.fromkeys(HOOKS, ("left-alone", "absent"))


def test_another_interpreter_takes_the_place_of_the_first(repository: Repository) -> None:
    GitHooks(repository.root, ("/old/python",)).install()
    assert states(GitHooks(repository.root, ("/new/python",)).install())["post-commit"] == ("installed", "")
    held = (repository.root / ".git/hooks/post-commit").read_text(encoding="utf-8")
    assert "/old" not in held
    assert held.count("/new/python &") == 1


SCRIPTS = [
    b"#!/bin/sh\n\necho hello\nexit 1\n",
    b"#!/bin/sh",
    b"#!/bin/sh\necho no line end",
    b"#!/bin/sh\r\necho windows\r\n",
    b"#! /usr/bin/env bash\nset -euo pipefail\n",
    b"#!/usr/bin/env -S bash -e\n\xff\xfe not utf-8\n\n\n",
    b"#!C:/Program/git/usr/bin/sh.exe\n",
    b"#!/bin/zsh\n# <<<\n",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_hook_comes_back_byte_for_byte(repository: Repository, script: bytes) -> None:
    path = hook_file(repository, "post-merge", script, 0o750)
    hooks = GitHooks(repository.root)
    assert states(hooks.install())["post-merge"] == ("installed", "beside")
    lines = path.read_bytes().split(b"\n")
    assert lines[0] == script.split(b"\n")[0]
    assert lines[1].startswith(b"# >>> codecite")
    assert states(hooks.install())["post-merge"] == ("kept", "present")
    assert states(hooks.remove())["post-merge"] == ("removed", "rest-kept")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (script, 0o750)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(rest=st.lists(st.sampled_from([b"\n", b"\r\n", b"# <<<", b"exit 1", b"\xff", b" "])).map(b"".join))
def test_any_shell_hook_comes_back_byte_for_byte(repository: Repository, rest: bytes) -> None:
    path = hook_file(repository, "post-merge", script := b"#!/bin/sh\n: user\n" + rest)
    GitHooks(repository.root).install()
    GitHooks(repository.root).remove()
    assert path.read_bytes() == script


def test_an_editor_may_change_line_ends_and_add_lines_around(repository: Repository) -> None:
    GitHooks(repository.root).install()
    path = repository.root / ".git/hooks/post-commit"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"echo mine\r\n")
    GitHooks(repository.root).remove()
    assert path.read_bytes() == b"#!/bin/sh\r\necho mine\r\n"


LEFT: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "another language": (
        lambda path: path.write_bytes(b"#!/usr/bin/env python3\nprint()\n"),
        "no-shell-script",
        "#!/usr/bin/env python3",
    ),
    "a name that ends like one": (
        lambda path: path.write_bytes(b"#!/bin/fish\n"),
        "no-shell-script",
        "#!/bin/fish",
    ),
    "a program": (lambda path: path.write_bytes(b"\x7fELF\0"), "no-shell-script", "no `#!` line"),
    "no first line": (lambda path: path.write_bytes(b"echo hello\n"), "no-shell-script", "no `#!` line"),
    "a link": (lambda path: path.symlink_to("shared hook"), "link", "shared hook"),
    "a folder": (lambda path: path.mkdir(), "no-file", ""),
    "half a section": (
        lambda path: path.write_bytes(b"#!/bin/sh\n# >>> codecite: x\necho\n"),
        "broken-section",
        "",
    ),
}


@pytest.mark.parametrize("kind", LEFT)
def test_what_is_not_ours_to_change_is_left_alone_and_named(repository: Repository, kind: str) -> None:
    make, reason, about = LEFT[kind]
    path = repository.root / ".git/hooks/post-checkout"
    path.parent.mkdir(exist_ok=True)
    (path.parent / "shared hook").write_bytes(b"#!/bin/sh\n")
    make(path)
    if path.is_file():
        path.chmod(0o755)
    before = None if path.is_dir() else path.read_bytes()
    for hooks in (GitHooks(repository.root).install(), GitHooks(repository.root).remove()):
        assert hooks[2] == Hook("post-checkout", path, "left-alone", reason, about)  # type: ignore[arg-type] # a word of the table
    assert before == (None if path.is_dir() else path.read_bytes())


@pytest.mark.skipif(sys.platform == "win32", reason="no executable bit")
def test_a_hook_that_was_switched_off_stays_off(repository: Repository) -> None:
    path = hook_file(repository, "post-commit", b"#!/bin/sh\necho\n", 0o644)
    assert states(GitHooks(repository.root).install())["post-commit"] == ("left-alone", "not-executable")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"#!/bin/sh\necho\n", 0o644)


@pytest.mark.parametrize(
    ("configured", "folder", "reason"),
    [
        (".husky/_", ".husky/_", "in-work-tree"),
        ("../shared hooks", "../shared hooks", ""),
        (".git/own", ".git/own", ""),
    ],
)
def test_the_configured_folder_is_the_one(
    repository: Repository, configured: str, folder: str, reason: str
) -> None:
    repository.git("config", "core.hooksPath", configured)
    (repository.root / "sub").mkdir()
    hooks = GitHooks(repository.root / "sub").install()
    assert states(hooks) == dict.fromkeys(HOOKS, ("installed", reason))
    assert all((repository.root / folder / name).is_file() for name in HOOKS)
    GitHooks(repository.root).remove()
    assert list((repository.root / folder).iterdir()) == []


def test_what_surrounds_the_call_does_not_lead_elsewhere(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other").start()
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    assert GitHooks(repository.root).install()[0].path == repository.root / ".git/hooks/post-commit"


def no_repository(root: Path) -> None:
    root.mkdir()


def bare(root: Path) -> None:
    Repository(root).start("--bare")


def hooks_are_off(root: Path) -> None:
    Repository(root).start().git("config", "core.hooksPath", os.devnull)


def unwritable(root: Path) -> None:
    Repository(root).start()
    (root / "a file").touch()
    Repository(root).git("config", "core.hooksPath", "a file/below")


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (no_repository, BadInput, "is in no git repository"),
        (bare, BadInput, "a bare repository has no work tree"),
        (hooks_are_off, Unavailable, "cannot be changed"),
        (unwritable, Unavailable, "cannot be changed"),
    ],
)
def test_what_cannot_be_done_is_one_line_with_the_mend(
    tmp_path: Path, make: Callable[[Path], None], kind: type[CodeciteError], said: str
) -> None:
    make(tmp_path / "there")
    with pytest.raises(kind, match=said) as caught:
        GitHooks(tmp_path / "there").install()
    assert "\n" not in caught.value.message
    assert caught.value.mend


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_folder_is_said_to_be(repository: Repository) -> None:
    folder = repository.root / ".git/hooks"
    folder.chmod(0o500)
    try:
        with pytest.raises(Unavailable, match="Permission denied"):
            GitHooks(repository.root).install()
    finally:
        folder.chmod(0o700)


def test_the_command_survives_the_shell(repository: Repository) -> None:
    command = (f"/{ODD}/python", "-c", "it's")
    GitHooks(repository.root, command).install()
    held = (repository.root / ".git/hooks/post-commit").read_text(encoding="utf-8")
    assert f"{shlex.join(command)} &" in held
    subprocess.run(["sh", "-n", repository.root / ".git/hooks/post-commit"], check=True)
