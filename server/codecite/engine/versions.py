"""One folder of a store for each version of the schema: no engine ever meets a file of another version."""

import re
from pathlib import Path

from codecite.adapters.ledger_schema import FILE_NAME, SCHEMA_VERSION, damage_note
from codecite.adapters.set_aside import remove

_NAME = re.compile(r"v(\d+)")


def own_folder(store: Path) -> Path:
    """Return the folder of this version's schema."""
    return store / f"v{SCHEMA_VERSION}"


def found_damaged(store: Path) -> bool:
    """Say whether damage was found in the ledger since it was opened."""
    return damage_note(own_folder(store) / FILE_NAME).exists()


def remove_older(store: Path) -> None:
    """Delete the folders of older schemas: called once this one's holds everything. A newer engine's stay."""
    for folder in store.glob("v*"):
        name = _NAME.fullmatch(folder.name)
        if name is not None and int(name[1]) < SCHEMA_VERSION:
            remove(folder)
