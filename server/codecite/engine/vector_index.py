"""The vectors of the ledger's blocks: made by the embedder, kept in the ledger, brought to the vector store.

The ledger is the truth. Whatever happens to the vector store is mended from it without calling the model:

- a crash between the two, or a lost folder: seen when the store is opened, by comparing the two sets of ids;
- a store that fails, or does not find the vectors that it holds: set aside, and the next generation filled;
- a store in which more rows are dead than alive: the next generation filled beside it, then used in its place.

Questions go on meanwhile: by vectors while a generation is filled beside the one in use, else by keyword and symbol.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass

from codecite.model.errors import Unavailable, VectorsDamaged
from codecite.ports import Embedder, Ledger, OutboxEntry, VectorGenerations, VectorStore

log = logging.getLogger(__name__)

EMBED_BATCH = 1_000  # texts a call: large enough for numpy, small enough to stop soon
DRAIN_BATCH = 1_000  # steps read from the ledger and settled in it together
GENERATION_NOTE = "vector_store"  # which generation is in use, as JSON; see `_Generation`
LEAST_DEAD = 1_000  # dead rows that are not worth a new generation, however few are alive
SAMPLE = 48  # vectors that a store is asked for when it is opened
# Of a sound graph's vectors all but one in a hundred find themselves; of one whose file lost its second half, half do.
LEAST_FOUND = 0.75
SAME = 0.999  # cosine of a vector with itself, after rounding

Progress = Callable[[str, int, int], None]  # phase, done, total


@dataclass(frozen=True, slots=True)
class _Generation:
    """Which generation is in use, and about how many of its rows were deleted since it began."""

    number: int
    dead: int = 0


class VectorIndex:
    """Nearest blocks by meaning. Opened late (the store's library takes seconds to import) and off the event loop.

    A `suspect` store, in whose library the process before died, is set aside unopened.
    """

    def __init__(
        self, ledger: Ledger, embedder: Embedder, generations: VectorGenerations, *, suspect: bool = False
    ) -> None:
        self.embedder = embedder
        self.on_damage: Callable[[], object] = lambda: None  # asks for the `catch_up` that mends it
        self._ledger = ledger
        self._generations = generations
        self._suspect = suspect
        self._opening = threading.Lock()  # held to choose another store; before `_changed`
        self._changed = threading.Condition()  # of the two below
        self._store: VectorStore | None = None
        self._users = 0  # calls under way; a store is closed only when there are none
        self._damage = ""
        self._unasked = ""
        self._renewable = True  # until it fails: the next start tries again

    @property
    def opened(self) -> bool:
        """Say whether the store can be asked."""
        return self._store is not None

    @property
    def problem(self) -> str:
        """Return what became of a damaged store, one sentence; empty where none was."""
        return self._damage

    @property
    def unasked(self) -> str:
        """Return why the last question was answered without vectors that are there; empty where it was not."""
        return self._unasked

    def open(self) -> None:
        """Open the store once, and queue what it lacks or has too much. A damaged one is set aside for a new one."""
        with self._opening:
            if self._store is not None:
                return
            generation = self._noted()
            self._generations.keep_only(generation.number)
            try:
                if self._suspect:
                    self._suspect = False
                    raise VectorsDamaged("the process ended inside its library")  # noqa: TRY301 - one way to mend
                store = self._opened(generation.number)
            except VectorsDamaged as error:
                store = self._opened(self._follow(generation.number, error))
            with self._changed:
                self._store = store

    def differences(self) -> tuple[list[str], list[str]]:
        """Return the ids that the store lacks and those that it has too much, without what is queued anyway."""
        self.open()
        with self._using() as store:
            return self._compare(store)[:2] if store is not None else ([], [])

    def holds(self, identity: str) -> bool:
        """Say whether the store has a vector of a block."""
        self.open()
        with self._using() as store:
            return store is not None and identity in store.ids()

    def catch_up(self, progress: Progress, stopped: Callable[[], bool]) -> int:
        """Make every pending vector and bring the store up to date; return how many vectors were made."""
        made = self._embed_pending(progress, stopped)
        try:
            self._drain(progress, stopped)
        except VectorsDamaged:  # set aside by now: the next generation takes everything
            self._drain(progress, stopped)
        if self._renewable and self._worn():
            self._renew(progress, stopped)
        self._unasked = ""
        return made

    def nearest(self, question: str, limit: int) -> list[tuple[str, float]] | None:
        """Return ids with cosine similarity, best first; None while the store is not open, or when it fails."""
        if self._store is None:
            return None
        vector = self.embedder.embed_query(question)
        try:
            with self._using() as store:
                found = store.query(vector, limit) if store is not None else None
        except Unavailable as error:
            log.warning("answered without vectors: %s", error.message)
            self._unasked = error.message
            if isinstance(error, VectorsDamaged):
                self.on_damage()
            return None
        self._unasked = ""
        return found

    def close(self) -> None:
        """Let go of the store."""
        with self._opening:
            self._exchange(None)

    # --- the store in use -------------------------------------------------------------------------------------

    @contextmanager
    def _using(self) -> Iterator[VectorStore | None]:
        """Lend the open store, None where there is none. Nobody closes it meanwhile; one that fails is set aside."""
        with self._changed:
            store = self._store
            self._users += 1
        try:
            yield store
        except VectorsDamaged as error:
            self._release()
            self._give_up(store, error)
            raise
        except BaseException:
            self._release()
            raise
        else:
            self._release()

    def _release(self) -> None:
        with self._changed:
            self._users -= 1
            self._changed.notify_all()

    def _exchange(self, store: VectorStore | None) -> None:
        """Use another store from now on; close the one before when its last call has returned."""
        with self._changed:
            before, self._store = self._store, store
            self._changed.wait_for(lambda: self._users == 0)
        if before is not None:
            with suppress(Unavailable):  # a store that failed may fail at this too
                before.close()

    def _give_up(self, store: VectorStore | None, error: VectorsDamaged) -> None:
        """Set a store aside that failed, unless another thread did already."""
        with self._opening:
            if store is not None and store is self._store:
                self._exchange(None)
                self._follow(self._noted().number, error)

    def _follow(self, number: int, error: VectorsDamaged) -> int:
        """Set a generation aside; return and note the number of the next."""
        place = self._generations.set_aside(number)
        self._damage = f"the vector store was damaged and is built again from the ledger: {error.message}"
        if place.exists():
            self._damage += f"; the damaged one is at {place}"
        log.error("%s", self._damage)
        return self._note(_Generation(self._generations.unused())).number

    def _opened(self, number: int) -> VectorStore:
        """Open a generation and see what it holds and whether it finds it; queue what differs from the ledger."""
        store = self._generations.open(number)
        try:
            missing, surplus, common = self._compare(store)
            self._try_out(store, common)
        except BaseException:
            with suppress(Unavailable):
                store.close()
            raise
        finally:
            self._generations.survived(number)
        if missing or surplus:
            log.info("vector store: %d blocks missing, %d too many", len(missing), len(surplus))
            self._ledger.requeue(missing, surplus)
        return store

    def _compare(self, store: VectorStore) -> tuple[list[str], list[str], list[str]]:
        """Return the ids that a store lacks, has too much, and rightly has; none that is queued anyway.

        A sync may be writing meanwhile: the store is held against what the ledger said before and after it was read.
        """
        before, queued_before = self._owed()
        held = store.ids()
        after, queued_after = self._owed()
        queued = queued_before | queued_after
        missing, surplus = (before & after) - held, held - before - after
        return sorted(missing - queued), sorted(surplus - queued), sorted((after & held) - queued)

    def _owed(self) -> tuple[set[str], set[str]]:
        """Return the ids that the store is to hold, and those that wait to be brought to it."""
        with self._ledger.reader() as reader:
            return reader.ids(), reader.queued()

    def _try_out(self, store: VectorStore, ids: list[str]) -> None:
        """Ask for a sample of the vectors that a store holds: files can be cut short without the library noticing."""
        with self._ledger.reader() as reader:
            sample = reader.entries(ids[:: len(ids) // SAMPLE + 1])
        found = [store.query(entry.vector, 1) for entry in sample if entry.vector is not None]
        same = sum(bool(nearest) and nearest[0][1] >= SAME for nearest in found)
        if same < LEAST_FOUND * len(found):
            raise VectorsDamaged(f"it finds {same} of {len(found)} vectors that it holds")

    # --- bringing it up to date -------------------------------------------------------------------------------

    def _embed_pending(self, progress: Progress, stopped: Callable[[], bool]) -> int:
        made, total = 0, 0
        while not stopped():
            with self._ledger.reader() as reader:
                batch = reader.pending_texts(EMBED_BATCH)
                if len(batch) == EMBED_BATCH and not total:  # else this is all, and counting takes a while
                    total = reader.counts().pending_vectors
            if not batch:
                break
            vectors = self.embedder.embed_documents([text for _, text in batch])
            self._ledger.put_vectors(self.embedder.digest, [key for key, _ in batch], vectors)
            made += len(batch)
            progress("embed", made, max(total, made))
        return made

    def _drain(self, progress: Progress, stopped: Callable[[], bool]) -> None:
        self.open()
        done, total = 0, 0
        while not stopped():
            with self._ledger.reader() as reader:
                entries = reader.outbox(DRAIN_BATCH)
                if len(entries) == DRAIN_BATCH and not total:  # as above
                    total = reader.counts().outbox
            if not entries:
                break
            self._write(entries)
            self._ledger.settle_outbox(entries[-1].number)
            done += len(entries)
            progress("vectors", done, max(total, done))

    def _write(self, entries: list[OutboxEntry]) -> None:
        gone = [entry.id for entry in entries if entry.vector is None]
        with self._using() as store:
            if store is None:
                raise VectorsDamaged("the vector store was set aside by a question")
            store.delete(gone)
            store.upsert([entry for entry in entries if entry.vector is not None])
        if gone:
            noted = self._noted()
            self._note(_Generation(noted.number, noted.dead + len(gone)))

    def _worn(self) -> bool:
        """Say whether more rows are dead than alive: the library keeps their slots, and searches pass through them."""
        dead = self._noted().dead
        if dead <= LEAST_DEAD:
            return False
        with self._ledger.reader() as reader:
            return dead > reader.counts().blocks

    def _renew(self, progress: Progress, stopped: Callable[[], bool]) -> None:
        """Fill the next generation beside the one in use, then use it. Nothing else writes vectors meanwhile.

        One that is not finished, since the engine was told to stop or died, is cleared away at the next start.
        """
        number = self._generations.unused()
        log.info("the vector store holds more dead rows than live ones: filling generation %d", number)
        try:
            fresh = self._filled(number, progress, stopped)
        except Unavailable as error:  # such as a disk that cannot hold both: the one in use serves on
            log.warning("the next generation of the vector store could not be filled: %s", error.message)
            self._renewable = False
            fresh = None
        if fresh is not None:
            with self._opening:
                self._note(_Generation(number))
                self._exchange(fresh)
        self._generations.keep_only(self._noted().number)

    def _filled(self, number: int, progress: Progress, stopped: Callable[[], bool]) -> VectorStore | None:
        """Return a new generation with every vector of the ledger; None when told to stop before the end."""
        store = self._generations.open(number)
        try:
            with self._ledger.reader() as reader:
                ids = sorted(reader.ids())
            for start in range(0, len(ids), DRAIN_BATCH):
                if stopped():
                    break
                with self._ledger.reader() as reader:
                    store.upsert(reader.entries(ids[start : start + DRAIN_BATCH]))
                progress("renew vectors", min(start + DRAIN_BATCH, len(ids)), len(ids))
            else:
                self._generations.survived(number)
                return store
        except BaseException:
            with suppress(Unavailable):
                store.close()
            raise
        store.close()
        return None

    # --- which generation -------------------------------------------------------------------------------------

    def _noted(self) -> _Generation:
        """Return the generation in use; where none is noted, as in a new ledger, one that owes nothing to another."""
        noted = self._ledger.get_meta(GENERATION_NOTE)
        return (
            _Generation(**json.loads(noted)) if noted else self._note(_Generation(self._generations.unused()))
        )

    def _note(self, generation: _Generation) -> _Generation:
        self._ledger.set_meta(GENERATION_NOTE, json.dumps(asdict(generation)))
        return generation
