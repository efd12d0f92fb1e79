"""Whatever is written, removed, embedded, drained and queued again, in any order: the ledger stays sound, equals one
written from scratch, and replaying its outbox brings a vector store to exactly what it holds.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.adapters.made_files import MODEL, guarded_update, leaf, stacked, update_of, vectors_for

from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.ports import FileUpdate, OutboxEntry

PATHS = st.sampled_from(["a.py", "b.py", "sub/a.py", "sub/索引: x.py"])
# Few names and codes, so that symbols, hashes and embedding texts repeat; "pass" holds nothing to embed.
PARTS = st.tuples(
    st.sampled_from(["f", "g", "h"]), st.sampled_from(["return 1", "return 2", "pass"]), st.sampled_from(["", "why", "because"])
)  # fmt: skip
FULL_TEXT = (
    "SELECT id, block_terms.* FROM block_terms JOIN blocks ON blocks.number = block_terms.rowid ORDER BY 1",
    "SELECT term, doc, cnt FROM block_vocabulary ORDER BY term",
)
CONTENT = st.lists(PARTS, max_size=6)


def logical(ledger: SqliteLedger) -> tuple[Any, ...]:
    """All that the ledger holds, apart from numbers of rows and from what waits."""
    with ledger.reader() as reader:
        paths = reader.paths()
        rows = [(row.block, row.embed_key) for row in reader.file_blocks()]
        definitions = [reader.file_definitions(path) for path in paths]
        files = reader.files()
        kept = [reader.clean_text(path) for path in paths], reader.retained(1_000)
    return files, kept, definitions, rows, *(ledger._db.execute(query).fetchall() for query in FULL_TEXT)


class LedgerMachine(RuleBasedStateMachine):
    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cc-ledger-"))
        self.ledger = SqliteLedger(self.folder / "store")
        self.files: dict[str, tuple[FileUpdate, dict[str, str]]] = {}
        self.embedded: dict[str, bool] = {}  # key -> whether its vector is not zero
        self.store: dict[str, bytes] = {}  # what a vector store would hold
        self.listed: dict[int, list[str]] = {}  # what was listed since which transaction

    @rule(path=PATHS, parts=CONTENT)
    def write(self, path: str, parts: list[tuple[str, str, str]]) -> None:
        self.files[path] = update_of(path, stacked(*parts))
        self.ledger.write_file(*self.files[path])

    @rule(path=PATHS, parts=CONTENT, other=PATHS)
    def write_two(self, path: str, parts: list[tuple[str, str, str]], other: str) -> None:
        both = [update_of(path, stacked(*parts)), update_of(other, (leaf("f", "return 1"),))]
        self.files |= {update.record.stamp.path: (update, texts) for update, texts in both}
        self.ledger.write_files(both)

    @rule(path=PATHS, before=CONTENT, parts=CONTENT)
    def stop_parsing(
        self, path: str, before: list[tuple[str, str, str]], parts: list[tuple[str, str, str]]
    ) -> None:
        self.files[path] = guarded_update(path, stacked(*before), stacked(*parts))
        self.ledger.write_file(*self.files[path])

    @rule(paths=st.lists(PATHS, max_size=3))
    def remove(self, paths: list[str]) -> None:
        blocks = sum(len(self.files.pop(path)[0].blocks) for path in set(paths) if path in self.files)
        assert self.ledger.remove_files(paths, "gone") == blocks

    @rule(count=st.integers(1, 4), zero=st.booleans())
    def embed(self, count: int, zero: bool) -> None:
        with self.ledger.reader() as reader:
            keys = [key for key, _ in reader.pending_texts(count)]
        vectors = vectors_for(keys) * (0 if zero else 1)
        self.ledger.put_vectors(MODEL, keys, vectors)
        self.embedded |= dict.fromkeys(keys, not zero)

    @rule(count=st.integers(1, 5), settled=st.booleans())
    def drain(self, count: int, settled: bool) -> None:
        """Bring some steps to the store; unless `settled`, the process dies before it can say so."""
        with self.ledger.reader() as reader:
            steps = reader.outbox(count)
        self.apply(steps, self.store)
        if steps and settled:
            self.ledger.settle_outbox(steps[-1].number)

    @rule(gone=st.booleans())
    def lose_a_row(self, gone: bool) -> None:
        """The vector store loses a row or holds a ghost; comparing the ids sees it."""
        if gone and self.store:
            del self.store[min(self.store)]
        else:
            self.store["a.py:ghost:1"] = b""
        with self.ledger.reader() as reader:
            wanted = reader.ids()
        self.ledger.requeue(sorted(wanted - self.store.keys()), sorted(self.store.keys() - wanted))

    @rule()
    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = SqliteLedger(self.folder / "store")

    @staticmethod
    def apply(steps: list[OutboxEntry], store: dict[str, bytes]) -> None:
        for step in steps:
            store.pop(step.id, None)
            if step.vector is not None:
                store[step.id] = step.vector.tobytes()

    def wanted(self) -> dict[str, str]:
        """Ids of the blocks that are to be embedded, and their keys."""
        return {
            i.block.id: i.embed_key for update, _ in self.files.values() for i in update.blocks if i.embed_key
        }

    @invariant()
    def sound(self) -> None:
        assert self.ledger.check() == []

    @invariant()
    def lists_the_same_since_it_last_said_otherwise(self) -> None:
        with self.ledger.reader() as reader:
            assert reader.listed_since <= reader.sequence
            assert self.listed.setdefault(reader.listed_since, reader.paths()) == reader.paths()

    @invariant()
    def counts_and_outlines_what_it_holds(self) -> None:
        with self.ledger.reader() as reader:
            rows = {path: reader.file_blocks(path) for path in reader.paths()}
            assert reader.counts().blocks == sum(map(len, rows.values()))
            for path, held in rows.items():
                ids = [row.block.id for row in held]
                assert reader.blocks(ids) == {row.block.id: row.block for row in held}
                assert [(at.id, at.start_line, at.end_line, at.kind) for at in reader.outline(path)] == [
                    (b.id, b.start_line, b.end_line, b.kind) for b in (row.block for row in held)
                ]

    @invariant()
    def waits_for_exactly_what_is_missing(self) -> None:
        with self.ledger.reader() as reader:
            pending = [key for key, _ in reader.pending_texts(1_000)]
        assert sorted(pending) == sorted(set(self.wanted().values()) - self.embedded.keys())

    @invariant()
    def replay_ends_at_the_truth(self) -> None:
        held = {identity: key for identity, key in self.wanted().items() if self.embedded.get(key)}
        store = dict(self.store)
        with self.ledger.reader() as reader:
            assert reader.ids() == held.keys()
            self.apply(reader.outbox(1_000), store)
        assert store.keys() == held.keys()
        for identity, key in held.items():
            vector = np.frombuffer(store[identity], np.float32)
            assert np.allclose(vector, vectors_for([key])[0], atol=1e-3)

    def teardown(self) -> None:
        if not hasattr(self, "ledger"):
            return
        fresh = SqliteLedger(self.folder / "fresh")
        fresh.write_files(list(self.files.values()))
        assert logical(self.ledger) == logical(fresh)
        fresh.close()
        self.ledger.close()
        shutil.rmtree(self.folder)


TestLedgerMachine = LedgerMachine.TestCase
TestLedgerMachine.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
