"""How a parsed file crosses from the parsing worker to the engine: plain JSON arrays, positions fixed here.

The worker is our own child, but it runs native parsers over untrusted files; JSON keeps what it sends mere data.
"""

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from codecite.model.blocks import Block, Definition, Guarded, Retained
from codecite.model.files import FileStamp, Refusal
from codecite.ports import FileRecord, IndexedBlock, Terms

# `dataclasses.astuple` copies every string; a large repository has a million of them.
_definition_row = attrgetter(*(field.name for field in fields(Definition)))
_retained_row = attrgetter(*(field.name for field in fields(Retained)))


@dataclass(frozen=True, slots=True)
class FileRequest:
    """Read and parse one file, unless its bytes still have the hash that the ledger knows ("" for none).

    `text` stands in for what the file holds on disk, which is then not looked at.
    `before` is the file's last clean text, for a file that is to be guarded should it not parse (detect.guard).
    """

    path: str
    known_sha256: str
    plain: bool = False  # skip the grammar: it hung or crashed on this file before
    text: str | None = None
    before: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the request as JSON."""
        return {
            "path": self.path,
            "known": self.known_sha256,
            "plain": self.plain,
            "text": self.text,
            "before": self.before,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "FileRequest":
        """Read a request back."""
        return cls(data["path"], data["known"], data["plain"], data["text"], data["before"])


@dataclass(frozen=True, slots=True)
class FileReply:
    """What came of it: exactly one of unchanged (a new stamp only), refused, gone, or parsed."""

    path: str
    stamp: FileStamp | None = None
    refusal: Refusal | None = None
    gone: bool = False
    record: FileRecord | None = None
    blocks: tuple[IndexedBlock, ...] = ()
    definitions: tuple[Definition, ...] = ()
    embed_texts: dict[str, str] | None = None
    guarded: Guarded | None = (
        None  # there when the file was read with its last clean text beside it, and is broken
    )

    def to_json(self) -> dict[str, Any]:
        """Return the reply as JSON."""
        out: dict[str, Any] = {"path": self.path}
        if self.stamp is not None:
            out["stamp"] = [self.stamp.size, self.stamp.mtime_ns, self.stamp.ctime_ns]
        if self.refusal is not None:
            out["refusal"] = [self.refusal.reason, self.refusal.detail]
        if self.gone:
            out["gone"] = True
        if self.record is not None:
            record = self.record
            out["record"] = [
                record.sha256,
                record.language,
                record.encoding,
                record.clean,
                record.lines,
                record.notes,
            ]
            out["blocks"] = [_block_row(item) for item in self.blocks]
            out["definitions"] = [_definition_row(definition) for definition in self.definitions]
            out["texts"] = self.embed_texts or {}
        if self.guarded is not None:
            out["guarded"] = [self.guarded.text, [_retained_row(item) for item in self.guarded.retained]]
        return out

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "FileReply":
        """Read a reply back."""
        path: str = data["path"]
        stamp = FileStamp(path, *data["stamp"]) if "stamp" in data else None
        refusal = Refusal(path, *data["refusal"]) if "refusal" in data else None
        if "record" not in data or stamp is None:
            return cls(path, stamp, refusal, gone=data.get("gone", False))
        sha256, language, encoding, clean, lines, notes = data["record"]
        record = FileRecord(stamp, sha256, language, encoding, clean, lines, tuple(notes))
        guarded = None
        if "guarded" in data:
            text, retained = data["guarded"]
            guarded = Guarded(text, tuple(Retained(*row) for row in retained))
        return cls(
            path,
            stamp,
            record=record,
            blocks=tuple(_block(path, row) for row in data["blocks"]),
            definitions=tuple(Definition(*row) for row in data["definitions"]),
            embed_texts=data["texts"],
            guarded=guarded,
        )


def _block_row(item: IndexedBlock) -> list[Any]:
    block, terms = item.block, item.terms
    return [
        block.id, block.start_line, block.end_line, block.symbol, block.name, block.kind, block.language, block.text,
        block.code_hash, block.text_hash, block.doc, block.comments, item.embed_key,
        terms.name, terms.parent, terms.path, terms.body, terms.comment,
    ]  # fmt: skip


def _block(path: str, row: list[Any]) -> IndexedBlock:
    (identity, start, end, symbol, name, kind, language, text, code_hash, text_hash, doc, comments, key,
     *terms) = row  # fmt: skip
    block = Block(
        start_line=start, end_line=end, symbol=symbol, name=name, kind=kind, language=language, text=text,
        code_hash=code_hash, text_hash=text_hash, embed_text="", doc=doc, comments=comments, id=identity, path=path,
    )  # fmt: skip
    return IndexedBlock(block, Terms(*terms), key)
