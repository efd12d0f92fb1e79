"""One job running, one pending, each with its causes: work is coalesced and never lost.

A request that comes while a job runs is served by the next one, since the running job may have passed the file by; all
requests that wait together share that next job. Hints of changes come in bursts, so a job that only they ask for waits
until they pause; one that somebody waits for starts at once. A job that failed is tried again, later and later. Jobs
run on a thread of their own, so that the event loop stays free.
"""

import logging
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from codecite.model.errors import Cancelled
from codecite.ports import Clock

Result = TypeVar("Result")
log = logging.getLogger(__name__)

LONGEST_QUIET_WAIT = 5.0  # seconds after which a burst that does not pause is served all the same
MOST_PATHS = 1_000  # named files beyond which looking at everything costs less than looking at each
FIRST_RETRY, LAST_RETRY = 5.0, 300.0  # seconds; doubled with each failure


@dataclass(slots=True)
class Job(Generic[Result]):
    """A piece of work, why it was asked for, and what its requesters wait on.

    `paths` are files that may have changed; where the job is `whole`, anything may have. `asked` says that somebody
    waits for it, and that it is not mere background work.
    """

    causes: list[str]
    full: bool = False
    whole: bool = False
    asked: bool = False
    paths: set[str] = field(default_factory=set)
    since: float = 0.0  # of the clock that does not go back: when it was first asked for, then when it began
    due: float = 0.0
    patient: bool = False  # only hints that tell little have asked for it
    future: "Future[Result]" = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class JobState:
    """A job as status tells it. Times are in seconds from now: since when it runs or waits, until it is due."""

    causes: tuple[str, ...]
    age: float
    due: float
    whole: bool
    paths: frozenset[str]
    patient: bool  # it is about what will hardly matter


class Scheduler(Generic[Result]):
    """Runs `work(job)` for one job at a time on its own thread. `changed` is called when what it does changes."""

    def __init__(
        self,
        work: Callable[[Job[Result]], Result],
        clock: Clock,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.failures = 0  # in a row
        self._work = work
        self._clock = clock
        self._tell = changed
        self._changed = threading.Condition()
        self._running: Job[Result] | None = None
        self._pending: Job[Result] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name="scheduler", daemon=True)
        self._thread.start()

    def request(
        self, cause: str, *, full: bool = False, paths: Iterable[str] | None = None
    ) -> "Future[Result]":
        """Ask for a job that starts after this call, at once; return the future of its result.

        It looks at everything, and reads these files whatever their sizes and times say.
        """
        return self._ask(cause, set(paths or ()), full=full, whole=True, asked=True, quiet=0.0)

    def hint(self, cause: str, paths: Iterable[str] | None, quiet: float, *, patient: bool = False) -> None:
        """Say that these files may have changed, or that any may have (None), for a job `quiet` seconds from now.

        Each further hint puts it off again, within limits. A `patient` hint, of what will hardly matter, neither puts
        off nor hurries what others want.
        """
        self._ask(cause, set(paths or ()), whole=paths is None, quiet=quiet, patient=patient)

    def _ask(
        self,
        cause: str,
        paths: set[str],
        *,
        whole: bool,
        quiet: float,
        full: bool = False,
        asked: bool = False,
        patient: bool = False,
    ) -> "Future[Result]":
        with self._changed:
            if self._closed:
                raise Cancelled("the engine is leaving")
            now = self._clock.monotonic()
            job = self._pending
            if job is None:
                job = self._pending = Job([], since=now, due=now + quiet, patient=patient)
            elif not patient:
                # What failed waits out its time, whatever is saved meanwhile; somebody who asks does not.
                limit = job.since + LONGEST_QUIET_WAIT if not job.patient else now + quiet
                retry = job.due if self.failures and not asked else 0.0
                job.due = max(retry, min(now + quiet, limit))
                job.patient = False
            if asked:
                job.due, job.patient = now, False
            job.full |= full
            job.asked |= asked
            job.paths |= paths
            job.whole |= whole or len(job.paths) > MOST_PATHS
            if cause not in job.causes:
                job.causes.append(cause)
            self._changed.notify_all()
            future = job.future
        self._tell()
        return future

    def state(self) -> tuple[JobState | None, JobState | None]:
        """Return the running and the pending job, None where there is none."""
        with self._changed:
            return self._seen(self._running), self._seen(self._pending)

    def _seen(self, job: Job[Result] | None) -> JobState | None:
        if job is None:
            return None
        now = self._clock.monotonic()
        due = max(0.0, job.due - now)
        return JobState(tuple(job.causes), now - job.since, due, job.whole, frozenset(job.paths), job.patient)

    def current(self) -> "Future[Result] | None":
        """Return the future of the job that will next be done, or None when nothing is running or pending."""
        with self._changed:
            job = self._running or self._pending
            return job.future if job else None

    def close(self) -> None:
        """Take no more jobs, drop the pending one, and wait for the running one; the work must see its own stop."""
        with self._changed:
            self._closed = True
            if self._pending is not None:
                self._pending.future.set_exception(Cancelled("the engine is leaving"))
                self._pending = None
            self._changed.notify_all()
        self._thread.join()

    def _loop(self) -> None:
        while (job := self._next()) is not None:
            self._tell()
            try:
                result = self._work(job)
            except Exception as error:
                if not isinstance(error, Cancelled):
                    log.exception("job failed (%s)", ", ".join(job.causes))
                self._ended(None if isinstance(error, Cancelled) else job)
                job.future.set_exception(error)
            else:
                self.failures = 0
                self._ended(None)
                job.future.set_result(result)
            self._tell()

    def _ended(self, failed: Job[Result] | None) -> None:
        """Note that nothing runs; what a failed job was to do is tried again, with all that came meanwhile."""
        with self._changed:
            self._running = None
            if failed is None or self._closed:
                return
            self.failures += 1
            now = self._clock.monotonic()
            wait = min(LAST_RETRY, FIRST_RETRY * 2 ** (self.failures - 1))
            again = self._pending or Job[Result]([], since=now)
            again.causes += [cause for cause in failed.causes if cause not in again.causes]
            again.full |= failed.full
            again.whole = True
            again.paths |= failed.paths
            again.due = now if again.asked else now + wait
            self._pending = again

    def _next(self) -> Job[Result] | None:
        """Wait for a job that is due and take it; None once closed."""
        with self._changed:
            while not self._closed:
                now = self._clock.monotonic()
                if self._pending is not None and self._pending.due <= now:
                    self._running, self._pending = self._pending, None
                    self._running.since = now
                    return self._running
                self._changed.wait(self._pending.due - now if self._pending is not None else None)
            return None
