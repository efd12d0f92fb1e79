"""Deep, long, broken and slow input."""

import json
from itertools import count

import pytest

from codecite.detect.parse import parse
from codecite.model.blocks import ParsedFile
from codecite.model.lines import split_lines

TOWER = "def tower():\n    return " + "(" * 3000 + "1" + ")" * 3000 + "\n\n\ndef after():\n    return 2\n"
CHAIN = (
    "int pick(int n) {\n  if (n == 0) return 0;\n"
    + "".join(f"  else if (n == {number}) return {number};\n" for number in range(1, 1200))
    + "  return 1;\n}\nint after(void) { return 0; }\n"
)
TAGS = (
    "export const deep = () => (\n" + "<div>" * 400 + "</div>" * 400 + "\n);\n\nexport function after() {}\n"
)
FUNCTIONS = (
    "".join("  " * depth + f"function f{depth}() {{\n" for depth in range(300))
    + "}\n" * 300
    + "function after() {}\n"
)


@pytest.mark.parametrize(
    ("language", "text"), [("python", TOWER), ("c", CHAIN), ("tsx", TAGS), ("javascript", FUNCTIONS)]
)
def test_depth_hides_nothing_that_follows(language: str, text: str) -> None:
    parsed = parse("a", text, language)
    check_cover(parsed, text)
    assert parsed.leaves[-1].symbol == "after"
    assert max(leaf.end_line - leaf.start_line for leaf in parsed.leaves) < 256


def check_cover(parsed: ParsedFile, text: str) -> None:
    assert "".join(leaf.text for leaf in parsed.leaves) == text
    assert parsed.leaves[-1].end_line == len(split_lines(text))


def test_past_its_deadline_a_file_is_taken_as_lines() -> None:
    text = "def f(x):\n    return [x, x, x]\n" * 3000
    asked = count()
    parsed = parse("a", text, "python", expired=lambda: next(asked) > 5)
    check_cover(parsed, text)
    assert not parsed.clean
    assert parsed.notes == ("parse gave up: indexed as plain lines",)
    assert {leaf.kind for leaf in parsed.leaves} == {"text"}
    assert parse("a", "def f(): pass\n", "python").leaves[0].symbol == "f"


def test_a_long_function_is_split_between_statements() -> None:
    body = "".join(
        f"    if x == {number}:\n        call({number},\n             {number})\n" for number in range(200)
    )
    text = f"def long(x):\n{body}\n\ndef after():\n    pass\n"
    parsed = parse("a", text, "python", max_leaf_lines=100)
    check_cover(parsed, text)
    parts = [leaf for leaf in parsed.leaves if leaf.symbol == "long"]
    assert len(parts) >= 7
    assert all(leaf.end_line - leaf.start_line < 100 for leaf in parts)
    assert all(leaf.text.lstrip().startswith("if x ==") for leaf in parts[1:])


def test_lines_added_at_the_top_do_not_move_every_cut_below() -> None:
    statements = [f"register('name_{number * 7919 % 1000}', handler_{number})\n" for number in range(400)]
    before = parse("a", "".join(statements), "python").leaves
    after = parse("a", "register('new', handler)\n" * 3 + "".join(statements), "python").leaves
    assert len(before) > 8
    common = {leaf.code_hash for leaf in before} & {leaf.code_hash for leaf in after}
    assert len(common) >= len(before) - 3


def test_outputs_of_a_notebook_say_nothing_and_its_definitions_stand_on_their_line() -> None:
    source = ["def tide_height(hour):\n", '    """How high, in mètres."""\n', "    return 2.1 * hour\n"]
    cells = [
        {"cell_type": "code", "source": source, "outputs": [{"data": {"image/png": "iVBORw0KGgo" * 4000}}]},
        {"cell_type": "code", "source": "tide_height(1)", "outputs": []},
    ]
    text = json.dumps({"cells": cells, "metadata": {}}, indent=1, ensure_ascii=False)
    parsed = parse("a.ipynb", text, "notebook")
    check_cover(parsed, text)
    assert [leaf.name for leaf in parsed.leaves if leaf.embed_text] == ["tide_height", ""]
    assert not any("iVBORw" in leaf.embed_text for leaf in parsed.leaves)
    (definition,) = parsed.definitions
    line = split_lines(text)[definition.name_line - 1]
    assert line[definition.name_column :].startswith("tide_height(hour)")


def test_a_notebook_on_one_line_has_one_leaf() -> None:
    cells = [
        {"cell_type": "code", "source": ["x = 1\n", "def f():\n", "    pass"]},
        {"cell_type": "code", "source": "y"},
    ]
    text = json.dumps({"cells": cells})
    parsed = parse("a.ipynb", text, "notebook")
    check_cover(parsed, text)
    definition = next(item for item in parsed.definitions if item.name == "f")
    assert text[definition.name_column :].startswith("f():")


def test_a_broken_notebook_is_still_all_lines() -> None:
    text = '{"cells": [\n {"source": ["x\n'
    parsed = parse("a.ipynb", text, "notebook")
    check_cover(parsed, text)
    assert not parsed.clean


def test_one_definition_that_a_mistake_swallows_is_found_in_every_bracket_language() -> None:
    for language, start in (
        ("javascript", "function"),
        ("go", "func"),
        ("rust", "fn"),
        ("php", "<?php\nfunction"),
    ):
        text = f"{start} broken(a, b {{\n  return ((a;\n\n\n{start.rpartition(chr(10))[2]} after() {{\n  return 1;\n}}\n"
        parsed = parse("a", text, language)
        check_cover(parsed, text)
        assert "after" in [leaf.symbol for leaf in parsed.leaves], language
        assert not parsed.clean


def test_endless_nesting_makes_no_endless_names() -> None:
    text = "function a() {" * 20_000
    parsed = parse("a", text, "javascript")
    check_cover(parsed, text)
    assert max((len(item.symbol) for item in parsed.definitions), default=0) < 200
