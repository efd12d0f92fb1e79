"""`workspace/symbol`: definitions of all folders by what is typed of their names, best first."""

import asyncio

from lsprotocol import types

from codecite.answer.anchor import line_now
from codecite.lsp.engines import Json
from codecite.lsp.folders import Folder
from codecite.lsp.overlays import overlays
from codecite.lsp.positions import to_units
from codecite.lsp.requests import of_each
from codecite.lsp.session import Session
from codecite.lsp.uris import child_uri

MOST = 100
_KINDS = {
    "function": types.SymbolKind.Function, "macro": types.SymbolKind.Function, "method": types.SymbolKind.Method,
    "class": types.SymbolKind.Class, "type": types.SymbolKind.Class, "interface": types.SymbolKind.Interface,
    "trait": types.SymbolKind.Interface, "enum": types.SymbolKind.Enum, "struct": types.SymbolKind.Struct,
    "module": types.SymbolKind.Module, "variable": types.SymbolKind.Variable, "field": types.SymbolKind.Field,
    "constant": types.SymbolKind.Constant, "key": types.SymbolKind.Key, "heading": types.SymbolKind.String,
}  # fmt: skip


async def workspace_symbol(
    session: Session, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """Return at most 100 definitions, on their lines in the editor, else on disk."""
    folders = list(session.folders)
    if not folders or not params.query.strip():
        return []
    unsaved = await asyncio.gather(*(overlays(session, folder) for folder in folders))
    queries = [{"query": params.query, "k": MOST, "overlays": texts} for texts in unsaved]
    answers, _problems = await of_each(folders, "symbols", queries, None)
    found = [
        (one["rank"], symbol)
        for folder, answer in answers
        for one in answer["symbols"]
        if session.folders.owner(folder.key_of(one["path"])) is folder
        and (symbol := _symbol(session, folder, one))
    ]
    found.sort(key=lambda item: item[0])  # each folder's are sorted already, and stay so among equals
    return [symbol for _, symbol in found[:MOST]]


def _symbol(session: Session, folder: Folder, one: Json) -> types.SymbolInformation | None:
    """Return a definition as the protocol has it, None where the editor's text does not hold it any more."""
    document = session.documents.get(folder.key_of(one["path"]))
    uri = document.uri if document else child_uri(folder.uri, one["path"])
    line = line_now(one["line"], one["text"], document.lines) if document else one["line"]
    if line is None:
        return None
    start, end = (
        types.Position(line - 1, to_units(one["text"], column, session.encoding))
        for column in (one["column"], one["column"] + len(one["name"]))
    )
    around = one["symbol"][: -len(one["name"])].rstrip(" .>") if one["symbol"].endswith(one["name"]) else ""
    container = f"{around} — {one['path']}" if around else one["path"]
    kind = _KINDS.get(one["kind"], types.SymbolKind.Variable)
    return types.SymbolInformation(
        types.Location(uri, types.Range(start, end)), one["name"], kind, container_name=container
    )
