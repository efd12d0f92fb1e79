"""Which files may have changed, from sizes and times alone."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.collect.changes import COARSEST_TICK_NS, reconcile
from codecite.collect.walk import Scan
from codecite.model.files import FileStamp
from codecite.ports import StoredFile

DAY = 86_400_000_000_000  # nanoseconds
BEFORE = FileStamp("a.py", 10, 5 * DAY)


def stored(*stamps: FileStamp) -> dict[str, StoredFile]:
    return {stamp.path: StoredFile(stamp, "0" * 64, clean=True) for stamp in stamps}


@pytest.mark.parametrize(
    ("now", "may_have_changed"),
    [
        (BEFORE, False),
        (replace(BEFORE, size=11), True),
        (replace(BEFORE, mtime_ns=6 * DAY), True),
        (replace(BEFORE, mtime_ns=4 * DAY), True),  # an older file was put in its place
        (replace(BEFORE, path="b.py"), True),
    ],
)
def test_another_size_or_time_makes_a_candidate(now: FileStamp, may_have_changed: bool) -> None:
    changes = reconcile(stored(BEFORE), Scan([now], []))
    assert changes.candidates == ((now,) if may_have_changed else ())
    assert changes.gone == (() if now.path == BEFORE.path else (BEFORE.path,))


def test_full_makes_all_candidates() -> None:
    assert reconcile(stored(BEFORE), Scan([BEFORE], []), full=True).candidates == (BEFORE,)


@pytest.mark.parametrize(
    ("written", "read", "read_again"),
    [
        (5 * DAY, 5 * DAY + COARSEST_TICK_NS, False),
        (5 * DAY, 5 * DAY + COARSEST_TICK_NS - 1, True),
        (5 * DAY, 5 * DAY, True),
        (5 * DAY, 4 * DAY, True),  # written while the last sync ran
    ],
)
def test_what_was_written_just_before_it_was_read_is_read_again(
    written: int, read: int, read_again: bool
) -> None:
    stamp = replace(BEFORE, mtime_ns=written)
    changes = reconcile(stored(stamp), Scan([stamp], []), read_since_ns=read)
    assert changes.candidates == ((stamp,) if read_again else ())


STAMPS = st.lists(
    st.builds(FileStamp, st.sampled_from("abcdef"), st.integers(0, 2), st.integers(0, 2)),
    unique_by=lambda stamp: stamp.path,
).map(lambda stamps: sorted(stamps, key=lambda stamp: stamp.path))


@given(known=STAMPS, seen=STAMPS)
def test_candidates_and_gone_account_for_every_difference(
    known: list[FileStamp], seen: list[FileStamp]
) -> None:
    changes = reconcile(stored(*known), Scan(seen, []))
    after = {stamp.path: stamp for stamp in known if stamp.path not in changes.gone}
    after |= {stamp.path: stamp for stamp in changes.candidates}
    assert sorted(after.values(), key=lambda stamp: stamp.path) == seen
    assert not set(changes.candidates) & set(known)
