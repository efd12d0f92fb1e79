"""A view with overlays reads as the ledger would, were the overlays saved and indexed."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.retrieve.small_ledger import write

from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.detect.languages import language_of
from codecite.detect.parse import parse
from codecite.engine.overlaid_reader import NOTHING, OverlaidFile, OverlaidReader
from codecite.index.plan import indexed_blocks
from codecite.model.terms import terms
from codecite.ports import BlockReader
from codecite.retrieve.query import match_any, match_two
from codecite.retrieve.search import Searcher

Make = Callable[[Mapping[str, str]], SqliteLedger]

CLOSE = 'def close_period(ledger):\n    """Lock every entry."""\n    return ledger.lock()\n'
OPEN = "def open_period(ledger):\n    # a new one\n    return ledger.unlock()\n"
PARSE = "def parse_invoice(text):\n    return text.split(';')\n"
NOTES = "# Periods\n\nA period is closed once.\n"
ODD = '# 名前 \U0001f680\nclass Kasse:\n    def schließen(self):\n        return "\U0001f680"\n'

# Word statistics of a few blocks say nothing: one block more or less turns them over.
MORE = "\n\n".join(f"def step_{n}(ledger):\n    return ledger.text({n})\n" for n in range(60))

STORE = {
    "a.py": f"import os\n\n\n{CLOSE}\n\n{OPEN}",
    "b/parse.py": PARSE,
    "notes.md": NOTES,
    "more.py": MORE,
}

CHANGES: dict[str, dict[str, str]] = {
    "lines above": {"a.py": "\n" * 10 + STORE["a.py"]},
    "a function more": {"a.py": f"{STORE['a.py']}\n\n{PARSE}"},
    "a function less": {"a.py": f"import os\n\n\n{OPEN}"},
    "another body": {"a.py": STORE["a.py"].replace("lock()", "seal(now)")},
    "another name": {"a.py": STORE["a.py"].replace("close_period", "finish_quarter")},
    "nothing left": {"a.py": ""},
    "a new file": {"new/kasse.py": ODD},
    "an empty new file": {"new.py": ""},
    "several": {"a.py": OPEN, "notes.md": f"{NOTES}\n## Quarters\n\nFour a year.\n", "z.py": CLOSE},
    "broken": {"a.py": STORE["a.py"] + "\n\ndef broken(:\n    ((\n"},
}


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make ledgers that hold some files."""
    made: list[SqliteLedger] = []

    def make(files: Mapping[str, str]) -> SqliteLedger:
        made.append(write(SqliteLedger(tmp_path / f"store{len(made)}"), files))
        return made[-1]

    yield make
    for ledger in made:
        ledger.close()


def overlaid(files: Mapping[str, str]) -> dict[str, OverlaidFile]:
    out = {}
    for path, text in files.items():
        parsed = parse(path, text, language_of(path))
        blocks, _ = indexed_blocks(path, parsed, "model")
        # Embedding texts do not leave the parsing worker with their blocks.
        read = [replace(one, block=replace(one.block, embed_text="")) for one in blocks]
        out[path] = OverlaidFile.of(read, parsed.definitions)
    return out


def check_equal(view: BlockReader, saved: BlockReader, texts: Mapping[str, str]) -> None:
    """Compare all that a question asks a view for; scores may differ, what is found may not."""
    assert view.paths() == saved.paths()
    counted, wanted = view.counts(), saved.counts()
    assert (counted.files, counted.blocks, counted.definitions) == (
        wanted.files,
        wanted.blocks,
        wanted.definitions,
    )
    rows = saved.file_blocks()
    assert [row.block for row in view.file_blocks()] == [row.block for row in rows]
    ids = [row.block.id for row in rows]
    assert {i: row.block for i, row in view.block_rows([*ids, "unknown"]).items()} == {
        row.block.id: row.block for row in rows
    }
    assert view.blocks([*ids, "unknown"]) == saved.blocks(ids) == {row.block.id: row.block for row in rows}
    assert view.block_paths(ids) == saved.block_paths(ids)
    for path in saved.paths():
        assert view.outline(path) == saved.outline(path)
        assert [row.block for row in view.file_blocks(path)] == [row.block for row in saved.file_blocks(path)]
        assert view.file_definitions(path) == saved.file_definitions(path)
    names = [one.symbol.upper() for path in saved.paths() for one in saved.file_definitions(path)]
    assert view.definitions_named([*names, "close_period"]) == saved.definitions_named(
        [*names, "close_period"]
    )
    words = sorted({term for text in texts.values() for term in terms(text)})
    frequencies = saved.document_frequencies(words)
    assert view.document_frequencies(words) == frequencies
    known = [word for word in words if frequencies[word]]
    for word in known:
        check_found(view, saved, match_any([word]))
    if known:
        check_found(view, saved, match_any(known))
        check_found(view, saved, match_any(known), match_two(known, frequencies, 1))


