"""The files that a sync has still to read, in an order that a question may change while the sync runs."""

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from codecite.engine.wire import FileRequest


class FileQueue:
    """Hands out requests one by one; `promote` moves some to the front, `wait_done` waits for all."""

    def __init__(self, requests: Iterable[FileRequest]) -> None:
        self._requests = {request.path: request for request in requests}
        self._order = deque(self._requests)
        self._open = set(self._requests)  # not yet written: waiting or in the worker's hands
        self._changed = threading.Condition()
        self.total = len(self._open)
        self.hurried = False  # a question waits for some of these files

    def __iter__(self) -> Iterator[FileRequest]:
        while True:
            with self._changed:
                request = None
                while self._order and request is None:
                    request = self._requests.pop(self._order.popleft(), None)
            if request is None:
                return
            yield request

    def done(self, paths: Iterable[str]) -> None:
        """Note that the ledger holds what there was to know of these files."""
        with self._changed:
            self._open.difference_update(paths)
            self._changed.notify_all()

    def close(self) -> None:
        """Let everyone go who waits: nothing more will be done."""
        with self._changed:
            self._open.clear()
            self._requests.clear()
            self._changed.notify_all()

    def waiting(self) -> list[str]:
        """Return the paths that nobody has begun to read."""
        with self._changed:
            return list(self._requests)

    def left(self) -> int:
        """Count the files that are not done."""
        with self._changed:
            return len(self._open)

    def promote(self, paths: Sequence[str]) -> None:
        """Read these next, in this order; those already handed out are left alone."""
        with self._changed:
            self.hurried = True
            # The old places stay in the deque: the request is gone by then and they are passed over.
            self._order.extendleft(path for path in reversed(paths) if path in self._requests)

    def wait_done(self, timeout: float) -> bool:
        """Wait until every file is done, at most `timeout` seconds; say whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._open, timeout)
