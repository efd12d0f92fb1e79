"""What the requests of our own take: JSON objects become values, and a wrong one is refused in one line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from codecite.model.errors import BadInput

Token: TypeAlias = int | str

MOST_CITATIONS = 100


@dataclass(frozen=True, slots=True)
class AskParams:
    """A question, the file it is asked from (None: all folders are asked), and the most citations wanted."""

    question: str
    uri: str | None = None
    k: int | None = None


@dataclass(frozen=True, slots=True)
class ReindexParams:
    """Whether files that look unchanged are read again too."""

    full: bool = False


@dataclass(frozen=True, slots=True)
class AnchorParams:
    """Citations of answers, as this server gave them; the engine looks closer at them."""

    citations: Sequence[Mapping[str, Any]]


def ask_params(raw: object) -> AskParams:
    """Read `{question, uri?, k?}`. Raises BadInput."""
    given = _object(raw, "{question, uri?, k?}")
    question = given.get("question")
    if not isinstance(question, str) or not question.strip():
        raise BadInput("`question` is missing or empty", "ask something, such as “where are settings read?”")
    uri, k = given.get("uri"), given.get("k")
    if uri is not None and not isinstance(uri, str):
        raise BadInput("`uri` is not a string", "send the URI of a document, or leave it out")
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_CITATIONS):
        raise BadInput(f"`k` is not a whole number from 1 to {MOST_CITATIONS}", "correct it, or leave it out")
    return AskParams(question, uri, k)


def anchor_params(raw: object) -> AnchorParams:
    """Read `{citations}`. Raises BadInput."""
    citations = _object(raw, "{citations}").get("citations")
    if not isinstance(citations, list) or not all(isinstance(one, Mapping) for one in citations):
        raise BadInput("`citations` is not a list of citations", "send those of an answer")
    if len(citations) > MOST_CITATIONS:
        raise BadInput(f"`citations` holds more than {MOST_CITATIONS}", "send those that are shown")
    return AnchorParams(citations)


def reindex_params(raw: object) -> ReindexParams:
    """Read `{full?}`; nothing at all is the same as `{}`. Raises BadInput."""
    full = _object({} if raw is None else raw, "{full?}").get("full")
    if full is not None and not isinstance(full, bool):
        raise BadInput("`full` is neither true nor false", "correct it, or leave it out")
    return ReindexParams(bool(full))


def work_done_token(raw: object) -> Token | None:
    """Return the progress token that came with a request, if any."""
    return _token(raw, "workDoneToken")


def partial_result_token(raw: object) -> Token | None:
    """Return the token under which the client takes partial results, if any."""
    return _token(raw, "partialResultToken")


def _token(raw: object, name: str) -> Token | None:
    token = raw.get(name) if isinstance(raw, Mapping) else None
    return token if isinstance(token, int | str) else None


def _object(raw: object, shape: str) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping):
        raise BadInput(f"the parameters are not an object {shape}", "send one JSON object")
    return raw
