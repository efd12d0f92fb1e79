"""Citations held against what the editor shows, where the engine saw the file on disk or a moment earlier."""

from dataclasses import asdict

from codecite.answer.anchor import anchor
from codecite.engine.results import citation_of
from codecite.lsp.engines import Json


def as_shown(citation: Json, text: str) -> Json:
    """Return the citation with its lines, text and state as they stand in an open document's text."""
    return {**citation, **asdict(anchor(citation_of(citation), text))}
