"""The beginning, progress bars (P01) and file events (P02), with clients of few abilities."""

from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import INVALID_PARAMS, SILENCE, Client, Json, opened
from tests.lsp.scripted import script


async def test_says_what_it_can(client: Client, workspace: Path) -> None:
    result = await client.initialize(workspace)
    capabilities = result["capabilities"]
    assert capabilities["positionEncoding"] == "utf-16"
    assert capabilities["textDocumentSync"]["change"] == 2
    assert capabilities["textDocumentSync"]["openClose"]
    assert capabilities["textDocumentSync"]["save"]
    assert set(capabilities["executeCommandProvider"]["commands"]) == {
        "codecite.ask",
        "codecite.reindex",
        "codecite.status",
    }
    assert capabilities["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}


async def test_requests_out_of_turn_are_answered(client: Client, workspace: Path) -> None:
    assert (await client.error("codecite/status"))["code"] == -32002
    assert (await client.error("initialize", {"capabilities": 7}))["code"] == INVALID_PARAMS
    await client.initialize(workspace)
    assert (await client.error("initialize", {"capabilities": {}}))["code"] == -32600
    assert (await client.error("codecite/nonsense"))["code"] == -32601
    await client.request("shutdown")
    assert (await client.error("codecite/status"))["code"] == -32600


@pytest.mark.parametrize("root", ["rootUri", "rootPath"])
async def test_clients_that_know_no_folders(client: Client, workspace: Path, root: str) -> None:
    given = workspace.as_uri() if root == "rootUri" else str(workspace)
    await client.initialize(**{root: given})
    found = await client.request("codecite/ask", {"question": "where is f?"})
    assert found["citations"][0]["location"]["uri"] == (workspace / "a.py").as_uri()


STEPS = [
    {"phase": "scan", "done": 0, "total": 0},
    *({"phase": "parse", "done": n, "total": 9} for n in range(9)),
]
WITH_PROGRESS = {"window": {"workDoneProgress": True}}


async def test_no_progress_for_a_client_without_it(client: Client, tmp_path: Path) -> None:
    await client.initialize(script(tmp_path / "ws", steps=STEPS))
    await client.told("window/logMessage")
    assert not client.all_told("window/workDoneProgress/create")
    assert not client.all_told("$/progress")


REFUSALS = [{"error": {"code": -32601, "message": "no"}}, SILENCE]


@pytest.mark.parametrize("reply", REFUSALS, ids=["refused", "never answered"])
async def test_indexing_waits_for_no_progress_bar(client: Client, tmp_path: Path, reply: Any) -> None:
    client.replies["window/workDoneProgress/create"] = reply
    await client.initialize(script(tmp_path / "ws", steps=STEPS), capabilities=WITH_PROGRESS)
    await client.told("window/logMessage")
    assert len(client.all_told("window/workDoneProgress/create")) == 1
    assert not client.all_told("$/progress")
    assert await client.request("codecite/reindex", {})


async def test_progress_begins_reports_and_ends(client: Client, tmp_path: Path) -> None:
    await client.initialize(
        script(tmp_path / "ws", steps=STEPS, index_waits=True), capabilities=WITH_PROGRESS
    )
    begun = await client.wait_for(lambda m: m.get("params", {}).get("value", {}).get("kind") == "begin")
    assert begun["params"]["token"] == client.all_told("window/workDoneProgress/create")[0]["token"]
    client.notify("window/workDoneProgress/cancel", {"token": begun["params"]["token"]})
    await client.wait_for(lambda m: m.get("params", {}).get("value", {}).get("kind") == "end")
    assert "index cancelled" in await client.calls()


@pytest.mark.parametrize(
    ("locale", "title", "message"),
    [("en", "Indexing", "reading files: 8 of 9"), ("zh-cn", "正在索引", "正在读取文件：8 / 9")],
)
async def test_a_token_that_came_with_a_request_is_used(
    client: Client, tmp_path: Path, locale: str, title: str, message: str
) -> None:
    await client.initialize(script(tmp_path / "ws", steps=STEPS), locale=locale)
    await client.told("window/logMessage")
    await client.request("codecite/reindex", {"workDoneToken": "mine"})
    values = [told["value"] for told in client.all_told("$/progress") if told["token"] == "mine"]
    assert [value["kind"] for value in values] == ["begin", *["report"] * (len(STEPS) - 1), "end"]
    assert values[0]["title"] == title
    assert message in [value.get("message") for value in values]
    assert not client.all_told("window/workDoneProgress/create")


@pytest.mark.parametrize(
    "capability", [{}, {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": False}}}]
)
async def test_nothing_is_registered_unasked(client: Client, workspace: Path, capability: Json) -> None:
    client.replies["client/registerCapability"] = {"error": {"code": -32601, "message": "no"}}
    await client.initialize(workspace, capabilities=capability)
    await client.told("window/logMessage")
    assert not client.all_told("client/registerCapability")


async def test_file_events_are_registered_where_the_client_can(client: Client, workspace: Path) -> None:
    client.replies["client/registerCapability"] = {"error": {"code": -32601, "message": "not now"}}
    capability = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    await client.initialize(workspace, capabilities=capability)
    wish = await client.told("client/registerCapability")
    assert wish["params"]["registrations"][0]["method"] == "workspace/didChangeWatchedFiles"
    assert await client.request("codecite/ask", {"question": "still there?"})


async def test_the_engine_is_told_what_is_open_and_what_was_written(client: Client, workspace: Path) -> None:
    await client.initialize(workspace)
    await client.told("codecite/statusChanged")
    files = [(workspace / name).as_uri() for name in ("a.py", "b.py", ".git/index")]
    client.notify("textDocument/didOpen", opened(files[0], "def f(): pass\n"))
    client.notify("textDocument/didSave", {"textDocument": {"uri": files[0]}})
    odd = {"uri": "_right_pane:/ws/a.py", "type": 2}
    changes = [odd, *({"uri": file, "type": 2} for file in files)]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    expected = [
        'changed {"open": ["a.py"]}',
        'changed {"paths": ["a.py"]}',
        'changed {"paths": ["a.py", "b.py"]}',
    ]
    while len(told := [call for call in await client.calls() if call.startswith("changed")]) < len(expected):
        pass
    assert told == expected
