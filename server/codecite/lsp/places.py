"""Where a folder's citation is in the editor: in the document that is open, else in the file."""

from codecite.lsp.anchoring import as_shown
from codecite.lsp.engines import Json
from codecite.lsp.folders import Folder
from codecite.lsp.locate import located
from codecite.lsp.session import Session
from codecite.lsp.uris import child_uri


def placed(session: Session, folder: Folder, citation: Json) -> Json:
    """Return the citation with its `workspace`, `location` and `selection`, as the editor shows the file."""
    cited = {**citation, "workspace": folder.path}
    document = session.documents.get(folder.key_of(citation["path"]))
    if document is None:
        return located(cited, child_uri(folder.uri, citation["path"]), session.encoding)
    return located(as_shown(cited, document.text), document.uri, session.encoding, document.lines)
