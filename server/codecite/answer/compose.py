"""Put evidence into words, with no model: one short factual line per piece, each with its mark."""

from collections.abc import Sequence

from codecite.answer.text import say
from codecite.model.hits import Answer, Citation, Claim, Findings, Searched
from codecite.model.texts import Script

NEAREST = 3  # blocks named when there is no evidence


def compose(
    question: str,
    citations: Sequence[Citation],
    found: Findings,
    searched: Searched,
    *,
    degraded: tuple[str, ...] = (),
    workspace: str = "",
    sequence: int = 0,
    commit: str | None = None,
) -> Answer:
    """Answer with evidence alone; with none, abstain and say what came nearest."""
    claims = tuple(_claim(citation, found) for citation in citations)
    return Answer(
        question=question,
        text=_text(claims, found, searched) if claims else _abstention(found, searched),
        claims=claims,
        citations=tuple(citations),
        abstained=not claims,
        degraded=degraded,
        generator="evidence",
        log_id="",
        workspace=workspace,
        sequence=sequence,
        commit=commit,
        searched=searched,
    )


def _claim(citation: Citation, found: Findings) -> Claim:
    place = f"`{citation.path}:{citation.start_line}-{citation.end_line}`"
    return Claim(say(found.grounds.script, "place", place=place, why=citation.why), (citation.n,))


def _text(claims: Sequence[Claim], found: Findings, searched: Searched) -> str:
    script = found.grounds.script
    head = say(
        script,
        "found" if len(claims) > 1 else "found_one",
        count=len(claims),
        files=_files(script, searched.files),
    )
    lines = [f"- {claim.text} [{number}]" for claim in claims for number in claim.citations]
    return "\n".join([head, *lines, *_unknown_names(found)])


def _abstention(found: Findings, searched: Searched) -> str:
    script = found.grounds.script
    places = [f"`{hit.path}:{hit.start_line}`" for hit in found.hits[:NEAREST]]
    nearest = say(script, "separator").join(places)
    sentence = say(
        script, "nothing_near" if places else "nothing", files=_files(script, searched.files), nearest=nearest
    )
    return "\n".join([sentence, *_unknown_names(found)])


def _unknown_names(found: Findings) -> list[str]:
    """Say which names of the question nothing here bears, so that an answer about others misleads no one."""
    grounds = found.grounds
    unknown = [f"`{name.strip('`')}`" for name in grounds.identifiers if name not in grounds.resolved]
    if not unknown:
        return []
    return [say(grounds.script, "unknown_name", names=say(grounds.script, "separator").join(unknown))]


def _files(script: Script, count: int) -> str:
    return say(script, "file" if count == 1 else "files", count=count)
