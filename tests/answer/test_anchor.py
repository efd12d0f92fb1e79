from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.answer.anchor import anchor
from codecite.model.hits import Citation, Focus
from codecite.model.lines import split_lines

BEFORE = "import os\n\n\n"
BODY = "def close(self):\n    self.flush()\n    return os.EX_OK\n"
AFTER = "\n\ndef other():\n    pass\n"
TEXT = BEFORE + BODY + AFTER

CITED = Citation(
    n=1, id="a", path="a.py", start_line=4, end_line=6, symbol="close", kind="function", language="python", text=BODY,
    score=1.0, why="", state="fresh", indexed_at=0.0, commit=None, excerpt_start=5, excerpt="    self.flush()\n",
    focus=Focus(4, 4, 5),
)  # fmt: skip


@pytest.mark.parametrize(
    ("now", "state", "lines"),
    [
        (TEXT, "fresh", (4, 6)),
        (TEXT.replace("\n", "\r\n"), "fresh", (4, 6)),
        (TEXT.replace("pass", "return 1"), "fresh", (4, 6)),
        ("# new\n" + TEXT, "moved", (5, 7)),
        (TEXT.removeprefix("import os\n"), "moved", (3, 5)),
        (TEXT + TEXT, "fresh", (4, 6)),
        ("\n" * 5 + BODY + "\n" * 40 + BODY, "moved", (6, 8)),
        (TEXT.replace("flush", "sync"), "changed", (4, 6)),
        ("# new\n" + TEXT.replace("flush", "sync"), "changed", (5, 7)),
        ("x = 1\n", "changed", (1, 1)),
        ("", "gone", (4, 6)),
        (None, "gone", (4, 6)),
    ],
)
def test_state_and_lines(now: str | None, state: str, lines: tuple[int, int]) -> None:
    found = anchor(CITED, now)
    assert (found.state, (found.start_line, found.end_line)) == (state, lines)


def test_what_moves_takes_excerpt_and_focus_along() -> None:
    found = anchor(CITED, "\f# one line, as editors count\n" + TEXT)
    assert (found.excerpt_start, found.excerpt) == (6, "    self.flush()\n")
    assert found.focus == Focus(5, 4, 5)


def test_what_changed_is_shown_as_it_is_now() -> None:
    found = anchor(CITED, TEXT.replace("flush", "sync"))
    assert "sync" in found.text
    assert found.excerpt == "    self.sync()\n"
    assert "flush" in anchor(CITED, "x = 1\n").text


def test_anchoring_twice_is_anchoring_once() -> None:
    for now in (TEXT, "#\n" + TEXT):
        once = anchor(CITED, now)
        assert replace(anchor(once, now), state=once.state) == once


line = st.text(alphabet="ab (){}:=\t", max_size=12).map(lambda text: text + "\n")


@given(
    st.lists(line, max_size=8), st.lists(line, max_size=8), st.lists(line, min_size=1, max_size=5), st.data()
)
def test_a_range_that_is_called_right_holds_the_cited_text(
    above: list[str], below: list[str], body: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(1, 20))
    cited = replace(
        CITED,
        text="".join(body),
        start_line=start,
        end_line=start + len(body) - 1,
        focus=None,
        excerpt_start=start,
    )
    now = "".join([*above, *body, *below])
    found = anchor(cited, now)
    assert found.state in {"fresh", "moved"}
    assert "".join(split_lines(now)[found.start_line - 1 : found.end_line]) == cited.text


@given(st.lists(line, max_size=6), st.lists(line, min_size=1, max_size=6))
def test_lines_stay_inside_the_file(now: list[str], body: list[str]) -> None:
    last = CITED.start_line + len(body) - 1
    cited = replace(CITED, text="".join(body), end_line=last, excerpt_start=last, excerpt=body[-1])
    found = anchor(cited, "".join(now))
    if found.state != "gone":
        assert 1 <= found.start_line <= found.end_line <= len(now)
        assert 1 <= found.excerpt_start <= len(now)
        assert found.focus is None or found.focus.line <= len(now)
