"""Git through its command: every state a repository can be in, and nothing that it could make us run."""

import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.collect.repository import NO_SETTINGS, Repository

from codecite.adapters.git import GitCommand
from codecite.ports import IgnoreFile


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in NO_SETTINGS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with a commit, an ignored file in it, and an untracked one."""
    made = Repository(tmp_path / "repository").start().write("a.py", "kept.log", "sub/b.py")
    made.put(".gitignore", "*.log\n")
    made.git("add", "--force", "kept.log", "a.py", ".gitignore")
    made.git("commit", "--quiet", "--message=one")
    return made


def head(repository: Repository) -> str:
    return repository.git("rev-parse", "HEAD").strip()


def check_usable(git: GitCommand, commit: str | None) -> None:
    assert git.problem() == ""
    assert git.in_work_tree()
    assert git.head() == commit


def check_empty(git: GitCommand, problem: str) -> None:
    """Every answer is empty, and the reason is one line that holds some words."""
    assert git.head() is None
    assert git.tracked_although_ignored() == frozenset()
    assert git.submodules() == frozenset()
    assert git.outer_ignore_files() == []
    assert not git.in_work_tree()
    said = git.problem()
    assert problem in said
    assert bool(said) == bool(problem)
    assert "\n" not in said


def test_an_ordinary_repository(repository: Repository) -> None:
    git = GitCommand(repository.root)
    check_usable(git, head(repository))
    assert git.tracked_although_ignored() == {"kept.log"}
    assert git.submodules() == frozenset()
    assert GitCommand(repository.root / "sub").in_work_tree()
    assert GitCommand(repository.root / "sub").tracked_although_ignored() == frozenset()


def unborn(repository: Repository) -> None:
    shutil.rmtree(repository.root / ".git")
    repository.start()


def detached(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--detach")


def in_a_stopped_rebase(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "-b", "side")
    repository.put("a.py", "side\n")
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    repository.put("a.py", "main\n")
    repository.commit()
    with pytest.raises(Exception, match="rebase"):
        repository.git("rebase", "side")
    assert (repository.root / ".git" / "rebase-merge").exists()


def of_sha256(repository: Repository) -> None:
    shutil.rmtree(repository.root / ".git")
    repository.start("--object-format=sha256")
    repository.commit()
    assert len(head(repository)) == 64


def sparse(repository: Repository) -> None:
    repository.commit()
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "none")
    assert not (repository.root / "sub").exists()


def shallow(repository: Repository) -> None:
    repository.commit()
    repository.git(
        "clone", "--quiet", "--depth=1", repository.root.as_uri(), str(repository.root.parent / "shallow")
    )
    shutil.rmtree(repository.root)
    (repository.root.parent / "shallow").rename(repository.root)


def with_its_git_folder_elsewhere(repository: Repository) -> None:
    repository.git("init", "--quiet", f"--separate-git-dir={repository.root.parent / 'elsewhere.git'}")
    assert (repository.root / ".git").is_file()


STATES = [detached, in_a_stopped_rebase, of_sha256, sparse, shallow, with_its_git_folder_elsewhere]


@pytest.mark.parametrize("enter", STATES, ids=lambda enter: enter.__name__)
def test_states_that_are_usable(repository: Repository, enter: Callable[[Repository], None]) -> None:
    enter(repository)
    check_usable(GitCommand(repository.root), head(repository))


def test_before_the_first_commit(repository: Repository) -> None:
    unborn(repository)
    git = GitCommand(repository.root)
    check_usable(git, None)
    repository.git("add", "--force", "kept.log")
    assert git.tracked_although_ignored() == {"kept.log"}


def test_no_repository_is_no_problem(tmp_path: Path) -> None:
    check_empty(GitCommand(tmp_path), "")


def test_bare(tmp_path: Path) -> None:
    Repository(tmp_path).start("--bare")
    git = GitCommand(tmp_path)
    assert "bare" in git.problem()
    assert not git.in_work_tree()
    assert git.outer_ignore_files() == []


def of_another_owner(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")


def of_the_future(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.git("config", "core.repositoryFormatVersion", "1")
    repository.git("config", "extensions.fromTheFuture", "true")


def with_a_broken_configuration(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.put(".git/config", "[core\nrepositoryformatversion\n")


def without_its_head(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository.root / ".git" / "HEAD").unlink()


def with_a_link_to_nowhere(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(repository.root / ".git")
    repository.put(".git", "gitdir: ../nowhere/.git/worktrees/x\n")


@pytest.mark.parametrize(
    ("enter", "problem"),
    [
        (of_another_owner, "dubious ownership"),
        (of_the_future, "extension"),
        (with_a_broken_configuration, "bad config"),
        (without_its_head, ".git is not a repository that git can read"),
        (with_a_link_to_nowhere, ".git is not a repository that git can read"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_states_that_are_not(
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    enter: Callable[[Repository, pytest.MonkeyPatch], None],
    problem: str,
) -> None:
    enter(repository, monkeypatch)
    check_empty(GitCommand(repository.root), problem)


def test_a_damaged_index_leaves_the_rest(repository: Repository) -> None:
    repository.put(".git/index", b"DIRC\0\0\0\2\xff\xff\xff\xff")
    git = GitCommand(repository.root)
    assert git.tracked_although_ignored() == frozenset()
    assert git.submodules() == frozenset()
    assert git.head() == head(repository)


def test_without_git(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    check_empty(GitCommand(repository.root, executable="no-such-git"), "git cannot be run")
    monkeypatch.setenv("PATH", "")
    check_empty(GitCommand(repository.root), "git was not found")


def test_a_git_beside_the_files_is_not_run(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH that names the current folder must not let a workspace bring its own git."""
    script(repository.root / "git", "exit 0")
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("PATH", ".")
    assert "not found" in GitCommand(repository.root).problem()


