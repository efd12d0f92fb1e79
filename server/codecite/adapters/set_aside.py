"""What is damaged is renamed, not deleted: somebody may want to look at it, and nothing waits for a large folder to go.

Only the newest is kept, since a store that is damaged again and again must not fill the disk.
"""

import logging
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

MARK = ".damaged-"

log = logging.getLogger(__name__)


def set_aside(path: Path, family: str, companions: Sequence[str] = ()) -> Path:
    """Rename a file or folder so that its name says when it was found damaged, and delete what was set aside before.

    `family` is the pattern of all names that take each other's place, such as `chroma-*`; `companions` are endings of
    files that belong to it and go first, such as `-wal`: none may stay beside what takes its place. Returns where it
    is now. Raises OSError where it cannot be renamed, as on Windows while something holds it open.
    """
    for old in path.parent.glob(f"{family}{MARK}*"):
        remove(old)
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    target = path.with_name(f"{path.stem}{MARK}{now}{path.suffix}")
    for ending in companions:
        companion = path.with_name(path.name + ending)
        if companion.exists():
            companion.rename(target.with_name(target.name + ending))
    return path.rename(target)


def remove(path: Path) -> None:
    """Delete a file or a folder with all that is in it, as far as that can be; what stays is said in the log."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s could not be deleted: %s", path, error)
