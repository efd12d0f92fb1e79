"""The lock of a store: whoever holds it is its engine.

The operating system keeps it, so it is gone the moment its process is, however that ended.
"""

from pathlib import Path

from filelock import FileLock, Timeout

from codecite.model.errors import StoreLocked

LOCK_FILE = "engine.lock"


def acquire(store: Path) -> FileLock | None:
    """Take the store's lock without waiting; None when somebody has it. It lasts as long as what is returned.

    Raises StoreLocked where the file is another user's, OSError where it cannot be opened or locked at all.
    """
    lock = FileLock(store / LOCK_FILE, mode=0o600, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return None
    except PermissionError as error:
        raise StoreLocked(f"the store {store} belongs to another user") from error
    return lock


def is_free(store: Path) -> bool:
    """Say whether nobody holds the store's lock at this moment; a store that does not exist is free."""
    if not store.is_dir():
        return True
    lock = acquire(store)
    if lock is None:
        return False
    lock.release()
    return True
