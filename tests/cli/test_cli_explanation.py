"""`codecite doctor PATH[:LINE]`: what is asked of the engine, and the sentences made of its answer."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Codecite

Json = dict[str, Any]
INDEXED = {
    "at": 0.0,
    "commit": "a" * 40,
    "sha256": "1" * 64,
    "size": 1_234,
    "lines": 56,
    "language": "go",
    "clean": True,
}
ON_DISK = {"exists": True, "sha256": "2" * 64, "size": 1_300, "mtime": 0.0, "problem": ""}
GONE = {"exists": False, "sha256": None, "size": None, "mtime": None, "problem": ""}
BLOCK = {
    "id": "x",
    "symbol": "f",
    "start_line": 3,
    "end_line": 9,
    "text_matches": False,
    "stands_at": [5, 11],
    "embedded": True,
    "in_vector_store": True,
}
REMOVED = [{"id": f"src/a.go:f{n}:0", "reason": "file gone", "removed_at": 0.0} for n in range(5)]


@pytest.fixture(autouse=True)
def _one_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codecite.cli.explanation.moment", lambda seconds: f"T{seconds:g}")


def report(verdict: str, *, ok: bool = False, **facts: Any) -> Json:
    file = {
        "path": "src/a.go", "line": None, "head": "a" * 40, "indexed": INDEXED, "disk": ON_DISK, "verdict": verdict,
        "refusal": None, "detail": "", "mend": "", "block": None, "removed": [], **facts,
    }  # fmt: skip
    return {"doctor": {"checks": [{"name": "src/a.go", "ok": ok, "detail": "", "mend": ""}], "file": file}}


INDEXED_SAID = "Indexed T0 at commit aaaaaaaaaaaa: 1,234 bytes, 56 lines of go, SHA-256 111111111111."
ON_DISK_SAID = "On disk since T0: 1,300 bytes, SHA-256 222222222222."
MEND = "Mend: codecite doctor --repair with the same path has it read again."
LOST = "Its vector is made, but the vector store does not have it."
EXPLAINED: list[tuple[Json, list[str]]] = [
    (
        report("current", ok=True, line=4, block={**BLOCK, "text_matches": True}),
        [
            "src/a.go:4  current",
            "The index holds exactly what is on disk.",
            INDEXED_SAID,
            ON_DISK_SAID,
            "Line 4 was indexed in lines 3-9 (f). Its text stands there now. Its vector is stored.",
        ],
    ),
    (
        report("stale", line=4, block={**BLOCK, "in_vector_store": False}, head="b" * 40),
        [
            "src/a.go:4  stale",
            "The file has changed since it was indexed.",
            INDEXED_SAID,
            ON_DISK_SAID,
            "HEAD is now at bbbbbbbbbbbb.",
            f"Line 4 was indexed in lines 3-9 (f). Its text now stands at lines 5-11. {LOST}",
            MEND,
        ],
    ),
    (
        report("ghost", line=99, disk=GONE, indexed={**INDEXED, "clean": False, "commit": None}, head=None),
        [
            "src/a.go:99  ghost",
            "The index still holds a file that is not on disk any more.",
            "Indexed T0: 1,234 bytes, 56 lines of go, SHA-256 111111111111.",
            "It did not parse cleanly, so its blocks may be rough.",
            "Not on disk.",
            "Line 99 is in no block of the index.",
            MEND,
        ],
    ),
    (
        report(
            "refused", ok=True, indexed=None, refusal={"path": "x", "reason": "binary", "detail": "a\x1bPNG"}
        ),
        [
            "src/a.go  refused",
            "The file is left out: binary (a\\x1bPNG).",
            "Not in the index.",
            ON_DISK_SAID,
        ],
    ),
    (
        report("ignored", disk={**ON_DISK, "sha256": None, "problem": "Permission denied"}),
        [
            "src/a.go  ignored",
            "Git's ignore rules leave the file out. Yet the index still holds it.",
            INDEXED_SAID,
            "On disk, but not read: Permission denied.",
            MEND,
        ],
    ),
    (
        report("unknown", ok=True, indexed=None, disk=GONE, removed=REMOVED),
        [
            "src/a.go  unknown",
            "The file is gone, from the disk and from the index.",
            "Not in the index.",
            "Not on disk.",
            *(f"Removed T0 (file gone): src/a.go:f{n}:0" for n in range(3)),
        ],
    ),
    (
        report("unknown", indexed=None, disk=GONE),
        [
            "src/a.go  unknown",
            "Neither the index nor the disk has such a file.",
            "Not in the index.",
            "Not on disk.",
            "Mend: check the name of the file.",
        ],
    ),
]


@pytest.mark.parametrize(("result", "lines"), EXPLAINED, ids=[row[1][0] for row in EXPLAINED])
def test_a_file_is_explained_in_sentences(codecite: "Codecite", result: Json, lines: list[str]) -> None:
    run = codecite("doctor", "src/a.go", results=result)
    assert [line.strip() for line in run.out.splitlines()] == lines
    assert run.code == (not result["doctor"]["checks"][0]["ok"])


@pytest.mark.parametrize("verdict", ["current", "stale", "ghost", "missing", "refused", "ignored", "unknown"])
def test_every_verdict_is_explained_in_chinese(
    codecite: "Codecite", monkeypatch: pytest.MonkeyPatch, verdict: str
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    refusal = {"path": "x", "reason": "binary", "detail": "ELF"} if verdict == "refused" else None
    shown = codecite(
        "doctor", "src/a.go:4", results=report(verdict, line=4, block=BLOCK, refusal=refusal)
    ).out
    headline, why, *rest = shown.splitlines()
    assert headline.startswith("src/a.go:4  ")
    assert why.endswith("。")
    assert rest[-1].startswith("  修复：")


ASKED = [
    ("src/a.go", "src/a.go", None),
    ("src/a.go:12", "src/a.go", 12),
    ("src/a.go:12-40", "src/a.go", 12),
    ("src/a.go:12:5:", "src/a.go", 12),
    ("src/gone.go:x", "src/gone.go:x", None),
]


@pytest.mark.parametrize(("named", "path", "line"), ASKED)
def test_a_place_is_read_as_it_is_shown(
    codecite: "Codecite",
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    named: str,
    path: str,
    line: int | None,
) -> None:
    monkeypatch.chdir(tmp_path)
    run = codecite("doctor", named, "--repair", results=report("current", ok=True))
    assert run.engines.calls == [("doctor", {"repair": True, "path": path, "line": line})]


@pytest.mark.skipif(sys.platform == "win32", reason="no name there holds a colon")
def test_a_file_that_is_named_like_a_place_is_meant_itself(codecite: "Codecite", tmp_path: Path) -> None:
    (tmp_path / "odd:7").touch()
    run = codecite("doctor", "odd:7", results=report("current", ok=True))
    assert run.engines.calls == [("doctor", {"repair": False, "path": "odd:7", "line": None})]


def test_a_file_outside_is_bad_input(codecite: "Codecite") -> None:
    run = codecite("doctor", "../x.py:3")
    assert (run.code, run.engines.opened) == (2, 0)
    assert "../x.py is outside of the workspace" in run.err
