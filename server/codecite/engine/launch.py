"""Finding, starting and stopping the engine of a workspace.

Clients race freely: each starts an engine when it can reach none and the store's lock is free. The lock lets
one of them live, the others leave quietly, and every client ends up at the survivor because all it ever does
is look again.
"""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from codecite.engine.channel import Endpoint
from codecite.engine.link import EngineOlderError, Link, OnEvent, ask_to_stop
from codecite.engine.locations import LOG_FILE, home, identity, store_folder, store_path
from codecite.engine.lock import is_free
from codecite.engine.protocol import PROTOCOL, BadFrameError, decode, error_of
from codecite.model.errors import CodeciteError, EngineGone, StoreLocked, Unavailable

COMMAND: tuple[str, ...] = (sys.executable, "-P", "-m", "codecite.engine.process")

PATIENCE = 20.0  # seconds for an engine to answer or to be gone; a cold start on a slow disk takes three
_FIRST_PAUSE = 0.01  # seconds between two looks, growing by half to _LONGEST_PAUSE
_LONGEST_PAUSE = 0.2
_SECRET_NAME = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
if sys.platform == "win32":
    _DETACHED = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _DETACHED = 0  # a session of its own, asked for below, does it

# Engines started by this process; asked now and then, so that an ended one does not stay behind as a zombie.
_started: list[subprocess.Popen[bytes]] = []


async def reach(
    workspace: Path,
    *,
    client: str,
    protocol: tuple[int, int] = PROTOCOL,
    on_event: OnEvent,
    command: Sequence[str] | None = COMMAND,
    patience: float = PATIENCE,
) -> Link:
    """Return a connection to the workspace's engine, started with `command` where none runs (None: never).

    Raises as `EngineClient.connect` says, at the latest after `patience` seconds.
    """
    store = store_folder(workspace) if command else store_path(workspace)
    launcher = _Launcher(workspace, store, command) if command else None
    pauses = _Pauses(patience)
    link = None
    try:
        while True:
            with contextlib.suppress(TimeoutError):  # the time is up, which is seen to below
                async with asyncio.timeout(pauses.left()):
                    link = await _knock(store, client, protocol, on_event, replace=command is not None)
                if link is not None:
                    return link
            if launcher is None and is_free(store):
                raise EngineGone(f"no engine runs for {workspace}", "run `codecite index`")
            if pauses.left() <= 0:
                raise _unreachable(store)
            if launcher is not None:
                launcher.tend()
            await pauses.rest()
    finally:
        if launcher is not None:
            launcher.close(link)


def start_ahead(workspace: Path) -> None:
    """Start the engine of a workspace where none runs, and wait for nothing: whoever reaches for it hears how it went.

    For a client that has more to load before it can ask anything. Raises CodeciteError and OSError.
    """
    workspace = identity(workspace)
    store = store_folder(workspace)
    if is_free(store):
        with tempfile.TemporaryFile() as unheard:
            _started.append(_spawn([*COMMAND, "--workspace", str(workspace)], store, unheard))


async def stop(workspace: Path, *, patience: float = PATIENCE) -> bool:
    """End the workspace's engine, whatever protocol it speaks; return when its process is gone.

    Returns whether one ran. Raises Unavailable when it does not end within `patience` seconds.
    """
    return await end_engine(store_path(identity(workspace)), patience=patience)


async def end_engine(store: Path, *, patience: float = PATIENCE) -> bool:
    """End the engine of a store folder; like `stop`, also when the workspace is no more."""
    pauses = _Pauses(patience)
    ran = False
    while not is_free(store):
        ran = True
        endpoint = Endpoint.read(store)  # there may be none yet: the engine is just starting
        if endpoint is not None:
            with contextlib.suppress(TimeoutError):  # the time is up, which is seen to below
                async with asyncio.timeout(pauses.left()):
                    await ask_to_stop(endpoint)
        if pauses.left() <= 0:
            raise _unreachable(store)
        await pauses.rest()
    _reap()
    return ran


