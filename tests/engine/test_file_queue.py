"""The order of reading may change while it runs; every file is still read exactly once."""

from hypothesis import given
from hypothesis import strategies as st

from codecite.engine.file_queue import FileQueue
from codecite.engine.wire import FileRequest


def queue_of(*paths: str) -> FileQueue:
    return FileQueue(FileRequest(path, "") for path in paths)


def test_promoted_files_come_next_in_their_order() -> None:
    queue = queue_of("a", "b", "c", "d", "e")
    order = iter(queue)
    assert next(order).path == "a"
    queue.promote(["d", "a", "nowhere", "c"])
    assert [request.path for request in order] == ["d", "c", "b", "e"]


@given(
    st.sets(st.text(min_size=1), max_size=20),
    st.lists(st.lists(st.text(min_size=1), max_size=5), max_size=20),
    st.data(),
)
def test_every_file_is_handed_out_once_whatever_is_promoted(
    paths: set[str], promotions: list[list[str]], data: st.DataObject
) -> None:
    queue = queue_of(*sorted(paths))
    seen = []
    order = iter(queue)
    for promotion in promotions:
        queue.promote(
            promotion + data.draw(st.lists(st.sampled_from(sorted(paths)), max_size=4))
            if paths
            else promotion
        )
        seen += [request.path for request in [next(order, None)] if request]
    seen += [request.path for request in order]
    assert sorted(seen) == sorted(paths)


def test_waiting_ends_when_all_is_done_or_nothing_more_will_be() -> None:
    queue = queue_of("a", "b")
    assert not queue.wait_done(0)
    queue.done(["a"])
    assert (queue.left(), queue.total) == (1, 2)
    queue.done(["b"])
    assert queue.wait_done(0)
    closed = queue_of("a")
    closed.close()
    assert closed.wait_done(0)
    assert list(closed) == []
