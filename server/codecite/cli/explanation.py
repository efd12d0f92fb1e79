"""What `codecite doctor PATH` found out about one file, in a few plain sentences."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from codecite.cli.messages import message
from codecite.cli.terminal import Screen, moment, safe

_MOST_REMOVED = 3  # of the removals that the result holds
_SHORT = 12  # hexadecimal digits of a hash or commit that people compare

Document = Mapping[str, Any]


class Say(Protocol):
    """Returns a message of the table in the reader's language, safe to show."""

    def __call__(self, name: str, /, **values: object) -> str:
        """See `messages.message`."""


def explained(file: Document, screen: Screen, *, ok: bool) -> Iterator[str]:
    """Yield the verdict on a file, what it rests on, and the mend where one is needed."""

    def say(name: str, /, **values: object) -> str:
        return safe(message(screen.language, name, **values))

    verdict, block = file["verdict"], file["block"]
    line = f":{file['line']}" if file["line"] else ""
    headline = screen.paint(say(verdict), "bold", "green" if ok else "red")
    yield f"{screen.paint(safe(file['path']) + line, 'cyan')}  {headline}"
    indexed, refusal = file["indexed"], file["refusal"] or {}
    told = "gone" if verdict == "unknown" and ok else verdict
    why = say(f"why-{told}", reason=refusal.get("reason"), detail=refusal.get("detail"))
    still = f" {say('still-indexed')}" if indexed and verdict in {"refused", "ignored"} else ""
    yield f"  {why}{still}"
    yield f"  {_indexed(indexed, say)}" if indexed else f"  {say('not-indexed')}"
    if indexed and not indexed["clean"]:
        yield f"  {say('unclean')}"
    yield f"  {_on_disk(file['disk'], say)}"
    if indexed and file["head"] and file["head"] != indexed["commit"]:
        yield f"  {say('head-moved', head=file['head'][:_SHORT])}"
    if block:
        yield f"  {_block(file['line'], block, say)}"
    elif line and indexed:
        yield f"  {say('no-block', line=file['line'])}"
    for one in file["removed"][:_MOST_REMOVED]:
        told = say("last-removed", at=moment(one["removed_at"]), reason=one["reason"], id=one["id"])
        yield f"  {screen.paint(told, 'dim')}"
    if not ok:
        yield f"  {say('mend-name' if verdict == 'unknown' else 'mend-repair')}"


def _indexed(indexed: Document, say: Say) -> str:
    commit = say("at-commit", commit=indexed["commit"][:_SHORT]) if indexed["commit"] else ""
    return say(
        "indexed",
        at=moment(indexed["at"]),
        commit=commit,
        size=indexed["size"],
        lines=indexed["lines"],
        language=indexed["language"],
        sha=indexed["sha256"][:_SHORT],
    )


def _on_disk(disk: Document, say: Say) -> str:
    if not disk["exists"]:
        return say("not-on-disk")
    if disk["sha256"] is None:
        return say("on-disk-unread", problem=disk["problem"])
    return say("on-disk", at=moment(disk["mtime"]), size=disk["size"], sha=disk["sha256"][:_SHORT])


def _block(line: int, block: Document, say: Say) -> str:
    symbol = f" ({block['symbol']})" if block["symbol"] else ""
    where = say("block", line=line, first=block["start_line"], last=block["end_line"], symbol=symbol)
    if block["text_matches"]:
        now = say("block-fresh")
    elif block["stands_at"]:
        now = say("block-moved", first=block["stands_at"][0], last=block["stands_at"][1])
    else:
        now = say("block-gone")
    if not block["embedded"]:
        vector = say("vector-none")
    else:
        vector = say("vector-stored" if block["in_vector_store"] else "vector-lost")
    return f"{where} {now} {vector}"
