"""Files of a workspace: what was seen on disk, what was read, and what was refused and why."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What a directory listing says of a regular file.

    `path` is relative to the workspace, POSIX separators, spelled as on disk; `size` in bytes; `mtime_ns` in
    nanoseconds. `ctime_ns` is when the system last noted a change of the file: it moves even where a tool sets the
    other time back (`cp -p`, `rsync -t`, an unpacked archive); on Windows it is when the file was made.
    """

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int = 0


def folder_of(path: str) -> str:
    """Return the folder that a path stands in, "" for the workspace itself; a folder's own path may end in `/`."""
    return path.rstrip("/").rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file (or a directory, its path ending in `/`) that is not indexed, and why, in one word and in one line."""

    path: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SourceText:
    """The decoded text of a file: no byte order mark, NUL blanked to a space, line ends as in the file."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()
