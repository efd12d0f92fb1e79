"""The index stays right whatever the order of events is, and whichever of them are lost."""

import asyncio
import errno
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.collect.repository import NO_SETTINGS, Repository
from tests.workspace.conftest import Json, Open, Workspace
from tests.workspace.test_store_failures import opened

from codecite.collect.scan import scan as whole
from codecite.collect.walk import Scan
from codecite.engine import following, health, scheduler
from codecite.engine.services import WorkspaceServices
from codecite.model.errors import BadInput, Unavailable

OLD = "def total(a, b):\n    return a + b\n"
NEW = "def fresh(a, b):\n    return b * a\n"


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in NO_SETTINGS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(following, "GIT_SECONDS", 0.05)


def parts(here: Workspace) -> WorkspaceServices:
    return here._services


async def texts(here: Workspace) -> dict[str, str]:
    found: dict[str, str] = {}
    for block in await here.blocks():
        found[block["path"]] = found.get(block["path"], "") + block["text"]
    return found


def on_disk(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.py")}


async def until_as_on_disk(here: Workspace) -> None:
    async def there() -> bool:
        return await texts(here) == on_disk(here.root)

    await here.until(there)


async def until_idle(here: Workspace) -> Json:
    """Wait until nothing runs or waits, and return the status then."""

    async def there() -> bool:
        queue = (await here.call("status"))["queue"]
        return queue["running"] is None and queue["pending"] is None

    await here.until(there)
    return await here.call("status")


# --- editors ---------------------------------------------------------------------------------------------------------

LEFT_BESIDE = [
    "a.py~",
    ".a.py.swp",
    "#a.py#",
    "4913",
    ".a.py.tmp",
    "a.py___jb_tmp___",
    "a.py.orig",
    ".goutputstream-1A",
]


async def test_what_editors_leave_beside_a_file_is_named_and_never_indexed(workspace: Open) -> None:
    here = await workspace({"a.py": OLD})
    here.write(dict.fromkeys(LEFT_BESIDE, NEW))
    if sys.platform != "win32":
        (here.root / ".#a.py").symlink_to("someone@host.4711")

    async def named() -> bool:
        skipped = {item["path"]: item["reason"] for item in (await here.call("status"))["files"]["skipped"]}
        skipped.pop(".#a.py", "")
        return skipped == dict.fromkeys(LEFT_BESIDE, "temporary")

    await here.until(named)
    assert await texts(here) == {"a.py": OLD}


async def test_a_burst_of_saves_ends_at_the_last_text_and_costs_few_vectors(workspace: Open) -> None:
    here = await workspace({"a.py": OLD})
    before = await here.call("status")
    for number in range(20):
        (here.root / "a.py").write_text(f"def f{number}():\n    return {number}\n")
        await here.call("changed", paths=["a.py"])
        await asyncio.sleep(0.1)
    await until_as_on_disk(here)
    after = await until_idle(here)
    assert after["vectors"]["embedded"] - before["vectors"]["embedded"] <= 4
    assert (await here.search("f19"))[0]["symbol"] == "f19"


async def test_a_save_is_found_and_cited_at_its_place_before_it_is_indexed(workspace: Open) -> None:
    here = await workspace({"a.py": OLD})
    here.look_away()
    (here.root / "a.py").write_text("# above\n" * 10 + OLD)
    (citation,) = (await here.ask("where is total?"))["citations"]
    assert (citation["start_line"], citation["state"]) == (11, "moved")
    (here.root / "a.py").write_text(NEW)
    await here.call("changed", paths=["a.py"])
    await until_as_on_disk(here)
    assert (await here.ask("where is fresh?"))["citations"][0]["symbol"] == "fresh"


# --- checkouts and lost events ---------------------------------------------------------------------------------------


async def branched(workspace: Open, count: int = 40) -> tuple[Workspace, Repository]:
    """Return a workspace with two branches that differ in all of many files, which stands on the first."""
    here = await workspace({f"p{n % 5}/m{n}.py": f"def one_{n}():\n    return 1\n" for n in range(count)})
    repository = Repository(here.root).start()
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "other")
    for n in range(count):
        repository.put(f"p{n % 5}/m{n}.py", f"def other_{n}():\n    return 2\n")
    shutil.rmtree(here.root / "p4")
    repository.put("q/new.py", NEW)
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    await until_as_on_disk(here)
    await until_idle(here)
    return here, repository


