"""The generations of the vector store: folders `chroma-<n>` of a workspace's store, one of them in use.

The library never uses a deleted slot again, so a store that lives long is built anew in the next folder while the old
one goes on answering; and one that is damaged is set aside and followed by the next. Which number is in use is noted in
the ledger, so that a crash at any point leaves the one or the other, and `keep_only` clears away the rest.

A damaged graph can end the process inside the library. So that this happens once and not at every start, a note lies
beside the folder from before it is opened until it was read and asked (`survived`).
"""

import logging
import re
from pathlib import Path

from codecite.adapters.chroma_vectors import ChromaVectors, load_library
from codecite.adapters.set_aside import MARK, remove, set_aside
from codecite.model.errors import Unavailable, VectorsDamaged
from codecite.ports import Embedder

PREFIX = "chroma"  # the name of every file and folder of the vector store begins so
log = logging.getLogger(__name__)

_FOLDER = re.compile(rf"{PREFIX}-(\d+)")


class ChromaGenerations:
    """See `ports.VectorGenerations`. Raises Unavailable where the folder above cannot be written."""

    def __init__(self, home: Path, embedder: Embedder) -> None:
        self._home = home
        self._embedder = embedder

    def open(self, number: int) -> ChromaVectors:
        """Open a generation, empty where it is new; raise VectorsDamaged where it cannot be used."""
        load_library()  # takes a second or two, in which whoever ends this process says nothing about the folder
        note = self._note(number)
        if note.exists():
            raise VectorsDamaged("the process ended while it was opened")
        try:
            note.touch(mode=0o600)
        except OSError as error:
            mend = "check the folder's owner, its permissions and its disk"
            raise Unavailable(
                f"the store at {self._home} cannot be written ({error.strerror})", mend
            ) from error
        try:
            return ChromaVectors(self._folder(number), self._embedder)
        except BaseException:
            self.survived(number)
            raise

    def survived(self, number: int) -> None:
        """Note that the process outlived opening a generation, reading and asking it, whether or not that worked."""
        remove(self._note(number))

    def unused(self) -> int:
        """Return a number that no folder has, whatever became of it."""
        names = (_FOLDER.match(path.name) for path in self._home.glob(f"{PREFIX}-*"))
        return 1 + max((int(name[1]) for name in names if name), default=0)

    def set_aside(self, number: int) -> Path:
        """Keep a damaged generation under another name, the last such only; return where it is."""
        self.survived(number)
        folder = self._folder(number)
        try:
            return set_aside(folder, f"{PREFIX}-*")
        except OSError as error:  # it stays until it is cleared away: no number is used twice
            log.warning("%s could not be set aside: %s", folder, error)
            return folder

    def keep_only(self, number: int) -> None:
        """Delete every generation but one and what an unfinished one left; what was set aside stays."""
        kept = {self._folder(number), self._note(number)}
        for path in self._home.glob(f"{PREFIX}*"):
            if path not in kept and MARK not in path.name:
                remove(path)

    def _folder(self, number: int) -> Path:
        return self._home / f"{PREFIX}-{number}"

    def _note(self, number: int) -> Path:
        return self._home / f"{PREFIX}-{number}.opening"
