"""Citations held against what the editor shows, where the engine saw the file on disk."""

from dataclasses import asdict, fields

from codecite.answer.anchor import anchor
from codecite.lsp.engines import Json
from codecite.model.hits import Citation, Focus

_FIELDS = {field.name for field in fields(Citation)}
_WORSE = ("fresh", "moved", "changed", "gone")


def as_shown(citation: Json, text: str) -> Json:
    """Return the citation with its lines, text and state as they stand in an open document's text."""
    known = {name: value for name, value in citation.items() if name in _FIELDS}
    focus = known.get("focus")
    now = anchor(Citation(**{**known, "focus": Focus(**focus) if focus else None}), text)
    return {**citation, **asdict(now), "state": _since_indexed(citation["state"], now.state)}


def _since_indexed(on_disk: str, in_editor: str) -> str:
    """Join index to disk and disk to editor: what is in the editor is not gone, else the worse counts."""
    return in_editor if on_disk == "gone" else max(on_disk, in_editor, key=_WORSE.index)
