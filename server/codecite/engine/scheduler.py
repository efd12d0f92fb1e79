"""One job running, one pending, each with its causes: work is coalesced and never lost.

A request that comes while a job runs is served by the next one, since the running job may have passed the file by; all
requests that wait together share that next job. Jobs run on a thread of their own, so that the event loop stays free.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from codecite.model.errors import Cancelled

Result = TypeVar("Result")
log = logging.getLogger(__name__)


@dataclass(slots=True)
class Job(Generic[Result]):
    """A piece of work, why it was asked for, and what its requesters wait on."""

    causes: list[str]
    full: bool = False
    future: "Future[Result]" = field(default_factory=Future)


class Scheduler(Generic[Result]):
    """Runs `work(job)` for one job at a time on its own thread."""

    def __init__(self, work: Callable[[Job[Result]], Result]) -> None:
        self._work = work
        self._changed = threading.Condition()
        self._running: Job[Result] | None = None
        self._pending: Job[Result] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name="scheduler", daemon=True)
        self._thread.start()

    def request(self, cause: str, *, full: bool = False) -> "Future[Result]":
        """Ask for a job that starts after this call; return the future of its result."""
        with self._changed:
            if self._closed:
                raise Cancelled("the engine is leaving")
            if self._pending is None:
                self._pending = Job([cause], full)
            else:
                self._pending.full |= full
                if cause not in self._pending.causes:
                    self._pending.causes.append(cause)
            self._changed.notify_all()
            return self._pending.future

    def state(self) -> tuple[list[str] | None, list[str] | None]:
        """Return the causes of the running and of the pending job, None where there is none."""
        with self._changed:
            return (
                list(self._running.causes) if self._running else None,
                list(self._pending.causes) if self._pending else None,
            )

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
            try:
                job.future.set_result(self._work(job))
            except Exception as error:
                if not isinstance(error, Cancelled):
                    log.exception("job failed (%s)", ", ".join(job.causes))
                job.future.set_exception(error)
            finally:
                with self._changed:
                    self._running = None

    def _next(self) -> Job[Result] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._pending is not None)
            if self._closed:
                return None
            self._running, self._pending = self._pending, None
            return self._running
