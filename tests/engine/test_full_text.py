"""Full text in memory is SQLite's: the same blocks match, and they score the same."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.engine.full_text import WEIGHTS, Counted, Statistics, TermQuery
from codecite.model.errors import BadInput
from codecite.ports import Terms
from codecite.retrieve.query import match_any, match_two

WORDS = ["ledger", "close", "名前", "é", "or", "a2", "x"]

field = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
blocks = st.lists(st.builds(Terms, field, field, field, field, field), min_size=1, max_size=8)
asked = st.lists(st.sampled_from([*WORDS, "absent"]), min_size=1, max_size=5, unique=True)


@given(blocks, asked, st.integers(0, 3))
def test_matches_and_scores_are_those_of_fts5(blocks: list[Terms], asked: list[str], rare: int) -> None:
    db = sqlite3.connect(":memory:")
    columns = ", ".join(WEIGHTS)
    db.execute(f"CREATE VIRTUAL TABLE held USING fts5({columns}, tokenize = ascii)")
    db.executemany(
        f"INSERT INTO held ({columns}) VALUES (?, ?, ?, ?, ?)",
        [tuple(getattr(block, name) for name in WEIGHTS) for block in blocks],
    )
    counted = [Counted.of(block) for block in blocks]
    frequencies = {term: sum(term in one.weights for one in counted) for term in asked}
    lengths = sum(one.length for one in counted)
    for written in match_any(asked), match_two(asked, frequencies, rare):
        if not written:
            continue
        query = TermQuery.read(written)
        statistics = Statistics(
            len(blocks), lengths / len(blocks), {term: frequencies[term] for term in query.terms}
        )
        score = f"-bm25(held, {', '.join(map(str, WEIGHTS.values()))})"
        expected = dict(db.execute(f"SELECT rowid - 1, {score} FROM held WHERE held MATCH ?", (written,)))
        found = {
            n: statistics.score(one) for n, one in enumerate(counted) if query.matches(one.weights.keys())
        }
        assert found.keys() == expected.keys()
        if written == match_any(
            asked
        ):  # what a block holds beside a part that does not match, FTS5 may not count
            assert found == pytest.approx(expected)
    db.close()


def test_quotes_in_a_term_are_text() -> None:
    query = TermQuery.read(match_any(['a"b', ") OR (", "AND"]))
    assert query.terms == ('a"b', ") OR (", "AND")
    assert query.matches({"AND"})
    assert not query.matches({"OR"})


NO_QUERIES = [
    "",
    "a",
    '"a" "b"',
    '"a" OR',
    '("a"',
    '"a")',
    '{body} : "a"',
    '"a',
    '"a" NEAR "b"',
    "OR",
    '"a" & "b"',
]


@pytest.mark.parametrize("written", NO_QUERIES)
def test_what_is_no_query_for_terms_is_refused(written: str) -> None:
    with pytest.raises(BadInput):
        TermQuery.read(written)
