"""What an engine that was ended by native code said last, and what the next one makes of it."""

from pathlib import Path

CRASH_FILE = "engine.crash.log"  # what native code and the interpreter itself say on their way down
_CRASH = "Fatal Python error"  # how `faulthandler` begins; a process that is killed says nothing


def died_inside(store: Path, package: str) -> bool:
    """Say whether the engine before this one crashed while some thread of it was inside a package.

    To be asked before this engine begins a file of its own.
    """
    try:
        said = (store / CRASH_FILE).read_text("utf-8", "replace")
    except OSError:
        return False
    return _CRASH in said and package in said
