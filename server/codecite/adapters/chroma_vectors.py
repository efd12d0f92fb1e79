"""Chroma as the store of vectors. Derived from the ledger: it may be lost at any time and is mended when opened.

One collection a model, in a folder that only the engine opens (two processes on one path corrupt it silently). No
embedding function is given, since Chroma's own would download one; rows carry no metadata, since everything about a
block is in the ledger and metadata cost half as much again as the vectors.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codecite.model.errors import Unavailable
from codecite.ports import Embedder, OutboxEntry, Vectors

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

PAGE = 5_000  # ids a read: larger ones fail

# Measured on 35,000 hashed vectors of 256 dimensions: the least CPU (11 s) with at least 0.9 of the true 20 nearest.
# Few rows wait in the flat buffer (batch_size), so that writes cost the same at any size.
INDEX: dict[str, Any] = {
    "space": "cosine",
    "max_neighbors": 8,
    "ef_construction": 40,
    "ef_search": 100,
    "batch_size": 100,
    "sync_threshold": 5_000,
}


class ChromaVectors:
    """The vectors of one model. Importing and opening take seconds: construct it off the event loop."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        """Open or create the store; collections of other models are dropped, the ledger can make them again.

        Raises Unavailable when Chroma cannot open the folder.
        """
        # Imported here, since it takes seconds and only the engine ever needs it.
        import chromadb  # noqa: PLC0415
        from chromadb.config import Settings  # noqa: PLC0415

        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        name = "blocks-" + re.sub(r"[^a-zA-Z0-9-]", "-", embedder.digest).strip("-")[:100]
        with self._reported():
            settings = Settings(anonymized_telemetry=False)
            self._client: Client = chromadb.PersistentClient(str(folder), settings=settings)
            for other in self._client.list_collections():
                if other.name != name:
                    self._client.delete_collection(other.name)
            self._collection: Collection = self._client.get_or_create_collection(
                name, embedding_function=None, configuration={"hnsw": INDEX}
            )
            self._largest: int = self._client.get_max_batch_size()
        (folder / "chroma.sqlite3").chmod(0o600)

    def upsert(self, entries: Sequence[OutboxEntry]) -> None:
        """Put entries that have a vector; a repeated id takes the last; a zero vector has no direction and is left."""
        rows = {
            entry.id: entry.vector for entry in entries if entry.vector is not None and entry.vector.any()
        }
        ids = list(rows)
        with self._reported():
            for start in range(0, len(ids), self._largest):
                part = ids[start : start + self._largest]
                self._collection.upsert(
                    ids=part, embeddings=[rows[identity].ravel().tolist() for identity in part]
                )

    def delete(self, ids: Sequence[str]) -> None:
        """Take ids out; unknown ones do not matter."""
        distinct = list(dict.fromkeys(ids))
        with self._reported():
            for start in range(0, len(distinct), self._largest):
                self._collection.delete(ids=distinct[start : start + self._largest])

    def query(self, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        """Return the ids nearest to one vector with their cosine similarity, best first."""
        flat = vector.ravel()
        if not flat.any():
            return []
        with self._reported():
            if (count := self._collection.count()) == 0:
                return []
            found = self._collection.query(
                query_embeddings=[flat.tolist()], n_results=min(limit, count), include=["distances"]
            )
        distances = found["distances"]
        assert distances is not None
        pairs = zip(found["ids"][0], distances[0], strict=True)
        return [(identity, 1.0 - distance) for identity, distance in pairs]

    def ids(self) -> set[str]:
        """Return all ids."""
        held: set[str] = set()
        with self._reported():
            while page := self._collection.get(include=[], limit=PAGE, offset=len(held))["ids"]:
                held.update(page)
        return held

    def close(self) -> None:
        """Let go of the store."""
        self._client.close()

    @contextlib.contextmanager
    def _reported(self) -> Iterator[None]:
        from chromadb.errors import ChromaError  # noqa: PLC0415

        try:
            yield
        except (ChromaError, OSError) as error:
            raise Unavailable(
                f"the vector store in {self._folder} failed: {error}", "run `codecite doctor --repair`"
            ) from error
