"""What the client tells us: documents, saves, file events, folders. In order, so nothing here waits."""

from collections.abc import Iterable

from lsprotocol import types

from codecite.lsp.documents import key_of
from codecite.lsp.session import Session

NUDGE_SECONDS = 0.3  # saves and file events come in bursts; the engine looks at the disk once for all of them


def did_open(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    """Take in a document."""
    document = params.text_document
    session.documents.open(document.uri, document.version, document.text)


def did_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    """Follow an edit."""
    document = params.text_document
    session.documents.change(document.uri, document.version, params.content_changes, session.encoding)


def did_close(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document."""
    session.documents.close(params.text_document.uri)


def did_save(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    """Have the saved file indexed."""
    _changed_on_disk(session, [params.text_document.uri])


def did_change_watched_files(session: Session, params: types.DidChangeWatchedFilesParams) -> None:
    """Have files indexed that changed outside of the editor."""
    _changed_on_disk(session, (change.uri for change in params.changes))


def did_change_folders(session: Session, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Close folders, then open folders: one that is in both lists is open afterwards."""
    for folder in params.event.removed:
        session.close_folder(folder.uri)
    for folder in params.event.added:
        session.open_folder(folder.uri)


def work_done_progress_cancel(session: Session, params: types.WorkDoneProgressCancelParams) -> None:
    """Cancel what a progress bar stands for."""
    session.progress.cancel(params.token)


def _changed_on_disk(session: Session, uris: Iterable[str]) -> None:
    for uri in uris:
        key = key_of(uri)
        if key is None or "/.git/" in key:
            continue
        for folder in session.folders.holding(key):  # a store indexes its whole tree, inner folders too
            session.nudge(folder, NUDGE_SECONDS)
