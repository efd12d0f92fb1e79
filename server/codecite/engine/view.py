"""What one question sees: the ledger, unsaved text in place of what it holds of some files, and the disk as it is."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from codecite.answer.anchor import anchor
from codecite.collect.content import examine
from codecite.engine.overlaid_reader import NOTHING, OverlaidFile, OverlaidReader
from codecite.model.files import FileStamp, SourceText
from codecite.model.hits import Citation
from codecite.ports import BlockReader, Disk, LedgerReader


class Present:
    """The text of files as it is at this moment: what an editor shows, else what is on disk. Each is read once."""

    def __init__(self, disk: Disk, max_file_bytes: int, shown: Mapping[str, str]) -> None:
        self._disk = disk
        self._max_file_bytes = max_file_bytes
        self._texts: dict[str, str | None] = dict(shown)

    def text(self, path: str) -> str | None:
        """Return the text of a file, None where there is none that could be indexed."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def there(self, path: str) -> bool:
        """Say whether a file is there and not empty, without reading it."""
        if path in self._texts:
            return bool(self._texts[path])
        try:
            stamp, _ = self._disk.read(path, 0)
        except OSError:
            return False
        return stamp.size > 0

    def is_as(self, path: str, stamp: FileStamp | None) -> bool:
        """Say whether a file on disk is what it was when it was stamped; one that an editor shows is another."""
        if path in self._texts or stamp is None:
            return False
        try:
            return self._disk.read(path, 0)[0] == stamp
        except OSError:
            return False

    def _read(self, path: str) -> str | None:
        try:
            _, data = self._disk.read(path, self._max_file_bytes)
        except OSError:
            return None
        content = examine(path, data)
        return content.text if isinstance(content, SourceText) else None


class View:
    """One consistent view for one question; `reader` is what to search. The ledger's reader is closed by its opener."""

    def __init__(self, ledger: LedgerReader, files: Mapping[str, OverlaidFile], present: Present) -> None:
        self.present = present
        self._ledger = ledger
        self._files = dict(files)
        self._overlaid: OverlaidReader | None = OverlaidReader(ledger, files) if files else None

    @property
    def reader(self) -> BlockReader:
        """The ledger with the unsaved text over it, and without what was hidden."""
        return self._overlaid or self._ledger

    @property
    def overlaid(self) -> Mapping[str, OverlaidFile]:
        """The files that read otherwise here than in the ledger, by path."""
        return self._files

    def hide(self, paths: Iterable[str]) -> None:
        """Leave files out from now on: the ledger has not yet heard that they are gone."""
        self._files |= dict.fromkeys(paths, NOTHING)
        self._overlaid = OverlaidReader(self._ledger, self._files)

    def as_now(self, citation: Citation) -> Citation:
        """Hold a citation of this view against the text as it is now; the state tells how that differs from the index.

        A citation of unsaved text is of the text as it is now, so it is the index that is held against it.
        """
        now = anchor(citation, self.present.text(citation.path))
        if self._overlaid is None or citation.path not in self._files:
            return now
        indexed = anchor(citation, self._overlaid.indexed_text(citation.path))
        return replace(now, state="changed" if indexed.state == "gone" else indexed.state)