def test_a_workspace_that_is_gone(tmp_path: Path) -> None:
    check_empty(GitCommand(tmp_path / "none"), "git cannot be run")


def script(path: Path, commands: str) -> Path:
    path.write_text(f"#!/bin/sh\n{commands}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.skipif(os.name == "nt", reason="Windows runs no shell scripts")
def test_a_git_that_hangs_is_killed(tmp_path: Path) -> None:
    git = GitCommand(tmp_path, executable=str(script(tmp_path / "slow-git", "exec sleep 600")), timeout=0.1)
    assert git.head() is None
    assert "timed out" in git.problem()


def test_a_hostile_configuration_runs_nothing(repository: Repository, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    run = f"\"{Path(sys.executable).as_posix()}\" -c \"open(r'{marker}', 'w')\""
    command = run.replace("\\", "\\\\").replace('"', '\\"')
    commands = f"""
        fsmonitor = "{command}"
        sshCommand = "{command}"
        pager = "{command}"
        editor = "{command}"
        askPass = "{command}"
        gitProxy = "{command}"
        alternateRefsCommand = "{command}"
        hooksPath = hooks
    [diff]
        external = "{command}"
    [diff "x"]
        command = "{command}"
        textconv = "{command}"
    [filter "x"]
        clean = "{command}"
        smudge = "{command}"
        process = "{command}"
        required = true
    [credential]
        helper = "!{command}"
    [uploadpack]
        packObjectsHook = "{command}"
    [alias]
        ls-files = "!{command}"
        rev-parse = "!{command}"
        config = "!{command}"
    [remote "origin"]
        url = "ext::{command}"
        promisor = true
    [protocol]
        allow = always
    """
    config = repository.root / ".git" / "config"
    config.write_text(config.read_text() + "[core]\n" + commands)
    repository.put(".gitattributes", "* filter=x diff=x\n")
    (repository.root / "hooks").mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "query-watchman", "reference-transaction"):
        script(repository.root / "hooks" / hook, f"echo > '{marker}'")
    repository.put("a.py", "changed\n")
    git = GitCommand(repository.root)
    check_usable(git, git.head())
    assert git.tracked_although_ignored() == {"kept.log"}
    git.submodules()
    git.outer_ignore_files()
    assert not marker.exists()


def test_the_same_configuration_would_run_in_plain_git(repository: Repository, tmp_path: Path) -> None:
    """The test above can fail: git left to itself starts what `core.fsmonitor` names."""
    marker = tmp_path / "marker"
    run = f"\"{Path(sys.executable).as_posix()}\" -c \"open(r'{marker}', 'w')\""
    repository.git("-c", f"core.fsmonitor={run}", "status")
    assert marker.exists()


def test_a_work_tree_set_elsewhere_leads_nowhere(repository: Repository, tmp_path: Path) -> None:
    other = Repository(tmp_path / "other").write("x.log")
    repository.git("config", "core.worktree", str(other.root))
    git = GitCommand(repository.root)
    assert git.tracked_although_ignored() == frozenset()
    assert git.outer_ignore_files() == []
    assert not git.in_work_tree()


def test_environment_of_a_hook_does_not_lead_elsewhere(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other").start()
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / "index"))
    git = GitCommand(repository.root)
    assert git.head() is not None
    assert git.tracked_although_ignored() == {"kept.log"}


