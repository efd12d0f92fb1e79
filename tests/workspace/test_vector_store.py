"""The vector store is derived: whatever befalls it, questions go on and it is filled again from the ledger."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.adapters.made_files import sha, update_of

from codecite.adapters.generations import ChromaGenerations
from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.engine import vector_index
from codecite.engine.last_words import died_inside
from codecite.engine.vector_index import VectorIndex
from codecite.model.blocks import Leaf
from codecite.model.errors import Unavailable
from codecite.ports import Vectors

ROWS = 1_100  # enough for the library to write its graph out


class Directions:
    """An embedder whose vectors say which block they are of: `def f12` points where no other does."""

    name, digest, dimension = "directions", "directions-1", 64

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.concatenate([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        row = np.random.default_rng(int(sha(text)[:8], 16)).normal(size=(1, self.dimension))
        return np.asarray(row / np.linalg.norm(row), np.float32)


def text(number: int) -> str:
    return f"def f{number}(): return {number}\n"


class Store:
    """A ledger of one-line functions, its vectors in Chroma, and what a test does to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger = SqliteLedger(folder)
        self.ledger.set_meta("model", Directions.digest)
        self.index = self.reopened()

    def reopened(self) -> VectorIndex:
        """Begin anew, as the next process does."""
        self.index = VectorIndex(self.ledger, Directions(), ChromaGenerations(self.folder, Directions()))
        return self.index

    def write(self, numbers: Sequence[int]) -> None:
        leaves = tuple(
            Leaf(line, line, f"f{n}", f"f{n}", "function", "python", text(n), sha(text(n)), sha(text(n)), text(n), "", "")
            for line, n in enumerate(numbers, 1)
        )  # fmt: skip
        self.ledger.write_file(*update_of("many.py", leaves))

    def catch_up(self) -> None:
        self.index.catch_up(lambda *_: None, lambda: False)

    def found(self, number: int) -> str | None:
        """Return the symbol of the block nearest to a function's own text."""
        nearest = self.index.nearest(text(number), 1)
        return nearest[0][0].split(":")[1] if nearest else None

    def check(self, numbers: Sequence[int]) -> None:
        """The store holds exactly what the ledger says, and finds it."""
        assert self.index.differences() == ([], [])
        with self.ledger.reader() as reader:
            assert (len(reader.ids()), reader.counts().outbox) == (len(numbers), 0)
        sample = numbers[:: len(numbers) // 20 + 1]
        assert sum(self.found(n) == f"f{n}" for n in sample) >= 0.9 * len(sample)

    def folders(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("chroma*"))

    def chroma(self) -> Path:
        """The one generation that is there."""
        (folder,) = (path for path in self.folder.glob("chroma*") if "." not in path.name)
        return folder

    def close(self) -> None:
        self.index.close()
        self.ledger.close()


@pytest.fixture
def store(tmp_path: Path, filled: Path) -> Iterator[Store]:
    shutil.copytree(filled, tmp_path / "store")
    opened = Store(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of `ROWS` functions whose graph was written out."""
    folder = tmp_path_factory.mktemp("filled")
    made = Store(folder)
    made.write(range(ROWS))
    made.catch_up()
    made.close()
    return folder


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def garble(path: Path) -> None:
    path.write_bytes(np.random.default_rng(1).bytes(path.stat().st_size))


def become_a_file(path: Path) -> None:
    shutil.rmtree(path)
    path.write_bytes(b"no folder")


DAMAGE: dict[str, tuple[str, Callable[[Path], object]]] = {
    "the folder is a file": ("", become_a_file),
    "its database is cut": ("chroma.sqlite3", cut),
    "its database is garbled": ("chroma.sqlite3", garble),
    "the graph's header is lost": ("*/header.bin", Path.unlink),
    "the graph is lost": ("*/data_level0.bin", Path.unlink),
    "the graph's folder is lost": ("*/", shutil.rmtree),
    "the labels are lost": ("*/index_metadata.pickle", Path.unlink),
    "the labels are garbled": ("*/index_metadata.pickle", garble),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_found_when_it_is_opened(store: Store, damage: str) -> None:
    where, damaging = DAMAGE[damage]
    before = store.chroma()
    (path,) = before.glob(where) if where else [before]
    damaging(path)
    store.index.open()
    assert store.chroma() != before
    assert ".damaged-" in store.index.problem
    assert len([name for name in store.folders() if name.startswith(f"{before.name}.damaged-")]) == 1
    assert store.found(3) is None  # nothing in it yet: answered by keyword
    store.catch_up()
    store.check(range(ROWS))


@pytest.mark.parametrize("damaging", [cut, garble])
def test_damage_that_ends_the_process_does_so_once(
    tmp_path: Path, filled: Path, damaging: Callable[[Path], object]
) -> None:
    """The library reads past the end of such a file, and may die of it: in a process of its own, then."""
    shutil.copytree(filled, tmp_path / "store")
    (graph,) = (tmp_path / "store").glob("chroma-*/*/data_level0.bin")
    damaging(graph)
    program = [sys.executable, "-m", __name__, str(tmp_path / "store")]
    statuses: list[int] = []
    while not statuses or (statuses[-1] != 0 and len(statuses) < 3):
        ended = subprocess.run(program, cwd=Path(__file__).parents[2], check=False)
        statuses.append(ended.returncode)
    assert statuses[-1] == 0
    assert len(statuses) <= 2
    store = Store(tmp_path / "store")
    assert [".damaged-" in name for name in store.folders()] == [True, False]
    store.check(range(ROWS))
    store.close()


def test_a_store_in_which_the_process_died_is_set_aside_unopened(store: Store) -> None:
    opening = store.folder / "engine.crash.log"
    opening.write_text(
        'Fatal Python error: Segmentation fault\n  File "site-packages/chromadb/api/rust.py", line 1\n'
    )
    assert died_inside(store.folder, "chromadb")
    assert not died_inside(store.folder, "pygit2")
    assert not died_inside(store.folder / "elsewhere", "chromadb")
    store.index = VectorIndex(
        store.ledger, Directions(), ChromaGenerations(store.folder, Directions()), suspect=True
    )
    store.catch_up()
    assert "ended inside its library" in store.index.problem
    store.check(range(ROWS))


def test_only_the_newest_damaged_one_is_kept(store: Store) -> None:
    for _ in range(3):
        cut(store.chroma() / "chroma.sqlite3")
        store.index.open()
        store.index.close()
    assert [name.split(".")[0] for name in store.folders()] == ["chroma-3", "chroma-4"]


def test_a_store_that_fails_while_it_is_used_is_followed_by_a_new_one(store: Store) -> None:
    """Its folder is removed under it: questions go on, the next sync fills another."""
    asked = []
    store.index.on_damage = lambda: asked.append("mend")
    store.index.open()
    shutil.rmtree(store.chroma())
    store.write(range(5, ROWS))
    store.catch_up()
    assert store.index.problem
    store.check(range(5, ROWS))
    assert not asked  # it was mended in the same run


def test_a_question_to_a_store_that_fails_goes_on_without_vectors(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    store.index.on_damage = lambda: asked.append("mend")
    store.index.open()
    with monkeypatch.context() as broken:
        broken.setattr("chromadb.api.models.Collection.Collection.query", fail)
        assert store.found(7) is None
    assert (asked, store.index.opened) == (["mend"], False)
    assert "Error finding id" in store.index.unasked
    store.catch_up()
    store.check(range(ROWS))


def fail(*_: object, **__: object) -> None:
    raise RuntimeError("Error finding id")


def test_dead_rows_are_left_behind_in_a_new_generation(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "LEAST_DEAD", 100)
    store.index.open()
    answered = []
    filling = store.index.catch_up

    def ask(phase: str, *_: int) -> None:
        if phase == "renew vectors":
            answered.append(store.found(ROWS - 1))

    store.write(range(600, ROWS))  # 600 dead, 500 alive
    filling(ask, lambda: False)
    assert answered
    assert set(answered) == {f"f{ROWS - 1}"}  # by the old one, while the new one was filled
    assert store.folders() == ["chroma-2"]
    store.check(range(600, ROWS))
    store.catch_up()
    assert store.folders() == ["chroma-2"]  # once


@pytest.mark.parametrize("noted", [False, True])
def test_a_generation_that_was_not_finished_is_cleared_away(
    store: Store, monkeypatch: pytest.MonkeyPatch, noted: bool
) -> None:
    """The process ends while the next generation is filled, or just after it was noted as the one in use."""
    monkeypatch.setattr(vector_index, "LEAST_DEAD", 100)
    store.write(range(600, ROWS))

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        if noted:
            dying.setattr(store.index, "_exchange", end)
        with pytest.raises(KeyboardInterrupt):
            store.index.catch_up(
                lambda phase, *_: end() if phase == "renew vectors" and not noted else None, lambda: False
            )
    assert len([name for name in store.folders() if "." not in name]) == 2
    store.index.close()
    store.reopened().open()
    assert len(store.folders()) == 1
    store.catch_up()
    store.check(range(600, ROWS))


def test_a_full_disk_spoils_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing fails for want of space: said so, nothing set aside, and it goes on when there is space again."""
    store.index.open()
    store.write(range(5, ROWS + 5))
    with monkeypatch.context() as full:
        full.setattr("chromadb.api.models.Collection.Collection.upsert", no_space)
        with pytest.raises(Unavailable, match=r"no space left for the vector store at .*chroma-1"):
            store.catch_up()
    assert store.folders() == ["chroma-1"]
    store.catch_up()
    store.check(range(5, ROWS + 5))


def no_space(*_: object, **__: object) -> None:
    raise RuntimeError("error returned from database: (code: 13) database or disk is full")


if __name__ == "__main__":  # what a damaged graph may kill
    only = Store(Path(sys.argv[1]))
    only.catch_up()
    only.close()
