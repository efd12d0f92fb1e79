"""What is known of the repository without asking git all the time: each question costs it a process or three."""

import threading
from pathlib import Path

from codecite.adapters.git import GitCommand, Standing
from codecite.ports import Clock

BELIEVED_SECONDS = 60.0  # what does not show in the files that are looked at, such as the user's own settings

_Stamps = tuple[tuple[int, int, int, int] | None, ...]


class GitState:
    """The repository around a workspace, asked again when its own files have moved. Safe to call from any thread."""

    def __init__(self, git: GitCommand, clock: Clock) -> None:
        self._git = git
        self._clock = clock
        self._lock = threading.Lock()
        self._files: tuple[Path, ...] = ()
        self._stamps: _Stamps | None = None
        self._fingerprint = ""
        self._told: tuple[_Stamps, float, str, Standing] | None = None

    def moved(self) -> bool:
        """Say whether some of git's files are other ones than at the last look."""
        return self._stamps != _stamps(self._files)

    def look(self) -> bool:
        """Look anew; say whether HEAD, the index or the ignore rules from outside are other ones than before."""
        with self._lock:
            self._files = self._git.state_files()
            self._stamps = _stamps(self._files)
            before, self._fingerprint = self._fingerprint, self._git.fingerprint()
            return before != self._fingerprint

    def told(self) -> tuple[str, Standing]:
        """Return why git cannot be used here ("" where it can), and where the repository stands."""
        now, stamps = self._clock.monotonic(), _stamps(self._files)
        with self._lock:
            known = self._told
            if known is None or known[0] != stamps or now - known[1] > BELIEVED_SECONDS:
                known = self._told = stamps, now, self._git.problem(), self._git.standing()
            return known[2:]


def _stamps(files: tuple[Path, ...]) -> _Stamps:
    return tuple(map(_stamp, files))


def _stamp(path: Path) -> tuple[int, int, int, int] | None:
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_uid