def check_found(view: BlockReader, saved: BlockReader, query: str, within: str = "") -> None:
    found, wanted = (reader.match_blocks(query, 1_000, within) for reader in (view, saved))
    assert {(one.id, one.path) for one in found} == {(one.id, one.path) for one in wanted}
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert [one.score for one in view.match_blocks(query, 2, within)] == scores[:2]


@pytest.mark.parametrize("change", CHANGES)
def test_a_view_reads_as_if_the_overlays_were_saved(make: Make, change: str) -> None:
    saved_files = STORE | CHANGES[change]
    ledger, saved = make(STORE), make(saved_files)
    with ledger.reader() as reader, saved.reader() as wanted:
        view = OverlaidReader(reader, overlaid(CHANGES[change]))
        check_equal(view, wanted, STORE | saved_files)
        assert view.unsaved == CHANGES[change].keys() - STORE.keys()
        for path in CHANGES[change]:
            assert view.indexed_text(path) == STORE.get(path)


QUESTIONS = [
    "close_period",
    "how is a period closed?",
    "parse an invoice",
    "Kasse",
    "schließen",
    "finish quarter",
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_same_files_are_found(make: Make, change: str) -> None:
    ledger, saved = make(STORE), make(STORE | CHANGES[change])
    searcher = Searcher()
    with ledger.reader() as reader, saved.reader() as wanted:
        for question in QUESTIONS:
            view = OverlaidReader(reader, overlaid(CHANGES[change]))
            found = searcher.find(view, question, limit=10).hits
            best = Searcher().find(wanted, question, limit=10).hits
            assert {hit.id for hit in found} == {hit.id for hit in best}, question
            assert [hit.path for hit in found[:1]] == [hit.path for hit in best[:1]], question


def test_a_search_with_a_new_file_leaves_no_trace_in_the_next_one(make: Make) -> None:
    searcher = Searcher()
    with make(STORE).reader() as reader:
        before = searcher.find(reader, "kasse", limit=10)
        view = OverlaidReader(reader, overlaid({"new/kasse.py": ODD}))
        assert searcher.find(view, "kasse", limit=10).hits[0].path == "new/kasse.py"
        assert searcher.find(reader, "kasse", limit=10) == before
        other = OverlaidReader(reader, overlaid({"old/kasse.py": ODD}))
        assert searcher.find(other, "kasse", limit=10).hits[0].path == "old/kasse.py"


def test_what_is_left_out_is_found_by_nothing(make: Make) -> None:
    with make(STORE).reader() as reader:
        view = OverlaidReader(reader, {"a.py": NOTHING})
        ids = [row.block.id for row in reader.file_blocks("a.py")]
        assert [*view.block_rows(ids), *view.block_paths(ids)] == []
        assert [*view.file_blocks("a.py"), *view.file_definitions("a.py")] == []
        for question in "close_period", "a.py", "lock every entry":
            assert "a.py" not in {hit.path for hit in Searcher().find(view, question, limit=10).hits}


def test_the_mean_length_is_that_of_what_is_stored(make: Make) -> None:
    ledger = make(STORE)

    def counted() -> float:
        cells = ledger._db.execute("SELECT name, parent, path, body, comment FROM block_terms").fetchall()
        return sum(len(" ".join(row).split()) for row in cells) / len(cells) if cells else 0.0

    with ledger.reader() as reader:
        assert reader.mean_length() == pytest.approx(counted())
    write(ledger, {"a.py": PARSE * 300})
    with ledger.reader() as reader:
        assert reader.mean_length() == pytest.approx(counted())
    ledger.remove_files(list(STORE), "gone")
    with ledger.reader() as reader:
        assert reader.mean_length() == counted() == 0.0
    with make({}).reader() as reader:
        assert reader.mean_length() == 0.0


piece = st.sampled_from([CLOSE, OPEN, PARSE, ODD, "# close\n", "\n", "x = ledger\n", "def f(:\n"])
text = st.lists(piece, max_size=5).map("\n".join)
tree = st.dictionaries(st.sampled_from(["a.py", "b/c.py", "d.md"]), text, max_size=3)


@settings(max_examples=25, deadline=None)
@given(tree, tree)
def test_any_texts_read_as_if_they_were_saved(stored: dict[str, str], unsaved: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ledger = write(SqliteLedger(Path(folder, "one")), stored)
        saved = write(SqliteLedger(Path(folder, "two")), stored | unsaved)
        with ledger.reader() as reader, saved.reader() as wanted:
            check_equal(OverlaidReader(reader, overlaid(unsaved)), wanted, stored | unsaved)
        ledger.close()
        saved.close()
