"""Figures of retrieval: worked by hand, and what must hold for any ranking."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.cli.metrics import METRICS, Case, Span, by_category, compare, score, summarise

A, B, C = Span("a.py"), Span("b.py"), Span("c.py")
SECOND = 1 / log2(3)  # what an item at rank 2 is worth

WORKED = [
    ("first place", [A, B], [A], {"HitRate@1": 1, "Recall@5": 1, "MRR": 1, "NDCG@10": 1}),
    ("second place", [B, A], [A], {"HitRate@1": 0, "HitRate@3": 1, "MRR": 1 / 2, "NDCG@10": SECOND}),
    ("one of two", [B, A], [A, C], {"Recall@5": 1 / 2, "NDCG@10": SECOND / (1 + SECOND)}),
    ("fourth", [B, B, B, A], [A], {"HitRate@3": 0, "HitRate@5": 1, "MRR": 1 / 4}),
    ("sixth", [B] * 5 + [A], [A], {"HitRate@5": 0, "Recall@5": 0, "MRR": 1 / 6, "NDCG@10": 1 / log2(7)}),
    ("eleventh", [B] * 10 + [A], [A], {"MRR": 1 / 11, "NDCG@10": 0}),
    ("nothing", [], [A], dict.fromkeys(METRICS, 0)),
    ("repeats use up ranks but earn once", [A, A, B], [A, B], {"NDCG@10": (1 + 1 / 2) / (1 + SECOND)}),
    ("lines that touch", [Span("a.py", 1, 5)], [Span("a.py", 5, 9)], {"HitRate@1": 1}),
    ("lines that miss", [Span("a.py", 1, 4)], [Span("a.py", 5, 9)], {"HitRate@1": 0, "MRR": 0}),
    ("a target without lines", [Span("a.py", 1, 4)], [A], {"HitRate@1": 1}),
    ("a run without lines", [A], [Span("a.py", 5, 9)], {"HitRate@1": 1}),
    ("the same name elsewhere", [Span("lib/a.py")], [A], {"HitRate@1": 0}),
]


@pytest.mark.parametrize(
    ("ranked", "relevant", "expected"), [row[1:] for row in WORKED], ids=[row[0] for row in WORKED]
)
def test_figures_worked_by_hand(ranked: list[Span], relevant: list[Span], expected: dict[str, float]) -> None:
    figures = score(ranked, relevant)
    assert {name: figures[name] for name in expected} == pytest.approx(expected)


spans = st.builds(
    lambda path, start, length: Span(path, start, start + length) if start else Span(path),
    st.sampled_from(["a", "b", "c"]),
    st.integers(0, 9),
    st.integers(0, 9),
)


@given(st.lists(spans, max_size=15), st.lists(spans, min_size=1, max_size=15))
def test_figures_stay_in_their_bounds(ranked: list[Span], relevant: list[Span]) -> None:
    figures = score(ranked, relevant)
    assert set(figures) == set(METRICS)
    assert all(0 <= value <= 1 + 1e-9 for value in figures.values())
    assert figures["HitRate@1"] <= figures["HitRate@3"] <= figures["HitRate@5"]


@given(st.lists(spans, max_size=15), st.lists(spans, min_size=1, max_size=15))
def test_a_wrong_item_in_front_never_helps(ranked: list[Span], relevant: list[Span]) -> None:
    before, after = score(ranked, relevant), score([Span("elsewhere"), *ranked], relevant)
    assert all(after[name] <= before[name] for name in METRICS)


def test_means_leave_out_cases_without_targets_and_count_missing_runs_as_nothing_found() -> None:
    cases = [
        Case("1", "q", "x", (A,)),
        Case("2", "q", "y", (A,)),
        Case("3", "q", "", (A,)),
        Case("4", "q", "y", ()),
    ]
    runs = {"1": [A], "2": [B, A], "4": [A]}
    overall = summarise(cases, runs)
    assert overall.cases == 3
    assert overall.figures["HitRate@1"] == pytest.approx(1 / 3)
    parts = by_category(cases, runs)
    assert {name: (part.cases, part.figures["HitRate@1"]) for name, part in parts.items()} == {
        "x": (1, 1),
        "y": (1, 0),
    }
    assert summarise([], {}).figures == dict.fromkeys(METRICS, 0)


def test_comparison_looks_only_at_cases_of_both_runs() -> None:
    cases = [Case(name, "q", "", (A,)) for name in ("up", "down", "same", "new")]
    before = {"up": [B, A], "down": [A], "same": [A]}
    after = {"up": [A], "down": [B], "same": [A], "new": [A]}
    found = compare(cases, before, after)
    assert (found.better, found.worse, found.before.cases, found.after.cases) == (("up",), ("down",), 3, 3)
