"""The edges of the program: wrong usage, workspaces, languages, interruption, a reader that has gone."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Codecite

WRONG = [
    ([], "required: COMMAND; see `codecite --help`"),
    (["nonsense"], "invalid choice: 'nonsense'"),
    (["ask"], "required: QUESTION; see `codecite ask --help`"),
    (["ask", " "], "the question is empty"),
    (["ask", "q", "-k", "0"], "'0' is not a number from 1 to"),
    (["ask", "q", "-k", "²"], "'²' is not a number from 1 to"),
    (["search", "q", "-k", "many"], "'many' is not a number"),
    (["status", "--unknown"], "unrecognized arguments: --unknown"),
    (["status", "--works", "."], "unrecognized arguments: --works ."),
    (["lsp", "--tcp", "70000"], "'70000' is not a port number"),
    (["eval", "c", "--min", "F1=0.5"], "'F1=0.5' is not METRIC=X"),
    (["eval", "c", "--min", "MRR=2"], "'MRR=2' is not METRIC=X"),
    (["eval", "c", "--min", "MRR"], "'MRR' is not METRIC=X"),
    (["eval", "no-such-file.jsonl"], "no-such-file.jsonl cannot be read"),
]


@pytest.mark.parametrize(
    ("arguments", "expected"), WRONG, ids=[" ".join(row[0]) or "nothing" for row in WRONG]
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    codecite: "Codecite", arguments: list[str], expected: str
) -> None:
    run = codecite(*arguments)
    assert (run.code, run.out, run.err.count("\n"), run.engines.opened) == (2, "", 1, 0)
    assert expected in run.err


def test_help_and_version_are_on_standard_output(
    codecite: "Codecite", capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, expected in (
        (["--help"], "exit codes:"),
        (["eval", "--help"], "examples:"),
        (["--version"], "codecite "),
    ):
        with pytest.raises(SystemExit) as left:
            codecite(*arguments)
        assert left.value.code == 0
        assert expected in capsys.readouterr().out


STATUS_CALL: dict[str, dict[str, Any]] = {"status": {"state": "ready"}}


@pytest.mark.parametrize("before", [True, False])
def test_a_named_workspace_is_taken_as_it_is(codecite: "Codecite", tmp_path: Path, *, before: bool) -> None:
    inner = tmp_path / "repository/inner"
    inner.mkdir(parents=True)
    named = ["--workspace", str(inner / ".." / "inner")]
    arguments = [*named, "status"] if before else ["status", *named]
    run = codecite(*arguments, "--json", results=STATUS_CALL)
    assert (run.code, run.engines.workspace) == (0, inner.resolve())


def test_a_workspace_that_is_no_folder_is_bad_input(codecite: "Codecite", tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for named in (tmp_path / "missing", tmp_path / "file"):
        run = codecite("status", "--workspace", str(named))
        assert (run.code, run.out, run.engines.opened) == (2, "", 0)
        assert run.err == f"codecite: {named} is not a folder; name an existing folder after --workspace\n"


def test_a_file_outside_of_the_workspace_is_bad_input(codecite: "Codecite", tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "other.py").touch()
    for named in (str(tmp_path / "other.py"), "../other.py", ".."):
        run = codecite("blocks", named, "--workspace", str(tmp_path / "workspace"))
        assert (run.code, run.engines.opened) == (2, 0), named
        assert "is outside of the workspace" in run.err


LANGUAGES = [
    ({"LANG": "zh_CN.UTF-8"}, True),
    ({"LC_ALL": "zh_TW", "LANG": "en_US"}, True),
    ({"LC_MESSAGES": "en_GB", "LANG": "zh_CN"}, False),
    ({"LC_ALL": "", "LANG": "zh"}, True),
    ({}, False),
]


@pytest.mark.parametrize(("environment", "chinese"), LANGUAGES)
def test_messages_follow_the_locale(
    codecite: "Codecite", environment: dict[str, str], chinese: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    run = codecite("ask", " ")
    assert run.err.startswith("codecite：问题是空的；" if chinese else "codecite: the question is empty; ")


def test_interruption_takes_the_request_back(codecite: "Codecite") -> None:
    taken_back = []

    async def interrupted() -> dict[str, Any]:
        signal.raise_signal(signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            taken_back.append("ask")
            raise
        return {}

    run = codecite("ask", "q", results={"ask": interrupted})
    assert (run.code, run.out, run.err) == (130, "", "codecite: cancelled\n")
    assert (taken_back, run.engines.closed) == (["ask"], 1)


CHILD = """
import sys
from codecite.cli import main
class Engines:
    def workspace_of(self, start): return start
    async def connect(self, workspace): return self
    async def call(self, method, params, *, on_progress=None): return {"filling": ["x" * 100] * 100_000}
    async def close(self): pass
sys.exit(main.main(["status", "--json"], Engines()))
"""


def test_a_reader_that_has_gone_is_no_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CHILD], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.read(10)
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 0


def test_progress_is_drawn_on_a_terminal_only(codecite: "Codecite") -> None:
    for tty in (False, True):
        run = codecite("status", "--json", results=STATUS_CALL, tty=tty)
        assert json.loads(run.out) == STATUS_CALL["status"]
        assert ("reading files" in run.err) is tty
