"""Opening the ledger so that no damage can keep a workspace from being served.

Everything in the ledger can be read from the files again, so a damaged one is set aside and a new one begun. Two notes
beside it say what cannot be seen by opening it:

- `ledger.open` is there while it is open; found at the start, the process before did not close it, and all of it is
  looked over once (for 200 MB, a third of a second of CPU, and three to read it from a slow disk). After an orderly
  end only the header and the schema are read.
- `ledger.damaged` was written when SQLite found damage while it was in use (`ledger_schema.translated`). The engine
  leaves then, and the next one finds it here.
"""

import logging
from pathlib import Path

from codecite.adapters.ledger_schema import FILE_NAME, damage_note
from codecite.adapters.set_aside import set_aside
from codecite.adapters.sqlite_ledger import SqliteLedger
from codecite.model.errors import StoreDamaged, Unavailable

log = logging.getLogger(__name__)


def open_ledger(folder: Path) -> tuple[SqliteLedger, str]:
    """Return the ledger of a folder, and one sentence if a damaged one had to be set aside for a new one, else "".

    Raises Unavailable where the folder cannot be used at all, StoreLocked while another process writes to it.
    """
    try:
        return SqliteLedger(folder), ""
    except StoreDamaged as error:
        path = folder / FILE_NAME
        try:
            place = set_aside(path, path.stem, ("-wal", "-shm"))
            damage_note(path).unlink(missing_ok=True)
        except OSError as refused:
            mend = f"stop what holds it open, then delete {folder}: it is built again from the files"
            raise Unavailable(f"{error.message}, and cannot be renamed ({refused.strerror})", mend) from error
        said = f"{error.message}; it was set aside as {place.name} and is built again from the files"
        log.error("%s", said)  # noqa: TRY400 - the message says it all
        return SqliteLedger(folder), said
