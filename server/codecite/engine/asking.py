"""Search and ask: one consistent view of the ledger, three sources, citations held against the text as it is now."""

from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codecite.answer.abstain import grounded
from codecite.answer.anchor import anchor
from codecite.answer.compose import compose
from codecite.answer.evidence import evidence
from codecite.collect.content import examine
from codecite.engine.first_answer import prefer_matching
from codecite.engine.health import Health
from codecite.engine.unconfirmed import unconfirmed_of
from codecite.model.files import SourceText
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

    def search(self, query: str, limit: int, path_prefix: str = "") -> SearchResult:
        """Rank blocks for a query."""
        self._await_first(query, FIRST_ANSWER_SECONDS)
        with self.health.ledger.reader() as reader:
            found = self._find(reader, query, limit, path_prefix)
            counts = reader.counts()
            return SearchResult(
                query,
                found.hits,
                Searched(counts.files, counts.blocks),
                (*self.health.degraded(), *unconfirmed_of(reader, query)),
                str(self.workspace),
                reader.sequence,
                reader.commit,
            )

    def ask(self, question: str, limit: int, patience: float = FIRST_ANSWER_SECONDS) -> Answer:
        """Answer a question with evidence from the index, each piece as it stands on disk now.

        While the first index is being built, wait for it at most `patience` seconds.
        """
        self._await_first(question, patience)
        with self.health.ledger.reader() as reader:
            found = self._find(reader, question, max(limit, EVIDENCE_CANDIDATES), "")
            hits = found.hits if grounded(found.grounds) else ()
            rows = reader.block_rows([hit.id for hit in hits])
            definitions = {path: reader.file_definitions(path) for path in {hit.path for hit in hits}}
            shown = evidence(found, rows, definitions, limit)
            counts = reader.counts()
            return compose(
                question,
                tuple(self._as_now(citation) for citation in shown),
                found,
                Searched(counts.files, counts.blocks),
                degraded=(*self.health.degraded(), *unconfirmed_of(reader, question)),
                workspace=str(self.workspace),
                sequence=reader.sequence,
                commit=reader.commit,
            )

    def _find(self, reader: LedgerReader, query: str, limit: int, path_prefix: str) -> Findings:
        def nearest() -> list[tuple[str, float]] | None:
            return self.health.vectors.nearest(query, VECTOR_CANDIDATES)

        return self.searcher.find(reader, query, limit=limit, nearest=nearest, path_prefix=path_prefix)

    def _as_now(self, citation: Citation) -> Citation:
        """Hold a citation against the file as it is on disk at this moment."""
        try:
            _, data = self.disk.read(citation.path, self.max_file_bytes)
        except OSError:
            return anchor(citation, None)
        content = examine(citation.path, data)
        return anchor(citation, content.text if isinstance(content, SourceText) else None)

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
