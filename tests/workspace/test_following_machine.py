"""Whatever is done to a work tree, in any order, watched or not: the index ends as what is on disk.

`python -m tests.workspace.test_following_machine --examples 200 --seed 3` does the same for longer.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.collect.repository import Repository
from tests.workspace.conftest import Json, Workspace

from codecite.adapters.hashed_embedder import HashedEmbedder
from codecite.engine.compose import services
from codecite.model.lines import split_lines
from codecite.ports import Vectors

pytestmark = pytest.mark.slow

FOLDERS = ["lib", "lib/deep", "parts", "a.py"]  # the last one is a file in most trees
PATHS = st.sampled_from(
    ["a.py", "b.ts", "c.md", "lib/a.py", "lib/b.ts", "lib/deep/a.py", "parts/c.md", "a.py/a.py"]
)
# Few names and bodies, so that blocks repeat across files and come back later.
FUNCTIONS = st.tuples(st.sampled_from(["open", "close"]), st.sampled_from(["day + 1", "day - 1", "day"]))
TEXTS = st.lists(FUNCTIONS, min_size=0, max_size=3)
PLACE = st.integers(0, 50)  # of a line or a file, modulo how many there are
BREAKS = st.sampled_from(["x = (\n", "def half(a, b\n", '"""\n', "}\n", "const open = `\n"])
IGNORED = st.sampled_from(["", "lib/\n", "*.md\n", "a.py\n", "lib/*\n!lib/a.py\n", "/parts\n*.ts\n"])
NEXT = st.sampled_from(["go on", "go on", "watch", "watch", "ask"])
UNSAVED = "\n\ndef unsaved_thought(day):\n    return day * 2\n"


def source(path: str, functions: Sequence[tuple[str, str]]) -> str:
    """Write some functions in the language of a file."""
    if path.endswith(".ts"):
        parts = [
            f"export function {name}(day: number) {{\n  return {body};\n}}\n" for name, body in functions
        ]
    elif path.endswith(".md"):
        parts = [f"# {name}\n\nGives {body}.\n" for name, body in functions]
    else:
        parts = [f"def {name}(day):\n    return {body}\n" for name, body in functions]
    return "\n\n".join(parts)


