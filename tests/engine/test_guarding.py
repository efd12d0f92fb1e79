"""Which broken files are read a second time: those that parsed before and that git does not hold as they are."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from codecite.adapters.disk import WorkTree
from codecite.adapters.git import GitCommand
from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.engine.guarding import ASKED_AT_ONCE, Guarding
from codecite.engine.parse_pool import WorkerFailure
from codecite.engine.reading import read_file
from codecite.engine.wire import FileReply, FileRequest
from codecite.ports import FileUpdate
from codecite.settings import Settings

Json = dict[str, Any]
Answer = Callable[[FileRequest], Json | WorkerFailure]

CLEAN = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
BROKEN = "x = (\n\n\ndef two():\n    return 2\n"


class HoldingGit(GitCommand):
    """A git that holds the files it is told to, whatever they contain."""

    def __init__(self, root: Path, *held: str) -> None:
        super().__init__(root)
        self.held = held
        self.asked: list[int] = []  # how many files, each time

    def confirms(self, contents: Mapping[str, bytes]) -> frozenset[str]:
        if contents:
            self.asked.append(len(contents))
        return frozenset(self.held) & contents.keys()


class Scene:
    """A folder, a ledger, and the worker's own reading, in this process."""

    def __init__(self, root: Path) -> None:
        self.root = root / "tree"
        self.root.mkdir()
        self.disk = WorkTree(self.root)
        self.ledger = SqliteLedger(root / "store")
        self.git = HoldingGit(self.root)
        self.second: list[FileRequest] = []

    def save(self, path: str, text: str) -> None:
        (self.root / path).write_text(text)

    def read(self, request: FileRequest) -> Json:
        return read_file(self.disk, request, Settings(), "model").to_json()

    def guarding(self) -> Guarding:
        with self.ledger.reader() as reader:
            return Guarding(self.disk, self.git, self.ledger, 1 << 20, reader.files())

    def sync(self, *paths: str, again: Answer | None = None, plain: bool = False) -> dict[str, FileReply]:
        """Read files as a sync does; `again` answers the second requests."""

        def worker(requests: Iterable[Json]) -> Iterator[tuple[Json, Json | WorkerFailure]]:
            for data in requests:
                self.second.append(request := FileRequest.from_json(data))
                yield data, (again or self.read)(request)

        guarding = self.guarding()
        replies: list[FileReply] = []
        for path in paths:
            first = FileReply.from_json(self.read(FileRequest(path, "", plain=plain)))
            replies += guarding.passed(first, plain=plain)
        replies += guarding.rest(worker)
        for reply in replies:
            if reply.record is not None:
                update = FileUpdate(reply.record, reply.blocks, reply.definitions, None, 1.0, reply.guarded)
                self.ledger.write_file(update, reply.embed_texts or {})
        assert self.ledger.check() == []
        assert len({reply.path for reply in replies}) == len(replies) == len(paths)
        return {reply.path: reply for reply in replies}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    made.save("a.py", CLEAN)
    made.sync("a.py")
    yield made
    made.ledger.close()


def lost(reply: FileReply) -> list[str] | None:
    return [item.symbol for item in reply.guarded.retained] if reply.guarded else None


def test_a_file_that_stops_parsing_is_read_beside_its_last_clean_text(scene: Scene) -> None:
    for text, missing in (
        (BROKEN, ["one"]),
        (BROKEN.replace("def two", "de two"), ["one", "two"]),
        (CLEAN, None),
    ):
        scene.save("a.py", text)
        assert lost(scene.sync("a.py")["a.py"]) == missing
    assert [request.before for request in scene.second] == [CLEAN, CLEAN]


def test_a_new_file_and_one_that_never_parsed_are_read_once(scene: Scene) -> None:
    for text in (BROKEN, BROKEN.replace("def two", "de two")):
        scene.save("new.py", text)
        assert lost(scene.sync("new.py")["new.py"]) is None
    assert (scene.second, scene.git.asked) == ([], [])


def test_what_git_holds_is_meant(scene: Scene) -> None:
    scene.save("a.py", BROKEN)
    scene.sync("a.py")
    assert scene.guarding().with_confirmed([], ()) == []
    scene.git.held = ("a.py",)
    asked = [FileRequest("b.py", "12"), FileRequest("a.py", sha256(BROKEN.encode()).hexdigest())]
    assert scene.guarding().with_confirmed(asked, ()) == [asked[0], FileRequest("a.py", "")]
    assert scene.guarding().with_confirmed(asked, ("a.py",)) == asked
    assert lost(scene.sync("a.py")["a.py"]) is None
    assert scene.guarding().with_confirmed([], ()) == []  # it is guarded no more


def test_what_is_not_what_was_read_is_not_confirmed(scene: Scene) -> None:
    """The file changes after the worker has read it: what git says of the new bytes is not about the old ones."""
    scene.save("a.py", BROKEN)
    scene.git.held = ("a.py",)
    guarding = scene.guarding()
    first = FileReply.from_json(scene.read(FileRequest("a.py", "")))
    scene.save("a.py", BROKEN + "\n")
    assert list(guarding.passed(first)) == []
    replies = guarding.rest(
        lambda requests: ((data, scene.read(FileRequest.from_json(data))) for data in requests)
    )
    assert [lost(reply) for reply in replies] == [["one"]]
    assert scene.git.asked == []


def crash(request: FileRequest) -> WorkerFailure:
    return WorkerFailure("crashed", request.path)


def test_where_the_second_reading_fails_the_first_counts(scene: Scene) -> None:
    scene.save("a.py", BROKEN)
    reply = scene.sync("a.py", again=crash)["a.py"]
    assert (lost(reply), [item.block.name for item in reply.blocks]) == (None, ["", "two"])


def test_a_file_that_is_gone_by_then_is_gone(scene: Scene) -> None:
    scene.save("a.py", BROKEN)

    def gone(request: FileRequest) -> Json:
        (scene.root / request.path).unlink()
        return scene.read(request)

    assert scene.sync("a.py", again=gone)["a.py"].gone


def test_a_text_that_the_parser_fails_on_is_not_parsed_a_second_time(scene: Scene) -> None:
    scene.save("a.py", BROKEN)
    reply = scene.sync("a.py", plain=True)["a.py"]
    assert [request.plain for request in scene.second] == [True]
    assert lost(reply) == ["one"]
    assert [item.block.symbol for item in reply.blocks] == ["", "two"]


def test_many_broken_files_are_asked_about_together(scene: Scene) -> None:
    paths = [f"m{n}.py" for n in range(ASKED_AT_ONCE + 3)]
    for path in paths:
        scene.save(path, CLEAN)
    scene.sync(*paths)
    for path in paths:
        scene.save(path, BROKEN)
    scene.git.held = tuple(paths[::2])
    replies = scene.sync(*paths)
    assert scene.git.asked == [ASKED_AT_ONCE, 3]
    assert [lost(replies[path]) for path in paths] == [
        None if n % 2 == 0 else ["one"] for n in range(len(paths))
    ]