def with_events(_: Workspace) -> None:
    """Leave the watcher on."""


def with_lost_events(here: Workspace) -> None:
    """Have the kernel's queue overflow: nothing is heard but that."""
    here.look_away()
    asyncio.get_running_loop().call_later(0.5, parts(here)._follower.heard, None)


def without_events(here: Workspace) -> None:
    """Have nobody listen: git's own files tell."""
    here.look_away()


@pytest.mark.parametrize(
    "lose", [with_events, with_lost_events, without_events], ids=lambda lose: lose.__name__
)
async def test_a_checkout_is_followed(workspace: Open, lose: Callable[[Workspace], None]) -> None:
    here, repository = await branched(workspace)
    lose(here)
    repository.git("checkout", "--quiet", "other")
    await until_as_on_disk(here)
    assert (await here.search("other_7"))[0]["symbol"] == "other_7"
    embedded = (await until_idle(here))["vectors"]["embedded"]
    repository.git("checkout", "--quiet", "main")
    await until_as_on_disk(here)
    status = await until_idle(here)
    assert status["vectors"]["embedded"] == embedded  # what was there before costs nothing
    assert status["degraded"] == []
    assert all(hit["symbol"].startswith("one_") for hit in await here.search("one_7 other_7"))


async def test_stash_and_pop_are_followed(workspace: Open) -> None:
    here, repository = await branched(workspace)
    here.look_away()
    (here.root / "p0" / "m0.py").write_text(NEW)
    (here.root / "p0" / "untracked.py").write_text(OLD)
    await here.index()
    for command in (
        ["stash", "--include-untracked"],
        ["stash", "pop"],
        ["reset", "--hard"],
        ["clean", "-fd"],
    ):
        repository.git(*command)
        await here.call("changed", paths=[], git=True) if command[0] != "clean" else await here.index()
        await until_as_on_disk(here)


async def test_what_changed_while_nothing_ran_is_found_at_the_start(tmp_path: Path) -> None:
    root, store = tmp_path / "tree", tmp_path / "store"
    store.mkdir()
    repository = Repository(root).start()
    repository.put("a.py", OLD)
    repository.put("gone/b.py", OLD)
    repository.commit()
    async with opened(root, store) as here:
        await here.index()
        repository.git("checkout", "--quiet", "-b", "other")
        await until_idle(here)
    shutil.rmtree(root / "gone")
    repository.put("a.py", NEW)
    repository.commit()
    async with opened(root, store) as here:
        assert (await here.call("status"))["state"] in {"indexing", "degraded", "ready"}
        await until_as_on_disk(here)
        assert (await until_idle(here))["commit"] == repository.git("rev-parse", "HEAD").strip()


async def test_answers_say_that_the_index_is_catching_up(workspace: Open) -> None:
    here, _ = await branched(workspace)
    here.look_away()
    parts(here)._follower.heard(None)
    assert "files changed a moment ago and will be looked at" in (await here.ask("one_7"))["degraded"]
    await until_idle(here)
    assert not (await here.ask("one_7"))["degraded"]


async def test_a_range_of_commits_is_read_again(workspace: Open) -> None:
    """`--since` reads what changed in all of the range, whatever sizes and times say, and begins a new journal."""
    here = await workspace({"a.py": OLD, "b.py": OLD, "c.py": OLD})
    repository = Repository(here.root).start()
    repository.commit()
    for name in ("a.py", "b.py"):
        repository.put(name, NEW)
        repository.commit()
    await until_as_on_disk(here)
    await until_idle(here)
    here.look_away()
    for path in here.root.glob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))  # so long ago that nothing is read for its time
    await here.index()
    read: set[str] = set()
    parts(here)._health.sync.on_progress = lambda phase, _done, _total, what: (
        read.add(what) if phase == "parse" else None
    )
    await here.index(since="HEAD~2")
    assert read == {"a.py", "b.py"}
    (job,) = (await here.call("status"))["jobs"]
    assert (job["outcome"], job["causes"]) == ("done", ("asked by test",))
    with pytest.raises(BadInput, match="HEAD~9 is not a commit"):
        await here.index(since="HEAD~9")


