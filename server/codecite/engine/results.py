"""Results as the JSON of the interfaces: one place where values become plain dictionaries."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_args

from codecite.adapters.git import Standing
from codecite.engine.block_counts import BlockCounts
from codecite.model.blocks import Block
from codecite.model.descriptions import Description, NamedPlace
from codecite.model.errors import BadInput
from codecite.model.files import Refusal
from codecite.model.hits import Answer, Citation, Focus, SearchResult, State
from codecite.ports import BlockRow, Embedder, LedgerReader


def search_json(result: SearchResult) -> dict[str, Any]:
    """Return a search result as JSON."""
    return {
        **_flat(result),
        "hits": list(map(_flat, result.hits)),
        "searched": _flat(result.searched),
    }


def _flat(value: Any) -> dict[str, Any]:
    """Return a dataclass as a dictionary of its own fields; `asdict` copies all that they hold, which takes longer."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def answer_json(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON."""
    return asdict(answer)


def citations_json(workspace: Path, citations: Sequence[Citation]) -> dict[str, Any]:
    """Return citations that were anchored again as JSON."""
    return {"workspace": str(workspace), "citations": [asdict(citation) for citation in citations]}


def description_json(description: Description) -> dict[str, Any]:
    """Return what is known of a name as JSON."""
    return asdict(description)


def symbols_json(workspace: Path, found: Sequence[NamedPlace]) -> dict[str, Any]:
    """Return definitions that were found by name as JSON."""
    return {"workspace": str(workspace), "symbols": [asdict(one) for one in found]}


def citation_of(data: object) -> Citation:
    """Read a citation back, whatever else stands beside it. Raises BadInput for what is none of an answer."""
    if isinstance(data, Mapping):
        known = {field.name: data[field.name] for field in fields(Citation) if field.name in data}
        focus = known.get("focus")
        if (
            all(isinstance(known.get(name), str) for name in _TEXTS)
            and all(_is_number(known.get(name)) for name in _NUMBERS)
            and {"score", "indexed_at", "commit"} <= known.keys()
            and (focus is None or (isinstance(focus, Mapping) and _is_focus(focus)))
            and is_stored_path(known["path"])
            and known["state"] in get_args(State)
        ):
            return Citation(**{**known, "focus": Focus(**focus) if focus else None})
    raise BadInput("a citation is none that an answer holds", "send it as it came")


def is_stored_path(path: str) -> bool:
    """Say whether a store could hold this path: relative, in POSIX spelling, in UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in path and not {"", ".", ".."}.intersection(path.split("/"))


_TEXTS = ("id", "path", "symbol", "kind", "language", "text", "why", "state", "excerpt")
_NUMBERS = ("n", "start_line", "end_line", "excerpt_start")


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_focus(value: Mapping[str, object]) -> bool:
    return value.keys() == {"line", "column", "length"} and all(map(_is_number, value.values()))


def refusal_json(refusal: Refusal) -> dict[str, str]:
    """Return a refused file as JSON; `detail` only where there is one."""
    out = {"path": refusal.path, "reason": refusal.reason}
    return {**out, "detail": refusal.detail} if refusal.detail else out


def standing_json(standing: Standing) -> dict[str, Any]:
    """Return what a repository is in the middle of as JSON."""
    return {**asdict(standing), "unmerged": list(standing.unmerged)}


def block_json(row: BlockRow) -> dict[str, Any]:
    """Return a stored block as JSON."""
    block: Block = row.block
    return {
        "id": block.id,
        "path": block.path,
        "start_line": block.start_line,
        "end_line": block.end_line,
        "symbol": block.symbol,
        "kind": block.kind,
        "language": block.language,
        "text": block.text,
        "embed_key": row.embed_key,
        "embedded_by": row.embedded_by,
        "indexed_at": row.indexed_at,
    }


def index_json(
    workspace: Path, reader: LedgerReader, embedder: Embedder, blocks: BlockCounts, seconds: float
) -> dict[str, Any]:
    """Return what was done since it was asked for, and what the ledger now holds."""
    counts = reader.counts()
    return {
        "workspace": str(workspace),
        "files": {
            "indexed": counts.files,
            "skipped": [refusal_json(item.refusal) for item in reader.refused()],
        },
        "blocks": {
            "total": counts.blocks,
            "added": blocks.added,
            "changed": blocks.changed,
            "moved": blocks.moved,
            "removed": blocks.removed,
            "embedded": blocks.embedded,
        },
        "totals": {"embedded": counts.embedded_total},
        "seconds": round(seconds, 3),
        "sequence": reader.sequence,
        "commit": reader.commit,
        "embedder": embedder.name,
    }