class RecordingEmbedder(HashedEmbedder):
    """Notes every text that is to be found later."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__()
        self._texts = texts

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self._texts += texts
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        return super().embed_documents([text])


class FollowingMachine(RuleBasedStateMachine):
    """A repository that is worked on, and the engine that follows it; most steps leave it in the middle of things."""

    @initialize(functions=TEXTS)
    def begin(self, functions: list[tuple[str, str]]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cc-follow-"))
        self.repository = Repository(self.folder / "tree").start()
        self.root = self.repository.root
        self.runner = asyncio.Runner()
        self.here: Workspace | None = None
        self.embedded: list[str] = []  # every text that the model was given, over the store's life
        (self.folder / "store").mkdir(mode=0o700)
        for path in ("a.py", "lib/b.ts", "lib/deep/a.py", "c.md"):
            self.put(path, source(path, functions))
        self.repository.put("kept.py", source("kept.py", [("kept", "day")]))
        self.repository.commit()
        self.then("watch")

    # --- what people, editors and git do ------------------------------------------------------------------------------

    @rule(path=PATHS, functions=TEXTS, crlf=st.booleans(), then=NEXT)
    def write(self, path: str, functions: list[tuple[str, str]], crlf: bool, then: str) -> None:
        text = source(path, functions)
        self.put(path, text.replace("\n", "\r\n") if crlf else text)
        self.then(then)

    @rule(path=PATHS, functions=TEXTS, then=NEXT)
    def save_atomically(self, path: str, functions: list[tuple[str, str]], then: str) -> None:
        self.put(".a.tmp", source(path, functions))
        if self.may_stand(path):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / ".a.tmp").replace(self.root / path)
        self.then(then)

    @rule(file=PLACE, line=PLACE, put=st.sampled_from(["# a comment\n", "\n\n", "   \n"]), then=NEXT)
    def insert(self, file: int, line: int, put: str, then: str) -> None:
        """Insert a comment or blank lines: neither is new to the model."""
        self.edit(file, line, put)
        self.then(then)

    @rule(file=PLACE, line=PLACE, put=BREAKS, then=NEXT)
    def break_syntax(self, file: int, line: int, put: str, then: str) -> None:
        self.edit(file, line, put)
        self.then(then)

    @rule(then=NEXT)
    def repair_syntax(self, then: str) -> None:
        broken = ("x = (\n", "def half(a, b\n", '"""\n', "}\n", "const open = `\n")
        for path in self.files():
            lines = split_lines((self.root / path).read_bytes().decode())
            text = "".join(
                line for line in lines if line not in broken or (line == "}\n" and path.endswith(".ts"))
            )
            self.put(path, text)
        self.then(then)

    @rule(file=PLACE, then=NEXT)
    def become_binary(self, file: int, then: str) -> None:
        if path := self.pick(file):
            self.put(path, b"\x7fELF\0\0\0\0")
        self.then(then)

    @rule(file=PLACE, then=NEXT)
    def rewrite_with_the_same_size_and_time(self, file: int, then: str) -> None:
        if path := self.pick(file):
            seen = (self.root / path).stat()
            data = (self.root / path).read_bytes()
            self.put(path, data.replace(b"+", b"*").replace(b"open", b"shut"))
            os.utime(self.root / path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
        self.then(then)

    @rule(file=PLACE, then=NEXT)
    def touch(self, file: int, then: str) -> None:
        if path := self.pick(file):
            os.utime(self.root / path)
        self.then(then)

    @rule(file=PLACE, path=PATHS, then=NEXT)
    def rename_file(self, file: int, path: str, then: str) -> None:
        if (old := self.pick(file)) and self.may_stand(path):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / old).replace(self.root / path)
        self.then(then)

    @rule(old=st.sampled_from(FOLDERS), new=st.sampled_from(FOLDERS), then=NEXT)
    def rename_folder(self, old: str, new: str, then: str) -> None:
        free = self.may_stand(new) and not (self.root / new).exists()
        if (self.root / old).is_dir() and free and not f"{new}/".startswith(f"{old}/"):
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            (self.root / old).rename(self.root / new)
        self.then(then)

    @rule(file=PLACE, then=NEXT)
    def delete_file(self, file: int, then: str) -> None:
        if path := self.pick(file):
            (self.root / path).unlink()
        self.then(then)

    @rule(folder=st.sampled_from(FOLDERS), then=NEXT)
    def delete_folder(self, folder: str, then: str) -> None:
        shutil.rmtree(self.root / folder, ignore_errors=True)
        self.then(then)

    @rule(path=st.sampled_from(["a.py", "lib", "lib/deep"]), functions=TEXTS, then=NEXT)
    def turn_file_and_folder_about(self, path: str, functions: list[tuple[str, str]], then: str) -> None:
        """Put a folder where a file is, or a file where a folder is."""
        target = self.root / path
        if target.is_file():
            target.unlink()
            self.put(f"{path}/a.py", source("a.py", functions))
        elif target.is_dir():
            shutil.rmtree(target)
            self.put(path, source("a.py", functions))
        self.then(then)

    @rule(rules=IGNORED, folder=st.sampled_from(["", "lib/"]), then=NEXT)
    def ignore(self, rules: str, folder: str, then: str) -> None:
        if rules:
            self.put(f"{folder}.gitignore", rules)
        else:
            (self.root / folder / ".gitignore").unlink(missing_ok=True)
        self.then(then)

    @rule(then=NEXT)
    def commit(self, then: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=some")
        self.then(then)

    @rule(file=PLACE, then=NEXT)
    def stage(self, file: int, then: str) -> None:
        if path := self.pick(file):
            self.git("add", "--force", path)
        self.then(then)

    @rule(branch=st.sampled_from(["main", "side"]), then=NEXT)
    def switch(self, branch: str, then: str) -> None:
        self.git("branch", "side")  # fails when it is there
        self.git("checkout", "--quiet", "--force", branch)
        self.then(then)

    @rule(then=NEXT)
    def switch_there_and_back(self, then: str) -> None:
        self.git("branch", "side")
        for _ in range(2):
            branch = "main" if (self.root / ".git/HEAD").read_text().strip().endswith("side") else "side"
            self.git("checkout", "--quiet", "--force", branch)
        self.then(then)

    @rule(then=NEXT)
    def stash(self, then: str) -> None:
        self.git("stash", "push", "--quiet", "--include-untracked")
        self.then(then)

    @rule(then=NEXT)
    def pop_stash(self, then: str) -> None:
        self.git("stash", "pop", "--quiet")
        self.then(then)

    # --- what happens to the engine -----------------------------------------------------------------------------------

    @precondition(lambda self: self.here is not None)
    @rule(file=PLACE)
    def ask_about_unsaved_text(self, file: int) -> None:
        if path := self.pick(file):
            overlay = {"path": path, "text": source("a.py", [("open", "day")]) + UNSAVED}
            self.call("search", query="unsaved_thought", overlays=[overlay])
            self.call("ask", question="unsaved_thought", overlays=[overlay])

    @precondition(lambda self: self.here is not None)
    @rule(busy=st.booleans())
    def leave(self, busy: bool) -> None:
        """End the engine, perhaps in the middle of a sync."""
        if busy:
            self.call("index", full=True)
        self.close()

    @precondition(lambda self: self.here is None)
    @rule()
    def lose_the_vectors(self) -> None:
        for folder in (self.folder / "store").glob("**/chroma-*"):
            shutil.rmtree(folder, ignore_errors=True)

    @rule()
    def equals_a_fresh_index(self) -> None:
        self.then("ask")
        assert self.here is not None
        fresh = self.opened("fresh")
        try:
            self.runner.run(fresh.index())
            guarded = self.guarded()
            mine, its = held(self.here, guarded), held(fresh, guarded)
            assert mine.keys() == its.keys()
            for path, rows in mine.items():
                assert rows == its[path], path
        finally:
            self.runner.run(fresh._services.close())
            shutil.rmtree(self.folder / "fresh")

    def teardown(self) -> None:
        if not hasattr(self, "folder"):
            return
        try:
            self.equals_a_fresh_index()
        finally:
            self.close()
            self.runner.close()
            shutil.rmtree(self.folder)

    # --- what must hold -----------------------------------------------------------------------------------------------

    def then(self, how: str) -> None:
        """Go on at once, or wait until the index has found out by itself, or ask for it; then look at all of it."""
        if how == "go on":
            return
        if self.here is None:
            self.here = self.opened("store")
            self.here._services._health.vectors.embedder = RecordingEmbedder(self.embedded)
            self.runner.run(self.here._services.start())
        if how == "ask":
            self.call("index", wait=True)
            self.check(self.blocks())
        else:
            self.runner.run(self.here.until(self.followed))
        self.check_stores()

    async def followed(self) -> bool:
        """Say whether the engine has nothing more to do and everything is as it must be."""
        assert self.here is not None
        status = await self.here.call("status")
        if status["queue"]["running"] or status["queue"]["pending"]:
            return False
        blocks = await self.here.blocks()
        return texts_of(blocks) == self.texts() and not self.confirmed()

    def check(self, blocks: list[Json]) -> None:
        texts, disk = texts_of(blocks), self.texts()
        assert texts.keys() == disk.keys()
        for path, text in texts.items():
            assert text == disk[path], path
        assert not self.confirmed()

    def check_stores(self) -> None:
        """Hold against each other what the stores have."""
        assert self.here is not None
        self.runner.run(self.here.check_leaves())
        wrong = [check for check in self.call("doctor")["checks"] if not check["ok"]]
        assert not wrong
        status = self.call("status")
        assert not status["problems"]
        assert not [block["id"] for block in self.blocks() if block["embed_key"] and not block["embedded_by"]]
        assert len(set(self.embedded)) == len(self.embedded) == status["vectors"]["embedded"]
        assert not any("unsaved" in text for text in self.embedded)
        assert status["files"]["indexed"] == len(self.accepted())

    # --- what is on disk, by git and plain reading --------------------------------------------------------------------

    def accepted(self) -> list[str]:
        """Return the files that git lists and that hold text."""
        listed = (self.root / path for path in self.repository.listed())
        files = [path for path in listed if path.is_file() and b"\0" not in path.read_bytes()]
        return sorted(path.relative_to(self.root).as_posix() for path in files)

    def texts(self) -> dict[str, str]:
        read = {path: (self.root / path).read_bytes().decode() for path in self.accepted()}
        return {path: text for path, text in read.items() if text}

    def guarded(self) -> set[str]:
        assert self.here is not None
        with self.here._services._health.ledger.reader() as reader:
            return {path for path, file in reader.files().items() if file.guarded}

    def confirmed(self) -> set[str]:
        """Return the guarded files that git holds as they are."""
        found = set()
        for path in self.guarded():
            blob = self.git("hash-object", path).strip()
            if blob in self.git("ls-files", "--stage", path) + self.git("ls-tree", "HEAD", path):
                found.add(path)
        return found

    # --- small parts of all that --------------------------------------------------------------------------------------

    def git(self, *arguments: str) -> str:
        """Run git; what it refuses to do in this state is not done."""
        try:
            return self.repository.git(*arguments)
        except subprocess.CalledProcessError:
            return ""

    def call(self, method: str, **params: Any) -> Json:
        assert self.here is not None
        return self.runner.run(self.here.call(method, **params))

    def blocks(self) -> list[Json]:
        assert self.here is not None
        return self.runner.run(self.here.blocks())

    def opened(self, store: str) -> Workspace:
        (self.folder / store).mkdir(mode=0o700, exist_ok=True)
        return Workspace(self.root, services(self.root, self.folder / store, lambda *_: None))

    def close(self) -> None:
        if self.here is not None:
            self.runner.run(self.here._services.close())
            self.here = None

    def files(self) -> list[str]:
        """Return the files that are text, without the one that is always there."""
        return [path for path in self.accepted() if path != "kept.py" and not path.endswith(".gitignore")]

    def pick(self, file: int) -> str | None:
        files = self.files()
        return files[file % len(files)] if files else None

    def may_stand(self, path: str) -> bool:
        """Say whether a file can be at this path as things are."""
        above = [self.root / path, *(self.root / path).parents]
        return not (self.root / path).is_dir() and not any(folder.is_file() for folder in above[1:])

    def put(self, path: str, content: str | bytes) -> None:
        if self.may_stand(path):
            self.repository.put(path, content)

    def edit(self, file: int, line: int, put: str) -> None:
        if path := self.pick(file):
            lines = (self.root / path).read_bytes().decode().splitlines(keepends=True)
            at = line % (len(lines) + 1)
            self.put(path, "".join([*lines[:at], put, *lines[at:]]))


def texts_of(blocks: list[Json]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for block in blocks:
        texts[block["path"]] = texts.get(block["path"], "") + block["text"]
    return texts


def held(here: Workspace, without: set[str]) -> dict[str, tuple[Any, ...]]:
    """Return what a store holds of each file, apart from when it was indexed."""
    with here._services._health.ledger.reader() as reader:
        return {
            path: (
                (file.sha256, file.clean, file.guarded, file.stamp),
                [(row.block, row.embed_key, row.embedded_by) for row in reader.file_blocks(path)],
                reader.file_definitions(path),
            )
            for path, file in reader.files().items()
            if path not in without
        }


TestFollowingMachine = FollowingMachine.TestCase
TestFollowingMachine.settings = settings(
    max_examples=3,
    stateful_step_count=14,
    derandomize=True,
    deadline=None,
    phases=[
        Phase.generate
    ],  # making a failure smaller would take minutes; a dozen steps are read as they are
    suppress_health_check=list(HealthCheck),
)


def main() -> int:
    """Run many examples from a seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    longer = settings(
        TestFollowingMachine.settings, derandomize=False, database=None, max_examples=options.examples
    )
    run_state_machine_as_test(hypothesis.seed(options.seed)(FollowingMachine), settings=longer)
    print(f"{options.examples} examples, seed {options.seed}: all as it must be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
