"""Two editors and a terminal on a checkout and on a second work tree of the same repository, all at once."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.collect.repository import Repository

from codecite.engine.client import EngineClient

pytestmark = pytest.mark.slow

Json = dict[str, Any]
SAVES = 5  # of each editor
TREES = ("main", "side")  # branches, each in a work tree of its own


def code(tree: str, editor: str, save: int) -> str:
    """A function that only one tree, editor and save can have written."""
    return f'def {tree}_{editor}_{save}(ledger):\n    """Written in the {tree} tree."""\n    return ledger.{editor}({save})\n'


class Desk:
    """A work tree and the two editors on it."""

    def __init__(self, tree: str, root: Path, editors: dict[str, EngineClient]) -> None:
        self.tree = tree
        self.root = root
        self.editors = editors
        self.halfway = asyncio.Event()  # with one editor's saves

    @property
    def pids(self) -> set[int]:
        return {editor.engine["pid"] for editor in self.editors.values()}

    async def edit(self, name: str) -> None:
        """Save again and again; each time, what was written is found, by the name that only it has."""
        editor = self.editors[name]
        path = f"{name}.py"
        for save in range(SAVES):
            (self.root / path).write_text(code(self.tree, name, save))
            (self.root / "shared.py").write_text(code(self.tree, "shared", save))
            await editor.call("changed", {"paths": [path, "shared.py"]})
            await until(lambda wanted=f"{self.tree}_{name}_{save}": self.finds(editor, wanted))  # type: ignore[misc]
            overlay = {"path": path, "text": code(self.tree, f"unsaved_{name}", save)}
            asked = {"query": f"{self.tree}_unsaved_{name}_{save}", "overlays": [overlay]}
            found = self.own(await editor.call("search", asked))
            assert f"{self.tree}_unsaved_{name}_{save}" in {hit["symbol"] for hit in found["hits"]}
            if save == SAVES // 2:
                self.halfway.set()

    async def finds(self, editor: EngineClient, symbol: str) -> bool:
        found = self.own(await editor.call("search", {"query": symbol}))
        return symbol in {hit["symbol"] for hit in found["hits"]}

    async def work_in_a_terminal(self) -> None:
        """Commit, and search for what every tree has; only this one's own is found."""
        for _ in range(2):
            commit = ("commit", "--quiet", "--all", "--allow-empty", "--message=more")
            await asyncio.to_thread(Repository(self.root).git, *commit)
            command = ["search", "ledger written in the tree", "--json"]
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "codecite.cli.main",
                *command,
                cwd=self.root,
                stdout=asyncio.subprocess.PIPE,
            )
            printed, _ = await process.communicate()
            assert process.returncode == 0
            assert self.own(json.loads(printed))["hits"]

    def own(self, found: Json) -> Json:
        """Hold that a result is of this tree alone."""
        assert found["workspace"] == str(self.root)
        others = {f"{tree}_" for tree in TREES if tree != self.tree}
        for hit in found["hits"]:
            assert not any(other in hit["text"] for other in others), hit
        return found

    async def check(self) -> None:
        """Hold the index against the disk, and the stores against each other."""
        editor = next(iter(self.editors.values()))
        await editor.call("index", {"wait": True})
        assert not [check for check in (await editor.call("doctor"))["checks"] if not check["ok"]]
        blocks = (await editor.call("blocks"))["blocks"]
        disk = {
            path: (self.root / path).read_text() for path in ("kept.py", "left.py", "right.py", "shared.py")
        }
        assert {block["path"]: block["text"] for block in blocks} == disk
        assert all(block["embedded_by"] for block in blocks)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await holds():
            await asyncio.sleep(0.05)


async def test_each_tree_has_one_engine_and_sees_itself_alone(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "main").start()
    repository.put("kept.py", code("main", "kept", 0))
    repository.commit()
    repository.git("worktree", "add", "--quiet", "-b", "side", "trees/side")
    roots = {"main": repository.root, "side": repository.root / "trees" / "side"}
    (roots["side"] / "kept.py").write_text(code("side", "kept", 0))

    async with AsyncExitStack() as stack:

        async def editor(root: Path, name: str) -> EngineClient:
            return await stack.enter_async_context(await EngineClient.connect(root, client=name))

        opened = await asyncio.gather(
            *(editor(root, name) for root in roots.values() for name in ("left", "right"))
        )
        desks = {
            tree: Desk(tree, root, dict(zip(("left", "right"), opened[2 * place :], strict=False)))
            for place, (tree, root) in enumerate(roots.items())
        }
        main, side = desks.values()
        assert len(main.pids) == len(side.pids) == 1
        assert main.pids != side.pids
        before, kept = main.pids, side.pids

        async def lose_an_engine() -> None:
            await main.halfway.wait()
            psutil.Process(*before).kill()

        await asyncio.gather(
            *(desk.edit(name) for desk in desks.values() for name in desk.editors),
            *(desk.work_in_a_terminal() for desk in desks.values()),
            lose_an_engine(),
        )
        await asyncio.gather(*(desk.check() for desk in desks.values()))
        assert len(main.pids) == 1
        assert not main.pids & before
        assert side.pids == kept
