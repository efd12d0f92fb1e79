"""What the store cannot take is named, and keeps nothing else from being found."""

import sqlite3

import pytest
from tests.workspace.conftest import Open

from codecite.adapters import ledger_writes
from codecite.engine import sync
from codecite.model.errors import NotWritten
from codecite.ports import FileUpdate


@pytest.mark.parametrize("batch", [1, 500])
async def test_one_file_that_the_store_cannot_take(
    workspace: Open, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    here = await workspace({"seed.py": "def seed():\n    return 0\n"})
    monkeypatch.setattr(sync, "BATCH_BLOCKS", batch)

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
