"""Definitions by name in a workspace with everything real: on their lines now, saved or not."""

from typing import Any

from tests.workspace.conftest import Open, Workspace

FILES: dict[str, str | bytes] = {
    "bank/manager.py": "class Manager:\n    def get_queryset(self):\n        return 1\n\n\ndef get_query():\n    return 2\n",
    "bank/gone.py": "def get_queen():\n    return 1\n",
    "tests/test_get.py": "def get_query():\n    return 3\n",
    "conf.toml": "[get]\nget_query = 1\n",
    "README.md": "# get_query\n\nText.\n",
}


async def named(here: Workspace, query: str, **unsaved: str) -> list[tuple[Any, ...]]:
    overlays = [{"path": path.replace("__", "/") + ".py", "text": text} for path, text in unsaved.items()]
    if overlays:
        await here.call("search", query="x", overlays=overlays)  # have it parsed: names do not wait for that
    found = (await here.call("symbols", query=query, overlays=overlays))["symbols"]
    return [(one["symbol"], one["path"], one["line"], one["column"], one["text"]) for one in found]


async def test_the_best_first_and_what_is_no_code_last(workspace: Open) -> None:
    here = await workspace(FILES)
    found = [(symbol, path) for symbol, path, *_ in await named(here, "get_query")]
    assert found[:3] == [
        ("get_query", "bank/manager.py"),
        ("get_query", "tests/test_get.py"),
        ("Manager.get_queryset", "bank/manager.py"),
    ]
    assert {path for _, path in found[3:]} <= {"conf.toml", "README.md"}
    assert [symbol for symbol, *_ in await named(here, "gq")][:2] == ["get_queen", "get_query"]
    assert "Manager.get_queryset" in [symbol for symbol, *_ in await named(here, "Manager.getq")]
    assert await named(here, "nothing_of_this") == []


async def test_lines_are_those_of_now(workspace: Open) -> None:
    here = await workspace(FILES)
    here.look_away()
    (here.root / "bank/gone.py").unlink()
    assert await named(here, "get_queen") == []
    path = here.root / "bank/manager.py"
    path.write_text("# one\n# two\n" + path.read_text())
    assert (await named(here, "get_queryset"))[0][1:] == (
        "bank/manager.py",
        4,
        8,
        "    def get_queryset(self):",
    )


async def test_unsaved_definitions_are_found_and_deleted_ones_are_not(workspace: Open) -> None:
    here = await workspace(FILES)
    text = "\n\ndef get_typed():\n    return 1\n"
    assert [(symbol, line) for symbol, _, line, *_ in await named(here, "get_typed", bank__manager=text)] == [
        ("get_typed", 3)
    ]
    assert await named(here, "get_queryset", bank__manager=text) == []
    assert [one[0] for one in await named(here, "get_queryset")] == ["Manager.get_queryset"]
