"""Saving in the middle of an edit takes no symbol from the index; a clean parse, git, or the file's absence does."""

import subprocess
from pathlib import Path
from typing import Any

from tests.workspace.conftest import Open, Workspace

PYTHON = '''\
import os


def before():
    return 1


class Ledger:
    """Books of one period."""

    def close(self, day):
        return day


def after_half():
    return before()


class Tail:
    def inside(self):
        return after_half()
'''
TYPESCRIPT = """\
import { gate } from "./gate";

export function before(x: number): number {
  return gate(x) + 1;
}

export class Ledger {
  close(day: string): string {
    return day;
  }
}

export function afterHalf(rows: number[]): number[] {
  return rows.map(before);
}
"""
GO = """\
package books

import "fmt"

// Before adds one.
func Before(x int) int {
	return x + 1
}

type Ledger struct {
	Limit int
}

func (l *Ledger) Close(day string) string {
	return fmt.Sprint(day)
}

func AfterHalf(rows []int) int {
	return Before(len(rows))
}
"""
TEXTS = {"a.py": PYTHON, "a.ts": TYPESCRIPT, "a.go": GO}
# What is put in front of a line of the clean text: an edit that loses nothing, only breaks the file.
BREAKS = [
    ("a.py", "class Ledger", "def half_typed(a, b\n    total = a +\n    for x in (\n\n\n"),
    ("a.py", "import os", "x = (\n"),
    ("a.py", "import os", '"""\n'),
    ("a.py", "class Tail", "]\n"),
    ("a.ts", "export class Ledger", "export function halfTyped(a: number, b\n  const total = a +\n\n"),
    ("a.ts", "import", "const open = {\n"),
    ("a.ts", "import", "const open = `\n"),
    ("a.go", "type Ledger", "func HalfTyped(a int, b\n\ttotal := a +\n\n"),
    ("a.go", "// Before", "var open = f(\n\n"),
    ("a.go", "// Before", "var open = `\n\n"),
]


async def rows(here: Workspace, path: str | None = None) -> list[tuple[Any, ...]]:
    """What the store holds of blocks, apart from when."""
    return [
        (b["id"], b["start_line"], b["end_line"], b["kind"], b["text"], b["embed_key"], b["embedded_by"])
        for b in await here.blocks(path)
    ]


async def unconfirmed(here: Workspace) -> list[tuple[str, str]]:
    status = await here.call("status")
    listed = status["unconfirmed"]
    assert status["blocks"]["retained"] == len(listed)
    ledger = next(check for check in (await here.call("doctor"))["checks"] if check["name"] == "ledger")
    assert ledger["ok"], ledger
    return [(item["path"], item["symbol"]) for item in listed]


async def save(here: Workspace, **files: str) -> Any:
    here.write({name.replace("_", "."): text for name, text in files.items()})
    return await here.index()


async def test_no_symbol_leaves_and_restoring_costs_nothing(workspace: Open) -> None:
    clean = {f"{number}/{path}": TEXTS[path] for number, (path, _, _) in enumerate(BREAKS)}
    here = await workspace(dict(clean))
    before = await rows(here)
    for number, (path, mark, put) in enumerate(BREAKS):
        assert TEXTS[path].count(mark) == 1
        here.write({f"{number}/{path}": TEXTS[path].replace(mark, put + mark)})
    report = await here.index()
    assert report["blocks"]["removed"] == 0
    assert await unconfirmed(here) == []
    now = {row[0]: row for row in await rows(here)}
    for identity, _, _, kind, text, *vector in before:
        _, _, _, kind_now, text_now, *vector_now = now[identity]
        assert (kind_now, text_now.strip(), vector_now) == (kind, text.strip(), vector)
    for name in ("after_half", "afterHalf", "AfterHalf"):
        assert (await here.search(name))[0]["symbol"] == name
    here.write(dict(clean))
    report = await here.index()
    assert report["blocks"]["embedded"] == 0
    assert await rows(here) == before


async def test_two_broken_saves_then_another_clean_text_equal_a_fresh_index(workspace: Open) -> None:
    here = await workspace({"a.py": PYTHON})
    first = PYTHON.replace("class Ledger:", "class Ledg(").replace(
        "after_half():\n    return", "aft(\n    retur"
    )
    await save(here, a_py=first)
    missing = set(await unconfirmed(here))
    assert ("a.py", "after_half") in missing
    since = {item["symbol"]: item["since"] for item in (await here.call("status"))["unconfirmed"]}
    second = first.replace("def before():\n    return 1\n", "def bef\n")
    await save(here, a_py=second)
    assert set(await unconfirmed(here)) == missing | {("a.py", "before")}
    now = {item["symbol"]: item["since"] for item in (await here.call("status"))["unconfirmed"]}
    assert {symbol: now[symbol] for symbol in since} == since
    await save(here, a_py=second.replace("aft(\n    retur", "after_half():\n    return"))
    assert ("a.py", "after_half") not in await unconfirmed(here)  # it came back
    final = PYTHON.replace("before", "earlier").replace(
        "    def close(self, day):\n        return day\n", "    pass\n"
    )
    await save(here, a_py=final)
    assert await unconfirmed(here) == []
    fresh = await workspace({"a.py": final, "other.txt": ""})
    assert await rows(here) == await rows(fresh, "a.py")
    restored = await save(here, a_py=PYTHON)
    assert restored["blocks"]["embedded"] == 0


