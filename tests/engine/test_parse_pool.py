"""The killable worker: order, blame, deadlines, memory, and what is left when either side ends."""

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from codecite.engine.parse_pool import AHEAD, ParseWorker, WorkerFailure
from codecite.model.errors import Cancelled, Unavailable

PROGRAM = str(Path(__file__).with_name("small_worker.py"))

PARENT = """
import sys
from codecite.engine.parse_pool import ParseWorker

worker = ParseWorker([sys.argv[1]])
replies = worker.map([{"do": "echo"}, {"do": "sleep"}])
next(replies)
print(worker.pid, flush=True)
next(replies)
"""

Make = Callable[..., ParseWorker]


@pytest.fixture
def make() -> Iterator[Make]:
    """Make workers that are closed after the test."""
    made: list[ParseWorker] = []

    def make(**limits: Any) -> ParseWorker:
        made.append(ParseWorker([PROGRAM], **limits))
        return made[-1]

    yield make
    for worker in made:
        worker.close()


def do(*names: str) -> list[dict[str, Any]]:
    return [{"do": name, "n": n} for n, name in enumerate(names)]


def outcomes(worker: ParseWorker, requests: list[dict[str, Any]]) -> list[str]:
    """Run requests; return what came of each in a word, having checked that they came in order."""
    got = list(worker.map(requests))
    assert [request for request, _ in got] == requests
    return [reply.reason if isinstance(reply, WorkerFailure) else "ok" for _, reply in got]


def test_replies_come_in_order_from_one_process(make: Make) -> None:
    worker = make()
    requests = do(*["echo"] * 200)
    got = list(worker.map(iter(requests)))
    assert [request for request, _ in got] == requests
    assert [reply["n"] for _, reply in got if isinstance(reply, dict)] == list(range(200))
    assert {reply["pid"] for _, reply in got if isinstance(reply, dict)} == {worker.pid}
    assert outcomes(worker, do("echo")) == ["ok"]


def test_large_requests_ahead_of_a_worker_that_is_slow_to_read(make: Make) -> None:
    requests = [{"do": "echo", "n": n, "text": "x" * 500_000} for n in range(2 * AHEAD)]
    assert outcomes(make(), requests) == ["ok"] * len(requests)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("abort", "crashed"),
        ("exit", "crashed"),
        ("hang", "timeout"),
        ("sleep", "timeout"),
        ("raise", "error"),
        ("print", "ok"),
    ],
)
def test_one_bad_request_costs_only_itself(make: Make, bad: str, reason: str) -> None:
    worker = make(deadline=1.0)
    assert outcomes(worker, do("echo", bad, "echo", "echo", bad)) == ["ok", reason, "ok", "ok", reason]


def test_a_hang_is_noticed_while_requests_still_wait_to_be_written(make: Make) -> None:
    worker = make(deadline=1.0)
    requests = do("hang") + [{"do": "echo", "n": n, "text": "x" * 1_000_000} for n in range(AHEAD)]
    assert outcomes(worker, requests) == ["timeout"] + ["ok"] * AHEAD


def test_a_slow_consumer_is_not_taken_for_a_slow_worker(make: Make) -> None:
    worker = make(deadline=0.5)
    replies = worker.map(do(*["echo"] * 5))
    next(replies)
    threading.Event().wait(0.8)  # longer than the deadline: the worker has answered meanwhile
    assert all(isinstance(reply, dict) for _, reply in replies)


def test_a_failure_says_what_happened(make: Make) -> None:
    worker = make(deadline=1.0)
    details = [
        reply.detail
        for _, reply in worker.map(do("exit", "raise", "hang"))
        if isinstance(reply, WorkerFailure)
    ]
    assert details == ["exit status 3", "ValueError: no such grammar", "no reply within 1 s"]


def test_a_worker_that_has_grown_is_replaced_and_nobody_blamed(make: Make) -> None:
    worker = make(memory_bytes=150_000_000)
    requests = [{"do": "grow", "bytes": 60_000_000} for _ in range(6)]
    got = list(worker.map(requests))
    pids = [reply["pid"] for _, reply in got if isinstance(reply, dict)]
    assert len(pids) == 6
    assert 1 < len(set(pids)) < 6


def test_an_idle_worker_leaves_and_the_next_request_starts_another(make: Make) -> None:
    worker = make(idle_seconds=0.1)
    assert outcomes(worker, do("echo")) == ["ok"]
    for thread in threading.enumerate():
        if (
            thread.name == "worker replies"
        ):  # it waits for the process: two who wait for one child race for its status
            thread.join(20)
    assert worker.pid is None
    assert outcomes(worker, do("echo", "echo")) == ["ok", "ok"]


def test_a_round_left_early_does_not_answer_the_next(make: Make) -> None:
    worker = make()
    for request, _ in worker.map(do(*["echo"] * 10)):
        if request["n"] == 2:
            break
    assert outcomes(worker, [{"do": "echo", "n": "fresh"}]) == ["ok"]


def test_closing_from_another_thread_ends_a_wait(make: Make) -> None:
    worker = make()
    replies = worker.map(do("echo", "hang"))
    next(replies)
    pid = worker.pid
    assert pid is not None
    closing = threading.Timer(0.1, worker.close)
    closing.start()
    with pytest.raises(Cancelled):
        next(replies)
    closing.join()
    assert not psutil.pid_exists(pid)
    with pytest.raises(Cancelled):
        list(worker.map(do("echo")))


def test_nothing_to_do_starts_nothing(make: Make) -> None:
    worker = make()
    assert list(worker.map([])) == []
    assert worker.pid is None


@pytest.mark.parametrize("arguments", [[PROGRAM, "--broken"], ["-c", "raise SystemExit(4)"]])
def test_a_worker_that_cannot_start_is_said(arguments: list[str]) -> None:
    worker = ParseWorker(arguments)
    with pytest.raises(Unavailable, match="could not start: exit status 4"):
        list(worker.map(do("echo")))
    worker.close()


@pytest.mark.skipif(sys.platform == "win32", reason="niceness of POSIX")
def test_the_worker_steps_back_behind_what_people_do(make: Make) -> None:
    [(_, reply)] = make().map(do("echo"))
    assert isinstance(reply, dict)
    assert reply["nice"] >= 5


def test_the_worker_ends_with_its_parent() -> None:
    """The parent is killed while the worker sleeps: the end of its input tells it."""
    parent = psutil.Popen(
        [
            sys.executable,
            "-c",
            PARENT,
            PROGRAM,
        ],
        stdout=-1,
        text=True,
    )
    with parent.stdout:
        child = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    gone, _ = psutil.wait_procs([child], timeout=20)
    assert gone == [child]
