"""Broken code: definitions after a mistake are found again.

One missing parenthesis can swallow every later definition. So where the tree has errors and a line at the
margin looks like a definition that the tree does not know, the file is parsed again from there on.
"""

import re
from bisect import bisect_right
from collections.abc import Callable

from codecite.detect.macros import without_lone_macros, without_modifier_macros
from codecite.detect.syntax import DOCSTRING, Found, Syntax, before, read_syntax

_RESTARTS = 8  # times that a file is parsed again from a later line
_REREAD = 1 << 20  # bytes parsed again, after which no further attempt is made
_DEFINES = re.compile(
    rb"^(?:(?:export|default|pub(?:\([^)\n]*\))?|public|private|protected|internal|static|async|abstract|final"
    rb"|unsafe|const)[ \t]+)*"
    rb"(?P<word>def|class|function\*?|func|fn|struct|enum|trait|interface|module)[ \t]+"
    rb"(?:\([^)\n]*\)[ \t]*)?(?P<name>[A-Za-z_]\w*)",
    re.MULTILINE,
)
_KINDS = {
    b"class": "class",
    b"struct": "struct",
    b"enum": "enum",
    b"trait": "trait",
    b"interface": "interface",
    b"module": "module",
}


def read_recovering(language: str, data: bytes, expired: Callable[[], bool]) -> Syntax:
    """Read the syntax of a file; where it is broken, of the parts that can be read. Raises ParseTimeoutError."""
    if language in ("c", "cpp"):
        data = without_lone_macros(data)
    syntax = read_syntax(language, data, expired)
    if syntax.clean:
        return syntax
    if language in ("c", "cpp"):
        other = without_modifier_macros(data)
        again = read_syntax(language, other, expired)
        if again.clean or again.broken < syntax.broken:
            syntax, data = again, other
    start = 0
    budget = _REREAD
    for _ in range(_RESTARTS):
        missing = _missing(data, syntax, start)
        if not missing or budget < 0:
            break
        at = missing[0].start()
        budget -= len(data) - at
        rest = read_syntax(language, data, expired, [(at, len(data))])
        if missing[0].start("name") in {found.name_start for found in rest.found}:
            syntax = _joined(data, syntax, rest, at)
        start = missing[0].end()
    _supply(data, syntax)
    return syntax


def _missing(data: bytes, syntax: Syntax, start: int) -> list[re.Match[bytes]]:
    """Return what looks like a definition at the margin, and is neither known nor in a string or comment."""
    known = {found.name_start for found in syntax.found}
    found = []
    for match in _DEFINES.finditer(data, start):
        at = match.start()
        index = before(syntax.tokens, at) - 1
        inside = index >= 0 and syntax.tokens[index][2] >= DOCSTRING and syntax.tokens[index][1] > at
        if not inside and match.start("name") not in known:
            found.append(match)
    return found


def _joined(data: bytes, above: Syntax, below: Syntax, cut: int) -> Syntax:
    """Take what stands above a byte from one reading and what stands below it from another."""
    row = data.count(b"\n", 0, cut)
    for found in above.found:
        found.end = min(found.end, cut)
    return Syntax(
        tokens=[token for token in above.tokens if token[0] < cut and token[1] <= cut] + below.tokens,
        found=[found for found in above.found if found.start < cut and found.name_start < cut] + below.found,
        anonymous=[span for span in above.anonymous if span[1] <= cut] + below.anonymous,
        imports=[span for span in above.imports if span[1] <= cut] + below.imports,
        attributes=[span for span in above.attributes if span[1] <= cut] + below.attributes,
        statements={line: depth for line, depth in above.statements.items() if line < row}
        | {line: depth for line, depth in below.statements.items() if line >= row},
        clean=False,
        broken=above.broken,
    )


def _supply(data: bytes, syntax: Syntax) -> None:
    """Add the definitions that no reading knew, each up to the next one at the margin."""
    missing = _missing(data, syntax, 0)
    if not missing:
        return
    starts = sorted(
        {match.start() for match in missing} | {found.start for found in syntax.found} | {len(data)}
    )
    for match in missing:
        start = match.start()
        end = starts[bisect_right(starts, start)]
        end = start + len(data[start:end].rstrip())
        kind = _KINDS.get(match["word"], "function")
        name = match["name"].decode(errors="replace")
        syntax.found.append(Found(kind, start, end, start, match.end(), name, match.start("name")))
    syntax.found.sort(key=lambda found: (found.start, -found.end, found.name_start))
