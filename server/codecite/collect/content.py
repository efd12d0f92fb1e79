"""What a file's bytes are: text to be indexed, or something that is refused for a reason."""

import re
from collections.abc import Callable

from codecite.collect.charset import Decoded, decode
from codecite.collect.machine import generated, minified
from codecite.collect.names import refuse_name
from codecite.model.files import Refusal, SourceText

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"RIFF", "a RIFF media file"),
    (b"%PDF-", "a PDF document"),
    (b"%!PS-Adobe", "a PostScript document"),
    (b"{\\rtf", "an RTF document"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "a zip archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"!<arch>\n", "an archive of objects"),
    (b"\x7fELF", "an ELF program"),
    (b"\xca\xfe\xba\xbe", "a Java class"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"\xce\xfa\xed\xfe", "a Mach-O program"),
    (b"\0asm", "a WebAssembly module"),
    (b"SQLite format 3\0", "an SQLite database"),
)
_PRINTABLE_MAGIC = {b"RIFF", b"BZh"}  # words that text may begin with: binary only if more than text follows
# https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md; a pointer is at most 1024 bytes
_LFS_POINTER = re.compile(
    rb"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v\d\r?\n[\s\S]*\boid "
)
_LFS_LONGEST = 1024
# A private key in PEM or PGP armour, bare or in a string literal. The mark alone, as code that looks for keys has it,
# is none: a run of base64 must follow, after the headers that there may be.
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[\s\S]){0,400}?[A-Za-z0-9+/]{40}"
)
_CONTROL = re.compile(
    "[\0-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]"
)  # not tab, line ends, form feed, escape
_FEW = 3  # control characters that any text may hold
_SHARE = 0.05  # of control characters, above which it is no text
_GUESSED_SHARE = 0.005  # the same where nothing but its look says that it is text at all


def examine(path: str, data: bytes) -> SourceText | Refusal:
    """Return the text of a file, or why it is none to be indexed. Never raises, whatever the bytes are.

    `path` is relative to the workspace and counts for its name only. The reasons are "secret", "binary",
    "lfs-pointer", "minified" and "generated". A byte order mark is gone from the text, a NUL is a space; lines end
    as in the file.
    """
    if refusal := refuse_name(path):
        return refusal
    if len(data) <= _LFS_LONGEST and _LFS_POINTER.match(data):
        return Refusal(path, "lfs-pointer", "the content is in Git LFS and not here")
    decoded = decode(data)
    if what := _binary(data, decoded):
        return Refusal(path, "binary", what)
    for reason, detail, holds in _REFUSED_TEXT:
        if holds(path, decoded.text):
            return Refusal(path, reason, detail)
    text = decoded.text.lstrip("\ufeff")  # a second mark comes from files pasted together
    if "\0" not in text:
        return SourceText(text, decoded.encoding, decoded.notes)
    notes = (*decoded.notes, "NUL characters were read as spaces")
    return SourceText(text.replace("\0", " "), decoded.encoding, notes)


def _holds_private_key(_path: str, text: str) -> bool:
    return "PRIVATE KEY" in text and _PRIVATE_KEY.search(text) is not None


_REFUSED_TEXT: tuple[tuple[str, str, Callable[[str, str], bool]], ...] = (
    ("secret", "it holds a private key", _holds_private_key),
    ("generated", "its head says that a tool wrote it", generated),
    ("minified", "most of it is in lines too long to be hand-written", minified),
)


def _binary(data: bytes, decoded: Decoded) -> str:
    """Say what binary format data is in; "" for text."""
    controls = len(_CONTROL.findall(decoded.text))
    for magic, what in _MAGIC:
        if data.startswith(magic) and (magic not in _PRINTABLE_MAGIC or controls):
            return what
    share = _GUESSED_SHARE if decoded.guessed else _SHARE
    if controls > (0 if decoded.guessed else _FEW) and controls > len(decoded.text) * share:
        return "too many control characters for text"
    return ""
