"""An engine that does what `script.json` in its workspace says, and the real server over it: here, or as a process.

script.json: {"answer": Answer, "described": description, "symbols": [...], "steps": [progress], "index_waits": bool, "fails": bool}. The question decides the
rest: "wait" is answered when it is cancelled, "fail" with an error, "last words" while the engine goes away, "broken"
with a defect. `status` tells what was called.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from codecite.engine.link import LINK_LOST
from codecite.lsp.engines import OnEvent, OnProgress
from codecite.lsp.server import main
from codecite.model.errors import EngineGone, Unavailable

Json = dict[str, Any]


class ScriptedEngine:
    """An engine that follows the script of its workspace."""

    def __init__(self, workspace: Path) -> None:
        self.on_event: OnEvent | None = None
        self._script: Json = json.loads((workspace / "script.json").read_text("utf-8"))
        self._calls: list[str] = []

    async def call(
        self, method: str, params: Json | None = None, *, on_progress: OnProgress | None = None
    ) -> Json:
        """Follow the script."""
        print("a library that prints")
        if self._script.get("fails"):
            raise Unavailable("the store is locked", "close the other editor")
        given = params or {}
        self._calls.append(f"{method} {json.dumps(given, sort_keys=True)}")
        try:
            result: Json = await getattr(self, f"_{method}")(given, on_progress or (lambda _: None))
        except asyncio.CancelledError:
            self._calls.append(f"{method} cancelled")
            raise
        return result

    async def close(self) -> None:
        """Have nothing to close."""

    async def _ask(self, params: Json, on_progress: OnProgress) -> Json:
        match params["question"]:
            case "wait":
                on_progress({"phase": "parse", "done": 1, "total": 2})
                await asyncio.Event().wait()
            case "fail":
                raise EngineGone("the engine ended", "try again")
            case "last words" if self.on_event:
                self.on_event(LINK_LOST, {})
            case "broken":
                raise RuntimeError("a defect with details")
        return {**self._script["answer"], "question": params["question"]}

    async def _anchor(self, params: Json, _on_progress: OnProgress) -> Json:
        return {"citations": params["citations"]}

    async def _describe(self, _params: Json, _on_progress: OnProgress) -> Json:
        match self._script.get("described"):
            case "wait":
                await asyncio.Event().wait()
            case "gone":
                raise EngineGone("the engine ended", "try again")
            case "broken":
                raise RuntimeError("a defect with details")
        return {"description": self._script.get("described")}

    async def _symbols(self, _params: Json, _on_progress: OnProgress) -> Json:
        return {"symbols": self._script.get("symbols", [])}

    async def _index(self, _params: Json, on_progress: OnProgress) -> Json:
        for step in self._script.get("steps", []):
            on_progress(step)
            await asyncio.sleep(0)
        if self._script.get("index_waits"):
            await asyncio.Event().wait()
        return {"files": {"indexed": 2, "skipped": []}, "seconds": 0.1, "sequence": 1}

    async def _changed(self, _params: Json, _on_progress: OnProgress) -> Json:
        return {}

    async def _status(self, _params: Json, _on_progress: OnProgress) -> Json:
        return {"state": "ready", "calls": list(self._calls), "problems": []}


def script(folder: Path, *citations: Json, **more: Any) -> Path:
    """Write a workspace whose engine answers every question with these citations."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.json").write_text(json.dumps({"answer": answer(*citations), **more}), "utf-8")
    return folder


def citation(n: int, path: str, lines: list[str], start: int = 1, **more: Any) -> Json:
    """Return the citation of these lines, as the engine gives it."""
    return {
        "n": n, "id": f"{path}:f:{n}", "path": path, "start_line": start, "end_line": start + len(lines) - 1,
        "symbol": "f", "kind": "function", "language": "python", "text": "".join(lines), "score": 1.0 / n,
        "why": "defines f", "state": "fresh", "indexed_at": 0.0, "commit": None, "excerpt_start": start,
        "excerpt": lines[0], "focus": None, **more,
    }  # fmt: skip


def answer(*citations: Json) -> Json:
    """Return an answer with a claim for each citation."""
    return {
        "question": "", "text": "".join(f"see [{c['n']}]\n" for c in citations),
        "claims": [{"text": f"{c['path']} it is", "citations": [c["n"]]} for c in citations],
        "citations": list(citations), "abstained": not citations, "degraded": [], "generator": "evidence",
        "log_id": "", "workspace": "", "sequence": 1, "commit": None, "searched": {"files": 1, "blocks": 1},
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:]), make_engine=ScriptedEngine))  # an argument is a port
