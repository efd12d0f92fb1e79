"""The work tree on disk, read without ever following a link.

Every directory of a path is opened relative to the one before it, links refused, so that nobody who swaps a directory
for a link while we look can lead us out of the workspace. Where the system has no such calls (Windows), each component
is checked for being a link or a junction before the file is opened.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codecite.model.files import FileStamp
from codecite.ports import DirEntry

_CHUNK = 1 << 20  # bytes asked of the system at once


class WorkTree:
    """The regular files below a directory; implements `ports.Disk`.

    `root` may itself be a link, since the user named it. Names that are not UTF-8 appear with surrogates, as
    `os.fsdecode` gives them. Thread-safe: nothing is kept between calls.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def entries(self, directory: str) -> list[DirEntry]:
        """List a directory in order of names; raise OSError where it cannot be listed or a link leads there."""
        with _opened_directory(self._root, _components(directory)) as opened, os.scandir(opened) as listing:
            found = [entry for entry in map(_describe, listing) if entry is not None]
        found.sort(key=lambda entry: entry.name)
        return found

    def read(self, path: str, limit: int) -> tuple[FileStamp, bytes]:
        """Read a regular file, at most `limit` + 1 bytes; raise OSError for a link, a device, a FIFO, a directory."""
        *directories, name = _components(path) or [""]
        with _opened_directory(self._root, directories) as opened:
            descriptor = _open_file(opened, name)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "not a regular file", path)
            return FileStamp(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns), _read(
                descriptor, limit + 1
            )
        finally:
            os.close(descriptor)


def read_outside(path: Path, limit: int) -> bytes:
    """Read at most `limit` bytes of a regular file outside any workspace, links followed; raise OSError otherwise."""
    descriptor = os.open(path, os.O_RDONLY | _NO_WAIT)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return _read(descriptor, limit)
    finally:
        os.close(descriptor)


def _components(path: str) -> list[str]:
    """Split a path of the workspace into its names; raise FileNotFoundError for one that cannot be in it."""
    if not path:
        return []
    names = path.split("/")
    if any(name in {"", ".", ".."} or any(char in name for char in _IN_NO_NAME) for name in names):
        raise FileNotFoundError(errno.ENOENT, "not a path of the workspace", path)
    return names


def _read(descriptor: int, limit: int) -> bytes:
    chunks = []
    while limit > 0 and (chunk := os.read(descriptor, min(limit, _CHUNK))):
        chunks.append(chunk)
        limit -= len(chunk)
    return b"".join(chunks)


def _describe(entry: "os.DirEntry[str]") -> DirEntry | None:
    """Return what a listing says of a name, or None if it is gone by now."""
    if entry.is_file(follow_symlinks=False):
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
        return DirEntry(entry.name, "file", status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    if entry.is_symlink() or _is_junction(entry):
        return DirEntry(entry.name, "symlink", 0, 0)
    return DirEntry(entry.name, "directory" if entry.is_dir(follow_symlinks=False) else "other", 0, 0)


if sys.platform == "win32":
    _NO_WAIT = os.O_BINARY | os.O_NOINHERIT
    _IN_NO_NAME = '\0\\/:*?"<>|'  # a colon would open another stream of the file
    _LINKS = {stat.IO_REPARSE_TAG_SYMLINK, stat.IO_REPARSE_TAG_MOUNT_POINT}

    def _is_junction(entry: "os.DirEntry[str]") -> bool:
        return entry.stat(follow_symlinks=False).st_reparse_tag in _LINKS

    @contextmanager
    def _opened_directory(root: Path, names: list[str]) -> Iterator[Path]:
        for name in names:
            root = root / name
            _refuse_link(root)
        yield root

    def _open_file(directory: Path, name: str) -> int:
        _refuse_link(directory / name)
        return os.open(directory / name, os.O_RDONLY | _NO_WAIT)

    def _refuse_link(path: Path) -> None:
        if path.lstat().st_reparse_tag in _LINKS:
            raise OSError(errno.ELOOP, "a link, which is not followed", str(path))

else:
    _NO_WAIT = os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY  # a FIFO with no writer must not hold us up
    _IN_NO_NAME = "\0"
    _DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

    def _is_junction(_entry: "os.DirEntry[str]") -> bool:
        return False  # only Windows has junctions

    @contextmanager
    def _opened_directory(root: Path, names: list[str]) -> Iterator[int]:
        descriptor = os.open(root, _DIRECTORY)
        try:
            for name in names:
                inner = os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    def _open_file(directory: int, name: str) -> int:
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | _NO_WAIT, dir_fd=directory)
