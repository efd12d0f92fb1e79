"""What each command asks of the engine, and which exit code its result earns.

A command takes the parsed options and an engine and gives an `Outcome`. It prints nothing.
"""

import argparse
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codecite.adapters.git_hooks import GitHooks, Hook
from codecite.cli import casefiles, metrics
from codecite.cli.engines import Engine, Engines, Step
from codecite.cli.messages import Language, message
from codecite.model.errors import BadInput

PATIENCE = 10.0  # seconds that the first question waits for the first index, with a progress bar
RANKED = (
    50  # hits of a case that `eval` keeps: a file may hold several, and ten files should still be among them
)

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>[0-9]{1,9})(?:[-:][0-9]+)*:?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A command's result, printed as it is with `--json`, the exit code, and lines for standard error."""

    document: Mapping[str, Any]
    exit_code: int = 0
    said: tuple[str, ...] = ()


@dataclass(slots=True)
class Call:
    """What a command works with; the engine is started by the first call, when the input was checked."""

    options: argparse.Namespace
    workspace: Path
    engines: Engines
    on_progress: Callable[[Step], None]
    language: Language
    _engine: Engine | None = None

    async def __call__(self, method: str, **params: Any) -> dict[str, Any]:
        """Call the engine, showing its progress."""
        if self._engine is None:
            self._engine = await self.engines.connect(self.workspace)
        return await self._engine.call(method, params, on_progress=self.on_progress)

    async def close(self) -> None:
        """Let go of the engine."""
        if self._engine is not None:
            await self._engine.close()


async def ask(call: Call) -> Outcome:
    """Exit code 1 when there is no evidence."""
    question = _spoken(call.options.question, call.language)
    answer = await call(
        "ask", question=question, k=call.options.k, no_model=call.options.no_model, patience=PATIENCE
    )
    return Outcome(answer, int(answer["abstained"]))


async def search(call: Call) -> Outcome:
    """Exit code 1 when nothing matched."""
    query = _spoken(call.options.query, call.language)
    result = await call("search", query=query, k=call.options.k, path_prefix=call.options.path_prefix)
    return Outcome(result, int(not result["hits"]))


async def index(call: Call) -> Outcome:
    """Update the store."""
    options = call.options
    return Outcome(await call("index", full=options.full, wait=options.wait, since=options.since))


async def blocks(call: Call) -> Outcome:
    """List the blocks of one file, or of all."""
    path = call.options.path
    if path is not None:
        path = _in_workspace(path, call.workspace, call.language)
    return Outcome(await call("blocks", path=path))


async def status(call: Call) -> Outcome:
    """Report the state."""
    return Outcome(await call("status"))


async def stop(call: Call) -> Outcome:
    """End the engine, whether or not this one's protocol is spoken there."""
    return Outcome({"workspace": str(call.workspace), "stopped": await call.engines.stop(call.workspace)})


async def doctor(call: Call) -> Outcome:
    """Check the store, or explain one file. Exit code 1 when a check failed."""
    place: dict[str, Any] = {}
    if call.options.path is not None:
        name, line = _place(call.options.path, call.workspace)
        place = {"path": _in_workspace(name, call.workspace, call.language), "line": line}
    report = await call("doctor", repair=call.options.repair, **place)
    return Outcome(report, int(not all(check["ok"] for check in report["checks"])))


async def hook(call: Call) -> Outcome:
    """Put our lines into git's hooks or take them out; or be what those lines run, which says nothing."""
    if call.options.action == "nudge":
        told = await call.engines.nudge(call.workspace)
        return Outcome({"workspace": str(call.workspace), "nudged": list(map(str, told))})
    hooks = GitHooks(call.workspace)
    changed = hooks.install() if call.options.action == "install" else hooks.remove()
    return Outcome({"workspace": str(call.workspace), "hooks": list(map(_hook_row, changed))})


async def evaluate(call: Call) -> Outcome:
    """Exit code 1 when a figure is below its minimum."""
    options = call.options
    cases = casefiles.read_cases(Path(options.cases))
    before = casefiles.read_runs(Path(options.compare)) if options.compare else None
    asked = [{"id": case.id, "query": case.query} for case in cases]
    await call("index", full=False, wait=True, since=None)  # figures of half an index would mislead
    reply = await call("eval", cases=asked, k=RANKED)
    runs = {run["id"]: casefiles.spans(run["ranked"]) for run in reply["runs"]}
    if options.runs:
        casefiles.write_runs(Path(options.runs), runs)
    overall = metrics.summarise(cases, runs)
    document = {
        **{name: value for name, value in reply.items() if name != "runs"},
        "cases": len(cases),
        "without_targets": sum(not case.relevant for case in cases),
        "overall": _summary(overall),
        "categories": {name: _summary(found) for name, found in metrics.by_category(cases, runs).items()},
    }
    if before is not None:
        compared = metrics.compare(cases, before, runs)
        document["compare"] = {
            **asdict(compared),
            "before": _summary(compared.before),
            "after": _summary(compared.after),
        }
    below = [
        message(call.language, "below", metric=metric, value=overall.figures[metric], bound=bound)
        for metric, bound in options.min
        if overall.figures[metric] < bound
    ]
    return Outcome(document, int(bool(below)), tuple(below))


COMMANDS: Mapping[str, Callable[[Call], Awaitable[Outcome]]] = {
    "ask": ask,
    "search": search,
    "index": index,
    "blocks": blocks,
    "status": status,
    "doctor": doctor,
    "eval": evaluate,
    "hook": hook,
    "stop": stop,
}


def _hook_row(hook: Hook) -> dict[str, str]:
    """Return a hook as JSON; its `detail` says `reason` in a line, in English as all that scripts read."""
    row = {"name": hook.name, "path": str(hook.path), "state": hook.state}
    if hook.reason:
        row |= {"reason": hook.reason, "about": hook.about}
        row["detail"] = message("en", f"hook-{hook.reason}", about=hook.about)
    return row


def _summary(summary: metrics.Summary) -> dict[str, Any]:
    return {"cases": summary.cases, "metrics": summary.figures}


def _spoken(words: list[str], language: Language) -> str:
    text = " ".join(words).strip()
    if not text:
        raise BadInput(message(language, "empty-question"), message(language, "empty-question-mend"))
    return text


def _place(text: str, workspace: Path) -> tuple[str, int | None]:
    """Split what a hit, a compiler or an editor shows, `PATH:LINE` with or without more numbers, into path and line.

    A file that is really named so is meant itself.
    """
    found = _PLACE.fullmatch(text)
    if found is None or (Path.cwd() / text).exists() or (workspace / text).exists():
        return text, None
    return found["path"], int(found["line"])


def _in_workspace(name: str, workspace: Path, language: Language) -> str:
    """Return a path as the store spells it. A name is looked for from here first, then from the workspace.

    The last component is not resolved: a link inside the workspace is asked for by its own name.
    """
    here = Path.cwd() / name
    candidate = here if here.exists() or Path(name).is_absolute() else workspace / name
    try:
        inside = (candidate.parent.resolve() / candidate.name).relative_to(workspace)
    except ValueError:
        inside = None
    if inside is None or ".." in inside.parts:
        raise BadInput(
            message(language, "outside", path=name, workspace=workspace), message(language, "outside-mend")
        )
    return inside.as_posix()
