"""C and C++ macros that a grammar cannot read: blanked for the parser, never in what is indexed.

A macro that stands alone makes the grammar take the next word for a name (`LIB_BEGIN_NAMESPACE` gives
functions named `namespace`), one that stands where a keyword could be makes it lose the declaration.
"""

import re

_ALONE = re.compile(rb"^[ \t]*[A-Z][A-Z0-9]*_[A-Z0-9_]*[ \t]*(?:\([^()\n]*\))?[ \t]*;?$", re.MULTILINE)
_MODIFIER = re.compile(
    rb"(?<![\w#\"])(?<!define )(?<!ifdef )(?<!ifndef )[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\([^()\n]*\))?"
    rb"(?=[ \t]+[A-Za-z_~:\[(])"
    rb"|(?<=[)>\w] )[A-Z][A-Z0-9]*_[A-Z0-9_]*(?=[ \t]*(?:[{;:]|->))"
)


def without_lone_macros(data: bytes) -> bytes:
    """Blank macros that have a line to themselves; the length stays."""
    return _ALONE.sub(_spaces, data)


def without_modifier_macros(data: bytes) -> bytes:
    """Blank macros before a word, as in `API_EXPORT int f()`, or after a declarator; the length stays."""
    return _MODIFIER.sub(_spaces, data)


def _spaces(match: re.Match[bytes]) -> bytes:
    return b" " * len(match.group())
