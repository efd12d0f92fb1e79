"""`doctor` on one file: each way in which the index and the disk can differ, said as it is."""

import hashlib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.collect.repository import Repository
from tests.workspace.conftest import Open, Workspace

from codecite.model.errors import BadInput

CODE = "import os\n\n\ndef one():\n    return os.getcwd()\n\n\ndef two():\n    return 2\n"
FILES: dict[str, str | bytes] = {
    "a.py": CODE,
    "sub/b.py": CODE,
    "data.txt": b"\x7fELF\0\0\0\0",
    ".gitignore": "build/\n",
    "build/c.py": CODE,
    "node_modules/d.js": "let d = 1\n",
    ".env": "TOKEN=1\n",
}
Facts = dict[str, Any]


async def explain(here: Workspace, path: str, line: int | None = None, *, repair: bool = False) -> Facts:
    """Return what is said of a file, and hold what must be true of every explanation."""
    report = await here.call("doctor", path=path, line=line, repair=repair)
    (check,) = report["checks"]
    found: Facts = report["file"]
    assert check == {"name": path, "ok": check["ok"], "detail": found["detail"], "mend": found["mend"]}
    assert check["ok"] == (not found["mend"])
    assert (report["workspace"], found["path"], found["line"]) == (str(here.root), path, line)
    on_disk = here.root / path
    if found["disk"]["sha256"]:
        assert found["disk"]["sha256"] == hashlib.sha256(on_disk.read_bytes()).hexdigest()
        assert found["disk"]["size"] == on_disk.stat().st_size
    assert found["disk"]["exists"] == on_disk.exists()
    return {**found, "ok": check["ok"]}


def nothing(_root: Path) -> None: ...


CASES: dict[str, tuple[str, Callable[[Path], object], str, bool, bool]] = {
    # what is done to the disk while nobody looks, and then: verdict, is it indexed, is all as it ought to be
    "as it was": ("a.py", nothing, "current", True, True),
    "touched": ("a.py", lambda root: (root / "a.py").write_text(CODE), "current", True, True),
    "edited": ("a.py", lambda root: (root / "a.py").write_text("x = 1\n"), "stale", True, False),
    "deleted": ("a.py", lambda root: (root / "a.py").unlink(), "ghost", True, False),
    "its folder became a file": (
        "sub/b.py",
        lambda root: ((root / "sub").rename(root / "gone"), (root / "sub").touch()),
        "ghost",
        True,
        False,
    ),
    "added": ("sub/new.py", lambda root: (root / "sub/new.py").write_text(CODE), "missing", False, False),
    "binary": ("data.txt", nothing, "refused", False, True),
    "a secret": (".env", nothing, "refused", False, True),
    "in a tool's folder": ("node_modules/d.js", nothing, "refused", False, True),
    "binary now": (
        "a.py",
        lambda root: (root / "a.py").write_bytes(b"\x7fELF\0\0\0\0"),
        "refused",
        True,
        False,
    ),
    "too large now": (
        "a.py",
        lambda root: (root / "a.py").write_bytes(b"x\n" * 600_000),
        "refused",
        True,
        False,
    ),
    "a link now": (
        "a.py",
        lambda root: ((root / "a.py").unlink(), (root / "a.py").symlink_to("sub/b.py")),
        "refused",
        True,
        False,
    ),
    "ignored": ("build/c.py", nothing, "ignored", False, True),
    "ignored now": ("a.py", lambda root: (root / ".gitignore").write_text("a.py\n"), "ignored", True, False),
    "never there": ("no/such.py", nothing, "unknown", False, False),
    "not a path": ("../a.py", nothing, "unknown", False, False),
}


@pytest.mark.parametrize("name", CASES)
async def test_the_verdict(workspace: Open, name: str) -> None:
    path, change, verdict, indexed, ok = CASES[name]
    here = await workspace(FILES)
    change(here.root)
    found = await (explain(here, path) if verdict != "unknown" else unknown(here, path))
    assert (found["verdict"], found["indexed"] is not None, found["ok"]) == (verdict, indexed, ok), found
    assert (found["refusal"] is not None) == (verdict == "refused")
    if indexed:
        assert found["indexed"]["sha256"] == hashlib.sha256(CODE.encode()).hexdigest()
        assert (found["indexed"]["size"], found["indexed"]["lines"]) == (len(CODE), 9)
        assert (found["indexed"]["language"], found["indexed"]["clean"]) == ("python", True)


async def unknown(here: Workspace, path: str) -> Facts:
    report = await here.call("doctor", path=path)
    return {**report["file"], "ok": report["checks"][0]["ok"]}


