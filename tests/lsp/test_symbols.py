"""Definitions by name, over the protocol."""

from pathlib import Path
from typing import Any

from tests.lsp.client import Client, opened
from tests.lsp.scripted import script


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
