"""Unsaved text on its way to the engine: what open documents hold that the index may not.

A document counts from its first edit until it is closed, saved or not, since an index needs a moment to hear of a save;
and as soon as its text is not what is on disk, since editors restore unsaved text. The engine lets go of what it knows.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from codecite.adapters.disk import WorkTree
from codecite.collect.charset import decode
from codecite.engine.overlays import same_lines
from codecite.engine.requests import LARGEST_OVERLAY, LARGEST_OVERLAYS, MOST_OVERLAYS
from codecite.engine.results import is_stored_path
from codecite.lsp.engines import Json
from codecite.lsp.folders import Folder
from codecite.lsp.session import Session


async def overlays(session: Session, folder: Folder, only: str | None = None) -> list[Json]:
    """Return `[{path, text}]` of the folder's own open documents, the last edited ones first, up to the limit.

    With a key, of that document alone.
    """
    own = [
        (folder.relative(key), document)
        for key, document in session.documents
        if only in (None, key) and session.folders.owner(key) is folder
    ]
    own.sort(key=lambda item: item[1].edited, reverse=True)
    known = [(path, document.text, document.edited > 0) for path, document in own if is_stored_path(path)]
    return await asyncio.to_thread(_to_be_sent, WorkTree(Path(folder.path)), known)


def _to_be_sent(tree: WorkTree, documents: Sequence[tuple[str, str, bool]]) -> list[Json]:
    """Choose from documents, each (path, text, whether it was edited)."""
    chosen: list[Json] = []
    room = LARGEST_OVERLAYS
    for path, text, edited in documents:
        if len(chosen) == MOST_OVERLAYS:
            break
        if len(text) <= min(room, LARGEST_OVERLAY) and (edited or not _is_on_disk(tree, path, text)):
            chosen.append({"path": path, "text": text})
            room -= len(text)
    return chosen


def _is_on_disk(tree: WorkTree, path: str, text: str) -> bool:
    try:
        _, data = tree.read(path, 4 * LARGEST_OVERLAY)  # bytes of a character, at most
    except OSError:
        return False
    return same_lines(decode(data).text, text)
