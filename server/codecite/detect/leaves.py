"""Leaves from runs of lines: their text, their hashes, and the text that a model sees."""

import re
from collections.abc import Iterable
from hashlib import sha256

from codecite.detect.normal import Normal, Style, has_words, normalise
from codecite.detect.runs import Run
from codecite.detect.source import Source
from codecite.detect.syntax import Token
from codecite.model.blocks import Kind, Leaf

_EMBED_LIMIT = 16_000  # characters: what no model reads further than

_COMMENT_HEAD = re.compile(r"[ \t]*(?:/\*+!?|\*+(?!/)|//[/!]*|#+(?!!)|--+|;+|%+|<!--|\{-\|?|\(\*+)?[ \t]?")
_COMMENT_TAIL = re.compile(r"[ \t]*(?:\*+/|-->|-\}|\*+\))?[ \t]*$")
_ENDS_OF_TAILS = frozenset("/>})")
_STRING_HEAD = re.compile(r"[A-Za-z]*(?:\"\"\"|'''|\"|')")
_STRING_TAIL = re.compile(r"(?:\"\"\"|'''|\"|')$")
_LONGEST_TAIL = 4  # characters: three quotes and a line end


def digest(text: str | bytes) -> str:
    """Return the hexadecimal SHA-256 of a text."""
    return sha256(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")).hexdigest()


def embedding_text(language: str, kind: Kind, name: str, doc: str, code: str) -> str:
    """Return what a model sees of a leaf; "" where neither code nor doc holds a letter or digit."""
    if not has_words(code) and not has_words(doc):
        return ""
    head = " ".join([part for part in (language, kind, name) if part])
    return "\n".join([part for part in (head, doc, code) if part])[:_EMBED_LIMIT]


def make_leaf(
    source: Source,
    lines: tuple[int, int],
    *,
    language: str,
    kind: Kind,
    symbol: str = "",
    name: str = "",
    normal: Normal,
) -> Leaf:
    """Make a leaf of 0-based, inclusive lines from its normalised code."""
    text = source.slice_text(*lines)
    doc = _doc_text(normal.docs)
    return Leaf(
        start_line=lines[0] + 1,
        end_line=lines[1] + 1,
        symbol=symbol,
        name=name,
        kind=kind,
        language=language,
        text=text,
        code_hash=digest(normal.hashed + b"\0" + doc.encode(errors="replace")),
        text_hash=digest(text),
        embed_text=embedding_text(language, kind, name, doc, normal.shown),
        doc=doc,
        comments=_joined([_stripped_comment(piece.decode(errors="replace")) for piece in normal.comments]),
    )


def code_leaf(source: Source, run: Run, tokens: list[Token], language: str, style: Style) -> Leaf:
    """Make the leaf of a run of code."""
    start = source.starts[run.first]
    normal = normalise(source.data, tokens, start, source.end_of(run.code_last), style, (start, run.lead))
    return make_leaf(
        source,
        (run.first, run.last),
        language=language,
        kind=run.kind,
        symbol=run.symbol,
        name=run.name,
        normal=normal,
    )


def _joined(pieces: Iterable[str]) -> str:
    return "\n".join([piece for piece in pieces if piece])


def _doc_text(docs: tuple[bytes, ...]) -> str:
    texts = [doc.decode(errors="replace") for doc in docs]
    return _joined(
        _stripped_string(text, head.end()) if (head := _STRING_HEAD.match(text)) else _stripped_comment(text)
        for text in texts
    )


def _stripped_comment(comment: str) -> str:
    return "\n".join([_stripped_line(line) for line in comment.splitlines()]).strip("\n")


def _stripped_line(line: str) -> str:
    if head := _COMMENT_HEAD.match(line):
        line = line[head.end() :]
    text = line.strip()
    return _COMMENT_TAIL.sub("", line).strip() if text[-1:] in _ENDS_OF_TAILS else text


def _stripped_string(literal: str, start: int) -> str:
    """Take the quotes off; the content starts at `start`."""
    tail = _STRING_TAIL.search(literal, max(start, len(literal) - _LONGEST_TAIL))
    inner = literal[start : tail.start() if tail else None]
    return "\n".join([line.strip() for line in inner.splitlines()]).strip("\n")
