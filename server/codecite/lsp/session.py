"""What the server knows of its one client: encoding, open documents, folders, work beside requests."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.io_ import run_async

from codecite.engine.link import LINK_LOST
from codecite.lsp.documents import Documents
from codecite.lsp.engines import Json, MakeEngine, OnProgress
from codecite.lsp.errors import one_line
from codecite.lsp.folders import Folder, Folders
from codecite.lsp.params import Token
from codecite.lsp.positions import Encoding
from codecite.lsp.progress import ProgressBars
from codecite.lsp.protocol import Server
from codecite.lsp.recovery import Recovery
from codecite.lsp.texts import say
from codecite.model.errors import Cancelled, CodeciteError
from codecite.model.texts import Script

if TYPE_CHECKING:
    from pygls.io_ import AsyncWriter, Writer  # not there when the program runs

STATUS_CHANGED = "codecite/statusChanged"

log = logging.getLogger(__name__)


class Session:
    """One client's connection, from `initialize` to `exit`.

    `watch_parent` is given the client's process id and ends the server when that process is gone.
    """

    def __init__(self, server: Server, make_engine: MakeEngine, watch_parent: Callable[[int], None]) -> None:
        self.server = server
        self.watch_parent = watch_parent
        self.encoding: Encoding = "utf-16"
        self.script: Script = "en"  # of texts that no question sets the language of
        self.hovers_in_markdown = False
        self.documents = Documents()
        self.folders = Folders()
        self.progress = ProgressBars(server)
        self.greeted = False  # `initialize` was answered
        self.initialized = False
        self.shut_down = False
        self.leaving = threading.Event()  # what pygls's loop looks at between two messages
        self._make_engine = make_engine
        self._background: set[asyncio.Task[None]] = set()
        self._complaints: set[str] = set()

    # --- folders --------------------------------------------------------------------------------------------

    def open_folder(self, uri: str) -> None:
        """Open a folder; its index is brought up to date in the background once the client is ready."""
        folder = self.folders.add(uri, self._make_folder)
        if folder is not None and self.initialized:
            self.refresh(folder)

    def close_folder(self, uri: str) -> None:
        """Close a folder: it is never cited again, and its jobs stop."""
        if folder := self.folders.remove(uri):
            self.in_background(folder.close())

    def refresh(self, folder: Folder) -> None:
        """Start the folder's engine where none runs, and let it catch up, with a progress bar."""
        self.in_background(self._refresh(folder))

    def tell_engine(self, folder: Folder, what: Json) -> None:
        """Pass on what the editor did to files; the engine finds out what changed."""
        self.in_background(self._tell_engine(folder, what))

    def _make_folder(self, uri: str, path: str) -> Folder:
        def heard(method: str, params: Json) -> None:
            if method == LINK_LOST:  # asking for its status would start another
                self._notify_status(folder, {"state": "stopped"})
                if params.get("died"):
                    self.in_background(recovery.run())
            else:
                self.in_background(self._tell_status(folder))

        folder = Folder(uri, path, self._make_engine, heard)
        recovery = Recovery(folder, self.log)
        return folder

    async def _refresh(self, folder: Folder) -> None:
        async with self.work(say(self.script, "indexing-folder", name=folder.name), None) as report:
            result = await folder.call("index", {"wait": True}, report)
        self.log(f"{folder.path}: the index is up to date, {result['files']['indexed']} files")
        await self._tell_status(folder)

    async def _tell_engine(self, folder: Folder, what: Json) -> None:
        await folder.call("changed", what)

    async def _tell_status(self, folder: Folder) -> None:
        self._notify_status(folder, await folder.call("status", {}))

    def _notify_status(self, folder: Folder, status: Json) -> None:
        self.server.protocol.notify(STATUS_CHANGED, {**status, "workspace": folder.path})

    # --- work beside requests -------------------------------------------------------------------------------

    def in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something that no request waits for; a failure is shown once."""
        task = asyncio.ensure_future(self._guarded(work))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Cancelled:
            pass
        except CodeciteError as error:
            self.complain(one_line(error))
        except Exception:
            log.exception("background work failed")

    @asynccontextmanager
    async def work(
        self, title: str, token: Token | None, *, create: bool = True
    ) -> AsyncIterator[OnProgress]:
        """Show a progress bar while something runs; its button cancels the task that runs it.

        Without a token that came with a request, the client is asked for a bar of its own if `create` says
        so.
        """
        task = asyncio.current_task()
        bar = self.progress.bar(title, token, task.cancel if task else None, self.script, create=create)
        try:
            yield bar.report
        finally:
            self.progress.end(bar)

    # --- what the user hears unasked ------------------------------------------------------------------------

    def complain(self, text: str) -> None:
        """Show an error that belongs to no request; the same one is shown once."""
        if text not in self._complaints:
            self._complaints.add(text)
            self.server.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"codecite: {text}")
            )

    def log(self, text: str) -> None:
        """Write a line to the client's log of this server."""
        self.server.window_log_message(types.LogMessageParams(types.MessageType.Info, text))

    # --- the conversation and its end -----------------------------------------------------------------------

    async def converse(self, reader: asyncio.StreamReader, writer: "AsyncWriter | Writer") -> None:
        """Read and answer messages until `exit`, or until the stream ends or breaks."""
        protocol = self.server.protocol
        protocol.set_writer(writer)
        try:
            await run_async(self.leaving, reader, protocol, error_handler=self.server.report_server_error)
        except (asyncio.IncompleteReadError, OSError, ValueError) as error:
            log.warning("the client's stream broke: %s", error)

    def exit_code(self) -> int:
        """Return what the process should end with: 0 only after `shutdown`."""
        return 0 if self.shut_down else 1

    async def close(self) -> None:
        """Stop everything and let go of the engines."""
        for task in self._background:
            task.cancel()
        await asyncio.gather(
            *self._background, *(folder.close() for folder in self.folders), return_exceptions=True
        )
