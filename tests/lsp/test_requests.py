"""Asking, cancelling, partial results, wrong parameters, commands, failures."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import CANCELLED, FAILED, INVALID_PARAMS, Client, Json
from tests.lsp.scripted import citation, script

ASKING = [
    ("codecite/ask", {"question": "wait"}),
    ("workspace/executeCommand", {"command": "codecite.ask", "arguments": [{"question": "wait"}]}),
]


@pytest.mark.parametrize(("method", "params"), ASKING)
async def test_a_cancelled_request_is_answered_and_its_work_ends(
    client: Client, workspace: Path, method: str, params: Json
) -> None:
    await client.initialize(workspace)
    numbers = [client.start(method, params) for _ in range(10)]
    for number in numbers:
        client.notify("$/cancelRequest", {"id": number})
    for number in numbers:
        assert (await client.answer(number))["error"]["code"] == CANCELLED
    assert (await client.request("codecite/ask", {"question": "f?"}))["citations"]
    calls = await client.calls()
    assert calls.count("ask cancelled") == sum(call.startswith("ask ") and '"wait"' in call for call in calls)


async def test_the_button_of_a_bar_cancels_its_request(client: Client, workspace: Path) -> None:
    await client.initialize(workspace)
    number = client.start("codecite/ask", {"question": "wait", "workDoneToken": 7})
    await client.told("$/progress")
    client.notify("window/workDoneProgress/cancel", {"token": 7})
    assert (await client.answer(number))["error"]["code"] == CANCELLED
    assert "ask cancelled" in await client.calls()


WRONG: list[tuple[str, Any]] = [
    ("codecite/ask", None),
    ("codecite/ask", [1]),
    ("codecite/ask", {}),
    ("codecite/ask", {"question": "  "}),
    ("codecite/ask", {"question": 7}),
    ("codecite/ask", {"question": "f?", "k": 0}),
    ("codecite/ask", {"question": "f?", "k": True}),
    ("codecite/ask", {"question": "f?", "uri": 7}),
    ("codecite/reindex", {"full": "yes"}),
    ("workspace/executeCommand", {"command": "codecite.ask"}),
    ("workspace/executeCommand", {"command": "codecite.ask", "arguments": ["where is f?"]}),
    ("workspace/executeCommand", {"command": "codecite.ask", "arguments": [{"question": "f?"}, 2]}),
    ("workspace/executeCommand", {"command": "codecite.nonsense", "arguments": []}),
    ("workspace/executeCommand", {"arguments": []}),
]


async def test_wrong_parameters_are_refused_in_one_line(client: Client, workspace: Path) -> None:
    await client.initialize(workspace)
    for method, params in WRONG:
        error = await client.error(method, params)
        assert error["code"] == INVALID_PARAMS, (method, params, error)
        assert error["message"]
        assert "\n" not in error["message"]
        assert "raceback" not in json.dumps(error)


COMMANDS = [
    ("ask", {"question": "where is f?"}),
    ("ask", {"question": "where is f?", "uri": None, "position": {"line": 0, "character": 0}}),
    ("status", {}),
    ("reindex", {"full": True}),
]


@pytest.mark.parametrize(("name", "argument"), COMMANDS)
async def test_a_command_is_the_request(client: Client, workspace: Path, name: str, argument: Json) -> None:
    await client.initialize(workspace)
    await client.told("codecite/statusChanged")
    by_command = await client.request(
        "workspace/executeCommand", {"command": f"codecite.{name}", "arguments": [argument]}
    )
    by_request = await client.request(f"codecite/{name}", argument)
    for result in (by_command, by_request):
        for each in result.get("workspaces", []), [result]:
            for one in each:
                one.pop("calls", None)
    assert by_command == by_request


async def test_commands_without_an_argument(client: Client, workspace: Path) -> None:
    await client.initialize(workspace)
    for name in ("status", "reindex"):
        assert await client.request("workspace/executeCommand", {"command": f"codecite.{name}"})


async def test_failures_are_a_line_with_the_mend_or_without_details(client: Client, workspace: Path) -> None:
    await client.initialize(workspace)
    error = await client.error("codecite/ask", {"question": "fail"})
    assert error["code"] == FAILED
    assert error["message"] == "the engine ended; try again"
    assert error["data"] == {"code": "engine-gone", "mend": "try again"}
    defect = await client.error("codecite/ask", {"question": "broken"})
    assert defect["code"] == -32603
    assert "details" not in json.dumps(defect)
    assert (await client.request("codecite/ask", {"question": "f?"}))["citations"]


async def test_an_engine_that_went_away_and_came_back_is_told_of(client: Client, workspace: Path) -> None:
    await client.initialize(workspace)
    await client.told("codecite/statusChanged")
    await client.request("codecite/ask", {"question": "last words"})
    await client.wait_for(lambda _: len(client.all_told("codecite/statusChanged")) == 3)
    assert [told["state"] for told in client.all_told("codecite/statusChanged")] == [
        "ready",
        "stopped",
        "ready",
    ]


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