async def _knock(
    store: Path, client: str, protocol: tuple[int, int], on_event: OnEvent, *, replace: bool
) -> Link | None:
    endpoint = Endpoint.read(store)
    if endpoint is None:
        return None
    try:
        return await Link.open(endpoint, client, protocol, on_event)
    except EngineOlderError:
        if not replace:
            raise Unavailable(
                f"the running engine is of an older version ({endpoint.version})", "run `codecite stop`"
            ) from None
        await ask_to_stop(endpoint)
        return None


class _Launcher:
    """Starts engines until one lives, one at a time; what a failed one said becomes the error."""

    def __init__(self, workspace: Path, store: Path, command: Sequence[str]) -> None:
        self._store = store
        self._command = [*command, "--workspace", str(workspace)]
        self._child: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None

    def tend(self) -> None:
        """Start an engine if none is on its way. Raises what kept the last one from starting."""
        if self._child is not None:
            status = self._child.poll()
            if status is None:
                return
            if status != 0:
                raise self._failure(status)
            # Left quietly: another engine had the lock.
        if is_free(self._store):
            if self._said is not None:
                self._said.close()
            _reap()
            self._said = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
            self._child = _spawn(self._command, self._store, self._said)
            _started.append(self._child)

    def close(self, link: Link | None) -> None:
        """Let go of the child. One that was outrun by the engine of `link` is ended.

        It would leave by itself, unless that engine is stopped before it looks at the lock.
        """
        if self._said is not None:
            self._said.close()
        if self._child is None or link is None:
            return
        # The parent counts too: on Windows, the Python of a virtual environment runs the real one as a child.
        if self._child.pid not in {link.engine["pid"], link.engine["parent"]}:
            self._child.kill()
            self._child.wait()

    def _failure(self, status: int) -> CodeciteError:
        assert self._said is not None
        self._said.seek(0)
        lines = self._said.read().splitlines() or _last_lines(self._store / LOG_FILE)
        last = lines[-1] if lines else b""
        try:
            return error_of(decode(last))  # an engine that knows why says so in the form of a reply's error
        except BadFrameError:
            reason = last.decode("utf-8", "replace").strip() or f"it ended with status {status}"
            return EngineGone(f"the engine could not start: {reason}", f"see {self._store / LOG_FILE}")


def _spawn(command: Sequence[str], store: Path, stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a process that outlives this one, its terminal and its session."""
    # Keys belong to a client's session: an engine serves several, so it inherits those of none.
    env = {name: value for name, value in os.environ.items() if not _SECRET_NAME.search(name)}
    env["CODECITE_HOME"] = str(home())  # it may be relative to where this process is
    return subprocess.Popen(
        command,
        cwd=store,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
        creationflags=_DETACHED,
    )


def _reap() -> None:
    _started[:] = [child for child in _started if child.poll() is None]


def _last_lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes()[-4096:].splitlines()
    except OSError:
        return []


def _unreachable(store: Path) -> Unavailable:
    if is_free(store):
        return EngineGone("the engine did not start in time", f"see {store / LOG_FILE}")
    endpoint = Endpoint.read(store)
    who = f" (process {endpoint.pid})" if endpoint else ""
    return StoreLocked(f"an engine{who} holds the store {store} and does not answer", "end that process")


class _Pauses:
    """Pauses that grow, up to a deadline."""

    def __init__(self, patience: float) -> None:
        self._deadline = time.monotonic() + patience
        self._next = _FIRST_PAUSE

    def left(self) -> float:
        """Return the seconds to the deadline; negative after it."""
        return self._deadline - time.monotonic()

    async def rest(self) -> None:
        """Pause once."""
        await asyncio.sleep(self._next)
        self._next = min(self._next * 1.5, _LONGEST_PAUSE)
