"""An engine that died is started again, so that the index stays alive; one that was stopped stays stopped."""

import asyncio
import time
from collections.abc import Callable

from codecite.lsp.errors import one_line
from codecite.lsp.folders import Folder
from codecite.model.errors import Cancelled, CodeciteError

WAITS = (0.2, 1.0, 5.0, 20.0, 60.0)  # seconds before each try
STEADY_SECONDS = 300.0  # an engine that lived so long begins the count anew


class Recovery:
    """Starts the engine of one folder again. `log` takes a line for the client's log."""

    def __init__(self, folder: Folder, log: Callable[[str], None]) -> None:
        self._folder = folder
        self._log = log
        self._tries = 0
        self._last = time.monotonic()
        self._running = False

    async def run(self) -> None:
        """Try until an engine answers, later and later, a few times; then leave it to the next request."""
        if self._running:
            return  # it died while it was being started: that try fails, and the next one follows
        self._running = True
        try:
            if time.monotonic() - self._last > STEADY_SECONDS:
                self._tries = 0
            await self._try()
        finally:
            self._running = False

    async def _try(self) -> None:
        for wait in WAITS[self._tries :]:
            self._tries += 1
            number = f"try {self._tries} of {len(WAITS)}"
            self._log(f"{self._folder.path}: the engine ended unexpectedly; starting it again ({number})")
            await asyncio.sleep(wait)
            try:
                await self._folder.call("status", {})
            except Cancelled:
                return  # the folder was closed, or the engine was stopped meanwhile
            except CodeciteError as error:
                self._log(f"{self._folder.path}: {one_line(error)}")
            else:
                self._last = time.monotonic()
                return
        self._log(f"{self._folder.path}: the engine keeps ending; the next request starts it again")
