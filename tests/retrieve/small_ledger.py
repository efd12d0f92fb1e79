"""A real ledger over a small workspace that a test writes down."""

from collections.abc import Mapping
from hashlib import sha256

from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.detect.languages import language_of
from codecite.detect.parse import parse
from codecite.index.plan import indexed_blocks
from codecite.model.files import FileStamp
from codecite.ports import FileRecord, FileUpdate


def write(ledger: SqliteLedger, files: Mapping[str, str]) -> SqliteLedger:
    for path, text in files.items():
        parsed = parse(path, text, language_of(path))
        blocks, embed_texts = indexed_blocks(path, parsed, "model")
        record = FileRecord(
            FileStamp(path, len(text.encode()), 1),
            sha256(text.encode()).hexdigest(),
            parsed.language,
            "utf-8",
            parsed.clean,
            text.count("\n"),
            (),
        )
        ledger.write_file(
            FileUpdate(record, tuple(blocks), parsed.definitions, None, 1.0),
            embed_texts,
        )
    return ledger
