"""Show text from files without letting it act on what shows it."""

import re

# Controls other than tab and line ends (a terminal obeys them), marks that turn the reading order around
# (what is read is then not what runs: "Trojan Source", Boucher and Anderson 2021), and marks that are not seen.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


def visible(text: str) -> str:
    r"""Write every character that would not be seen, or would change how others are seen, as its escape: `\u202e`."""
    return _UNSEEN.sub(lambda match: _escape(ord(match.group())), text)


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
