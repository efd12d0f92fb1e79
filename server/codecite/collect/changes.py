"""What changed since the ledger last looked, told from names, sizes and times alone.

A file whose size and time are as they were is taken to be as it was, except where it was written so shortly before
it was read that a later write could have left the same time (git calls such files "racy"): those are read again, and
the hash of their content decides.
"""

from collections.abc import Mapping

from codecite.collect.scan import Scan
from codecite.model.changes import ChangeSet
from codecite.ports import StoredFile

COARSEST_TICK_NS = 2_000_000_000  # FAT keeps times to two seconds; most other file systems are far finer


def reconcile(
    known: Mapping[str, StoredFile], seen: Scan, *, full: bool = False, read_since_ns: int | None = None
) -> ChangeSet:
    """Compare what the ledger knows, by path, with what a scan saw.

    Candidates are files that are new, have another size or another time (also an earlier one), or may be racy; with
    `full` all of them. `read_since_ns` is when the last sync began to read, in nanoseconds since the epoch; without
    it no file is held to be racy. Gone are files that the ledger knows and the scan did not take: deleted, ignored
    now, or refused now. Both are in order of paths.
    """
    candidates = []
    present = set()
    for stamp in seen.files:
        present.add(stamp.path)
        before = known.get(stamp.path)
        if full or before is None or before.stamp != stamp or _racy(stamp.mtime_ns, read_since_ns):
            candidates.append(stamp)
    return ChangeSet(tuple(candidates), tuple(sorted(known.keys() - present)))


def _racy(mtime_ns: int, read_since_ns: int | None) -> bool:
    return read_since_ns is not None and mtime_ns > read_since_ns - COARSEST_TICK_NS
