"""Changes heard of through inotify, folder by folder.

A watch belongs to the inode of a folder and not to its path: it goes along when the folder is moved, and adding one
for an inode that has one gives the same descriptor again. So a path is *sure* only until something happens to its name;
then it is said, and whoever listens has the folder watched anew. Nothing else is needed to end at the right paths,
however events and calls of `watch` overtake one another: what is forgotten or doubted here is always said afterwards.
"""

import errno
import itertools
import os
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchDescriptor,
)

_ROOT_MASK = Mask(
    InotifyConstants.IN_CREATE
    | InotifyConstants.IN_DELETE
    | InotifyConstants.IN_MOVED_FROM
    | InotifyConstants.IN_MOVED_TO
    | InotifyConstants.IN_MOVE_SELF
    | InotifyConstants.IN_MODIFY  # alone when a file is cut short by name, or by someone who keeps it open
    | InotifyConstants.IN_CLOSE_WRITE
    | InotifyConstants.IN_ATTRIB  # a mode makes a file or folder readable, or no longer; reading never sets it
    | InotifyConstants.IN_EXCL_UNLINK  # what goes on in a deleted file that someone has open is no change here
    | InotifyConstants.IN_ONLYDIR
)
_MASK = Mask(_ROOT_MASK | InotifyConstants.IN_DONT_FOLLOW)  # the root may be a link, since the user named it
_PAUSE = 0.02  # seconds between reads, so that a burst comes in few; the kernel keeps 16,384 events meanwhile
_REFUSED = WatchDescriptor(-1)  # what watchdog returns for a folder that may not be read
_MENDS = {
    errno.ENOSPC: ": raise fs.inotify.max_user_watches",
    errno.EMFILE: ": raise fs.inotify.max_user_instances or the limit of open files",
}


