"""Text without a grammar falls into windows: how long they are and what of a line counts."""

import pytest

from codecite.detect.parse import parse
from codecite.detect.windows import prose

PARAGRAPHS = "a line of words\n" * 29 + "\n"


def sizes(language: str, text: str, most: int) -> list[int]:
    leaves = parse("notes", text, language, max_leaf_lines=most).leaves
    assert "".join(leaf.text for leaf in leaves) == text
    return [leaf.end_line - leaf.start_line + 1 for leaf in leaves]


@pytest.mark.parametrize(
    ("language", "most", "expected"),
    [
        ("log", 256, [60, 60, 60]),  # after every second paragraph
        ("log", 50, [30, 30, 30, 30, 30, 30]),
        ("log", 26, [26, 26, 26, 26, 26, 26, 24]),  # no blank line where one could end: full windows
        ("gettext", 256, [180]),  # data: as few leaves as may be
        ("gettext", 100, [90, 90]),
    ],
)
def test_windows_end_with_a_paragraph_where_they_can(language: str, most: int, expected: list[int]) -> None:
    assert sizes(language, PARAGRAPHS * 6, most) == expected


@pytest.mark.parametrize("most", [1, 2])
def test_the_shortest_windows_still_take_every_line(most: int) -> None:
    assert sum(sizes("log", "\n\none\n\ntwo\n", most)) == 5


def test_prose_folds_white_space_and_cuts_data() -> None:
    data = "QUJD" * 40
    assert prose(f"  two\t words \r\n\n{data} end\n" + "word " * 40) == "\n".join(
        ["two words", f"{data[:40]} end", " ".join(["word"] * 40)]
    )