async def test_a_vanished_function_is_told_of_and_never_a_hit(workspace: Open) -> None:
    here = await workspace({"a.py": PYTHON, "b.py": "def other():\n    return 2\n"})
    await save(here, a_py=PYTHON.replace("def after_half():\n    return before()\n", "def aft(\n"))
    assert await unconfirmed(here) == [("a.py", "after_half")]
    said = "`after_half` stood at a.py:15-18 before the file stopped parsing (unconfirmed)"
    for result in (
        await here.call("search", query="after_half"),
        await here.ask("what does `after_half` do?"),
    ):
        assert said in result["degraded"]
    in_chinese = "在文件无法解析之前，`after_half` 位于 a.py:15-18（未确认）"
    assert in_chinese in (await here.ask("`after_half` 做什么？"))["degraded"]
    assert all(hit["symbol"] != "after_half" for hit in await here.search("after_half"))
    assert all("def after_half" not in hit["text"] for hit in await here.search("after_half"))
    assert said not in (await here.call("search", query="other"))["degraded"]
    await save(here, b_py="def after_half():\n    return 3\n")  # a live one of that name
    assert said not in (await here.call("search", query="after_half"))["degraded"]


async def test_the_files_absence_confirms(workspace: Open) -> None:
    here = await workspace({"a.py": PYTHON, "b.py": "x = 1\n"})
    await save(here, a_py="de after_half(\n")
    assert ("a.py", "after_half") in await unconfirmed(here)
    (here.root / "a.py").unlink()
    await here.index()
    assert await unconfirmed(here) == []
    assert {block["path"] for block in await here.blocks()} == {"b.py"}


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


async def test_git_confirms_what_is_committed_and_what_is_checked_out(workspace: Open) -> None:
    here = await workspace({"a.py": PYTHON, "sub/b.py": PYTHON})
    git(here.root, "init", "-q")
    git(here.root, "add", ".")
    git(here.root, "commit", "-q", "-m", "one")
    text = PYTHON.replace("def after_half():\n    return before()\n", "def aft(\n")
    here.write({"a.py": text, "sub/b.py": text})
    await here.index()
    assert set(await unconfirmed(here)) == {("a.py", "after_half"), ("sub/b.py", "after_half")}
    git(here.root, "add", "sub/b.py")
    await here.index()
    assert await unconfirmed(here) == [("a.py", "after_half")]
    git(here.root, "commit", "-q", "-a", "-m", "two")
    await here.index()
    assert await unconfirmed(here) == []
    fresh = await workspace({"a.py": text, "sub/b.py": text, "c.txt": ""})
    expected = [row for path in ("a.py", "sub/b.py") for row in await rows(fresh, path)]
    assert await rows(here) == expected
    git(here.root, "checkout", "-q", "HEAD~1")
    await here.index()
    git(here.root, "checkout", "-q", "-")  # to the broken ones: what git has is meant
    await here.index()
    assert await unconfirmed(here) == []
    assert await rows(here) == expected


async def test_a_file_that_never_parsed_is_what_its_parse_says(workspace: Open) -> None:
    one = PYTHON.replace("def after_half():", "def after_half(")
    here = await workspace({"a.py": one})
    other = one.replace("def before():\n    return 1\n", "")
    await save(here, a_py=other)
    assert await unconfirmed(here) == []
    assert await rows(here) == await rows(await workspace({"a.py": other, "c.txt": ""}), "a.py")


async def test_a_conflict_shows_both_sides_and_keeps_the_rest(workspace: Open) -> None:
    here = await workspace({"a.py": PYTHON})
    clean = {row[0] for row in await rows(here)}
    sides = "<<<<<<< ours\n    return 11\n=======\n    return 22\n>>>>>>> theirs\n"
    await save(here, a_py=PYTHON.replace("    return 1\n", sides))
    now = await here.blocks("a.py")
    assert len(clean - {block["id"] for block in now}) == 1
    shown = "".join(block["text"] for block in now if block["symbol"] == "before")
    assert "return 11" in shown
    assert "return 22" in shown
    assert {note["note"] for note in (await here.call("status"))["files"]["notes"]} == {
        "conflict markers at line 5"
    }


async def test_reading_everything_again_keeps_the_guard(workspace: Open) -> None:
    here = await workspace({"a.py": PYTHON})
    await save(here, a_py="x = (\n" + PYTHON.replace("class Tail", "class Ta"))
    before, missing = await rows(here), await unconfirmed(here)
    assert missing
    report = await here.index(full=True)
    assert (await rows(here), await unconfirmed(here)) == (before, missing)
    assert report["blocks"]["embedded"] == 0
