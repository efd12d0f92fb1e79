"""What the worker says of a path at which there is no file to read."""

import sys
from pathlib import Path

import pytest

from codecite.adapters.disk import WorkTree
from codecite.engine.reading import read_file
from codecite.engine.wire import FileRequest
from codecite.settings import Settings


@pytest.mark.parametrize("path", ["b.py", "lib/b.py", "a.py/b.py"])
def test_a_file_that_went_is_gone(tmp_path: Path, path: str) -> None:
    """Also where a folder on the way to it became a file."""
    (tmp_path / "a.py").write_text("a = 1\n")
    reply = read_file(WorkTree(tmp_path), FileRequest(path, ""), Settings(), "model")
    assert (reply.gone, reply.refusal, reply.record) == (True, None, None)


@pytest.mark.skipif(sys.platform == "win32", reason="opening a folder is another error there")
def test_a_file_that_became_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").mkdir()
    reply = read_file(WorkTree(tmp_path), FileRequest("a.py", ""), Settings(), "model")
    assert reply.refusal is not None
    assert reply.refusal.reason == "unreadable"
