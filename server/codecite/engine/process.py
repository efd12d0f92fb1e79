"""The engine process: `python -m codecite.engine.process --workspace DIR`.

Takes the store's lock or leaves quietly, since then another engine serves already. Holds the lock to its last
breath: whoever finds the lock free may start the next engine.
"""

import argparse
import asyncio
import faulthandler
import json
import logging
import logging.handlers
import os
import signal
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from filelock import FileLock

from codecite.engine import lock
from codecite.engine.configuration import workspace_settings
from codecite.engine.last_words import CRASH_FILE
from codecite.engine.locations import LOG_FILE, identity, store_folder
from codecite.engine.protocol import PROTOCOL, Message, Services, error_body
from codecite.engine.server import Server
from codecite.engine.session import Hub
from codecite.model.errors import BadInput, CodeciteError, EngineGone

LOG_BYTES = 512 * 1024  # a log file, of which one older is kept
CLOSING_SECONDS = 10.0  # for the services to close; the store survives a harder end

Broadcast = Callable[[str, Message], None]
MakeServices = Callable[[Path, Path, Broadcast], Services]

_held: list[FileLock] = []  # never let go: the lock ends with the process

log = logging.getLogger(__name__)


def run(
    workspace: Path,
    make_services: MakeServices,
    *,
    idle_seconds: float | None = None,
    protocol: tuple[int, int] = PROTOCOL,
) -> NoReturn:
    """Be the engine of a workspace, then end this process, past threads that are lost in native code.

    `make_services(workspace, store, broadcast)` is called on the event loop; its third argument tells every
    client a method and params, from any thread. Without `idle_seconds`, $CODECITE_IDLE_SECONDS or else the
    settings say how long to stay. The exit status is 0, or that of the error that kept it from starting.
    """
    status = _run(workspace, make_services, idle_seconds, protocol)
    logging.shutdown()
    os._exit(status)


def main() -> NoReturn:
    """Run the real engine with the arguments of the command line."""
    parser = argparse.ArgumentParser(
        prog="codecite.engine.process", description="The engine of one workspace."
    )
    parser.add_argument("--workspace", type=Path, required=True, help="the folder that it serves")
    parser.add_argument("--idle-seconds", type=float, help="leave after so long without clients and work")
    options = parser.parse_args()

    def services(workspace: Path, store: Path, broadcast: Broadcast) -> Services:
        from codecite.engine import compose  # noqa: PLC0415 - only the holder of the lock pays for it

        return compose.services(workspace, store, broadcast)

    run(options.workspace, services, idle_seconds=options.idle_seconds)


def _run(
    workspace: Path, make_services: MakeServices, idle_seconds: float | None, protocol: tuple[int, int]
) -> int:
    if hasattr(os, "umask"):
        os.umask(0o077)
    starter = os.fdopen(os.dup(2), "w")  # hears why this engine could not start
    try:
        workspace = identity(workspace)
        store = store_folder(workspace)
        held = lock.acquire(store)
        if held is None:
            return 0
        _held.append(held)
        _log_to(store)
        idle = _idle_seconds(workspace) if idle_seconds is None else idle_seconds
        log.info("engine of %s, process %d", workspace, os.getpid())
        asyncio.run(_serve(workspace, store, make_services, idle, protocol))
    except CodeciteError as error:
        log.critical("%s", error.message)
        starter.write(json.dumps(error_body(error)) + "\n")
        return error.exit_code
    except Exception:
        log.exception("the engine failed")
        traceback.print_exc(file=starter)
        return 1
    finally:
        starter.close()
    return 0


async def _serve(
    workspace: Path, store: Path, make_services: MakeServices, idle_seconds: float, protocol: tuple[int, int]
) -> None:
    hub = Hub()
    services = make_services(workspace, store, hub.broadcast)
    server = Server(workspace, store, services, hub, idle_seconds=idle_seconds, protocol=protocol)
    _leave_on_signals(server)
    try:
        await server.open()
        _keep_last_words(store)
        await server.serve()
    finally:
        _end_at_the_latest(CLOSING_SECONDS)
        await server.close()
    if server.failure is not None:
        raise server.failure


def _leave_on_signals(server: Server) -> None:
    loop = asyncio.get_running_loop()

    def leave(number: int, _frame: object) -> None:
        why = EngineGone(f"the engine was ended by {signal.Signals(number).name}")
        loop.call_soon_threadsafe(server.leave, why)

    for name in ("SIGTERM", "SIGINT", "SIGBREAK"):  # the last one is of Windows
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), leave)


def _log_to(store: Path) -> None:
    handler = logging.handlers.RotatingFileHandler(
        store / LOG_FILE, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace"
    )
    logging.basicConfig(
        handlers=[handler],
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        force=True,
    )


def _keep_last_words(store: Path) -> None:
    """Point standard error, so far the starting client's, and the words of a crash at a file of the store."""
    with (store / CRASH_FILE).open("wb") as file:
        os.dup2(file.fileno(), 2)
    faulthandler.enable(file=2)


def _end_at_the_latest(seconds: float) -> None:
    """End this process hard if it is there then: native code may hang, and clients wait for the lock."""

    def end() -> None:
        log.error("the services did not close within %g s", seconds)
        logging.shutdown()
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


def _idle_seconds(workspace: Path) -> float:
    chosen = os.environ.get("CODECITE_IDLE_SECONDS")
    if chosen is None:
        return workspace_settings(workspace)[0].idle_seconds
    try:
        return float(chosen)
    except ValueError:
        raise BadInput(
            f"CODECITE_IDLE_SECONDS={chosen} is not a number of seconds", "correct or unset it"
        ) from None


if __name__ == "__main__":
    main()
