"""Normalised code: the same for any two layouts of the same code, and other for other code.

Comments and docstrings are taken out, white space is folded, the contents of strings stay verbatim, plain
quotes become double ones and a comma before a closer goes. Where layout is meaning (Python's blocks) the hash
sees marks for it; the text that a model sees does not. Works on bytes: a file's tokens are byte spans.
"""

import re
from dataclasses import dataclass
from typing import Literal

from codecite.detect.syntax import CLOSE, DOCSTRING, OPEN, STRING, Token, before

Layout = Literal["free", "lines", "indent"]

_HOLE = b"\x00"  # stands where a string was; NUL is no character of an accepted text
_OPEN_MARK, _CLOSE_MARK = b"\x01", b"\x02"
_MARKS = _OPEN_MARK + _CLOSE_MARK

_QUOTES = frozenset((b'"', b"'", b"`", b""))
_WORD_BYTE = re.compile(rb"[\w$@\x80-\xff]")
# Each pattern starts with the character it is about, so that a search jumps from one to the next: 15 times faster.
_LOOSE_SPACE = re.compile(rb" (?:(?![\w$@\x80-\xff])|(?<![\w$@\x80-\xff] ))")
_TRAILING_COMMA = re.compile(rb",(?<![,(\[{],)(?=[\x01\x02]*[)\]}])")
_MARKS_BETWEEN_WORDS = re.compile(rb"[\x01\x02](?<=[\w$@\x80-\xff][\x01\x02])[\x01\x02]*(?=[\w$@\x80-\xff])")
_LINE_BREAK = re.compile(rb"\n\s*")
_BLANKS = re.compile(rb"[ \t\f\v]+")
_CONTINUATION = re.compile(rb"\\\n")
_PLAIN_QUOTED = re.compile(rb"'[^'\"\\\n]*'")
_WORDS = re.compile(r"[^\W_]")

_LONG_LITERAL = 256  # bytes: longer ones are cut in what a model sees
_KEPT_OF_LITERAL = 100  # bytes of prose kept of a long literal; data without spaces is dropped


@dataclass(frozen=True, slots=True)
class Normal:
    """A leaf's code as it is hashed and as a model sees it, and what was taken out of it, in order."""

    hashed: bytes
    shown: str
    docs: tuple[bytes, ...] = ()
    comments: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Style:
    """How a language writes what normalising has to know."""

    layout: Layout = "free"
    folds_quotes: bool = False
    leading_comment_is_doc: bool = False


_DOC_COMMENT = re.compile(rb"/\*\*(?![*/])|/\*!|///(?!/)|//!")


def normalise(
    data: bytes, tokens: list[Token], start: int, end: int, style: Style, lead: tuple[int, int]
) -> Normal:
    """Normalise `data[start:end]`; comments inside the byte span `lead` lead a definition."""
    pieces: list[bytes] = []
    literals: list[bytes] = []
    docs: list[bytes] = []
    comments: list[bytes] = []
    at = start
    coded = False  # whether any code came before
    scopes_from = start  # a scope that no code here opened belongs to what is around
    for first, last, kind in _within(tokens, start, end):
        if kind == OPEN and not coded:
            coded = bool(data[at:first].strip() or b"".join(pieces).strip())
            if not coded:
                scopes_from = first + 1
                continue
        if kind <= CLOSE:
            if kind == OPEN or last >= scopes_from:
                pieces.append(data[at:first])
                pieces.append(_OPEN_MARK if kind == OPEN else _CLOSE_MARK)
                at = first
            continue
        if first > at:
            pieces.append(data[at:first])
        text = (
            data[first:last] if start <= first and last <= end else data[max(start, first) : min(end, last)]
        )
        at = last
        if kind == STRING:
            pieces.append(_HOLE)
            literals.append(_double_quoted(text) if style.folds_quotes and text[:1] == b"'" else text)
        elif kind == DOCSTRING or _is_doc(text, first, style, lead):
            pieces.append(b" ")
            docs.append(text)
        else:
            pieces.append(b" ")
            comments.append(text)
    if at < end:
        pieces.append(data[at:end])
    folded = _fold(b"".join(pieces), style.layout)
    hashed = _filled(folded, literals)
    return Normal(hashed, _shown(folded, hashed, literals), tuple(docs), tuple(comments))


def _within(tokens: list[Token], start: int, end: int) -> list[Token]:
    """Return the tokens that reach into `[start, end)`, and the scopes that close at its end."""
    index = before(tokens, start)
    if index and tokens[index - 1][2] >= DOCSTRING and tokens[index - 1][1] > start:
        index -= 1
    stop = before(tokens, end + 1)
    while stop > index and tokens[stop - 1][0] == end and tokens[stop - 1][2] != CLOSE:
        stop -= 1
    return tokens[index:stop]


def _is_doc(text: bytes, start: int, style: Style, lead: tuple[int, int]) -> bool:
    if _DOC_COMMENT.match(text):
        return True
    return style.leading_comment_is_doc and lead[0] <= start < lead[1]


def _double_quoted(text: bytes) -> bytes:
    return b'"' + text[1:-1] + b'"' if _PLAIN_QUOTED.fullmatch(text) else text


def _fold(code: bytes, layout: Layout) -> bytes:
    if layout == "free":
        if b"\\" in code:
            code = _CONTINUATION.sub(b" ", code)
        code = _LOOSE_SPACE.sub(b"", b" ".join(code.split()))
        return _TRAILING_COMMA.sub(b"", code)
    if layout == "lines":
        return _BLANKS.sub(b" ", _LINE_BREAK.sub(b"\n", code)).replace(b" \n", b"\n").strip()
    lines = [line.rstrip() for line in code.expandtabs().split(b"\n")]
    lines = [line for line in lines if line]
    margin = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return b"\n".join(line[margin:] for line in lines)


def _filled(folded: bytes, literals: list[bytes]) -> bytes:
    """Put the literals into their holes."""
    if not literals:
        return folded
    woven = [b""] * (2 * len(literals) + 1)
    woven[::2] = folded.split(_HOLE)
    woven[1::2] = literals
    for index, literal in enumerate(literals):
        # `return f"x"`: a prefix is no part of the word before it, nor the end of one of the word after it.
        if literal[:1] not in _QUOTES and _is_word(literal[:1]) and _is_word(woven[2 * index][-1:]):
            woven[2 * index + 1] = b" " + literal
        if literal[-1:] not in _QUOTES and _is_word(woven[2 * index + 2][:1]) and _is_word(literal[-1:]):
            woven[2 * index + 1] += b" "
    return b"".join(woven)


def _is_word(byte: bytes) -> bool:
    return _WORD_BYTE.match(byte) is not None


def _shown(folded: bytes, hashed: bytes, literals: list[bytes]) -> str:
    if literals and max(map(len, literals)) > _LONG_LITERAL:
        hashed = _filled(folded, [_shortened(literal) for literal in literals])
    if _OPEN_MARK in hashed or _CLOSE_MARK in hashed:
        hashed = _MARKS_BETWEEN_WORDS.sub(b" ", hashed).translate(None, _MARKS)
    return hashed.decode(errors="replace")


def _shortened(literal: bytes) -> bytes:
    if len(literal) <= _LONG_LITERAL:
        return literal
    kept = literal[:_KEPT_OF_LITERAL]
    return kept if b" " in kept.strip() else b""


def has_words(text: str) -> bool:
    """Say whether there is a letter or digit in it."""
    return _WORDS.search(text) is not None
