"""The vectors of the ledger's blocks: made by the embedder, kept in the ledger, brought to the vector store.

The ledger is the truth. Whatever happens to the vector store (a crash between the two, a lost folder) is seen when it
is opened, by comparing the two sets of ids, and mended from the ledger without calling the model.
"""

import logging
import threading
from collections.abc import Callable

from codecite.ports import Embedder, Ledger, VectorStore

log = logging.getLogger(__name__)

EMBED_BATCH = 1_000  # texts a call: large enough for numpy, small enough to stop soon
DRAIN_BATCH = 1_000  # rows a write of the vector store

Progress = Callable[[str, int, int], None]  # phase, done, total


class VectorIndex:
    """Nearest blocks by meaning. Opened late (the store's library takes seconds to import) and off the event loop."""

    def __init__(self, ledger: Ledger, embedder: Embedder, open_store: Callable[[], VectorStore]) -> None:
        self.embedder = embedder
        self._ledger = ledger
        self._open_store = open_store
        self._store: VectorStore | None = None
        self._opening = threading.Lock()

    @property
    def opened(self) -> bool:
        """Say whether the store can be asked."""
        return self._store is not None

    def open(self) -> VectorStore:
        """Open the store once, and queue what it lacks or has too much."""
        with self._opening:
            if self._store is None:
                self._store = self._open_store()
                missing, surplus = self._compare(self._store)
                if missing or surplus:
                    log.info("vector store: %d blocks missing, %d too many", len(missing), len(surplus))
                    self._ledger.requeue(missing, surplus)
            return self._store

    def differences(self) -> tuple[list[str], list[str]]:
        """Return the ids that the store lacks and those that it has too much, without what is queued anyway."""
        return self._compare(self.open())

    def holds(self, identity: str) -> bool:
        """Say whether the store has a vector of a block."""
        return identity in self.open().ids()

    def _compare(self, store: VectorStore) -> tuple[list[str], list[str]]:
        held = store.ids()
        with self._ledger.reader() as reader:
            wanted = reader.ids()
            if wanted == held:
                return [], []
            queued = {entry.id for entry in reader.outbox(reader.counts().outbox)}
        return sorted(wanted - held - queued), sorted(held - wanted - queued)

    def catch_up(self, progress: Progress, stopped: Callable[[], bool]) -> int:
        """Make every pending vector and bring the store up to date; return how many vectors were made."""
        made = self._embed_pending(progress, stopped)
        self._drain(self.open(), progress, stopped)
        return made

    def _embed_pending(self, progress: Progress, stopped: Callable[[], bool]) -> int:
        made, total = 0, 0
        while not stopped():
            with self._ledger.reader() as reader:
                batch = reader.pending_texts(EMBED_BATCH)
                total = total or reader.counts().pending_vectors
            if not batch:
                break
            vectors = self.embedder.embed_documents([text for _, text in batch])
            self._ledger.put_vectors(self.embedder.digest, [key for key, _ in batch], vectors)
            made += len(batch)
            progress("embed", made, max(total, made))
        return made

    def _drain(self, store: VectorStore, progress: Progress, stopped: Callable[[], bool]) -> None:
        done, total = 0, 0
        while not stopped():
            with self._ledger.reader() as reader:
                entries = reader.outbox(DRAIN_BATCH)
                total = total or reader.counts().outbox
            if not entries:
                break
            # A later step for an id overrides an earlier one, so each id's last step is all that matters.
            last = {entry.id: entry for entry in entries}
            store.delete([entry.id for entry in last.values() if entry.vector is None])
            store.upsert([entry for entry in last.values() if entry.vector is not None])
            self._ledger.settle_outbox(entries[-1].number)
            done += len(entries)
            progress("vectors", done, max(total, done))

    def nearest(self, question: str, limit: int) -> list[tuple[str, float]] | None:
        """Return ids with cosine similarity, best first; None while the store is not open."""
        if self._store is None:
            return None
        return self._store.query(self.embedder.embed_query(question), limit)

    def close(self) -> None:
        """Let go of the store."""
        with self._opening:
            if self._store is not None:
                self._store.close()
                self._store = None
