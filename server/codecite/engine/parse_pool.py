"""Work that may hang or crash, done in a child process that may be killed for it.

Native parsers run over whatever a repository holds; one bad file must cost that file and nothing else. The
parent sends requests ahead, so that both processes stay busy, and keeps the clock: whoever is first in the
queue is in the worker's hands, and answers within the deadline or takes the blame.

One JSON object a line, both ways:

    parent   {"idle": seconds, "memory": bytes, "deadline": seconds}      once, first
             {"id": 3, "request": {...}}
    worker   {"ready": true}                                              once, first
             {"id": 3, "reply": {...}}  or  {"id": 3, "error": "..."}     in order
             {"leaving": "idle"}  or  {"leaving": "memory"}               last, between two requests
"""

import contextlib
import faulthandler
import itertools
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Literal, NoReturn

import orjson

from codecite.engine.memory import resident_bytes
from codecite.model.errors import Cancelled, Unavailable

Json = dict[str, Any]

log = logging.getLogger(__name__)

DEADLINE_SECONDS = 10.0  # for one request; the largest file that is accepted parses in a second
IDLE_SECONDS = 30.0  # a worker without work leaves after this
MEMORY_BYTES = 300 * 1024 * 1024  # a worker that occupies more is replaced by a fresh one
AHEAD = 16  # requests sent and not yet answered
NICENESS = 5  # below what people do, above what only fills gaps
START_SECONDS = 60.0  # for a worker to load its grammars on a machine that is busy

if sys.platform == "win32":
    _QUIET_AND_LOW = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
else:
    _QUIET_AND_LOW = 0


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """Why a request has no reply: it ran out of time, the worker died over it, or its handler raised."""

    reason: Literal["timeout", "crashed", "error"]
    detail: str = ""


class ParseWorker:
    """Runs requests through a worker process, which is started when needed and replaced when lost.

    `arguments` are the interpreter's: they start a program that ends in `worker_main`. `map` is for one
    thread at a time; `close` may be called from any.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        deadline: float = DEADLINE_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._command = [sys.executable, "-P", *arguments]
        self._deadline = deadline
        self._limits = {"idle": idle_seconds, "memory": memory_bytes, "deadline": deadline}
        self._ids = itertools.count(1)
        self._child: _Child | None = None
        self._changing = threading.Lock()  # of `_child` and `_closed`
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Process id of the worker that runs now, None when there is none."""
        child = self._child
        return child.pid if child is not None and child.alive else None

    def map(
        self, requests: Iterable[Json], ahead: int = AHEAD
    ) -> Iterator[tuple[Json, Json | WorkerFailure]]:
        """Yield each request with its reply, in order; up to `ahead` requests are taken before the first reply.

        With one, this process and the worker take turns, and both together keep to one core.

        Raises Cancelled once `close` was called, Unavailable when no worker can be started.
        """
        waiting: deque[tuple[int, Json]] = deque()  # oldest first; the child, if there is one, has them all
        source = iter(requests)
        try:
            while True:
                for request in itertools.islice(source, ahead - len(waiting)):
                    waiting.append((next(self._ids), request))
                    if (child := self._child) is not None:
                        child.send(*waiting[-1])
                if not waiting:
                    return
                outcome = self._outcome(waiting)
                yield waiting.popleft()[1], outcome
        finally:
            if waiting:
                self._drop()  # else its replies to nobody would come first in the next round

    def close(self) -> None:
        """End the worker and whatever `map` waits for; nothing can be asked afterwards."""
        with self._changing:
            self._closed = True
        self._drop()

    def _outcome(self, waiting: deque[tuple[int, Json]]) -> Json | WorkerFailure:
        """Wait for the outcome of the oldest request, however many workers that takes."""
        number = waiting[0][0]
        while True:
            child = self._running(waiting)
            try:
                message = child.receive(self._deadline)
            except _LateError:
                self._drop()
                return WorkerFailure("timeout", f"no reply within {self._deadline:g} s")
            except _EndedError as ended:
                self._drop()
                if self._closed:
                    continue  # to where that is said
                return WorkerFailure("crashed", str(ended))
            if "leaving" in message:
                self._drop()  # it left between two requests: nobody is to blame
                continue
            if message.get("id") != number:
                self._drop()
                return WorkerFailure("crashed", "the worker answered out of turn")
            if "error" in message:
                return WorkerFailure("error", str(message["error"]))
            reply: Json = message["reply"]
            return reply

    def _running(self, waiting: deque[tuple[int, Json]]) -> "_Child":
        """Return the worker; a new one is given all that waits."""
        with self._changing:
            if self._closed:
                raise Cancelled("the parsing worker was closed")
            if self._child is None:
                self._child = _Child(self._command, self._limits)
                for number, request in waiting:
                    self._child.send(number, request)
            return self._child

    def _drop(self) -> None:
        with self._changing:
            child, self._child = self._child, None
        if child is not None:
            child.kill()