def test_submodules_of_submodules_and_what_is_tracked_in_them(tmp_path: Path) -> None:
    inner = Repository(tmp_path / "inner").start().write("x.log")
    inner.put(".gitignore", "*.log\n")
    inner.git("add", "--force", ".")
    inner.git("commit", "--quiet", "--message=one")
    middle = Repository(tmp_path / "middle").start().write("m.py")
    middle.git("submodule", "--quiet", "add", "../inner", "in ner")
    middle.commit()
    outer = Repository(tmp_path / "outer").start().write("o.py")
    outer.git("submodule", "--quiet", "add", "../middle", "libs/middlé")
    outer.git("submodule", "--quiet", "update", "--init", "--recursive")
    git = GitCommand(outer.root)
    assert git.submodules() == {"libs/middlé", "libs/middlé/in ner"}
    assert git.tracked_although_ignored() == {"libs/middlé/in ner/x.log"}
    outer.git("submodule", "--quiet", "deinit", "--force", "--all")
    assert git.submodules() == {"libs/middlé"}


def test_rules_from_outside_weakest_first(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "ignore").write_text("*.swp\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    repository.put(".git/info/exclude", "local/\n")
    repository.put("pkg/.gitignore", "gen\n")
    repository.put("pkg/app/.gitignore", "seen by the walk itself\n")
    everyones = IgnoreFile("pkg/app", "*.swp\n", everywhere=True)
    expected = [
        everyones,
        IgnoreFile("pkg/app", "local/\n"),
        IgnoreFile("pkg/app", "*.log\n"),
        IgnoreFile("app", "gen\n"),
    ]
    assert GitCommand(repository.root / "pkg" / "app").outer_ignore_files() == expected
    assert GitCommand(repository.root).outer_ignore_files() == [
        IgnoreFile("", "*.swp\n", everywhere=True),
        IgnoreFile("", "local/\n"),
    ]
    (tmp_path / "own").write_text("*.bak\n")
    repository.git("config", "core.excludesFile", str(tmp_path / "own"))
    assert GitCommand(repository.root).outer_ignore_files()[0].text == "*.bak\n"


def test_a_linked_work_tree_shares_the_local_rules(repository: Repository, tmp_path: Path) -> None:
    repository.put(".git/info/exclude", "local/\n")
    repository.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    git = GitCommand(tmp_path / "linked")
    check_usable(git, head(repository))
    assert IgnoreFile("", "local/\n") in git.outer_ignore_files()


@pytest.mark.skipif(os.name == "nt", reason="Windows forbids line ends in names")
def test_a_workspace_with_a_line_end_in_its_name(tmp_path: Path) -> None:
    odd = Repository(tmp_path / "od\ntrue\nd").start().write("in\nner/x.py")
    odd.put(".git/info/exclude", "local/\n")
    assert GitCommand(odd.root / "in\nner").outer_ignore_files() == [IgnoreFile("in\nner", "local/\n")]


def check_confirms(git: GitCommand, held: dict[str, bytes], *others: str) -> None:
    """Exactly these bytes are confirmed for these paths; other bytes, and other paths, are not."""
    assert git.confirms({**held, **dict.fromkeys(others, b"content\n")}) == held.keys()
    assert git.confirms({path: data + b"x" for path, data in held.items()}) == frozenset()


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_confirms_what_the_index_or_head_holds(tmp_path: Path, form: str) -> None:
    made = Repository(tmp_path).start(f"--object-format={form}")
    git = GitCommand(tmp_path)
    odd = {"*.py": b"1", ":(top)a.py": b"2", "-dash": b"3", "\xe9/\u65e5.py": b"4", 'quote".py': b"5"}
    for path, data in {**odd, "a.py": b"one\n", "b.py": b"two\n"}.items():
        made.put(path, data)
    assert git.confirms({"a.py": b"one\n"}) == frozenset()  # before the first commit and with an empty index
    made.git("add", "--all")
    check_confirms(git, {**odd, "a.py": b"one\n"}, "untracked.py", "missing/c.py")
    for path, data in odd.items():  # by itself: no other path's pattern finds it
        check_confirms(git, {path: data})
    made.commit()
    made.put("a.py", "staged\n")
    made.git("add", "a.py")
    made.git("rm", "--quiet", "--cached", "b.py")
    for held in (b"one\n", b"staged\n"):
        check_confirms(git, {"a.py": held, "b.py": b"two\n"})
    assert git.confirms({"a.py": b"two\n", "b.py": b"one\n"}) == frozenset()  # each only as itself
    assert git.confirms({}) == frozenset()
    assert GitCommand(tmp_path, executable="no-such-git").confirms({"a.py": b"one\n"}) == frozenset()


def test_confirms_what_was_checked_out_with_other_line_ends(repository: Repository) -> None:
    repository.put("a.py", "one\ntwo\n")
    repository.commit()
    check_confirms(GitCommand(repository.root), {"a.py": b"one\r\ntwo\r\n"})


def test_confirms_below_a_folder_and_in_submodules(repository: Repository, tmp_path: Path) -> None:
    inner = Repository(tmp_path / "inner").start()
    inner.put("deep/in.py", "inner\n")
    inner.commit()
    repository.put("sub/b.py", "outer\n")
    repository.commit()
    repository.git("submodule", "--quiet", "add", inner.root.as_uri(), "sub/module")
    held = {"b.py": b"outer\n", "module/deep/in.py": b"inner\n"}
    check_confirms(GitCommand(repository.root / "sub"), held, "module/other.py")
    check_confirms(GitCommand(repository.root), {f"sub/{path}": data for path, data in held.items()})


def test_confirms_more_files_than_one_command_line_takes(repository: Repository) -> None:
    held = {f"{'long' * 20}/{n}{'name' * 20}.py": b"%d" % n for n in range(400)}
    for path, data in held.items():
        repository.put(path, data)
    repository.commit()
    check_confirms(GitCommand(repository.root), held)


def test_confirming_runs_no_filter(repository: Repository) -> None:
    marker = repository.root.parent / "marker"
    repository.git("config", "filter.spy.clean", f"touch {marker}; cat")
    repository.git("config", "filter.spy.smudge", f"touch {marker}; cat")
    repository.put(".gitattributes", "*.py filter=spy\n")
    repository.put("a.py", "changed\n")
    GitCommand(repository.root).confirms({"a.py": b"changed\n"})
    assert not marker.exists()


def test_the_branch_that_head_names_is_looked_at(tmp_path: Path) -> None:
    """A commit writes its log first and its branch last; a look between the two must not be the last one."""
    repository = Repository(tmp_path / "tree").start()
    repository.write("a.py").commit()
    git = GitCommand(repository.root)
    branch = repository.root / ".git" / "refs" / "heads" / "main"
    assert branch in {path.resolve() for path in git.state_files()}
    repository.git("checkout", "--quiet", "-b", "other/topic")
    assert branch.with_name("other") / "topic" in {path.resolve() for path in git.state_files()}
    repository.git("checkout", "--quiet", "--detach")
    assert branch not in {path.resolve() for path in git.state_files()}
