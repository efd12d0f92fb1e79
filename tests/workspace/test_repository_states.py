"""Whatever state a repository is in: its files are indexed and followed, and what is unusual is said."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.collect.repository import NO_SETTINGS, Repository
from tests.workspace.conftest import Json, Open, Workspace

from codecite.engine import following
from codecite.engine.locations import store_folder
from codecite.model.errors import BadInput, Unavailable

ONE = "def f():\n    return 1\n"


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in NO_SETTINGS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(following, "GIT_SECONDS", 0.05)


async def repository_of(workspace: Open, files: dict[str, str | bytes]) -> tuple[Workspace, Repository]:
    """Open a workspace that is a repository whose files are committed."""
    here = await workspace(files)
    repository = Repository(here.root).start()
    repository.commit()
    await until_at(here, head(repository))
    return here, repository


def head(repository: Repository) -> str:
    return repository.git("rev-parse", "HEAD").strip()


async def until_at(here: Workspace, commit: str | None) -> None:
    async def there() -> bool:
        status = await here.call("status")
        return status["commit"] == commit and idle(status)

    await here.until(there)


def idle(status: Json) -> bool:
    return status["queue"]["running"] is None and status["queue"]["pending"] is None


async def paths(here: Workspace) -> set[str]:
    return {block["path"] for block in await here.blocks()}


async def until_paths(here: Workspace, wanted: set[str]) -> None:
    async def there() -> bool:
        return await paths(here) == wanted

    await here.until(there)


# --- what HEAD says --------------------------------------------------------------------------------------------------


def two_branches(repository: Repository) -> None:
    """Make two branches that change the same line, and stand on `topic`."""
    for branch, number in (("main", 2), ("topic", 3)):
        repository.git("checkout", "--quiet", "-B", branch, "first" if branch == "topic" else "HEAD")
        if branch == "main":
            repository.git("tag", "first")
        repository.put("m.py", f"def f():\n    return {number}\n")
        repository.commit()


def detached(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "first")


def on_another_branch(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "main")


def in_a(operation: str) -> Callable[[Repository], None]:
    def enter(repository: Repository) -> None:
        with pytest.raises(Exception, match="returned non-zero"):
            repository.git(*operation.split())

    enter.__name__ = f"in a {operation}"
    return enter


def bisecting(repository: Repository) -> None:
    repository.git("bisect", "start")
    repository.git("bisect", "bad", "main")
    repository.git("bisect", "good", "first")


def on_an_orphan(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--orphan", "bare-beginning")


def standing(branch: str = "", operation: str = "") -> Json:
    unmerged = ["m.py"] if operation not in {"", "bisect"} else []
    return {"branch": branch, "operation": operation, "unmerged": unmerged}


STATES: list[tuple[Callable[[Repository], None], Json]] = [
    (detached, standing()),
    (on_another_branch, standing("main")),
    (on_an_orphan, standing("bare-beginning")),
    (in_a("merge main"), standing("topic", "merge")),
    (in_a("rebase main"), standing("", "rebase")),
    (in_a("rebase --apply main"), standing("", "rebase or am")),
    (in_a("cherry-pick main"), standing("topic", "cherry-pick")),
    (in_a("revert main"), standing("topic", "revert")),
    (bisecting, standing("topic", "bisect")),
]


@pytest.mark.parametrize(("enter", "expected"), STATES, ids=lambda value: getattr(value, "__name__", ""))
async def test_a_state_is_followed_and_said(
    workspace: Open, enter: Callable[[Repository], None], expected: Json
) -> None:
    here, repository = await repository_of(workspace, {"m.py": ONE})
    two_branches(repository)
    enter(repository)
    now = None if enter is on_an_orphan else head(repository)
    await until_at(here, now)
    text = (here.root / "m.py").read_text()

    async def followed() -> bool:
        return "".join(block["text"] for block in await here.blocks("m.py")) == text

    await here.until(followed)
    status = await here.call("status")
    assert status["repository"] == expected
    assert status["problems"] == []
    assert (await here.search("f"))[0]["path"] == "m.py"


async def test_before_the_first_commit_and_after_it(workspace: Open) -> None:
    """The repository begins under a running engine, which then follows its commits."""
    here = await workspace({"a.py": ONE})
    assert (await here.call("status"))["repository"] == standing()
    repository = Repository(here.root).start()

    async def begun() -> bool:
        return bool((await here.call("status"))["repository"]["branch"] == "main")

    await here.until(begun)
    assert (await here.index())["commit"] is None
    here.look_away()
    repository.commit()
    await until_at(here, head(repository))
    assert (await here.search("f"))[0]["path"] == "a.py"


async def test_nothing_is_keyed_on_the_name_of_a_branch(workspace: Open) -> None:
    here, repository = await repository_of(workspace, {"a.py": ONE})
    before = await here.blocks()
    repository.git("branch", "--move", "renamed")
    report = await here.index()
    assert (report["blocks"]["added"], report["blocks"]["embedded"]) == (0, 0)
    assert await here.blocks() == before
    assert (await here.call("status"))["repository"]["branch"] == "renamed"


@pytest.mark.parametrize("inside", ["", ".git"])
def test_without_a_work_tree_there_is_nothing_to_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    monkeypatch.setenv("CODECITE_HOME", str(tmp_path / "home"))
    root = tmp_path / "repository"
    Repository(root).start(*([] if inside else ["--bare"]))
    with pytest.raises(BadInput, match="no work tree"):
        store_folder(root / inside)
    assert not (tmp_path / "home").exists()


async def test_a_shallow_clone(workspace: Open, tmp_path: Path) -> None:
    source = Repository(tmp_path / "source").start().write("a.py")
    source.commit()
    source.put("b.py", ONE)
    source.commit()
    here = await workspace({})
    Repository(here.root).git("clone", "--quiet", "--depth=1", source.root.as_uri(), ".")
    await until_at(here, head(source))
    assert await paths(here) == {"a.py", "b.py"}
    with pytest.raises(BadInput, match="HEAD~1 is not a commit"):
        await here.index(since="HEAD~1")


# --- repositories in and beside one another --------------------------------------------------------------------------


async def test_linked_work_trees_are_workspaces_of_their_own(
    workspace: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One inside the main checkout and one beside it; rules that only this machine has hold in all of them."""
    here, repository = await repository_of(workspace, {"app.py": "def on_main():\n    return 1\n"})
    repository.put(".git/info/exclude", "private/\n")
    repository.put(".gitignore", ".trees/\n")
    repository.commit()
    others = [await workspace({"placeholder": ""}), await workspace({"other": ""})]
    for number, other in enumerate(others):
        shutil.rmtree(other.root)
        repository.git("worktree", "add", "--quiet", str(other.root), "-b", f"branch{number}")
        other.write({"app.py": f"def on_branch{number}():\n    return 1\n", "private/s.py": ONE})
        await other.index()
    here.write({"private/s.py": ONE})
    repository.git("worktree", "add", "--quiet", ".trees/inner", "-b", "inner")
    (here.root / ".trees" / "inner" / "new.py").write_text(ONE)
    await here.index()
    for each in [here, *others]:
        assert await paths(each) == {".gitignore", "app.py"}
    assert await here.symbols("app.py") == ["on_main"]
    assert [await other.symbols("app.py") for other in others] == [["on_branch0"], ["on_branch1"]]
    monkeypatch.setenv("CODECITE_HOME", str(tmp_path / "home"))
    stores = {store_folder(root) for root in (here.root, here.root / ".trees" / "inner", others[0].root)}
    assert len(stores) == 3
    # A commit in one is followed there alone.
    before = (await here.call("status"))["commit"]
    linked = Repository(others[0].root)
    linked.commit()
    await until_at(others[0], head(linked))
    assert (await here.call("status"))["commit"] == before


