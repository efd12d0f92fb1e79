"""A listener for watchers that tests can wait for, and that can hold a watcher up."""

import itertools
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

LIMIT = 30.0  # seconds until a test gives up waiting; never reached unless something is broken


class Ear:
    """Keeps what a watcher said. Call it as the listener."""

    def __init__(self) -> None:
        self.calls: list[Sequence[str] | None] = []
        self._holds = False
        self._held = False  # the watcher's thread waits in a call
        self._changed = threading.Condition()
        self._numbers = itertools.count()

    def __call__(self, paths: Sequence[str] | None) -> None:
        with self._changed:
            self.calls.append(paths)
            self._held = self._holds
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: not self._holds, LIMIT)
            self._held = False

    def paths(self) -> set[str]:
        return {path for call in self.calls if call is not None for path in call}

    def until(self, reached: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(reached, LIMIT), f"only this was heard: {self.calls}"

    def until_heard(self, *paths: str) -> None:
        self.until(lambda: self.paths().issuperset(paths))

    def said_up_to_now(self, root: Path) -> set[str]:
        """Return the paths said since the last such call: events come in order, so those before a marker are here.

        The marker, a new file each time, goes into the root, which must be watched.
        """
        marker = f"marker {next(self._numbers)}"
        (root / marker).write_text("")
        self.until_heard(marker)
        (root / marker).unlink()
        with self._changed:
            heard = self.paths()
            self.calls.clear()
        return {path for path in heard if not path.startswith("marker ")}

    def hold(self, root: Path) -> None:
        """Keep the watcher's thread in a call, so that it takes up no further events. The root must be watched."""
        with self._changed:
            self._holds = True
        (root / f"marker {next(self._numbers)}").write_text("")
        self.until(lambda: self._held)

    def release(self) -> None:
        with self._changed:
            self._holds = False
            self._changed.notify_all()
