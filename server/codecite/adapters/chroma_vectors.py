"""Vectors in Chroma, embedded in this process, one collection for each model.

The library takes a second or two to import and is imported when the store is opened, not before. It must be the only
process on its folder. It knows ids and vectors and nothing else: what an id stands for is in the ledger, where a
filter costs no more than a look-up, and metadata would make writing half as dear again (35,000 vectors of 256
dimensions: 11 s of CPU without, 17 s with path, symbol and kind).

An upsert holds the interpreter lock while it runs, and a question waits that long, so a call takes few rows. Each call
reads again from the library's log what came since the graph was last written out, which makes small calls dear where
that is seldom. 12,000 rows took 3.9 s of CPU with 500 rows a call and the graph written out every 5,000; with 200 a
call 5.5 s at 5,000, 4.6 s at 2,000, 4.3 s at 1,000, 4.6 s at 600. Its log in another journal mode saves a twentieth,
one thread instead of all nothing.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from codecite.model.errors import Unavailable, VectorsDamaged
from codecite.ports import Embedder, OutboxEntry, Vectors

if TYPE_CHECKING:
    from types import ModuleType

    from chromadb.api.client import Client
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.config import Settings

ROWS_A_CALL = 200
_FULL = ("(code: 13)", "os error 28", "os error 122")  # SQLITE_FULL, ENOSPC, EDQUOT
_LITTLE_SPACE = 1 << 20  # bytes; less than one write of the graph takes
IDS_A_PAGE = 5_000  # reading more than about 30,000 rows at once fails in the library

# The graph: with these, 35,000 vectors take 11 s of CPU and 90 MB, and 92 % of the true nearest 20 are found; the
# library's own (16 neighbours, 100) take twice as long, 20 candidates instead of 40 find 85 %. Rows wait unindexed,
# and are compared one by one, until there are `batch_size` (larger ones save nothing); the graph is written out, as
# far as it changed, every `sync_threshold` rows: see above.
_GRAPH: "CreateHNSWConfiguration" = {
    "space": "cosine",
    "max_neighbors": 8,
    "ef_construction": 40,
    "ef_search": 100,
    "batch_size": 100,
    "sync_threshold": 1_000,
}


class ChromaVectors:
    """See `ports.VectorStore`. Holds the vectors of one model; other models have collections of their own.

    When the library fails, every method raises Unavailable for want of space and VectorsDamaged for all else: whatever
    it was, a new folder filled from the ledger mends it. Not safe to close while another thread uses it.
    """

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder = folder
        self._name = f"blocks-{sha256(embedder.digest.encode()).hexdigest()[:32]}"
        chromadb, settings = load_library()
        with self._translated("be opened"), _forgotten_on_failure(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._client = cast("Client", chromadb.PersistentClient(str(folder), settings))
            self._rows = self._client.get_or_create_collection(
                self._name, embedding_function=None, configuration={"hnsw": _GRAPH}
            )
            self._protect()

    def upsert(self, entries: Sequence[OutboxEntry]) -> None:
        """Put entries that have a vector; a repeated id takes the last. A zero vector is near nothing: left out."""
        last = {entry.id: entry.vector.ravel() for entry in entries if entry.vector is not None}
        ids = [identity for identity, vector in last.items() if vector.any()]
        with self._translated("be written"):
            for start in range(0, len(ids), ROWS_A_CALL):
                part = ids[start : start + ROWS_A_CALL]
                self._rows.upsert(ids=part, embeddings=np.stack([last[identity] for identity in part]))

    def delete(self, ids: Sequence[str]) -> None:
        """Take ids out; unknown ones do not matter."""
        distinct = list(dict.fromkeys(ids))
        with self._translated("be written"):
            for start in range(0, len(distinct), ROWS_A_CALL):
                self._rows.delete(ids=distinct[start : start + ROWS_A_CALL])

    def query(self, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        """Return the ids nearest to one vector with their cosine similarity, best first; none for a zero vector."""
        if limit < 1 or not vector.any():
            return []
        with self._translated("be asked"):
            found = self._rows.query(
                query_embeddings=vector.reshape(1, -1), n_results=limit, include=["distances"]
            )
        distances = found["distances"]
        assert distances is not None  # they were asked for
        return [(i, 1.0 - d) for i, d in zip(found["ids"][0], distances[0], strict=True)]

    def ids(self) -> set[str]:
        """Return all ids."""
        held: set[str] = set()
        offset = 0
        with self._translated("be read"):
            while page := self._rows.get(limit=IDS_A_PAGE, offset=offset, include=[])["ids"]:
                held.update(page)
                offset += len(page)
        return held

    def close(self) -> None:
        """Let go of the store, so that it may be opened again."""
        with self._translated("be closed"):
            self._client.close()
            self._protect()

    def _protect(self) -> None:
        """Leave what the library wrote to the owner alone."""
        for path in self._folder.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        try:
            yield
        except BaseException as error:  # a panic in the library's native part is no Exception
            if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
                raise
            said = " ".join(f"{error}".split())
            if _no_space(self._folder, said):
                where = f"no space left for the vector store at {self._folder}"
                raise Unavailable(where, "free some disk space") from error
            mend = f"stop the engine and delete {self._folder}: it is filled again from the ledger"
            raise VectorsDamaged(f"the vector store cannot {doing} ({said})", mend) from error


def load_library() -> "tuple[ModuleType, Settings]":
    """Import the library, once in a process, and return it with the settings that it is to have."""
    try:
        import chromadb  # noqa: PLC0415 - takes a second or two
        from chromadb.config import Settings  # noqa: PLC0415 - as above
    except ImportError as error:
        mend = "install codecite anew"
        raise Unavailable(f"the library of the vector store cannot be loaded ({error})", mend) from error
    return chromadb, Settings(anonymized_telemetry=False)


@contextmanager
def _forgotten_on_failure(folder: Path) -> Iterator[None]:
    """Have the library forget a client that could not be opened: it would hand the half-made one out again."""
    from chromadb.api.shared_system_client import SharedSystemClient  # noqa: PLC0415 - see `load_library`

    try:
        yield
    except BaseException:
        SharedSystemClient._identifier_to_system.pop(str(folder), None)  # noqa: SLF001 - the public way forgets all
        raise


def _no_space(folder: Path, said: str) -> bool:
    """Say whether a failure comes from a full disk, which the library often hides under what it was doing."""
    if any(sign in said for sign in _FULL):
        return True
    try:
        return shutil.disk_usage(folder).free < _LITTLE_SPACE
    except OSError:
        return False
