"""The invariants' own check finds what it is there to find."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.bench.invariants import Verdict, _check_file, _check_listing

TEXT = "one\r\ntwo\n\x0cthree\rfour"  # four lines as editors count: a form feed ends none


def leaf(start: int, end: int, text: str) -> dict[str, Any]:
    return {"start_line": start, "end_line": end, "text": text}


GOOD = [leaf(1, 2, "one\r\ntwo\n"), leaf(3, 4, "\x0cthree\rfour")]


@pytest.mark.parametrize(
    ("leaves", "wrong"),
    [
        (GOOD, 0),
        (GOOD[::-1], 0),
        ([GOOD[0], leaf(3, 4, "\x0cthree\nfour")], 1),
        ([GOOD[0], leaf(3, 3, "\x0cthree\r")], 1),
        ([GOOD[0], leaf(4, 4, "four")], 1),
        ([*GOOD, leaf(4, 4, "four")], 1),
        ([leaf(1, 1, "one\r\ntwo\n"), leaf(2, 4, "\x0cthree\rfour")], 2),
        ([GOOD[0], leaf(3, 5, "\x0cthree\rfour")], 1),
        ([leaf(1, 2, "two\n"), leaf(3, 4, "one\r\n\x0cthree\rfour")], 2),
    ],
)
def test_leaves_against_lines(leaves: list[dict[str, Any]], wrong: int, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(TEXT.encode())
    found: list[str] = []
    _check_file(file, "a.txt", list(leaves), found)
    assert len(found) == wrong, found


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("grün\n".encode(), "grün\n", "utf-8"),
        ("grün\n".encode("utf-8-sig"), "grün\n", "utf-8"),
        ("grün\n".encode("utf-16"), "grün\n", "utf-16-le"),
        ("grün\n".encode("latin-1"), "grün\n", "cp1252"),
        ("вода\n".encode("koi8_r"), "вода\n", "koi8_r"),
        ("水\n".encode("gb18030"), "水\n", "gb18030"),
        (b"a\0b\n", "a b\n", "utf-8"),
        ("grün\n".encode("latin-1"), "gr?n\n", ""),
    ],
)
def test_encodings(data: bytes, text: str, encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(data)
    found: list[str] = []
    assert _check_file(file, "a.txt", [leaf(1, 1, text)], found) == encoding
    assert bool(found) == (not encoding)


def test_accepted_and_refused_are_what_git_lists(tmp_path: Path) -> None:
    for name in ("kept.py", "refused.bin", "left_out.py", "ignored.log"):
        (tmp_path / name).write_text("x\n", encoding="utf-8")
    (tmp_path / "empty.py").touch()
    (tmp_path / ".gitignore").write_text("*.log\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    def wrong(accepted: set[str], said: int) -> list[str]:
        verdict = Verdict(files=said)
        _check_listing(tmp_path, accepted, {"refused.bin": "binary"}, verdict)
        return verdict.wrong

    whole = {"kept.py", "left_out.py", ".gitignore"}
    assert wrong(whole, 4) == []
    assert len(wrong(whole, 3)) == 1
    assert wrong(whole - {"left_out.py"}, 3) == ["left_out.py: neither accepted nor refused"]
    assert wrong(whole | {"ignored.log"}, 5) == ["ignored.log: accepted, and not in git's list"]
    assert wrong(whole | {"refused.bin"}, 5) == ["refused.bin: refused (binary) and has leaves"]
