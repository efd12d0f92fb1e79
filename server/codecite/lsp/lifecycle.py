"""From `initialize` to `exit`."""

from lsprotocol import types
from lsprotocol.types import LSPErrorCodes
from pygls.exceptions import JsonRpcException

from codecite import __version__
from codecite.lsp.positions import Encoding
from codecite.lsp.session import Session
from codecite.lsp.uris import roots

_ENCODINGS: dict[str, Encoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}


def initialize(session: Session, params: types.InitializeParams) -> None:
    """Take note of the client. No engine is reached for yet: the answer must not wait for anything.

    Raises JsonRpcException for an extension that was made for another version.
    """
    _check_extension(params.initialization_options)
    session.encoding = _ENCODINGS.get(session.server.workspace.position_encoding or "", "utf-16")
    session.script = "zh" if (params.locale or "").lower().startswith("zh") else "en"
    session.hovers_in_markdown = _takes_markdown(params.capabilities)
    session.greeted = True
    if params.process_id is not None:
        session.watch_parent(params.process_id)
    folders = [folder.uri for folder in params.workspace_folders or ()]
    for uri in roots(folders, params.root_uri, params.root_path):
        session.open_folder(uri)


def initialized(session: Session, _params: types.InitializedParams) -> None:
    """Start the engines, and ask for file events where the client takes such a wish."""
    session.initialized = True
    workspace = session.server.client_capabilities.workspace
    watching = workspace and workspace.did_change_watched_files
    if watching and watching.dynamic_registration:
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers=[types.FileSystemWatcher("**/*")])
        wish = types.Registration("codecite-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        session.server.client_register_capability(types.RegistrationParams([wish]))
    for folder in session.folders:
        session.refresh(folder)


def shutdown(session: Session, _params: None) -> None:
    """Get ready to leave: from now on only `exit` is expected."""
    session.shut_down = True


def leave(session: Session, _params: None) -> None:
    """End the loop that reads messages."""
    session.leaving.set()


def _takes_markdown(capabilities: types.ClientCapabilities) -> bool:
    document = capabilities.text_document
    return bool(
        document and document.hover and types.MarkupKind.Markdown in (document.hover.content_format or ())
    )


def _check_extension(options: object) -> None:
    """Refuse an extension that does not fit: the first two numbers of both versions are the same."""
    theirs = options.get("extensionVersion") if isinstance(options, dict) else None
    if not isinstance(theirs, str) or theirs.split(".")[:2] == __version__.split(".")[:2]:
        return
    what = f"the extension is of version {theirs}, the server of {__version__}; update the older one"
    raise JsonRpcException(what, int(LSPErrorCodes.RequestFailed), {"retry": False})
