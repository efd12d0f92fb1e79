"""Answers of several folders become one: JSON in, JSON out."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from codecite.lsp.engines import Json

NO_FOLDER = "No folder is open in the editor, so there is nothing to search: open a folder and ask again."
NO_EVIDENCE = "No evidence found in the open folders."


def explanation(question: str, text: str) -> Json:
    """Return an answer that only says why there is none."""
    return {
        "question": question,
        "text": text,
        "claims": [],
        "citations": [],
        "abstained": True,
        "degraded": [],
        "generator": "evidence",
        "log_id": "",
        "workspace": "",
        "sequence": 0,
        "commit": None,
        "searched": {"files": 0, "blocks": 0},
    }


def without(answer: Json, unwanted: Callable[[Json], bool]) -> Json:
    """Return the answer without some citations, and without the claims that nothing else carries."""
    kept = [citation for citation in answer["citations"] if not unwanted(citation)]
    return (
        answer if len(kept) == len(answer["citations"]) else fuse([{**answer, "citations": kept}], len(kept))
    )


def repointed(answer: Json, citations: Sequence[Json]) -> Json:
    """Return the answer with these citations in place of its own, and with the places that its words name.

    Evidence is told as `path:first-last`; where a citation has other lines now, those are named.
    """
    places = {_place(old): _place(new) for old, new in zip(answer["citations"], citations, strict=True)}
    named = re.compile("|".join(map(re.escape, places)) or r"(?!)")

    def corrected(text: str) -> str:
        return named.sub(lambda match: places[match[0]], text)

    claims = [{**claim, "text": corrected(claim["text"])} for claim in answer["claims"]]
    return {**answer, "text": corrected(answer["text"]), "claims": claims, "citations": list(citations)}


def fuse(answers: Sequence[Json], limit: int) -> Json:
    """Interleave the answers of several workspaces by rank; at each rank the higher score comes first.

    Scores of different stores are no common measure (each has its own word statistics), ranks are. `limit`
    bounds the citations. Those who found nothing say so only when nobody found anything.
    """
    ranked = sorted(
        (
            (rank, -citation["score"], source, citation)
            for source, answer in enumerate(answers)
            for rank, citation in enumerate(answer["citations"])
        ),
        key=lambda item: item[:3],
    )[:limit]
    numbers = {(source, citation["n"]): n for n, (_, _, source, citation) in enumerate(ranked, 1)}
    carried = [
        {**claim, "citations": [numbers[source, n] for n in claim["citations"] if (source, n) in numbers]}
        for source, answer in enumerate(answers)
        for claim in answer["claims"]
    ]
    claims = sorted(
        (claim for claim in carried if claim["citations"]), key=lambda claim: min(claim["citations"])
    )
    first = answers[ranked[0][2]] if ranked else answers[0]
    return {
        **first,
        "text": _text(claims) if ranked else _regrets(answers),
        "claims": claims,
        "citations": [{**citation, "n": n} for n, (_, _, _, citation) in enumerate(ranked, 1)],
        "abstained": not ranked,
        "degraded": list(dict.fromkeys(reason for answer in answers for reason in answer["degraded"])),
        "searched": {
            name: sum(answer["searched"][name] for answer in answers if answer.get("searched"))
            for name in ("files", "blocks")
        },
    }


def _place(citation: Json) -> str:
    return f"`{citation['path']}:{citation['start_line']}-{citation['end_line']}`"


def _text(claims: Sequence[Mapping[str, Any]]) -> str:
    """Write claims as an answer's text, each with the marks of what carries it."""
    return "\n".join(f"- {claim['text']} {''.join(f'[{n}]' for n in claim['citations'])}" for claim in claims)


def _regrets(answers: Sequence[Json]) -> str:
    """Join what those say who found nothing, each sentence once."""
    return (
        "\n".join(dict.fromkeys(answer["text"] for answer in answers if answer["abstained"])) or NO_EVIDENCE
    )
