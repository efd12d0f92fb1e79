"""A damaged ledger is set aside and a new one begun; a sound one is left alone, however its process ended."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.adapters.made_files import stacked, update_of

from codecite.adapters.ledger_opening import open_ledger
from codecite.adapters.ledger_schema import FILE_NAME
from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.model.errors import StoreDamaged, Unavailable

PAGE = 4_096


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a ledger of a few hundred pages, closed in order."""
    ledger = SqliteLedger(tmp_path)
    for number in range(40):
        functions = stacked(
            *((f"f{number}_{place}", f"return {place}  # {'x' * 500}") for place in range(40))
        )
        ledger.write_file(*update_of(f"{number}.py", functions))
    ledger.close()
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def garble_header(ledger: Path) -> None:
    with ledger.open("r+b") as file:
        file.write(b"no database at all" * 5)


def cut(ledger: Path) -> None:
    os.truncate(ledger, ledger.stat().st_size // 2)


def garble_pages(ledger: Path) -> None:
    """Spoil every page but the first, of which an opening reads no more than the schema's."""
    size = ledger.stat().st_size
    with ledger.open("r+b") as file:
        file.seek(PAGE)
        file.write(b"\xa5" * (size - PAGE))


def garble_one_page(ledger: Path) -> None:
    """Spoil a page in the middle, and leave the note that the process did not come to close it."""
    with ledger.open("r+b") as file:
        file.seek(ledger.stat().st_size // PAGE // 2 * PAGE)
        file.write(b"\xa5" * PAGE)
    ledger.with_suffix(".open").touch()


@pytest.mark.parametrize("damaging", [garble_header, cut, garble_pages, garble_one_page])
def test_a_damaged_ledger_is_set_aside(folder: Path, damaging: Callable[[Path], None]) -> None:
    damaging(folder / FILE_NAME)
    for ending in ("-wal", "-shm"):
        (folder / (FILE_NAME + ending)).write_bytes(b"")
    ledger, said = open_ledger(folder)
    with closing(ledger), ledger.reader() as reader:
        assert reader.counts().files == 0
        aside = [name for name in names(folder) if name.startswith("ledger.damaged-")]
        assert any(name in said for name in aside)
        assert {name.partition(".sqlite3")[2] for name in aside} <= {"", "-wal", "-shm"}
        ledger.write_file(*update_of("a.py", stacked(("f", "return 1"))))
    ledger, said = open_ledger(folder)
    with closing(ledger), ledger.reader() as reader:
        assert (reader.counts().files, said) == (1, "")


def test_a_sound_ledger_whose_process_was_killed_stays(folder: Path) -> None:
    killed = SqliteLedger(folder)  # never closed
    killed.write_file(*update_of("late.py", stacked(("late", "return 1"))))
    ledger, said = open_ledger(folder)
    with closing(ledger), ledger.reader() as reader:
        assert (reader.counts().files, said) == (41, "")
    killed.close()


def test_damage_found_in_use_is_noted_for_the_next_start(folder: Path) -> None:
    ledger = SqliteLedger(folder)
    garble_pages(folder / FILE_NAME)
    with pytest.raises(StoreDamaged, match="is damaged"), ledger.reader() as reader:
        reader.file_blocks()
    ledger.close()
    with pytest.raises(StoreDamaged, match="while it was in use"):
        SqliteLedger(folder)
    ledger, said = open_ledger(folder)
    ledger.close()
    assert "while it was in use" in said
    ledger, said = open_ledger(folder)
    ledger.close()
    assert said == ""


def test_a_full_disk_takes_nothing_back_and_needs_no_restart(folder: Path) -> None:
    ledger = SqliteLedger(folder)
    pages = ledger._db.execute("PRAGMA page_count").fetchone()[0]
    ledger._db.execute(f"PRAGMA max_page_count = {pages}")
    many = update_of("many.py", stacked(*((f"g{n}", f"return {n}  # {'y' * 900}") for n in range(200))))
    with pytest.raises(Unavailable, match=f"no space left for the store at {folder}"):
        ledger.write_file(*many)
    with ledger.reader() as reader:
        assert (reader.counts().files, reader.counts().blocks) == (40, 1_600)
    ledger._db.execute(f"PRAGMA max_page_count = {pages * 10}")
    ledger.write_file(*many)
    with ledger.reader() as reader:
        assert (reader.counts().files, reader.counts().blocks) == (41, 1_800)
    assert ledger.check() == []
    ledger.close()


def test_a_ledger_in_another_ones_hands_is_not_set_aside(folder: Path) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as other:
        other.execute("BEGIN EXCLUSIVE")
        before = names(folder)
        ledger, said = open_ledger(folder)
        ledger.close()
        assert said == ""
        assert set(names(folder)) <= {*before, "ledger.open"}
