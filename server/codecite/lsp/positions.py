"""Columns: code points inside, the units that the client negotiated outside. The one place that converts.

A client counts the columns of a line in bytes of UTF-8, in UTF-16 code units, or in code points (UTF-32).
Lines are given without their line end. A column beyond the line is its end, one inside a character is that
character's start. A lone surrogate (an editor may send one) counts as one UTF-16 unit and three bytes of
UTF-8.
"""

from typing import Literal, TypeAlias

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]


def width(text: str, encoding: Encoding) -> int:
    """Return the length of a text in the client's units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def to_units(line: str, column: int, encoding: Encoding) -> int:
    """Convert a column in code points to one in the client's units."""
    return width(line[: max(column, 0)], encoding)


def to_column(line: str, units: int, encoding: Encoding) -> int:
    """Convert a column in the client's units to one in code points."""
    units = max(units, 0)
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    seen = 0
    for column, character in enumerate(line):
        seen += _character_width(character, encoding)
        if seen > units:
            return column
    return len(line)


def _character_width(character: str, encoding: Encoding) -> int:
    point = ord(character)
    if encoding == "utf-16":
        return 2 if point > 0xFFFF else 1
    return 1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4
