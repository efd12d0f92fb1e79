"""The work tree on disk: only regular files, no link followed anywhere, never held up."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from codecite.adapters.disk import WorkTree, read_outside
from codecite.model.files import FileStamp
from codecite.ports import DirEntry


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tree" / "d" / "e").mkdir(parents=True)
    (tmp_path / "tree" / "d" / "e" / "f.py").write_bytes(b"x = 1\r\n")
    (tmp_path / "outside.py").write_text("secret\n")
    return tmp_path / "tree"


def refused(ask: Callable[..., object], *arguments: object) -> None:
    """Hold that asking raises an OSError, of whatever kind the system gives."""
    try:
        answer = ask(*arguments)
    except OSError:
        return
    pytest.fail(f"it was answered: {answer!r}")


def test_entries_in_order_with_sizes_and_times(root: Path) -> None:
    for name in ("b.py", "B.py", "a b.py"):
        (root / name).write_text("12345")
    os.utime(root / "b.py", ns=(1, 1_234_567_891_000_000_000))
    (root / "link").symlink_to(root / "d")
    (root / "dangling").symlink_to("nowhere")
    entries = WorkTree(root).entries("")
    assert [(entry.name, entry.kind) for entry in entries] == [
        ("B.py", "file"),
        ("a b.py", "file"),
        ("b.py", "file"),
        ("d", "directory"),
        ("dangling", "symlink"),
        ("link", "symlink"),
    ]
    changed = (root / "b.py").stat().st_ctime_ns
    assert entries[2] == DirEntry("b.py", "file", 5, 1_234_567_891_000_000_000, changed)


def test_read_gives_the_bytes_and_the_stamp_of_that_very_file(root: Path) -> None:
    status = (root / "d" / "e" / "f.py").stat()
    assert WorkTree(root).read("d/e/f.py", 100) == (
        FileStamp("d/e/f.py", 7, status.st_mtime_ns, status.st_ctime_ns),
        b"x = 1\r\n",
    )


@pytest.mark.parametrize(("limit", "length"), [(6, 7), (7, 7), (3, 4), (0, 1)])
def test_read_stops_one_byte_over_the_limit(root: Path, limit: int, length: int) -> None:
    stamp, data = WorkTree(root).read("d/e/f.py", limit)
    assert (stamp.size, len(data)) == (7, length)


def test_a_huge_sparse_file_costs_nothing(root: Path) -> None:
    with (root / "huge").open("wb") as file:
        file.truncate(1 << 40)
    before = psutil.Process().memory_info().rss
    stamp, data = WorkTree(root).read("huge", 1000)
    assert (stamp.size, len(data)) == (1 << 40, 1001)
    assert psutil.Process().memory_info().rss - before < 64 << 20


@pytest.mark.parametrize(
    "path",
    [
        "../outside.py",
        "d/../../outside.py",
        "/etc/hosts",
        "d//e/f.py",
        "./d/e/f.py",
        "d/e/f.py/",
        "d/e/\0",
        "",
        "d/e/none",
    ],
)
def test_paths_that_are_none_of_the_workspace(root: Path, path: str) -> None:
    refused(WorkTree(root).read, path, 100)
    if path:
        refused(WorkTree(root).entries, path)


@pytest.mark.parametrize("target", ["outside.py", "tree/d/e/f.py"])
def test_a_link_to_a_file_is_not_read(root: Path, target: str) -> None:
    (root / "link.py").symlink_to(root.parent / target)
    refused(WorkTree(root).read, "link.py", 100)


@pytest.mark.parametrize("path", ["way/f.py", "d/way/f.py"])
def test_no_link_is_followed_on_the_way(root: Path, path: str) -> None:
    link = root / path.removesuffix("/f.py")
    link.symlink_to(root / "d" / "e", target_is_directory=True)
    tree = WorkTree(root)
    refused(tree.read, path, 100)
    refused(tree.entries, path.removesuffix("/f.py"))


def test_a_directory_that_became_a_link_is_not_followed(root: Path) -> None:
    tree = WorkTree(root)
    assert tree.entries("d/e")
    (root / "d" / "e" / "f.py").rename(root.parent / "f.py")
    (root / "d" / "e").rmdir()
    (root / "d" / "e").symlink_to(root.parent, target_is_directory=True)
    refused(tree.read, "d/e/outside.py", 100)


def test_the_workspace_itself_may_be_reached_by_a_link(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root, target_is_directory=True)
    assert WorkTree(link).read("d/e/f.py", 100)[1] == b"x = 1\r\n"


def test_a_directory_is_no_file_and_a_file_no_directory(root: Path) -> None:
    refused(WorkTree(root).read, "d", 100)
    refused(WorkTree(root).entries, "d/e/f.py")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="only POSIX systems have FIFOs in the file system")
def test_a_fifo_does_not_hold_us_up(root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert [entry.kind for entry in WorkTree(root).entries("") if entry.name == "pipe"] == ["other"]
    refused(WorkTree(root).read, "pipe", 100)
    refused(read_outside, root / "pipe", 100)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the system has no device files")
def test_a_device_is_not_read() -> None:
    refused(WorkTree(Path("/dev")).read, "zero", 100)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no names of bytes")
def test_names_that_are_no_utf8_are_listed_and_read(root: Path) -> None:
    name = b"caf\xe9.py".decode("utf-8", "surrogateescape")
    try:
        (root / name).write_text("x")
    except OSError:
        return  # the file system takes nothing but UTF-8 (macOS)
    tree = WorkTree(root)
    assert name in [entry.name for entry in tree.entries("")]
    assert tree.read(name, 10)[1] == b"x"


@pytest.mark.skipif(os.name == "nt", reason="Windows counts handles in another way")
def test_no_descriptor_is_left_open(root: Path) -> None:
    tree = WorkTree(root)
    (root / "link").symlink_to("d", target_is_directory=True)
    process = psutil.Process()
    before = process.num_fds()
    tree.read("d/e/f.py", 10)
    tree.entries("d/e")
    for path in ("d/none", "link/e/f.py", "none/x", "d/e/f.py/x"):
        refused(tree.read, path, 10)
        refused(tree.entries, path)
    refused(tree.read, "d/e", 10)
    assert process.num_fds() == before


def test_read_outside_follows_links_and_keeps_to_its_limit(root: Path) -> None:
    link = root / "link"
    link.symlink_to(root.parent / "outside.py")
    assert stat.S_ISLNK(link.lstat().st_mode)
    assert read_outside(link, 100) == b"secret\n"
    assert read_outside(link, 3) == b"sec"
    refused(read_outside, root, 100)
