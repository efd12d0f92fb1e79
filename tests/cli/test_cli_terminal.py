"""What a terminal is given to show: never a control character of somebody else's making."""

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.cli.terminal import Screen, columns, prepare, safe, screen_of

SHOWN = [
    ("plain", "def f(): pass", "def f(): pass"),
    ("tabs", "\tif x:\ty", "    if x:   y"),
    ("a title for the window", "\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
    ("a C1 control", "\x9b2J", "\\x9b2J"),
    ("a bidirectional override", "admin\u202eresu\u2066", "admin\\u202eresu\\u2066"),
    ("marks of direction", "a\u200fb\u061c", "a\\u200fb\\u061c"),
    ("separators that start a line", "a\u2028b\u2029", "a\\u2028b\\u2029"),
    ("a space of no width", "pass\u200bword\ufeff", "pass\\u200bword\\ufeff"),
    ("invisible tags", "a\U000e0041", "a\\U000e0041"),
    ("a byte that was not UTF-8", "caf\udce9.py", "caf\\udce9.py"),
    ("a newline in a name", "a\nb", "a\\x0ab"),
    ("emoji, joined ones too", "🚀 👨‍👩‍👧", "🚀 👨‍👩‍👧"),
    ("right-to-left letters", "שלום", "שלום"),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_text_of_others_is_escaped(text: str, expected: str) -> None:
    assert safe(text) == expected


@given(st.text(st.characters(codec=None)))
def test_nothing_that_moves_the_cursor_or_turns_the_line_is_left(text: str) -> None:
    shown = safe(text)
    bidirectional = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in shown)
    assert not any(unicodedata.bidirectional(character) in bidirectional for character in shown)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=60), st.integers(21, 60))
def test_a_fitted_line_fits(text: str, width: int) -> None:
    fitted = Screen(width=width).fit(text)
    assert columns(fitted) <= width
    assert fitted == text or fitted.endswith("…")


def test_wide_characters_take_two_columns() -> None:
    assert columns("配置x") == 5
    assert Screen(width=21).fit("配" * 20) == "配" * 10 + "…"


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


ABILITIES = [
    ("a modern one", {"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, (True, True)),
    ("one of unknown abilities", {"TERM": "xterm-256color"}, (True, False)),
    ("no colour wanted", {"TERM": "xterm-kitty", "NO_COLOR": "1"}, (False, True)),
    ("an empty NO_COLOR says nothing", {"TERM": "xterm", "NO_COLOR": ""}, (True, False)),
    ("dumb", {"TERM": "dumb", "TERM_PROGRAM": "vscode"}, (False, False)),
    ("inside tmux", {"TERM": "tmux-256color", "TERM_PROGRAM": "WezTerm"}, (True, False)),
    ("an old VTE", {"TERM": "xterm", "VTE_VERSION": "4600"}, (True, False)),
    ("a newer VTE", {"TERM": "xterm", "VTE_VERSION": "7200"}, (True, True)),
    ("forced", {"TERM": "tmux", "FORCE_HYPERLINK": "1"}, (True, True)),
    ("forbidden", {"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, (True, False)),
]


@pytest.mark.parametrize(
    ("environment", "expected"), [row[1:] for row in ABILITIES], ids=[row[0] for row in ABILITIES]
)
def test_abilities(
    environment: dict[str, str], expected: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codecite.cli.terminal._understands_escapes", lambda _: True)
    screen = screen_of(Terminal(), environment)
    assert (screen.colour, screen.links) == expected
    assert screen_of(io.StringIO(), environment) == Screen()


def test_no_encoding_makes_printing_fail() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    prepare(stream, json=True)
    stream.write('{"path": "caf\udce9 配"}')
    stream.flush()
    assert raw.getvalue() == '{"path": "caf\\udce9 配"}'.encode()
