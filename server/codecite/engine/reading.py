"""One file from the disk to blocks: read, decode, parse, name. Runs in the parsing worker, and nowhere else."""

from codecs import BOM_UTF8
from dataclasses import replace
from hashlib import sha256
from time import monotonic

from codecite.collect.content import examine
from codecite.detect.guard import guard
from codecite.detect.languages import language_of
from codecite.detect.parse import parse
from codecite.engine.wire import FileReply, FileRequest
from codecite.index.plan import indexed_blocks
from codecite.model.blocks import Guarded, ParsedFile
from codecite.model.files import FileStamp, Refusal
from codecite.model.lines import split_lines
from codecite.ports import Disk, FileRecord
from codecite.settings import Settings

PLAIN_LANGUAGE = "text"  # what a file is indexed as when its grammar cannot be trusted with it


def read_file(disk: Disk, request: FileRequest, settings: Settings, model_digest: str) -> FileReply:
    """Read one file and return all that the ledger is to know of it; never raises for what a file can hold."""
    path = request.path
    try:
        stamp, data = _content(disk, request, settings.max_file_bytes)
    except (FileNotFoundError, NotADirectoryError):  # the latter where a folder above is a file by now
        return FileReply(path, gone=True)
    except OSError as error:
        return FileReply(path, refusal=Refusal(path, "unreadable", error.strerror or str(error)))
    if len(data) > settings.max_file_bytes:
        detail = f"{stamp.size:,} bytes, the limit is {settings.max_file_bytes:,}"
        return FileReply(path, stamp, Refusal(path, "too-large", detail))
    digest = sha256(data).hexdigest()
    if digest == request.known_sha256:
        return FileReply(path, stamp)
    content = examine(path, data)
    if isinstance(content, Refusal):
        return FileReply(path, stamp, content)
    parsed = _parsed(path, content.text, settings, plain=request.plain)
    guarded = None
    if request.before is not None and not parsed.clean:
        before = _parsed(path, request.before, settings)
        if before.clean:  # it was; another grammar or a slower machine may see it otherwise
            parsed, retained = guard(content.text, parsed, before)
            guarded = Guarded(request.before, retained)
    blocks, embed_texts = indexed_blocks(path, parsed, model_digest)
    record = FileRecord(
        stamp=stamp,
        sha256=digest,
        language=parsed.language,
        encoding=content.encoding,
        clean=parsed.clean,
        lines=len(split_lines(content.text)),
        notes=(*content.notes, *parsed.notes),
    )
    return FileReply(
        path,
        stamp,
        record=record,
        blocks=tuple(blocks),
        definitions=parsed.definitions,
        embed_texts=dict(embed_texts),
        guarded=guarded,
    )


def _content(disk: Disk, request: FileRequest, limit: int) -> tuple[FileStamp, bytes]:
    """Return the bytes of the file, or of the text that stands in for it, and their stamp. Raises OSError."""
    if request.text is None:
        return disk.read(request.path, limit)
    data = BOM_UTF8 + request.text.encode()  # the mark keeps its encoding from being guessed
    return FileStamp(request.path, len(data), 0), data


def _parsed(path: str, text: str, settings: Settings, *, plain: bool = False) -> ParsedFile:
    """Parse a text within the time that one parse may take; `plain` takes it as lines and says so."""
    language = language_of(path, text[:200].split("\n", 1)[0])
    deadline = monotonic() + settings.parse_seconds
    parsed = parse(
        path,
        text,
        PLAIN_LANGUAGE if plain else language,
        max_leaf_lines=settings.max_leaf_lines,
        expired=lambda: monotonic() > deadline,
    )
    if plain:
        note = f"the {language} parser failed on this file: indexed as plain lines"
        parsed = replace(parsed, clean=False, notes=(*parsed.notes, note))
    return parsed
