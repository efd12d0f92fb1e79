"""The vector store in Chroma: what is put is found under its id, whatever the id looks like."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.adapters import made_files
from tests.adapters.made_files import drained, embed_pending, update_of

from codecite.adapters import chroma_vectors
from codecite.adapters.chroma_vectors import ChromaVectors
from codecite.adapters.hashed_embedder import HashedEmbedder
from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.model.blocks import Leaf
from codecite.model.errors import Unavailable, VectorsDamaged
from codecite.ports import OutboxEntry, Vectors

ODD_IDS = [
    "a.py:C.f:12",
    "a: b.py:Install > Linux:12:2",
    "line\nbreak.py::ab",
    "👩‍🚀 索引/é.py:x:1",
    " ",
    "'; DROP TABLE",
    "%",
    "a" * 900,
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChromaVectors]:
    opened = ChromaVectors(tmp_path / "chroma", HashedEmbedder())
    yield opened
    opened.close()


def unit(number: int) -> Vectors:
    """A unit vector told by a number: neighbours are near."""
    row = np.zeros((1, 256), np.float32)
    row[0, number % 256], row[0, (number + 1) % 256] = 0.8, 0.6
    return row


def entry(identity: str, vector: "Vectors | None", number: int = 0) -> OutboxEntry:
    return OutboxEntry(number, identity, "p", "s", "function", vector)


def test_any_id_is_found_and_taken_out_again(store: ChromaVectors) -> None:
    store.upsert([entry(identity, unit(3 * number)) for number, identity in enumerate(ODD_IDS)])
    assert store.ids() == set(ODD_IDS)
    for number, identity in enumerate(ODD_IDS):
        (found, score), *_ = store.query(unit(3 * number), 3)
        assert (found, round(score, 4)) == (identity, 1.0)
    store.delete([*ODD_IDS[:3], ODD_IDS[0], "unknown"])
    assert store.ids() == set(ODD_IDS[3:])
    assert {identity for identity, _ in store.query(unit(0), 99)} == set(ODD_IDS[3:])


def test_an_empty_store_answers(store: ChromaVectors) -> None:
    store.upsert([])
    store.delete(["nothing"])
    assert (store.ids(), store.query(unit(1), 5)) == (set(), [])


def test_fewer_rows_than_asked_for_best_first(store: ChromaVectors) -> None:
    store.upsert([entry(f"{number}", unit(number)) for number in range(4)])
    found = store.query(unit(2), 50)
    assert found[0][0] == "2"
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert len(found) == 4
    assert dict(found)["3"] == pytest.approx(0.48, abs=1e-4)  # cosine similarity, not a distance
    assert store.query(unit(2), 0) == []
    assert store.query(np.zeros((1, 256), np.float32), 5) == []


def test_a_repeated_id_takes_the_last_and_a_zero_vector_is_left_out(store: ChromaVectors) -> None:
    zero = np.zeros((1, 256), np.float32)
    store.upsert([entry("a", unit(1)), entry("a", unit(9)), entry("zero", zero), entry("none", None)])
    assert store.ids() == {"a"}
    assert store.query(unit(9), 1)[0][1] == pytest.approx(1.0, abs=1e-4)


def test_rows_stay_when_it_is_opened_again_and_models_stay_apart(tmp_path: Path) -> None:
    store = ChromaVectors(tmp_path, HashedEmbedder())
    store.upsert([entry("a", unit(1))])
    store.close()
    other = ChromaVectors(tmp_path, HashedEmbedder(64))
    assert other.ids() == set()
    other.upsert([entry("b", unit(1)[:, :64])])
    other.close()
    store = ChromaVectors(tmp_path, HashedEmbedder())
    assert store.ids() == {"a"}
    store.close()


def test_a_vector_of_another_length_is_said(store: ChromaVectors) -> None:
    store.upsert([entry("a", unit(1))])
    with pytest.raises(VectorsDamaged, match="cannot be written") as caught:
        store.upsert([entry("b", np.ones((1, 3), np.float32))])
    assert "delete" in caught.value.mend


def test_a_store_that_cannot_be_opened_says_how_to_mend_it(tmp_path: Path) -> None:
    database = tmp_path / "chroma.sqlite3"
    database.mkdir()
    with pytest.raises(VectorsDamaged, match="cannot be opened") as caught:
        ChromaVectors(tmp_path, HashedEmbedder())
    assert str(tmp_path) in caught.value.mend
    database.rmdir()
    store = ChromaVectors(tmp_path, HashedEmbedder())  # the library keeps nothing of the first attempt
    assert store.ids() == set()
    store.close()


class Panic(BaseException):
    """As the library's native part raises it: no Exception."""