class _LateError(Exception):
    """The request in hand took longer than its deadline."""


class _EndedError(Exception):
    """The worker ended unasked, or said what makes no sense."""


class _Child:
    """One worker process and the two threads that keep its pipes moving.

    Neither side may ever wait for the other to read: a worker that hangs must be noticed while requests still
    wait to be written. Threads, since pipes cannot be polled on Windows.
    """

    def __init__(self, command: Sequence[str], limits: Json) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, creationflags=_QUIET_AND_LOW
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._outgoing: queue.SimpleQueue[Json | None] = queue.SimpleQueue()
        self._incoming: queue.SimpleQueue[tuple[float, Json | None]] = queue.SimpleQueue()
        self._threads = (
            threading.Thread(
                target=self._write, args=(self._process.stdin,), name="worker requests", daemon=True
            ),
            threading.Thread(
                target=self._read, args=(self._process.stdout,), name="worker replies", daemon=True
            ),
        )
        self._sent: deque[float] = deque()  # when each unanswered request was handed over
        self._free_since = 0.0  # when the worker last became ready for a request
        self._ready = False
        self._outgoing.put(limits)
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, number: int, request: Json) -> None:
        """Queue a request."""
        self._sent.append(time.monotonic())
        self._outgoing.put({"id": number, "request": request})

    def receive(self, deadline: float) -> Json:
        """Wait for the next message. Raises _LateError, _EndedError, Unavailable when it never got ready."""
        if not self._ready:
            try:
                self._take(time.monotonic() + START_SECONDS)
            except (_LateError, _EndedError) as error:
                raise Unavailable(
                    f"the parsing worker could not start: {error}",
                    "run `codecite doctor`; see the engine's logs",
                ) from error
            self._ready = True
        message = self._take(max(self._free_since, self._sent[0]) + deadline)
        self._sent.popleft()
        return message

    def kill(self) -> None:
        """End the process and the threads."""
        self._process.kill()
        for thread in self._threads:
            thread.join()
        self._process.wait()

    def _take(self, until: float) -> Json:
        try:
            self._free_since, message = self._incoming.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise _LateError("it took too long") from None
        if message is None:
            status = self._process.wait()
            raise _EndedError(f"signal {-status}" if status < 0 else f"exit status {status}")
        return message

    def _write(self, stdin: IO[bytes]) -> None:
        # A worker that is gone leaves a broken pipe (EINVAL on Windows); the reader tells.
        with contextlib.suppress(OSError), stdin:
            while (message := self._outgoing.get()) is not None:
                stdin.write(orjson.dumps(message) + b"\n")
                stdin.flush()

    def _read(self, stdout: IO[bytes]) -> None:
        with stdout:
            for line in stdout:
                try:
                    message = orjson.loads(line)
                except ValueError:
                    self._process.kill()  # its output cannot be told apart from replies any more
                    break
                self._incoming.put((time.monotonic(), message))
        self._process.wait()
        self._incoming.put((time.monotonic(), None))
        self._outgoing.put(None)


def worker_main(handle: Callable[[Json], Json]) -> NoReturn:
    """Answer requests until the parent is gone, nothing comes for a while, or memory has grown too far.

    To be called last by the worker's program. What `handle` raises becomes a WorkerFailure of that request.
    """
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not look like a reply
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(lines,), name="requests", daemon=True).start()

    def say(message: Json) -> None:
        replies.write(orjson.dumps(message) + b"\n")
        replies.flush()

    limits = orjson.loads(lines.get())
    say({"ready": True})
    reason = ""
    while not reason:
        try:
            message = orjson.loads(lines.get(timeout=limits["idle"]))
        except queue.Empty:
            reason = "idle"
            continue
        # The parent kills a worker that hangs. Should it be dead itself, this ends the process, from a thread
        # that needs no interpreter lock.
        faulthandler.dump_traceback_later(2 * limits["deadline"], exit=True)
        try:
            answer = {"id": message["id"], "reply": handle(message["request"])}
        except Exception as error:
            log.exception("a request failed")
            answer = {"id": message["id"], "error": f"{type(error).__name__}: {error}"}
        finally:
            faulthandler.cancel_dump_traceback_later()
        say(answer)
        if resident_bytes() > limits["memory"]:
            reason = "memory"
    say({"leaving": reason})
    os._exit(0)  # a thread still reads standard input, which a regular exit would wait for


def _read_requests(lines: "queue.SimpleQueue[bytes]") -> None:
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)  # the parent is gone: nobody wants what is being done
