"""A leaf's hash is its own: what stands on the next line is no part of it."""

from codecite.detect.parse import parse


def test_a_string_or_comment_that_begins_the_next_leaf_changes_only_that() -> None:
    body = "".join(f"  x{number} = {number}\n" for number in range(8))
    firsts = [
        parse("a.rb", f"class A\n{body}{line}\n{body}end\n", "ruby", max_leaf_lines=9).leaves[0]
        for line in ("  y = 1", '  "y"', "  # y")
    ]
    assert {leaf.end_line for leaf in firsts} == {9}
    assert len({leaf.code_hash for leaf in firsts}) == 1