async def test_a_submodule_is_followed_and_a_nested_clone_left_alone(workspace: Open, tmp_path: Path) -> None:
    library = Repository(tmp_path / "library").start()
    library.put("lib.py", "def lib_fn():\n    return 1\n")
    library.commit()
    library.put("more.py", "def more_fn():\n    return 1\n")
    library.put(".gitignore", "*.log\n")
    library.commit()
    here, repository = await repository_of(workspace, {"app.py": ONE})
    repository.git("submodule", "--quiet", "add", str(library.root), "sub")
    repository.commit()
    repository.git("clone", "--quiet", str(library.root), "tools_clone")
    everything = {".gitmodules", "app.py", "sub/.gitignore", "sub/lib.py", "sub/more.py"}
    await until_paths(here, everything)
    (here.root / "sub" / "lib.py").write_text("def lib_fn():\n    return 2\n")
    (here.root / "tools_clone" / "lib.py").write_text("def lib_fn():\n    return 3\n")

    async def dirty() -> bool:
        return [block["text"] for block in await here.blocks("sub/lib.py")] == [
            "def lib_fn():\n    return 2\n"
        ]

    await here.until(dirty)
    assert {hit["path"] for hit in await here.search("lib_fn")} >= {"sub/lib.py"}
    assert await here.skipped() == {"tools_clone/": "nested-repository"}
    # What is checked out in it is followed, also where nobody heard of it.
    here.look_away()
    inner = Repository(here.root / "sub")
    inner.git("checkout", "--quiet", "--force", "HEAD~1")
    await until_paths(here, {".gitmodules", "app.py", "sub/lib.py"})
    repository.git("submodule", "--quiet", "update", "--force")
    await until_paths(here, everything)
    (here.root / "sub" / "kept.log").write_text("kept\n")
    inner.git("add", "--force", "kept.log")  # moves nothing but the index of the submodule
    await until_paths(here, everything | {"sub/kept.log"})
    repository.git("submodule", "--quiet", "deinit", "--force", "sub")
    await here.index()
    assert await paths(here) == {".gitmodules", "app.py"}


