"""Stored blocks against a new parse: what is kept, moved, retouched, added and removed."""

from dataclasses import fields

from codecite.detect.compare import compare
from codecite.detect.leaves import digest
from codecite.detect.parse import parse
from codecite.model.blocks import Block, Leaf, block_ids
from codecite.model.changes import BlockDelta, StoredBlock

BEFORE = """import os


def one():
    return 1


def two():
    return 2


def three():
    return 3
"""


def blocks(text: str) -> list[Block]:
    leaves = parse("a.py", text, "python").leaves
    return [
        Block(**{field.name: getattr(leaf, field.name) for field in fields(Leaf)}, id=name, path="a.py")
        for leaf, name in zip(leaves, block_ids("a.py", leaves), strict=True)
    ]


def stored(text: str) -> list[StoredBlock]:
    return [
        StoredBlock(
            block.id,
            block.start_line,
            block.end_line,
            block.text_hash,
            block.code_hash,
            digest(block.embed_text),
        )
        for block in blocks(text)
    ]


def check(after: str, **expected: list[str]) -> None:
    """Compare with BEFORE; what is expected are symbols by kind of change."""
    new = blocks(after)
    delta = compare(stored(BEFORE), new)
    names = {block.id: block.symbol for block in blocks(BEFORE)}
    found = {
        kind: [new[index].symbol for index in getattr(delta, kind)]
        for kind in ("kept", "moved", "retouched", "added")
    }
    found["removed"] = [names[removed] for removed in delta.removed]
    assert found == {"kept": [], "moved": [], "retouched": [], "added": [], "removed": []} | expected


def test_nothing_changed() -> None:
    check(BEFORE, kept=["", "one", "two", "three"])


def test_a_comment_retouches_and_moves_what_is_below() -> None:
    after = BEFORE.replace("return 1", "return 1  # one\n    # more")
    check(after, kept=[""], retouched=["one"], moved=["two", "three"])


def test_a_change_of_code_is_another_block() -> None:
    check(BEFORE.replace("return 2", "return 22"), kept=["", "one", "three"], added=["two"], removed=["two"])


def test_a_removed_function() -> None:
    after = BEFORE.replace("def two():\n    return 2\n\n\n", "")
    check(after, kept=["", "one"], moved=["three"], removed=["two"])


def test_an_emptied_file() -> None:
    check("", removed=["", "one", "two", "three"])


def test_a_twin_comes_and_goes_as_the_last_of_its_kind() -> None:
    twin = "def one():\n    return 1\n\n\n"
    after = BEFORE.replace("def two", twin + "def two")
    new = blocks(after)
    delta = compare(stored(BEFORE), new)
    assert [new[index].id for index in delta.added] == [f"{new[1].id}:2"]
    back = compare(stored(after), blocks(BEFORE))
    assert back.removed == (f"{new[1].id}:2",)
    assert back.added == ()


def test_no_blocks_at_all() -> None:
    assert compare([], []) == BlockDelta((), (), (), (), ())
