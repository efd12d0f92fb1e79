"""The name at a place of a text, whatever language it is in, and what stands before it."""

import re
from dataclasses import dataclass

from codecite.model.terms import is_cjk, words

LONGEST_NAME = 200  # characters: longer runs are data
_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
# `a.b.`, `a::b::`, `a->`, `a?.`, `@.`: what a member is taken from, as far as it is written in names.
_MEMBER_OF = re.compile(
    r"(?P<chain>(?:@{0,2}[\w$]+\s*(?:\?\.|!\.|\.|::|->)\s*)*)(?P<last>(?:\?\.|!\.|\.|::|->)\s*)?\Z"
)
_SEPARATOR = re.compile(r"\s*(?:\?\.|!\.|\.|::|->)\s*")


@dataclass(frozen=True, slots=True)
class Word:
    """A name in a line. Columns count code points; `receiver` holds the names before it, the nearest last.

    `member` says that it is taken from something; without a receiver, from what has no name (the result of a call).
    `called` says that an opening parenthesis follows; `quoted` that a backtick encloses it.
    """

    name: str
    column: int
    receiver: tuple[str, ...] = ()
    member: bool = False
    called: bool = False
    quoted: bool = False

    @property
    def end(self) -> int:
        """The column behind the name."""
        return self.column + len(self.name)


def words_at(line: str, column: int) -> list[Word]:
    """Return the name at a column, or that ends there; then its part in one script, where it mixes two.

    Chinese and Japanese put no space between words, so that a name in a sentence touches its neighbours.
    """
    for match in _NAME.finditer(line):
        if match.start() <= column <= match.end() and len(match[0]) <= LONGEST_NAME:
            parts = [(match[0], match.start())]
            if not match[0].isascii():
                parts += _part(match[0], match.start(), column)
            return [_word(line, name, start) for name, start in parts]
    return []


def _part(run: str, start: int, column: int) -> list[tuple[str, int]]:
    at = 0
    for part in words(run):
        at = run.index(part, at)
        if start + at <= column <= start + at + len(part) and part != run and not is_cjk(part):
            return [(part, start + at)]
        at += len(part)
    return []


def _word(line: str, name: str, start: int) -> Word:
    before, after = line[:start], line[start + len(name) :]
    match = _MEMBER_OF.search(before[-LONGEST_NAME:])
    chain = match["chain"] if match else ""
    receiver = tuple(one.lstrip("@") for one in _SEPARATOR.split(chain) if one)
    return Word(
        name,
        start,
        receiver,
        member=bool(chain or (match and match["last"])),
        called=after.lstrip(" ").startswith(("(", "!(")),
        quoted=before.rstrip("".join(_INSIDE)).endswith("`") and "`" in after,
    )


_INSIDE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:$~"
