"""The whole program as a user runs it: a real process, a real engine, a small repository."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

FILES = {
    "src/retry.py": '''"""Sending again what did not arrive."""


class RetryPolicy:
    """How often and how long to wait between attempts."""

    def __init__(self, attempts: int = 5) -> None:
        self.attempts = attempts

    def backoff_seconds(self, attempt: int) -> float:
        """Wait twice as long after each failure, 配置 in seconds 🚀."""
        return min(60.0, 0.5 * 2**attempt)
''',
    "src/storage.go": "package storage\n\n// OpenLedger opens the ledger file.\nfunc OpenLedger(path string) error {\n\treturn nil\n}\n",
    "docs/guide.md": "# Guide\n\nStart here.\n\n## Configuration\n\nThe timeout is set in `settings.toml`.\n",
    "settings.toml": '[network]\r\ntimeout = 30\r\n\r\n[storage]\r\npath = "ledger.db"\r\n',
    ".gitignore": "build/\n",
    "build/made.py": "def backoff_seconds(): ...\n",
    ".env": "TOKEN=not-for-anyone\n",
}
RESULTS_PAGE = Path(__file__).resolve().parents[2] / "docs/reference/results.md"


@dataclass(frozen=True)
class Program:
    """The installed program on one workspace, with a store of its own."""

    workspace: Path
    environment: dict[str, str]

    def run(
        self, *arguments: str, code: int = 0, where: Path | None = None
    ) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, "-m", "codecite.cli.main", *arguments],
            cwd=where or self.workspace,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stderr or done.stdout
        return done

    def json(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        done = self.run(*arguments, "--json", code=code)
        document = json.loads(done.stdout)
        assert isinstance(document, dict)
        return document


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    workspace = tmp_path_factory.mktemp("workspace")
    for path, text in FILES.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_bytes(text.encode())
    identity = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "First"]):
        subprocess.run(["git", *command], cwd=workspace, check=True, stdin=subprocess.DEVNULL)
    names = ("NO_COLOR", "LC_ALL", "LC_MESSAGES", "LANG")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"CODECITE_HOME": str(tmp_path_factory.mktemp("home")), "LC_ALL": "C.UTF-8"}
    made = Program(workspace, environment)
    try:
        yield made
    finally:
        made.run("stop")


def documented(command: str, place: int = 0) -> dict[str, Any]:
    """Return the result of a command as the reference shows it, in the first block of its section or a later one."""
    section = re.split(r"^## ", RESULTS_PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = next(part for part in section if part.startswith(f"{command}\n"))
    shown = json.loads(re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[place])
    assert isinstance(shown, dict)
    return shown


def assert_has_fields(shown: object, found: object, where: str) -> None:
    """Demand every documented field; more may be there, and an empty list says nothing about its items."""
    if isinstance(shown, dict) and isinstance(found, dict):
        if where.endswith("sources"):  # any of its fields may be missing
            return
        for name, value in shown.items():
            assert name in found, f"{where}.{name}"
            assert_has_fields(value, found[name], f"{where}.{name}")
    elif isinstance(shown, list) and isinstance(found, list):
        for item in found:
            assert_has_fields(shown[0], item, f"{where}[]")
    elif shown is not None:
        number = isinstance(shown, int | float) and isinstance(found, int | float)
        assert number or isinstance(found, type(shown)) or found is None, f"{where}: {found!r}"


def test_the_first_question_needs_nothing_before_it(program: Program) -> None:
    answer = program.json("ask", "how long is the backoff after a failure?")
    first = answer["citations"][0]
    lines = FILES[first["path"]].splitlines(keepends=True)
    assert first["path"] == "src/retry.py"
    assert first["text"] == "".join(lines[first["start_line"] - 1 : first["end_line"]])
    assert (first["n"], first["state"], answer["abstained"]) == (1, "fresh", False)
    assert Path(answer["workspace"]) == program.workspace.resolve()


def test_an_answer_is_readable(program: Program) -> None:
    shown = program.run("ask", "backoff_seconds").stdout
    assert re.search(
        r"^\[1\] src/retry\.py:\d+-\d+  RetryPolicy\.backoff_seconds  \(.+\)$", shown, re.MULTILINE
    )
    assert re.search(r"^ +\d+ \|     def backoff_seconds\(self", shown, re.MULTILINE)
    assert "\x1b" not in shown


def test_a_foreign_question_is_answered_with_no(program: Program) -> None:
    done = program.run("ask", "How is a patient's dialysis schedule calculated?", code=1)
    assert done.stdout.startswith("No evidence found")


def test_results_have_the_documented_fields(program: Program, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(
        '{"id": "1", "query": "open the ledger", "category": "go", "relevant": [{"path": "src/storage.go"}]}\n',
        encoding="utf-8",
    )
    commands = {
        "index": ["index", "--wait"],
        "ask": ["ask", "backoff"],
        "search": ["search", "backoff"],
        "blocks": ["blocks"],
        "doctor": ["doctor"],
        "eval": ["eval", str(cases)],
    }
    for command, arguments in commands.items():
        assert_has_fields(documented(command), program.json(*arguments), command)
    assert_has_fields(documented("doctor", 1), program.json("doctor", "src/retry.py:12"), "doctor")
    assert program.json("status")["state"] in {"ready", "degraded", "indexing"}


def test_every_line_is_in_exactly_one_block_and_nothing_else_is(program: Program) -> None:
    report = program.json("index", "--wait")
    skipped = {item["path"]: item["reason"] for item in report["files"]["skipped"]}
    files: dict[str, list[dict[str, Any]]] = {}
    for block in program.json("blocks")["blocks"]:
        files.setdefault(block["path"], []).append(block)
    for path, blocks in files.items():
        assert "".join(block["text"] for block in blocks) == FILES[path]
        assert [block["start_line"] for block in blocks[1:]] == [
            block["end_line"] + 1 for block in blocks[:-1]
        ]
    assert "build/made.py" not in files
    assert ".env" in skipped
    assert files.keys() == FILES.keys() - {"build/made.py"} - skipped.keys()
    assert report["blocks"]["total"] == sum(map(len, files.values()))


def test_a_file_is_named_from_where_one_stands(program: Program) -> None:
    shown = program.run("blocks", "retry.py", where=program.workspace / "src").stdout
    assert shown.startswith("src/retry.py\n")
    assert "RetryPolicy.backoff_seconds" in shown


def test_a_hit_is_explained_and_mended(program: Program) -> None:
    file = program.workspace / "src/short lived.py"
    file.write_text("def fleeting():\n    return 1\n", encoding="utf-8")
    shown = program.run("doctor", "short lived.py:2", "--repair", where=program.workspace / "src").stdout
    assert shown.startswith("src/short lived.py:2  current\n")
    assert "lines 1-2 (fleeting). Its text stands there now. Its vector is stored." in shown
    file.unlink()
    report = program.json("doctor", "src/short lived.py", "--repair")
    assert (report["file"]["verdict"], report["checks"][0]["ok"]) == ("unknown", True)
    program.run("doctor", "src/never was.py", code=1)


def test_hooks_are_installed_and_removed(program: Program) -> None:
    states = [hook["state"] for hook in program.json("hook", "install")["hooks"]]
    assert states == ["installed"] * 4
    assert [hook["state"] for hook in program.json("hook", "remove")["hooks"]] == ["removed"] * 4


def test_search_takes_a_prefix(program: Program) -> None:
    hits = program.json("search", "ledger", "--path-prefix", "src/")["hits"]
    assert hits[0]["path"] == "src/storage.go"
    assert all(hit["path"].startswith("src/") for hit in hits)


def test_eval_runs_what_search_finds(program: Program, tmp_path: Path) -> None:
    cases, runs = tmp_path / "cases.jsonl", tmp_path / "runs.jsonl"
    case = {"id": "ledger", "query": "open the ledger", "relevant": [{"path": "src/storage.go"}]}
    cases.write_text(json.dumps(case) + "\n", encoding="utf-8")
    report = program.json("eval", str(cases), "--runs", str(runs), "--min", "HitRate@1=1")
    assert report["overall"]["metrics"]["NDCG@10"] == 1
    (run,) = (json.loads(line) for line in runs.read_text(encoding="utf-8").splitlines())
    hits = program.json("search", "open the ledger", "-k", "50")["hits"]
    assert run["ranked"] == [{name: hit[name] for name in ("path", "start_line", "end_line")} for hit in hits]


def test_the_engine_stops_and_comes_back(program: Program) -> None:
    program.json("status")
    assert program.json("stop")["stopped"] is True
    assert program.json("stop")["stopped"] is False
    assert program.json("search", "backoff")["hits"][0]["path"] == "src/retry.py"
