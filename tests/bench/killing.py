"""Kill the engine in the middle of its work, again and again: `python tests/bench/killing.py TREE [--kills 200]`.

A copy of the tree is edited, renamed, deleted and made anew at random; each time the engine is ended with -9 at a random
moment of the sync that follows, a new one is started, and what it finds must be sound: the ledger passes its own check,
the vector store holds the ledger's ids, and the journal says where the last sync was cut short. At the end, and now and
then, every block must be what is on disk, and nothing may have been embedded twice but what was in the model's hands.

Everything is drawn from one seed, which is printed; the moments of death are the machine's own.
"""

import argparse
import asyncio
import os
import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # a script's own folder is all that Python adds

from codecite.adapters.ledger_schema import FILE_NAME
from codecite.engine.client import EngineClient
from codecite.engine.vector_index import EMBED_BATCH
from codecite.engine.versions import own_folder
from codecite.model.errors import EngineGone

LATEST_DEATH = 0.7  # seconds after the sync was asked for
MOST_EDITS = 40  # before each
WHOLE_CHECKS = 10  # restarts between two comparisons with the disk


class UnsoundError(AssertionError):
    """What a restarted engine found is not sound."""


@dataclass(slots=True)
class Toll:
    """What a campaign did and saw."""

    kills: int = 0
    while_busy: int = 0  # a sync was running when death came
    edits: int = 0
    embedded_twice: int = 0  # vectors made beyond one for each text, over the whole campaign
    outcomes: dict[str, int] = field(default_factory=dict)  # of the syncs that were cut short, by the journal


class Campaign:
    """One seeded campaign on a tree of its own; $CODECITE_HOME says where the store is."""

    def __init__(self, tree: Path, seed: int) -> None:
        self.tree = tree
        self.seed = seed
        self.toll = Toll()
        self._chance = random.Random(seed)
        self._made = 0  # files

    async def run(self, kills: int) -> Toll:
        """Kill so often; raise UnsoundError, with the seed, for the first thing that is wrong."""
        await self._settled()
        for number in range(1, kills + 1):
            self._edit(self._chance.randint(1, MOST_EDITS))
            await self._kill(self._chance.uniform(0.0, LATEST_DEATH))
            await self._check_stores(number)
            if number % WHOLE_CHECKS == 0 or number == kills:
                await self._settled()
        return self.toll

    async def _kill(self, delay: float) -> None:
        """Ask for a sync and end the engine `delay` seconds later."""
        async with await EngineClient.connect(self.tree, client="killer", start=True) as engine:
            process = psutil.Process((await engine.call("status"))["engine"]["pid"])
            await engine.call("index", {"full": self._chance.random() < 0.2})
            await asyncio.sleep(delay)
            self.toll.while_busy += (await engine.call("status"))["queue"]["running"] is not None
            process.kill()
            process.wait()
            self.toll.kills += 1

    async def _check_stores(self, number: int) -> None:
        async with await EngineClient.connect(self.tree, client="killer", start=True) as engine:
            report = await engine.call("doctor")
            wrong = [check for check in report["checks"] if not check["ok"]]
            status = await engine.call("status")
            for job in status["jobs"][:2]:
                self.toll.outcomes[job["outcome"]] = self.toll.outcomes.get(job["outcome"], 0) + 1
            if wrong or status["problems"]:
                raise UnsoundError(f"seed {self.seed}, kill {number}: {wrong} {status['problems']}")

    async def _settled(self) -> None:
        """Let the index catch up and hold it against the disk, block for block."""
        async with await EngineClient.connect(self.tree, client="killer", start=True) as engine:
            made = (await engine.call("index", {"wait": True}))["totals"]["embedded"]
            store = Path((await engine.call("status"))["store"])
            blocks: list[dict[str, Any]] = (await engine.call("blocks"))["blocks"]
        texts: dict[str, str] = {}
        for block in blocks:
            texts[block["path"]] = texts.get(block["path"], "") + block["text"]
        disk = dict(self._files())
        if texts != disk:
            differing = sorted(
                path for path in texts.keys() | disk.keys() if texts.get(path) != disk.get(path)
            )
            raise UnsoundError(f"seed {self.seed}: the index is not the disk: {differing[:5]}")
        if waiting := [block["id"] for block in blocks if block["embed_key"] and not block["embedded_by"]]:
            raise UnsoundError(f"seed {self.seed}: without a vector: {waiting[:5]}")
        self.toll.embedded_twice = made - _different_vectors(store)

    def _files(self) -> Iterator[tuple[str, str]]:
        for path in sorted(self.tree.rglob("*.py")):
            yield path.relative_to(self.tree).as_posix(), path.read_bytes().decode()

    def _edit(self, times: int) -> None:
        for _ in range(times):
            files = [path for path in self.tree.rglob("*.py") if path.stat().st_size]
            path = self._chance.choice(files)
            self._chance.choice(
                (self._change, self._change, self._append, self._move, self._copy, self._delete)
            )(path)
            self.toll.edits += 1

    def _change(self, path: Path) -> None:
        lines = path.read_bytes().splitlines(keepends=True)
        at = self._chance.randrange(len(lines))
        path.write_bytes(b"".join([*lines[:at], b"# %d\n" % self._chance.randrange(1000), *lines[at:]]))

    def _append(self, path: Path) -> None:
        name = self._chance.randrange(10_000)
        with path.open("ab") as file:
            file.write(b"\n\ndef added_%d(value):\n    return value * %d\n" % (name, name))

    def _move(self, path: Path) -> None:
        folder = path.with_name(f"moved_{self._next()}")
        folder.mkdir()
        path.rename(folder / path.name)

    def _copy(self, path: Path) -> None:
        shutil.copy(path, path.with_name(f"copy_{self._next()}.py"))

    def _delete(self, path: Path) -> None:
        path.unlink()

    def _next(self) -> int:
        self._made += 1
        return self._made


def _different_vectors(store: Path) -> int:
    """Count the vectors of a store's ledger; those of blocks that are gone are kept, and none is there twice."""
    ledger = own_folder(store) / FILE_NAME
    with closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True)) as db:
        return int(db.execute("SELECT count(*) FROM embeddings").fetchone()[0])


def copied(tree: Path, to: Path) -> Path:
    """Copy the Python files of a tree that are UTF-8 and not empty."""
    for path in tree.rglob("*.py"):
        data = path.read_bytes()
        try:
            data.decode()
        except UnicodeDecodeError:
            continue
        if data and b"\0" not in data and not path.is_symlink():
            target = to / path.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return to


def main() -> int:
    """Run one campaign and print what it saw; 1 when something was not sound."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["CODECITE_HOME"] = str(Path(scratch, "home"))
        campaign = Campaign(copied(options.tree, Path(scratch, "tree")), options.seed)
        try:
            toll = asyncio.run(campaign.run(options.kills))
        except UnsoundError as error:
            print(f"UNSOUND after {campaign.toll.kills} kills: {error}")
            return 1
        finally:
            asyncio.run(stopped(campaign.tree))
    print(
        f"{toll.kills} kills, {toll.while_busy} in the middle of a sync, {toll.edits} edits, seed {options.seed}: sound;"
        f" {toll.embedded_twice} vectors were made twice (one batch holds {EMBED_BATCH});"
        f" the journal: {toll.outcomes}"
    )
    return 0


async def stopped(tree: Path) -> None:
    """End the engine of a tree, if there is one."""
    try:
        async with await EngineClient.connect(tree, client="killer", start=False) as engine:
            await engine.call("stop")
    except EngineGone:
        return


if __name__ == "__main__":
    sys.exit(main())
