"""What the ledger is told of a file: ids, the words of each field, what is embedded and under which key."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.index.plan import LONGEST_FIELD, indexed_blocks
from codecite.model.blocks import Kind, Leaf, ParsedFile


def leaf(
    text: str,
    symbol: str = "",
    name: str = "",
    kind: Kind = "code",
    doc: str = "",
    comments: str = "",
    embed: str = "",
) -> Leaf:
    digest = sha256(text.encode()).hexdigest()
    return Leaf(
        1, text.count("\n") + 1, symbol, name, kind, "python", text, digest, digest, embed, doc, comments
    )


def parsed(path: str, *leaves: Leaf) -> ParsedFile:
    return ParsedFile(path, "python", leaves, (), clean=True)


METHOD = leaf(
    'def closePeriod(self):\n    """Close the books."""\n    # carry the balance over\n    raise LedgerError("period open")',
    symbol="Ledger.closePeriod", name="closePeriod", kind="method",
    doc="Close the books.", comments="carry the balance over", embed="method closePeriod ...",
)  # fmt: skip
SECTION = leaf(
    "## Linux\nUse the package.", symbol="Install > Linux", name="Linux", kind="section", embed="Linux"
)
TOP = leaf("retries = limit", kind="code", embed="retries = limit")
IMPORTS = leaf("import os", kind="imports", embed="import os")

FIELDS = [
    # (leaf, field, what it holds)
    (METHOD, "name", "close period closeperiod"),
    (METHOD, "parent", "ledger"),
    (METHOD, "path", "src book py"),
    (METHOD, "comment", "close the book carri the balanc over"),
    (METHOD, "body", "def close period closeperiod self rais ledger error ledgererror period open"),
    (SECTION, "name", "linux"),
    (SECTION, "parent", "instal"),
    (SECTION, "body", "linux use the packag"),
    (TOP, "name", ""),
    (TOP, "parent", ""),
    (TOP, "comment", ""),
]


@pytest.mark.parametrize(("one", "field", "expected"), FIELDS)
def test_each_field_holds_its_own_words(one: Leaf, field: str, expected: str) -> None:
    blocks, _ = indexed_blocks("src/book.py", parsed("src/book.py", one), "m")
    assert sorted(getattr(blocks[0].terms, field).split()) == sorted(expected.split())


def test_a_moved_block_keeps_its_key_and_another_model_gives_another() -> None:
    keys = [
        indexed_blocks(path, parsed(path, METHOD), model)[0][0].embed_key
        for path, model in (("a.py", "m"), ("b/c.py", "m"), ("a.py", "n"))
    ]
    assert keys[0] == keys[1] != keys[2]


def test_texts_are_those_of_the_keys_and_nothing_else() -> None:
    blocks, texts = indexed_blocks("a.py", parsed("a.py", METHOD, TOP, METHOD, leaf("}"), IMPORTS), "m")
    assert [item.embed_key for item in blocks if item.embed_key] == [*texts, next(iter(texts))]
    assert set(texts.values()) == {METHOD.embed_text, TOP.embed_text}
    assert [blocks[3].embed_key, blocks[4].embed_key] == ["", ""]


def test_a_keyword_only_file_has_words_and_no_texts() -> None:
    blocks, texts = indexed_blocks("docs/de/index.md", parsed("docs/de/index.md", SECTION), "m")
    assert (texts, blocks[0].embed_key, blocks[0].terms.name) == ({}, "", "linux")


def test_an_endless_line_is_read_in_part() -> None:
    blocks, texts = indexed_blocks("a.js", parsed("a.js", leaf("word " * 300_000, embed="x")), "m")
    assert len(blocks[0].terms.body) <= LONGEST_FIELD
    assert len(blocks[0].block.text) == 1_500_000
    assert texts == {}


NAMES = st.sampled_from(["", "f", "g", "a:b", "索引"])


@given(st.lists(st.tuples(NAMES, st.sampled_from(["x = 1", "y = 2", "# z"])), max_size=12))
def test_ids_are_unique_and_every_text_is_kept(parts: list[tuple[str, str]]) -> None:
    file = parsed("a: b.py", *(leaf(text, symbol=name, name=name, embed=text) for name, text in parts))
    blocks, texts = indexed_blocks(file.path, file, "m")
    assert len({item.block.id for item in blocks}) == len(parts)
    assert [item.block.text for item in blocks] == [text for _, text in parts]
    assert {item.embed_key for item in blocks} == texts.keys()
