"""One job running, one pending: coalesced, never lost."""

import threading

import pytest

from codecite.engine.scheduler import Job, Scheduler
from codecite.model.errors import Cancelled


class Gate:
    """Work that stands still until it is let go, and remembers what it was given."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.release = threading.Semaphore(0)
        self.jobs: list[tuple[list[str], bool]] = []

    def __call__(self, job: Job[int]) -> int:
        self.jobs.append((list(job.causes), job.full))
        self.begun.release()
        self.release.acquire()
        if "fail" in job.causes:
            raise ValueError("broken")
        return len(self.jobs)


def test_requests_that_wait_together_share_one_job_that_starts_after_them() -> None:
    gate = Gate()
    scheduler = Scheduler(gate)
    first = scheduler.request("start")
    assert gate.begun.acquire(timeout=10)
    second = scheduler.request("save")
    third = scheduler.request("commit", full=True)
    again = scheduler.request("save")
    assert scheduler.state() == (["start"], ["save", "commit"])
    assert second is third is again
    assert second is not first
    gate.release.release(2)
    assert first.result(10) == 1
    assert second.result(10) == 2
    assert gate.jobs == [(["start"], False), (["save", "commit"], True)]
    scheduler.close()


def test_a_job_that_fails_tells_its_requesters_and_the_next_one_runs() -> None:
    gate = Gate()
    gate.release.release(2)
    scheduler = Scheduler(gate)
    with pytest.raises(ValueError, match="broken"):
        scheduler.request("fail").result(10)
    assert scheduler.request("save").result(10) == 2
    scheduler.close()


def test_closing_drops_the_pending_job_and_takes_no_more() -> None:
    gate = Gate()
    scheduler = Scheduler(gate)
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
