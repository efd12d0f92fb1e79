"""Whether a name stands in a program or in prose, read from the text around it without a grammar."""

import re
from itertools import pairwise

LONGEST_LOOK = 200_000  # characters before the place; a comment that begins earlier is not seen

_QUOTES = r""" "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' """
_TRIPLES = r' """(?:\\.|[^\\])*?(?:"""|\Z) | \'\'\'(?:\\.|[^\\])*?(?:\'\'\'|\Z) '
_BACKTICKS = r" `(?:\\.|[^`\\])*(?:`|\Z) "
_BLOCK = r" /\*.*?(?:\*/|\Z) "


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.VERBOSE | re.DOTALL)


_HASH = _pattern(r" \#[^\n]* ", _TRIPLES, _QUOTES)
_SLASH = _pattern(r" //[^\n]* ", _BLOCK, _BACKTICKS, _QUOTES)
# A lifetime or a label of Rust has one quote only; so has a digit group of C++.
_SLASH_NO_SINGLE = _pattern(r" //[^\n]* ", _BLOCK, r' "(?:\\.|[^"\\])*" ', r" '(?:\\.|[^'\\\n])' ")
_BOTH = _pattern(r" (?://|\#)[^\n]* ", _BLOCK, _QUOTES)
_DASHES = _pattern(r" --\[\[.*?(?:\]\]|\Z) | --[^\n]* ", r" \{-.*?(?:-\}|\Z) ", _BLOCK, _QUOTES)
_SEMICOLON = _pattern(r" ;[^\n]* ", r' "(?:\\.|[^"\\])*" ')
_PERCENT = _pattern(r" %[^\n]* ", _QUOTES)

_PATTERNS = {
    **dict.fromkeys(
        _words(
            "python ruby bash fish perl r julia elixir make cmake dockerfile nim powershell starlark gdscript graphql"
        ),
        _HASH,
    ),
    **dict.fromkeys(("rust", "c", "cpp", "objc", "cuda", "glsl", "zig", "csharp", "swift"), _SLASH_NO_SINGLE),
    **dict.fromkeys(("php", "terraform", "hcl", "hack"), _BOTH),
    **dict.fromkeys(("lua", "luau", "sql", "haskell", "elm"), _DASHES),
    **dict.fromkeys(("clojure",), _SEMICOLON),
    **dict.fromkeys(("erlang", "latex"), _PERCENT),
}
_PROSE = _words(
    "markdown rst html text json yaml toml ini notebook gettext csv xml template latex diff log css scss less"
)


def is_prose(language: str, text: str, line_start: int, column: int) -> bool:
    """Say whether a place stands in a comment, a string, or a text that is no program.

    `line_start` is the offset of its line in the text. What is wrong here makes too shy or too free, never wrong.
    """
    if language in _PROSE:
        return True
    place = line_start + column
    begin = max(0, line_start - LONGEST_LOOK)
    begin = begin and text.find("\n", begin) + 1
    for match in _PATTERNS.get(language, _SLASH).finditer(text, begin):
        if match.start() > place:
            return False
        if place < match.end():
            return True
    return False


def looks_like_code(name: str) -> bool:
    """Say whether a name cannot be a word of a sentence: `snake_case`, `camelCase`, `TwoHumps`, `$x`, `utf8`."""
    inner = name.strip("_")
    return (
        "_" in inner
        or "$" in name
        or (name != inner and bool(inner))
        or any(one.islower() and other.isupper() for one, other in pairwise(name))
        or (any(map(str.isdigit, name)) and any(map(str.isalpha, name)))
    )
