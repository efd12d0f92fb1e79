"""The walk: in a repository exactly git's own list, and a reason for everything that is not taken."""

import os
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.collect.repository import Repository

from codecite.adapters.disk import WorkTree
from codecite.adapters.git import GitCommand
from codecite.collect.scan import scan
from codecite.collect.walk import Scan, ScanRules
from codecite.ports import DirEntry

Make = Callable[[str], Repository]


def paths(seen: Scan) -> list[str]:
    return [stamp.path for stamp in seen.files]


def reasons(seen: Scan) -> dict[str, str]:
    return {refusal.path: refusal.reason for refusal in seen.refusals}


def test_nested_and_negated_rules_and_a_tracked_file_that_is_ignored(repository: Repository) -> None:
    repository.write(
        "web/.out/b.py", "web/ui.py", "d/sub/f.py", "a/vendor/v.py", "b/vendor/v.py", ".conf/t.py"
    )
    repository.write("logs/keep.py", "logs/drop.py", "forced.py", "d/forced/deep/x.py", "d/forced/y.py")
    repository.put(".gitignore", "**/vendor/\nd/\n!d/sub/*\nlogs/*\n!logs/keep.py\nforced.py\n")
    repository.put("web/.gitignore", ".out\n")
    repository.put("a/.gitignore", "!vendor\n")
    repository.put("d/.gitignore", "!sub\n")  # git never reads it
    repository.git("add", "--force", "forced.py", "d/forced/deep/x.py")
    assert paths(repository.check()) == [
        ".conf/t.py",
        ".gitignore",
        "a/.gitignore",
        "a/vendor/v.py",
        "d/forced/deep/x.py",
        "forced.py",
        "logs/keep.py",
        "web/.gitignore",
        "web/ui.py",
    ]


NAMES = st.sampled_from(["a", "b", "ab", "x.log", "x.py", "keep", "é"])
FILES = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), min_size=3, max_size=25, unique=True)
RULES = st.lists(
    st.sampled_from(
        [
            "a",
            "b/",
            "*.log",
            "!x.log",
            "/a",
            "a/*",
            "!a/b",
            "**/keep",
            "!keep/",
            "a/**",
            "ab/b",
            "*",
            "!*/",
            "é",
            "!a/",
        ]
    ),
    max_size=4,
).map("\n".join)


@settings(max_examples=25, deadline=None)
@given(
    files=FILES, rules=st.dictionaries(st.sampled_from(["", "a/", "a/b/", "ab/"]), RULES), forced=st.data()
)
def test_generated_trees_agree_with_git(
    tmp_path_factory: pytest.TempPathFactory, files: list[str], rules: dict[str, str], forced: st.DataObject
) -> None:
    repository = Repository(tmp_path_factory.mktemp("tree")).start()
    made = []
    for path in files:
        parents = [repository.root / above for above in Path(path).parents]
        if not any(parent.is_file() for parent in parents) and not (repository.root / path).is_dir():
            repository.write(path)
            made.append(path)
    for place, text in rules.items():
        if (repository.root / place).is_dir():
            repository.put(place + ".gitignore", text)
    if tracked := forced.draw(st.lists(st.sampled_from(made), max_size=3)):
        repository.git("add", "--force", "--", *tracked)
    repository.check()


