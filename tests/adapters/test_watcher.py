"""What is heard of changes, by the watcher of this system and by the one for whole trees, which every system has."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.adapters.ear import Ear
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from codecite.adapters.watcher import NATIVE, Listener, RecursiveWatcher, watch_tree
from codecite.ports import Watcher

FOLDERS = ["", "a", "a/deep"]

KINDS = list(dict.fromkeys([RecursiveWatcher, NATIVE]))


@pytest.fixture(params=KINDS, ids=["recursive", "native"][-len(KINDS) :])
def kind(request: pytest.FixtureRequest) -> Callable[[Path, Listener], Watcher]:
    return request.param  # type: ignore[no-any-return]  # pytest does not say what it is


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for folder in ("a/deep", "ignored"):
        (root / folder).mkdir(parents=True)
    for file in ("f.py", "a/f.py", "a/deep/f.py", "ignored/f.py"):
        (root / file).write_text("x = 1\n")
    return root


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
def watcher(root: Path, ear: Ear, kind: Callable[[Path, Listener], Watcher]) -> Iterator[Watcher]:
    watcher = watch_tree(root, ear, kind)
    for folder in FOLDERS:
        watcher.watch(folder)
    yield watcher
    ear.release()
    watcher.close()


def save_atomically(target: Path, beside: Path) -> None:
    beside.write_text("y = 2\n")
    os.replace(beside, target)


def read_all(root: Path) -> None:
    for path in root.rglob("*"):
        if path.is_file():
            path.read_bytes()


# What is done in the tree, and which paths must be said, no more and no fewer.
CASES: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "write": (lambda root: (root / "a/f.py").write_text("x = 2\n"), {"a/f.py"}),
    "write in the root": (lambda root: (root / "f.py").write_text("x = 2\n"), {"f.py"}),
    "write deep down": (lambda root: (root / "a/deep/f.py").write_text("x = 2\n"), {"a/deep/f.py"}),
    "append": (lambda root: os.write(os.open(root / "f.py", os.O_WRONLY | os.O_APPEND), b"#"), {"f.py"}),
    "cut short by name": (lambda root: os.truncate(root / "a/f.py", 0), {"a/f.py"}),
    "new file": (lambda root: (root / "a/new.py").write_text(""), {"a/new.py"}),
    "new folder": (lambda root: (root / "a/new").mkdir(), {"a/new"}),
    "atomic save": (lambda root: save_atomically(root / "a/f.py", root / "a/.f.py~"), {"a/f.py", "a/.f.py~"}),
    "atomic save from outside": (
        lambda root: save_atomically(root / "a/f.py", root.parent / "temporary"),
        {"a/f.py"},
    ),
    "rename": (lambda root: (root / "a/f.py").rename(root / "a/g.py"), {"a/f.py", "a/g.py"}),
    "move to another folder": (lambda root: (root / "a/f.py").rename(root / "g.py"), {"a/f.py", "g.py"}),
    "move out": (lambda root: (root / "a/f.py").rename(root.parent / "f.py"), {"a/f.py"}),
    "move to where nobody listens": (
        lambda root: (root / "a/f.py").rename(root / "ignored/g.py"),
        {"a/f.py"},
    ),
    "delete": (lambda root: (root / "a/f.py").unlink(), {"a/f.py"}),
    "link": (lambda root: (root / "a/link").symlink_to("f.py"), {"a/link"}),
    "mode": (lambda root: (root / "a/f.py").chmod(0o400), {"a/f.py"}),
    "write where nobody listens": (lambda root: (root / "ignored/f.py").write_text("x = 2\n"), set()),
    "new folder where nobody listens": (lambda root: (root / "ignored/new").mkdir(), set()),
    "read": (read_all, set()),
    "list": (lambda root: list(os.walk(root)), set()),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(root: Path, ear: Ear, watcher: Watcher, case: str) -> None:
    act, expected = CASES[case]
    act(root)
    assert ear.said_up_to_now(root) == expected
    assert watcher.problem == ""


def test_a_new_folder_is_heard_of_and_then_what_happens_in_it(root: Path, ear: Ear, watcher: Watcher) -> None:
    (root / "new").mkdir()
    ear.until_heard("new")
    watcher.watch("new")
    ear.said_up_to_now(root)
    (root / "new" / "f.py").write_text("")
    assert ear.said_up_to_now(root) == {"new/f.py"}


def test_what_is_in_a_renamed_folder_goes_by_its_new_path(root: Path, ear: Ear, watcher: Watcher) -> None:
    (root / "a").rename(root / "b")
    ear.until_heard("a", "b")
    watcher.watch("b")
    watcher.watch("b/deep")
    ear.said_up_to_now(root)
    (root / "b" / "f.py").write_text("x = 2\n")
    (root / "b" / "deep" / "new.py").write_text("")
    assert ear.said_up_to_now(root) == {"b/f.py", "b/deep/new.py"}


def test_a_folder_that_is_made_again_is_watched_again(root: Path, ear: Ear, watcher: Watcher) -> None:
    (root / "a/deep/f.py").unlink()
    (root / "a/deep").rmdir()
    (root / "a/deep").mkdir()
    assert "a/deep" in ear.said_up_to_now(root)
    watcher.watch("a/deep")
    (root / "a/deep/f.py").write_text("")
    assert ear.said_up_to_now(root) == {"a/deep/f.py"}


def test_the_root_may_be_reached_by_a_link(
    root: Path, ear: Ear, kind: Callable[[Path, Listener], Watcher]
) -> None:
    (root.parent / "link").symlink_to(root, target_is_directory=True)
    watcher = watch_tree(root.parent / "link", ear, kind)
    for folder in FOLDERS:
        watcher.watch(folder)
    (root / "a/f.py").write_text("x = 2\n")
    assert ear.said_up_to_now(root) == {"a/f.py"}
    watcher.close()


def test_the_root_goes_and_comes_back(root: Path, ear: Ear, watcher: Watcher) -> None:
    shutil.rmtree(root)
    ear.until_heard("")
    root.mkdir()
    watcher.watch("")
    ear.calls.clear()
    assert ear.said_up_to_now(root) == set()


def test_folders_that_are_not_kept_fall_silent(root: Path, ear: Ear, watcher: Watcher) -> None:
    watcher.keep_only(["", "a/deep"])
    (root / "a/f.py").write_text("x = 2\n")
    (root / "a/deep/f.py").write_text("x = 2\n")
    assert ear.said_up_to_now(root) == {"a/deep/f.py"}


def test_a_watched_folder_goes_while_the_one_around_it_is_not_watched(
    root: Path, ear: Ear, watcher: Watcher
) -> None:
    watcher.keep_only(["", "a/deep"])
    shutil.rmtree(root / "a/deep")
    assert ear.said_up_to_now(root) == {"a/deep", "a/deep/f.py"}


@pytest.mark.parametrize("folder", ["none", "f.py", "link", "a/none/deep"])
def test_what_is_no_folder_is_left_alone(root: Path, ear: Ear, watcher: Watcher, folder: str) -> None:
    (root / "link").symlink_to("ignored")
    watcher.watch(folder)
    ear.said_up_to_now(root)
    (root / "ignored" / "f.py").write_text("x = 2\n")
    (root / "a/f.py").write_text("x = 2\n")
    assert ear.said_up_to_now(root) == {"a/f.py"}
    assert watcher.problem == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no names of bytes")
def test_names_that_are_no_utf8(root: Path, ear: Ear, watcher: Watcher) -> None:
    name = b"caf\xe9".decode("utf-8", "surrogateescape")
    try:
        (root / name).mkdir()
    except OSError:
        return  # the file system takes nothing but UTF-8 (macOS)
    watcher.watch(name)
    (root / name / name).write_text("")
    assert ear.said_up_to_now(root) == {name, f"{name}/{name}"}


def test_a_listener_that_fails_is_asked_again(
    root: Path, ear: Ear, kind: Callable[[Path, Listener], Watcher], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(paths: Sequence[str] | None) -> None:
        ear(paths)
        raise ValueError("no room")

    watcher = watch_tree(root, fail, kind)
    watcher.watch("")
    for file in ("f.py", "g.py"):
        (root / file).write_text("x = 2\n")
        ear.until_heard(file)
    watcher.close()
    assert caplog.text.count("ValueError: no room") >= 2


def test_nothing_is_heard_after_closing(root: Path, ear: Ear, watcher: Watcher) -> None:
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            (root / "a/f.py").write_text("x = 2\n")

    writer = threading.Thread(target=write)
    writer.start()
    ear.until_heard("a/f.py")
    watcher.close()
    heard = len(ear.calls)
    watcher.close()
    watcher.watch("ignored")
    watcher.keep_only([])
    (root / "f.py").write_text("x = 2\n")
    done.set()
    writer.join()
    assert len(ear.calls) == heard


def test_a_watcher_may_be_closed_before_anything_was_watched(
    root: Path, ear: Ear, kind: Callable[[Path, Listener], Watcher]
) -> None:
    watcher = watch_tree(root, ear, kind)
    watcher.close()
    watcher.watch("")
    assert watcher.problem == ""


def test_the_listener_may_close_the_watcher(root: Path, kind: Callable[[Path, Listener], Watcher]) -> None:
    closed = threading.Event()

    def close(paths: object) -> None:
        closing.close()
        closed.set()

    closing = watch_tree(root, close, kind)
    closing.watch("")
    (root / "f.py").write_text("x = 2\n")
    assert closed.wait(30)


def test_a_tree_that_cannot_be_watched_is_a_problem_until_it_can(
    root: Path, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = []

    def refuse(observer: BaseObserver) -> None:
        attempts.append(observer)
        raise OSError(28, "no room for watches")

    with monkeypatch.context() as patch:
        patch.setattr(Observer, "start", refuse)
        watcher = watch_tree(root, ear, RecursiveWatcher)
        for folder in FOLDERS:
            watcher.watch(folder)
    assert "no room for watches" in watcher.problem
    assert len(attempts) == 1
    watcher.keep_only(FOLDERS)
    watcher.watch("")
    assert watcher.problem == ""
    assert ear.said_up_to_now(root) == set()
    watcher.close()
