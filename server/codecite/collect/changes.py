"""What changed since the ledger last looked, told from names, sizes and times alone.

A file whose size and times are as they were is taken to be as it was, except where it was written so shortly before
it was read that a later write could have left the same time (git calls such files "racy"): those are read again, and
the hash of their content decides.
"""

from collections.abc import Collection, Mapping

from codecite.collect.walk import Scan
from codecite.model.changes import ChangeSet
from codecite.model.files import FileStamp
from codecite.ports import StoredFile

COARSEST_TICK_NS = 2_000_000_000  # FAT keeps times to two seconds; most other file systems are far finer


def reconcile(
    known: Mapping[str, StoredFile],
    seen: Scan,
    *,
    refused: Collection[FileStamp] = (),
    named: Collection[str] = (),
    full: bool = False,
    done_since: float | None = None,
    read_since_ns: int | None = None,
) -> ChangeSet:
    """Compare what the ledger knows of the part of the tree that a scan looked at with what it saw.

    Candidates are files that are new, have another size or another time (also an earlier one), may be racy, or are
    `named`, because something says that they changed; with `full` all of them, but for those that were indexed since
    `done_since`, when the job that is resumed began (seconds since the epoch). A file whose stamp is among `refused`
    was refused for what it holds and is not read again. `read_since_ns` is when the last sync began to read, in
    nanoseconds since the epoch; without it no file is held to be racy.

    Gone are files that the ledger knows and the scan did not take: deleted, ignored now, or refused now. The last
    changed come first, as they are asked for first; gone ones are in order of paths.
    """
    unreadable = set(refused)
    candidates = []
    present = set()
    for stamp in seen.files:
        present.add(stamp.path)
        before = known.get(stamp.path)
        if full:
            due = before is None or done_since is None or before.indexed_at < done_since
        elif before is None:
            due = stamp not in unreadable
        else:
            due = before.stamp != stamp
        if due or stamp.path in named or _racy(stamp.mtime_ns, read_since_ns):
            candidates.append(stamp)
    candidates.sort(key=lambda stamp: -stamp.mtime_ns)
    return ChangeSet(tuple(candidates), tuple(sorted(known.keys() - present)))


def _racy(mtime_ns: int, read_since_ns: int | None) -> bool:
    return read_since_ns is not None and mtime_ns > read_since_ns - COARSEST_TICK_NS
