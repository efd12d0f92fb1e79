"""Results as the JSON of the interfaces: one place where values become plain dictionaries."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from codecite.engine.sync import BlockCounts
from codecite.model.blocks import Block
from codecite.model.files import Refusal
from codecite.model.hits import Answer, SearchResult
from codecite.ports import BlockRow, Embedder, LedgerReader


def search_json(result: SearchResult) -> dict[str, Any]:
    """Return a search result as JSON."""
    return asdict(result)


def answer_json(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON."""
    return asdict(answer)


def refusal_json(refusal: Refusal) -> dict[str, str]:
    """Return a refused file as JSON; `detail` only where there is one."""
    out = {"path": refusal.path, "reason": refusal.reason}
    return {**out, "detail": refusal.detail} if refusal.detail else out


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
