"""The index follows what happens on disk by itself: every way to save, move and delete, and nothing but what changed."""

import asyncio
import errno
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.collect.repository import Repository
from tests.workspace.conftest import Json, Open, Workspace

from codecite.engine.compose import SystemClock
from codecite.model.errors import Unavailable
from codecite.model.files import FileStamp
from codecite.ports import DirEntry

OLD = "def total(a, b):\n    return a + b\n"
NEW = "def total(a, b):\n    return a + b + 1\n\n\ndef fresh():\n    return total(1, 2)\n"
FILES: dict[str, str | bytes] = {
    "a.py": OLD,
    "lib/b.py": "def helper():\n    return 'helped'\n",
    "lib/deep/c.py": "def deepest():\n    return 0\n",
}


async def state(here: Workspace) -> dict[str, str]:
    """Return the text of every file as the index has it."""
    texts: dict[str, str] = {}
    for block in await here.blocks():
        texts[block["path"]] = texts.get(block["path"], "") + block["text"]
    return texts


def on_disk(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*.py")
        if path.is_file() and ".git" not in path.parts
    }


def overwrite(root: Path) -> None:
    (root / "a.py").write_text(NEW)


def atomic_save(root: Path) -> None:
    (root / ".a.py.tmp").write_text(NEW)
    (root / ".a.py.tmp").replace(root / "a.py")


def save_beside_a_backup(root: Path) -> None:
    (root / "a.py").rename(root / "a.py~")
    (root / "a.py").write_text(NEW)
    (root / "a.py~").unlink()


def move_in_from_outside(root: Path) -> None:
    outside = root.parent / "outside.py"
    outside.write_text(NEW)
    outside.replace(root / "a.py")


def same_size_and_time(root: Path) -> None:
    seen = (root / "a.py").stat()
    (root / "a.py").write_text(OLD.replace("+", "-"))
    os.utime(root / "a.py", ns=(seen.st_atime_ns, seen.st_mtime_ns))


def delete(root: Path) -> None:
    (root / "a.py").unlink()


def delete_a_folder(root: Path) -> None:
    shutil.rmtree(root / "lib")


def rename_a_file(root: Path) -> None:
    (root / "a.py").rename(root / "z.py")


def rename_a_folder_and_go_on_in_it(root: Path) -> None:
    (root / "lib").rename(root / "parts")
    (root / "parts" / "deep" / "d.py").write_text("def added():\n    return 1\n")


def make_folders_and_files_at_once(root: Path) -> None:
    (root / "x" / "y" / "z").mkdir(parents=True)
    (root / "x" / "y" / "z" / "new.py").write_text(NEW)


def move_a_folder_out(root: Path) -> None:
    (root / "lib").rename(root.parent / f"{root.name}-moved-out")


def replace_a_file_by_a_folder(root: Path) -> None:
    (root / "a.py").unlink()
    (root / "a.py").mkdir()
    (root / "a.py" / "inner.py").write_text(OLD)


STEPS = [
    overwrite,
    atomic_save,
    save_beside_a_backup,
    move_in_from_outside,
    same_size_and_time,
    delete,
    delete_a_folder,
    rename_a_file,
    rename_a_folder_and_go_on_in_it,
    make_folders_and_files_at_once,
    move_a_folder_out,
    replace_a_file_by_a_folder,
]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
async def test_what_happens_on_disk_is_followed(workspace: Open, step: Callable[[Path], None]) -> None:
    here = await workspace(FILES)

    async def followed() -> bool:
        return await state(here) == on_disk(here.root)

    assert await followed()
    step(here.root)
    await here.until(followed)
    await here.check_leaves()
    (here.root / "last.py").write_text(
        "def last():\n    return 1\n"
    )  # what was renamed or made is still watched
    await here.until(followed)


async def test_an_ignore_file_takes_effect_without_a_restart(workspace: Open) -> None:
    here = await workspace(FILES)
    (here.root / ".gitignore").write_text("lib/\n")

    async def holds_lib() -> bool:
        return "lib/b.py" in await state(here)

    async def holds_no_lib() -> bool:
        return not await holds_lib()

    await here.until(holds_no_lib)
    (here.root / ".gitignore").unlink()
    await here.until(holds_lib)


