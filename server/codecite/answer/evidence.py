"""Choose and number the evidence: which found blocks to show, which of their lines, and where their name stands."""

from collections.abc import Iterator, Mapping, Sequence

from codecite.answer.excerpt import choose
from codecite.model.blocks import Block, Definition
from codecite.model.hits import Citation, Findings, Focus, Hit
from codecite.model.lines import split_lines
from codecite.ports import BlockRow

MOST_ITEMS = 8
SHARE_OF_BEST = 0.35  # a block with less than this share of the best score is not shown
_ORDER = {"code": 1, "test": 2, "example": 2, "docs": 3, "changelog": 3, "translation": 3}
_LAST = 4


def evidence(
    found: Findings,
    rows: Mapping[str, BlockRow],
    definitions: Mapping[str, Sequence[Definition]],
    limit: int = MOST_ITEMS,
) -> tuple[Citation, ...]:
    """Return numbered citations of the best blocks, at most `limit` and never more than 8.

    What defines a name that was asked for comes first, then code, tests and examples, documents, configuration; the
    kind of file that the best hit is in counts as code, since that is what the question asks for. `rows` and
    `definitions` (of a file, by path) are of the same view as the hits; a hit that has no row is left out.
    """
    best = found.hits[0] if found.hits else None
    shown = [hit for hit in found.hits if best and hit.score >= best.score * SHARE_OF_BEST and hit.id in rows]
    shown = sorted(
        shown[: min(limit, MOST_ITEMS)], key=lambda hit: _place_in_order(hit, found.hits[0], found.roles)
    )
    return tuple(
        _citation(number, hit, rows[hit.id], definitions.get(hit.path, ()), found.grounds.weights)
        for number, hit in enumerate(shown, 1)
    )


def _place_in_order(hit: Hit, best: Hit, roles: Mapping[str, str]) -> int:
    if "symbol" in hit.sources:
        return 0
    role = roles.get(hit.path, "other")
    return 1 if role == roles.get(best.path) else _ORDER.get(role, _LAST)


def _citation(
    number: int, hit: Hit, row: BlockRow, definitions: Sequence[Definition], weights: Mapping[str, float]
) -> Citation:
    block = row.block
    lines = _without_blank_end(split_lines(block.text))
    focus = _focus(block, definitions)
    window = choose(lines, weights, focus.line - block.start_line if focus else None)
    return Citation(
        n=number,
        id=block.id,
        path=block.path,
        start_line=block.start_line,
        end_line=block.start_line + len(lines) - 1,
        symbol=block.symbol,
        kind=block.kind,
        language=block.language,
        text="".join(lines),
        score=hit.score,
        why=hit.why,
        state="fresh",
        indexed_at=row.indexed_at,
        commit=row.commit,
        excerpt_start=block.start_line + window.start,
        excerpt="".join(lines[i] for i in window),
        focus=focus,
    )


def _without_blank_end(lines: list[str]) -> list[str]:
    """Leave out blank lines at the end; a block of nothing else keeps its first."""
    end = len(lines)
    while end > 1 and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _focus(block: Block, definitions: Sequence[Definition]) -> Focus | None:
    """Return where the block's own name stands: that of the definition it is, else of the first inside it."""
    inside = [d for d in definitions if block.start_line <= d.name_line <= block.end_line]
    own: Iterator[Definition] = (d for d in inside if d.symbol == block.symbol)
    chosen = next(own, inside[0] if inside and block.kind in {"code", "section", "config"} else None)
    return Focus(chosen.name_line, chosen.name_column, len(chosen.name)) if chosen else None
