"""The watcher of single folders: moves, races, limits. What it shares with the other one is in test_watcher."""

import ctypes
import errno
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.ear import Ear

if sys.platform != "linux":
    pytest.skip("only Linux has inotify", allow_module_level=True)

from watchdog.observers import inotify_c

from codecite.adapters.inotify_watcher import InotifyWatcher

FOLDERS = ["", "a", "a/deep"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for folder in ("a/deep", "ignored"):
        (root / folder).mkdir(parents=True)
    (root / "a/f.py").write_text("x = 1\n")
    return root


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
def watcher(root: Path, ear: Ear) -> Iterator[InotifyWatcher]:
    watcher = InotifyWatcher(root, ear)
    watch(watcher, *FOLDERS)
    yield watcher
    ear.release()
    watcher.close()


def watch(watcher: InotifyWatcher, *folders: str) -> None:
    for folder in folders:
        watcher.watch(folder)


def test_a_folder_that_was_moved_out_falls_silent(root: Path, ear: Ear, watcher: InotifyWatcher) -> None:
    (root / "a").rename(root.parent / "out")
    assert ear.said_up_to_now(root) == {"a"}
    (root.parent / "out/f.py").write_text("")
    (root.parent / "out/deep/f.py").write_text("")
    assert ear.said_up_to_now(root) == set()


def test_a_folder_that_was_moved_is_silent_until_it_is_watched(
    root: Path, ear: Ear, watcher: InotifyWatcher
) -> None:
    (root / "a").rename(root / "ignored/a")
    assert ear.said_up_to_now(root) == {"a"}
    (root / "ignored/a/deep/f.py").write_text("")
    assert ear.said_up_to_now(root) == set()


def test_the_root_is_moved_and_another_takes_its_place(root: Path, ear: Ear, watcher: InotifyWatcher) -> None:
    root.rename(root.parent / "elsewhere")
    (root / "a").mkdir(parents=True)
    ear.until_heard("")
    watch(watcher, "", "a")
    (root.parent / "elsewhere/a/f.py").write_text("x = 2\n")
    (root / "a/g.py").write_text("")
    assert ear.said_up_to_now(root) == {"", "a/g.py"}


def test_watched_under_its_new_path_before_the_move_was_heard_of(
    root: Path, ear: Ear, watcher: InotifyWatcher
) -> None:
    ear.hold(root)
    (root / "a").rename(root / "b")
    (root / "a").mkdir()
    watch(watcher, "a", "b", "b/deep")
    ear.release()
    assert {"a", "b"} <= ear.said_up_to_now(root)
    watch(watcher, "a", "b", "b/deep")
    for path in ("a/new.py", "b/f.py", "b/deep/f.py"):
        (root / path).write_text("")
    assert ear.said_up_to_now(root) == {"a/new.py", "b/f.py", "b/deep/f.py"}


def test_two_folders_that_change_places(root: Path, ear: Ear, watcher: InotifyWatcher) -> None:
    (root / "b").mkdir()
    watch(watcher, "b")
    ear.hold(root)
    (root / "a").rename(root / "c")
    (root / "b").rename(root / "a")
    (root / "c").rename(root / "b")
    watch(watcher, "b", "a", "b/deep")
    ear.release()
    assert {"a", "b"} <= ear.said_up_to_now(root)
    watch(watcher, "a", "b", "b/deep")
    for path in ("a/one.py", "b/two.py", "b/deep/three.py"):
        (root / path).write_text("")
    assert ear.said_up_to_now(root) == {"a/one.py", "b/two.py", "b/deep/three.py"}


def test_a_deleted_folder_that_someone_is_still_in(root: Path, ear: Ear, watcher: InotifyWatcher) -> None:
    inside = os.open(root / "a/deep", os.O_RDONLY)
    (root / "a/deep").rmdir()
    (root / "a/deep").mkdir()
    assert "a/deep" in ear.said_up_to_now(root)
    watch(watcher, "a/deep")
    (root / "a/deep/f.py").write_text("")
    assert ear.said_up_to_now(root) == {"a/deep/f.py"}
    os.close(inside)


def test_a_folder_that_replaces_one_that_someone_is_still_in(
    root: Path, ear: Ear, watcher: InotifyWatcher
) -> None:
    inside = os.open(root / "a/deep", os.O_RDONLY)
    (root / "ignored").rename(root / "a/deep")
    assert "a/deep" in ear.said_up_to_now(root)
    watch(watcher, "a/deep")
    (root / "a/deep/f.py").write_text("")
    assert ear.said_up_to_now(root) == {"a/deep/f.py"}
    os.close(inside)


def test_what_is_written_into_a_deleted_file_is_no_change(
    root: Path, ear: Ear, watcher: InotifyWatcher
) -> None:
    with (root / "a/f.py").open("w") as file:
        (root / "a/f.py").unlink()
        assert ear.said_up_to_now(root) == {"a/f.py"}
        file.write("x = 2\n")
    assert ear.said_up_to_now(root) == set()


def test_one_call_for_all_that_was_waiting(root: Path, ear: Ear, watcher: InotifyWatcher) -> None:
    ear.hold(root)
    ear.calls.clear()
    for number in range(100):
        (root / f"a/{number}.py").write_text("x = 1\n")
    ear.release()
    ear.until_heard("a/99.py")
    (call,) = ear.calls
    assert call is not None
    assert [path for path in call if path.startswith("a/")] == [f"a/{number}.py" for number in range(100)]


def lose_events(root: Path, ear: Ear) -> None:
    """Hold the watcher up until the kernel keeps no further events for it."""
    ear.hold(root)
    room = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for _ in range(room // 2 + 1):
        os.utime(root / "a/f.py")
        os.utime(root / "a")


def test_a_folder_was_replaced_when_events_were_lost(root: Path, ear: Ear, watcher: InotifyWatcher) -> None:
    lose_events(root, ear)
    (root / "a").rename(root / "ignored/a")
    (root / "a/deep").mkdir(parents=True)
    ear.release()
    ear.until(lambda: None in ear.calls)
    watch(watcher, *FOLDERS)
    ear.said_up_to_now(root)
    for path in ("ignored/a/f.py", "ignored/a/deep/f.py", "a/new.py", "a/deep/new.py"):
        (root / path).write_text("")
    assert ear.said_up_to_now(root) == {"a/new.py", "a/deep/new.py"}


def test_folders_changed_places_when_events_were_lost(root: Path, ear: Ear, watcher: InotifyWatcher) -> None:
    (root / "b").mkdir()
    watch(watcher, "b")
    lose_events(root, ear)
    (root / "a").rename(root / "c")
    (root / "b").rename(root / "a")
    (root / "c").rename(root / "b")
    ear.release()
    ear.until(lambda: None in ear.calls)
    watch(watcher, "b", "a", "b/deep")
    ear.said_up_to_now(root)
    for path in ("a/one.py", "b/two.py", "b/deep/three.py"):
        (root / path).write_text("")
    assert ear.said_up_to_now(root) == {"a/one.py", "b/two.py", "b/deep/three.py"}


class Limit:
    """Stands before a function of inotify: refuses with an errno while it holds; counts the refusals."""

    def __init__(self, function: Callable[..., int], number: int, room: int = 0, only: bytes = b"") -> None:
        self.holds = True
        self.refused = 0
        self._function = function
        self._number = number
        self._room = room
        self._only = only

    def __call__(self, *arguments: object) -> int:
        wanted = not self._only or any(isinstance(word, bytes) and self._only in word for word in arguments)
        if not self.holds or not wanted or self._room > 0:
            self._room -= 1
            return self._function(*arguments)
        self.refused += 1
        ctypes.set_errno(self._number)
        return -1


LIMITS: dict[str, tuple[str, int, str]] = {
    "watches": ("inotify_add_watch", errno.ENOSPC, "fs.inotify.max_user_watches"),
    "instances": ("inotify_init", errno.EMFILE, "fs.inotify.max_user_instances"),
    "no inotify": ("inotify_init", errno.ENOSYS, os.strerror(errno.ENOSYS)),
}


@pytest.mark.parametrize("case", LIMITS)
def test_out_of_watches(root: Path, ear: Ear, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    function, number, mend = LIMITS[case]
    limit = Limit(getattr(inotify_c, function), number)
    monkeypatch.setattr(inotify_c, function, limit)
    watcher = InotifyWatcher(root, ear)
    watch(watcher, *FOLDERS)
    assert mend in watcher.problem
    assert "not watched for changes: 3" in watcher.problem
    assert "\n" not in watcher.problem
    assert limit.refused == 1  # and not one a folder
    watcher.keep_only(FOLDERS)
    watch(watcher, *FOLDERS)
    assert limit.refused == 2
    limit.holds = False
    watcher.keep_only(["", "a"])
    assert "not watched for changes: 2" in watcher.problem
    watch(watcher, "", "a")
    assert watcher.problem == ""
    (root / "a/f.py").write_text("x = 2\n")
    assert ear.said_up_to_now(root) == {"a/f.py"}
    watcher.close()


def test_what_is_watched_stays_so_when_there_are_no_more(
    root: Path, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = Limit(inotify_c.inotify_add_watch, errno.ENOSPC, room=2)
    monkeypatch.setattr(inotify_c, "inotify_add_watch", limit)
    watcher = InotifyWatcher(root, ear)
    watch(watcher, *FOLDERS)
    (root / "a/f.py").write_text("x = 2\n")
    (root / "a/deep/f.py").write_text("x = 2\n")
    assert ear.said_up_to_now(root) == {"a/f.py"}
    limit.holds = False
    (root / "a").rename(root / "b")  # gives a watch back
    ear.until_heard("b")
    watch(watcher, "b", "b/deep")
    ear.said_up_to_now(root)
    (root / "b/deep/f.py").write_text("x = 3\n")
    assert ear.said_up_to_now(root) == {"b/deep/f.py"}
    watcher.close()


def test_lost_events_make_no_watched_folder_an_unwatched_one(
    root: Path, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = Limit(inotify_c.inotify_add_watch, errno.ENOSPC, room=3)
    monkeypatch.setattr(inotify_c, "inotify_add_watch", limit)
    watcher = InotifyWatcher(root, ear)
    watch(watcher, *FOLDERS, "ignored")
    lose_events(root, ear)
    limit.holds = False  # as the kernel does not for a folder that has a watch
    ear.release()
    ear.until(lambda: None in ear.calls)
    watch(watcher, *FOLDERS)
    assert "not watched for changes: 1 " in watcher.problem
    (root / "a/deep/f.py").write_text("")
    assert ear.said_up_to_now(root) >= {"a/deep/f.py"}
    watcher.close()


@pytest.mark.parametrize(
    ("number", "problem"),
    [(errno.EACCES, ""), (errno.ENOENT, ""), (errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))],
)
def test_one_folder_that_cannot_be_watched_keeps_no_other_from_it(
    root: Path, ear: Ear, monkeypatch: pytest.MonkeyPatch, number: int, problem: str
) -> None:
    limit = Limit(inotify_c.inotify_add_watch, number, only=b"/ignored")
    monkeypatch.setattr(inotify_c, "inotify_add_watch", limit)
    watcher = InotifyWatcher(root, ear)
    watch(watcher, "", "ignored", "a")
    assert limit.refused == 1
    assert problem in watcher.problem
    assert bool(problem) == bool(watcher.problem)
    (root / "a/f.py").write_text("x = 2\n")
    (root / "ignored/f.py").write_text("")
    assert ear.said_up_to_now(root) == {"a/f.py"}
    limit.holds = False
    watch(watcher, "", "ignored", "a")
    (root / "ignored/f.py").write_text("x = 1\n")
    assert ear.said_up_to_now(root) == {"ignored/f.py"}
    assert watcher.problem == ""
    watcher.close()


def test_a_folder_that_is_watched_already_costs_no_call(
    root: Path, ear: Ear, monkeypatch: pytest.MonkeyPatch, watcher: InotifyWatcher
) -> None:
    for number in range(2000):
        (root / f"a/deep/{number}").mkdir()
    folders = [f"a/deep/{number}" for number in range(2000)]
    ear.said_up_to_now(root)
    calls = Limit(inotify_c.inotify_add_watch, errno.ENOSPC, room=2000)
    monkeypatch.setattr(inotify_c, "inotify_add_watch", calls)
    for _ in range(2):
        watch(watcher, *folders)
    assert (calls.refused, watcher.problem) == (0, "")
    (root / "a/deep/1999/f.py").write_text("")
    assert ear.said_up_to_now(root) == {"a/deep/1999/f.py"}


def test_folders_are_watched_while_events_arrive(root: Path, ear: Ear, watcher: InotifyWatcher) -> None:
    folders = [f"a/{number}" for number in range(200)]

    def make() -> None:
        for folder in folders:
            (root / folder).mkdir()

    maker = threading.Thread(target=make)
    maker.start()
    while maker.is_alive():
        watch(watcher, *folders)
    watch(watcher, *ear.said_up_to_now(root))
    for folder in folders:
        (root / folder / "f.py").write_text("")
    assert ear.said_up_to_now(root) == {f"{folder}/f.py" for folder in folders}


NAMES = st.sampled_from(["x", "y", "x/x", "x/y", "y/x"])
STEPS = st.one_of(
    st.tuples(st.just("make"), NAMES),
    st.tuples(st.just("remove"), NAMES),
    st.tuples(st.just("move"), NAMES, NAMES),
    st.tuples(st.just("move out"), NAMES),
    st.tuples(st.just("look")),
    st.tuples(st.just("wait")),
)


def take_step(root: Path, step: tuple[str, ...]) -> None:
    """Do one step in the tree, or nothing where it is not possible."""
    kind, *paths = [step[0], *(root / path for path in step[1:])]
    try:
        if kind == "make":
            paths[0].mkdir()
        elif kind == "remove":
            shutil.rmtree(paths[0])
        elif kind == "move":
            paths[0].rename(paths[1])
        elif kind == "move out":
            paths[0].rename(tempfile.mkdtemp(dir=root.parent))
    except OSError:
        pass


def look(watcher: InotifyWatcher, root: Path) -> list[str]:
    """Watch every folder, as a scan does, and return them."""
    found = []
    for folder, _, _ in os.walk(root):
        path = Path(folder).relative_to(root).as_posix()
        found.append("" if path == "." else path)
        watcher.watch(found[-1])
    return found


@settings(max_examples=25, deadline=None)
@given(st.lists(STEPS, max_size=14))
def test_whatever_happens_each_folder_ends_at_its_path(steps: list[tuple[str, ...]]) -> None:
    """Looks happen at any time, and once more for what is said: then every folder is heard under its path alone."""
    ear = Ear()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "tree"
        root.mkdir()
        watcher = InotifyWatcher(root, ear)
        try:
            look(watcher, root)
            ear.hold(root)
            for step in steps:
                if step == ("look",):
                    look(watcher, root)
                elif step == ("wait",):
                    ear.release()
                    ear.said_up_to_now(root)
                    ear.hold(root)
                else:
                    take_step(root, step)
            ear.release()
            ear.said_up_to_now(root)
            folders = look(watcher, root)
            ear.said_up_to_now(root)
            probes = {f"{folder}/probe".removeprefix("/") for folder in folders}
            for probe in probes:
                (root / probe).write_text("")
            for outside in Path(place).glob("tmp*/**/"):
                (outside / "probe").write_text("")
            assert ear.said_up_to_now(root) == probes
        finally:
            ear.release()
            watcher.close()
