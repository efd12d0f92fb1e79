"""Small services for an engine under test, and the program that runs such an engine in a process of its own.

Each method does one thing that the channel, the process or the client must cope with. `--protocol LOW HIGH` makes an
engine of another version, `--broken KIND` one that cannot start.
"""

import argparse
import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NoReturn

from codecite.engine.parse_pool import ParseWorker
from codecite.engine.process import run
from codecite.engine.protocol import PROTOCOL, Message, Session
from codecite.model.errors import BadInput, Unavailable

PROGRAM = Path(__file__)
WORKER = Path(__file__).with_name("small_worker.py")
BUSY_LOOKS = 20  # how often `busy` says yes after a call of "work"


class SmallServices:
    """What the tests ask of an engine."""

    def __init__(self, store: Path, broadcast: Callable[[str, Message], None], broken: str = "") -> None:
        self.store = store
        self.broadcast = broadcast
        self.broken = broken
        self.worker = ParseWorker([str(WORKER)])
        self.busy_looks = 0
        self.closed = False
        self.methods: dict[str, Callable[[Message, Session], Awaitable[Message]]] = {
            "broadcast": self._broadcast,
            "changed": self._changed,
            "count": self._count,
            "destroy": self._die_once,
            "echo": self._echo,
            "environment": self._environment,
            "fail": self._fail,
            "long": self._long,
            "parse": self._parse,
            "search": self._die_once,
            "wait": self._wait,
            "work": self._work,
        }

    async def start(self) -> None:
        if self.broken == "start":
            for _ in iter((self.store / "begin").exists, True):
                await asyncio.sleep(0.01)
            raise Unavailable("the vectors are of stone", "carve others")

    async def call(self, method: str, params: Message, session: Session) -> Message:
        return await self.methods[method](params, session)

    def busy(self) -> bool:
        self.busy_looks -= 1
        if self.busy_looks == 0:
            (self.store / "finished").touch()
        return self.busy_looks > 0

    async def close(self) -> None:
        self.worker.close()
        self.closed = True

    async def _broadcast(self, params: Message, _session: Session) -> Message:
        await asyncio.to_thread(self.broadcast, "said", params)
        return {}

    async def _changed(self, params: Message, session: Session) -> Message:
        """Say that something changed: to everyone, so that a test hears of it."""
        await asyncio.to_thread(self.broadcast, "changed", params | {"client": session.client})
        return {}

    async def _count(self, params: Message, session: Session) -> Message:
        def count() -> None:
            for number in range(params["to"]):
                session.progress("count", number + 1, params["to"])

        await asyncio.to_thread(count)
        return {"counted": params["to"]}

    async def _echo(self, params: Message, session: Session) -> Message:
        return params | {"client": session.client}

    async def _environment(self, _params: Message, _session: Session) -> Message:
        return {"names": sorted(os.environ), "folder": str(Path.cwd())}

    async def _fail(self, params: Message, _session: Session) -> Message:
        if params["how"] == "known":
            raise BadInput("the question is empty", "ask something")
        raise RuntimeError("two\nlines")

    async def _long(self, params: Message, _session: Session) -> Message:
        return {"text": "x" * params["bytes"]}

    async def _die_once(self, params: Message, _session: Session) -> Message:
        """Kill this very process, unless that has been done for the same mark."""
        mark = self.store / params["mark"]
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"pid": os.getpid()}

    async def _parse(self, _params: Message, _session: Session) -> Message:
        """Put the worker to work and leave it alive."""
        replies = await asyncio.to_thread(lambda: list(self.worker.map([{"do": "echo"}])))
        return {"replies": len(replies), "worker": self.worker.pid}

    async def _wait(self, _params: Message, session: Session) -> Message:
        """Wait on a thread until the request is taken back, and let everyone know of both."""

        def wait() -> None:
            self.broadcast("waiting", {})
            if session.cancelled.wait(timeout=30):
                self.broadcast("cancelled", {"client": session.client})

        await asyncio.to_thread(wait)
        return {}

    async def _work(self, _params: Message, _session: Session) -> Message:
        self.busy_looks = BUSY_LOOKS
        return {}


def main() -> NoReturn:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--protocol", type=int, nargs=2, default=PROTOCOL)
    parser.add_argument("--broken", choices=["import", "store", "start", "silent", "late"], default="")
    options = parser.parse_args()
    if options.broken == "late":
        threading.Event().wait()  # never gets as far as the lock

    def make(workspace: Path, store: Path, broadcast: Callable[[str, Message], None]) -> SmallServices:
        if options.broken == "import":
            raise ImportError("no module named granite")
        if options.broken == "store":
            raise Unavailable("the ledger is of another age", "remove it")
        if options.broken == "silent":
            os._exit(7)
        return SmallServices(store, broadcast, options.broken)

    run(options.workspace, make, protocol=tuple(options.protocol))


if __name__ == "__main__":
    main()
