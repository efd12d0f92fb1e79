"""Unsaved text counts as if it were saved, and leaves no trace; what is gone is not shown."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.workspace.conftest import Json, Open, Workspace

from codecite.engine.parse_pool import ParseWorker
from codecite.engine.requests import LARGEST_OVERLAY, MOST_OVERLAYS
from codecite.model.errors import BadInput
from codecite.model.lines import split_lines, strip_line_end

CLOSE = "def close_period(ledger):\n    return ledger.close()\n"
OPEN = "def open_period(ledger):\n    return ledger.open()\n"
A = f"import os\n\n\n{CLOSE}\n\n{OPEN}"
B = "def parse_invoice(text):\n    return text.split(';')\n"
TILL = """class Till:
    def first(self):
        return {"a": 1}

    def drawer_of_cash(self):
        return self.first()["a"]
"""
FILES: dict[str, str | bytes] = {"a.py": A, "lib/b.py": B, "till.py": TILL}
ADDED = (
    "\n\ndef reconcile_statement(rows):\n"
    '    """Match bank statements with bookings, 对账 \U0001f680."""\n'
    "    return sorted(rows)\n"
)


def laid(texts: Mapping[str, str]) -> list[Json]:
    return [{"path": path, "text": text} for path, text in texts.items()]


async def cited(here: Workspace, question: str, texts: Mapping[str, str]) -> list[Json]:
    """Ask with overlays; every citation must stand in the text that counts, line ends apart."""
    answer = await here.call("ask", question=question, overlays=laid(texts))
    assert answer["degraded"] == ()
    for one in answer["citations"]:
        text = texts.get(one["path"]) or (here.root / one["path"]).read_bytes().decode()
        stands = split_lines(text)[one["start_line"] - 1 : one["end_line"]]
        assert list(map(strip_line_end, stands)) == list(map(strip_line_end, split_lines(one["text"])))
        assert f"`{one['path']}:{one['start_line']}-{one['end_line']}`" in answer["text"]
    return list(answer["citations"])


FOUND: dict[str, tuple[str, dict[str, str], tuple[str, int, str]]] = {
    "added, by name": ("reconcile_statement", {"a.py": A + ADDED}, ("a.py", 12, "changed")),
    "added, by its words": ("match bank statements", {"a.py": A + ADDED}, ("a.py", 12, "changed")),
    "lines above": ("close_period", {"a.py": "# \U0001f680 名\n" * 10 + A}, ("a.py", 14, "moved")),
    "untouched": ("close_period", {"a.py": A + ADDED}, ("a.py", 4, "fresh")),
    "edited": ("close_period", {"a.py": A.replace(".close()", ".lock()")}, ("a.py", 4, "changed")),
    "renamed": ("end_quarter", {"a.py": A.replace("close_period", "end_quarter")}, ("a.py", 4, "changed")),
    "with CRLF": ("open_period", {"a.py": A.replace("\n", "\r\n")}, ("a.py", 8, "fresh")),
    "broken below": ("open_period", {"a.py": f"{A}\ndef half(\n"}, ("a.py", 8, "fresh")),
    "broken above": ("open_period", {"a.py": f"x = (\n{A}"}, ("a.py", 9, "moved")),
    "behind half a line": (
        "drawer_of_cash",
        {"till.py": TILL.replace("    def first", "    def half(self, a={[(\n\n    def first")},
        ("till.py", 7, "moved"),
    ),
    "a new file": ("Kasse", {"neu/kasse.py": "\n\nclass Kasse:\n    pass\n"}, ("neu/kasse.py", 3, "changed")),
    "another file": ("parse_invoice", {"a.py": ""}, ("lib/b.py", 1, "fresh")),
}  # fmt: skip


async def test_what_the_editor_shows_is_found_where_it_shows_it(workspace: Open) -> None:
    here = await workspace(FILES)
    before = await trace(here)
    for case, (question, texts, expected) in FOUND.items():
        first = (await cited(here, question, texts))[0]
        assert (first["path"], first["start_line"], first["state"]) == expected, case
        hits = (await here.call("search", query=question, overlays=laid(texts)))["hits"]
        assert (hits[0]["path"], hits[0]["start_line"]) == expected[:2], case
    assert await trace(here) == before


async def trace(here: Workspace) -> Any:
    """Return all that a question could have left behind."""
    status = await here.call("status")
    return status["sequence"], status["vectors"], status["files"], await here.blocks()


NOT_SHOWN: dict[str, tuple[str, dict[str, str]]] = {
    "removed": ("close_period", {"a.py": OPEN}),
    "renamed": ("close_period", {"a.py": A.replace("close_period", "end_quarter")}),
    "emptied": ("close_period", {"a.py": ""}),
}


async def test_what_the_editor_shows_no_more_is_not_shown(workspace: Open) -> None:
    here = await workspace(FILES)
    for case, (question, texts) in NOT_SHOWN.items():
        assert (await cited(here, question, {}))[0]["symbol"] == "close_period"
        hits = (await here.call("search", query=question, overlays=laid(texts)))["hits"]
        for found in hits, await cited(here, question, texts):
            assert "close_period" not in {one["symbol"] for one in found}, case


async def test_text_that_was_saved_a_moment_ago_is_found_before_it_is_indexed(workspace: Open) -> None:
    here = await workspace(FILES)
    here.look_away()
    here.write({"a.py": A + ADDED, "new.py": "def settle_debt():\n    return 0\n"})
    texts = {"a.py": A + ADDED, "new.py": "def settle_debt():\n    return 0\n"}
    assert (await cited(here, "reconcile_statement", texts))[0]["start_line"] == 12
    assert (await cited(here, "settle_debt", texts))[0]["path"] == "new.py"
    await here.index()
    first = (await cited(here, "reconcile_statement", texts))[0]
    assert (first["start_line"], first["state"]) == (12, "fresh")


SAME = [A, "\ufeff" + A, A.replace("\n", "\r\n"), A.removesuffix("\n")]


async def test_text_that_the_index_holds_starts_no_parser(
    workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await workspace(FILES)
    monkeypatch.setattr("codecite.engine.parse_pool.ParseWorker.map", None)
    for text in SAME:
        (first, *_) = await cited(here, "close_period", {"a.py": text})
        assert (first["start_line"], first["state"]) == (4, "fresh")


IGNORED: dict[str, str | bytes] = {
    **FILES,
    ".gitignore": "build/\n",
    "build/made.py": "x = 1\n",
    "package-lock.json": "{}",
    "node_modules/m/i.js": "let x = 1\n",
}


LEFT_OUT = ["build/made.py", "package-lock.json", "node_modules/m/new.js", ".env", "link.py", "linked/x.py"]


async def test_what_is_not_indexed_saved_is_not_read_unsaved(workspace: Open) -> None:
    here = await workspace(IGNORED)
    here.look_away()
    if sys.platform != "win32":  # where making one needs a privilege
        (here.root / "link.py").symlink_to("a.py")
        (here.root / "linked").symlink_to("lib")
    texts = dict.fromkeys(LEFT_OUT, "def reconcile_statement(): pass\n")
    assert await cited(here, "reconcile_statement", texts) == []


REFUSED = {
    "secret": "KEY = '''-----BEGIN PRIVATE KEY-----\n" + "Ab3/" * 20 + "\n'''\n",
    "binary": "\x01\x02\x03\x04" * 20,
}


async def test_an_overlay_that_cannot_be_read_leaves_the_index_standing_and_says_so(workspace: Open) -> None:
    here = await workspace(FILES)
    for reason, text in REFUSED.items():
        answer = await here.call("ask", question="parse_invoice", overlays=laid({"a.py": text}))
        assert answer["citations"][0]["path"] == "lib/b.py"
        (said,) = answer["degraded"]
        assert said.startswith(f"the unsaved text of a.py was not read: {reason}")


BAD_WORKERS = {
    "unsaved text was not read: the parsing worker could not start": ["-c", "raise SystemExit(1)"],
    "the unsaved text of a.py was not read: its parser failed": [
        str(Path(__file__).parents[1] / "engine" / "small_worker.py")
    ],
}


async def test_a_parser_that_fails_over_an_overlay_costs_its_new_text_alone(
    workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await workspace(FILES)
    for problem, arguments in BAD_WORKERS.items():
        worker = ParseWorker(arguments)
        monkeypatch.setattr(here._services._asking.overlays, "_worker", worker)
        answer = await here.call("ask", question="close_period", overlays=laid({"a.py": "\n" + A}))
        (said,) = answer["degraded"]
        assert said.startswith(problem)
        first = answer["citations"][0]
        assert (first["start_line"], first["state"]) == (5, "moved"), "anchored in the overlay all the same"
        worker.close()


async def test_questions_with_different_overlays_may_be_asked_at_once(workspace: Open) -> None:
    here = await workspace(FILES)

    async def check(lines: int, path: str) -> None:
        (first, *_) = await cited(here, "close_period", {path: "\n" * lines + A, "lib/b.py": ""})
        assert (first["path"], first["start_line"]) == (path, lines + 4)

    await asyncio.gather(*(check(n, "a.py") for n in range(1, 12)))
    (first, *_) = await cited(here, "close_period", {})
    assert (first["start_line"], first["state"]) == (4, "fresh")


WRONG: list[Any] = [
    {"a.py": A},
    ["a.py"],
    [{"path": "a.py"}],
    [{"path": "a.py", "text": None}],
    [{"path": "../a.py", "text": A}],
    [{"path": "/a.py", "text": A}],
    [{"path": "", "text": A}],
    [{"path": "a\ud800.py", "text": A}],
    [{"path": "a.py", "text": A}] * 2,
    [{"path": "a.py", "text": "x" * (LARGEST_OVERLAY + 1)}],
    [{"path": f"{n}.py", "text": "x" * LARGEST_OVERLAY} for n in range(9)],
    [{"path": f"{n}.py", "text": ""} for n in range(MOST_OVERLAYS + 1)],
]


async def test_wrong_overlays_are_refused_in_a_line(workspace: Open) -> None:
    here = await workspace(FILES)
    for overlays in WRONG:
        for method, params in (
            ("ask", {"question": "x"}),
            ("search", {"query": "x"}),
            ("anchor", {"citations": []}),
        ):
            with pytest.raises(BadInput) as refused:
                await here.call(method, **params, overlays=overlays)
            assert "\n" not in refused.value.message


async def test_half_a_surrogate_pair_is_no_reason_to_fail(workspace: Open) -> None:
    here = await workspace(FILES)
    text = f"# \ud83d\n{A}"
    answer = await here.call("ask", question="close_period", overlays=laid({"a.py": text}))
    assert answer["citations"][0]["start_line"] == 5


async def test_a_file_that_was_deleted_or_emptied_a_moment_ago_is_not_shown(workspace: Open) -> None:
    here = await workspace({**FILES, "old.py": CLOSE, "older.py": CLOSE.replace("ledger", "book")})
    (here.root / "old.py").unlink()
    (here.root / "a.py").write_text("")
    answer = await here.ask("close_period")
    assert [(one["n"], one["path"]) for one in answer["citations"]] == [(1, "older.py")]
    assert [claim["citations"] for claim in answer["claims"]] == [(1,)]
    assert {hit["path"] for hit in await here.search("close_period", k=1)} == {"older.py"}
    assert {hit["path"] for hit in await here.search("close_period")} <= {"older.py", "lib/b.py"}
    (here.root / "older.py").unlink()
    assert (await here.ask("close_period"))["abstained"]


async def test_what_moved_on_disk_a_moment_ago_is_cited_where_it_stands_now(workspace: Open) -> None:
    here = await workspace(FILES)
    here.look_away()
    here.write({"a.py": f"# 名\n{A}"})
    (first, *_) = await cited(here, "close_period", {})
    assert (first["start_line"], first["state"]) == (5, "moved")


async def test_what_an_editor_still_shows_of_a_deleted_file_is_shown(workspace: Open) -> None:
    here = await workspace(FILES)
    here.look_away()
    (here.root / "a.py").unlink()
    assert (await cited(here, "close_period", {"a.py": A}))[0]["start_line"] == 4


async def test_citations_are_anchored_again(workspace: Open) -> None:
    here = await workspace(FILES)
    citations = list((await here.ask("close_period"))["citations"])

    async def state(**more: Any) -> tuple[str, int]:
        (first, *_) = (await here.call("anchor", citations=citations, **more))["citations"]
        return first["state"], first["start_line"]

    assert await state() == ("fresh", 4)
    assert await state(overlays=laid({"a.py": "\n\n" + A})) == ("moved", 6)
    here.write({"a.py": "\n" + A})
    assert await state() == ("moved", 5)
    assert await state(overlays=laid({"a.py": A})) == ("fresh", 4)
    here.write({"a.py": A.replace(".close()", ".lock()")})
    assert await state() == ("changed", 4)
    (here.root / "a.py").unlink()
    assert await state() == ("gone", 4)
    citations = (await here.call("anchor", citations=citations))["citations"]
    here.write({"a.py": A})
    assert await state() == ("fresh", 4)


WRONG_CITATIONS: list[Any] = [None, {}, [1], [{}], [{"path": "a.py", "text": "x", "start_line": 1}]]


async def test_what_is_no_citation_is_refused(workspace: Open) -> None:
    here = await workspace(FILES)
    (citation, *_) = (await here.ask("close_period"))["citations"]
    bent: list[Json] = [
        {"path": "../../etc/passwd"},
        {"path": "\ud800"},
        {"start_line": -1},
        {"start_line": "4"},
        {"state": "new"},
        {"focus": {"line": 1}},
    ]
    for citations in [*WRONG_CITATIONS, *([{**citation, **more}] for more in bent)]:
        with pytest.raises(BadInput):
            await here.call("anchor", citations=citations)