@pytest.mark.parametrize(
    ("raised", "kind", "says"),
    [
        (Panic("index out of\nbounds"), VectorsDamaged, "cannot be asked (index out of bounds)"),
        (
            RuntimeError("(code: 13) database or disk is full"),
            Unavailable,
            "no space left for the vector store at ",
        ),
        (
            OSError("No space left on device (os error 28)"),
            Unavailable,
            "no space left for the vector store at ",
        ),
        (KeyboardInterrupt(), KeyboardInterrupt, ""),
        (SystemExit(3), SystemExit, "3"),
    ],
)
def test_what_the_library_raises(
    store: ChromaVectors,
    monkeypatch: pytest.MonkeyPatch,
    raised: BaseException,
    kind: type[BaseException],
    says: str,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("chromadb.api.models.Collection.Collection.query", fail)
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - the type is what is compared
        store.query(unit(1), 3)
    assert type(caught.value) is kind
    assert says in str(caught.value)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits")
def test_the_store_is_the_owners_alone(tmp_path: Path) -> None:
    store = ChromaVectors(tmp_path / "chroma", HashedEmbedder())
    store.upsert([entry(f"{number}", unit(number)) for number in range(300)])
    store.close()
    found = {(path.is_dir(), path.stat().st_mode & 0o777) for path in (tmp_path / "chroma").rglob("*")}
    assert found <= {(True, 0o700), (False, 0o600)}
    assert (tmp_path / "chroma").stat().st_mode & 0o777 == 0o700


def test_a_file_of_more_blocks_than_one_call_takes(tmp_path: Path) -> None:
    """6,000 functions of one line each: through the ledger's outbox into Chroma, and all are there."""
    leaves = tuple(
        Leaf(n, n, f"f{n}", f"f{n}", "function", "python", text := f"def f{n}(): return {n}\n", made_files.sha(text),
             made_files.sha(text), text, "", "")
        for n in range(1, 6_001)
    )  # fmt: skip
    ledger = SqliteLedger(tmp_path)
    ledger.write_file(*update_of("many.py", leaves))
    embed_pending(ledger)
    with ledger.reader() as reader:
        wanted = reader.ids()
        entries = reader.outbox(10_000)
    assert len(wanted) == len(entries) == 6_000
    store = ChromaVectors(tmp_path / "chroma", HashedEmbedder())
    store.upsert(entries)
    assert store.ids() == wanted
    store.delete(sorted(wanted)[:5_990])
    assert entries[0].vector is not None
    assert len(store.query(entries[0].vector, 100)) == 10
    store.close()
    assert len(list(drained(ledger, 2_500))) == 6_000
    ledger.close()


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(st.booleans(), st.lists(st.integers(0, 15), min_size=1, max_size=9)), min_size=1, max_size=8
    )
)
def test_ids_are_those_that_were_put_and_not_taken_out(
    store: ChromaVectors, monkeypatch: pytest.MonkeyPatch, steps: list[tuple[bool, list[int]]]
) -> None:
    monkeypatch.setattr(chroma_vectors, "ROWS_A_CALL", 4)
    monkeypatch.setattr(chroma_vectors, "IDS_A_PAGE", 3)
    store.delete(sorted(store.ids()))
    held: set[str] = set()
    for put, numbers in steps:
        names = [f"id {number}" for number in numbers]
        if put:
            store.upsert([entry(name, unit(number)) for name, number in zip(names, numbers, strict=True)])
            held |= set(names)
        else:
            store.delete(names)
            held -= set(names)
        assert store.ids() == held
        assert {identity for identity, _ in store.query(unit(7), 50)} == held
