import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from codecite.retrieve.glossary import GLOSSARY, translate
from codecite.retrieve.query import match_any, match_two, name_forms, understand

COLUMNS = ("name", "parent", "path", "body", "comment")
ODD = [
    '"',
    '" OR "',
    "NEAR(a b)",
    "a AND NOT b",
    "name : x*",
    "\0",
    "\ud800",
    "{-",
    "--",
    "'; DROP TABLE x",
    "ǅ",
    "`",
]


@pytest.fixture(scope="module")
def full_text() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute(
        f"CREATE VIRTUAL TABLE t USING fts5({', '.join(COLUMNS)}, tokenize = 'unicode61 remove_diacritics 0')"
    )
    db.execute("INSERT INTO t VALUES ('retri', '', 'src', 'retri request', 'wait')")
    return db


questions = st.one_of(
    st.text(max_size=200), st.lists(st.sampled_from([*ODD, "retry", "在哪里", "缓存", "a_b"])).map(" ".join)
)


@given(questions)
@example("")
@example(" ".join(ODD))
def test_any_string_becomes_a_query_that_is_accepted(full_text: sqlite3.Connection, question: str) -> None:
    query = understand(question)
    terms = query.terms()
    frequencies = {term: n * 300 for n, term in enumerate(terms)}
    for match in (match_any(terms), match_any(terms, ("name", "body")), match_two(terms, frequencies, 400)):
        if match:
            full_text.execute("SELECT rowid FROM t WHERE t MATCH ?", (match,)).fetchall()


@given(questions)
def test_understanding_is_repeatable_and_bounded(question: str) -> None:
    query = understand(question * 30)
    assert query == understand(question * 30)
    assert len(query.concepts) <= 24
    assert len(set(query.terms())) == len(query.terms())


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("how does the retry loop wait?", ["retri", "loop", "wait"]),
        ("where is `parse_header` defined", ["pars", "header", "parseheader"]),
        ("in which", ["in", "which"]),
        ("e.g. caches", ["cach"]),
        ("", []),
    ],
)
def test_content_words(question: str, terms: list[str]) -> None:
    assert [term for concept in understand(question).concepts for term in concept.terms] == terms


def test_a_leading_verb_of_change_weighs_little() -> None:
    weights = {concept.text: concept.weight for concept in understand("Fix broken retry").concepts}
    assert weights["Fix"] < weights["broken"] == weights["retry"]
    assert understand("ci: drop python 3.9").change
    assert not understand("how is the cache dropped").change


def test_neighbours_may_be_one_identifier() -> None:
    joined = {
        term for concept in understand("load from json, error handlers").joined for term in concept.terms
    }
    assert {"fromjson", "errorhandlers", "errorhandler"} <= joined
    assert not any("the" in concept.text.split() for concept in understand("close the door").joined)


@pytest.mark.parametrize(
    ("question", "identifiers"),
    [
        ("what calls `flush`", ["flush"]),
        ("how does queue.flush_all() work", ["queue.flush_all()"]),
        ("why is Rack::Lock slow", ["Rack::Lock"]),
        ("the HTTPServer class", ["HTTPServer"]),
        ("JSON over HTTP", []),
        ("Where is it", []),
        ("flush", ["flush"]),
    ],
)
def test_code_like_tokens(question: str, identifiers: list[str]) -> None:
    assert list(understand(question).identifiers) == identifiers


def test_capitalised_words_inside_a_sentence_may_be_names() -> None:
    assert understand("How does Ledger close a Period").names == ("Ledger", "Period")


@pytest.mark.parametrize(
    ("question", "symbol"),
    [("Ledger", True), ("`Ledger.close`", True), ("Ledger close", False), ("账本", False)],
)
def test_a_question_may_be_nothing_but_a_name(question: str, symbol: bool) -> None:
    assert understand(question).symbol is symbol


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("update the readme", {"docs"}),
        ("CI: pin the runner", {"config"}),
        ("which tests cover retry", {"test"}),
        ("缓存的测试在哪里", {"test"}),
        ("how is the configuration loaded", set()),
    ],
)
def test_kinds_of_file_asked_for(question: str, asks: set[str]) -> None:
    assert understand(question).asks == asks


def test_paths() -> None:
    assert understand("see src/app/main.py and setup.cfg").paths == ("src/app/main.py", "setup.cfg")


def test_spellings_of_a_name() -> None:
    assert name_forms("`Rack::Lock#call()`") == ["Rack::Lock#call", "Rack.Lock.call", "call"]
    assert name_forms("()") == []


def test_chinese_is_read_by_its_longest_words() -> None:
    concepts = {concept.text: concept.terms for concept in understand("请求超时后怎么重试？").concepts}
    assert concepts == {"请求": ("request", "请求"), "超时": ("timeout", "超时"), "重试": ("retri", "重试")}
    assert understand("请求").script == "zh"
    assert understand("request").script == "en"


def test_chinese_outside_the_glossary_is_met_as_pairs() -> None:
    assert [concept.terms for concept in understand("水电站").concepts] == [("水电",), ("电站",)]


@given(st.text(alphabet="".join(GLOSSARY) + "鲸鱼水电站", max_size=40))
def test_translation_loses_nothing(run: str) -> None:
    assert "".join(piece for piece, _ in translate(run)) == run


def test_at_least_two_common_terms_or_a_rare_one() -> None:
    frequencies = {"rare": 3, "form": 900, "field": 2000, "error": 1500}
    match = match_two(list(frequencies), frequencies, 400)
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
    texts = ["rare", "form", "field", "form field", "error form", "form field error", "other"]
    db.executemany("INSERT INTO t VALUES (?)", [(text,) for text in texts])
    found = [text for (text,) in db.execute("SELECT body FROM t WHERE t MATCH ? ORDER BY rowid", (match,))]
    assert found == ["rare", "form field", "error form", "form field error"]
    assert match_two(["form", "rare"], frequencies, 400) == ""
