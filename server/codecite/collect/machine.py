"""Text that no person wrote: minified bundles and generated files.

They are refused, because a few of them outweigh all hand-written code of a repository in search. The tests are
narrow: a file that only mentions a generator, a long line of prose or data, a notebook with a picture in it stay.
"""

import re

from codecite.model.lines import split_lines

_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".tex", ".ipynb", ".csv", ".tsv")

_LONG = 1_000  # characters of a line that people no longer write as code
_FEW_LINES = 20  # ordinary lines of code; with more, long ones are something embedded in hand-written code
# What minified code is made of, as shares of a line's characters. Prose has more white space and less punctuation,
# as has code as people write it; encoded data and long literals have next to no punctuation, or no letters.
_SPACE, _MOST_SPACE = re.compile(r"\s"), 0.12
_PUNCTUATION, _LEAST_PUNCTUATION = re.compile(r"[;,(){}=:\[\]]"), 0.08
_LETTER, _LEAST_LETTERS = re.compile(r"[A-Za-z]"), 0.3

_HEAD_LINES = 40
_COMMENT = re.compile(r"\s*(?://+|#+|/\*+|\*+|--+|;+|<!--|%+|\(\*|\{-)[\s*#/;!=-]*(?P<words>.*)")
_SIGNATURE = re.compile(  # how tools sign what they write, at the beginning of a comment
    r"""
    @generated\b
  | <auto-?generated\b
  | Code\ generated\ .*\ DO\ NOT\ EDIT    # https://go.dev/s/generatedcode
  | A\ Bison\ parser,\ made\ by\b
  | A\ lexical\ scanner\ generated\ by\b
  | Jest\ Snapshot\ v\d
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLAIM = re.compile(  # how a comment begins that calls its own file generated
    r"""
    (?:(?:this|the)\s+)?
    (?:(?:following\s+)?(?:file|code|source|header|module|class|document|content)s?\s+)?
    (?:(?:is|are|was|were|has\s+been|have\s+been)\s+)?
    (?:an?\s+)?
    (?:(?:automatically|auto|machine|programmatically|mechanically)[\s-]*)?
    generated
    (?:\s+(?:by|from|with|using|on|at|automatically|code|file|source|for)\b | \s*[^\w\s] | \s*\Z)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WARNING = re.compile(
    r"\b(?:do\s+not|don'?t|never)\s+(?:\w+\s+){0,3}?(?:edit|modify|change|alter)\b|\bchanges\b.{0,60}\blost\b",
    re.IGNORECASE,
)
_NEARBY = 4  # lines of comments between a claim and its warning, whichever comes first


def minified(path: str, text: str) -> bool:
    """Say whether most of a text is code in long lines with hardly any white space, and little of it is not."""
    if len(text) <= _LONG or path.lower().endswith(_PROSE):
        return False
    if max(map(len, text.split("\n"))) <= _LONG:  # the common case, at a tenth of the price of exact lines
        return False
    lines = split_lines(text)
    dense = ordinary = 0
    for line in lines:
        if len(line) <= _LONG:
            ordinary += bool(line.strip()) and not _COMMENT.match(line)
        elif _is_dense(line):
            dense += len(line)
    return dense * 2 > len(text) and ordinary < _FEW_LINES


def _is_dense(line: str) -> bool:
    return (
        len(_SPACE.findall(line)) < len(line) * _MOST_SPACE
        and len(_PUNCTUATION.findall(line)) > len(line) * _LEAST_PUNCTUATION
        and len(_LETTER.findall(line)) > len(line) * _LEAST_LETTERS
    )


def generated(path: str, text: str) -> bool:
    """Say whether a comment at a text's head signs it as a tool's output, or claims so and warns not to edit it."""
    if path.lower().endswith(_PROSE):
        return False
    head = split_lines(text[: 100 * _HEAD_LINES])[:_HEAD_LINES]
    comments = [match["words"] for line in head if (match := _COMMENT.match(line))]
    claims = [at for at, words in enumerate(comments) if _CLAIM.match(words)]
    warnings = [at for at, words in enumerate(comments) if _WARNING.search(words)]
    return any(map(_SIGNATURE.match, comments)) or any(
        abs(claim - warning) <= _NEARBY for claim in claims for warning in warnings
    )
