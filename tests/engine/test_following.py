"""What is heard becomes a hint: how soon, about what, and what is not worth one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_scheduler import Gate, HandClock, pending

from codecite.adapters.git import GitCommand
from codecite.engine.following import (
    BURST_PATHS,
    BURST_QUIET_SECONDS,
    PATIENT_SECONDS,
    QUIET_SECONDS,
    Follower,
)
from codecite.engine.git_state import GitState
from codecite.engine.scheduler import Scheduler


class Knowing:
    """What a sync knows of the tree: everything but `build` counts; one file is refused."""

    @staticmethod
    def leaves_out(path: str) -> bool:
        return path == "app.sqlite"

    @staticmethod
    def concerns(path: str) -> bool:
        return not path.startswith("build")


@pytest.fixture
def following(tmp_path: Path) -> Iterator[tuple[Follower, Scheduler[Any], HandClock]]:
    gate, clock = Gate(), HandClock()
    scheduler: Scheduler[Any] = Scheduler(gate, clock)
    yield Follower(GitState(GitCommand(tmp_path), clock), scheduler, Knowing(), clock), scheduler, clock  # type: ignore[arg-type]  # stand-ins
    gate.release.release(10)
    scheduler.close()


Following = tuple[Follower, Scheduler[Any], HandClock]


@pytest.mark.parametrize(
    ("paths", "due", "whole", "patient"),
    [
        (["a.py"], QUIET_SECONDS, False, False),
        (["a.py", "build/x.o"], QUIET_SECONDS, False, False),
        (["app.sqlite"], PATIENT_SECONDS, False, True),
        (["app.sqlite", "a.py"], QUIET_SECONDS, False, False),
        ([f"{n}.py" for n in range(BURST_PATHS + 1)], BURST_QUIET_SECONDS, False, False),
        (None, BURST_QUIET_SECONDS, True, False),
    ],
)
def test_what_is_heard(
    following: Following, paths: list[str] | None, due: float, whole: bool, patient: bool
) -> None:
    follower, scheduler, _ = following
    follower.heard(paths)
    state = pending(scheduler)
    assert state.due == pytest.approx(due)
    assert (state.whole, state.patient) == (whole, patient)


def test_what_does_not_count_is_not_worth_a_hint(following: Following) -> None:
    follower, scheduler, _ = following
    follower.heard(["build/x.o", "build/y.o"])
    assert scheduler.state() == (None, None)


def test_a_file_that_is_written_without_end_holds_nobody_up(following: Following) -> None:
    follower, scheduler, clock = following
    for second in range(60):
        follower._restless.written(["server.txt"], clock.at - 60 + second)
    follower.heard(["server.txt"])
    assert pending(scheduler).patient
    follower.heard(["b.py"])
    assert pending(scheduler).due == pytest.approx(QUIET_SECONDS)


def test_an_editor_is_believed_sooner_than_a_log(following: Following) -> None:
    follower, scheduler, _ = following
    follower.heard(["app.sqlite"])
    follower.told(["a.py"], "lsp")
    assert pending(scheduler).due == pytest.approx(QUIET_SECONDS)
    assert pending(scheduler).causes == ("files changed", "saved in lsp")
