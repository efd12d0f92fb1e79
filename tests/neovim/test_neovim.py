"""Neovim, headless, with the configuration that docs/guides/neovim.md gives, on the real server and engine.

Without Neovim these tests are skipped; `CODECITE_TESTS_NEED_NEOVIM=1` makes them fail instead, as CI wants.
`NEOVIM` names another program than `nvim`, to try another version.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[2] / "docs/guides/neovim.md"
LUA = re.compile(r"^```lua\n(.*?)^```", re.MULTILINE | re.DOTALL)
STEPS = Path(__file__).with_name("steps.lua")
NEW, OLD = (0, 11), (0, 7)

LAUNCH = (
    'def other():\n    return None\n\n\ndef launch_rocket(place):\n    """Fly to 名前."""\n    return place\n'
)


@pytest.fixture(scope="session")
def neovim() -> tuple[str, tuple[int, ...]]:
    """Return the program and its version."""
    program = shutil.which(os.environ.get("NEOVIM", "nvim"))
    if program is None:
        if os.environ.get("CODECITE_TESTS_NEED_NEOVIM"):
            pytest.fail("Neovim is missing (on Debian and Ubuntu: apt install neovim)")
        pytest.skip("Neovim is not installed")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.match(r"NVIM v(\d+)\.(\d+)", said)
    assert version, said
    return program, tuple(map(int, version.groups()))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one definition that is worth asking for."""
    folder = tmp_path / "my 项目"
    folder.mkdir()
    (folder / "rocket.py").write_text(LAUNCH, "utf-8")
    (folder / "notes.md").write_text("# Notes\n\nNothing of interest.\n", "utf-8")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def test_the_page_works(
    neovim: tuple[str, tuple[int, ...]], project: Path, surroundings: Path, tmp_path: Path
) -> None:
    program, version = neovim
    new, old, ask = LUA.findall(PAGE.read_text("utf-8"))
    (tmp_path / "init.lua").write_text((new if version >= NEW else old) + ask, "utf-8")
    report = tmp_path / "report.json"
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "REPORT": str(report),
        "XDG_STATE_HOME": str(surroundings),  # where Neovim writes its logs
        "XDG_CACHE_HOME": str(surroundings),
        "XDG_DATA_HOME": str(surroundings),
    }
    command = [program, "--headless", "--clean", "-u", str(tmp_path / "init.lua"), "-c", f"luafile {STEPS}"]
    ran = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    check(json.loads(report.read_text("utf-8")))


def check(report: dict[str, Any]) -> None:
    """Every step of steps.lua left what a user would see."""
    assert report["listed"]["title"] == "where is launch_rocket defined?"
    first = report["listed"]["items"][0]
    assert (Path(first["file"]).name, first["lnum"]) == ("rocket.py", 5)
    assert first["text"].startswith("launch_rocket  (")
    assert report["jumped"] == ["rocket.py", 5, "def launch_rocket(place):"]
    assert "Fly to 名前." in report["hover"]
    assert "launch_rocket" in report["hover"]
    assert report["after typing"] == ["rocket.py", 8, "def launch_rocket(place):"]
    assert report["typed and not saved"] == ["rocket.py", 1, "def land_softly(speed):"]
    assert "evidence" in report["nothing found"]