def test_rules_from_outside_the_tree(make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    repository = (
        make("outside").start().write("a.py", "b.own", "c.local", "own/d.own", "own/x.py", "pkg/app/o/x.py")
    )
    repository.put(".git/info/exclude", "*.local\n")
    repository.put(".gitignore", "!/own/*.own\n/pkg/app/o/\n")
    (tmp_path / "excludes").write_text("*.own\n")
    (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {(tmp_path / 'excludes').as_posix()}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    assert paths(repository.check()) == [".gitignore", "a.py", "own/d.own", "own/x.py"]
    inner = Repository(repository.root / "pkg" / "app").write("y.py", "z.local")
    assert paths(inner.check()) == ["y.py"]


def test_default_place_of_the_users_own_rules(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "ignore").write_text("*.swp\n")
    assert paths(repository.write("a.py", "a.swp").check()) == ["a.py"]


def test_submodules_have_rules_of_their_own(make: Make) -> None:
    inner = make("inner").start().write("deep.py", "deep.temporary")
    inner.put(".gitignore", "*.temporary\n")
    inner.git("add", "--force", ".")
    inner.commit()
    library = make("library").start().write("lib.py")
    library.git("submodule", "--quiet", "add", "../inner", "vendored/inner")
    library.commit()
    app = make("app").start().write("app.py")
    app.git("submodule", "--quiet", "add", "../library", "libs/lib")
    app.git("submodule", "--quiet", "update", "--init", "--recursive")
    app.put(".gitignore", "lib.py\nlibs\n")
    app.put("libs/lib/new.py", "x = 1\n")
    app.put("libs/lib/build/out.py", "x = 1\n")
    app.put("libs/lib/.gitignore", "build/\n")
    app.put("libs/lib/vendored/inner/other.temporary", "x\n")
    assert paths(app.check()) == [
        ".gitignore",
        ".gitmodules",
        "app.py",
        "libs/lib/.gitignore",
        "libs/lib/.gitmodules",
        "libs/lib/lib.py",
        "libs/lib/new.py",
        "libs/lib/vendored/inner/.gitignore",
        "libs/lib/vendored/inner/deep.py",
        "libs/lib/vendored/inner/deep.temporary",
    ]


def test_nested_repositories_and_work_trees_are_refused_whole(repository: Repository) -> None:
    repository.write("app.py", "not_one/.git/description", "not_one/x.py", "stale/x.py")
    repository.commit()
    clone = Repository(repository.root / "tools" / "clone").start().write("copy.py")
    clone.commit()
    repository.git("worktree", "add", "--quiet", "trees/feature")
    repository.put(".gitignore", "ignored/\n")
    Repository(repository.root / "ignored" / "clone").start().write("x.py")
    seen = repository.check()
    assert paths(seen) == [".gitignore", "app.py", "not_one/x.py", "stale/x.py"]
    assert reasons(seen) == {"tools/clone/": "nested-repository", "trees/feature/": "nested-repository"}
    assert paths(Repository(repository.root / "trees" / "feature").check()) == [
        "app.py",
        "not_one/x.py",
        "stale/x.py",
    ]


def test_bare_repositories_hold_nothing_to_index(repository: Repository, make: Make) -> None:
    repository.write("a.py", "HEAD", "objects/x.py", "refs")
    Repository(repository.root / "served" / "mirror.git").start("--bare")
    seen = repository.check()
    assert paths(seen) == ["HEAD", "a.py", "objects/x.py", "refs"]
    assert reasons(seen) == {"served/mirror.git/": "bare-repository"}
    assert reasons(make("bare").start("--bare").scan()) == {"./": "bare-repository"}


def test_a_folder_of_repositories_that_is_none_itself(make: Make) -> None:
    folder = make("folder").write("notes.md")
    first = Repository(folder.root / "first").start().write("a.py", "b.log", "build/c.py")
    first.put(".gitignore", "*.log\nbuild/\n")
    first.commit()
    first.git("worktree", "add", "--quiet", "../feature")
    seen = folder.scan()
    assert paths(seen) == ["first/.gitignore", "first/a.py", "notes.md"]
    assert reasons(seen) == {"feature/": "nested-repository"}


def test_without_git_ignore_files_count_all_the_same(make: Make) -> None:
    folder = make("plain").write("a.py", "b.log", "sub/c.log", "sub/d.py")
    folder.put(".gitignore", "*.log\n")
    folder.put("sub/.gitignore", "!c.log\n")
    rules = ScanRules()
    seen = scan(WorkTree(folder.root), GitCommand(folder.root, executable="no-such-git"), rules)
    assert paths(seen) == [".gitignore", "a.py", "sub/.gitignore", "sub/c.log", "sub/d.py"]


def test_everything_that_is_no_regular_file_is_refused(repository: Repository) -> None:
    repository.write("real.py", "folder/x.py")
    (repository.root / "link.py").symlink_to("real.py")
    (repository.root / "loop").symlink_to(".", target_is_directory=True)
    (repository.root / "dangling").symlink_to("nowhere")
    seen = repository.check()
    assert paths(seen) == ["folder/x.py", "real.py"]
    assert reasons(seen) == {"link.py": "symlink", "loop": "symlink", "dangling": "symlink"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="only POSIX systems have FIFOs in the file system")
def test_fifos_are_refused(repository: Repository) -> None:
    os.mkfifo(repository.root / "pipe.py")
    os.mkfifo(repository.root / ".gitignore")
    assert reasons(repository.scan()) == {".gitignore": "special", "pipe.py": "special"}


def test_a_linked_ignore_file_is_not_followed(repository: Repository) -> None:
    repository.write("a.py")
    repository.put("rules", "*.py\n")
    (repository.root / ".gitignore").symlink_to("rules")
    assert paths(repository.check()) == ["a.py", "rules"]


def test_size_limit_is_inclusive(repository: Repository) -> None:
    repository.put("at.py", "x" * 100)
    repository.put("over.py", "x" * 101)
    seen = repository.scan(limit=100)
    assert [(stamp.path, stamp.size) for stamp in seen.files] == [("at.py", 100)]
    assert reasons(seen) == {"over.py": "too-large"}


def test_settings_exclude_and_bring_back(repository: Repository) -> None:
    repository.write(
        "src/a.py", "src/a_test.py", "gen/x/b.py", "node_modules/m/i.js", "own/node_modules/i.js"
    )
    seen = repository.check("*_test.py", "/gen", "!/own/node_modules")
    assert paths(seen) == ["own/node_modules/i.js", "src/a.py"]
    assert reasons(seen) == {"src/a_test.py": "excluded", "gen/": "excluded", "node_modules/": "excluded"}


def test_folders_of_tools_are_refused_even_if_nothing_ignores_them(repository: Repository) -> None:
    repository.write("app/main.py", "app/__pycache__/main.py", "env/pyvenv.cfg", "env/lib/x.py", ".tox/y.py")
    repository.write("lib/thing-1.0.dist-info/METADATA", "notes/CACHEDIR.TAG", "vendor/v.go", "build/b.py")
    repository.put("target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
    seen = repository.check()
    assert paths(seen) == ["app/main.py", "build/b.py", "notes/CACHEDIR.TAG", "vendor/v.go"]
    assert reasons(seen) == dict.fromkeys(
        ["app/__pycache__/", "env/", ".tox/", "lib/thing-1.0.dist-info/", "target/"], "excluded"
    )


ODD_NAMES = [
    "100%.py", "c#util.py", "what?.py", "[id].py", "col:on.py", "new\nline.py", "back\\slash.py", "-dash.py", "a b.py",
    " lead.py", "trail ", "per%20cent.py", "quote'\".py", "$cash.py", "日本語.py", "tab\t.py", "~x", "plus+plus.py",
    unicodedata.normalize("NFC", "naïve.py"), unicodedata.normalize("NFD", "naïve.py"), "\u202eoverride.py",
]  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="Windows forbids most of these names")
def test_odd_names_are_spelled_as_on_disk(repository: Repository) -> None:
    on_disk = set()
    for name in ODD_NAMES:
        repository.put(name, "x = 1\n")
        repository.put(f"d{name}/inner.py", "x = 1\n")
    for above, _, files in os.walk(repository.root):
        on_disk |= {
            str(Path(above, name).relative_to(repository.root)) for name in files if ".git" not in above
        }
    seen = repository.check()
    assert paths(seen) == sorted(on_disk)
    assert not seen.refusals
    tree = WorkTree(repository.root)
    assert all(tree.read(stamp.path, 10) == (stamp, b"x = 1\n") for stamp in seen.files)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no names of bytes")
def test_names_that_are_no_utf8_are_refused_in_writing(make: Make) -> None:
    folder = make("latin").write("good.py")
    try:
        os.mkdir(os.fsencode(folder.root) + b"/d\xe9")
        for name in (b"caf\xe9.py", b"d\xe9/x.py", b"caf\xe9.log"):
            with open(os.fsencode(folder.root) + b"/" + name, "wb"):
                pass
    except OSError:
        return  # the file system takes nothing but UTF-8 (macOS): there is nothing to refuse
    folder.put(".gitignore", "*.log\n")
    seen = folder.scan()
    assert paths(seen) == [".gitignore", "good.py"]
    assert reasons(seen) == {"caf\\xe9.py": "unreadable", "d\\xe9/": "unreadable"}


class Guarded(WorkTree):
    """A work tree with a folder that may not be listed, and one that vanishes before it is."""

    def entries(self, directory: str) -> list[DirEntry]:
        if directory == "shut":
            raise PermissionError(13, "Permission denied", directory)
        if directory == "gone":
            raise FileNotFoundError(2, "No such file or directory", directory)
        return super().entries(directory)


def test_a_folder_that_cannot_be_listed_is_named(repository: Repository) -> None:
    repository.write("a.py", "shut/x.py", "gone/y.py")
    seen = scan(Guarded(repository.root), GitCommand(repository.root), ScanRules())
    assert paths(seen) == ["a.py"]
    assert reasons(seen) == {"shut/": "unreadable"}


def test_a_workspace_that_is_gone_is_an_error_and_not_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        scan(WorkTree(tmp_path / "none"), GitCommand(tmp_path / "none"), ScanRules())


def test_no_git_folder_is_entered_however_it_is_spelled(make: Make) -> None:
    folder = make("spelled").write(".git/config", "a/.GIT/hooks/x", "a/b.py", ".github/w.yml", "x.git/y.py")
    assert paths(folder.scan()) == [".github/w.yml", "a/b.py", "x.git/y.py"]


def test_secrets_binaries_and_lock_files_are_told_by_name(repository: Repository) -> None:
    repository.write("a.py", ".env", ".env.example", "id_rsa", "logo.png", "Cargo.lock", "ui.min.js")
    seen = repository.check()
    assert paths(seen) == [".env.example", "a.py"]
    assert reasons(seen) == {
        ".env": "secret",
        "id_rsa": "secret",
        "logo.png": "binary",
        "Cargo.lock": "generated",
        "ui.min.js": "generated",
    }


def test_a_scan_changes_nothing_in_the_repository(repository: Repository) -> None:
    repository.write("a.py", "b.py")
    repository.commit()
    repository.put("a.py", "changed\n")
    index = repository.root / ".git" / "index"
    before = index.read_bytes(), index.stat().st_mtime_ns
    repository.scan()
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
    assert (
        subprocess.run(["git", "status"], cwd=repository.root, capture_output=True, check=True).returncode
        == 0
    )


def test_a_watcher_learns_which_paths_matter(repository: Repository) -> None:
    repository.write("src/a.py", "logs/kept/x.log", "build/b.py", "node_modules/m/i.js", "src/.gitignore")
    repository.put(".gitignore", "*.log\nbuild/\n.gitignore\n")
    repository.git("add", "--force", "logs/kept/x.log")
    Repository(repository.root / "clone").start().write("c.py")
    seen = repository.scan()
    asked = {
        "src/a.py": True,
        "src/new.py": True,
        "new.py": True,
        "src/new.log": False,
        "logs/kept/x.log": True,
        ".gitignore": True,
        "src/.gitignore": True,
        "build/b.py": False,
        "node_modules/m/i.js": False,
        "clone/c.py": False,
        ".git/index": False,
        ".git": True,  # a repository may begin
        "src": True,
        "build": True,  # it may be a file by now
    }
    assert {path: seen.walked.concerns(path) for path in asked} == asked
    assert seen.walked.concerns("other")
