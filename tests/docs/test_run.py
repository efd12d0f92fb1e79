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

    def record(command: list[str], _folder: Path = project) -> int:
        ran.append(command)
        last = "pytest" in command and "tests/docs" not in command
        return failing.get("pytest" if last else command[2], 0) if last or command[2] != "pytest" else 0

    monkeypatch.setattr(run, "_install", lambda _: None)
    monkeypatch.setattr(run, "_environment", lambda: Path("python"))
    monkeypatch.setattr(run, "_run", record)
    monkeypatch.setattr(run, "_node_version", lambda: 0)
    assert run.main([*arguments, "-k", "anchors"]) == expected
    assert ran[-1][1:3] == ["-m", "pytest"]
    assert ran[-1][-2:] == ["-k", "anchors"]
    assert ("FAILED so far: types" in capsys.readouterr().out) is ("mypy" in failing)
    assert len(ran) == (len(run._checks(Path("python"), fast=bool(arguments))) + 1)


def test_the_extension_is_installed_once_and_checked_each_time(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "package-lock.json").write_text("{}", encoding="utf-8")
    ran: list[tuple[str, Path]] = []
    codes = {"ci": 0, "run": 0}

    def record(command: list[str], folder: Path) -> int:
        ran.append((command[1], folder))
        (folder / "node_modules").mkdir(exist_ok=True)
        return codes[command[1]]

    monkeypatch.setattr(run, "CLIENT", project)
    monkeypatch.setattr(run, "_run", record)
    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr(run, "_node_version", lambda: run.OLDEST_NODE)
    assert run._client_is_sound()
    assert run._client_is_sound()
    assert ran == [("ci", project), ("run", project), ("run", project)]
    codes["run"] = 1
    assert not run._client_is_sound()
    (project / "package-lock.json").write_text("{ }", encoding="utf-8")
    codes["ci"] = 1
    assert not run._client_is_sound()
    assert ran[-1] == ("ci", project)

    monkeypatch.setattr(run, "_node_version", lambda: run.OLDEST_NODE - 1)
    capsys.readouterr()
    assert run._client_is_sound()
    assert "left out: npm and Node" in capsys.readouterr().out
