"""The first message starts the engines of the folders that it names, and is handed on byte for byte."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from codecite.lsp import head_start
from codecite.lsp.uris import to_uri
from codecite.model.errors import BadInput


def message(params: Any, method: str = "initialize") -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def taken(*pieces: bytes) -> bytes:
    """Feed pieces through a real pipe, whose other end then closes."""
    source, sink = os.pipe()

    def feed() -> None:
        with os.fdopen(sink, "wb", buffering=0) as pipe:
            for piece in pieces:
                pipe.write(piece)

    feeding = threading.Thread(target=feed)
    feeding.start()
    try:
        return head_start.take(source)
    finally:
        feeding.join()
        os.close(source)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    heard: list[Path] = []
    monkeypatch.setattr(head_start, "start_ahead", heard.append)
    return heard


HERE = Path(__file__).resolve().parent
URI = to_uri(str(HERE))


@pytest.mark.parametrize(
    ("params", "folders"),
    [
        (
            {"workspaceFolders": [{"uri": URI, "name": "a"}, {"uri": to_uri(str(HERE.parent)), "name": "b"}]},
            2,
        ),
        ({"workspaceFolders": [], "rootUri": URI}, 1),
        ({"workspaceFolders": None, "rootUri": None, "rootPath": str(HERE)}, 1),
        ({"rootUri": None}, 0),
        ({"workspaceFolders": [{"uri": "untitled:x"}, {"uri": "vscode-vfs://github/a/b"}, {}, 3]}, 0),
        ([], 0),
        (None, 0),
    ],
)
def test_the_folders_of_initialize_get_their_engines(params: Any, folders: int, started: list[Path]) -> None:
    sent = message(params)
    assert taken(sent) == sent
    assert len(started) == folders
    assert set(started) <= {HERE, HERE.parent}


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"Content-Length: 40\r\n\r\n{",  # the client died
        b"nonsense\r\n\r\n",
        b"Content-Length: x\r\n\r\n{}",
        b"Content-Length: 3\r\n\r\n{]}",
        message({"rootUri": URI}, "shutdown"),
    ],
)
def test_whatever_else_comes_is_handed_on(sent: bytes, started: list[Path]) -> None:
    assert taken(sent) == sent
    assert not started


def test_a_message_may_come_in_pieces_and_with_the_next_one(started: list[Path]) -> None:
    sent = message({"rootUri": URI}) + message({}, "initialized")
    read = taken(sent[:9], sent[9:30], sent[30:])
    assert sent.startswith(read)
    assert started == [HERE]


def test_an_engine_that_cannot_start_keeps_nobody_from_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> None:
        raise BadInput("is not a folder")

    monkeypatch.setattr(head_start, "start_ahead", refuse)
    sent = message({"rootUri": URI})
    assert taken(sent) == sent
