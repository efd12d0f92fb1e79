from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.retrieve.small_ledger import write

from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.model.hits import Findings
from codecite.retrieve.search import Searcher

FILES = {
    "src/queue/retry.py": '''"""Retries of failed deliveries."""

import random


class RetryPolicy:
    """How often a delivery is tried again."""

    def next_delay(self, attempt):
        """Grow the backoff with each attempt."""
        return random.random() * 2**attempt


def deliver(message, policy):
    for attempt in range(5):
        if message.send():
            return True
        policy.next_delay(attempt)
    return False
''',
    "src/queue/storage.py": '''"""Messages on disk."""


def save_message(message, path):
    """Write a message to a file."""
    path.write_text(message.to_json())


def load_from_json(path):
    return path.read_text()
''',
    "src/queue/limits.py": '''"""Rate limits of senders."""


class RateLimiter:
    def allow(self, sender):
        return sender.sent < 100
''',
    "tests/test_retry.py": """from src.queue.retry import RetryPolicy, deliver


def test_retry_policy_backoff_grows_with_each_attempt_of_a_delivery():
    policy = RetryPolicy()
    assert policy.next_delay(3) <= 8


def test_deliver_retries_failed_deliveries():
    assert deliver(object(), RetryPolicy())
""",
    "docs/retry.md": "# Retry\n\nA failed delivery is tried again with backoff; see RetryPolicy.\n",
    ".github/workflows/build.yml": "jobs:\n  wheels:\n    runs-on: windows-2022\n    steps:\n      - run: cibuildwheel\n",
}


def find(
    ledger: SqliteLedger, question: str, searcher: Searcher | None = None, **options: object
) -> Findings:
    limit = int(str(options.pop("limit", 10)))
    with ledger.reader() as reader:
        return (searcher or Searcher()).find(reader, question, limit=limit, **options)  # type: ignore[arg-type]  # options vary by test


def first(ledger: SqliteLedger, question: str) -> str:
    return find(ledger, question).hits[0].path


@pytest.mark.parametrize(
    ("question", "path", "symbol"),
    [
        (
            "how does the backoff grow with each attempt of a delivery",
            "src/queue/retry.py",
            "RetryPolicy.next_delay",
        ),
        ("RetryPolicy", "src/queue/retry.py", "RetryPolicy"),
        ("what does `load_from_json` do", "src/queue/storage.py", "load_from_json"),
        ("load a message from json", "src/queue/storage.py", "load_from_json"),
        ("which tests cover the retry policy", "tests/test_retry.py", None),
        ("documentation of retry backoff", "docs/retry.md", None),
        ("build wheels on windows with cibuildwheel", ".github/workflows/build.yml", None),
        ("消息怎么保存到文件", "src/queue/storage.py", "save_message"),
        ("rate limits", "src/queue/limits.py", None),
    ],
)
def test_what_answers_comes_first(ledger: SqliteLedger, question: str, path: str, symbol: str | None) -> None:
    best = find(write(ledger, FILES), question).hits[0]
    assert best.path == path
    if symbol is not None:
        assert best.symbol == symbol


def test_a_hit_is_the_stored_block_and_says_why(ledger: SqliteLedger) -> None:
    best = find(write(ledger, FILES), "how does the backoff grow with each attempt").hits[0]
    lines = FILES[best.path].splitlines(keepends=True)
    assert best.text == "".join(lines[best.start_line - 1 : best.end_line])
    assert best.sources["keyword"] >= 1
    assert best.why.startswith("defines `RetryPolicy.next_delay`; matched ")
    assert "backoff" in best.why
    assert "命中" in find(ledger, "退避 retry").hits[0].why


def test_scores_fall_and_each_file_is_named_before_any_is_named_twice(ledger: SqliteLedger) -> None:
    hits = find(write(ledger, FILES), "retry a failed delivery").hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    paths = [hit.path for hit in hits]
    distinct = list(dict.fromkeys(paths))
    assert paths[: len(distinct)] == distinct
    assert len({hit.id for hit in hits}) == len(hits)


def test_limit_and_prefix(ledger: SqliteLedger) -> None:
    write(ledger, FILES)
    assert len(find(ledger, "retry", limit=2).hits) == 2
    found = find(ledger, "retry delivery message", path_prefix="src/queue/").hits
    assert found
    assert all(hit.path.startswith("src/queue/") for hit in found)


def test_a_searcher_sees_what_was_written_since(ledger: SqliteLedger) -> None:
    searcher = Searcher()
    write(ledger, FILES)
    assert find(ledger, "zebra stripes", searcher).hits == ()
    write(ledger, {"src/zebra.py": "def stripes():\n    return 80\n"})
    assert find(ledger, "zebra stripes", searcher).hits[0].path == "src/zebra.py"
    ledger.remove_files(["src/zebra.py"], "gone")
    assert find(ledger, "zebra stripes", searcher).hits == ()


def test_meaning_brings_in_what_no_word_finds(ledger: SqliteLedger) -> None:
    write(ledger, FILES)
    with ledger.reader() as reader:
        ids = [row.block.id for row in reader.file_blocks() if row.block.path == "src/queue/limits.py"]
        others = [row.block.id for row in reader.file_blocks() if row.block.path == "src/queue/storage.py"]
    nearest = [(ids[-1], 0.9), *((identity, 0.1) for identity in others)]
    hit = find(ledger, "throttling", nearest=lambda: lambda: nearest).hits[0]
    assert (hit.path, hit.sources) == ("src/queue/limits.py", {"vector": 1})
    assert find(ledger, "throttling").hits == ()


def test_a_vector_whose_block_is_gone_is_no_hit(ledger: SqliteLedger) -> None:
    assert (
        find(write(ledger, FILES), "throttling", nearest=lambda: lambda: [("no:such:block", 0.9)]).hits == ()
    )


def test_grounds_tell_what_is_covered(ledger: SqliteLedger) -> None:
    write(ledger, FILES)
    known = find(ledger, "how does `RetryPolicy` grow the backoff").grounds
    assert known.resolved == ("RetryPolicy",)
    assert known.coverage > 0.8
    assert known.unknown == 0
    foreign = find(ledger, "how does `Chess.castle` move the rook").grounds
    assert foreign.identifiers == ("Chess.castle",)
    assert foreign.resolved == ()
    assert foreign.coverage < 0.2
    assert foreign.unknown > 0.5


def test_an_empty_ledger_has_no_answer(ledger: SqliteLedger) -> None:
    assert find(ledger, "anything").hits == ()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteLedger]:
    ledger = write(SqliteLedger(tmp_path_factory.mktemp("store")), FILES)
    yield ledger
    ledger.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.one_of(
        st.text(max_size=80),
        st.lists(st.sampled_from(["retry", '"', "*", "NEAR(", "缓存", "-x", "a:b", "`"])).map(" ".join),
    )
)
def test_any_string_can_be_asked(filled: SqliteLedger, question: str) -> None:
    searched = find(filled, question)
    assert searched == find(filled, question)
    assert 0 <= searched.grounds.coverage <= 1