async def test_a_nested_clone_comes_and_goes(workspace: Open) -> None:
    here, _ = await repository_of(workspace, {"app.py": ONE, "tools/t.py": ONE})
    nested = Repository(here.root / "tools").start()
    await until_paths(here, {"app.py"})
    shutil.rmtree(nested.root / ".git")
    await until_paths(here, {"app.py", "tools/t.py"})


# --- what git itself can and cannot open -----------------------------------------------------------------------------


def sparse(repository: Repository) -> None:
    repository.git("sparse-checkout", "init", "--cone", "--sparse-index")
    repository.git("sparse-checkout", "set", "pkg/d1")


def of_sha256(repository: Repository) -> None:
    shutil.rmtree(repository.root / ".git")
    repository.start("--object-format=sha256")
    repository.commit()


def with_its_git_folder_elsewhere(repository: Repository) -> None:
    repository.git("init", "--quiet", f"--separate-git-dir={repository.root.parent / 'elsewhere.git'}")


@pytest.mark.parametrize(
    "enter", [sparse, of_sha256, with_its_git_folder_elsewhere], ids=lambda enter: enter.__name__
)
async def test_repositories_of_every_kind_are_followed(
    workspace: Open, enter: Callable[[Repository], None]
) -> None:
    here, repository = await repository_of(
        workspace, {f"pkg/d{n}/m.py": f"def f{n}():\n    return {n}\n" for n in (1, 2)}
    )
    enter(repository)
    await until_at(here, head(repository))
    first = head(repository)
    repository.put("pkg/d1/m.py", "def changed():\n    return 1\n")
    repository.commit()
    await until_at(here, head(repository))
    assert await here.symbols("pkg/d1/m.py") == ["changed"]
    assert await paths(here) == {path for path in repository.listed() if path.endswith(".py")}
    report = await here.index(since=first)
    assert report["commit"] == head(repository)
    assert (await here.call("status"))["problems"] == []


def of_another_owner(repository: Repository) -> None:
    for folder, _, names in os.walk(repository.root):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            os.chown(path, 12_345, 12_345)


def of_the_future(repository: Repository) -> None:
    repository.git("config", "core.repositoryFormatVersion", "1")
    repository.git("config", "extensions.fromTheFuture", "true")


def without_its_head(repository: Repository) -> None:
    (repository.root / ".git" / "HEAD").unlink()


