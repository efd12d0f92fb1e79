"""What the store cannot take is named, and keeps nothing else from being found."""

import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from tests.workspace.conftest import Open, Workspace

from codecite.adapters import ledger_writes
from codecite.adapters.ledger_schema import FILE_NAME, SCHEMA_VERSION
from codecite.engine import intake
from codecite.engine.client import EngineClient
from codecite.engine.compose import services
from codecite.engine.locations import store_path
from codecite.engine.versions import own_folder
from codecite.model.errors import NotWritten
from codecite.ports import FileUpdate


@pytest.mark.parametrize("batch", [1, 500])
async def test_one_file_that_the_store_cannot_take(
    workspace: Open, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    here = await workspace({"seed.py": "def seed():\n    return 0\n"})
    monkeypatch.setattr(intake, "BATCH_BLOCKS", batch)

    def record_or_fail(db: sqlite3.Connection, update: FileUpdate) -> int:
        if update.record.stamp.path == "a_bad.py":
            raise ValueError("not for this store")
        return ledger_writes.write_record(db, update)

    here.write(
        {f"{name}.py": f"def {name}():\n    return 1\n" for name in ("a_bad", "b_good", "c_good", "d_good")}
    )
    with monkeypatch.context() as spoilt:
        spoilt.setattr("codecite.adapters.sqlite_ledger.write_record", record_or_fail)
        with pytest.raises(NotWritten, match=r"a_bad\.py \(not for this store\)"):
            await here.index()
        for name in ("b_good", "c_good", "d_good"):
            assert name in await here.symbols(f"{name}.py")
        status = await here.call("status")
        assert "a_bad.py" in str(status)
    await here.index()
    assert "a_bad" in await here.symbols("a_bad.py")


FILES: dict[str, str | bytes] = {
    f"{name}.py": f'def {name}():\n    """Says {name}."""\n    return "{name}"\n'
    for name in ("alpha", "beta", "gamma")
}


@asynccontextmanager
async def opened(root: Path, store: Path) -> AsyncIterator[Workspace]:
    """What a new process makes of a workspace and its store."""
    offered = services(root, store, lambda *_: None)
    try:
        await offered.start()
        yield Workspace(root, offered)
    finally:
        await offered.close()


def spoil_ledger(folder: Path) -> None:
    (folder / FILE_NAME).write_bytes(b"no database" * 1_000)


def spoil_vectors(folder: Path) -> None:
    (path,) = folder.glob("chroma-*/chroma.sqlite3")
    path.write_bytes(b"no database" * 1_000)


def spoil_both(folder: Path) -> None:
    spoil_ledger(folder)
    spoil_vectors(folder)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (spoil_ledger, ["the store at "]),
        (spoil_vectors, ["the vector store was damaged"]),
        (spoil_both, ["the store at "]),  # with a new ledger, vectors begin anew as well
        (shutil.rmtree, []),
    ],
)
async def test_a_damaged_store_is_built_again(
    tmp_path: Path, spoil: Callable[[Path], None], said: list[str]
) -> None:
    root, store = tmp_path / "tree", tmp_path / "store"
    root.mkdir()
    store.mkdir()
    (store / "v0").mkdir()
    (store / "v999").mkdir()
    async with opened(root, store) as here:
        here.write(FILES)
        await here.index()
        before = await here.blocks()
    assert sorted(path.name for path in store.iterdir()) == [
        f"v{SCHEMA_VERSION}",
        "v999",
    ]  # the older one is not needed any more
    spoil(own_folder(store))
    async with opened(root, store) as here:
        await here.index()
        assert [block["id"] for block in await here.blocks()] == [block["id"] for block in before]
        status = await here.call("status")
        assert [
            problem[: len(start)] for problem, start in zip(status["problems"], said, strict=True)
        ] == said
        assert status["degraded"] == []
        assert all(check["ok"] for check in (await here.call("doctor"))["checks"])
        found = await here.search("what says gamma")
        assert found[0]["path"] == "gamma.py"


@pytest.mark.slow
async def test_a_ledger_that_is_damaged_while_it_serves(surroundings: Path) -> None:
    """The engine leaves, the client meets the next one, and that one builds the store again."""
    root = surroundings / "workspace"
    root.mkdir()
    for name, content in FILES.items():
        (root / name).write_text(str(content))
    async with await EngineClient.connect(root) as engine:
        await engine.call("index", {"wait": True})
        first = engine.engine["pid"]
        ledger = own_folder(store_path(root)) / FILE_NAME
        with closing(sqlite3.connect(ledger, isolation_level=None)) as other:
            other.execute(
                "UPDATE state SET sequence = sequence + 1"
            )  # so that the engine reads its pages again
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with ledger.open("r+b") as file:
            file.seek(4_096)
            file.write(b"\xa5" * (ledger.stat().st_size - 4_096))
        found = await engine.call("search", {"query": "what says beta"})
        assert found["hits"][0]["path"] == "beta.py"
        assert engine.engine["pid"] != first
        (problem,) = (await engine.call("status"))["problems"]
        assert "set aside as ledger.damaged-" in problem
