"""Files that are written all the time are told from those that somebody works on."""

import pytest

from codecite.engine.restless import LIMIT, MOST_KNOWN, RestlessFiles

# seconds between writes, how many there are, whether the last of them is of a restless file
RHYTHMS: dict[str, tuple[float, int, bool]] = {
    "a save now and then": (10.0, 200, False),
    "an auto-save each second for a while": (1.0, 20, False),
    "twenty saves in two seconds": (0.1, 20, False),
    "a log with a line each second": (1.0, 60, True),
    "a log with many lines a second": (0.02, 1_000, True),
    "a line each five seconds for an hour": (5.0, 720, True),
}


@pytest.mark.parametrize("rhythm", RHYTHMS)
def test_rhythms(rhythm: str) -> None:
    apart, count, restless = RHYTHMS[rhythm]
    files = RestlessFiles()
    seen = [files.written(["x", "y"], 100.0 + number * apart) for number in range(count)]
    assert seen[-1] == (frozenset({"x", "y"}) if restless else frozenset())


def test_one_file_says_nothing_of_another() -> None:
    files = RestlessFiles()
    for second in range(60):
        files.written(["server.log"], float(second))
    assert files.written(["server.log", "a.py"], 60.0) == {"server.log"}


def test_a_file_that_falls_silent_counts_again() -> None:
    files = RestlessFiles()
    for second in range(1_000):
        files.written(["a.py"], float(second))
    assert files.written(["a.py"], 1_012.0) == frozenset()


def test_what_is_remembered_is_bounded() -> None:
    files = RestlessFiles()
    for number in range(5 * MOST_KNOWN):
        files.written([f"{number}.py"], float(number))
    assert len(files._known) <= MOST_KNOWN + LIMIT