@pytest.mark.parametrize(
    ("enter", "why"),
    [
        (of_the_future, "extension"),
        (without_its_head, "not a repository that git can read"),
        pytest.param(
            of_another_owner,
            "safe.directory",
            marks=pytest.mark.skipif(
                not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root alone gives away"
            ),
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_files_are_followed_where_git_cannot_be_used(
    workspace: Open, enter: Callable[[Repository], None], why: str
) -> None:
    here, repository = await repository_of(workspace, {"a.py": ONE, ".gitignore": "*.log\n"})
    enter(repository)
    config = (here.root / ".git" / "config").read_bytes()
    here.write({"b.py": ONE, "x.log": "x\n"})
    await until_paths(here, {".gitignore", "a.py", "b.py"})
    (problem,) = (await here.call("status"))["problems"]
    assert why in problem
    checks = {check["name"]: check for check in (await here.call("doctor"))["checks"]}
    assert why in checks["git"]["detail"]
    with pytest.raises(Unavailable, match=why):
        await here.index(since="HEAD")
    assert (here.root / ".git" / "config").read_bytes() == config


async def test_where_there_is_no_repository_commits_are_a_wrong_wish(workspace: Open) -> None:
    here = await workspace({"a.py": ONE})
    with pytest.raises(BadInput, match="no git repository"):
        await here.index(since="HEAD~1")


# --- ignore rules ----------------------------------------------------------------------------------------------------


async def test_what_is_taken_and_refused_is_what_git_lists_and_follows_its_rules(
    workspace: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, user = tmp_path / "config", tmp_path / "user-excludes"
    config.write_text(f"[core]\n\texcludesFile = {user.as_posix()}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    sources = "web/.out/b.py web/ui.py d/sub/f.py a/vendor/v.py b/vendor/v.py .config/t.py logs/keep.py logs/drop.py"
    files: dict[str, str | bytes] = dict.fromkeys([*sources.split(), "forced.py", "x.pem", "t.py~"], ONE)
    files |= {".gitignore": "**/vendor/\nd/\n!d/sub/*\nlogs/*\n!logs/keep.py\nforced.py\n"}
    files |= {"web/.gitignore": ".out\n", "a/.gitignore": "!vendor\n"}
    here = await workspace(files)
    repository = Repository(here.root).start()
    repository.git("add", "--force", "forced.py")

    async def as_git_lists() -> bool:
        status = await here.call("status")
        seen = await paths(here) | {item["path"] for item in status["files"]["skipped"]}
        return idle(status) and seen == repository.listed()

    async def check(change: Callable[[], object], path: str, *, there: bool) -> None:
        change()
        assert (path in repository.listed()) is there
        await here.until(as_git_lists)

    await here.until(as_git_lists)
    assert {"forced.py", "a/vendor/v.py", ".config/t.py", "logs/keep.py"} <= await paths(here)

    def rules(path: str, text: str) -> Callable[[], object]:
        return lambda: repository.put(path, text)

    await check(rules("web/.gitignore", "ui.py\n"), "web/.out/b.py", there=True)
    await check((here.root / "a" / ".gitignore").unlink, "a/vendor/v.py", there=False)
    await check(rules("a/.gitignore", "!vendor\n"), "a/vendor/v.py", there=True)
    await check(rules(".gitignore", "logs/\n"), "b/vendor/v.py", there=True)
    here.look_away()  # these are not in the work tree, so that no watcher hears of them
    await check(rules(".git/info/exclude", "new.py\n"), "forced.py", there=True)
    await check(rules("new.py", ONE), "new.py", there=False)
    await check(rules(".git/info/exclude", ""), "new.py", there=True)
    await check(lambda: user.write_text("new.py\n"), "new.py", there=False)
    await check(lambda: user.write_text(""), "new.py", there=True)
    other = tmp_path / "other-excludes"
    other.write_text("new.py\n")
    repository.git("config", "core.excludesFile", str(other))
    await check(lambda: None, "new.py", there=False)


async def test_rules_above_the_workspace_are_followed(workspace: Open) -> None:
    """The workspace is a folder of a repository."""
    here = await workspace({"a.py": ONE, "b.py": ONE})
    above = Repository(here.root.parent).start()
    await here.index()
    above.put(".gitignore", f"/{here.root.name}/b.py\n/store-*\n")
    await until_paths(here, {"a.py"})
    above.put(".gitignore", "/store-*\n")
    await until_paths(here, {"a.py", "b.py"})
