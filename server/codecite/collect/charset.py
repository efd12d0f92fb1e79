"""From bytes to text: which encoding a source file is in.

Asked in this order: a byte order mark; UTF-16 without one; UTF-8; what the file declares (PEP 263, Emacs, Vim, HTML,
XML, CSS); the legacy encoding whose common characters the bytes spell. UTF-8 comes before the declaration because
text in another encoding is all but never valid UTF-8 by chance, while declarations go stale. A last guess may garble
a comment but never loses a line of code, since in all these encodings ASCII stays ASCII.
"""

import codecs
import re
from dataclasses import dataclass
from itertools import pairwise

_MARKS = (  # UTF-32 first: its little-endian mark begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 1 << 16  # bytes looked at where a look is enough

_DECLARED = re.compile(
    rb"""
    \A<\?xml[^>]{0,200}\bencoding\s*=\s*["'](?P<xml>[-\w.:]+)
  | \A@charset\s+"(?P<css>[-\w.:]+)
  | <meta\b[^>]{0,200}\bcharset\s*=\s*["']?(?P<html>[-\w.:]+)
  | \A(?:[^\n]*\n)?[^\n]*?coding[:=][ \t]*(?P<cookie>[-\w.]+)        # PEP 263; Emacs and Ruby write it so, too
  | \bvim?:[^\n]*?\b(?:fileencoding|fenc)=(?P<vim>[-\w.]+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_EMACS_LINE_END = re.compile(r"-(?:unix|dos|mac)\Z", re.IGNORECASE)
# Python has these under the roof of text encodings, but they are no encodings of files, or are slow on purpose.
_NOT_FOR_FILES = {
    "idna",
    "punycode",
    "unicode-escape",
    "raw-unicode-escape",
    "undefined",
    "utf-7",
    "mbcs",
    "oem",
}
_SEVEN_BIT = re.compile(
    rb"\x1b[$(]|~\{"
)  # how ISO-2022-JP, -KR and HZ leave ASCII: valid UTF-8, but not meant so


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text without a byte order mark. `guessed` when nothing but its look speaks for the encoding."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()
    guessed: bool = False


def decode(data: bytes) -> Decoded:
    """Decode any bytes; never raises. What cannot be decoded becomes U+FFFD and is noted."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _with_replacements(data[len(mark) :], encoding)
    if encoding := _utf16_without_mark(data):
        return _with_replacements(data, encoding)
    declared = _declared(data)
    for encoding in [declared, "utf-8"] if _SEVEN_BIT.search(data) else ["utf-8", declared]:
        if encoding and (text := _strictly(data, encoding)) is not None:
            return Decoded(text, encoding)
    if _mostly_utf8(data):
        return _with_replacements(data, "utf-8")
    encoding, text = _by_its_look(data)
    return Decoded(text, encoding, (f"no encoding declared: read as {encoding}",), guessed=True)


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _with_replacements(data: bytes, encoding: str) -> Decoded:
    if (text := _strictly(data, encoding)) is not None:
        return Decoded(text, encoding)
    return Decoded(
        data.decode(encoding, "replace"), encoding, (f"bytes that are no {encoding} were replaced",)
    )


def _utf16_without_mark(data: bytes) -> str:
    """Name the UTF-16 that data without a mark is in, or "".

    Code is mostly ASCII, of which UTF-16 makes every other byte a NUL: nearly all NULs then lie on one side.
    """
    sample = data[:_SAMPLE]
    if b"\0" not in sample or len(data) % 2:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    # What is UTF-8 as well is ASCII with some NULs, unless every other byte is one.
    least = 0.2 if _strictly(data, "utf-8") is None else 0.5
    if max(even, odd) < least * len(sample) / 2 or min(even, odd) * 20 > max(even, odd):
        return ""
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    return encoding if _strictly(data, encoding) is not None else ""


def _declared(data: bytes) -> str:
    """Return the usable encoding that the first or last lines declare, or ""."""
    ends = data[:1024] + (b"\n" + data[-512:] if len(data) > 1024 else b"")
    for found in _DECLARED.finditer(ends):
        name = _EMACS_LINE_END.sub("", (found[found.lastgroup or 0]).decode("ascii", "replace"))
        try:
            codec = codecs.lookup(name)
        except (LookupError, ValueError):
            continue
        if codec.name.replace("_", "-") not in _NOT_FOR_FILES:
            return codec.name
    return ""


def _mostly_utf8(data: bytes) -> bool:
    """Say whether data is UTF-8 with a few broken places, such as a file cut off or pasted together."""
    text = data[:_SAMPLE].decode("utf-8", "surrogateescape")
    odd = sum("\udc80" <= char <= "\udcff" for char in text)
    whole = sum(char > "\x7f" for char in text) - odd
    return whole > 2 * odd


# The legacy encodings, each with the characters that text in it is mostly made of. Kanji and hanzi are told by their
# place in the encoding, where the frequent ones (level 1 of JIS X 0208, GB 2312 and Big5) come first.
_KANA = "\u3041-\u30ff"
_CJK_MARKS = "\u3000-\u301f\uff01-\uff5e"
_COMMON = {
    "euc_kr": re.compile(rf"[\uac00-\ud7a3{_CJK_MARKS}]"),
    "shift_jis": re.compile(rf"[{_KANA}{_CJK_MARKS}]"),
    "euc_jp": re.compile(rf"[{_KANA}{_CJK_MARKS}]"),
    "gb18030": re.compile(rf"[{_CJK_MARKS}]"),
    "big5": re.compile(rf"[{_CJK_MARKS}]"),
    "cp1251": re.compile("[\u0410-\u044f\u0451]"),
}
_LEVEL_ONE = {  # lead bytes of the frequent characters
    "shift_jis": range(0x88, 0x99),
    "euc_jp": range(0xB0, 0xD0),
    "gb18030": range(0xB0, 0xD8),
    "big5": range(0xA4, 0xC7),
}
_KANA_CHARACTER = re.compile(f"[{_KANA}]")
_IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
_LEAST_SHARE = 0.8  # share of a text's characters beyond ASCII that must be common ones


def _by_its_look(data: bytes) -> tuple[str, str]:
    """Return the legacy encoding whose common characters the data spells, and the text; Western if none."""
    best, best_text, best_share = "", "", _LEAST_SHARE
    for encoding in _COMMON:
        text = _strictly(data, encoding)
        if text is not None and (share := _share_of_common(text, encoding)) > best_share:
            best, best_text, best_share = encoding, text, share
    if best:
        return best, best_text
    text = _strictly(data, "cp1252")
    return ("cp1252", text) if text is not None else ("latin-1", data.decode("latin-1"))


def _share_of_common(text: str, encoding: str) -> float:
    """Return which share of the characters beyond ASCII is common in text of an encoding."""
    text = text[:_SAMPLE]
    foreign = [char for char in text if char > "\x7f"]
    common = _COMMON[encoding]
    if not foreign or (encoding == "euc_jp" and not _KANA_CHARACTER.search(text)):
        return 0.0  # without kana, EUC-JP cannot be told from Chinese, and Japanese all but always has them
    if encoding == "cp1251":
        # Western letters read as Cyrillic stand alone among ASCII ones; Cyrillic words are Cyrillic throughout.
        return sum(bool(common.match(a) and common.match(b)) for a, b in pairwise(text)) / len(foreign) * 1.2
    lead = _LEVEL_ONE.get(encoding, range(0))
    return sum(
        bool(common.match(char) or (_IDEOGRAPH.match(char) and char.encode(encoding)[0] in lead))
        for char in foreign
    ) / len(foreign)
