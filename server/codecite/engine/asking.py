"""Search and ask: one consistent view of the ledger, three sources, citations held against the text as it is now."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from codecite.answer.abstain import grounded
from codecite.answer.anchor import anchor
from codecite.answer.compose import compose
from codecite.answer.evidence import evidence
from codecite.engine.first_answer import prefer_matching
from codecite.engine.health import Health
from codecite.engine.overlays import Overlay, Overlays
from codecite.engine.unconfirmed import unconfirmed_of
from codecite.engine.view import Present, View
from codecite.model.hits import Answer, Citation, Findings, Searched, SearchResult
from codecite.ports import Clock, Disk, LedgerReader
from codecite.retrieve.search import Searcher

VECTOR_CANDIDATES = 50
EVIDENCE_CANDIDATES = 24  # hits that evidence is chosen from
FIRST_ANSWER_SECONDS = 3.0  # how long a question may wait for the first index, unless it says otherwise


@dataclass(slots=True)
class Asking:
    """Answers questions about one workspace. Every method blocks; each runs on a thread of its own."""

    workspace: Path
    disk: Disk
    health: Health
    clock: Clock
    max_file_bytes: int
    searcher: Searcher
    overlays: Overlays
    # Vectors are asked on threads of their own: a question that waits for a thread of its own kind might wait forever.
    _meaning: ThreadPoolExecutor = field(
        default_factory=partial(ThreadPoolExecutor, thread_name_prefix="meaning"), init=False
    )

    def close(self) -> None:
        """End the threads; when no question is under way any more."""
        self._meaning.shutdown()

    def search(
        self, query: str, limit: int, path_prefix: str = "", overlays: Sequence[Overlay] = ()
    ) -> SearchResult:
        """Rank blocks for a query, those of files that are gone by now left out; overlays count as indexed."""
        self._await_first(query, FIRST_ANSWER_SECONDS)
        with self.health.ledger.reader() as ledger:
            view, problems = self.view(ledger, overlays)
            found = self._find(view, query, limit, path_prefix)
            while gone := {hit.path for hit in found.hits if not view.present.there(hit.path)}:
                view.hide(gone)
                found = self._find(view, query, limit, path_prefix)
            counts = view.reader.counts()
            return SearchResult(
                query,
                found.hits,
                Searched(counts.files, counts.blocks),
                (
                    *self.health.degraded(ledger.counts(), found.grounds.script),
                    *problems,
                    *unconfirmed_of(ledger, query),
                ),
                str(self.workspace),
                ledger.sequence,
                ledger.commit,
            )

    def ask(
        self,
        question: str,
        limit: int,
        patience: float = FIRST_ANSWER_SECONDS,
        overlays: Sequence[Overlay] = (),
    ) -> Answer:
        """Answer a question with evidence from the index, each piece as it stands now: in an overlay, else on disk.

        What is gone by now is not shown. While the first index is being built, wait for it at most `patience` seconds.
        """
        self._await_first(question, patience)
        with self.health.ledger.reader() as ledger:
            view, problems = self.view(ledger, overlays)
            found, citations = self._evidence(view, question, limit)
            while gone := {citation.path for citation in citations if citation.state == "gone"}:
                view.hide(gone)
                found, citations = self._evidence(view, question, limit)
            counts = view.reader.counts()
            return compose(
                question,
                citations,
                found,
                Searched(counts.files, counts.blocks),
                degraded=(
                    *self.health.degraded(ledger.counts(), found.grounds.script),
                    *problems,
                    *unconfirmed_of(ledger, question),
                ),
                workspace=str(self.workspace),
                sequence=ledger.sequence,
                commit=ledger.commit,
            )

    def anchor(self, citations: Sequence[Citation], overlays: Sequence[Overlay] = ()) -> list[Citation]:
        """Return citations of earlier answers as they stand now: in an overlay, else on disk."""
        present = self._present(overlays)
        return [anchor(citation, present.text(citation.path)) for citation in citations]

    def view(
        self, ledger: LedgerReader, overlays: Sequence[Overlay], patience: float | None = None
    ) -> tuple[View, tuple[str, ...]]:
        """Lay unsaved text over a view of the ledger; return a sentence for each that should be there and is not.

        With `patience`, the ledger's state stands for what is not parsed in so many seconds.
        """
        laid = self.overlays.lay(ledger, overlays, patience)
        return View(ledger, laid.files, self._present(overlays)), laid.problems

    def _present(self, overlays: Sequence[Overlay]) -> Present:
        return Present(self.disk, self.max_file_bytes, {one.path: one.text for one in overlays})

    def _find(self, view: View, query: str, limit: int, path_prefix: str) -> Findings:
        def nearest() -> Callable[[], list[tuple[str, float]] | None]:
            return self._meaning.submit(self.health.vectors.nearest, query, VECTOR_CANDIDATES).result

        return self.searcher.find(view.reader, query, limit=limit, nearest=nearest, path_prefix=path_prefix)

    def _evidence(self, view: View, question: str, limit: int) -> tuple[Findings, tuple[Citation, ...]]:
        reader = view.reader
        found = self._find(view, question, max(limit, EVIDENCE_CANDIDATES), "")
        hits = found.hits if grounded(found.grounds) else ()
        rows = reader.block_rows([hit.id for hit in hits])
        definitions = {path: reader.file_definitions(path) for path in {hit.path for hit in hits}}
        return found, tuple(map(view.as_now, evidence(found, rows, definitions, limit)))

    def _await_first(self, question: str, patience: float) -> None:
        """Before the first sync is done: have what the question is about read first, and wait for that a while."""
        job: Future[Any] | None = self.health.scheduler.current()
        if job is None or self.health.sync.last_success is not None:
            return
        deadline = self.clock.monotonic() + patience
        queue = self.health.sync.await_queue(job, patience)
        if queue is not None:
            prefer_matching(question, queue, self.disk)
            if queue.wait_done(max(0.0, deadline - self.clock.monotonic())):
                wait([job], max(0.0, deadline - self.clock.monotonic()))  # for the vectors as well
