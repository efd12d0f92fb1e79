"""Follow the work tree: whatever tells that something changed becomes a hint for the scheduler.

Four sources, none of which is trusted alone: the watcher's events, which may be lost; the word of an editor or a git
hook; the state of the repository, which moves with every commit, checkout and stash; and time, for all that no one
told. A hint names places to look at. What changed there is for the sync to find out.
"""

import logging
import threading
from collections.abc import Sequence

from codecite.engine.git_state import GitState
from codecite.engine.restless import RestlessFiles
from codecite.engine.scheduler import Scheduler
from codecite.engine.sync import Synchronizer
from codecite.ports import Clock

log = logging.getLogger(__name__)

QUIET_SECONDS = 0.3  # without a further event: editors write a file in several steps
BURST_QUIET_SECONDS = 1.0  # the same while many files change: a checkout pauses now and then
BURST_PATHS = 100
PATIENT_SECONDS = 10.0  # between two looks at files that are refused, or are written all the time
GIT_SECONDS = 2.0  # between two looks at the times of git's own files
POLL_SECONDS = 600.0  # between two looks at everything


class Follower:
    """Gives hints to a scheduler. `heard` and `told` may be called from any thread."""

    def __init__(self, git: GitState, scheduler: Scheduler[None], sync: Synchronizer, clock: Clock) -> None:
        self._git = git
        self._scheduler = scheduler
        self._sync = sync
        self._clock = clock
        self._closing = threading.Event()
        self._look_now = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="follower", daemon=True)
        self._restless = RestlessFiles()

    def start(self) -> None:
        """Begin to look at git and the time. Blocks; before the first sync, so that no move of git falls between."""
        self._git.look()
        self._thread.start()

    def heard(self, paths: Sequence[str] | None) -> None:
        """Take what the watcher says: paths, or None when events were lost."""
        if self._closing.is_set():
            return
        if paths is None:
            self._scheduler.hint("events were lost", None, BURST_QUIET_SECONDS)
            return
        telling = [path for path in paths if self._sync.concerns(path)]
        if not telling:
            return
        restless = self._restless.written(telling, self._clock.monotonic())
        if all(path in restless or self._sync.leaves_out(path) for path in telling):
            self._scheduler.hint("files changed", telling, PATIENT_SECONDS, patient=True)
        else:
            self._scheduler.hint("files changed", telling, self._quiet(len(telling)))

    def told(self, paths: Sequence[str], by: str) -> None:
        """Take an editor's word that it wrote these files."""
        self._scheduler.hint(f"saved in {by}", paths, self._quiet(len(paths)))

    def look_at_git(self) -> None:
        """Have the repository looked at now rather than at the next look."""
        self._look_now.set()

    def close(self) -> None:
        """Stop looking."""
        self._closing.set()
        self._look_now.set()
        if self._thread.is_alive():
            self._thread.join()

    def _quiet(self, more: int) -> float:
        pending = self._scheduler.state()[1]
        waiting = more + (len(pending.paths) if pending else 0)
        return BURST_QUIET_SECONDS if waiting > BURST_PATHS else QUIET_SECONDS

    def _loop(self) -> None:
        polled = self._clock.monotonic()
        while not self._closing.is_set():
            asked = self._look_now.wait(GIT_SECONDS)
            self._look_now.clear()
            if self._closing.is_set():
                return
            if (asked or self._git.moved()) and self._git.look():
                self._scheduler.hint("git moved", None, QUIET_SECONDS)
            if self._clock.monotonic() - polled >= POLL_SECONDS:
                polled = self._clock.monotonic()
                self._git.look()
                self._scheduler.hint("a look now and then", None, 0.0)