# --- a watcher that cannot watch --------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is of inotify")
async def test_out_of_watches_other_ways_remain(workspace: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    import ctypes  # noqa: PLC0415  for this one test

    from watchdog.observers import inotify_c  # noqa: PLC0415  of Linux alone

    def refuse(*_: object) -> int:
        ctypes.set_errno(errno.ENOSPC)
        return -1

    monkeypatch.setattr(inotify_c, "inotify_add_watch", refuse)
    monkeypatch.setattr(following, "POLL_SECONDS", 1_000.0)
    here = await workspace({f"d{n}/a.py": OLD for n in range(30)})
    status = await until_idle(here)
    (problem,) = status["problems"]
    assert "fs.inotify.max_user_watches" in problem
    assert not status["watching"]
    (check,) = [one for one in (await here.call("doctor"))["checks"] if one["name"] == "watcher"]
    assert not check["ok"]
    assert check["detail"] == problem
    (here.root / "d3" / "a.py").write_text(NEW)
    await here.call("changed", paths=["d3/a.py"])
    await until_as_on_disk(here)
    (here.root / "d4" / "a.py").write_text(NEW)
    (here.root / "d5" / "new.py").write_text(NEW)
    monkeypatch.setattr(following, "POLL_SECONDS", 0.0)
    await until_as_on_disk(here)


# --- idling ----------------------------------------------------------------------------------------------------------


async def test_a_store_inside_the_workspace_wakes_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "tree"
    home = root / "odd [home]*"
    store = home / "workspaces" / "tree-1"
    store.mkdir(parents=True)
    monkeypatch.setenv("CODECITE_HOME", str(home))
    repository = Repository(root).start()
    repository.put("a.py", OLD)
    repository.git("add", "a.py")
    repository.git("commit", "--quiet", "--message=one")
    async with opened(root, store) as here:
        await here.index()
        before = await until_idle(here)
        (store / "engine.log").write_text("a line of the log\n")
        other = home / "workspaces" / "other-2"
        other.mkdir()
        (other / "engine.log").write_text("a line of another engine's log\n")
        for _ in range(20):
            repository.git("status", "--short")
            os.utime(root / ".git" / "index")
            (root / "a.py").read_bytes()
        (root / "b.py").write_text(NEW)  # a mark: what came before it has been heard when this is found
        await until_as_on_disk(here)
        after = await until_idle(here)
        assert after["jobs"][0]["number"] == before["jobs"][0]["number"] + 1
        assert after["files"]["indexed"] == 2
        assert after["files"]["skipped"] == [
            {"path": "odd [home]*/", "reason": "excluded", "detail": "the settings exclude it"}
        ]


@pytest.mark.parametrize("name", ["server.log", "data.sqlite", ".a.py.swp"])
async def test_a_file_that_is_written_all_the_time_keeps_nobody_busy(workspace: Open, name: str) -> None:
    here = await workspace({"a.py": OLD, name: "first\n"})
    before = await until_idle(here)
    follower = parts(here)._follower
    here.look_away()
    now = [1_000.0]

    class Hand:
        def now(self) -> float:
            return now[0]

        def monotonic(self) -> float:
            return now[0]

    follower._clock = Hand()
    for _ in range(30):  # thirty seconds of a line each second
        now[0] += 1.0
        (here.root / name).write_text(f"at {now[0]}\n")
        follower.heard([name])
        await asyncio.sleep(0)
    await here.index()
    follower.heard([name])
    assert not parts(here).busy()
    status = await here.call("status")
    assert status["queue"]["pending"] == ["files changed"]
    assert status["queue"]["due_seconds"] > 5
    assert status["jobs"][0]["number"] <= before["jobs"][0]["number"] + 2
    (here.root / "a.py").write_text(NEW)
    follower.heard(["a.py"])  # is not kept waiting by it

    async def saved() -> bool:
        return (await texts(here))["a.py"] == NEW

    await here.until(saved)


# --- files that go ---------------------------------------------------------------------------------------------------


async def test_files_that_go_between_listing_and_reading(
    workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await workspace({"seed.py": OLD})
    here.look_away()
    here.write({f"d{n % 3}/m{n}.py": f"def f{n}():\n    return {n}\n" for n in range(60)})

    def scan_then_lose(*arguments: Any) -> Scan:
        seen = whole(*arguments)
        shutil.rmtree(here.root / "d0")
        for n in (1, 4, 7):
            (here.root / "d1" / f"m{n}.py").unlink()
        (here.root / "d2" / "m2.py").unlink()
        (here.root / "d2" / "m2.py").mkdir()
        monkeypatch.setattr("codecite.engine.sync.scan", whole)
        return seen

    monkeypatch.setattr("codecite.engine.sync.scan", scan_then_lose)
    await here.index()
    assert (await texts(here)).keys() == set(on_disk_files(here.root))
    assert (await until_idle(here))["problems"] == []


def on_disk_files(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in root.rglob("*.py") if path.is_file()]


async def test_a_hit_that_was_deleted_a_moment_ago_makes_room_for_the_next(workspace: Open) -> None:
    same = {f"m{n}.py": f'def greet():\n    """Greets guest {n}."""\n    return {n}\n' for n in range(4)}
    here = await workspace(dict(same))
    here.look_away()
    best = (await here.search("greet"))[0]["path"]
    (here.root / best).unlink()
    found = [hit["path"] for hit in await here.search("greet", k=3)]
    assert best not in found
    assert len(found) == 3
    assert best not in {one["path"] for one in (await here.ask("what does greet do?"))["citations"]}


# --- a disk that fails -----------------------------------------------------------------------------------------------


async def test_a_full_disk_is_said_and_got_over(workspace: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "FIRST_RETRY", 0.2)
    here = await workspace({"a.py": OLD})
    store = parts(here)._health.store
    db: sqlite3.Connection = parts(here)._health.ledger._db  # type: ignore[attr-defined]  # of the real ledger
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {pages}")
    here.write({"big.py": "\n".join(f"def f{n}():\n    return {'x' * 80}{n}\n" for n in range(400))})

    async def failing() -> bool:
        return bool((await here.call("status"))["state"] == "failed")

    await here.until(failing)
    status = await here.call("status")
    assert str(store) in status["failing"]["error"]
    assert status["failing"]["since"] >= status["last_success"]
    (check,) = [one for one in (await here.call("doctor"))["checks"] if one["name"] == "last update"]
    assert str(store) in check["detail"]
    answer = await here.ask("where is total?")
    assert answer["citations"][0]["symbol"] == "total"
    assert any("the last update failed" in line for line in answer["degraded"])
    with pytest.raises(Unavailable, match="no space left"):
        await here.index()
    assert not parts(here).busy()  # what cannot be done keeps no engine
    db.execute("PRAGMA max_page_count = 1000000")
    await until_as_on_disk(here)  # by itself
    status = await until_idle(here)
    assert (status["state"], status["failing"]) == ("ready", None)


# --- what takes too long ---------------------------------------------------------------------------------------------


async def test_a_long_job_and_a_long_time_without_success_are_said(workspace: Open) -> None:
    here = await workspace({"a.py": OLD})
    here.look_away()
    await until_idle(here)
    looked_at = parts(here)._health
    real, later = looked_at.clock, [0.0]

    class Later:
        def now(self) -> float:
            return real.now() + later[0]

        def monotonic(self) -> float:
            return real.monotonic() + later[0]

    looked_at.clock = Later()
    parts(here)._health.scheduler._clock = Later()
    with looked_at.ledger.reader() as reader:
        counts = reader.counts()
    later[0] = health.STALE_SECONDS + 60
    assert looked_at.degraded(counts) == []  # nothing waits: as fresh as can be
    parts(here)._health.scheduler.hint("files changed", ["a.py"], 1e6)
    assert any("no update has succeeded for 2 hours" in line for line in looked_at.degraded(counts))
    assert (await here.call("status"))["state"] == "degraded"
    state = scheduler.JobState(
        ("engine started",), health.LONG_JOB_SECONDS + 60, 0.0, whole=True, paths=frozenset(), patient=False
    )
    parts(here)._health.scheduler.state = lambda: (replace(state), None)  # type: ignore[method-assign]
    assert any("has been running for 16 minutes" in line for line in looked_at.degraded(counts))
