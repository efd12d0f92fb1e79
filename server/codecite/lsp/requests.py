"""The requests of our own, one small function each: read the parameters, call the engines, convert."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from lsprotocol import types

from codecite.lsp.answers import NO_FOLDER, explanation, fuse, repointed, without
from codecite.lsp.documents import key_of
from codecite.lsp.engines import Json, OnProgress
from codecite.lsp.errors import one_line
from codecite.lsp.folders import Folder
from codecite.lsp.overlays import overlays
from codecite.lsp.params import Token, anchor_params, ask_params, partial_result_token, reindex_params
from codecite.lsp.places import placed
from codecite.lsp.session import Session
from codecite.lsp.texts import say
from codecite.model.errors import CodeciteError

Request: TypeAlias = Callable[[Session, object, Token | None], Awaitable[Json]]


async def ask(session: Session, raw: object, token: Token | None) -> Json:
    """Answer a question from all folders, or from the one that holds `uri`, each citation with its place."""
    params = ask_params(raw)
    owner = session.folders.owner(key_of(params.uri)) if params.uri else None
    folders = [owner] if owner else list(session.folders)
    if not folders:
        return explanation(params.question, NO_FOLDER)
    query: Json = {"question": params.question, **({"k": params.k} if params.k else {})}
    async with session.work(say(session.script, "asking"), token, create=False) as report:
        unsaved = await asyncio.gather(*(overlays(session, folder) for folder in folders))
        queries = [{**query, "overlays": texts} for texts in unsaved]
        early = _Early(session, partial_result_token(raw), len(folders), params.k or MOST_EVIDENCE)
        answers, problems = await of_each(folders, "ask", queries, report, early.take)
    answer = _fused(session, answers, params.k or MOST_EVIDENCE)
    return {**answer, "degraded": [*answer["degraded"], *problems]}


class _Early:
    """Sends what is known before all folders have answered: each time the whole answer so far."""

    def __init__(self, session: Session, token: Token | None, count: int, limit: int) -> None:
        self._session = session
        self._token = token
        self._left = count
        self._limit = limit
        self._answers: list[tuple[Folder, Json]] = []

    def take(self, folder: Folder, answer: Json) -> None:
        """Take in the answer of a folder; the last one is sent as the result."""
        self._left -= 1
        self._answers.append((folder, answer))
        if self._token is not None and self._left:
            value = _fused(self._session, self._answers, self._limit)
            self._session.server.progress(types.ProgressParams(self._token, value))


def _fused(session: Session, answers: Sequence[tuple[Folder, Json]], limit: int) -> Json:
    shown = [_shown(session, folder, answer) for folder, answer in answers]
    return shown[0] if len(shown) == 1 else fuse(shown, limit)


async def anchor(session: Session, raw: object, _token: Token | None) -> Json:
    """Return citations of earlier answers as they stand now, each with its place, in the order in which they came.

    One whose folder is not open any more is gone.
    """
    citations = anchor_params(raw).citations
    owners = [session.folders.get(str(one.get("workspace", ""))) for one in citations]
    folders = [folder for folder in session.folders if folder in owners]
    unsaved = await asyncio.gather(*(overlays(session, folder) for folder in folders))
    queries = [
        {
            "citations": [one for one, owner in zip(citations, owners, strict=True) if owner is folder],
            "overlays": texts,
        }
        for folder, texts in zip(folders, unsaved, strict=True)
    ]
    answers, problems = await of_each(folders, "anchor", queries, None)
    now = {folder.key: iter(answer["citations"]) for folder, answer in answers}
    shown = [
        placed(session, owner, {**one, **next(now.get(owner.key, iter(())), {})})
        if owner
        else {**one, "state": "gone", "location": None, "selection": None}
        for one, owner in zip(citations, owners, strict=True)
    ]
    return {"citations": shown, "problems": problems}


async def status(session: Session, _raw: object, _token: Token | None) -> Json:
    """Return the state of every open folder, and the least ready of them as `state`."""
    answers, problems = await _of_all(session, "status", {}, None)
    workspaces = [{**answer, "workspace": folder.path} for folder, answer in answers]
    states = [workspace["state"] for workspace in workspaces] + ["failed"] * len(problems)
    only = workspaces[0] if len(workspaces) == 1 else {}
    state = max(states, key=_READINESS.index, default="empty")
    return {
        **only,
        "state": state,
        "workspaces": workspaces,
        "problems": [*only.get("problems", []), *problems],
    }


async def reindex(session: Session, raw: object, token: Token | None) -> Json:
    """Bring the index of every open folder up to date and return when that is done."""
    params = reindex_params(raw)
    async with session.work(say(session.script, "indexing"), token) as report:
        answers, problems = await _of_all(session, "index", {"full": params.full, "wait": True}, report)
    workspaces = [{**answer, "workspace": folder.path} for folder, answer in answers]
    return {**(workspaces[0] if len(workspaces) == 1 else {}), "workspaces": workspaces, "problems": problems}


MOST_EVIDENCE = 8  # pieces that an answer from several folders has where nobody says how many

REQUESTS: dict[str, Request] = {"ask": ask, "anchor": anchor, "status": status, "reindex": reindex}

_READINESS = ("ready", "degraded", "indexing", "empty", "failed")  # the last one wins over several folders


async def _of_all(
    session: Session, method: str, params: Json, report: OnProgress | None
) -> tuple[list[tuple[Folder, Json]], list[str]]:
    """Ask the engines of all folders the same, see `of_each`."""
    folders = list(session.folders)
    return await of_each(folders, method, [params] * len(folders), report)


async def of_each(
    folders: Sequence[Folder],
    method: str,
    params: Sequence[Json],
    report: OnProgress | None,
    answered: Callable[[Folder, Json], None] = lambda _folder, _answer: None,
) -> tuple[list[tuple[Folder, Json]], list[str]]:
    """Ask the engines of some folders at once; return what they answered, and a line for each that could not.

    `answered` hears of each answer as it comes. Raises CodeciteError when none of them could.
    """

    async def call(folder: Folder, given: Json) -> Json:
        answer = await folder.call(method, given, report)
        answered(folder, answer)
        return answer

    results = await asyncio.gather(
        *(call(folder, given) for folder, given in zip(folders, params, strict=True)),
        return_exceptions=True,
    )
    answers: list[tuple[Folder, Json]] = []
    failures: list[tuple[Folder, CodeciteError]] = []
    for folder, result in zip(folders, results, strict=True):
        if isinstance(result, CodeciteError):
            failures.append((folder, result))
        elif isinstance(result, BaseException):
            raise result
        else:
            answers.append((folder, result))
    if failures and not answers:
        raise failures[0][1]
    return answers, [f"{folder.path}: {one_line(error)}" for folder, error in failures]


def _shown(session: Session, folder: Folder, answer: Json) -> Json:
    """Leave out what an inner open folder owns, and say of the rest where it is in the editor."""
    own = without(answer, lambda one: session.folders.owner(folder.key_of(one["path"])) is not folder)
    shown = [placed(session, folder, citation) for citation in own["citations"]]
    return {**repointed(own, shown), "workspace": folder.path}
