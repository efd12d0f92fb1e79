"""Small files as the ledger is given them, built by the real index stage from a list of leaves."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

import numpy as np

from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.index.plan import indexed_blocks
from codecite.model.blocks import Definition, Guarded, Leaf, ParsedFile, Retained
from codecite.model.files import FileStamp
from codecite.ports import FileRecord, FileUpdate, Vectors

MODEL = "test-model"
DIMENSION = 4


def sha(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def leaf(name: str, code: str, comment: str = "", *, start: int = 1) -> Leaf:
    """A function of whole lines; its comment is part of its text and not of its code."""
    text = (f"# {comment}\n" if comment else "") + f"def {name}():\n    {code}\n"
    return Leaf(
        start_line=start, end_line=start + text.count("\n") - 1, symbol=f"Thing.{name}", name=name, kind="function",
        language="python", text=text, code_hash=sha(f"{name} {code}"), text_hash=sha(text),
        embed_text=f"function {name}\n{code}" if code != "pass" else "", doc="", comments=comment,
    )  # fmt: skip


def stacked(*parts: tuple[str, ...]) -> tuple[Leaf, ...]:
    """Leaves one below the other, from (name, code) or (name, code, comment)."""
    leaves: list[Leaf] = []
    for name, code, *comment in parts:
        leaves.append(leaf(name, code, *comment[:1], start=leaves[-1].end_line + 1 if leaves else 1))
    return tuple(leaves)


def update_of(
    path: str, leaves: Sequence[Leaf], model: str = MODEL, at: float = 1.0
) -> tuple[FileUpdate, dict[str, str]]:
    """What the engine hands to `write_file` for a file of these leaves, each of them a definition too."""
    definitions = tuple(
        Definition(item.symbol, item.name, "function", item.start_line, 0, item.end_line, 8, item.start_line, 4,
                   f"def {item.name}()")
        for item in leaves
    )  # fmt: skip
    blocks, texts = indexed_blocks(
        path, ParsedFile(path, "python", tuple(leaves), definitions, clean=True), model
    )
    text = "".join(item.text for item in leaves)
    record = FileRecord(
        FileStamp(path, len(text), 1),
        sha(text),
        "python",
        "utf-8",
        clean=True,
        lines=text.count("\n"),
        notes=(),
    )
    return FileUpdate(record, tuple(blocks), definitions, "c0ffee", at), texts


def guarded_update(
    path: str, old: Sequence[Leaf], new: Sequence[Leaf], at: float = 1.0
) -> tuple[FileUpdate, dict[str, str]]:
    """What the engine hands over of a file that stopped parsing: what it lost is retained."""
    update, texts = update_of(path, new, at=at)
    live = {item.symbol for item in new}
    lost = tuple(
        Retained(b.id, b.symbol, b.name, b.kind, b.start_line, b.end_line, b.text)
        for b in (item.block for item in update_of(path, old)[0].blocks)
        if b.symbol not in live
    )
    record = replace(update.record, clean=False)
    return replace(update, record=record, guarded=Guarded("".join(item.text for item in old), lost)), texts


def write(ledger: SqliteLedger, path: str, *parts: tuple[str, ...], model: str = MODEL) -> None:
    ledger.write_file(*update_of(path, stacked(*parts), model))


def vectors_for(keys: Sequence[str]) -> Vectors:
    """A vector for each key, told by the key alone."""
    rows = [np.frombuffer(sha(key).encode()[:DIMENSION], np.uint8).astype(np.float32) for key in keys]
    return (
        np.stack([row / np.linalg.norm(row) for row in rows])
        if rows
        else np.zeros((0, DIMENSION), np.float32)
    )


def embed_pending(ledger: SqliteLedger, model: str = MODEL) -> list[str]:
    """Make every vector that is waited for; return the keys."""
    with ledger.reader() as reader:
        keys = [key for key, _ in reader.pending_texts(100_000)]
    ledger.put_vectors(model, keys, vectors_for(keys))
    return keys


def drained(ledger: SqliteLedger, batch: int = 1_000) -> Iterator["tuple[str, Vectors | None]"]:
    """Yield the outbox step by step, settling each batch."""
    while True:
        with ledger.reader() as reader:
            entries = reader.outbox(batch)
        if not entries:
            return
        yield from ((entry.id, entry.vector) for entry in entries)
        ledger.settle_outbox(entries[-1].number)