async def test_a_file_that_is_made_while_its_new_folder_is_looked_at(
    workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is watched by then, and nobody has been told yet that it counts."""
    here = await workspace(FILES)
    follower, disk = here._services._follower, here._services._health.sync._disk
    late = here.root / "fresh" / "late.py"
    hear, entries = follower.heard, disk.entries
    heard = threading.Event()

    def heard_of_it(paths: Sequence[str] | None) -> None:
        hear(paths)
        if "fresh/late.py" in (paths or ()):
            heard.set()

    def listed_before_it_is_made(folder: str) -> list[DirEntry]:
        found = entries(folder)
        if folder == "fresh" and not late.exists():
            late.write_text(NEW)
            assert heard.wait(30)
        return found

    monkeypatch.setattr(follower, "heard", heard_of_it)
    monkeypatch.setattr(disk, "entries", listed_before_it_is_made)
    late.parent.mkdir()

    async def followed() -> bool:
        return (await state(here)).get("fresh/late.py") == NEW

    await here.until(followed)


async def test_a_machine_short_of_files_takes_nothing_out(
    workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that cannot be listed for want of a descriptor is no empty one, nor are its ignore rules."""
    here = await workspace({**FILES, "lib/.gitignore": "*.log\n", "lib/c.log": "noise\n"})
    here.look_away()
    disk = here._services._health.sync._disk
    entries, read = disk.entries, disk.read

    def no_listing(folder: str) -> list[DirEntry]:
        if folder == "lib/deep":
            raise OSError(errno.EMFILE, "Too many open files")
        return entries(folder)

    def no_reading(path: str, limit: int) -> tuple[FileStamp, bytes]:
        if path == "lib/.gitignore":
            raise OSError(errno.EMFILE, "Too many open files")
        return read(path, limit)

    before = await state(here)
    for name, instead in (("entries", no_listing), ("read", no_reading)):
        with monkeypatch.context() as patch:
            patch.setattr(disk, name, instead)
            with pytest.raises(Unavailable, match="Too many open files"):
                await here.index()
        assert await state(here) == before
        await here.index()
        assert await state(here) == before


async def test_a_repository_that_begins_later_is_followed(workspace: Open) -> None:
    here = await workspace(FILES)
    repository = Repository(here.root).start()

    async def noticed() -> bool:
        status = await here.call("status")
        jobs = [job for job in status["jobs"] if "files changed" in job["causes"]]
        return bool(jobs) and status["queue"]["running"] is None is status["queue"]["pending"]

    await here.until(noticed)
    repository.commit()
    commit = repository.git("rev-parse", "HEAD").strip()

    async def knows_the_commit() -> bool:
        status = await here.call("status")
        return bool(status["commit"] == commit)

    await here.until(knows_the_commit)


async def sequence(here: Workspace) -> Json:
    """Return what would differ if the engine had done anything."""
    status = await here.call("status")
    return {"sequence": status["sequence"], "jobs": status["jobs"]}


async def test_idle_is_idle(workspace: Open) -> None:
    """Neither reading, nor git's own doings, nor files that are left out make the engine index anything."""
    here = await workspace({**FILES, ".gitignore": "*.log\nbuild/\n"})
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "-m", "first"]):
        subprocess.run([*git, *command], cwd=here.root, check=True)
    (here.root / "build").mkdir()

    async def knows_the_repository() -> bool:
        status = await here.call("status")
        told = {cause for job in status["jobs"] for cause in job["causes"]}
        return "git moved" in told and status["queue"]["pending"] is None is status["queue"]["running"]

    await here.until(knows_the_repository)
    before = await sequence(here)
    for path in here.root.rglob("*.py"):
        path.read_bytes()
    (here.root / "server.log").write_text("started\n")
    (here.root / "build" / "out.py").write_text(OLD)
    os.utime(here.root / ".git" / "index")
    subprocess.run([*git, "status", "--short"], cwd=here.root, check=True, capture_output=True)
    os.utime(here.root / "lib" / "b.py")  # git notes the new time in its index
    subprocess.run([*git, "status", "--short"], cwd=here.root, check=True, capture_output=True)
    (here.root / "a.py").write_text(NEW)

    async def followed() -> bool:
        return (await state(here))["a.py"] == NEW

    await here.until(followed)
    after = await sequence(here)
    new = [job for job in after["jobs"] if job["number"] > before["jobs"][0]["number"]]
    assert {cause for job in new for cause in job["causes"]} == {"files changed"}
    assert sum(job["files"] for job in new) == 1


async def test_a_file_that_is_empty_for_a_moment_keeps_its_blocks(workspace: Open) -> None:
    here = await workspace(FILES)
    seen = {block["id"] for block in await here.blocks("a.py")}
    lost: list[set[str]] = []

    async def index_and_look() -> None:
        await here.index()

    (here.root / "a.py").write_text("")
    job = asyncio.create_task(index_and_look())
    while not job.done():
        held = {block["id"] for block in await here.blocks() if block["path"] == "a.py"}
        if held != seen:
            lost.append(held)
        status = await here.call("status")
        if status["queue"]["running"] and not (here.root / "a.py").stat().st_size:
            (here.root / "a.py").write_text(OLD + "\n\ndef more():\n    return 2\n")
        await asyncio.sleep(0)
    await job
    await here.index()
    assert [symbol for symbol in await here.symbols("a.py") if symbol] == ["total", "more"]
    assert all(seen <= held for held in lost)


async def test_a_file_that_stays_empty_loses_them(workspace: Open) -> None:
    here = await workspace(FILES)
    (here.root / "a.py").write_text("")
    await here.index()
    assert await here.blocks("a.py") == []
    (here.root / "a.py").write_text(OLD)
    report = await here.index()
    assert report["blocks"]["embedded"] == 0


async def test_a_clock_that_goes_back_loses_nothing(workspace: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    here = await workspace(FILES)
    monkeypatch.setattr(SystemClock, "now", lambda _: time.time() - 3600)
    here.look_away()
    hour_ago = time.time_ns() - 3_600 * 10**9
    for text in (NEW, NEW.replace("fresh", "other")):  # the second has the size and the time of the first
        (here.root / "a.py").write_text(text)
        os.utime(here.root / "a.py", ns=(hour_ago, hour_ago))
        await here.index()
        assert await state(here) == on_disk(here.root)
    status = await here.call("status")
    assert (status["state"], status["degraded"], status["problems"]) == ("ready", [], [])
    assert all(job["outcome"] == "done" for job in status["jobs"])


async def test_open_files_are_read_before_others(workspace: Open) -> None:
    here = await workspace({f"m{n}.py": OLD for n in range(30)})
    here.look_away()
    for n in range(30):
        (here.root / f"m{n}.py").write_text(NEW)
        os.utime(here.root / f"m{n}.py", (n, n))  # m29 changed last
    await here.call("changed", open=["m3.py"])
    await here.index()
    order = sorted(await here.blocks(), key=lambda block: block["indexed_at"])
    paths = list(dict.fromkeys(block["path"] for block in order))
    assert paths[:2] == ["m3.py", "m29.py"]
