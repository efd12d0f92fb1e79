"""Files of a workspace: what was seen on disk, what was read, and what was refused and why."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What a directory listing says of a regular file.

    `path` is relative to the workspace, POSIX separators, spelled as on disk; `size` in bytes; `mtime_ns` in
    nanoseconds.
    """

    path: str
    size: int
    mtime_ns: int


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
