"""The requests of the channel, one small method each: read the parameters, call, convert.

Blocking work runs on threads, so that the event loop answers others meanwhile.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from codecite.engine.asking import FIRST_ANSWER_SECONDS, Asking
from codecite.engine.health import Health
from codecite.engine.protocol import Message, Session
from codecite.engine.requests import Request
from codecite.engine.results import answer_json, block_json, citations_json, index_json, search_json
from codecite.engine.sync import BlockCounts
from codecite.model.errors import BadInput

T = TypeVar("T")

DEFAULT_HITS = 10
DEFAULT_EVIDENCE = 8
QUERY_THREADS = 4


class WorkspaceServices:
    """What the engine of one workspace does for its clients."""

    def __init__(self, asking: Asking, health: Health, broadcast: Callable[[str, Message], None]) -> None:
        self._asking = asking
        self._health = health
        self._broadcast = broadcast
        self._queries = ThreadPoolExecutor(QUERY_THREADS, thread_name_prefix="query")
        self._watching: set[Session] = set()  # requests that wait for a sync and are told how far it is
        self._methods: dict[str, Callable[[Request], Awaitable[Message]]] = {
            "index": self._index,
            "ask": self._ask,
            "search": self._search,
            "anchor": self._anchor,
            "blocks": self._blocks,
            "status": self._status,
            "doctor": self._doctor,
            "eval": self._eval,
        }
        health.sync.on_progress = self._on_progress

    async def start(self) -> None:
        """Queue the sync that every start owes, and open the vector store where there is one to ask."""
        loop = asyncio.get_running_loop()
        if self._health.sync.last_success is not None:
            self._opening = loop.run_in_executor(self._queries, self._health.vectors.open)
        self._health.scheduler.request("engine started")

    async def call(self, method: str, params: Message, session: Session) -> Message:
        """Carry out one request."""
        known = self._methods.get(method)
        if known is None:
            raise BadInput(f"the engine has no method {method!r}", "update codecite")
        return await known(Request(params, session))

    def busy(self) -> bool:
        """Say whether a sync is running or queued."""
        return any(self._health.scheduler.state())

    async def close(self) -> None:
        """End the running sync, then let go of the stores."""
        self._health.sync.stop()
        self._asking.overlays.close()
        await asyncio.to_thread(self._health.scheduler.close)
        await asyncio.to_thread(self._queries.shutdown)
        self._health.vectors.close()
        self._health.ledger.close()

    # --- the requests ------------------------------------------------------------------------------------------------

    async def _index(self, request: Request) -> Message:
        started, before = time.monotonic(), replace(self._health.sync.counts)
        # Until there is a journal of commits, "everything that differs from a commit" is read as everything.
        full = request.flag("full") or request.optional_text("since") is not None
        future = self._health.scheduler.request(f"asked by {request.session.client}", full=full)
        self._announce()
        if request.flag("wait"):
            self._watching.add(request.session)
            try:
                await asyncio.shield(asyncio.wrap_future(future))
            finally:
                self._watching.discard(request.session)
        seconds = time.monotonic() - started
        return await self._blocking(self._index_result, self._health.sync.counts.since(before), seconds)

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

    async def _search(self, request: Request) -> Message:
        query = request.text("query")
        prefix = request.optional_text("path_prefix") or ""
        limit = request.count("k", DEFAULT_HITS)
        overlays = request.overlays()
        return search_json(await self._blocking(self._asking.search, query, limit, prefix, overlays))

    async def _anchor(self, request: Request) -> Message:
        anchored = await self._blocking(self._asking.anchor, request.citations(), request.overlays())
        return citations_json(self._health.workspace, anchored)

    async def _blocks(self, request: Request) -> Message:
        return await self._blocking(self._block_list, request.optional_text("path"))

    async def _status(self, _: Request) -> Message:
        return await self._blocking(self._health.status)

    async def _doctor(self, request: Request) -> Message:
        if request.flag("repair"):
            await self._blocking(self._health.requeue_differences)
            await asyncio.shield(asyncio.wrap_future(self._health.scheduler.request("repair")))
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

    def _announce(self) -> None:
        running, pending = self._health.scheduler.state()
        self._broadcast(
            "statusChanged", {"workspace": str(self._health.workspace), "running": running or pending}
        )
