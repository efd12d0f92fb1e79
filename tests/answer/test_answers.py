import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.answer.abstain import grounded
from codecite.answer.compose import compose
from codecite.answer.evidence import evidence
from codecite.answer.excerpt import choose
from codecite.model.blocks import Block, Definition
from codecite.model.hits import Findings, Focus, Grounds, Hit, Searched, Source
from codecite.ports import BlockRow

FUNCTION = '''@task
def settle(account):
    """Settle an account."""
    opened = account.opened
    note(opened)
    total = 0
    for entry in account:
        total += entry.amount
    refund(total)
    return total


'''


def block(path: str, symbol: str = "settle", text: str = FUNCTION, start: int = 11) -> Block:
    lines = text.count("\n")
    return Block(
        start,
        start + lines - 1,
        symbol,
        symbol,
        "function",
        "python",
        text,
        "c",
        "t",
        "",
        "",
        "",
        f"{path}:{symbol}:c",
        path,
    )


def hit(of: Block, score: float, *, named: bool = False) -> Hit:
    sources: dict[Source, int] = {"symbol": 1} if named else {"keyword": 1}
    return Hit(
        of.id, of.path, of.start_line, of.end_line, of.symbol, of.kind, of.language, of.text, score, sources, "why"
    )  # fmt: skip


def findings(hits: list[Hit], roles: dict[str, str] | None = None, **grounds: object) -> Findings:
    known = {
        "weights": {"refund": 2.0}, "words": {"refund": "refund"}, "identifiers": (), "resolved": (),
        "coverage": 1.0, "unknown": 0.0, "script": "en",
    } | grounds  # fmt: skip
    return Findings("q", tuple(hits), Grounds(**known), {}, roles or {})  # type: ignore[arg-type]  # one dict of all


def rows(*blocks: Block) -> dict[str, BlockRow]:
    return {one.id: BlockRow(one, "", None, 5.0, "abc") for one in blocks}


def definition(symbol: str, line: int) -> Definition:
    return Definition(symbol, symbol, "function", line, 0, line + 9, 0, line, 4, f"def {symbol}(account):")


def test_a_citation_is_whole_lines_without_the_blank_end() -> None:
    one = block("a.py")
    (cited,) = evidence(findings([hit(one, 1.0)]), rows(one), {"a.py": [definition("settle", 12)]})
    assert (cited.start_line, cited.end_line) == (11, 20)
    assert cited.text == FUNCTION.rstrip("\n") + "\n"
    assert cited.focus == Focus(12, 4, 6)
    assert (cited.state, cited.indexed_at, cited.commit) == ("fresh", 5.0, "abc")


def test_definitions_then_code_then_tests_then_documents() -> None:
    blocks = [block("d.md"), block("t.py"), block("b.py"), block("a.py")]
    roles = {"d.md": "docs", "t.py": "test", "b.py": "code", "a.py": "code", "x.py": "code"}
    best = block("x.py")
    hits = [hit(best, 1.0), *(hit(one, 0.9) for one in blocks[:3]), hit(blocks[3], 0.8, named=True)]
    cited = evidence(findings(hits, roles), rows(best, *blocks), {})
    assert [c.path for c in cited] == ["a.py", "x.py", "b.py", "t.py", "d.md"]
    assert [c.n for c in cited] == [1, 2, 3, 4, 5]


def test_at_most_eight_and_nothing_far_below_the_best() -> None:
    blocks = [block(f"{n:02}.py") for n in range(12)]
    assert len(evidence(findings([hit(one, 1.0) for one in blocks]), rows(*blocks), {}, 50)) == 8
    assert len(evidence(findings([hit(one, 1.0) for one in blocks]), rows(*blocks), {}, 3)) == 3
    weak = [hit(blocks[0], 1.0), hit(blocks[1], 0.1)]
    assert [c.path for c in evidence(findings(weak), rows(*blocks), {})] == ["00.py"]


def test_a_hit_whose_block_is_gone_is_not_cited() -> None:
    assert evidence(findings([hit(block("a.py"), 1.0)]), {}, {}) == ()
    assert evidence(findings([]), {}, {}) == ()


def test_the_excerpt_shows_what_was_asked_for() -> None:
    lines = FUNCTION.rstrip("\n").splitlines()
    shown = choose(lines, {"refund": 2.0}, None)
    assert "    refund(total)" in lines[shown.start : shown.stop]
    assert 1 in choose(lines, {"nothing": 1.0}, 1)


@given(
    st.lists(st.sampled_from(["alpha beta", "beta", "", "gamma", "alpha"]), min_size=1, max_size=20),
    st.dictionaries(st.sampled_from(["alpha", "beta", "gamma"]), st.floats(0, 9)),
    st.none() | st.integers(0, 19),
)
def test_an_excerpt_is_three_to_six_lines_or_all(
    lines: list[str], weights: dict[str, float], name_line: int | None
) -> None:
    shown = choose(lines, weights, name_line)
    assert min(3, len(lines)) <= len(shown) <= 6
    assert 0 <= shown.start < shown.stop <= len(lines)


@pytest.mark.parametrize(
    ("coverage", "unknown", "resolved", "answered"),
    [
        (0.9, 0.0, (), True),
        (0.3, 0.0, (), True),
        (0.2, 0.0, (), False),
        (0.35, 0.5, (), False),
        (0.2, 0.0, ("settle",), True),
        (0.05, 0.6, ("get",), False),
        (0.0, 0.0, (), False),
    ],
)
def test_abstaining(coverage: float, unknown: float, resolved: tuple[str, ...], answered: bool) -> None:
    grounds = findings([], coverage=coverage, unknown=unknown, resolved=resolved).grounds
    assert grounded(grounds) is answered


def test_every_claim_carries_the_mark_of_its_citation() -> None:
    blocks = [block("a.py"), block("b.py")]
    found = findings([hit(one, 1.0) for one in blocks])
    cited = evidence(found, rows(*blocks), {})
    answer = compose("q", cited, found, Searched(7, 70), sequence=4, workspace="/w")
    assert [claim.citations for claim in answer.claims] == [(1,), (2,)]
    assert all(f"{claim.text} [{claim.citations[0]}]" in answer.text for claim in answer.claims)
    assert "`a.py:11-20`" in answer.text
    assert "7 files" in answer.text
    assert (answer.abstained, answer.generator, answer.sequence) == (False, "evidence", 4)


def test_no_evidence_says_what_was_searched_and_what_came_nearest() -> None:
    found = findings([hit(block("a.py"), 0.1)], identifiers=("frobnicate",))
    answer = compose("q", (), found, Searched(7, 70))
    assert answer.abstained
    assert (len(answer.claims), len(answer.citations)) == (0, 0)
    assert answer.text.splitlines() == [
        "No evidence found; searched 7 files; nearest: `a.py:11`.",
        "Nothing here is named `frobnicate`.",
    ]
    for files, said in ((0, "0 files"), (1, "1 file"), (2, "2 files")):
        assert (
            compose("q", (), findings([]), Searched(files, 0)).text == f"No evidence found; searched {said}."
        )


def test_a_chinese_question_gets_chinese_sentences() -> None:
    found = findings([hit(block("a.py"), 1.0)], script="zh")
    assert compose("问", (), found, Searched(7, 70)).text.startswith("没有找到依据；搜索了 7 个文件")
    cited = evidence(found, rows(block("a.py")), {})
    assert compose("问", cited, found, Searched(7, 70)).text.startswith("找到 1 处")
