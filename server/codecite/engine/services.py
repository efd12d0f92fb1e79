"""The requests of the channel, one small method each: read the parameters, call, convert.

Blocking work runs on threads, so that the event loop answers others meanwhile.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from codecite.engine.asking import FIRST_ANSWER_SECONDS, Asking
from codecite.engine.block_counts import BlockCounts
from codecite.engine.describing import Describing
from codecite.engine.following import Follower
from codecite.engine.health import Health
from codecite.engine.protocol import Message, Session
from codecite.engine.requests import Request
from codecite.engine.results import (
    answer_json,
    block_json,
    citations_json,
    description_json,
    index_json,
    search_json,
    symbols_json,
)
from codecite.engine.symbols import SymbolSearch
from codecite.model.errors import BadInput, Cancelled, CodeciteError
from codecite.ports import Git

log = logging.getLogger(__name__)

T = TypeVar("T")

DEFAULT_HITS = 10
DEFAULT_EVIDENCE = 8
DEFAULT_SYMBOLS = 100
QUERY_THREADS = 4
GLANCE_THREADS = 2  # for what takes milliseconds and must not queue behind a question that waits for an index
FIRST_QUESTION_SECONDS = 1.0  # for the question that an engine may have been started for
MOST_ATTENDED = 200  # files open in editors


class WorkspaceServices:
    """What the engine of one workspace does for its clients."""

    def __init__(
        self,
        asking: Asking,
        health: Health,
        follower: Follower,
        git: Git,
        broadcast: Callable[[str, Message], None],
    ) -> None:
        self._asking = asking
        self._describing = Describing(asking)
        self._symbol_search = SymbolSearch(asking)
        self._health = health
        self._follower = follower
        self._git = git
        self._broadcast = broadcast
        self._queries = ThreadPoolExecutor(QUERY_THREADS, thread_name_prefix="query")
        self._glances = ThreadPoolExecutor(GLANCE_THREADS, thread_name_prefix="glance")
        self._announced: object = None
        self._answered = threading.Event()  # a question was answered, or none will be any more
        self._watching: set[Session] = set()  # requests that wait for a sync and are told how far it is
        self._methods: dict[str, Callable[[Request], Awaitable[Message]]] = {
            "index": self._index,
            "changed": self._changed,
            "ask": self._ask,
            "search": self._search,
            "anchor": self._anchor,
            "blocks": self._blocks,
            "describe": self._describe,
            "symbols": self._symbols,
            "status": self._status,
            "doctor": self._doctor,
            "eval": self._eval,
        }
        health.sync.on_progress = self._on_progress

    async def start(self) -> None:
        """Queue the sync that every start owes, and get ready for questions where there is an index to ask."""
        loop = asyncio.get_running_loop()
        if self._health.sync.last_success is not None:
            self._opening = loop.run_in_executor(self._queries, self._get_ready)
        await asyncio.to_thread(self._follower.start)
        self._health.scheduler.hint("engine started", None, 0.0)

    async def call(self, method: str, params: Message, session: Session) -> Message:
        """Carry out one request."""
        known = self._methods.get(method)
        if known is None:
            raise BadInput(f"the engine has no method {method!r}", "update codecite")
        return await known(Request(params, session))

    def busy(self) -> bool:
        """Say whether a sync is running or due that matters.

        One that failed and will be tried again keeps nobody here, nor does one for files that are written all the time.
        """
        running, pending = self._health.scheduler.state()
        if running is not None and not running.patient:
            return True
        return pending is not None and not pending.patient and not self._health.scheduler.failures

    async def close(self) -> None:
        """End the running sync, then let go of the stores."""
        self._answered.set()
        self._health.watcher.close()
        await asyncio.to_thread(self._follower.close)
        self._health.sync.stop()
        self._asking.overlays.close()
        await asyncio.to_thread(self._health.scheduler.close)
        await asyncio.to_thread(self._queries.shutdown)
        await asyncio.to_thread(self._glances.shutdown)
        await asyncio.to_thread(self._symbol_search.close)
        await asyncio.to_thread(self._asking.close)
        self._health.vectors.close()
        self._health.ledger.close()

    # --- the requests ------------------------------------------------------------------------------------------------

    async def _index(self, request: Request) -> Message:
        started, before = time.monotonic(), replace(self._health.sync.counts)
        paths = None
        if since := request.optional_text("since"):
            paths = await self._blocking(self._git.changed_since, since)
            await self._blocking(self._health.ledger.clear_jobs)
        cause = f"asked by {request.session.client}"
        future = self._health.scheduler.request(cause, full=request.flag("full"), paths=paths)
        if request.flag("wait"):
            self._watching.add(request.session)
            try:
                await asyncio.shield(asyncio.wrap_future(future))
            finally:
                self._watching.discard(request.session)
        seconds = time.monotonic() - started
        return await self._blocking(self._index_result, self._health.sync.counts.since(before), seconds)

    async def _changed(self, request: Request) -> Message:
        """Take an editor's or a git hook's word; what really changed is found out by the sync."""
        for path in request.paths("open"):
            self._attend(path)
        if written := request.paths("paths"):
            self._follower.told(written, request.session.client)
        if request.flag("git"):
            self._follower.look_at_git()
        return {}

    async def _ask(self, request: Request) -> Message:
        question = request.text("question")
        limit = request.count("k", DEFAULT_EVIDENCE)
        self._watching.add(request.session)
        try:
            patience = request.seconds("patience", FIRST_ANSWER_SECONDS)
            overlays = request.overlays()
            return answer_json(await self._blocking(self._asking.ask, question, limit, patience, overlays))
        finally:
            self._watching.discard(request.session)
            self._answered.set()

    async def _search(self, request: Request) -> Message:
        query = request.text("query")
        prefix = request.optional_text("path_prefix") or ""
        limit = request.count("k", DEFAULT_HITS)
        overlays = request.overlays()
        try:
            return search_json(await self._blocking(self._asking.search, query, limit, prefix, overlays))
        finally:
            self._answered.set()

    async def _anchor(self, request: Request) -> Message:
        anchored = await self._blocking(self._asking.anchor, request.citations(), request.overlays())
        return citations_json(self._health.workspace, anchored)

    async def _describe(self, request: Request) -> Message:
        path, line = request.text("path"), request.line("line") or 1
        column, overlays = request.column("column"), request.overlays()
        found = await self._glance(self._describing.describe, path, line, column, overlays)
        return {"description": description_json(found) if found else None}

    async def _symbols(self, request: Request) -> Message:
        query, limit = request.text("query"), request.count("k", DEFAULT_SYMBOLS)
        found = await self._glance(self._symbol_search.find, query, limit, request.overlays())
        return symbols_json(self._health.workspace, found)

    async def _blocks(self, request: Request) -> Message:
        return await self._blocking(self._block_list, request.optional_text("path"))

    async def _status(self, _: Request) -> Message:
        return await self._blocking(self._health.status)

    async def _doctor(self, request: Request) -> Message:
        path, line = request.optional_text("path"), request.line("line")
        if request.flag("repair"):
            await self._blocking(self._health.requeue_differences)
            # A named file is read whatever its times say: one that did not move may be what is wrong.
            mended = self._health.scheduler.request("repair", paths=[path] if path else None)
            await asyncio.shield(asyncio.wrap_future(mended))
        if path is not None:
            return await self._blocking(self._health.doctor_of, path, line)
        return await self._blocking(self._health.doctor)

    async def _eval(self, request: Request) -> Message:
        cases = request.params.get("cases")
        if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
            raise BadInput("`cases` is a list of {id, query}", "see `codecite eval --help`")
        limit = request.count("k", 50)
        runs = []
        for done, case in enumerate(cases, 1):
            query = Request(case, request.session).text("query")
            result = await self._blocking(self._asking.search, query, limit)
            spans = [
                {"path": hit.path, "start_line": hit.start_line, "end_line": hit.end_line}
                for hit in result.hits
            ]
            runs.append({"id": case.get("id"), "ranked": spans})
            request.session.progress("eval", done, len(cases))
        with self._health.ledger.reader() as reader:
            seen = {"sequence": reader.sequence, "commit": reader.commit}
        return {"workspace": str(self._health.workspace), **seen, "runs": runs}

    # --- what they share ---------------------------------------------------------------------------------------------

    async def _blocking(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._queries, work, *args)

    async def _glance(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._glances, work, *args)

    def _get_ready(self) -> None:
        # The library of the vector store takes long to load, and whoever asks meanwhile waits for it: a first question
        # can do without it, and is mostly on its way when an engine starts.
        self._asking.warm()
        self._answered.wait(FIRST_QUESTION_SECONDS)
        try:
            self._health.vectors.open()
        except Cancelled:
            log.info("left before the vector store was open")
        except CodeciteError as error:
            log.warning("the vector store is not open, the next update tries again: %s", error.message)

    def _index_result(self, blocks: BlockCounts, seconds: float) -> Message:
        health = self._health
        with health.ledger.reader() as reader:
            return index_json(health.workspace, reader, health.vectors.embedder, blocks, seconds)

    def _block_list(self, path: str | None) -> Message:
        with self._health.ledger.reader() as reader:
            if path is not None and path not in reader.files():
                raise BadInput(
                    f"{path} is not in the index", "see `codecite status` for what was left out and why"
                )
            rows = [block_json(row) for row in reader.file_blocks(path)]
            return {
                "workspace": str(self._health.workspace),
                "sequence": reader.sequence,
                "commit": reader.commit,
                "blocks": rows,
            }

    def _on_progress(self, phase: str, done: int, total: int, message: str) -> None:
        for session in tuple(self._watching):
            session.progress(phase, done, total, message)

    def announce(self) -> None:
        """Tell every client when what the engine does is another thing than before. From any thread."""
        running, pending = self._health.scheduler.state()
        now = (running and running.causes, pending is not None, self._health.last_error)
        if now != self._announced:
            self._announced = now
            causes = running or pending
            self._broadcast(
                "statusChanged",
                {
                    "workspace": str(self._health.workspace),
                    "running": list(causes.causes) if causes else None,
                },
            )

    def _attend(self, path: str) -> None:
        """Read a file before others from now on; the last ones that were said to be open count."""
        attended = dict(self._health.sync.attended)
        attended.pop(path, None)
        attended[path] = None
        self._health.sync.attended = dict(list(attended.items())[-MOST_ATTENDED:])
