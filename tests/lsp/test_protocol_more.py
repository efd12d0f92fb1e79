"""Versions that do not fit, partial results, and definitions by name over the protocol."""

from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import Client, opened
from tests.lsp.scripted import citation, script

from codecite import __version__

MAJOR, MINOR, *_ = __version__.split(".")
FITTING: list[Any] = [None, {}, {"extensionVersion": f"{MAJOR}.{MINOR}.99"}, {"extensionVersion": 7}, [], "x"]
OTHERS = [f"{int(MAJOR) + 1}.{MINOR}.0", f"{MAJOR}.{int(MINOR) + 1}.0"]


@pytest.mark.parametrize("options", FITTING)
async def test_an_extension_that_fits(client: Client, workspace: Path, options: Any) -> None:
    result = await client.initialize(workspace, initializationOptions=options)
    assert result["serverInfo"] == {"name": "codecite", "version": __version__}


@pytest.mark.parametrize("version", OTHERS)
async def test_an_extension_of_another_version_is_refused_in_a_line(client: Client, version: str) -> None:
    error = await client.error(
        "initialize",
        {
            "processId": None,
            "rootUri": None,
            "capabilities": {},
            "initializationOptions": {"extensionVersion": version},
        },
    )
    assert version in error["message"]
    assert __version__ in error["message"]
    assert "update" in error["message"]
    assert "\n" not in error["message"]
    assert "raceback" not in str(error)


async def test_partial_results_are_whole_answers(client: Client, tmp_path: Path) -> None:
    folders = [
        script(tmp_path / name, citation(1, f"{name}.py", ["x\n"])) for name in ("one", "two", "three")
    ]
    await client.initialize(*folders)
    result = await client.request("codecite/ask", {"question": "f?", "partialResultToken": "p1"})
    partial = [one["value"] for one in client.all_told("$/progress") if one["token"] == "p1"]
    assert [len(one["citations"]) for one in partial] == [1, 2]
    assert len(result["citations"]) == 3
    for one in partial:
        assert one.keys() == result.keys()
        assert all(citation["location"] for citation in one["citations"])


async def test_no_partial_result_of_one_folder_or_without_a_token(client: Client, workspace: Path) -> None:
    await client.initialize(workspace)
    await client.request("codecite/ask", {"question": "f?", "partialResultToken": 1})
    await client.request("codecite/ask", {"question": "f?"})
    assert client.all_told("$/progress") == []


def symbol(name: str, path: str, text: str, rank: list[int], **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "symbol": name,
        "kind": "function",
        "path": path,
        "line": 1,
        "column": text.rindex(name),
        "text": text,
        "rank": rank,
        **more,
    }


async def symbols(client: Client, query: str = "f") -> list[Any]:
    return list(await client.request("workspace/symbol", {"query": query}))


async def test_definitions_of_all_folders(client: Client, tmp_path: Path) -> None:
    outer = script(
        tmp_path / "ws",
        symbols=[
            symbol("far", "\u540d.py", "\U0001f680 def far", [2], symbol="A.far", kind="method"),
            symbol("f", "in/b.py", "def f", [0]),
        ],
    )
    inner = script(tmp_path / "ws" / "in", symbols=[symbol("f", "b.py", "def f", [0])])
    await client.initialize(outer, inner)
    found = await symbols(client)
    assert [(one["name"], one["kind"], one["containerName"]) for one in found] == [
        ("f", 12, "b.py"),
        ("far", 6, "A \u2014 \u540d.py"),
    ]
    assert found[1]["location"] == {
        "uri": (outer / "\u540d.py").as_uri(),
        "range": {"start": {"line": 0, "character": 7}, "end": {"line": 0, "character": 10}},
    }
    assert await symbols(client, "") == []


async def test_definitions_stand_where_the_editor_shows_them(client: Client, tmp_path: Path) -> None:
    folder = script(
        tmp_path / "ws", symbols=[symbol("f", "a.py", "def f", [0]), symbol("g", "a.py", "def g", [1])]
    )
    await client.initialize(folder)
    client.notify("textDocument/didOpen", opened((folder / "a.py").as_uri(), "\n\ndef f\n"))
    (one,) = await symbols(client)
    assert one["location"]["range"]["start"] == {"line": 2, "character": 4}


async def test_no_folder_and_out_of_turn(client: Client) -> None:
    assert (await client.error("workspace/symbol", {"query": "f"}))["code"] == -32002
    await client.initialize()
    assert await symbols(client) == []
    assert (await client.error("workspace/symbol", {}))["code"] == -32602
    await client.request("shutdown")
    assert (await client.error("workspace/symbol", {"query": "f"}))["code"] == -32600
