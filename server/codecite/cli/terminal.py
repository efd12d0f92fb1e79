"""What a stream can show, and how text that others wrote is made safe to show there.

Code, file names and symbols come from the repository. Shown raw, they could move the cursor, re-title the
window or re-order what is read (escape sequences, bidirectional overrides), so `safe` turns such characters
into visible escapes. Colour and links are for terminals only and never part of what a script reads.
"""

import re
import shutil
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, TextIO

from codecite.cli.messages import Language, language_of

Style = Literal["bold", "dim", "cyan", "green", "yellow", "red"]

_CODES: Final[dict[Style, str]] = {
    "bold": "1",
    "dim": "2",
    "cyan": "36",
    "green": "32",
    "yellow": "33",
    "red": "31",
}
# C0 and C1 controls, DEL, line and paragraph separators, bidirectional controls (Unicode UAX #9), characters of no
# width but for the joiners that scripts and emoji need, interlinear marks, tag characters and lone surrogates: none
# has a glyph, each changes or hides what is shown.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_WIDTH_OF_A_PIPE = 200  # columns: what is not shown on a terminal is cut only where a line is data, not code
_TAB = 4


@dataclass(frozen=True, slots=True)
class Screen:
    """A place to print: whether it shows colours and hyperlinks, how many columns it has, and who reads there."""

    colour: bool = False
    links: bool = False
    width: int = _WIDTH_OF_A_PIPE
    language: Language = "en"

    def paint(self, text: str, *styles: Style) -> str:
        """Return the text in the given styles, or unchanged where there is no colour."""
        if not self.colour or not styles:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def link(self, text: str, file: Path) -> str:
        """Return the text as a link to a file (OSC 8), or unchanged where links are not understood."""
        return f"\x1b]8;;{file.as_uri()}\x1b\\{text}\x1b]8;;\x1b\\" if self.links else text

    def fit(self, text: str, used: int = 0) -> str:
        """Cut a safe text to what is left of a line of which `used` columns are taken."""
        room = max(self.width - used, 20)
        if len(text) * 2 <= room or columns(text) <= room:
            return text
        kept, total = [], 1  # one column for the mark that something is missing
        for character in text:
            total += columns(character)
            if total > room:
                break
            kept.append(character)
        return "".join(kept) + "…"


def screen_of(stream: TextIO, environment: Mapping[str, str]) -> Screen:
    """Find out what a stream can show. `NO_COLOR` (no-color.org) and `TERM=dumb` are respected."""
    language = language_of(environment)
    if not stream.isatty():
        return Screen(language=language)
    plain = bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"
    vt = _understands_escapes(stream)
    return Screen(
        colour=vt and not plain,
        links=vt and _shows_links(environment),
        width=shutil.get_terminal_size().columns,
        language=language,
    )


def prepare(stream: TextIO, *, json: bool) -> None:
    """Make sure that printing never fails for an encoding's sake.

    JSON is always UTF-8, and so is everything on Windows, whose console is Unicode and whose redirected
    default is a legacy code page. Elsewhere the locale's encoding stays. What cannot be encoded becomes an
    escape; in JSON that is JSON's own escape of a lone surrogate.
    """
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is None:  # a stream that stands in for the real one keeps its own ways
        return
    if json or sys.platform == "win32":
        reconfigure(encoding="utf-8", errors="backslashreplace")
    else:
        reconfigure(errors="backslashreplace")


def safe(text: str) -> str:
    """Return a line of text with tabs widened, and control and bidirectional characters as escapes."""
    return _UNSAFE.sub(_escape, text.expandtabs(_TAB))


def moment(seconds: float) -> str:
    """Return a time since the epoch as people write it where this runs."""
    return datetime.fromtimestamp(seconds, tz=UTC).astimezone().isoformat(sep=" ", timespec="seconds")


def columns(text: str) -> int:
    """Return how many columns a safe text takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _shows_links(environment: Mapping[str, str]) -> bool:
    """Tell whether the terminal is one of those known to understand OSC 8; others might print the address."""
    forced = environment.get("FORCE_HYPERLINK")
    if forced is not None:
        return forced != "0"
    term = environment.get("TERM", "")
    if term == "dumb" or term.startswith(("screen", "tmux")) or environment.get("CI"):
        return False
    vte = environment.get("VTE_VERSION", "")
    return (
        any(environment.get(name) for name in ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM"))
        or environment.get("TERM_PROGRAM") in {"iTerm.app", "vscode", "WezTerm", "ghostty", "Hyper", "rio"}
        or (vte.isdigit() and int(vte) >= 5000)
        or term in {"alacritty", "foot", "xterm-kitty", "xterm-ghostty", "wezterm", "contour"}
    )


if sys.platform == "win32":

    def _understands_escapes(stream: TextIO) -> bool:
        """Switch on ENABLE_VIRTUAL_TERMINAL_PROCESSING; False where the console cannot."""
        import ctypes  # noqa: PLC0415 - only on Windows
        import msvcrt  # noqa: PLC0415 - only on Windows

        handle = msvcrt.get_osfhandle(stream.fileno())
        mode = ctypes.c_ulong()
        kernel = ctypes.windll.kernel32
        return bool(kernel.GetConsoleMode(handle, ctypes.byref(mode))) and bool(
            kernel.SetConsoleMode(handle, mode.value | 0x0004)
        )

else:

    def _understands_escapes(stream: TextIO) -> bool:  # noqa: ARG001 - the signature of its Windows twin
        """Every terminal but a Windows console understands them."""
        return True
