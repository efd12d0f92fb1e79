"""The one command of a developer's day: what it says when it cannot start, and that the tests come last."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests import run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "TOP", tmp_path)
    monkeypatch.setattr(run, "VENV", tmp_path / ".venv")
    return tmp_path


def test_a_python_without_venv_is_told_the_mend(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(project / "python-without-venv"))
    monkeypatch.setattr(
        run, "_quiet", lambda command: subprocess.CompletedProcess(command, 1, "no ensurepip\n")
    )
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        run._environment()


def test_pip_is_quiet_until_it_fails(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pyproject.toml").write_text("this is not TOML", encoding="utf-8")
    with pytest.raises(SystemExit, match="could not install"):
        run._install(Path(sys.executable))
    assert "Expected '=' after a key" in capsys.readouterr().out


CODES = [
    ("all is well", {}, 0),
    ("a failed check", {"mypy": 1}, 1),
    ("failed tests", {"pytest": 5}, 5),
]


@pytest.mark.parametrize(("failing", "expected"), [row[1:] for row in CODES], ids=[row[0] for row in CODES])
@pytest.mark.parametrize("arguments", [[], ["--fast"]], ids=["everything", "fast"])
def test_the_tests_come_last_whatever_failed(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    failing: dict[str, int],
    expected: int,
) -> None:
    ran: list[list[str]] = []

    def record(command: list[str]) -> int:
        ran.append(command)
        last = "pytest" in command and "tests/docs" not in command
        return failing.get("pytest" if last else command[2], 0) if last or command[2] != "pytest" else 0

    monkeypatch.setattr(run, "_install", lambda _: None)
    monkeypatch.setattr(run, "_environment", lambda: Path("python"))
    monkeypatch.setattr(run, "_run", record)
    assert run.main([*arguments, "-k", "anchors"]) == expected
    assert ran[-1][1:3] == ["-m", "pytest"]
    assert ran[-1][-2:] == ["-k", "anchors"]
    assert ("FAILED so far: types" in capsys.readouterr().out) is ("mypy" in failing)
    assert len(ran) == (len(run._checks(Path("python"), fast=bool(arguments))) + 1)
