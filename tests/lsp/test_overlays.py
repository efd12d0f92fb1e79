"""Which unsaved text goes to the engine with a request, and citations that are held against the text again."""

import json
from pathlib import Path
from typing import Any

from tests.lsp.client import INVALID_PARAMS, Client, Json, opened
from tests.lsp.scripted import citation, script

from codecite.engine.requests import LARGEST_OVERLAY, MOST_OVERLAYS

SAVED = "def f():\n    return 1\n"


async def sent(client: Client, question: str = "f?") -> list[list[Json]]:
    """Ask, and return the overlays that the engine of each folder was asked with."""
    await client.request("codecite/ask", {"question": question})
    status = await client.request("codecite/status")
    asked = []
    for workspace in status["workspaces"]:
        (*_, last) = (call for call in workspace["calls"] if call.startswith("ask "))
        asked.append(json.loads(last.removeprefix("ask "))["overlays"])
    return asked


async def paths(client: Client) -> list[list[str]]:
    return [[one["path"] for one in overlays] for overlays in await sent(client)]


def edit(client: Client, uri: str, text: str) -> None:
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]},
    )


async def test_a_document_counts_from_its_first_edit_until_it_is_closed(
    client: Client, workspace: Path
) -> None:
    (workspace / "a.py").write_text(SAVED)
    uri = (workspace / "a.py").as_uri()
    await client.initialize(workspace)
    client.notify("textDocument/didOpen", opened(uri, SAVED))
    assert await sent(client) == [[]]
    edit(client, uri, SAVED + "\n")
    assert await sent(client) == [[{"path": "a.py", "text": SAVED + "\n"}]]
    (workspace / "a.py").write_text(SAVED + "\n")
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert await paths(client) == [["a.py"]], "the index may not have it yet"
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert await paths(client) == [[]]


async def test_what_differs_from_the_disk_when_it_is_opened_counts(client: Client, workspace: Path) -> None:
    texts = {"restored.py": "# 名 \U0001f680\n" + SAVED, "new.py": SAVED, "sub/%41 b.py": "x = 1\n"}
    on_disk = {
        "restored.py": SAVED,
        "same.py": "\ufeff" + SAVED.replace("\n", "\r\n"),
        "latin.py": "# \xe9\n",
    }
    for name, text in on_disk.items():
        (workspace / name).write_bytes(text.encode("latin-1" if name == "latin.py" else "utf-8"))
    await client.initialize(workspace)
    for name, text in {**texts, "same.py": SAVED, "latin.py": "# \xe9\n"}.items():
        client.notify("textDocument/didOpen", opened((workspace / name).as_uri(), text))
    (overlays,) = await sent(client)
    assert {one["path"]: one["text"] for one in overlays} == texts


async def test_only_files_of_the_folder_that_owns_them_are_sent(client: Client, tmp_path: Path) -> None:
    outer, inner = script(tmp_path / "ws"), script(tmp_path / "ws" / "inner")
    await client.initialize(outer, inner)
    others = ["untitled:Untitled-1", (tmp_path / "elsewhere.py").as_uri(), "git:/ws/a.py?x"]
    for uri in [*others, (outer / "a.py").as_uri(), (inner / "b.py").as_uri()]:
        client.notify("textDocument/didOpen", opened(uri, SAVED))
    assert await paths(client) == [["a.py"], ["b.py"]]


async def test_the_last_edited_ones_are_sent_where_there_are_too_many(
    client: Client, workspace: Path
) -> None:
    await client.initialize(workspace)
    count = MOST_OVERLAYS + 5
    uris = [(workspace / f"{n}.py").as_uri() for n in range(count)]
    for uri in uris:
        client.notify("textDocument/didOpen", opened(uri, SAVED))
    for uri in (*uris, uris[0]):
        edit(client, uri, SAVED + SAVED)
    edit(client, uris[1], "x" * (LARGEST_OVERLAY + 1))
    expected = [0, *range(count - 1, 1, -1)][:MOST_OVERLAYS]
    assert await paths(client) == [[f"{n}.py" for n in expected]]


async def test_citations_are_anchored_in_their_folders_and_placed(client: Client, tmp_path: Path) -> None:
    lines = ["def f():\n", "    return 1\n"]
    one, two = script(tmp_path / "one", citation(1, "a.py", lines)), script(tmp_path / "two")
    await client.initialize(one, two)
    client.notify("textDocument/didOpen", opened((two / "b.py").as_uri(), "\n\n\n" + SAVED))
    held = [
        {**citation(1, "b.py", lines), "workspace": str(two)},
        {**citation(2, "a.py", lines), "workspace": str(one)},
        {**citation(3, "c.py", lines), "workspace": str(tmp_path / "closed")},
        {**citation(4, "b.py", lines, start=4, state="moved"), "workspace": str(two)},
    ]
    found = await client.request("codecite/anchor", {"citations": held})
    assert found["problems"] == []
    assert [(c["n"], c["path"], c["start_line"], c["state"]) for c in found["citations"]] == [
        (1, "b.py", 4, "moved"),
        (2, "a.py", 1, "fresh"),
        (3, "c.py", 1, "gone"),
        (4, "b.py", 4, "moved"),
    ]
    places = [
        c["location"] and (c["location"]["uri"], c["location"]["range"]["start"]["line"])
        for c in found["citations"]
    ]
    assert places == [
        ((two / "b.py").as_uri(), 3),
        ((one / "a.py").as_uri(), 0),
        None,
        ((two / "b.py").as_uri(), 3),
    ]
    status = await client.request("codecite/status")
    calls = [[call for call in ws["calls"] if call.startswith("anchor ")] for ws in status["workspaces"]]
    assert [len(each) for each in calls] == [1, 1]
    assert json.loads(calls[1][0].removeprefix("anchor "))["overlays"][0]["path"] == "b.py"
    assert (await client.request("codecite/anchor", {"citations": []}))["citations"] == []


async def test_what_is_no_list_of_citations_is_refused(client: Client, workspace: Path) -> None:
    await client.initialize(workspace)
    wrong: list[Any] = [None, {}, {"citations": {}}, {"citations": [1]}, {"citations": [{}] * 101}]
    for params in wrong:
        error = await client.error("codecite/anchor", params)
        assert error["code"] == INVALID_PARAMS
