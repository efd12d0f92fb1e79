"""What leaves a block the same for hash and model, and what does not."""

from pathlib import Path

import pytest
from tests.detect.casefiles import Case, cases

from codecite.detect.parse import parse
from codecite.model.blocks import Leaf

CASES = list(cases(Path(__file__).parent / "cases" / "identity.case"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.language}: {case.title}")
def test_normalised_code(case: Case) -> None:
    first = leaves(case.source, case.language)
    if "same" in case.parts:
        second = leaves(case.parts["same"], case.language)
        assert [(leaf.code_hash, leaf.embed_text) for leaf in first] == [
            (leaf.code_hash, leaf.embed_text) for leaf in second
        ]
    else:
        second = leaves(case.parts["other"], case.language)
        assert [leaf.code_hash for leaf in first] != [leaf.code_hash for leaf in second]


def leaves(text: str, language: str) -> list[Leaf]:
    return [leaf for leaf in parse("a", text, language).leaves if leaf.embed_text]


def leaf_of(text: str, language: str, symbol: str) -> Leaf:
    return next(leaf for leaf in parse("a", text, language).leaves if leaf.symbol == symbol)


@pytest.mark.parametrize(
    ("language", "text", "addition", "symbol"),
    [
        (
            "python",
            "class A:\n    def a(self):\n        return 1\n",
            "\n    def b(self):\n        return 2\n",
            "A.a",
        ),
        ("ruby", "class A\n  def a\n    1\n  end\nend\n", "\n  def b\n    2\n  end\nend\n", "A.a"),
        (
            "java",
            "class A {\n  int a() {\n    return 1;\n  }\n}\n",
            "\n  int b() {\n    return 2;\n  }\n}\n",
            "A.a",
        ),
        (
            "cpp",
            "class A {\n  int a() {\n    return 1;\n  }\n};\n\n",
            "\n  int b() { return 2; }\n};\n",
            "A.a",
        ),
    ],
)
def test_appending_a_method_leaves_the_last_one_alone(
    language: str, text: str, addition: str, symbol: str
) -> None:
    before = leaf_of(text, language, symbol)
    cut = 0 if language == "python" else len(text.rstrip().splitlines()[-1])
    longer = (text.rstrip()[:-cut] if cut else text) + addition
    after = leaf_of(longer, language, symbol)
    assert (before.code_hash, before.embed_text) == (after.code_hash, after.embed_text)


def test_the_model_sees_kind_own_name_doc_and_code_but_not_the_surroundings() -> None:
    text = 'class Ledger:\n    def close(self, month):\n        """Close a month."""\n        return month  # done\n'
    leaf = leaf_of(text, "python", "Ledger.close")
    assert leaf.embed_text == "python method close\nClose a month.\ndef close(self,month):return month"
    assert (leaf.doc, leaf.comments, leaf.name) == ("Close a month.", "done", "close")
    moved = leaf_of("\n\n" + text.replace("Ledger", "Book"), "python", "Book.close")
    assert moved.embed_text == leaf.embed_text
    assert moved.code_hash == leaf.code_hash


def test_markers_are_stripped_from_documentation() -> None:
    text = "/**\n * Opens it.\n *\n * Slowly.\n */\nfunction open() {\n  // now\n  return 1; /* later */\n}\n"
    leaf = leaf_of(text, "javascript", "open")
    assert leaf.doc == "Opens it.\n\nSlowly."
    assert leaf.comments == "now\nlater"


def test_a_leaf_without_words_is_never_embedded() -> None:
    for text in ("# only a comment\n", "\n\n", "()\n"):
        assert [leaf.embed_text for leaf in parse("a", text, "python").leaves] == [""]


def test_no_data_reaches_the_model() -> None:
    data = "iVBORw0KGgoAAAANSUhEUgAA" * 1500
    prose = "SELECT name FROM pipes " * 40
    text = f'BLOB = "{data}"\nQUERY = "{prose}"\n'
    (leaf,) = parse("a", text, "python").leaves
    assert leaf.text == text
    assert "iVBORw" not in leaf.embed_text
    assert "SELECT name FROM pipes" in leaf.embed_text
    assert len(leaf.embed_text) < 400


def test_two_long_literals_that_look_alike_to_the_model_differ_in_hash() -> None:
    one, two = (parse("a", f'X = "{"ab" * 300}{end}"\n', "python").leaves[0] for end in "12")
    assert one.embed_text == two.embed_text
    assert one.code_hash != two.code_hash
