"""Case and run files: each fault is one line that names its place, and a run file comes back as it was written."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecite.cli.casefiles import read_cases, read_runs, write_runs
from codecite.cli.metrics import Case, Span
from codecite.model.errors import BadInput

GOOD = b'{"id": "1", "query": "q", "relevant": []}\n'

FAULTS = [
    ("not JSON", GOOD + b"{oops\n", "cases.jsonl:2: not JSON"),
    ("blank lines count", b"\n\n" + b"nonsense", "cases.jsonl:3: not JSON"),
    ("not UTF-8", GOOD + b'{"id": "\xff"}', "cases.jsonl:2: not JSON"),
    ("an array", b"[1]", "cases.jsonl:1: not a JSON object"),
    ("deep nesting", b"[" * 100_000, "cases.jsonl:1: not JSON"),
    ("no id", b'{"query": "q", "relevant": []}', "cases.jsonl:1: `id`"),
    ("a number as id", b'{"id": 7, "query": "q", "relevant": []}', "cases.jsonl:1: `id`"),
    ("an empty query", b'{"id": "1", "query": " ", "relevant": []}', "cases.jsonl:1: `query`"),
    ("no targets", b'{"id": "1", "query": "q"}', "cases.jsonl:1: `relevant`"),
    ("a target that is text", b'{"id": "1", "query": "q", "relevant": ["a.py"]}', "cases.jsonl:1: an item"),
    ("a target without path", b'{"id": "1", "query": "q", "relevant": [{}]}', "cases.jsonl:1: an item"),
    (
        "half a range",
        b'{"id": "1", "query": "q", "relevant": [{"path": "a", "start_line": 2}]}',
        "cases.jsonl:1: the lines",
    ),
    (
        "a range backwards",
        b'{"id": "1", "query": "q", "relevant": [{"path": "a", "start_line": 2, "end_line": 1}]}',
        "cases.jsonl:1: the lines",
    ),
    ("the same id twice", GOOD + GOOD, "cases.jsonl:2: the id '1'"),
    ("no line at all", b"\n", "cases.jsonl holds no case"),
]


@pytest.mark.parametrize(("content", "expected"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_faults_name_their_line(content: bytes, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_bytes(content)
    with pytest.raises(BadInput) as caught:
        read_cases(file)
    assert expected in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.mend


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_cases(tmp_path / "none.jsonl")
    with pytest.raises(BadInput, match="cannot be written"):
        write_runs(tmp_path / "none" / "runs.jsonl", {})


def test_cases_are_read(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_bytes(
        b"\xef\xbb\xbf"  # a mark that editors on Windows leave
        b'{"id": "1", "query": "q", "category": "how", "relevant": [{"path": "a", "start_line": 1, "end_line": 2}]}\r\n'
        b'\n{"id": "2", "query": "r", "relevant": [], "more": 1}'
    )
    assert read_cases(file) == [Case("1", "q", "how", (Span("a", 1, 2),)), Case("2", "r", "", ())]


anything = st.text(st.characters(codec=None), min_size=1)  # lone surrogates stand for bytes of odd file names
ranked = st.lists(st.builds(lambda path, start: Span(path, start, start + 3), anything, st.integers(1, 99)))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs=st.dictionaries(anything.filter(str.strip), ranked.map(tuple)))
def test_runs_come_back_as_written(runs: dict[str, tuple[Span, ...]], tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    write_runs(file, runs)
    assert read_runs(file) == runs