class InotifyWatcher:
    """Watches single folders below `root`; implements `ports.Watcher`.

    `heard` gets in one call all that one read of the kernel's queue brought, on the thread that reads it, and must not
    raise. Paths that are not UTF-8 appear with surrogates, as `os.fsdecode` gives them. Thread-safe.
    """

    def __init__(self, root: Path, heard: Callable[[Sequence[str] | None], None]) -> None:
        self._root = os.fsencode(root)
        self._heard = heard
        self._lock = threading.Lock()  # taken before the lock of the reader, never after it
        self._reader: _Reader | None = None  # made for the first folder
        self._ids = itertools.count()
        self._watches: dict[str, tuple[WatchDescriptor, CallbackId]] = {}
        self._folders: dict[WatchDescriptor, str] = {}  # the same, found by what an event carries
        self._sure: set[str] = set()  # watched folders to whose name nothing happened since
        self._unwatched: set[str] = set()  # folders that could not be watched, for the reason below
        self._reason: OSError | None = None
        self._exhausted = False
        self._said: dict[str, None] = {}  # an ordered set
        self._lost = False
        self._closed = False

    def watch(self, folder: str) -> None:
        """Hear of what happens directly in a folder; one that is gone, is a link or may not be read is left alone.

        Once the system's limits are reached no further folder is tried until a watch is given back or `keep_only` is
        called, so that a large tree costs one failing call and not one a folder.
        """
        if folder in self._sure:
            return
        with self._lock:
            if self._closed:
                return
            if self._exhausted and folder not in self._watches:
                self._unwatched.add(folder)
                return
            try:
                self._add(folder)  # which takes no second watch for a folder that has one
            except (FileNotFoundError, NotADirectoryError):
                self._forget([folder])
            except OSError as error:
                self._forget([folder])  # what was watched at this path is elsewhere by now
                self._unwatched.add(folder)
                self._reason = error
                # Whatever it is, the others will fare no better, unless it is in the name.
                self._exhausted = error.errno != errno.ENAMETOOLONG

    def keep_only(self, folders: Collection[str]) -> None:
        """Stop watching every folder that is not among these."""
        kept = frozenset(folders)
        with self._lock:
            self._forget(self._watches.keys() - kept)
            self._unwatched &= kept
            self._exhausted = False  # the limit may have been raised, or others may have let go

    @property
    def problem(self) -> str:
        """Say in one line, with the mend, why folders are not watched; "" when all of them are."""
        with self._lock:
            if not self._unwatched or self._reason is None:
                return ""
            why = f"{self._reason.strerror}{_MENDS.get(self._reason.errno or 0, '')}"
            return (
                f"folders not watched for changes: {len(self._unwatched)} ({why}); "
                "saves in the editor and a regular look still find what changes there"
            )

    def close(self) -> None:
        """Stop watching; the listener is not called after this returned, unless it is the listener that called."""
        with self._lock:
            self._closed = True
            reader = self._reader
        if reader is not None:
            reader.stop()
            if reader is not threading.current_thread():
                reader.join()

    # What the reader calls, on its thread.

    def on_event(self, event: InotifyEvent) -> None:
        """Note where something happened, and what is no longer known of the folder that bears this name."""
        with self._lock:
            folder = self._folders.get(event.wd)
            if folder is None:
                return  # from before the folder was forgotten
            path = _join(folder, os.fsdecode(event.name))
            if event.is_move_self or (event.is_moved_from and event.is_directory):
                self._forget([path, *(known for known in self._watches if _is_below(known, path))])
            elif event.is_create or event.is_moved_to:
                self._sure.discard(path)
            self._said[path] = None

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Forget a folder that is gone."""
        with self._lock:
            folder = self._folders.get(wd)
            if folder is not None and not self._closed:
                self._forget([folder])
                self._said[folder] = None

    def on_queue_overflow(self) -> None:
        """Note that events were lost, those that would have shaken a path among them."""
        with self._lock:
            self._sure.clear()
            self._lost = True

    def _tell(self) -> None:
        with self._lock:
            said, self._said = list(self._said), {}
            lost, self._lost = self._lost, False
        if lost:
            self._heard(None)
        elif said:
            self._heard(said)

    # Called with the lock held.

    def _add(self, folder: str) -> None:
        """Watch the folder that is now at this path; raise OSError where that cannot be."""
        if self._reader is None:
            self._reader = _Reader(self._tell)
            self._reader.start()
        path = os.path.join(self._root, os.fsencode(folder))  # noqa: PTH118  bytes, which pathlib has not
        identity = CallbackId(next(self._ids))
        descriptor = self._reader.add_callback(path, _MASK if folder else _ROOT_MASK, self, identity)
        if descriptor == _REFUSED:
            self._reader.remove_callbacks([(descriptor, identity)])
            return
        # The watch that another folder had at this path goes, and so does the old entry of one that has moved here:
        # its watch is this very one, which stays since it has the new callback.
        self._forget([folder, self._folders.get(descriptor, folder)])
        self._watches[folder] = descriptor, identity
        self._folders[descriptor] = folder
        self._sure.add(folder)
        self._unwatched.discard(folder)

    def _forget(self, folders: Iterable[str]) -> None:
        known = [folder for folder in folders if folder in self._watches]
        if not known or self._reader is None:
            return
        watches = [self._watches.pop(folder) for folder in dict.fromkeys(known)]
        for descriptor, _ in watches:
            del self._folders[descriptor]
        self._sure.difference_update(known)
        self._reader.remove_callbacks(watches)
        self._exhausted = False


class _Reader(InotifyFD):
    """watchdog's reader of an inotify instance, which also says when all events of one read were handled."""

    def __init__(self, handled: Callable[[], None]) -> None:
        super().__init__()
        self._handled = handled

    def run(self) -> None:
        while self.should_keep_running():
            for event in self.read_events():
                self.handle_event(event)
            self._handled()
            self.stopped_event.wait(_PAUSE)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and name else folder or name


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/") if folder else path != ""
