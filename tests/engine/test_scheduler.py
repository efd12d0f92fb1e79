"""One job running, one pending: coalesced, never lost."""

import threading
from collections.abc import Iterator

import pytest

from codecite.engine.compose import SystemClock
from codecite.engine.scheduler import LONGEST_QUIET_WAIT, MOST_PATHS, Job, JobState, Scheduler
from codecite.model.errors import Cancelled


class Gate:
    """Work that stands still until it is let go, and remembers what it was given."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.release = threading.Semaphore(0)
        self.jobs: list[tuple[list[str], bool]] = []
        self.seen: list[Job[int]] = []
        self.fails = 0  # how many of the first jobs do

    def __call__(self, job: Job[int]) -> int:
        self.jobs.append((list(job.causes), job.full))
        self.seen.append(job)
        self.begun.release()
        self.release.acquire()
        if len(self.jobs) <= self.fails:
            raise ValueError("broken")
        return len(self.jobs)


def test_requests_that_wait_together_share_one_job_that_starts_after_them() -> None:
    gate = Gate()
    scheduler = Scheduler(gate, SystemClock())
    first = scheduler.request("start")
    assert gate.begun.acquire(timeout=10)
    second = scheduler.request("save")
    third = scheduler.request("commit", full=True)
    again = scheduler.request("save")
    running, pending = scheduler.state()
    assert running is not None
    assert pending is not None
    assert (running.causes, pending.causes) == (("start",), ("save", "commit"))
    assert second is third is again
    assert second is not first
    gate.release.release(2)
    assert first.result(10) == 1
    assert second.result(10) == 2
    assert gate.jobs == [(["start"], False), (["save", "commit"], True)]
    scheduler.close()


def test_a_job_that_fails_tells_its_requesters_and_the_next_one_runs() -> None:
    gate = Gate()
    gate.fails = 1
    gate.release.release(2)
    scheduler = Scheduler(gate, SystemClock())
    with pytest.raises(ValueError, match="broken"):
        scheduler.request("fail").result(10)
    assert scheduler.request("save").result(10) == 2
    scheduler.close()


def test_closing_drops_the_pending_job_and_takes_no_more() -> None:
    gate = Gate()
    scheduler = Scheduler(gate, SystemClock())
    running = scheduler.request("start")
    assert gate.begun.acquire(timeout=10)
    pending = scheduler.request("save")
    closer = threading.Thread(target=scheduler.close)
    closer.start()
    with pytest.raises(Cancelled):
        pending.result(10)
    gate.release.release()
    closer.join(10)
    assert running.result(10) == 1
    with pytest.raises(Cancelled):
        scheduler.request("late")


HOUR = 3600.0


class HandClock:
    """Time that stands still until it is set."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at


@pytest.fixture
def waiting() -> Iterator[tuple[Scheduler[int], HandClock, Gate]]:
    """A scheduler whose clock stands still, so that hints wait for ever."""
    gate, clock = Gate(), HandClock()
    scheduler: Scheduler[int] = Scheduler(gate, clock)
    yield scheduler, clock, gate
    gate.release.release(100)
    scheduler.close()


def pending(scheduler: Scheduler[int]) -> JobState:
    state = scheduler.state()[1]
    assert state is not None
    return state


Waiting = tuple[Scheduler[int], HandClock, Gate]


def test_hints_put_a_job_off_until_they_pause_within_limits(waiting: Waiting) -> None:
    scheduler, clock, _ = waiting
    scheduler.hint("saved", ["a.py"], 0.3)
    assert pending(scheduler).due == pytest.approx(0.3)
    clock.at += 0.2
    scheduler.hint("saved", ["b.py"], 0.3)
    assert pending(scheduler).due == pytest.approx(0.3)
    assert pending(scheduler).paths == {"a.py", "b.py"}
    clock.at += LONGEST_QUIET_WAIT - 0.3
    scheduler.hint("saved", ["b.py"], 0.3)
    assert pending(scheduler).due == pytest.approx(0.1)
    assert not pending(scheduler).whole


def test_a_patient_hint_hurries_and_delays_nobody(waiting: Waiting) -> None:
    scheduler, clock, _ = waiting
    scheduler.hint("a log grew", ["x.log"], 10, patient=True)
    clock.at += 4
    scheduler.hint("a log grew", ["x.log"], 10, patient=True)
    assert pending(scheduler).due == pytest.approx(6)
    scheduler.hint("saved", ["a.py"], 0.3)
    assert pending(scheduler).due == pytest.approx(0.3)
    scheduler.hint("a log grew", ["x.log"], 10, patient=True)
    assert pending(scheduler).due == pytest.approx(0.3)


def test_whoever_waits_gets_the_hinted_job_at_once(waiting: Waiting) -> None:
    scheduler, _, gate = waiting
    scheduler.hint("saved", ["a.py"], HOUR)
    gate.release.release()
    assert scheduler.request("asked").result(10) == 1
    assert gate.jobs == [(["saved", "asked"], False)]
    assert gate.seen[0].paths == {"a.py"}
    assert gate.seen[0].whole
    assert gate.seen[0].asked


@pytest.mark.parametrize(("paths", "whole"), [(MOST_PATHS, False), (MOST_PATHS + 1, True)])
def test_many_paths_become_a_look_at_everything(waiting: Waiting, paths: int, whole: bool) -> None:
    scheduler, _, _ = waiting
    scheduler.hint("checkout", [f"{n}.py" for n in range(paths)], HOUR)
    assert pending(scheduler).whole is whole


def test_a_hint_without_paths_is_about_everything(waiting: Waiting) -> None:
    scheduler, _, _ = waiting
    scheduler.hint("events were lost", None, HOUR)
    assert pending(scheduler).whole


def test_what_failed_is_tried_again_later_and_later_and_by_whoever_asks_at_once(waiting: Waiting) -> None:
    scheduler, _, gate = waiting
    gate.fails = 2
    gate.release.release(2)
    with pytest.raises(ValueError, match="broken"):
        scheduler.request("fail", full=True, paths=["a.py"]).result(10)
    first = pending(scheduler)
    assert first.due == pytest.approx(5)
    assert (first.causes, first.whole) == (("fail",), True)
    scheduler.hint("saved", ["b.py"], 0.3)
    assert pending(scheduler).due == pytest.approx(5)  # a store that is full stays full, whatever is saved
    with pytest.raises(ValueError, match="broken"):
        scheduler.request("asked").result(10)
    assert pending(scheduler).due == pytest.approx(10)
    assert scheduler.failures == 2
    assert gate.jobs[1] == (["fail", "saved", "asked"], True)
    assert gate.seen[1].paths == {"a.py", "b.py"}


def test_whoever_looks_is_told_when_the_state_changes() -> None:
    gate, told = Gate(), threading.Semaphore(0)
    scheduler: Scheduler[int] = Scheduler(gate, SystemClock(), told.release)
    done = scheduler.request("asked")
    assert told.acquire(timeout=10)  # it is pending
    assert told.acquire(timeout=10)  # it runs
    gate.release.release()
    assert done.result(10) == 1
    assert told.acquire(timeout=10)  # it is done
    scheduler.close()
