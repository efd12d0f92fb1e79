"""`textDocument/hover` as the protocol has it: what is asked of the engine, what comes back, and when nothing does."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import CANCELLED, INVALID_PARAMS, Client, Json, opened
from tests.lsp.scripted import citation, script

TEXT = "x = 名前 + f(\U0001f680)\n\ndef f():\n    return 1\n"
MARKDOWN = {"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}}


def described(name: str = "f", column: int = 9, **more: Any) -> Json:
    cited = citation(
        1, "sub dir/a(1).py", ["def f():\n", "    return 1\n"], focus={"line": 1, "column": 4, "length": 1}
    )
    return {
        "name": name, "column": column, "length": len(name), "reason": "only", "total": 1,
        "definitions": [{"citation": cited, "kind": "function", "signature": "def f()", "doc": "Does."}],
        "mentions": None, "receiver_unknown": False, "imported_from": "", "lacks": [], **more,
    }  # fmt: skip


async def ready(client: Client, *folders: Path, **more: Any) -> None:
    """Greet, and wait until the engines have answered: before, there is no hover."""
    await client.initialize(*folders, **{"capabilities": MARKDOWN, **more})
    await client.wait_for(lambda _: len(client.all_told("codecite/statusChanged")) == len(folders))


def at(uri: str | Path, line: int, character: int) -> Json:
    name = uri if isinstance(uri, str) else uri.as_uri()
    return {"textDocument": {"uri": name}, "position": {"line": line, "character": character}}


async def hover(client: Client, uri: str | Path, line: int, character: int) -> Any:
    return await client.request("textDocument/hover", at(uri, line, character))


async def asked(client: Client) -> list[Json]:
    calls = await client.calls()
    return [json.loads(call.removeprefix("describe ")) for call in calls if call.startswith("describe ")]


async def test_a_hover(client: Client, tmp_path: Path) -> None:
    folder = script(tmp_path / "ws 1", described=described())
    await ready(client, folder)
    client.notify("textDocument/didOpen", opened((folder / "b.py").as_uri(), TEXT))
    found = await hover(client, folder / "b.py", 0, 9)
    assert found["range"] == {"start": {"line": 0, "character": 9}, "end": {"line": 0, "character": 10}}
    assert found["contents"]["kind"] == "markdown"
    link = (folder / "sub dir").as_uri() + "/a%281%29.py#L1,5"
    assert f"function `f`, defined in [sub dir/a(1).py:1]({link})" in found["contents"]["value"]
    assert await asked(client) == [
        {"path": "b.py", "line": 1, "column": 9, "overlays": [{"path": "b.py", "text": TEXT}]}
    ]


LANGUAGES = [
    ("en-GB", "defined in"),
    ("zh-cn", "定义于"),
    ("ZH-TW", "定义于"),
    ("de", "defined in"),
    (None, "defined in"),
]


@pytest.mark.parametrize(("locale", "words"), LANGUAGES)
async def test_its_language_is_the_editors(
    client: Client, tmp_path: Path, locale: str | None, words: str
) -> None:
    folder = script(tmp_path / "ws", described=described())
    (folder / "b.py").write_text(TEXT, "utf-8")
    await ready(client, folder, locale=locale)
    assert words in (await hover(client, folder / "b.py", 0, 9))["contents"]["value"]


@pytest.mark.parametrize(
    "capabilities",
    [
        {},
        {"textDocument": {}},
        {"textDocument": {"hover": {}}},
        {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}},
    ],
)
async def test_plain_text_for_clients_without_markdown(
    client: Client, tmp_path: Path, capabilities: Json
) -> None:
    folder = script(tmp_path / "ws", described=described())
    (folder / "b.py").write_text(TEXT, "utf-8")
    await ready(client, folder, capabilities=capabilities)
    contents = (await hover(client, folder / "b.py", 0, 9))["contents"]
    assert contents == {
        "kind": "plaintext",
        "value": "def f()\n\nfunction f, defined in sub dir/a(1).py:1\n\nDoes.",
    }


UNITS = [("utf-8", "utf-8", 1), ("utf-16", "utf-16-le", 2), ("utf-32", "utf-32-le", 4)]


@pytest.mark.parametrize(("encoding", "codec", "unit"), UNITS)
async def test_positions_are_the_clients(
    client: Client, tmp_path: Path, encoding: str, codec: str, unit: int
) -> None:
    line = "s = '\U0001f680 名'; f()\n"
    column = line.index("f")
    character = len(line[:column].encode(codec)) // unit
    folder = script(tmp_path / "ws", described=described(column=column))
    (folder / "b.py").write_text(line, "utf-8")
    await ready(client, folder, capabilities={**MARKDOWN, "general": {"positionEncodings": [encoding]}})
    place = (await hover(client, folder / "b.py", 0, character))["range"]
    assert (place["start"]["character"], place["end"]["character"]) == (character, character + 1)
    assert [one["column"] for one in await asked(client)] == [column]


async def test_links_follow_the_text_in_the_editor(client: Client, tmp_path: Path) -> None:
    folder = script(tmp_path / "ws", described=described())
    (folder / "b.py").write_text(TEXT, "utf-8")
    await ready(client, folder)
    uri = (folder / "sub dir" / "a(1).py").as_uri()
    client.notify("textDocument/didOpen", opened(uri, "\n\n\n" + "def f():\n    return 1\n"))
    assert "#L4,5)" in (await hover(client, folder / "b.py", 0, 9))["contents"]["value"]


NOWHERE: list[tuple[str, int, int]] = [
    ("untitled:Untitled-1", 0, 9),
    ("git:/ws/b.py?%7B%22ref%22%3A%22%22%7D", 0, 9),
    ("vscode-notebook-cell:/ws/b.ipynb#W0sZmlsZQ", 0, 9),
    ("file:///elsewhere/b.py", 0, 9),
    ("nonsense", 0, 0),
    ("", 0, 0),
]
OUTSIDE = [(99, 0), (0, 2), (1, 0), (0, 9999), (2**31 - 1, 2**31 - 1)]


async def test_nothing_where_nothing_can_be(client: Client, tmp_path: Path) -> None:
    folder = script(tmp_path / "ws", described=described())
    (folder / "b.py").write_text(TEXT, "utf-8")
    (folder / "c.py").mkdir()
    await ready(client, folder)
    for uri, _, _ in NOWHERE:
        if uri:
            client.notify("textDocument/didOpen", opened(uri, TEXT))
    for uri, line, character in NOWHERE:
        assert await hover(client, uri, line, character) is None, uri
    for line, character in OUTSIDE:
        assert await hover(client, folder / "b.py", line, character) is None, (line, character)
    for name in ("none.py", "c.py"):
        assert await hover(client, folder / name, 0, 0) is None, name
    assert await asked(client) == []


WRONG: list[Any] = [None, {}, [], {"textDocument": {"uri": 7}, "position": {"line": 0, "character": 0}}, {"textDocument": {"uri": "file:///a"}}, at("file:///a.py", -1, 0), {"textDocument": {"uri": "file:///a"}, "position": {"line": "x", "character": 0}}]  # fmt: skip


async def test_wrong_parameters_are_refused(client: Client, workspace: Path) -> None:
    await ready(client, workspace)
    for params in WRONG:
        answer = await client.answer(client.start("textDocument/hover", params))
        assert answer.get("error", {}).get("code", INVALID_PARAMS) == INVALID_PARAMS, params
        assert answer.get("result") is None
        assert "raceback" not in json.dumps(answer)


async def test_out_of_turn(client: Client, workspace: Path) -> None:
    params = at(workspace / "a.py", 0, 0)
    assert (await client.error("textDocument/hover", params))["code"] == -32002
    await ready(client, workspace)
    await client.request("shutdown")
    assert (await client.error("textDocument/hover", params))["code"] == -32600


async def test_no_engine_is_started_for_it(client: Client, tmp_path: Path) -> None:
    folder = script(tmp_path / "ws", described=described(), fails=True)
    (folder / "b.py").write_text(TEXT, "utf-8")
    await client.initialize(folder, capabilities=MARKDOWN)
    await client.told("window/showMessage")
    assert await hover(client, folder / "b.py", 0, 9) is None


async def test_folders_that_are_closed_and_none_at_all(client: Client, tmp_path: Path) -> None:
    folder = script(tmp_path / "ws", described=described())
    (folder / "b.py").write_text(TEXT, "utf-8")
    await ready(client, folder)
    gone = {"event": {"removed": [{"uri": folder.as_uri(), "name": "ws"}], "added": []}}
    client.notify("workspace/didChangeWorkspaceFolders", gone)
    assert await hover(client, folder / "b.py", 0, 9) is None


@pytest.mark.parametrize("engine", ["wait", "gone", None])
async def test_an_engine_that_does_not_answer_is_no_answer(
    client: Client, tmp_path: Path, engine: str | None
) -> None:
    folder = script(tmp_path / "ws", described=engine)
    (folder / "b.py").write_text(TEXT, "utf-8")
    await ready(client, folder)
    assert await hover(client, folder / "b.py", 0, 9) is None


async def test_cancelled_and_broken(client: Client, tmp_path: Path) -> None:
    waits, breaks = script(tmp_path / "one", described="wait"), script(tmp_path / "two", described="broken")
    for folder in (waits, breaks):
        (folder / "b.py").write_text(TEXT, "utf-8")
    await ready(client, waits, breaks)
    number = client.start("textDocument/hover", at(waits / "b.py", 0, 9))
    client.notify("$/cancelRequest", {"id": number})
    assert (await client.answer(number))["error"]["code"] == CANCELLED
    error = await client.error("textDocument/hover", at(breaks / "b.py", 0, 9))
    assert "details" not in json.dumps(error)


async def test_only_the_document_itself_comes_along(client: Client, tmp_path: Path) -> None:
    folder = script(tmp_path / "ws", described=described())
    await ready(client, folder)
    for name in ("b.py", "c.py"):
        client.notify("textDocument/didOpen", opened((folder / name).as_uri(), TEXT))
    await hover(client, folder / "b.py", 0, 9)
    assert [[one["path"] for one in each["overlays"]] for each in await asked(client)] == [["b.py"]]
