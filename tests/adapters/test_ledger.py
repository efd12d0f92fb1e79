"""The ledger: what is written is read back, cheaply changed, wholly removed; failures are said in a line."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.adapters.made_files import (
    DIMENSION,
    MODEL,
    drained,
    embed_pending,
    guarded_update,
    stacked,
    update_of,
    vectors_for,
    write,
)

from codecite.adapters import ledger_schema, ledger_writes
from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.model.errors import BadInput, NotWritten, StoreDamaged, StoreLocked, Unavailable
from codecite.model.files import FileStamp, Refusal
from codecite.ports import FileUpdate, JobRecord, Refused

Written = tuple[FileUpdate, Mapping[str, str]]

A, B, C = ("alpha", "return 1"), ("beta", "return 2"), ("gamma", "return alpha() + beta()")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger(tmp_path / "store")
    yield opened
    assert opened.check() == []
    opened.close()


def ids_of(ledger: SqliteLedger, path: str) -> list[str]:
    with ledger.reader() as reader:
        return [block.id for block in reader.stored_blocks(path)]


def sql(ledger: SqliteLedger, query: str) -> list[Any]:
    return ledger._db.execute(query).fetchall()


def test_a_file_is_read_back_as_it_was_written(ledger: SqliteLedger) -> None:
    update, texts = update_of("src/a.py", stacked(A, ("beta", "return 2", "why it is two"), C))
    ledger.write_file(update, texts)
    with ledger.reader() as reader:
        rows = reader.file_blocks("src/a.py")
        assert [(r.block.id, r.block.text, r.block.comments, r.embed_key) for r in rows] == [
            (i.block.id, i.block.text, i.block.comments, i.embed_key) for i in update.blocks
        ]
        assert {(r.indexed_at, r.commit, r.embedded_by) for r in rows} == {(1.0, "c0ffee", None)}
        assert reader.file_definitions("src/a.py") == list(update.definitions)
        assert reader.files()["src/a.py"].stamp == update.record.stamp
        assert reader.paths() == ["src/a.py"]
        assert reader.block_rows([rows[0].block.id, "nobody"]) == {rows[0].block.id: rows[0]}
        counts = reader.counts()
        assert (counts.files, counts.blocks, counts.definitions, counts.pending_vectors) == (1, 3, 3, 3)


def test_definitions_are_found_by_either_name_without_case(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A, ("GrößeÇa", "return 0"))
    with ledger.reader() as reader:
        found = [
            [d.name for _, d in reader.definitions_named([name])]
            for name in ("ALPHA", "thing.alpha", "GRÖSSEÇA")
        ]
    assert found == [["alpha"], ["alpha"], ["GrößeÇa"]]


KEYWORD_CASES = [
    # query, and the paths in order
    ("alpha", ["named.py", "calls.py"]),  # its own name weighs more than a mention
    ("{name} : (alpha)", ["named.py"]),
    ('"nowher"', []),
    ("alpha OR 索引", ["chinese.py", "named.py", "calls.py"]),
    ("𰻝", ["new.py"]),  # newer than the tables of SQLite's own Unicode tokenizer
]


@pytest.mark.parametrize(("query", "paths"), KEYWORD_CASES)
def test_keyword_search_ranks_blocks(ledger: SqliteLedger, query: str, paths: list[str]) -> None:
    write(ledger, "calls.py", ("other", "return alpha() or this and that and those"))
    write(ledger, "named.py", ("alpha", "return 1"))
    write(ledger, "chinese.py", ("f", "return 1", "索引"))
    write(ledger, "new.py", ("g", "return '𰻝'"))
    with ledger.reader() as reader:
        found = reader.match_blocks(query, 10)
    assert [match.path for match in found] == paths
    assert [match.score for match in found] == sorted((m.score for m in found), reverse=True)


def test_within_narrows_what_is_scored(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A, B)
    write(ledger, "b.py", ("gamma", "return 1"))
    with ledger.reader() as reader:
        everywhere = reader.match_blocks("return", 9)
        inside = reader.match_blocks("return", 9, "beta OR gamma")
    assert {match.path for match in inside} == {"a.py", "b.py"}
    assert inside == [match for match in everywhere if ":Thing.alpha:" not in match.id]


@pytest.mark.parametrize("query", ["alpha AND", '"alpha', "nocolumn : alpha", "(((", ""])
def test_a_query_that_is_not_one_is_a_bad_input(ledger: SqliteLedger, query: str) -> None:
    write(ledger, "a.py", A)
    with ledger.reader() as reader, pytest.raises(BadInput):
        reader.match_blocks(query, 10)


def test_document_frequencies_are_those_of_the_view(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A, B)
    with ledger.reader() as before:
        assert before.document_frequencies(["return", "beta", "nowher"]) == {
            "return": 2,
            "beta": 1,
            "nowher": 0,
        }
        write(ledger, "b.py", ("beta", "return 3"))
        with ledger.reader() as after:
            assert after.document_frequencies(["beta"]) == {"beta": 2}
        assert before.document_frequencies(["beta", "alpha"]) == {"beta": 1, "alpha": 1}


def test_a_view_keeps_its_sequence_while_others_write(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A)
    with ledger.reader() as before:
        at = before.sequence
        write(ledger, "b.py", B)
        ledger.remove_files(["a.py"], "gone")
        assert (before.sequence, before.paths()) == (at, ["a.py"])
    with ledger.reader() as after:
        assert (after.sequence, after.paths()) == (at + 2, ["b.py"])


def test_unchanged_blocks_are_not_rewritten(ledger: SqliteLedger) -> None:
    """A line more at the top moves what is below: places change, the text and its index are left alone."""
    write(ledger, "a.py", A, B, C)
    before = dict(sql(ledger, "SELECT id, number FROM blocks"))
    sql(ledger, "CREATE TEMP TABLE touched (what)")
    for table, when in (("block_texts", "UPDATE"), ("block_texts", "DELETE"), ("blocks", "UPDATE")):
        sql(
            ledger,
            f"CREATE TEMP TRIGGER {table}_{when} BEFORE {when} ON {table} BEGIN INSERT INTO touched VALUES ('{table} ' || old.number); END",
        )
    write(ledger, "a.py", A, B, C)
    assert sql(ledger, "SELECT * FROM touched") == []
    write(ledger, "a.py", ("alpha", "return 1", "now with a comment"), B, C)
    assert dict(sql(ledger, "SELECT id, number FROM blocks")) == before
    touched = [str(what) for (what,) in sql(ledger, "SELECT what FROM touched")]
    first = before[ids_of(ledger, "a.py")[0]]
    assert [what for what in touched if what.startswith("block_texts")] == [f"block_texts {first}"]
    assert len([what for what in touched if what.startswith("blocks")]) == 3
    with ledger.reader() as reader:
        assert len(reader.match_blocks("{comment} : comment", 5)) == 1


def test_a_transaction_is_one_segment_of_full_text(ledger: SqliteLedger) -> None:
    """Segments are merged later, at many times the cost of writing them."""
    before = sql(ledger, "SELECT count(DISTINCT segid) FROM block_terms_idx")
    ledger.write_files([update_of(f"{name}.py", stacked((name, "return 1"))) for name in "abcdef"])
    assert (before, sql(ledger, "SELECT count(DISTINCT segid) FROM block_terms_idx")) == ([(0,)], [(1,)])


def test_a_removed_block_leaves_an_audit_row_and_no_hit(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A, B)
    gone = ids_of(ledger, "a.py")
    write(ledger, "a.py", A)
    assert ledger.remove_files(["a.py", "never.py"], "file gone") == 1
    assert sql(ledger, "SELECT id, path, reason FROM audit ORDER BY number") == [
        (gone[1], "a.py", "replaced"),
        (gone[0], "a.py", "file gone"),
    ]
    with ledger.reader() as reader:
        assert reader.match_blocks("alpha OR beta", 5) == []
        assert reader.definitions_named(["alpha"]) == []
        assert reader.pending_texts(5) == []


def test_equal_text_is_embedded_once_and_a_return_costs_nothing(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A)
    write(ledger, "copy/a.py", A)
    assert len(embed_pending(ledger)) == 1
    with ledger.reader() as reader:
        assert reader.ids() == {*ids_of(ledger, "a.py"), *ids_of(ledger, "copy/a.py")}
    ledger.remove_files(["a.py", "copy/a.py"], "another branch")
    write(ledger, "back.py", A)
    with ledger.reader() as reader:
        assert reader.pending_texts(5) == []
        assert reader.ids() == set(ids_of(ledger, "back.py"))
        assert reader.counts().embedded_total == 1
        assert {row.embedded_by for row in reader.file_blocks()} == {MODEL}


def test_a_file_that_stops_parsing_keeps_its_clean_text_and_what_it_lost(ledger: SqliteLedger) -> None:
    def seen() -> tuple[str | None, list[tuple[str, float]], int, bool]:
        with ledger.reader() as reader:
            rows = [(row.retained.name, row.since) for row in reader.retained(10)]
            stored = reader.files().get("a.py")
            return reader.clean_text("a.py"), rows, reader.counts().retained, bool(stored and stored.guarded)

    old = stacked(A, B, C)
    clean = "".join(item.text for item in old)
    assert seen() == (None, [], 0, False)
    ledger.write_file(*update_of("a.py", old))
    assert seen() == (clean, [], 0, False)
    ledger.write_file(*guarded_update("a.py", old, stacked(A, C), at=2.0))
    assert seen() == (clean, [("beta", 2.0)], 1, True)
    ledger.write_file(*guarded_update("a.py", old, stacked(C), at=3.0))
    assert seen() == (clean, [("alpha", 3.0), ("beta", 2.0)], 2, True)
    with ledger.reader() as reader:
        assert [row.retained.symbol for row in reader.retained_named(["BETA", "nobody"])] == ["Thing.beta"]
        assert [row.path for row in reader.retained_named(["thing.alpha"])] == ["a.py"]
        assert len(reader.retained(1)) == 1
        assert reader.definitions_named(["beta"]) == []
        assert [match.id for match in reader.match_blocks("beta", 5)] == ids_of(
            ledger, "a.py"
        )  # gamma calls it
    ledger.write_file(*guarded_update("a.py", old, stacked(B, C), at=4.0))
    assert seen() == (clean, [("alpha", 3.0)], 1, True)  # beta came back
    broken, texts = update_of("a.py", stacked(C))
    ledger.write_file(replace(broken, record=replace(broken.record, clean=False)), texts)
    assert seen() == (None, [], 0, False)  # confirmed, and nothing clean to go back to
    ledger.write_file(*guarded_update("a.py", old, stacked(C)))
    ledger.remove_files(["a.py"], "gone")
    assert seen() == (None, [], 0, False)


def no_text(path: str) -> Written:
    return update_of(path, stacked(C))[0], {}


def no_number(path: str) -> Written:
    update, texts = update_of(path, stacked(C))
    stamp = replace(update.record.stamp, size=2**70)
    return replace(update, record=replace(update.record, stamp=stamp)), texts


def one_id_twice(path: str) -> Written:
    update, texts = update_of(path, stacked(C))
    return replace(update, blocks=update.blocks * 2), texts


def half_a_character(path: str) -> Written:
    update, texts = update_of(path, stacked(C))
    return replace(update, record=replace(update.record, encoding="\ud800")), texts


@pytest.mark.parametrize("spoilt", [no_text, no_number, one_id_twice, half_a_character])
def test_a_file_that_cannot_be_written_keeps_no_other_out(
    ledger: SqliteLedger, spoilt: Callable[[str], Written]
) -> None:
    write(ledger, "bad.py", A)
    with pytest.raises(NotWritten, match=r"bad\.py \(") as caught:
        ledger.write_files([update_of("a.py", stacked(A)), spoilt("bad.py"), update_of("b.py", stacked(B))])
    assert "a.py" not in str(caught.value).replace("bad.py", "")
    with ledger.reader() as reader:
        assert reader.paths() == ["a.py", "b.py", "bad.py"]
        assert [row.block.name for row in reader.file_blocks("bad.py")] == ["alpha"]  # as it was


def test_what_ails_the_store_is_raised_before_anything_is_written(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def full_at_the_second(*given: Any) -> None:
        tries.append(given)
        if len(tries) == 2:
            raise Unavailable("no space left for the store")
        ledger_writes.write_definitions(*given)

    monkeypatch.setattr("codecite.adapters.sqlite_ledger.write_definitions", full_at_the_second)
    with pytest.raises(Unavailable):
        ledger.write_files([update_of("a.py", stacked(A)), update_of("b.py", stacked(B))])
    assert len(tries) == 2
    with ledger.reader() as reader:
        assert reader.paths() == []


def test_a_vector_of_zeros_is_never_put(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A, B)
    with ledger.reader() as reader:
        keys = [key for key, _ in reader.pending_texts(9)]
    vectors = vectors_for(keys)
    vectors[0] = 0
    ledger.put_vectors(MODEL, keys, vectors)
    put = dict(drained(ledger))
    with ledger.reader() as reader:
        assert (reader.pending_texts(9), len(reader.ids())) == ([], 1)
        assert {identity for identity, vector in put.items() if vector is not None} == reader.ids()


@pytest.mark.parametrize(
    "vectors", [np.zeros((1, 2), np.float32), np.zeros(2, np.float32), np.full((2, 2), np.nan, np.float32)]
)
def test_vectors_that_do_not_fit_are_refused(ledger: SqliteLedger, vectors: np.ndarray) -> None:
    with pytest.raises(ValueError, match="vectors of shape"):
        ledger.put_vectors(MODEL, ["x", "y"], vectors)


def test_a_vector_of_another_model_never_reaches_the_outbox(ledger: SqliteLedger) -> None:
    """A file that is not read again yet keeps its old key; whatever queues its blocks, no old vector is put."""
    write(ledger, "a.py", A)
    write(ledger, "late.py", B)
    embed_pending(ledger)
    old = [*ids_of(ledger, "a.py"), *ids_of(ledger, "late.py")]
    assert ledger.get_meta("model") is None  # what tells the engine to read every file again
    ledger.set_meta("model", "another")
    assert ledger.get_meta("model") == "another"
    ledger.requeue(old, [])
    with ledger.reader() as reader:
        assert reader.ids() == set()
    assert dict(drained(ledger)) == dict.fromkeys(old)
    write(ledger, "a.py", A, model="another")
    embed_pending(ledger, "another")
    write(ledger, "back.py", B)  # under a key of the first model, whose vector is there
    put = dict(drained(ledger))
    with ledger.reader() as reader:
        assert reader.ids() == set(ids_of(ledger, "a.py"))
        assert {identity for identity, vector in put.items() if vector is not None} == reader.ids()


def test_only_vectors_of_the_model_in_use_count(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A, B)
    embed_pending(ledger)
    ledger.set_meta("model", "another")
    write(ledger, "a.py", A, B, model="another")
    with ledger.reader() as reader:
        assert reader.ids() == set()
        assert [entry.vector for entry in reader.outbox(9)] == [None, None]
    embed_pending(ledger, "another")
    with ledger.reader() as reader:
        assert len(reader.ids()) == 2
    ledger.set_meta("model", MODEL)  # back: the vectors made first are still there
    write(ledger, "a.py", A, B, model=MODEL)
    with ledger.reader() as reader:
        assert (len(reader.ids()), reader.pending_texts(9)) == (2, [])


def test_requeue_puts_what_is_there_and_takes_out_what_is_not(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A)
    embed_pending(ledger)
    list(drained(ledger))
    (known,) = ids_of(ledger, "a.py")
    ledger.requeue([known], ["a:ghost\n💥"])
    put = dict(drained(ledger))
    assert put["a:ghost\n💥"] is None
    vector = put[known]
    assert vector is not None
    assert vector.shape == (1, DIMENSION)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-3)


def test_settling_keeps_a_step_that_was_queued_again_meanwhile(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A)
    embed_pending(ledger)
    with ledger.reader() as reader:
        read = reader.outbox(9)
    ledger.remove_files(["a.py"], "gone")
    ledger.settle_outbox(read[-1].number)
    assert list(drained(ledger)) == [(read[0].id, None)]


def test_unused_vectors_are_kept_up_to_a_bound(ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_writes, "UNUSED_VECTORS", 3)
    for number in range(6):
        write(ledger, "a.py", ("f", f"return {number}"))
        embed_pending(ledger)
    ledger.finish_sync("beef", 5.0)
    assert sql(ledger, "SELECT count(*) FROM embeddings") == [(4,)]  # the one in use and the newest three
    write(ledger, "a.py", ("f", "return 2"))
    with ledger.reader() as reader:
        assert reader.pending_texts(9) == []
        assert reader.commit == "beef"
    assert ledger.get_meta("last_success") == "5.0"
    ledger.finish_sync(None, 6.0)
    with ledger.reader() as reader:
        assert reader.commit is None


def test_refusals_and_stamps(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A)
    picture = Refused(Refusal("a.png", "binary", "a picture"))
    read = Refused(Refusal("z.bin", "binary"), FileStamp("z.bin", 5, 6, 7))
    inner, folder = Refused(Refusal("d/x.png", "binary")), Refused(Refusal("d/e/", "excluded"))
    ledger.set_refused([read, picture, inner, folder])
    with ledger.reader() as reader:
        at = reader.sequence
        assert reader.refused() == [picture, folder, inner, read]
        assert reader.refused(["d"]) == [folder, inner]
    ledger.set_refused([read, picture, inner, folder])
    ledger.set_refused([inner, folder], ["d"])
    ledger.restamp([])
    with ledger.reader() as reader:
        assert reader.sequence == at  # nothing changed, nothing was written
    ledger.set_refused([], ["d", "nowhere"])
    ledger.restamp([FileStamp("a.py", 7, 99, 100), FileStamp("unknown", 1, 1)])
    write(ledger, "z.bin", B)  # no longer refused
    with ledger.reader() as reader:
        assert reader.files()["a.py"].stamp == FileStamp("a.py", 7, 99, 100)
        assert reader.refused() == [picture]
        assert reader.files(["d"]) == {}
        assert reader.files([""]) == reader.files()


def test_a_view_says_since_when_it_lists_the_same_paths(ledger: SqliteLedger) -> None:
    def seen() -> tuple[int, int]:
        with ledger.reader() as reader:
            return reader.listed_since, reader.sequence

    assert seen() == (0, 0)
    write(ledger, "a.py", A)
    since, _ = seen()
    write(ledger, "a.py", A, B)
    ledger.restamp([FileStamp("a.py", 7, 99, 100)])
    ledger.set_refused([Refused(Refusal("b.png", "binary"))])
    assert seen() == (since, since + 2)
    write(ledger, "b.py", A)
    assert seen() == (since + 3, since + 3)
    ledger.remove_files(["nobody.py"], "gone")
    ledger.remove_files(["a.py"], "gone")
    assert seen() == (since + 5, since + 5)


def test_the_journal_knows_how_far_a_job_came(ledger: SqliteLedger) -> None:
    first = ledger.begin_job(["engine started"], "c0ffee", 1.0, full=True)
    write(ledger, "a.py", A, B)
    write(ledger, "b.py", A)
    second = ledger.begin_job(["saved", "commit"], "beef", 2.0, full=False)  # the first was killed
    write(ledger, "b.py", B)
    ledger.end_job(second, "done", 3.0)
    ledger.finish_sync("beef", 3.0)
    third = ledger.begin_job(["again"], None, 4.0, full=False)
    with ledger.reader() as reader:
        at = reader.sequence
        assert reader.jobs(9) == [
            JobRecord(third, ("again",), False, "beef", None, 4.0, None, "running", 0, 0),
            JobRecord(second, ("saved", "commit"), False, None, "beef", 2.0, 3.0, "done", 1, 1),
            JobRecord(first, ("engine started",), True, None, "c0ffee", 1.0, 2.0, "interrupted", 2, 3),
        ]
        assert [job.number for job in reader.jobs(1)] == [third]
    ledger.clear_jobs()
    with ledger.reader() as reader:
        assert reader.jobs(9) == []
        assert reader.sequence == at  # no question can see it


def test_many_ids_in_one_read(ledger: SqliteLedger) -> None:
    """More ids than SQLite takes parameters (32,766)."""
    names = [(f"f{number}", f"return {number}") for number in range(3_000)]
    write(ledger, "many.py", *names)
    ids = ids_of(ledger, "many.py")
    with ledger.reader() as reader:
        found = reader.block_rows([*(f"none:{number}" for number in range(33_000)), *ids])
        assert len(found) == len(ids) == 3_000
        assert len(reader.definitions_named([name for name, _ in names] * 12)) == 3_000
        assert reader.files([*(f"folder{number}" for number in range(33_000)), ""]).keys() == {"many.py"}
    assert (
        ledger.remove_files([*(f"none{number}.py" for number in range(33_000)), "many.py"], "gone") == 3_000
    )


def test_threads_read_and_write_at_once(ledger: SqliteLedger) -> None:
    def work(number: int) -> list[str]:
        seen = []
        for turn in range(5):
            write(ledger, f"{number}.py", ("f", f"return {turn}"))
            with ledger.reader() as reader:
                seen += [row.block.text for row in reader.file_blocks(f"{number}.py")]
        return seen

    with ThreadPoolExecutor(8) as threads:
        for seen in threads.map(work, range(8)):
            assert [f"return {turn}" in text for turn, text in enumerate(seen)] == [True] * 5


def test_the_store_is_the_owners_alone(tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("Windows has no permission bits")
    ledger = SqliteLedger(tmp_path / "new" / "store")
    write(ledger, "a.py", A)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "new" / "store").iterdir()}
    assert set(modes) >= {"ledger.sqlite3", "ledger.sqlite3-wal"}
    assert set(modes.values()) == {0o600}
    assert (tmp_path / "new" / "store").stat().st_mode & 0o777 == 0o700
    ledger.close()


def test_a_damaged_store_is_said(tmp_path: Path) -> None:
    (tmp_path / ledger_schema.FILE_NAME).write_bytes(b"this is no database" * 500)
    with pytest.raises(StoreDamaged, match="damaged"):
        SqliteLedger(tmp_path)


def test_a_store_of_another_schema_is_not_opened(tmp_path: Path) -> None:
    SqliteLedger(tmp_path).close()
    with sqlite3.connect(tmp_path / ledger_schema.FILE_NAME) as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    with pytest.raises(Unavailable, match="schema 999"):
        SqliteLedger(tmp_path)


def test_a_full_disk_is_said_and_undone(ledger: SqliteLedger) -> None:
    write(ledger, "a.py", A)
    pages = ledger._db.execute("PRAGMA page_count").fetchone()[0]
    ledger._db.execute(f"PRAGMA max_page_count = {pages + 8}")
    with pytest.raises(Unavailable, match="no space left"):
        write(ledger, "b.py", *((f"f{number}", "x" * 5_000 + str(number)) for number in range(50)))
    ledger._db.execute("PRAGMA max_page_count = 1000000")
    with ledger.reader() as reader:
        assert reader.paths() == ["a.py"]
    write(ledger, "b.py", B)


def test_a_store_that_another_process_writes_to_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_schema, "BUSY_SECONDS", 0.0)
    ledger = SqliteLedger(tmp_path)
    other = sqlite3.connect(tmp_path / ledger_schema.FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked):
        write(ledger, "a.py", A)
    other.close()
    write(ledger, "a.py", A)
    ledger.close()


DAMAGES = [
    ("DELETE FROM block_texts", "blocks without text"),
    ("DELETE FROM block_terms", "blocks missing from full text"),
    ("DELETE FROM files", "blocks without a file"),
    ("UPDATE files SET lines = lines + 1", "every line exactly once"),
    ("UPDATE blocks SET start_line = 2 WHERE start_line = 1", "every line exactly once"),
    ("UPDATE blocks SET start_line = 2, end_line = 3 WHERE start_line = 3", "every line exactly once"),
    ("DELETE FROM pending", "neither have a vector nor wait"),
    ("UPDATE blocks SET embed_key = ''", "that no block wants"),
    ("UPDATE block_terms_content SET c0 = 'changed'", "full text"),
    (
        "INSERT INTO refusals (path, folder, reason, detail) SELECT path, '', 'x', '' FROM files",
        "both accepted and refused",
    ),
]


@pytest.mark.parametrize(("damage", "line"), DAMAGES)
def test_check_finds_what_is_wrong(tmp_path: Path, damage: str, line: str) -> None:
    ledger = SqliteLedger(tmp_path)
    write(ledger, "a.py", A, B)
    write(ledger, "empty.py")
    assert ledger.check() == []
    ledger._db.execute(damage)
    assert any(line in problem for problem in ledger.check()), ledger.check()
    ledger.close()


WRITER = """
import sys
from pathlib import Path
from tests.adapters.made_files import embed_pending, write
from codecite.adapters.sqlite_ledger import SqliteLedger
ledger = SqliteLedger(Path(sys.argv[1]))
for number in range(100_000):
    path = f"{number % 7}.py"
    write(ledger, path, *((f"f{item}", f"return {number} + {item}") for item in range(1 + number % 40)))
    embed_pending(ledger)
    if number % 5 == 4:
        ledger.remove_files([f"{(number + 3) % 7}.py"], "gone")
    print(number, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 12, 23])
def test_a_killed_writer_leaves_a_sound_ledger(tmp_path: Path, acknowledged: int) -> None:
    paths = [str(Path(__file__).parents[2]), *sys.path]
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)},
    ) as writer:
        assert writer.stdout is not None
        for _ in range(acknowledged):
            last = int(writer.stdout.readline())
        os.kill(writer.pid, getattr(signal, "SIGKILL", signal.SIGTERM))  # while it writes the next
        last = max([last, *map(int, writer.stdout)])
    ledger = SqliteLedger(tmp_path)
    assert ledger.check() == []
    with ledger.reader() as reader:
        assert reader.sequence >= 2 * (last + 1)  # each acknowledged turn wrote at least twice
        assert {identity for identity, vector in drained(ledger) if vector is not None} == reader.ids()
    write(ledger, "0.py", A)
    assert ledger.check() == []
    ledger.close()
