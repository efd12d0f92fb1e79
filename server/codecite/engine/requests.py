"""Parameters of requests. They come from other programs: each is checked here, once, and a wrong one said in a line."""

from dataclasses import dataclass

from codecite.engine.overlays import Overlay
from codecite.engine.protocol import Message, Session
from codecite.engine.results import citation_of, is_stored_path
from codecite.model.errors import BadInput
from codecite.model.hits import Citation

MOST_HITS = 1_000
LONGEST_QUESTION = 20_000  # characters: a pasted stack trace fits, a pasted book does not
LONGEST_WAIT = 3_600  # seconds
MOST_OVERLAYS = 50
LARGEST_OVERLAY = 1_048_576  # characters
LARGEST_OVERLAYS = 8 * LARGEST_OVERLAY  # all of a request together


@dataclass(frozen=True, slots=True)
class Request:
    """What one client asks for; the readers raise BadInput."""

    params: Message
    session: Session

    def text(self, name: str) -> str:
        """Return a parameter that must hold words."""
        value = self.params.get(name)
        if not isinstance(value, str) or not value.strip():
            raise BadInput(f"`{name}` is missing or empty", f"give a {name} in words")
        if len(value) > LONGEST_QUESTION:
            raise BadInput(f"`{name}` is longer than {LONGEST_QUESTION:,} characters", "ask in fewer words")
        return value

    def optional_text(self, name: str) -> str | None:
        """Return a parameter that may be missing."""
        value = self.params.get(name)
        if value is not None and not isinstance(value, str):
            raise BadInput(f"`{name}` is a text", "leave it out if it is not meant")
        return value

    def paths(self, name: str) -> list[str]:
        """Return a list of paths of the workspace that may be missing, without what cannot be one."""
        value = self.params.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
            raise BadInput(f"`{name}` is a list of paths", "leave it out if it is not meant")
        return [path for path in value if path and not path.startswith("/") and ".." not in path.split("/")]

    def count(self, name: str, default: int) -> int:
        """Return a number of results."""
        value = self.params.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_HITS:
            raise BadInput(f"`{name}` is a number from 1 to {MOST_HITS:,}", f"for example {default}")
        return value

    def line(self, name: str) -> int | None:
        """Return the number of a line that may be missing."""
        value = self.params.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise BadInput(f"`{name}` is the number of a line, counted from 1", "for example 1")
        return value

    def column(self, name: str) -> int:
        """Return a column of a line, counted from 0; missing is 0."""
        value = self.params.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadInput(f"`{name}` is a column, counted from 0", "for example 0")
        return value

    def seconds(self, name: str, default: float) -> float:
        """Return a time to wait."""
        value = self.params.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_WAIT:
            raise BadInput(
                f"`{name}` is a number of seconds up to {LONGEST_WAIT:,}", f"for example {default:g}"
            )
        return float(value)

    def flag(self, name: str) -> bool:
        """Return a parameter that is true or false; missing is false."""
        value = self.params.get(name, False)
        if not isinstance(value, bool):
            raise BadInput(f"`{name}` is true or false", "leave it out for false")
        return value

    def overlays(self) -> tuple[Overlay, ...]:
        """Return the unsaved text that came along: `overlays: [{path, text}]`, none if it is missing."""
        value = self.params.get("overlays")
        if value is None:
            return ()
        if not isinstance(value, list) or not all(map(_is_overlay, value)):
            raise BadInput(
                "`overlays` is a list of {path, text}", "give paths as `codecite blocks` shows them"
            )
        if len(value) > MOST_OVERLAYS or len({one["path"] for one in value}) < len(value):
            raise BadInput(
                f"`overlays` holds at most {MOST_OVERLAYS} files, each once", "send the newest texts"
            )
        sizes = [len(one["text"]) for one in value]
        if max(sizes, default=0) > LARGEST_OVERLAY or sum(sizes) > LARGEST_OVERLAYS:
            raise BadInput(
                f"`overlays` holds texts of at most {LARGEST_OVERLAY:,} characters,"
                f" {LARGEST_OVERLAYS:,} together",
                "leave the largest out",
            )
        return tuple(Overlay.of(one["path"], one["text"]) for one in value)

    def citations(self) -> list[Citation]:
        """Return the citations of an earlier answer: `citations: [...]`."""
        value = self.params.get("citations")
        if not isinstance(value, list) or len(value) > MOST_HITS:
            raise BadInput(f"`citations` is a list of at most {MOST_HITS:,}", "send those of an answer")
        return [citation_of(one) for one in value]


def _is_overlay(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("text"), str)
        and isinstance(path := value.get("path"), str)
        and is_stored_path(path)
    )
