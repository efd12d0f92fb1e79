"""What holds for any text whatever: every line in exactly one leaf, and the same again the next time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecite.detect.languages import COMPONENTS, CONFIGS, DOCUMENTS, GENERIC, PARSED
from codecite.detect.parse import parse
from codecite.model.blocks import ParsedFile, block_ids
from codecite.model.lines import split_lines

LANGUAGES = sorted(PARSED | GENERIC | COMPONENTS | DOCUMENTS | CONFIGS | {"notebook", "gettext", "csv"})

FRAGMENTS = st.sampled_from(
    [
        "def f(x):",
        "    return x",
        "class A:",
        "@deco",
        "# note",
        '"text"',
        "'''doc",
        "'''",
        "}",
        "{",
        "(",
        ")",
        ");",
        "end",
        "export ",
        "function g() {",
        "\n    const k = () => {",
        "/** doc */",
        "// c",
        "#define X",
        "#ifdef Y",
        "#endif",
        "public:",
        "template <class T>",
        "impl A {",
        "fn h() {",
        "\n    <script>",
        "</script>",
        "<template>",
        "---",
        "# Title",
        "Title",
        "=====",
        "```",
        "[table]",
        "key: value",
        '"key": {',
        "<<<<<<< a",
        "=======",
        "\n    >>>>>>> b",
        '{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}',
        "namespace N {",
        "module M",
        "日本",
        "🚀",
        "x",
        ",",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", " ", "\f", "\u2028", "\x0b", ""])
SOURCE_LIKE = st.lists(st.tuples(FRAGMENTS, ENDS), max_size=30).map(
    lambda rows: "".join(a + b for a, b in rows)
)
ANYTHING = st.text(max_size=200)
SURROGATES = st.text(st.characters(codec=None, categories=("Cs", "Ll", "Zs", "Cc")), max_size=40)


def check(parsed: ParsedFile, text: str) -> None:
    lines = split_lines(text)
    at = 1
    for leaf in parsed.leaves:
        assert leaf.start_line == at
        assert leaf.end_line >= leaf.start_line
        assert leaf.text == "".join(lines[leaf.start_line - 1 : leaf.end_line])
        at = leaf.end_line + 1
    assert at == len(lines) + 1
    assert "".join(leaf.text for leaf in parsed.leaves) == text
    ids = block_ids(parsed.path, parsed.leaves)
    assert len(set(ids)) == len(ids)
    for definition in parsed.definitions:
        assert 1 <= definition.start_line <= definition.end_line <= len(lines)
        assert 1 <= definition.name_line <= len(lines)
        assert 0 <= definition.name_column <= len(lines[definition.name_line - 1])


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=30, deadline=None)
@given(text=st.one_of(SOURCE_LIKE, ANYTHING, SURROGATES))
def test_every_line_is_in_exactly_one_leaf(language: str, text: str) -> None:
    check(parse("a/b", text, language), text)


@pytest.mark.parametrize("language", sorted(PARSED))
@settings(max_examples=20, deadline=None)
@given(text=SOURCE_LIKE, limit=st.integers(1, 6))
def test_small_leaves_cover_all_lines_too(language: str, text: str, limit: int) -> None:
    parsed = parse("a/b", text, language, max_leaf_lines=limit)
    check(parsed, text)
    assert all(leaf.end_line - leaf.start_line < limit for leaf in parsed.leaves)


@settings(max_examples=60, deadline=None)
@given(text=SOURCE_LIKE, language=st.sampled_from(LANGUAGES))
def test_a_second_parse_gives_the_same(text: str, language: str) -> None:
    assert parse("a/b", text, language) == parse("a/b", text, language)


@settings(max_examples=60, deadline=None)
@given(text=SOURCE_LIKE.map(lambda text: text.replace("\r", "")), language=st.sampled_from(sorted(PARSED)))
def test_line_ends_change_no_identity(text: str, language: str) -> None:
    unix, dos = parse("a/b", text, language), parse("a/b", text.replace("\n", "\r\n"), language)
    assert [(leaf.symbol, leaf.code_hash, leaf.embed_text) for leaf in unix.leaves] == [
        (leaf.symbol, leaf.code_hash, leaf.embed_text) for leaf in dos.leaves
    ]
