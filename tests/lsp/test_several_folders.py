"""Several workspace folders: asked together, nested, added and removed."""

from pathlib import Path

from tests.lsp.client import CANCELLED, Client, opened
from tests.lsp.scripted import citation, script


async def test_folders_are_asked_together_or_one(client: Client, tmp_path: Path) -> None:
    one = script(tmp_path / "one", citation(1, "a.py", ["a\n"]), citation(2, "b.py", ["b\n"]))
    two = script(tmp_path / "two", citation(1, "a.py", ["c\n"]))
    await client.initialize(one, two)
    found = await client.request("codecite/ask", {"question": "f?"})
    assert [(c["n"], c["workspace"], c["path"]) for c in found["citations"]] == [
        (1, str(one), "a.py"),
        (2, str(two), "a.py"),
        (3, str(one), "b.py"),
    ]
    assert [claim["citations"] for claim in found["claims"]] == [[1], [2], [3]]
    narrowed = await client.request("codecite/ask", {"question": "f?", "uri": (two / "x.py").as_uri()})
    assert [c["workspace"] for c in narrowed["citations"]] == [str(two)]
    assert [status["workspace"] for status in (await client.request("codecite/status"))["workspaces"]] == [
        str(one),
        str(two),
    ]


async def test_an_inner_folder_owns_its_files(client: Client, tmp_path: Path) -> None:
    outer = script(tmp_path, citation(1, "inner/a.py", ["a\n"]), citation(2, "b.py", ["b\n"]))
    inner = script(tmp_path / "inner", citation(1, "a.py", ["a\n"]))
    await client.initialize(outer, inner)
    found = await client.request("codecite/ask", {"question": "f?"})
    assert sorted((c["workspace"], c["path"]) for c in found["citations"]) == sorted(
        [(str(outer), "b.py"), (str(inner), "a.py")]
    )


async def test_removals_come_before_additions(client: Client, tmp_path: Path) -> None:
    one, two, three = (
        script(tmp_path / name, citation(1, "a.py", [f"{name}\n"])) for name in ("one", "two", "three")
    )
    await client.initialize(one, two)
    kept = (two / "a.py").as_uri()
    client.notify("textDocument/didOpen", opened(kept, "# moved\ntwo\n"))
    named = [{"uri": folder.as_uri(), "name": folder.name} for folder in (one, two, three)]
    change = {"event": {"removed": [named[0], named[1]], "added": [named[1], named[2]]}}
    client.notify("workspace/didChangeWorkspaceFolders", change)
    found = await client.request("codecite/ask", {"question": "f?"})
    assert sorted(c["workspace"] for c in found["citations"]) == sorted([str(two), str(three)])
    lines = {c["workspace"]: c["location"]["range"]["start"]["line"] for c in found["citations"]}
    assert lines[str(two)] == 1  # the open document survived


async def test_a_removed_folder_stops_its_questions(client: Client, workspace: Path) -> None:
    await client.initialize(workspace)
    number = client.start("codecite/ask", {"question": "wait", "workDoneToken": 7})
    await client.told("$/progress")
    folder = {"uri": workspace.as_uri(), "name": "ws"}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"removed": [folder], "added": []}})
    assert (await client.answer(number))["error"]["code"] == CANCELLED


async def test_one_folder_that_fails_does_not_silence_another(
    client: Client, workspace: Path, tmp_path: Path
) -> None:
    broken = script(tmp_path / "broken", fails=True)
    await client.initialize(workspace, broken)
    found = await client.request("codecite/ask", {"question": "f?"})
    assert [c["workspace"] for c in found["citations"]] == [str(workspace)]
    assert any(str(broken) in reason for reason in found["degraded"])
    await client.told("window/showMessage")
    assert len(client.all_told("window/showMessage")) == 1
