"""The version of an editor's extension, and what becomes of one that does not fit."""

from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import Client

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
