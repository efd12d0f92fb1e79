"""Results as lines for people. What scripts read is the JSON, printed unchanged elsewhere.

Each function takes a result as the engine returns it and yields lines without their ends. All that comes from
the repository passes through `terminal.safe`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from codecite.cli.explanation import explained
from codecite.cli.freshness import described, labelled
from codecite.cli.messages import message
from codecite.cli.terminal import Screen, Style, columns, safe
from codecite.model.lines import split_lines, strip_line_end

CODE_LINES = 6  # of a citation
_MOST_REASONS = 12  # kinds of refusal told apart before the rest is one number
_STATE_COLOURS: Mapping[str, Style] = {"ready": "green", "failed": "red"}
_STALE = {"moved": "moved since indexed", "changed": "changed since indexed", "gone": "gone since indexed"}
_HINDERED = {
    "link",
    "no-file",
    "no-shell-script",
    "not-executable",
    "broken-section",
}  # hooks that are to be seen to

Document = Mapping[str, Any]


def ask(answer: Document, screen: Screen) -> Iterator[str]:
    """Yield the text where a model wrote one, then each piece of evidence with a few lines of code."""
    if answer["abstained"] or answer["generator"] != "evidence":
        for line in split_lines(answer["text"]):
            yield safe(strip_line_end(line))
        if answer["citations"]:
            yield ""
    for position, citation in enumerate(answer["citations"]):
        if position:
            yield ""
        yield from _citation(citation, Path(answer["workspace"]), screen)
    yield from _degraded(answer["degraded"], screen)


def search(result: Document, screen: Screen) -> Iterator[str]:
    """Yield one line a hit."""
    hits = result["hits"]
    wide = len(str(len(hits)))
    for rank, hit in enumerate(hits, 1):
        place = _place(hit, Path(result["workspace"]), screen)
        symbol = f"  {screen.paint(safe(hit['symbol']), 'bold')}" if hit["symbol"] else ""
        yield f"{rank:>{wide}}  {place}{symbol}  {screen.paint('(' + safe(hit['why']) + ')', 'dim')}"
    if not hits:
        blocks_, files = result["searched"]["blocks"], result["searched"]["files"]
        yield f"Nothing matched; searched {_many(blocks_, 'block')} of {_many(files, 'file')}."
    yield from _degraded(result["degraded"], screen)


def index(report: Document, screen: Screen) -> Iterator[str]:
    """Yield what an update did; refused files are counted by reason."""
    files, blocks = report["files"], report["blocks"]
    changes = ", ".join(
        f"{blocks[name]} {name}" for name in ("added", "changed", "moved", "removed") if blocks[name]
    )
    yield (
        f"{_many(files['indexed'], 'file')}, {_many(blocks['total'], 'block')}"
        f" ({changes or 'nothing changed'}; {_many(blocks['embedded'], 'vector')} made)"
        f" in {report['seconds']:.1f} s"
    )
    reasons = Counter(item["reason"] for item in files["skipped"]).most_common(_MOST_REASONS)
    if reasons:
        told = ", ".join(f"{count} {safe(reason)}" for reason, count in reasons)
        yield screen.paint(f"skipped: {told}  (each with its reason: --json)", "dim")


def queued(report: Document, screen: Screen) -> Iterator[str]:
    """Yield what is known of an update that was not waited for."""
    del report
    yield f"Queued. {screen.paint('`codecite status` shows how far it is; --wait waits for it.', 'dim')}"


def blocks(listing: Document, screen: Screen) -> Iterator[str]:
    """Yield a table of blocks, each file under its own heading."""
    path = None
    rows: Sequence[Document] = listing["blocks"]
    wide = max((len(f"{row['start_line']}-{row['end_line']}") for row in rows), default=0)
    for row in rows:
        if row["path"] != path:
            if path is not None:
                yield ""
            path = row["path"]
            yield screen.paint(safe(path), "cyan")
        lines = f"{row['start_line']}-{row['end_line']}"
        vector = (
            "" if row["embedded_by"] or not row["embed_key"] else screen.paint("  no vector yet", "yellow")
        )
        symbol = safe(row["symbol"]) or screen.paint("-", "dim")
        yield f"  {lines:>{wide}}  {safe(row['kind']):<8}  {symbol}{vector}"


def status(report: Document, screen: Screen) -> Iterator[str]:
    """Yield the state in one word, then counts, freshness, what is under way, and problems, a line each."""
    yield screen.paint(report["state"], "bold", _STATE_COLOURS.get(report["state"], "yellow"))
    yield from described(report, screen)
    for name in ("degraded", "problems"):
        for line in report[name]:
            yield labelled(name, screen.paint(safe(line), "yellow"), screen)


def doctor(report: Document, screen: Screen) -> Iterator[str]:
    """Yield a line a check; under a failed one, its mend. One file is explained in sentences."""
    if "file" in report:
        yield from explained(report["file"], screen, ok=all(check["ok"] for check in report["checks"]))
        return
    wide = max((columns(check["name"]) for check in report["checks"]), default=0)
    for check in report["checks"]:
        mark = screen.paint("ok  ", "green") if check["ok"] else screen.paint("FAIL", "red", "bold")
        yield f"{mark}  {safe(check['name']):<{wide}}  {safe(check['detail'])}"
        if not check["ok"] and check["mend"]:
            yield f"      {'':<{wide}}  mend: {safe(check['mend'])}"


def hook(report: Document, screen: Screen) -> Iterator[str]:
    """Yield a line a hook; a nudge says nothing."""
    rows = [(row, message(screen.language, row["state"])) for row in report.get("hooks", ())]
    wide = max((columns(state) for _, state in rows), default=0)
    for row, state in rows:
        colour: Style = "yellow" if row["state"] == "left-alone" and row["reason"] in _HINDERED else "green"
        told = (
            message(screen.language, f"hook-{row['reason']}", about=row["about"]) if "reason" in row else ""
        )
        mark = screen.paint(state, colour) + " " * (wide - columns(state))
        detail = screen.paint(f"  ({safe(told.strip())})", "dim") if told else ""
        yield f"{mark}  {safe(row['path'])}{detail}"


def stop(report: Document, screen: Screen) -> Iterator[str]:
    """Yield whether there was anything to stop."""
    del screen
    yield "Stopped." if report["stopped"] else "No engine was running here."


def eval_(report: Document, screen: Screen) -> Iterator[str]:
    """Yield a table of figures: overall, by category, and beside an earlier run."""
    names = list(report["overall"]["metrics"])
    rows = [("overall", report["overall"])]
    rows += [(safe(name), summary) for name, summary in report["categories"].items()]
    compared = report.get("compare")
    if compared:
        rows += [("compared: before", compared["before"]), ("compared: after", compared["after"])]
    wide = max(columns(label) for label, _ in rows)
    yield screen.paint(f"{'':<{wide}}  cases  " + "  ".join(f"{name:>9}" for name in names), "bold")
    for label, summary in rows:
        figures = "  ".join(f"{summary['metrics'][name]:>9.3f}" for name in names)
        yield f"{label}{' ' * (wide - columns(label))}  {summary['cases']:>5}  {figures}"
    if compared:
        for name in ("better", "worse"):
            told = "  ".join(safe(case) for case in compared[name]) or "none"
            yield screen.fit(f"{name} ({len(compared[name])}): {told}")
    if report["without_targets"]:
        yield screen.paint(f"{_many(report['without_targets'], 'case')} without targets: in no figure", "dim")


def _citation(citation: Document, workspace: Path, screen: Screen) -> Iterator[str]:
    number = screen.paint(f"[{citation['n']}]", "bold", "green")
    symbol = f"  {screen.paint(safe(citation['symbol']), 'bold')}" if citation["symbol"] else ""
    why = screen.paint(f"({safe(citation['why'])})", "dim")
    state = _STALE.get(citation["state"])
    marked = f"  {screen.paint(state, 'yellow')}" if state else ""
    yield f"{number} {_place(citation, workspace, screen)}{symbol}  {why}{marked}"
    first = citation.get("excerpt_start") or citation["start_line"]
    code = split_lines(citation.get("excerpt") or citation["text"])[:CODE_LINES]
    while code and not code[-1].strip():
        code.pop()
    wide = len(str(first + len(code) - 1))
    for number_of_line, line in enumerate(code, first):
        gutter = f"    {number_of_line:>{wide}} | "
        yield f"{screen.paint(gutter, 'dim')}{screen.fit(safe(strip_line_end(line)), len(gutter))}".rstrip()


def _place(item: Document, workspace: Path, screen: Screen) -> str:
    place = f"{safe(item['path'])}:{item['start_line']}-{item['end_line']}"
    return screen.link(screen.paint(place, "cyan"), workspace / item["path"])


def _degraded(reasons: Sequence[str], screen: Screen) -> Iterator[str]:
    if reasons:
        yield ""
        yield screen.paint(safe("; ".join(reasons)), "dim")


def _many(count: int, thing: str) -> str:
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


VIEWS: Mapping[str, Callable[[Document, Screen], Iterator[str]]] = {
    "ask": ask,
    "search": search,
    "index": index,
    "queued": queued,
    "blocks": blocks,
    "status": status,
    "doctor": doctor,
    "eval": eval_,
    "hook": hook,
    "stop": stop,
}
