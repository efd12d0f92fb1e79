from collections.abc import Iterator
from pathlib import Path

import pytest

from codecite.adapters.sqlite_ledger import SqliteLedger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    ledger = SqliteLedger(tmp_path / "store")
    yield ledger
    ledger.close()
