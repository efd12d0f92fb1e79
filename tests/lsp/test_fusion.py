"""Answers of several workspaces become one, and citations can be taken out of an answer."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.lsp.scripted import answer, citation

from codecite.lsp.answers import NO_EVIDENCE, fuse, repointed, without

Json = dict[str, Any]


def scored(name: str, *scores: float) -> Json:
    """Return an answer of the workspace `name` whose citations have these scores, best first."""
    return answer(*(citation(n, f"{name}{n}", ["x\n"], score=score) for n, score in enumerate(scores, 1)))


def order(fused: Json) -> list[str]:
    return [one["path"] for one in fused["citations"]]


def test_ranks_are_interleaved_whatever_the_scores() -> None:
    """A store with few words has higher scores throughout; it does not push the other one out."""
    assert order(fuse([scored("a", 0.3, 0.2, 0.1), scored("b", 9.0, 8.0)], 8)) == [
        "b1",
        "a1",
        "b2",
        "a2",
        "a3",
    ]


def test_claims_follow_their_citations() -> None:
    fused = fuse([scored("a", 2.0, 1.0), scored("b", 3.0)], 2)
    assert order(fused) == ["b1", "a1"]
    assert fused["text"] == "- b1 it is [1]\n- a1 it is [2]"
    assert [one["n"] for one in fused["citations"]] == [1, 2]


def test_who_found_nothing_is_silent_where_others_found_something() -> None:
    nothing = {**answer(), "text": "No evidence found; searched 3 files."}
    assert fuse([nothing, scored("a", 1.0)], 8)["text"] == "- a1 it is [1]"
    assert not fuse([nothing, scored("a", 1.0)], 8)["abstained"]
    both = fuse([nothing, nothing], 8)
    assert (both["text"], both["abstained"]) == ("No evidence found; searched 3 files.", True)


def test_what_was_searched_and_missed_is_told_of_all() -> None:
    halves = [{**scored("a", 1.0), "degraded": ["x", "y"]}, {**scored("b", 1.0), "degraded": ["y", "z"]}]
    fused = fuse(halves, 8)
    assert fused["degraded"] == ["x", "y", "z"]
    assert fused["searched"] == {"files": 2, "blocks": 2}


def test_an_answer_that_loses_all_its_evidence_abstains() -> None:
    left = without(scored("a", 2.0, 1.0), lambda _: True)
    assert (left["abstained"], left["citations"], left["claims"], left["text"]) == (True, [], [], NO_EVIDENCE)


def test_an_answer_that_loses_nothing_is_untouched() -> None:
    whole = scored("a", 2.0, 1.0)
    assert without(whole, lambda _: False) is whole


def test_a_claim_stands_on_what_is_left_to_it() -> None:
    whole = scored("a", 3.0, 2.0, 1.0)
    whole["claims"] = [{"text": "both", "citations": [1, 3]}, {"text": "one", "citations": [1]}]
    left = without(whole, lambda one: one["path"] == "a1")
    assert order(left) == ["a2", "a3"]
    assert left["claims"] == [{"text": "both", "citations": [2]}]


def test_places_in_the_text_follow_the_citations() -> None:
    """Each is replaced once: where one block moves to where another one was, neither is taken for the other."""
    said = answer(citation(1, "a.py", ["x\n"], start=1), citation(2, "a.py", ["y\n"], start=3))
    said["text"] = "see `a.py:1-1` [1] and `a.py:3-3` [2], not `b.py:1-1`"
    said["claims"] = [{"text": "see `a.py:1-1`", "citations": [1]}]
    now = [
        {**one, "start_line": one["start_line"] + 2, "end_line": one["end_line"] + 2}
        for one in said["citations"]
    ]
    told = repointed(said, now)
    assert told["text"] == "see `a.py:3-3` [1] and `a.py:5-5` [2], not `b.py:1-1`"
    assert told["claims"][0]["text"] == "see `a.py:3-3`"
    assert told["citations"] == now


scores = st.lists(st.floats(0, 10), max_size=5).map(lambda found: sorted(found, reverse=True))


@given(st.lists(scores, min_size=1, max_size=4), st.integers(1, 12))
def test_a_fused_answer_is_whole(found: list[list[float]], limit: int) -> None:
    answers = [scored("abcd"[number], *each) for number, each in enumerate(found)]
    fused = fuse(answers, limit)
    numbers = [one["n"] for one in fused["citations"]]
    assert numbers == list(range(1, min(limit, sum(map(len, found))) + 1))
    assert {n for claim in fused["claims"] for n in claim["citations"]} == set(numbers)
    assert fused["abstained"] == (not numbers)
    for number in range(len(found)):  # the order within each workspace is kept
        own = [path for path in order(fused) if path[0] == "abcd"[number]]
        assert own == sorted(own)
