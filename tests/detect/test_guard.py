"""A broken text beside its last clean one: what still stands keeps its identity, every line is in one leaf."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.detect.test_properties import LANGUAGES, SOURCE_LIKE

from codecite.detect.guard import guard
from codecite.detect.parse import parse
from codecite.model.blocks import ParsedFile, Retained, block_ids
from codecite.model.lines import split_lines

PYTHON = '''\
import os
import sys


def before(x):
    return x + 1


class Ledger:
    """Books of one period."""

    limit = 3

    def close(self, day):
        return day

    def reopen(self):
        return before(self.limit)


def after(rows):
    return [before(row) for row in rows]


class Tail:
    def inside(self):
        return after([])
'''
TYPESCRIPT = """\
import { gate } from "./gate";

export function before(x: number): number {
  return x + 1;
}

export class Ledger {
  limit = 3;

  close(day: string): string {
    return day;
  }

  reopen(): number {
    return before(this.limit);
  }
}

export const after = (rows: number[]): number[] => {
  return rows.map(before);
};
"""
GO = """\
package books

import "fmt"

// Before adds one.
func Before(x int) int {
	return x + 1
}

type Ledger struct {
	Limit int
}

func (l *Ledger) Close(day string) string {
	return fmt.Sprint(day)
}

func After(rows []int) int {
	return Before(len(rows))
}
"""
TWINS = "class A:\n    def run(self):\n        pass\n\n\nclass B:\n    def run(self):\n        pass\n"


def parsed(text: str, language: str) -> ParsedFile:
    return parse("a/b", text, language)


def guarded(old: str, new: str, language: str) -> tuple[ParsedFile, tuple[Retained, ...]]:
    before = parsed(old, language)
    assert before.clean
    return guard(new, parsed(new, language), before)


def symbols(file: ParsedFile) -> set[str]:
    return {leaf.symbol for leaf in file.leaves} - {""}


def ids(file: ParsedFile) -> dict[str, str]:
    return {i: leaf.symbol for i, leaf in zip(block_ids(file.path, file.leaves), file.leaves, strict=True)}


def check_whole(file: ParsedFile, text: str) -> None:
    """Every line is in exactly one leaf, and definitions stand inside the text."""
    lines = split_lines(text)
    at = 1
    for leaf in file.leaves:
        assert leaf.start_line == at <= leaf.end_line
        assert leaf.text == "".join(lines[leaf.start_line - 1 : leaf.end_line])
        at = leaf.end_line + 1
    assert at == len(lines) + 1
    assert "".join(leaf.text for leaf in file.leaves) == text
    for item in file.definitions:
        assert 1 <= item.start_line <= item.end_line <= len(lines)
        assert item.start_line <= item.name_line <= len(lines)
        assert item.name_column <= len(lines[item.name_line - 1])
        assert item.end_column <= len(lines[item.end_line - 1])


@dataclass(frozen=True)
class Case:
    """An edit: what replaces what, once; and which symbols lose their block (`other`) or go missing (`lost`)."""

    language: str
    text: str
    old: str
    new: str
    other: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)


CASES = {
    "a function half typed": Case(
        "python", PYTHON, "class Ledger", "def half(a, b\n    total = a +\n    for x in (\n\n\nclass Ledger"
    ),
    "an open bracket at the top": Case("python", PYTHON, "import os", "x = (\nimport os"),
    "an open string at the top": Case("python", PYTHON, "import os", '"""\nimport os'),
    "a method's head half typed": Case("python", PYTHON, "close(self, day):", "close(self, day", {"Ledger.close"}),
    "a function half deleted": Case(
        "python", PYTHON, "def after(rows):\n    return [before(row) for row in rows]\n", "de\n    return [\n", {"after"}, {"after"}
    ),
    "a class half renamed": Case("python", PYTHON, "class Ledger:", "class Ledg", {"Ledger"}, {"Ledger"}),
    "a function moved down": Case(
        "python", PYTHON.replace("def before(x):\n    return x + 1\n\n\n", "") + "\n\ndef before(x):\n    return x + 1\n",
        "import sys\n", "import sys\n\n\ndef before(x):\n    return x + 1\n\n\nx = (\n",
    ),
    "blank lines and line ends": Case("python", PYTHON.rstrip("\n"), "\n\n\nclass Tail", "\n)\n\nclass Tail"),
    "conflict markers": Case(
        "python", PYTHON, "    return x + 1\n",
        "<<<<<<< ours\n    return x + 1\n=======\n    return x + 2\n>>>>>>> theirs\n", {"before"},
    ),
    "an open brace": Case("typescript", TYPESCRIPT, "import", "const open = {\nimport"),
    "an open template string": Case("typescript", TYPESCRIPT, "export function", "const open = `\nexport function"),
    "an arrow half typed": Case(
        "typescript", TYPESCRIPT, "export const after = (rows: number[]): number[] => {", "export const aft = (rows: =>",
        {"after"}, {"after"},
    ),
    "a struct without its end": Case("go", GO, "\tLimit int\n}\n", "\tLimit int\n", {"Ledger"}),
    "an open bracket in Go": Case("go", GO, "// Before", "var open = f(\n\n// Before"),
    "an open raw string in Go": Case("go", GO, "// Before", "var open = `\n\n// Before"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_still_stands_keeps_its_identity(case: Case) -> None:
    assert case.text.count(case.old) == 1
    text = case.text.replace(case.old, case.new)
    before = parsed(case.text, case.language)
    assert not parsed(text, case.language).clean
    now, retained = guarded(case.text, text, case.language)
    check_whole(now, text)
    assert not now.clean
    gone = {symbol for i, symbol in ids(before).items() if symbol and i not in ids(now)}
    assert gone == case.other
    assert {item.symbol for item in retained} == case.lost
    assert symbols(before) - case.lost <= symbols(now) | {item.symbol for item in now.definitions}
    keys = {leaf.symbol: (leaf.code_hash, leaf.embed_text) for leaf in before.leaves}
    for leaf in now.leaves:
        if leaf.symbol and leaf.symbol in symbols(before) - case.other:
            assert (leaf.code_hash, leaf.embed_text) == keys[leaf.symbol]


@pytest.mark.parametrize("text", [PYTHON, PYTHON.rstrip("\n"), TWINS])
def test_definitions_move_with_what_bears_them(text: str) -> None:
    """An open string hides all that follows from the parser; each name is still where the symbol table says."""
    broken = 'x = """\n\n' + text
    now, _ = guarded(text, broken, "python")
    clean = parsed(text, "python").definitions
    moved = [item for item in now.definitions if item.name != "x"]
    assert [(d.symbol, d.kind, d.signature) for d in moved] == [
        (d.symbol, d.kind, d.signature) for d in clean
    ]
    for item in moved:
        line = split_lines(broken)[item.name_line - 1]
        assert line[item.name_column :].startswith(item.name)


# Around a text: nothing, or an open string that hides all of it from the parser, and a mistake at the end.
AROUND = [("", ""), ('x = """\n', "(\n")]


@pytest.mark.parametrize(("front", "back"), AROUND)
def test_of_equal_leaves_the_one_that_is_left_is_told_by_its_neighbours(front: str, back: str) -> None:
    broken = front + TWINS.replace("    def run(self):\n        pass\n", "    de (\n", 1) + back
    now, retained = guarded(TWINS, broken, "python")
    check_whole(now, broken)
    assert "B.run" in symbols(now)
    assert [item.symbol for item in retained] == ["A.run"]
    assert retained[0].id in ids(parsed(TWINS, "python"))
    assert (retained[0].start_line, retained[0].text) == (2, "    def run(self):\n        pass\n\n\n")


def test_equal_leaves_stay_in_order() -> None:
    front, back = AROUND[1]
    now, retained = guarded(TWINS, front + TWINS + back, "python")
    assert not retained
    assert list(ids(now).values())[1:-1] == ["A", "A.run", "B", "B.run"]


def test_line_ends_are_no_difference() -> None:
    broken = ("x = (\n" + PYTHON).replace("\n", "\r\n")
    now, retained = guarded(PYTHON, broken, "python")
    check_whole(now, broken)
    assert not retained
    assert ids(parsed(PYTHON, "python")).keys() <= ids(now).keys()


LINES = [
    *PYTHON.split("\n"), "x = (", '"""', "def half(a, b", "    )", "}", "<<<<<<< a", "=======", ">>>>>>> b", "  ", "\f", "日本 = ["
]  # fmt: skip
EDITS = st.lists(
    st.tuples(
        st.integers(0, 40), st.integers(0, 6), st.lists(st.sampled_from(LINES), max_size=5)
    ),  # where, lines deleted, lines put in
    min_size=1,
    max_size=5,
)


def edited(text: str, edits: list[tuple[int, int, list[str]]], end: str) -> str:
    lines = text.split("\n")
    for at, deleted, put in edits:
        lines[at : at + deleted] = put
    return end.join(lines)


@settings(max_examples=150, deadline=None)
@given(
    edits=EDITS,
    source=st.sampled_from(
        [("python", PYTHON), ("typescript", TYPESCRIPT), ("go", GO), ("python", TWINS * 3)]
    ),
    end=st.sampled_from(["\n", "\n", "\r\n", "\r"]),
)
def test_any_edit_leaves_every_line_in_one_leaf_and_nothing_forgotten(
    edits: list[tuple[int, int, list[str]]], source: tuple[str, str], end: str
) -> None:
    language, old = source
    new = edited(old, edits, end)
    before = parsed(old, language)
    if not new:
        return
    fresh = parsed(new, language)
    now, retained = guard(new, fresh, before)
    check_whole(now, new)
    assert len(ids(now)) == len(now.leaves)
    live = symbols(now) | {item.symbol for item in now.definitions}
    assert symbols(before) <= live | {item.symbol for item in retained}
    assert not live & {item.symbol for item in retained}
    lines = {leaf.code_hash: leaf.text.strip().splitlines() for leaf in before.leaves}
    for leaf in set(now.leaves) - set(fresh.leaves):
        if leaf.code_hash in lines:  # it stands there word for word
            assert leaf.text.strip().splitlines() == lines[leaf.code_hash]


@settings(max_examples=200, deadline=None)
@given(language=st.sampled_from(LANGUAGES), old=SOURCE_LIKE, new=SOURCE_LIKE, share=st.booleans())
def test_any_two_texts_of_any_language(language: str, old: str, new: str, share: bool) -> None:
    new = old + new if share else new
    now, retained = guard(new, parsed(new, language), parsed(old, language))
    check_whole(now, new)
    assert len(ids(now)) == len(now.leaves)
    assert not symbols(now) & {item.symbol for item in retained}


@settings(max_examples=50, deadline=None)
@given(edits=EDITS)
def test_where_all_still_stands_a_broken_parse_changes_no_word(
    edits: list[tuple[int, int, list[str]]],
) -> None:
    """Whatever the parser made of the text: the leaves and definitions are those of the clean parse."""
    before = parsed(PYTHON, "python")
    wrong = parsed(edited(PYTHON, edits, "\n"), "python")
    size = len(split_lines(PYTHON))
    definitions = tuple(item for item in wrong.definitions if item.name_line <= size)
    whole = ParsedFile("a/b", "python", before.leaves, definitions, clean=False)
    now, retained = guard(PYTHON, whole, before)
    assert not retained
    assert (now.leaves, now.definitions) == (before.leaves, before.definitions)