MENDED = {
    "edited": "current",
    "deleted": "unknown",
    "added": "current",
    "binary now": "refused",
    "ignored now": "ignored",
}


@pytest.mark.parametrize("name", MENDED)
async def test_repair_reads_the_file_again(workspace: Open, name: str) -> None:
    path, change, _, _, _ = CASES[name]
    here = await workspace(FILES)
    change(here.root)
    found = await explain(here, path, repair=True)
    assert (found["verdict"], found["ok"]) == (MENDED[name], MENDED[name] != "unknown")
    assert bool(found["removed"]) == (name != "added")
    for one in found["removed"]:
        assert one["id"].startswith("a.py:")
        assert one["reason"]


async def test_repair_trusts_no_time_stamp(workspace: Open) -> None:
    here = await workspace(FILES)
    before = (here.root / "a.py").stat()
    (here.root / "a.py").write_text(CODE.replace("2", "3"))
    os.utime(here.root / "a.py", ns=(before.st_atime_ns, 1_000_000_000))
    assert (await explain(here, "a.py"))["verdict"] == "stale"
    assert (await explain(here, "a.py", repair=True))["verdict"] == "current"


async def test_a_line_leads_to_its_block_and_to_where_its_text_stands(workspace: Open) -> None:
    here = await workspace(FILES)

    async def block(line: int) -> Facts:
        found: Facts = (await explain(here, "a.py", line))["block"]
        return found

    two = await block(9)
    (stored,) = [one for one in await here.blocks("a.py") if one["symbol"] == "two"]
    assert two == {
        "id": stored["id"],
        "symbol": "two",
        "start_line": stored["start_line"],
        "end_line": 9,
        "text_matches": True,
        "stands_at": [stored["start_line"], 9],
        "embedded": True,
        "in_vector_store": True,
    }
    here.write({"a.py": "# moved\n\n" + CODE})
    moved = await block(9)
    assert (moved["text_matches"], moved["stands_at"]) == (False, [stored["start_line"] + 2, 11])
    here.write({"a.py": CODE.replace("2", "3")})
    assert ((await block(9))["text_matches"], (await block(9))["stands_at"]) == (False, None)
    assert (await block(4))["text_matches"]
    (here.root / "a.py").unlink()
    assert (await block(9))["stands_at"] is None
    assert (await explain(here, "a.py", 10))["block"] is None


async def test_a_block_that_the_vector_store_lost_is_found_and_mended(workspace: Open) -> None:
    here = await workspace(FILES)
    vectors = here._services._health.vectors
    (stored,) = [one for one in await here.blocks("a.py") if one["symbol"] == "two"]
    vectors.open().delete([stored["id"]])
    found = await explain(here, "a.py", 9)
    assert (found["verdict"], found["ok"], found["block"]["in_vector_store"]) == ("current", False, False)
    found = await explain(here, "a.py", 9, repair=True)
    assert (found["ok"], found["block"]["in_vector_store"]) == (True, True)


async def test_commits_are_told_apart(workspace: Open) -> None:
    here = await workspace({"a.py": CODE})
    repository = Repository(here.root).start()
    repository.commit()
    first = repository.git("rev-parse", "HEAD").strip()
    await here.index(full=True)
    repository.git("commit", "--quiet", "--allow-empty", "--message=two")
    found = await explain(here, "a.py")
    assert (found["indexed"]["commit"], found["head"]) == (first, repository.git("rev-parse", "HEAD").strip())
    assert found["verdict"] == "current"


async def test_git_has_the_last_word_on_what_is_ignored(workspace: Open) -> None:
    here = await workspace({".gitignore": "*.gen.py\n"})
    repository = Repository(here.root).start()
    here.write({"kept.gen.py": CODE, "left.gen.py": CODE, "inner/deep/e.py": CODE, "sub/x.py": CODE})
    repository.git("add", "--force", "kept.gen.py")
    subprocess.run(["git", "init", "--quiet", here.root / "inner"], check=True)
    for path, verdict in {
        "kept.gen.py": "missing",
        "left.gen.py": "ignored",
        "inner/deep/e.py": "refused",
        "sub/x.py": "missing",
    }.items():
        assert (await explain(here, path))["verdict"] == verdict, path


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"path": "sub"}, "sub is a folder"),
        ({"path": "caf\udce9.py"}, "is not UTF-8"),
        ({"path": "a.py", "line": 0}, "counted from 1"),
        ({"path": "a.py", "line": "9"}, "counted from 1"),
    ],
)
async def test_what_cannot_be_asked_is_said(workspace: Open, params: Facts, said: str) -> None:
    here = await workspace(FILES)
    with pytest.raises(BadInput, match=said):
        await here.call("doctor", **params)
