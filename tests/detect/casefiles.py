"""Cases as data: a title with a language, a source, and what is expected of it.

=== what it shows [language]
source ...
--- leaves
1-3 function outer
--- definitions
1:4 function outer
--- clean no
--- notes one line a note
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_TITLE = re.compile(r"^=== (.+) \[(\w+)\]$", re.MULTILINE)
_PART = re.compile(r"^--- (\w+)(?: (.*))?$")


@dataclass
class Case:
    title: str
    language: str
    source: str
    parts: dict[str, str] = field(default_factory=dict)


def cases(path: Path) -> Iterator[Case]:
    pieces = _TITLE.split(path.read_text("utf-8"))
    for title, language, body in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        parts: dict[str, str] = {"source": ""}
        at = "source"
        for line in body.removeprefix("\n").splitlines(keepends=True):
            if mark := _PART.match(line.rstrip("\n")):
                at = mark.group(1)
                parts[at] = (mark.group(2) or "") + ("\n" if mark.group(2) else "")
            else:
                parts[at] += line
        yield Case(title, language, parts.pop("source"), parts)
