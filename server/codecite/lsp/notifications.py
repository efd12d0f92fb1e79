"""What the client tells us: documents, saves, file events, folders. In order, so nothing here waits."""

from collections.abc import Iterable

from lsprotocol import types

from codecite.lsp.documents import key_of
from codecite.lsp.folders import Folder
from codecite.lsp.session import Session


def did_open(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    """Take in a document."""
    document = params.text_document
    session.documents.open(document.uri, document.version, document.text)
    _tell(session, "open", [document.uri])


def did_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    """Follow an edit."""
    document = params.text_document
    session.documents.change(document.uri, document.version, params.content_changes, session.encoding)


def did_close(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document."""
    session.documents.close(params.text_document.uri)


def did_save(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    """Have the saved file indexed."""
    _tell(session, "paths", [params.text_document.uri])


def did_change_watched_files(session: Session, params: types.DidChangeWatchedFilesParams) -> None:
    """Have files indexed that changed outside of the editor."""
    _tell(session, "paths", (change.uri for change in params.changes))


def did_change_folders(session: Session, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Close folders, then open folders: one that is in both lists is open afterwards."""
    for folder in params.event.removed:
        session.close_folder(folder.uri)
    for folder in params.event.added:
        session.open_folder(folder.uri)


def work_done_progress_cancel(session: Session, params: types.WorkDoneProgressCancelParams) -> None:
    """Cancel what a progress bar stands for."""
    session.progress.cancel(params.token)


def _tell(session: Session, what: str, uris: Iterable[str]) -> None:
    """Tell each engine which of its files were written ("paths") or are looked at ("open")."""
    told: dict[str, tuple[Folder, list[str]]] = {}
    for uri in uris:
        key = key_of(uri)
        if key is None or "/.git/" in key:
            continue
        for folder in session.folders.holding(key):  # a store indexes its whole tree, inner folders too
            told.setdefault(folder.key, (folder, []))[1].append(folder.relative(key))
    for folder, paths in told.values():
        session.tell_engine(folder, {what: paths})
