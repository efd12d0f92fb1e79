"""`textDocument/hover`: what the index knows of the name under the pointer, at once or not at all."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types

from codecite.adapters.disk import WorkTree
from codecite.answer.hover import Hover
from codecite.collect.charset import decode
from codecite.engine.requests import LARGEST_OVERLAY
from codecite.lsp.documents import key_of
from codecite.lsp.engines import Json
from codecite.lsp.folders import Folder
from codecite.lsp.overlays import overlays
from codecite.lsp.places import placed
from codecite.lsp.positions import to_column, to_units
from codecite.lsp.session import Session
from codecite.model.errors import Cancelled, EngineGone
from codecite.model.lines import split_lines, strip_line_end
from codecite.retrieve.pointing import words_at

HOVER_SECONDS = 1.0  # after which an engine that does not answer is not waited for: the pointer has moved on


async def hover(session: Session, params: types.HoverParams) -> types.Hover | None:
    """Describe the name at a position of a file in an open folder; null where nothing is to be said.

    No engine is started for it, and none that is busy is waited for.
    """
    key = key_of(params.text_document.uri)
    folder = session.folders.owner(key)
    if folder is None or key is None or not folder.up:
        return None
    document = session.documents.get(key)
    lines = document.lines if document else await _on_disk(folder, folder.relative(key))
    position = params.position
    if position.line >= len(lines):
        return None
    line = strip_line_end(lines[position.line])
    column = to_column(line, position.character, session.encoding)
    if not words_at(line, column):
        return None
    edited = document is not None and document.edited > 0
    unsaved = await overlays(session, folder, only=key)
    if edited and not unsaved:
        return None  # too large to be sent: the engine would look at another text
    place = {"path": folder.relative(key), "line": position.line + 1, "column": column}
    try:
        async with asyncio.timeout(HOVER_SECONDS):
            told = (await folder.call("describe", {**place, "overlays": unsaved}))["description"]
    except (TimeoutError, EngineGone, Cancelled):
        return None
    return _shown(session, folder, told, position.line, line) if told else None


def _shown(session: Session, folder: Folder, told: Json, number: int, line: str) -> types.Hover:
    markdown = session.hovers_in_markdown

    def link(citation: Mapping[str, Any]) -> str:
        return _link(placed(session, folder, dict(citation)))

    text = Hover(told, link, session.script, markdown).text()
    start, end = (
        types.Position(number, to_units(line, at, session.encoding))
        for at in (told["column"], told["column"] + told["length"])
    )
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), types.Range(start, end))


def _link(citation: Json) -> str:
    """Return the address of a placed citation's name; parentheses would end a link of Markdown."""
    location, selection = citation["location"], citation["selection"]
    if location is None:
        return ""
    at = (selection or location["range"])["start"]
    uri = str(location["uri"]).replace("(", "%28").replace(")", "%29").replace(" ", "%20")
    return f"{uri}#L{at['line'] + 1},{at['character'] + 1}"


async def _on_disk(folder: Folder, path: str) -> Sequence[str]:
    def read() -> list[str]:
        try:
            _, data = WorkTree(Path(folder.path)).read(path, LARGEST_OVERLAY)
        except OSError:
            return []
        return split_lines(decode(data).text)

    return await asyncio.to_thread(read)
