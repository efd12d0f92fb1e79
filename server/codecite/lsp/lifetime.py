"""No server outlives its editor: the parent is watched, and a server that should end does so in time."""

import os
import sys
import threading
import time
from collections.abc import Callable

LOOK_SECONDS = 0.5  # between two looks at the parent
LAST_RESORT_SECONDS = 2.0  # for an orderly end, before the process is ended without one


def watch(process_id: int, gone: Callable[[], None]) -> None:
    """Call `gone` from a thread when a process has ended.

    One that cannot be seen now is not watched: a client in another container has a number that means nothing
    here.
    """
    ended = _end_of(process_id)
    if ended():
        return

    def look() -> None:
        while not ended():
            time.sleep(LOOK_SECONDS)
        gone()

    threading.Thread(target=look, name="parent watch", daemon=True).start()


def end_soon(status: Callable[[], int]) -> None:
    """End this process in LAST_RESORT_SECONDS at the latest, whatever its threads and its loop are doing."""

    def end() -> None:
        time.sleep(LAST_RESORT_SECONDS)
        os._exit(status())

    threading.Thread(target=end, name="last resort", daemon=True).start()


if sys.platform == "win32":
    import ctypes

    _SYNCHRONIZE = 0x00100000
    _WAIT_TIMEOUT = 0x102

    def _end_of(process_id: int) -> Callable[[], bool]:
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(_SYNCHRONIZE, 0, process_id)
        return lambda: not handle or kernel.WaitForSingleObject(handle, 0) != _WAIT_TIMEOUT

else:

    def _end_of(process_id: int) -> Callable[[], bool]:
        is_parent = os.getppid() == process_id

        def ended() -> bool:
            # A killed parent may stay as a zombie, which keeps its number; but its children are given away.
            if is_parent:
                return os.getppid() != process_id
            try:
                os.kill(process_id, 0)
            except ProcessLookupError:
                return True
            except PermissionError:
                pass  # it is there, and somebody else's
            return False

        return ended
