"""`doctor` on one file: each way in which the index and the disk can differ, said as it is."""

import hashlib
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.collect.repository import Repository
from tests.workspace.conftest import Open, Workspace

from codecite.engine.vector_index import VectorIndex
from codecite.model.errors import BadInput, Unavailable

CODE = "import os\n\n\ndef one():\n    return os.getcwd()\n\n\ndef two():\n    return 2\n"
FILES: dict[str, str | bytes] = {
    "a.py": CODE,
    "touched.py": CODE,
    "edited.py": CODE,
    "deleted.py": CODE,
    "sub/b.py": CODE,
    "flat/b.py": CODE,
    "binary.py": CODE,
    "large.py": CODE,
    "link.py": CODE,
    "hidden.py": CODE,
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
    assert found["disk"]["exists"] == (on_disk.exists() and ".." not in path)
    return {**found, "ok": check["ok"]}


def change_all(root: Path) -> None:
    """Do to the disk, while nobody looks, what the cases below are named after."""
    for path in ("touched.py", "sub/new.py"):
        (root / path).write_text(CODE)
    (root / "edited.py").write_text("x = 1\n")
    (root / "deleted.py").unlink()
    (root / "flat").rename(root / "sub/flat")
    (root / "flat").touch()
    (root / "binary.py").write_bytes(b"\x7fELF\0\0\0\0")
    (root / "large.py").write_bytes(b"x\n" * 600_000)
    (root / "link.py").unlink()
    (root / "link.py").symlink_to("sub/b.py")
    (root / ".gitignore").write_text("build/\nhidden.py\n")


CASES = {
    # path: the verdict, whether it is indexed, and whether all is as it ought to be; then the same after a repair
    "a.py": ("current", True, True, "current", True),
    "touched.py": ("current", True, True, "current", True),
    "edited.py": ("stale", True, False, "current", True),
    "deleted.py": ("ghost", True, False, "unknown", False),
    "flat/b.py": ("ghost", True, False, "unknown", False),
    "sub/flat/b.py": ("missing", False, False, "current", True),
    "sub/new.py": ("missing", False, False, "current", True),
    "data.txt": ("refused", False, True, "refused", False),
    ".env": ("refused", False, True, "refused", False),
    "node_modules/d.js": ("refused", False, True, "refused", False),
    "binary.py": ("refused", True, False, "refused", False),
    "large.py": ("refused", True, False, "refused", False),
    "link.py": ("refused", True, False, "refused", False),
    "build/c.py": ("ignored", False, True, "ignored", False),
    "hidden.py": ("ignored", True, False, "ignored", False),
    "no/such.py": ("unknown", False, False, "unknown", False),
    "../a.py": ("unknown", False, False, "unknown", False),
}


async def test_the_verdicts_before_and_after_a_repair(workspace: Open) -> None:
    here = await workspace(FILES)
    here.look_away()
    change_all(here.root)
    for path, (verdict, indexed, ok, _, _) in CASES.items():
        found = await explain(here, path)
        assert (found["verdict"], found["indexed"] is not None, found["ok"]) == (verdict, indexed, ok), found
        assert (found["refusal"] is not None) == (verdict == "refused")
        if indexed:
            assert found["indexed"]["sha256"] == hashlib.sha256(CODE.encode()).hexdigest()
            assert (found["indexed"]["size"], found["indexed"]["lines"]) == (len(CODE), 9)
            assert (found["indexed"]["language"], found["indexed"]["clean"]) == ("python", True)
    await explain(here, "edited.py", repair=True)
    for path, (_, was_indexed, _, verdict, indexed) in CASES.items():
        found = await explain(here, path)
        assert (found["verdict"], found["indexed"] is not None) == (verdict, indexed), found
        assert found["ok"] == (was_indexed or verdict != "unknown"), path
        changed = was_indexed and path not in {"a.py", "touched.py"}
        assert bool(found["removed"]) == changed, path
        assert all(one["reason"] and one["removed_at"] > 0 for one in found["removed"])


async def test_repair_trusts_no_time_stamp(workspace: Open) -> None:
    here = await workspace({"a.py": CODE})
    here.look_away()
    before = (here.root / "a.py").stat()
    (here.root / "a.py").write_text(CODE.replace("2", "3"))
    os.utime(here.root / "a.py", ns=(before.st_atime_ns, 1_000_000_000))
    assert (await explain(here, "a.py"))["verdict"] == "stale"
    assert (await explain(here, "a.py", repair=True))["verdict"] == "current"


async def test_a_line_leads_to_its_block_and_to_where_its_text_stands(workspace: Open) -> None:
    here = await workspace(FILES)
    here.look_away()

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
    here.look_away()
    vectors = here._services._health.vectors
    vectors.open()
    (stored,) = [one for one in await here.blocks("a.py") if one["symbol"] == "two"]
    with vectors._using() as store:
        assert store is not None
        store.delete([stored["id"]])
    found = await explain(here, "a.py", 9)
    assert (found["verdict"], found["ok"], found["block"]["in_vector_store"]) == ("current", False, False)
    found = await explain(here, "a.py", 9, repair=True)
    assert (found["ok"], found["block"]["in_vector_store"]) == (True, True)


async def test_commits_are_told_apart(workspace: Open) -> None:
    here = await workspace({"a.py": CODE})
    here.look_away()
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
    here.look_away()
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


WRONG: list[tuple[Facts, str]] = [
    ({"path": "sub"}, "sub is a folder"),
    ({"path": "caf\udce9.py"}, "is not UTF-8"),
    ({"path": "a.py", "line": 0}, "counted from 1"),
    ({"path": "a.py", "line": "9"}, "counted from 1"),
]


async def test_what_cannot_be_asked_is_said(workspace: Open) -> None:
    here = await workspace(FILES)
    here.look_away()
    for params, said in WRONG:
        with pytest.raises(BadInput, match=said):
            await here.call("doctor", **params)


async def test_a_vector_store_that_cannot_be_asked_is_one_failed_check(
    workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await workspace({"a.py": "x = 1\n"})

    def no_space(_: VectorIndex) -> tuple[list[str], list[str]]:
        raise Unavailable("no space left for the vector store", "free some disk space")

    monkeypatch.setattr(VectorIndex, "differences", no_space)
    checks = {check["name"]: check for check in (await here.call("doctor"))["checks"]}
    assert [name for name, check in checks.items() if not check["ok"]] == ["vectors"]
    assert checks["vectors"]["mend"] == "free some disk space"
