"""What truly changed in a file: its stored blocks against its leaves now."""

from collections.abc import Sequence

from codecite.model.blocks import Block
from codecite.model.changes import BlockDelta, StoredBlock


def compare(old: Sequence[StoredBlock], new: Sequence[Block]) -> BlockDelta:
    """Tell kept, moved, retouched, added and removed blocks apart; identity is the id.

    A block keeps its id while its path, symbol and normalised code stay. Where these repeat in a file, the
    ordinal in the id counts from the top, so the last of equal ones is what comes or goes.
    """
    stored = {block.id: block for block in old}
    kept, moved, retouched, added = [], [], [], []
    for index, block in enumerate(new):
        before = stored.pop(block.id, None)
        if before is None:
            added.append(index)
        elif before.text_hash != block.text_hash:
            retouched.append(index)
        elif (before.start_line, before.end_line) != (block.start_line, block.end_line):
            moved.append(index)
        else:
            kept.append(index)
    return BlockDelta(tuple(kept), tuple(moved), tuple(retouched), tuple(added), tuple(stored))
