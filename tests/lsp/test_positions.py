"""Columns in the client's units: against Python's own codecs as the independent measure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.lsp.positions import Encoding, to_column, to_units, width

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
_BYTES_A_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODEC = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}

# name, text before the mark, its length in utf-8, utf-16 and utf-32 as the Unicode tables give it
LINES = [
    ("plain", "x = ", 4, 4, 4),
    ("accents composed", "caf\u00e9 ", 6, 5, 5),
    ("accents combining", "cafe\u0301 ", 7, 6, 6),
    ("emoji", "s = '\U0001f680' ", 11, 9, 8),
    ("family", "\U0001f468\u200d\U0001f469\u200d\U0001f467 ", 19, 9, 6),
    ("flag", "\U0001f1e8\U0001f1ed ", 9, 5, 3),
    ("CJK", "名前 = ", 9, 5, 5),
    ("CJK extension B", "\U00020bb7野家 ", 11, 5, 4),
    ("mathematical identifier", "\U0001d465\U0001d466 = ", 11, 7, 5),
    ("right to left", "\u05e9\u05dc\u05d5\u05dd ", 9, 5, 5),
    ("keycap and variation selector", "1\ufe0f\u20e3 ", 8, 4, 4),
]


@pytest.mark.parametrize(
    ("text", "utf8", "utf16", "utf32"), [line[1:] for line in LINES], ids=[line[0] for line in LINES]
)
def test_known_widths(text: str, utf8: int, utf16: int, utf32: int) -> None:
    line = text + "mark"
    for encoding, units in zip(ENCODINGS, (utf8, utf16, utf32), strict=True):
        assert width(text, encoding) == units
        assert to_units(line, len(text), encoding) == units
        assert to_column(line, units, encoding) == len(text)


def _codec_width(text: str, encoding: Encoding) -> int:
    return len(text.encode(_CODEC[encoding], "surrogatepass")) // _BYTES_A_UNIT[encoding]


lines = st.text(
    st.characters(exclude_characters="\r\n", categories=["L", "M", "N", "P", "S", "Z", "Cf", "Co", "Cn"]),
    max_size=30,
)


@given(lines, st.integers(0, 40), st.sampled_from(ENCODINGS))
def test_units_are_what_the_codec_counts(line: str, column: int, encoding: Encoding) -> None:
    assert to_units(line, column, encoding) == _codec_width(line[:column], encoding)
    assert width(line, encoding) == _codec_width(line, encoding)


@given(lines, st.integers(0, 40), st.sampled_from(ENCODINGS))
def test_there_and_back(line: str, column: int, encoding: Encoding) -> None:
    assert to_column(line, to_units(line, column, encoding), encoding) == min(column, len(line))


@given(lines, st.integers(-3, 130), st.sampled_from(ENCODINGS))
def test_any_unit_gives_the_character_that_holds_it(line: str, units: int, encoding: Encoding) -> None:
    column = to_column(line, units, encoding)
    assert 0 <= column <= len(line)
    assert _codec_width(line[:column], encoding) <= max(units, 0)
    if column < len(line):
        assert _codec_width(line[: column + 1], encoding) > units


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_lone_surrogate_is_one_character(encoding: Encoding) -> None:
    line = "a\ud83db"
    assert [to_column(line, to_units(line, column, encoding), encoding) for column in range(4)] == [
        0,
        1,
        2,
        3,
    ]
