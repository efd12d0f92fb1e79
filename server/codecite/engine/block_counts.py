"""What became of blocks, counted for those who wait for it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from codecite.detect.compare import compare
from codecite.model.blocks import Block
from codecite.model.changes import StoredBlock


@dataclass(slots=True)
class BlockCounts:
    """How many blocks came, went and changed."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    embedded: int = 0

    def note(self, stored: Sequence[StoredBlock], now: Sequence[Block]) -> None:
        """Count what became of one file's blocks."""
        delta = compare(stored, now)
        # A block whose code changed is one removed and one added, under two ids: people call that one change.
        replaced = min(len(delta.added), len(delta.removed))
        self.changed += replaced + len(delta.retouched)
        self.added += len(delta.added) - replaced
        self.removed += len(delta.removed) - replaced
        self.moved += len(delta.moved)

    def since(self, earlier: "BlockCounts") -> "BlockCounts":
        """Return what came after an earlier count."""
        return BlockCounts(*(getattr(self, one.name) - getattr(earlier, one.name) for one in fields(self)))
