"""Who hears of changes in the work tree: inotify on Linux, elsewhere what the system offers for a whole tree."""

import logging
import os
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from codecite.ports import Watcher

log = logging.getLogger(__name__)

Listener = Callable[[Sequence[str] | None], None]  # see ports.Watcher

# Not that a folder was modified: what was added and taken out has its own events, and on Windows listing a folder may
# count as modifying it. That a file's attributes changed is among them because Windows cannot always tell it from a
# write.
_EVENTS: list[type[FileSystemEvent]] = [
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
]


class RecursiveWatcher:
    """Watches the whole tree below `root` and passes on what happens in the wanted folders; implements `ports.Watcher`.

    `heard` is called once for each event and must neither raise nor call back. macOS and Windows watch a tree at no
    cost that grows with it. Both can lose events when too many come at once (FSEvents asks to look again, a buffer of
    ReadDirectoryChangesW comes back empty), and watchdog 7.1 keeps that to itself, so None is never heard here.
    """

    def __init__(self, root: Path, heard: Listener) -> None:
        self._root = root.resolve()
        self._depth = len(self._root.parts)
        self._heard = heard
        self._lock = threading.Lock()  # never taken on the observer's thread
        self._observer: BaseObserver | None = None
        self._folders: set[str] = set()
        self._running = False
        self._problem = ""
        self._closed = False

    def watch(self, folder: str) -> None:
        """Hear of what happens directly in a folder from now on."""
        with self._lock:
            self._folders.add(folder)
            if not self._closed and not self._problem and not self._running:
                self._start()

    def keep_only(self, folders: Collection[str]) -> None:
        """Stop watching every folder that is not among these."""
        with self._lock:
            self._folders.intersection_update(folders)
            self._problem = ""  # it is tried again with the next folder

    @property
    def problem(self) -> str:
        """Say in one line why the tree is not watched; "" when it is."""
        return self._problem

    def close(self) -> None:
        """Stop watching; the listener is not called after this returned, unless it is the listener that called."""
        with self._lock:
            self._closed = True
            observer = self._observer
        if observer is not None:
            _end(observer)

    def _start(self) -> None:
        if self._observer is not None:
            _end(self._observer)
            self._observer = None
        if not self._root.is_dir():
            return
        try:
            self._observer = Observer()
            self._observer.schedule(_Handler(self._pass_on), self._root, recursive=True, event_filter=_EVENTS)
            self._observer.start()
            self._running = True
        except Exception as error:
            log.exception("the work tree cannot be watched")
            self._problem = (
                f"the workspace cannot be watched for changes ({error}); saves in the editor and a regular look still "
                "find what changes"
            )

    def _pass_on(self, event: FileSystemEvent) -> None:
        paths = [self._relative(os.fsdecode(path)) for path in (event.src_path, event.dest_path) if path]
        if isinstance(event, DirDeletedEvent) and "" in paths:
            self._running = False  # watchdog stops when its root goes; it may come back
        wanted = [path for path in paths if path in self._folders or path.rpartition("/")[0] in self._folders]
        if wanted:
            self._heard(wanted)

    def _relative(self, path: str) -> str:
        """Cut the root off by its number of names: macOS may report it in another case or Unicode form than ours."""
        return "/".join(Path(path).parts[self._depth :])


class _Handler(FileSystemEventHandler):
    """Hands every event to one function."""

    def __init__(self, take: Callable[[FileSystemEvent], None]) -> None:
        self._take = take

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._take(event)


def _end(observer: BaseObserver) -> None:
    observer.stop()
    if observer.is_alive() and observer is not threading.current_thread():
        observer.join()


if sys.platform == "linux":
    from codecite.adapters.inotify_watcher import InotifyWatcher

    NATIVE: Callable[[Path, Listener], Watcher] = InotifyWatcher
else:
    NATIVE = RecursiveWatcher


def watch_tree(root: Path, heard: Listener, kind: Callable[[Path, Listener], Watcher] = NATIVE) -> Watcher:
    """Make a watcher of the tree below `root`, which watches no folder yet.

    `heard` is called as `ports.Watcher` says, on a thread of the watcher; it must return at once. What it raises is
    logged and ends nothing. `kind` is the class of watcher; by default the one for this system.
    """

    def tell(paths: Sequence[str] | None) -> None:
        try:
            heard(paths)
        except Exception:
            log.exception("what was heard of changes could not be taken in")

    return kind(root, tell)
