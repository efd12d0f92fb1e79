"""The command line with a small engine in place of the real one, at the seam where the client is made."""

import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

from codecite.cli.main import main
from codecite.model.errors import CodeciteError

Result = dict[str, Any] | CodeciteError | Callable[[], Awaitable[dict[str, Any]]]


@dataclass
class SmallEngines:
    """Engines that answer each method with one prepared result, raise it, or do what it does."""

    workspace: Path
    results: Mapping[str, Result]
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    opened: int = 0
    closed: int = 0

    def workspace_of(self, start: Path) -> Path:
        assert start == Path.cwd()
        return self.workspace

    async def connect(self, workspace: Path) -> "SmallEngines":
        self.workspace = workspace
        self.opened += 1
        return self

    async def stop(self, workspace: Path) -> bool:
        assert workspace == self.workspace
        return False

    async def nudge(self, folder: Path) -> list[Path]:
        self.calls.append(("nudge", {"folder": folder}))
        return []

    async def call(
        self,
        method: str,
        params: dict[str, Any],
        *,
        on_progress: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        self.calls.append((method, params))
        if on_progress is not None:
            on_progress({"phase": "parse", "done": 1, "total": 2, "message": "a.py"})
        result = self.results[method]
        if isinstance(result, CodeciteError):
            raise result
        return result if isinstance(result, dict) else await result()

    async def close(self) -> None:
        self.closed += 1


@dataclass(frozen=True)
class Run:
    """What a command left behind."""

    code: int
    out: str
    err: str
    engines: SmallEngines


class Codecite(Protocol):
    """Runs the command line in this process."""

    def __call__(self, *arguments: str, results: Mapping[str, Result] = {}, tty: bool = False) -> Run: ...


@pytest.fixture
def codecite(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Codecite:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR", "FORCE_HYPERLINK", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("codecite.cli.terminal._understands_escapes", lambda _: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str, results: Mapping[str, Result] = {}, tty: bool = False) -> Run:
        engines = SmallEngines(tmp_path, results)
        with monkeypatch.context() as patch:
            if tty:
                patch.setattr(sys.stdout, "isatty", lambda: True)
                patch.setattr(sys.stderr, "isatty", lambda: True)
            code = main(list(arguments), engines)
        written = capsys.readouterr()
        return Run(code, written.out, written.err, engines)

    return run
