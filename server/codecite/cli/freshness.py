"""What `codecite status` says of one workspace below the word for its state, a line each."""

from collections.abc import Iterator, Mapping
from typing import Any

from codecite.cli.messages import message
from codecite.cli.terminal import Screen, columns, moment, safe

_SHORT = 12  # hexadecimal digits of a commit
_MOST_NAMED = 5  # files in conflict, unconfirmed blocks
_WIDE = 9  # columns of a name

Document = Mapping[str, Any]


def described(report: Document, screen: Screen) -> Iterator[str]:
    """Yield what there is, how fresh it is, what runs or waits, and what fails."""
    for name, value in _rows(report, screen):
        if value:
            yield labelled(name, safe(value), screen)


def labelled(name: str, shown: str, screen: Screen) -> str:
    """Return a line of status: what it is about, in the reader's language, and what is safe to show of it."""
    label = message(screen.language, f"status-{name}")
    return f"  {label}{' ' * (_WIDE - columns(label))}  {shown}"


def _rows(report: Document, screen: Screen) -> Iterator[tuple[str, str]]:
    def say(name: str, /, **values: object) -> str:
        return message(screen.language, name, **values)

    files, blocks, vectors = report["files"], report["blocks"], report["vectors"]
    waiting = vectors["pending"] + vectors["outbox"]
    yield "workspace", report["workspace"]
    yield "store", report["store"]
    yield "files", say("status-files-are", **files)
    yield "blocks", say("status-blocks-are", **blocks)
    made = say("status-vectors-wait", waiting=waiting) if waiting else say("status-vectors-made")
    yield "vectors", f"{vectors['embedder']}{made}"
    updated = moment(report["last_success"]) if report["last_success"] else say("status-never")
    yield (
        "updated",
        updated + (say("at-commit", commit=report["commit"][:_SHORT]) if report["commit"] else ""),
    )
    repository = report["repository"]
    if repository["operation"]:
        yield "git", say("status-operation", operation=repository["operation"])
    elif report["commit"] and not repository["branch"]:
        yield "git", say("status-detached")
    if unmerged := repository["unmerged"]:
        yield "conflicts", _some(unmerged)
    queue, failing = report["queue"], report["failing"]
    if queue["running"]:
        left = say("status-left", **queue) if queue["files_total"] else ""
        causes = ", ".join(queue["running"])
        yield "running", say("status-since", seconds=queue["running_seconds"], causes=causes) + left
    if queue["pending"] and not failing:
        causes = ", ".join(queue["pending"])
        yield "waiting", say("status-since", seconds=queue["pending_seconds"], causes=causes)
    if failing:
        again = say("status-again", seconds=queue["due_seconds"]) if queue["pending"] else ""
        yield "failing", say("status-failing-is", **{**failing, "since": moment(failing["since"])}) + again
    if retained := blocks["retained"]:
        names = _some([f"{one['path']}:{one['symbol']}" for one in report["unconfirmed"]], retained)
        yield "withheld", say("status-withheld-is", names=names)
    yield "engine", say("status-engine-is", **report["engine"])


def _some(names: list[str], total: int | None = None) -> str:
    """Return the first names, and a mark where there are more."""
    shown = names[:_MOST_NAMED]
    return ", ".join(shown) + (", …" if (total or len(names)) > len(shown) else "")
