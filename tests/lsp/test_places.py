"""Which document a citation is in, and where: odd schemes, spellings of one file, three encodings."""

from pathlib import Path

import pytest
from tests.lsp.client import Client, opened
from tests.lsp.scripted import citation, script


async def test_without_a_folder_there_is_an_explanation(client: Client) -> None:
    await client.initialize()
    found = await client.request("codecite/ask", {"question": "where is f?"})
    assert found["abstained"]
    assert found["citations"] == []
    assert "folder" in found["text"]
    assert (await client.request("codecite/status"))["workspaces"] == []
    assert (await client.request("codecite/reindex", {}))["workspaces"] == []


OTHER_SCHEMES = [
    "untitled:Untitled-7",
    "vscode-vfs://github/owner/repo/a.py",
    "git:/ws/a.py?%7B%22ref%22%3A%22HEAD%22%7D",
    "vscode-notebook-cell:/ws/n.ipynb#X12",
    "output:tasks",
    "%",
    "",
]


async def test_other_schemes_do_no_harm(client: Client, workspace: Path) -> None:
    await client.initialize(workspace, "vscode-vfs://github/owner/repo", "untitled:x")
    for uri in OTHER_SCHEMES:
        document = {"uri": uri, "version": 2}
        client.notify("textDocument/didOpen", opened(uri, "def f(): pass\n"))
        client.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": "x\n"}]}
        )
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
        found = await client.request("codecite/ask", {"question": "f?", "uri": uri})
        assert [one["path"] for one in found["citations"]] == ["a.py"]
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert not client.all_told("window/showMessage")


async def test_an_open_file_is_cited_by_the_spelling_of_its_client(client: Client, tmp_path: Path) -> None:
    folder = script(tmp_path / "my folder", citation(1, "b.py", ["def f():\n", "    return 1\n"]))
    await client.initialize(folder)
    plain = (folder / "b.py").as_uri()
    spelled = plain.replace("b.py", "%62%2Epy")
    client.notify("textDocument/didOpen", opened(spelled, "import os\n\n\ndef f():\n    return 1\n"))
    found = await client.request("codecite/ask", {"question": "f?"})
    assert found["citations"][0]["location"]["uri"] == spelled
    assert found["citations"][0]["location"]["range"]["start"] == {"line": 3, "character": 0}
    assert found["citations"][0]["state"] == "moved"
    client.notify("textDocument/didClose", {"textDocument": {"uri": plain}})
    found = await client.request("codecite/ask", {"question": "f?"})
    assert found["citations"][0]["location"]["uri"] == plain
    assert found["citations"][0]["location"]["range"]["start"] == {"line": 0, "character": 0}


@pytest.mark.parametrize(
    ("encoding", "end", "name"),
    [("utf-8", 23, (12, 18)), ("utf-16", 16, (8, 11)), ("utf-32", 15, (7, 10))],
)
async def test_places_are_in_the_units_of_the_client(
    client: Client, tmp_path: Path, encoding: str, end: int, name: tuple[int, int]
) -> None:
    line = "/*\U0001f680名*/ \u00e9名f = 1;\n"
    cited = citation(1, "a.js", ["//\n", line], start=4, focus={"line": 5, "column": 7, "length": 3})
    capabilities = {"general": {"positionEncodings": ["utf-7", encoding, "utf-16"]}}
    result = await client.initialize(script(tmp_path / "ws", cited), capabilities=capabilities)
    assert result["capabilities"]["positionEncoding"] == encoding
    (found,) = (await client.request("codecite/ask", {"question": "f?"}))["citations"]
    assert found["location"]["range"] == {
        "start": {"line": 3, "character": 0},
        "end": {"line": 4, "character": end},
    }
    assert found["selection"] == {
        "start": {"line": 4, "character": name[0]},
        "end": {"line": 4, "character": name[1]},
    }


async def test_what_changed_in_the_editor_is_cited_as_it_stands_there(
    client: Client, workspace: Path
) -> None:
    await client.initialize(workspace)
    client.notify(
        "textDocument/didOpen", opened((workspace / "a.py").as_uri(), "x = 1\ndef f():\n    return 22")
    )
    (found,) = (await client.request("codecite/ask", {"question": "f?"}))["citations"]
    assert (found["state"], found["start_line"], found["end_line"]) == ("changed", 2, 3)
    assert found["location"]["range"]["end"] == {"line": 2, "character": len("    return 22")}


async def test_what_changed_on_disk_ends_where_the_next_line_starts(client: Client, tmp_path: Path) -> None:
    """The engine says that other lines stand there by now, so nobody knows how long they are."""
    changed = citation(1, "a.py", ["def f():\n", "    return 1\n"], state="changed")
    await client.initialize(script(tmp_path / "ws", changed))
    (found,) = (await client.request("codecite/ask", {"question": "f?"}))["citations"]
    assert found["location"]["range"] == {
        "start": {"line": 0, "character": 0},
        "end": {"line": 2, "character": 0},
    }


async def test_what_is_gone_has_no_place(client: Client, tmp_path: Path) -> None:
    gone = citation(1, "a.py", ["def f():\n"], state="gone", focus={"line": 1, "column": 4, "length": 1})
    await client.initialize(script(tmp_path / "ws", gone))
    (found,) = (await client.request("codecite/ask", {"question": "f?"}))["citations"]
    assert found["location"] is None
    assert found["selection"] is None
